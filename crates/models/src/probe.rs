//! The test of a server: one step after another, as a call would go, each with what was found and the
//! command that mends it.

use serde_json::json;

use text2sql_engine::chat::{
    Message, Reply, Request, Role, TestStep, Tested, Tool, Usage, bytes_of_tokens,
};
use text2sql_engine::error::Error;
use text2sql_engine::ports::Model;

use crate::cause::Cause;
use crate::failure::Failure;
use crate::model::HttpModel;
use crate::near::{Listed, nearest};
use crate::secret::redact;
use crate::transport::{Outcome, models};

/// Characters of a reply that are shown.
const SHOWN: usize = 60;

const SHORT: &str = "one short call";
const TOOL: &str = "one tool call";
const LONG: &str = "longest prompt";
const KEY: &str = "key";
const LISTED: &str = "model listed";

/// Test the server of `model` step by step, at last with a prompt of so many tokens. It makes three
/// calls at most.
///
/// Errors: [`Error::Cancelled`]; there are no file descriptors left.
pub(crate) fn test(model: &HttpModel<'_>, prompt_tokens: usize) -> Result<Tested, Error> {
    let mut probe = Probe { model, tested: Tested::default() };
    probe.run(prompt_tokens).map(|()| probe.tested)
}

struct Probe<'a> {
    model: &'a HttpModel<'a>,
    tested: Tested,
}

