//! Schema linking: which tables, columns and values do words mean?

mod lexical;

pub use lexical::{LexicalIndex, Scored, WordMatches};
