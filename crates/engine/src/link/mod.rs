//! Schema linking: which tables, columns and values do words mean?

mod embedding;
mod lexical;
mod substrings;
mod values;
mod vectors;

pub use embedding::{Descriptions, Nearness, description, pack};
pub use lexical::{LexicalIndex, Ranker, Scored, WordMatches};
pub use substrings::Substrings;
pub use values::{MIN_LIKENESS, Phrase, StoredText, value_key};
