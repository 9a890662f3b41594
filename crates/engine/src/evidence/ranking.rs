//! How well the columns and tables of a catalog fit a question.

use std::collections::HashMap;

use super::families;
use crate::catalog::{Catalog, ColumnId, TableId};
use crate::link::{Ranker, Scored, Wording};
use crate::scope::Scope;

/// Columns and tables ranked for a question.
const RANKED: usize = 400;
/// What a family that covers the whole question adds to the score of each of its tables.
pub const OF_FAMILY: f32 = 12.0;

/// How well columns and tables fit a question; those that fit at all.
#[derive(Debug)]
pub struct Ranking {
    /// Columns, in 0..=1.
    pub columns: HashMap<ColumnId, f32>,
    /// Tables by their names and their columns', best first.
    pub tables: Vec<Scored<TableId>>,
    /// What the names make of the phrase.
    pub wording: Wording,
    /// What the family of each of its tables covers by names, in 0..=1; see [`families`].
    families: HashMap<TableId, f32>,
}

impl Ranking {
    /// For a phrase.
    pub fn new(catalog: &Catalog, scope: &Scope, ranker: Ranker<'_>, phrase: &str) -> Self {
        let index = catalog.lexical();
        let wording = index.wording(ranker, phrase);
        let (columns, tables) = index.ranked(&wording, ranker, RANKED);
        let columns = columns.into_iter().map(|c| (c.item, c.score)).collect();
        let ids = tables.iter().map(|table| table.item).filter(|&table| scope.contains(table));
        let families = families::covered(catalog, scope, &wording, &[], ids);
        Self { columns, tables, wording, families }
    }

    /// How well a column fits, by itself and by what belongs to its table.
    pub fn of_column(&self, column: ColumnId) -> f32 {
        let own = self.columns.get(&column).copied().unwrap_or(0.0);
        own + self.families.get(&column.table).copied().unwrap_or(0.0)
    }

    /// The tables, best first, by themselves and by what belongs to them.
    pub fn table_ids(&self) -> Vec<TableId> {
        let mut scores: HashMap<TableId, f32> =
            self.families.iter().map(|(&table, share)| (table, OF_FAMILY * share)).collect();
        for table in &self.tables {
            *scores.entry(table.item).or_default() += table.score;
        }
        let mut tables: Vec<(TableId, f32)> = scores.into_iter().collect();
        tables.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        tables.into_iter().map(|(table, _)| table).collect()
    }
}
