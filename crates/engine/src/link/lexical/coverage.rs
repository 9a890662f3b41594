//! How much of a phrase the names of several tables cover together: a question is about tables that
//! belong together, not about the best match for each word.

use super::ranking::Said;
use super::{LexicalIndex, Wording};
use crate::catalog::{ColumnId, TableId};
use crate::text::identifier_words;

/// Weight of a name of which hardly any other word is mentioned.
const PART_OF_NAME: f32 = 0.5;

/// How well each word of a phrase fits something of a group of tables, in 0..=1.
#[derive(Debug, Clone)]
pub struct Covered<'a> {
    wording: &'a Wording,
    words: Vec<f32>,
}

impl<'a> Covered<'a> {
    /// Nothing of the phrase.
    pub fn new(wording: &'a Wording) -> Self {
        Self { wording, words: vec![0.0; wording.weights.len()] }
    }

    /// What another covers of the same phrase, and nothing else.
    pub fn start_from(&mut self, other: &Covered<'_>) {
        self.words.copy_from_slice(&other.words);
    }

    /// The same with what another covers.
    pub fn unite(&mut self, other: &Self) {
        for (word, like) in self.words.iter_mut().zip(&other.words) {
            *word = word.max(*like);
        }
    }

    /// The same with the names of a table and of its columns.
    pub fn add_table(&mut self, index: &LexicalIndex, table: TableId) {
        self.add_name(table);
        let columns = index.columns.columns_of(table);
        columns.for_each(|(_, _, name)| self.add(&self.wording.names[name as usize]));
    }

    /// The same with the name of a table.
    pub fn add_name(&mut self, table: TableId) {
        self.add(&self.wording.tables[table.0 as usize]);
    }

    /// The same with the name of a column.
    pub fn add_column(&mut self, index: &LexicalIndex, column: ColumnId) {
        let name = index.columns.name(index.columns.of(column));
        self.add(&self.wording.names[name as usize]);
    }

    fn add(&mut self, said: &Said) {
        // of most names nothing is said
        if !said.is_said() {
            return;
        }
        let whole = PART_OF_NAME + (1.0 - PART_OF_NAME) * said.share;
        for (word, like) in self.words.iter_mut().zip(self.wording.row(said)) {
            *word = word.max(like * whole);
        }
    }

    /// The same with the comment of a table.
    pub fn add_comment(&mut self, table: TableId) {
        for telling in self.wording.told.by(table) {
            let word = &mut self.words[telling.word];
            *word = word.max(PART_OF_NAME * telling.like);
        }
    }

    /// The same with words that a stored value matches, with certainty `fit`.
    pub fn add_words(&mut self, words: &str, fit: f32) {
        for said in identifier_words(words) {
            if let Some(at) = self.wording.texts.iter().position(|text| *text == said) {
                self.words[at] = self.words[at].max(fit);
            }
        }
    }

    /// The weighted share of the phrase that is covered, in 0..=1.
    pub fn share(&self) -> f32 {
        self.words.iter().zip(&self.wording.weights).map(|(word, weight)| word * weight).sum()
    }
}
