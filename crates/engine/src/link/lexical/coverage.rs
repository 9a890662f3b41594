//! How much of a phrase the names of several tables cover together: a question is about tables that
//! belong together, not about the best match for each word.

use super::{LexicalIndex, Wording};
use crate::catalog::TableId;
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

    /// The same with the names of a table and of its columns.
    pub fn add_table(&mut self, index: &LexicalIndex, table: TableId) {
        let first = index.first[table.0 as usize] as usize;
        let columns = index.columns[first..].iter().take_while(|(c, _)| c.table == table);
        let names = columns.map(|&(_, name)| &self.wording.names[name as usize]);
        let all = std::iter::once(&self.wording.tables[table.0 as usize]).chain(names);
        // of most names nothing is said
        for said in all.filter(|said| said.is_said()) {
            let whole = PART_OF_NAME + (1.0 - PART_OF_NAME) * said.share;
            for (word, like) in self.words.iter_mut().zip(self.wording.row(said)) {
                *word = word.max(like * whole);
            }
        }
    }

    /// The same with the comment of a table.
    pub fn add_comment(&mut self, table: TableId) {
        for &(word, like) in self.wording.told.get(&table).into_iter().flatten() {
            self.words[word] = self.words[word].max(PART_OF_NAME * like);
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
