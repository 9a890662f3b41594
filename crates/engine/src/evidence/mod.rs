//! The evidence of a question: what of the database its words speak of, found once a question and
//! shown in the same words by every strategy.

mod facts;
mod families;
mod members;
pub(crate) mod nested;
mod placeholders;
pub(crate) mod ranking;
pub(crate) mod said;
mod spans;
mod values;

pub use facts::{Room, facts};
pub use families::covered;
pub use placeholders::is_placeholder;
pub use ranking::{OF_FAMILY, Ranking};
pub use said::Said;

use crate::context::Context;
use crate::link::Ranker;
use crate::scope::Scope;

impl Context<'_> {
    /// The tables that prompts show and name: of each series of like tables the member that the
    /// question means.
    pub fn shown_scope(&self) -> &Scope {
        &self.ranking().scope
    }

    /// What fits the question and the hint by letters and word vectors; no embedding model is
    /// asked for it.
    pub fn ranking(&self) -> &Ranking {
        let ranker = Ranker::LexicalAndVectors;
        self.memos.get_or_init(|| Ranking::new(&self.catalog, &self.scope, ranker, &self.focus()))
    }
}
