//! Schema linking: which tables, columns and values do words mean?

mod lexical;
mod substrings;
mod values;

pub use lexical::{LexicalIndex, Scored, WordMatches};
pub use substrings::Substrings;
pub use values::{MIN_LIKENESS, Phrase, StoredText, value_key};