impl Probe<'_> {
    fn run(&mut self, prompt_tokens: usize) -> Result<(), Error> {
        let config = self.model.config;
        let list = self.model.drive(async |client| models(&client, config).await)?;
        if !self.connection(&list) {
            return Ok(());
        }
        let short = self.call(&request("Answer with the word yes.", Vec::new()))?;
        self.key(&list, &short);
        self.listed(&list, &short);
        let Some(read) = self.short(&short) else { return Ok(()) };
        self.tool()?;
        self.usage(read);
        self.long(prompt_tokens)?;
        self.tested.complete = true;
        Ok(())
    }

    fn note(&mut self, step: TestStep) {
        self.tested.steps.push(step);
    }

    fn failed(&mut self, step: &'static str, failure: &(Failure, u32)) {
        let config = self.model.config;
        let error = failure.0.report(config, config.wire().path(), failure.1);
        self.note(TestStep::failed(step, &error));
    }

    fn call(&mut self, request: &Request) -> Result<Outcome<Reply>, Error> {
        let model = self.model;
        let read = |reply: Reply| {
            let written = reply.bytes();
            (reply, written)
        };
        let wire = model.config.wire();
        let outcome = model.drive(async |client| {
            model.call(&client, request).tried(|body| wire.reply(body).map(read)).await
        })?;
        self.tested.calls += outcome.requests;
        self.tested.usage += outcome.usage;
        Ok(outcome)
    }

    /// Address and TLS; false if there is no connection.
    fn connection(&mut self, list: &Result<Vec<Listed>, Failure>) -> bool {
        let url = &self.model.config.base_url;
        let origin = url.origin().ascii_serialization();
        match list {
            Err(failure) if failure.is_of_tls() => {
                self.note(TestStep::passed("address", format!("{origin} answers")));
                self.failed("TLS", &(failure.clone(), 1));
                return false;
            }
            Err(
                failure @ (Failure::Unreachable(_)
                | Failure::Connection(_)
                | Failure::Forbidden(_)
                | Failure::Timeout { option: "connect_timeout", .. }),
            ) => {
                self.failed("address", &(failure.clone(), 1));
                return false;
            }
            _ => self.note(TestStep::passed("address", format!("{origin} answers"))),
        }
        self.note(match (url.scheme(), &self.model.config.key) {
            ("https", _) => TestStep::passed("TLS", "its certificate is trusted"),
            (_, None) => TestStep::noted("TLS", "none: questions are sent in clear text"),
            (_, Some(_)) => TestStep::noted("TLS", "none: the key is sent in clear text"),
        });
        true
    }

    /// The beginning of a text that the server sent, on one line and without the key.
    fn shown(&self, text: &str) -> String {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = redact(&line, self.model.config.key.as_ref());
        line.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
    }

    fn key(&mut self, list: &Result<Vec<Listed>, Failure>, short: &Outcome<Reply>) {
        let config = self.model.config;
        let asked = short.result.as_ref().err();
        let refused = |(failure, _): &&(Failure, u32)| is(failure, Cause::Key);
        if let Some(failure) = asked.filter(refused) {
            return self.failed(KEY, failure);
        }
        let name = &config.key_header;
        if list.is_err() && short.result.is_err() {
            return self.note(TestStep::noted(KEY, "it could not be tried"));
        }
        self.note(match (&config.key, list.as_ref().err().is_some_and(|f| is(f, Cause::Key))) {
            (None, false) => TestStep::passed(KEY, "none is set, and none is asked for"),
            (Some(_), false) => TestStep::passed(KEY, format!("accepted in header {name}")),
            (_, true) => TestStep::noted(KEY, "it may not list models"),
        });
    }

    fn listed(&mut self, list: &Result<Vec<Listed>, Failure>, short: &Outcome<Reply>) {
        let config = self.model.config;
        let wanted = &config.model;
        let Ok(list) = list else {
            return self.note(TestStep::noted(LISTED, "the server lists none"));
        };
        let plain = wanted.strip_prefix("models/").unwrap_or(wanted);
        let same = |model: &&Listed| {
            model.name == plain || model.name.strip_suffix(":latest") == Some(plain)
        };
        let near = nearest(list, wanted);
        self.note(match (list.iter().find(same), &short.result) {
            (Some(Listed { context: Some(tokens), .. }), _) => {
                TestStep::passed(LISTED, format!("{wanted}, with a context of {tokens} tokens"))
            }
            (Some(_), _) => TestStep::passed(LISTED, wanted.as_str()),
            (None, Ok(_)) => TestStep::noted(LISTED, format!("{wanted} is not, but it answers")),
            (None, Err(_)) if near.is_empty() => TestStep::noted(LISTED, "the server lists none"),
            (None, Err(_)) => TestStep {
                ok: Some(false),
                statement: Some(config.mend.set("model", &near[0])),
                ..TestStep::noted(LISTED, format!("{wanted} is not; there are {}", near.join(", ")))
            },
        });
    }

    /// The tokens of a short call, if it was answered.
    fn short(&mut self, short: &Outcome<Reply>) -> Option<Usage> {
        match &short.result {
            Ok(reply) => {
                let text = self.shown(&reply.text);
                self.note(TestStep::passed(SHORT, format!("\"{text}\" in {:.0} ms", short.ms)));
                Some(short.usage)
            }
            Err(failure) => {
                self.failed(SHORT, failure);
                None
            }
        }
    }

    fn tool(&mut self) -> Result<(), Error> {
        let config = self.model.config;
        if !self.model.native_tools() {
            self.note(TestStep::noted(TOOL, "native_tools is off: actions are written as text"));
            return Ok(());
        }
        let parameters = json!({"type": "object", "properties": {"word": {"type": "string"}},
            "required": ["word"], "additionalProperties": false});
        let description = "Looks up a word.".to_owned();
        let tool = Tool { name: "look_up".to_owned(), description, parameters };
        let called = self.call(&request("Call look_up with the word \"customer\".", vec![tool]))?;
        let off = || Some(config.mend.set("native_tools", "off"));
        match &called.result {
            Ok(reply) if !reply.tool_calls.is_empty() => {
                let name = self.shown(&reply.tool_calls[0].name);
                self.note(TestStep::passed(TOOL, format!("it calls {name}")));
            }
            Ok(reply) => {
                let found = format!("it calls none, but writes \"{}\"", self.shown(&reply.text));
                let step = TestStep::noted(TOOL, found);
                self.note(TestStep { ok: Some(false), statement: off(), ..step });
            }
            Err(failure) => self.failed(TOOL, failure),
        }
        Ok(())
    }

    fn usage(&mut self, read: Usage) {
        let Usage { prompt_tokens, completion_tokens, estimated_tokens, .. } = read;
        self.note(match estimated_tokens {
            0 => TestStep::passed(
                "usage present",
                format!("{prompt_tokens} tokens read, {completion_tokens} written"),
            ),
            _ => TestStep::noted(
                "usage present",
                "none is reported: limits count an estimate from the length of texts",
            ),
        });
    }

    fn long(&mut self, tokens: usize) -> Result<(), Error> {
        let line = "orders.customer_id integer, refers to customer.id\n";
        let lines = bytes_of_tokens(tokens).div_ceil(line.len());
        let text = format!("{}Answer with the word yes.", line.repeat(lines));
        let request = request(&text, Vec::new());
        let answered = self.call(&request)?;
        match &answered.result {
            Ok(_) => match self.model.cut(&request, answered.usage) {
                None => {
                    self.note(TestStep::passed(LONG, format!("about {tokens} tokens are read")))
                }
                Some(notice) => {
                    let hint = self.model.config.mend.setting("max_schema_tokens", "300");
                    let error = Error::Model { message: notice, hint };
                    self.note(TestStep::failed(LONG, &error));
                }
            },
            Err(failure) => self.failed(LONG, failure),
        }
        Ok(())
    }
}

fn is(failure: &Failure, cause: Cause) -> bool {
    failure.refusal().is_some_and(|refusal| refusal.cause == cause)
}

fn request(text: &str, tools: Vec<Tool>) -> Request {
    let messages = vec![Message::new(Role::User, text)];
    Request { step: "test_server".to_owned(), messages, tools, ..Request::default() }
}
