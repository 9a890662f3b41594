//! A connection that runs queries.

use crate::value::Table;

/// A connection that runs queries under a time limit.
pub trait Database {
    /// All rows of a query, or why there are none in one line.
    fn query(&mut self, sql: &str) -> Result<Table, String>;
}
