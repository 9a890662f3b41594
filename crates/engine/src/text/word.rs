//! Words as they are compared.

use super::{fold, stem};

/// A folded word with its stem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Word {
    /// The word, folded.
    pub text: String,
    /// Its stem.
    pub stem: String,
}

impl Word {
    /// Fold and stem.
    pub fn new(word: &str) -> Self {
        let text = fold(word);
        let stem = stem(&text);
        Self { text, stem }
    }

    /// How it is spelled.
    pub fn spelling(&self) -> Spelling<'_> {
        Spelling { text: &self.text, stem: &self.stem }
    }
}

/// A [`Word`] of somebody else's.
#[derive(Debug, Clone, Copy)]
pub struct Spelling<'a> {
    /// The word, folded.
    pub text: &'a str,
    /// Its stem.
    pub stem: &'a str,
}
