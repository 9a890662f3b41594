//! Which functions a statement may call: listed ones that are SQLite's own.

use std::collections::{BTreeSet, HashSet};

use once_cell::sync::Lazy;
use rusqlite::{Connection, Result};

use crate::program::Program;
use crate::text::text_at;

static LISTED: Lazy<HashSet<&str>> = Lazy::new(|| {
    let lines = include_str!("allowed_functions.txt").lines().filter(|l| !l.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Whether the function is on the list.
pub fn is_listed(name: &str) -> bool {
    LISTED.contains(name.to_ascii_lowercase().as_str())
}

/// The functions of a connection.
#[derive(Debug, PartialEq, Eq)]
pub struct Functions {
    /// Listed names that the host has redefined with functions that may do anything.
    replaced: BTreeSet<String>,
}

impl Functions {
    /// The connection's current functions.
    pub fn of(connection: &Connection) -> Result<Self> {
        let mut statement = connection.prepare(include_str!("sql/replaced_functions.sql"))?;
        let names = statement.query_map([], |row| text_at(row, 0))?;
        let replaced = names.filter(|name| name.as_ref().map_or(true, |name| is_listed(name)));
        Ok(Self { replaced: replaced.collect::<Result<_>>()? })
    }

    /// Why a query may not call the function; None if it may.
    pub fn refusal(&self, name: &str) -> Option<String> {
        if !is_listed(name) {
            return Some(format!("the function {name}() may not be called"));
        }
        let replaced = self.replaced.contains(&name.to_ascii_lowercase());
        replaced.then(|| {
            format!(
                "the function {name}() may not be called: the host has put its own in the place \
                 of SQLite's, and has not declared it SQLITE_INNOCUOUS"
            )
        })
    }

    /// Why a query may not run because of what its byte code calls; None if it may.
    pub fn refusal_of(&self, program: &Program) -> Option<String> {
        program.calls.iter().find_map(|name| self.refusal(name))
    }
}
