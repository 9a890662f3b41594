//! The index of stored values (`sql/value_index.sql`): built by `text2sql.index_values()`, searched
//! for every question. Only the extension's owner reads and writes it; results are filtered by the
//! caller's current rights.

pub mod build;
pub mod columns;
mod owner;
mod pending_values;
mod search;
mod value_store;
pub mod words;

pub use pending_values::register;
pub use search::ValueIndex;
