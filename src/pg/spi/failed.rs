//! Errors of our own statements.

use text2sql_engine::error::Error;

/// The error of a statement that SPI could not run.
pub fn failed(error: impl std::fmt::Display) -> Error {
    Error::Database(error.to_string())
}
