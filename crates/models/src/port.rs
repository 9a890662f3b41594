//! The port: requests out, replies in.

use std::time::Instant;

use text2sql_engine::chat::{Billed, Reply, Request, Tested, Usage, estimated_tokens};
use text2sql_engine::embed::TEXTS_PER_REQUEST;
use text2sql_engine::error::Error;
use text2sql_engine::ports::Model;

use crate::model::HttpModel;
use crate::probe;
use crate::transport::Call;
use crate::wire::openai;

impl Model for HttpModel<'_> {
    fn name(&self) -> &str {
        &self.config.model
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.config.fingerprint)
    }

    fn native_tools(&self) -> bool {
        self.config.native_tools && !self.session.refused.tools(self.config)
    }

    fn complete(&self, requests: &[Request]) -> Vec<Billed<Reply>> {
        let wire = self.config.wire();
        let replies = self.batch(requests, async |client, request| {
            let call = self.call(&client, request);
            let read = |reply: Reply| {
                let written = reply.bytes();
                (reply, written)
            };
            let mut billed = call.post(|body| wire.reply(body).map(read)).await;
            if let Ok(reply) = &mut billed.result {
                reply.notice = self.cut(request, billed.usage);
            }
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
                path: self.config.provider.embeddings.unwrap_or("embeddings"),
                body: openai::embedding_body(self.config, model, texts),
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

    fn test(&self, prompt_tokens: usize) -> Result<Tested, Error> {
        probe::test(self, prompt_tokens)
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
