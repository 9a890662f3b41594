//! Soft-lexical ranking of columns and tables for a phrase.

use serde::Serialize;

use crate::catalog::{Catalog, ColumnId};

/// A candidate with its score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scored<T> {
    /// The candidate.
    pub item: T,
    /// Score in 0..=1.
    pub score: f32,
}

/// The words of a catalog's names and comments.
#[derive(Debug, Default)]
pub struct LexicalIndex {}

impl LexicalIndex {
    /// Index a catalog.
    pub fn new(catalog: &Catalog) -> Self {
        let _ = catalog;
        Self {}
    }

    /// The `k` columns that fit `phrase` best, best first.
    pub fn columns(&self, catalog: &Catalog, phrase: &str, k: usize) -> Vec<Scored<ColumnId>> {
        let _ = (catalog, phrase, k);
        Vec::new()
    }
}
