//! One call: attempts, waits between them, and the limits on time and size.

use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use text2sql_engine::chat::{Billed, Usage, estimated_tokens};
use text2sql_engine::error::Error;

use crate::billing::{Estimate, Reported};
use crate::config::Config;
use crate::failure::Failure;
use crate::refused::Refused;
use crate::wire::{anthropic, json};
use crate::wire_format::Wire;

/// First wait before a retry; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait unless the server asks for more.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A request to a server.
pub(crate) struct Call<'a> {
    pub client: &'a Client,
    pub config: &'a Config,
    /// The fields that the model refuses.
    pub refused: &'a Refused,
    /// Below the base URL.
    pub path: &'a str,
    pub body: Value,
    /// An estimate of the tokens of a prompt.
    pub prompt_tokens: u64,
    /// The most tokens that a reply may have; 0 where it has none.
    pub max_tokens: u64,
}

impl Call<'_> {
    /// Post the body, without the fields that the model refuses, until it is answered or the
    /// options say to stop. `read` returns the reply in a body and the bytes that the model wrote.
    ///
    /// Errors in the result: [`Error::Model`].
    pub(crate) async fn post<T>(
        mut self,
        read: impl Fn(&Value) -> Result<(T, usize), String>,
    ) -> Billed<T> {
        let started = Instant::now();
        let (mut usage, mut requests) = (Usage::default(), 0);
        let result = self.attempts(read, &mut usage, &mut requests).await;
        Billed { result, requests, usage, ms: started.elapsed().as_secs_f64() * 1e3 }
    }

    async fn attempts<T>(
        &mut self,
        read: impl Fn(&Value) -> Result<(T, usize), String>,
        usage: &mut Usage,
        requests: &mut u32,
    ) -> Result<T, Error> {
        let config = self.config;
        self.refused.leave_out(config, &mut self.body);
        let url = below(&config.base_url, self.path);
        let deadline = Instant::now() + config.total_timeout;
        let total = Failure::Timeout { option: "total_timeout", time: config.total_timeout };
        for attempt in 1.. {
            let reply = timeout_at(deadline, once(self.client, config, &url, &self.body)).await;
            let reply = reply.unwrap_or_else(|_| Err(total.clone()));
            *requests += u32::from(reply.as_ref().map_or_else(Failure::left, |_| true));
            let failure = match reply {
                Ok(bytes) => match self.understand(&bytes, &read, usage) {
                    Ok(value) => return Ok(value),
                    Err(failure) => failure,
                },
                Err(failure) => {
                    *usage += self.billed(&failure);
                    failure
                }
            };
            if self.refused.learn(config, &failure, &mut self.body) {
                continue;
            }
            let wait = failure.asked_wait().unwrap_or_else(|| backoff(attempt));
            let in_time = Instant::now().checked_add(wait).is_some_and(|then| then < deadline);
            if attempt > config.retries || !failure.may_pass() || !in_time {
                return Err(failure.report(config, attempt));
            }
            sleep(wait).await;
        }
        Err(total.report(config, 1))
    }

    /// The value in a successful answer, whose tokens are added to `usage`.
    fn understand<T>(
        &self,
        bytes: &[u8],
        read: impl Fn(&Value) -> Result<(T, usize), String>,
        usage: &mut Usage,
    ) -> Result<T, Failure> {
        let body = json(bytes);
        let value = body.as_ref().map_err(String::clone).and_then(read);
        let written = value.as_ref().map_or(bytes.len(), |(_, written)| *written);
        let reported = body.as_ref().map(|body| self.config.wire.reported(body));
        *usage += reported.unwrap_or_default().or_estimated(self.estimate(written));
        let unreadable = |reason: String| Failure::Unreadable {
            reason,
            body: String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)]).into_owned(),
        };
        value.map(|(value, _)| value).map_err(unreadable)
    }

    /// An estimate of the tokens of a call whose reply has so many bytes.
    fn estimate(&self, written: usize) -> Estimate {
        let written = match self.max_tokens {
            0 => 0,
            _ => estimated_tokens(written) as u64,
        };
        Estimate { prompt: self.prompt_tokens, completion: written }
    }

    /// An estimate of what a failed attempt is billed for. A model that has a prompt goes on
    /// writing after its client gave up, up to the limit of a reply.
    fn billed(&self, failure: &Failure) -> Usage {
        let estimate = match failure {
            Failure::Timeout { option: "connect_timeout", .. } => return Usage::default(),
            Failure::Timeout { .. } => {
                Estimate { prompt: self.prompt_tokens, completion: self.max_tokens }
            }
            Failure::TooLarge => self.estimate(self.config.max_reply_bytes),
            Failure::Compressed(_) => self.estimate(0),
            Failure::Status { reported, .. } if *reported != Reported::default() => {
                return reported.or_estimated(Estimate::default());
            }
            _ => return Usage::default(),
        };
        Reported::default().or_estimated(estimate)
    }
}

fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// Twice as long each time, minus a random part of up to a half, so that sessions that failed
/// together do not return together.
fn backoff(attempt: u32) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let full = FIRST_WAIT.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST_WAIT);
    let chance = RandomState::new().hash_one(attempt) as f64 / u64::MAX as f64;
    full.mul_f64(1.0 - chance / 2.0)
}

/// One attempt: the bytes of a successful answer.
async fn once(
    client: &Client,
    config: &Config,
    url: &Url,
    body: &Value,
) -> Result<Vec<u8>, Failure> {
    let request = client.post(url.clone()).headers(headers(config)).json(body);
    let silent = Failure::Timeout { option: "read_timeout", time: config.read_timeout };
    let mut response = match timeout(config.read_timeout, request.send()).await {
        Ok(sent) => sent.map_err(|e| Failure::of(&e, config))?,
        Err(_) => return Err(silent),
    };
    let status = response.status();
    if status.is_redirection() {
        return Err(Failure::Redirect(redirect_origin(&response)));
    }
    if let Some(encoding) = response.headers().get(CONTENT_ENCODING)
        && encoding != HeaderValue::from_static("identity")
    {
        return Err(Failure::Compressed(String::from_utf8_lossy(encoding.as_bytes()).into_owned()));
    }
    if response.content_length().is_some_and(|n| n > config.max_reply_bytes as u64) {
        return Err(Failure::TooLarge);
    }
    let mut bytes = Vec::new();
    loop {
        let chunk = match timeout(config.read_timeout, response.chunk()).await {
            Ok(chunk) => chunk.map_err(|e| Failure::of(&e, config))?,
            Err(_) => return Err(silent),
        };
        let Some(chunk) = chunk else { break };
        if bytes.len() + chunk.len() > config.max_reply_bytes {
            return Err(Failure::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    match status.is_success() {
        true => Ok(bytes),
        false => Err(Failure::status(status, response.headers(), &bytes, config.wire)),
    }
}

fn headers(config: &Config) -> HeaderMap {
    let mut headers = config.headers.clone();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if config.wire == Wire::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
    }
    if let Some(key) = &config.key {
        let (name, value) = match config.wire {
            Wire::OpenAi => ("authorization", format!("Bearer {}", key.reveal())),
            Wire::Anthropic => ("x-api-key", key.reveal().to_owned()),
        };
        if let Ok(mut value) = HeaderValue::from_str(&value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    headers
}

/// Where a redirect leads, without path and query, which may contain what nobody should see.
fn redirect_origin(response: &Response) -> Option<String> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    Some(response.url().join(location).ok()?.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_bounded() {
        for (attempt, most) in [(1, 0.5), (2, 1.0), (4, 4.0), (9, 30.0), (4_000_000_000, 30.0)] {
            let wait = backoff(attempt).as_secs_f64();
            assert!((most / 2.0..=most).contains(&wait), "{attempt}: {wait}");
        }
    }

    #[test]
    fn paths_go_below_the_base_url() {
        for base in ["http://h/a/v1", "http://h/a/v1/"] {
            let url = below(&Url::parse(base).expect("a URL"), "chat/completions");
            assert_eq!(url.as_str(), "http://h/a/v1/chat/completions");
        }
    }
}
