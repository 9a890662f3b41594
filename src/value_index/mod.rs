//! The index of stored values (`sql/value_index.sql`): built by `text2sql.index_values()`,
//! searched for every question. Only the extension's owner reads and writes it; what a caller sees
//! has been filtered by the caller's current rights.

use pgrx::pg_sys::Oid;
use text2sql_engine::error::Error;

use crate::spi;

mod build;
mod search;
mod value_store;

pub use search::ValueIndex;

/// Longer values are not what people name.
pub const MAX_VALUE_BYTES: usize = 200;

/// The owner of the index. Nobody else may read or write it.
fn owner() -> Result<Oid, Error> {
    spi::owner(c"indexed_column").ok_or_else(|| Error::NotAllowed {
        message: "the table text2sql.indexed_column is missing".to_owned(),
        hint: "DROP EXTENSION text2sql; CREATE EXTENSION text2sql;".to_owned(),
    })
}
