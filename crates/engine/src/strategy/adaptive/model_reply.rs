//! A reply to the first prompt, and the things that the model misses by it.

use crate::chat::{Message, Request, Role};
use crate::context::Context;
use crate::error::Error;
use crate::guard::draft::shape;
use crate::prompt::reply::{self, Reading, SqlReply, Sureness};

/// Below this probability a model's own doubt is looked into.
const UNSURE: f32 = 0.5;

/// A reply to the first prompt.
pub(super) struct ModelReply {
    pub replied: Replied,
    pub sureness: Option<Sureness>,
    /// All of it.
    pub text: String,
}

/// A reply that the first prompt may get.
pub(super) enum Replied {
    One(SqlReply),
    /// Readings of the question, the likeliest first.
    Several(Vec<Reading>),
}

impl ModelReply {
    /// Read a reply.
    pub fn read(text: &str) -> Result<Self, String> {
        if let Some(tables) = reply::wanted_tables(text) {
            let reason = format!("it needs to see {tables}");
            let replied = Replied::One(SqlReply::CannotAnswer(reason));
            return Ok(Self { replied, sureness: None, text: text.to_owned() });
        }
        let replied = match reply::readings(text)? {
            Some(readings) => Replied::Several(readings),
            None => Replied::One(reply::sql(text)?),
        };
        Ok(Self { replied, sureness: reply::sureness(text), text: text.to_owned() })
    }

    /// Its query or the likeliest of several: when candidates vote, they also decide between
    /// readings.
    pub fn likeliest(self) -> SqlReply {
        match self.replied {
            Replied::One(reply) => reply,
            Replied::Several(mut readings) => SqlReply::Sql(readings.swap_remove(0).sql),
        }
    }

    /// The thing that the model misses: why it declines, or what it doubts if that is more likely than not;
    /// None if it misses nothing.
    pub fn misses(&self, context: &Context<'_>) -> Option<String> {
        let dialect = context.database().dialect();
        match &self.replied {
            Replied::One(SqlReply::CannotAnswer(reason)) => Some(reason.clone()),
            Replied::One(SqlReply::Sql(sql)) if shape::finds_nothing(dialect, sql) => {
                Some(String::new())
            }
            Replied::One(SqlReply::Sql(_)) => {
                let unsure = self.sureness.as_ref().filter(|own| own.likely < UNSURE)?;
                (!unsure.doubt.is_empty()).then(|| unsure.doubt.clone())
            }
            Replied::Several(_) => None,
        }
    }
}

/// The conversation with the model about one question.
pub(super) struct Dialogue {
    messages: Vec<Message>,
}

impl Dialogue {
    /// It begins with this request.
    pub fn new(request: &Request) -> Self {
        Self { messages: request.messages.clone() }
    }

    /// Add the model's last reply.
    pub fn replied(&mut self, text: &str) {
        self.messages.push(Message::new(Role::Assistant, text));
    }

    /// Go on with a prompt. The reply is not yet part of the conversation.
    ///
    /// Errors: those of [`Context::ask`].
    pub fn ask<T>(
        &mut self,
        context: &Context<'_>,
        (step, note): (&str, &str),
        prompt: String,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, Error> {
        let stable_prefix = self.messages.len();
        self.messages.push(Message::new(Role::User, prompt));
        let messages = self.messages.clone();
        let step = step.to_owned();
        let request = Request { step, messages, stable_prefix, ..Request::default() };
        context.ask(note, &request, parse)
    }
}
