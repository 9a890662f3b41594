//! A question that has no answer. What to ask instead is looked for only where that is told
//! (`meaning::suggestion`): many questions are tried to find out whether they have an answer, and
//! nobody reads why one has none.

use crate::error::Error;

use super::meaning::resolve::Meanings;
use super::passes::read::Role;
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
    pub reason: String,
    /// The words that were not understood.
    pub words: Vec<String>,
    pub instead: Instead,
}

/// What to do instead.
pub enum Instead {
    /// This.
    Do(String),
    /// Ask something that has an answer: the question without the unread ones of these words, by
    /// their roles, if that has one; else about what they name.
    Ask(Vec<Unit>, Meanings, Vec<Role>),
}

impl Unanswered {
    /// A refusal.
    pub fn refused(reason: String, words: Vec<String>, instead: Instead) -> Self {
        Self::Refused(Box::new(Refusal { reason, words, instead }))
    }
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
