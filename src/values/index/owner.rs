//! The role that reads and writes the index, for everybody.

use pgrx::pg_sys::Oid;
use text2sql_engine::error::Error;

use crate::pg::spi;

/// The owner of the index. Nobody else may read or write it.
pub fn owner() -> Result<Oid, Error> {
    spi::owner_of(c"indexed_column")
}
