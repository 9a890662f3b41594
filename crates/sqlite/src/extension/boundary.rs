//! The boundary between SQLite's C and the functions: errors, panics and the stack.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::{Error, Result};
use text2sql_engine::printable::printable;

/// Returns an error with this text, which may come from anybody.
pub fn user(text: impl Into<String>) -> Error {
    Error::UserFunctionError(printable(&text.into()).into())
}

/// Stack that a call must find, and the one that it gets otherwise, in bytes. A question takes some
/// hundred kilobytes, the deepest statement that SQLite parses more than that.
const STACK: usize = 2 << 20;
const NEW_STACK: usize = 8 << 20;

/// Stops panics before they reach C, and runs on a stack that is large enough.
pub fn guarded<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    stacker::maybe_grow(STACK, NEW_STACK, || catch_unwind(AssertUnwindSafe(f)))
        .unwrap_or_else(|_| Err(user("text2sql: internal error; please report it")))
}
