//! The index of stored values (`sql/value_index.sql`): built by `text2sql.index_values()`, searched
//! for every question. Only the extension's owner reads and writes it; results are filtered by the
//! caller's current rights.

use pgrx::pg_sys::Oid;
use text2sql_engine::error::Error;

use crate::pg::spi;

mod build;
mod columns;
mod parts;
mod pending_values;
mod search;
mod value_store;
mod words;

pub use columns::IndexedColumns;
pub use pending_values::register;
pub use search::ValueIndex;

/// Longer values are not names that people mention.
pub const MAX_VALUE_BYTES: usize = 200;

/// The owner of the index. Nobody else may read or write it.
fn owner() -> Result<Oid, Error> {
    spi::owner_of(c"indexed_column")
}
