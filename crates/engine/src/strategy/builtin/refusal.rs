//! A question that has no answer. What to ask instead is looked for only where that is told: many
//! questions are tried to find out whether they have an answer, and nobody reads why one has none.

use crate::context::Context;
use crate::error::Error;

use super::meaning::readings::{NoQuery, Unread};
use super::meaning::resolve::Meanings;
use super::meaning::suggestion;
use super::passes::role::Role;
use super::words::evidence::Unit;

/// Why there is no answer.
pub enum Unanswered {
    /// The database could not be asked, or the asker has to choose.
    Failed(Error),
    /// The words do not say a query.
    Refused(Box<Refusal>),
}

/// A refusal, and what it is about.
pub struct Refusal {
    reason: String,
    /// The words that were not understood.
    words: Vec<String>,
    instead: Instead,
}

/// What to do instead.
pub enum Instead {
    /// This.
    Do(String),
    /// Ask something that has an answer, about what these words name.
    Ask(Vec<Unit>, Meanings),
    /// The same, the question without the unread ones of these words if that has one.
    AskLess(Vec<Unit>, Meanings, Vec<Role>),
}

impl Unanswered {
    /// A refusal.
    pub fn refused(reason: String, words: Vec<String>, instead: Instead) -> Self {
        Self::Refused(Box::new(Refusal { reason, words, instead }))
    }

    /// The error that tells of it.
    pub fn told(self, context: &Context<'_>) -> Error {
        match self {
            Self::Failed(error) => error,
            Self::Refused(refusal) => {
                let Refusal { reason, words, instead } = *refusal;
                Error::NotUnderstood { reason, words, suggestion: Some(instead.told(context)) }
            }
        }
    }
}

impl Instead {
    fn told(self, context: &Context<'_>) -> String {
        match self {
            Self::Do(what) => what,
            Self::Ask(units, meanings) => suggestion::suggestion(context, &units, &meanings, None),
            Self::AskLess(units, meanings, roles) => {
                let nearest = suggestion::nearest(context, &units, &roles);
                suggestion::suggestion(context, &units, &meanings, nearest)
            }
        }
    }
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Unread> for Unanswered {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Failed(error) => Self::Failed(error),
            Unread::NoQuery(no) => {
                let NoQuery { reason, words, units, meanings } = *no;
                Self::refused(reason, words, Instead::Ask(units, meanings))
            }
        }
    }
}
