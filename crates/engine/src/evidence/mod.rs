//! The evidence of a question: what of the database its words speak of, found once a question and
//! shown in the same words by every strategy.

mod facts;
mod placeholders;
mod spans;
mod values;

pub use facts::{Room, facts, is_key};
pub use placeholders::is_placeholder;
pub use spans::Fit;
pub use values::Said;

use std::collections::HashMap;

use crate::catalog::{ColumnId, TableId};
use crate::context::Context;
use crate::link::{LexicalIndex, Ranker, Scored};

/// Columns and tables ranked for a question.
const RANKED: usize = 400;

/// How well columns and tables fit a question; those that fit at all.
#[derive(Debug)]
pub struct Ranking {
    /// Columns, in 0..=1.
    pub columns: HashMap<ColumnId, f32>,
    /// Tables by their names and their columns', best first.
    pub tables: Vec<Scored<TableId>>,
}

impl Ranking {
    /// For a phrase.
    pub fn new(index: &LexicalIndex, ranker: Ranker<'_>, phrase: &str) -> Self {
        let (columns, tables) = index.columns_and_tables(ranker, phrase, RANKED);
        Self { columns: columns.into_iter().map(|c| (c.item, c.score)).collect(), tables }
    }
}

impl Ranking {
    /// The tables, best first.
    pub fn table_ids(&self) -> Vec<TableId> {
        self.tables.iter().map(|table| table.item).collect()
    }
}

impl Context<'_> {
    /// What fits the question and the hint by letters and word vectors; no embedding model is
    /// asked for it.
    pub fn ranking(&self) -> &Ranking {
        let ranker = Ranker::LexicalAndVectors;
        self.ranking.get_or_init(|| Ranking::new(self.catalog.lexical(), ranker, &self.focus()))
    }
}
