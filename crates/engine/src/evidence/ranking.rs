//! How well the columns and tables of a catalog fit a question.

use std::collections::HashMap;

use crate::catalog::{ColumnId, TableId};
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

    /// The tables, best first.
    pub fn table_ids(&self) -> Vec<TableId> {
        self.tables.iter().map(|table| table.item).collect()
    }
}
