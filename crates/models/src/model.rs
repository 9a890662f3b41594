//! The port: requests out, replies in, a whole batch concurrently.

use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream;

use text2sql_engine::chat::{Reply, Request, Usage, Vectors};
use text2sql_engine::embed::TEXTS_PER_REQUEST;
use text2sql_engine::error::Error;
use text2sql_engine::ports::{Cancel, Model};

use crate::config::Config;
use crate::session::{ClientKind, Session};
use crate::transport::post;
use crate::wire::openai;

/// A model behind a server, for one question.
pub struct HttpModel<'a> {
    session: &'a Session,
    config: &'a Config,
    cancel: &'a dyn Cancel,
    /// Calls that run at the same time.
    parallel: usize,
}

impl<'a> HttpModel<'a> {
    /// The model of `config`, asked through `session` until `cancel` says to stop.
    pub fn new(session: &'a Session, config: &'a Config, cancel: &'a dyn Cancel) -> Self {
        Self { session, config, cancel, parallel: config.max_parallel }
    }

    /// Calls of one batch that run at the same time: one at least, and no more than `max_parallel`.
    pub fn at_once(&self, jobs: usize) -> usize {
        jobs.clamp(1, self.parallel)
    }

    /// The same model, with no more calls at the same time than this.
    #[must_use]
    pub fn with_at_once(self, parallel: usize) -> Self {
        Self { parallel, ..self }
    }

    /// Run one call per job, at most `parallel` concurrently, and return the results in order.
    fn batch<J, T>(
        &self,
        jobs: impl IntoIterator<Item = J>,
        call: impl AsyncFn(reqwest::Client, J) -> Result<T, Error>,
    ) -> Result<Vec<Result<T, Error>>, Error> {
        let kind = ClientKind {
            connect_timeout: self.config.connect_timeout,
            private: self.config.private,
        };
        let client = self.session.client(kind)?;
        let calls = jobs.into_iter().map(|job| call(client.clone(), job));
        let all = stream::iter(calls).buffered(self.parallel).collect();
        self.session.wait(self.cancel, all)
    }
}

impl Model for HttpModel<'_> {
    fn name(&self) -> &str {
        &self.config.model
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.config.fingerprint)
    }

    fn native_tools(&self) -> bool {
        self.config.native_tools
    }

    fn complete(&self, requests: &[Request]) -> Vec<Result<Reply, Error>> {
        let wire = self.config.wire;
        let replies = self.batch(requests, async |client, request| {
            let started = Instant::now();
            let body = wire.body(self.config, request);
            let refused = &self.session.refused;
            let read = |body: &_| wire.reply(body);
            let mut reply = post(&client, self.config, refused, wire.path(), body, read).await?;
            reply.ms = started.elapsed().as_secs_f64() * 1e3;
            Ok(reply)
        });
        replies.unwrap_or_else(|error| requests.iter().map(|_| Err(error.clone())).collect())
    }

    fn embedding_model(&self) -> Result<&str, Error> {
        self.config.embedding_model()
    }

    fn embed(&self, texts: &[String]) -> Result<Vectors, Error> {
        let model = self.embedding_model()?;
        let parts = self.batch(texts.chunks(TEXTS_PER_REQUEST), async |client, texts| {
            let body = openai::embedding_body(model, texts);
            let read = |body: &_| openai::vectors(body, texts.len());
            post(&client, self.config, &self.session.refused, "embeddings", body, read).await
        })?;
        let mut all = Vectors::default();
        for part in parts {
            let Vectors { vectors, usage } = part?;
            all.vectors.extend(vectors);
            all.usage += usage;
        }
        Ok(all)
    }

    fn cost(&self, usage: Usage) -> Option<f64> {
        self.config.cost(usage)
    }
}
