//! The port: requests out, replies in, a whole batch concurrently.

use std::time::Instant;

use futures_util::StreamExt;
use futures_util::stream;

use text2sql_engine::chat::{Billed, Reply, Request, Usage, estimated_tokens};
use text2sql_engine::embed::TEXTS_PER_REQUEST;
use text2sql_engine::error::Error;
use text2sql_engine::ports::{Cancel, Model};

use crate::config::Config;
use crate::session::{ClientKind, Session};
use crate::transport::Call;
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
        call: impl AsyncFn(reqwest::Client, J) -> Billed<T>,
    ) -> Result<Vec<Billed<T>>, Error> {
        let kind = ClientKind {
            connect_timeout: self.config.connect_timeout,
            private: self.config.private,
        };
        let client = self.session.client(kind)?;
        let calls = jobs.into_iter().map(|job| call(client.clone(), job));
        let all = stream::iter(calls).buffered(self.parallel).collect();
        self.session.wait(self.cancel, all)
    }

    /// The reply, unless the limit of tokens was reached before it began: a model that thinks first.
    fn has_begun(&self, reply: Reply) -> Result<Reply, Error> {
        if !reply.truncated || !reply.text.trim().is_empty() || !reply.tool_calls.is_empty() {
            return Ok(reply);
        }
        let limit = self.config.max_tokens;
        let more = limit.saturating_mul(4).min(1_000_000).to_string();
        Err(Error::Model {
            message: format!(
                "model \"{}\" reached max_reply_tokens ({limit}) before it wrote a reply",
                self.config.model
            ),
            hint: self.config.mend.set("max_reply_tokens", &more),
        })
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

    fn complete(&self, requests: &[Request]) -> Vec<Billed<Reply>> {
        let wire = self.config.wire;
        let replies = self.batch(requests, async |client, request| {
            let call = Call {
                client: &client,
                config: self.config,
                refused: &self.session.refused,
                path: wire.path(),
                body: wire.body(self.config, request),
                prompt_tokens: request.estimated_tokens(),
                max_tokens: self.config.max_tokens.unsigned_abs(),
            };
            let read = |reply: Reply| {
                let written = reply.bytes();
                (reply, written)
            };
            let mut billed = call.post(|body| wire.reply(body).map(read)).await;
            billed.result = billed.result.and_then(|reply| self.has_begun(reply));
            billed
        });
        replies.unwrap_or_else(|error| {
            let tokens = requests.iter().map(Request::estimated_tokens);
            tokens.map(|tokens| given_up(tokens, error.clone())).collect()
        })
    }

    fn embedding_model(&self) -> Result<&str, Error> {
        self.config.embedding_model()
    }

    fn embed(&self, texts: &[String]) -> Billed<Vec<Vec<f32>>> {
        let started = Instant::now();
        let model = match self.embedding_model() {
            Ok(model) => model,
            Err(error) => return Billed::free(Err(error)),
        };
        let parts = self.batch(texts.chunks(TEXTS_PER_REQUEST), async |client, texts| {
            let call = Call {
                client: &client,
                config: self.config,
                refused: &self.session.refused,
                path: "embeddings",
                body: openai::embedding_body(model, texts),
                prompt_tokens: texts.iter().map(|text| estimated_tokens(text.len()) as u64).sum(),
                max_tokens: 0,
            };
            call.post(|body| openai::vectors(body, texts.len()).map(|vectors| (vectors, 0))).await
        });
        let parts = match parts {
            Ok(parts) => parts,
            Err(error) => return Billed::free(Err(error)),
        };
        let (mut usage, mut requests) = (Usage::default(), 0);
        let mut results = Vec::with_capacity(parts.len());
        for part in parts {
            usage += part.usage;
            requests += part.requests;
            results.push(part.result);
        }
        let result = results.into_iter().collect::<Result<Vec<_>, _>>().map(|all| all.concat());
        Billed { result, requests, usage, ms: started.elapsed().as_secs_f64() * 1e3 }
    }

    fn cost(&self, usage: Usage) -> Option<f64> {
        self.config.cost(usage)
    }
}

/// The result of a call with a prompt of so many tokens that `error` ended while it ran.
fn given_up<T>(prompt_tokens: u64, error: Error) -> Billed<T> {
    let usage = Usage { prompt_tokens, estimated_tokens: prompt_tokens, ..Usage::default() };
    Billed { requests: 1, usage, ..Billed::free(Err(error)) }
}
