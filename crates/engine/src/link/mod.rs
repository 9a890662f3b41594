//! Schema linking: which tables, columns and values do words mean?

mod lexical;
mod substrings;
mod values;
mod vectors;

pub use lexical::{LexicalIndex, Ranker, Scored, WordMatches};
pub use substrings::Substrings;
pub use values::{MIN_LIKENESS, Phrase, StoredText, value_key};
