//! Which functions a statement may call: listed ones that are SQLite's own.

use std::collections::{BTreeSet, HashSet};

use once_cell::sync::Lazy;
use rusqlite::{Connection, Result};

use crate::closed::Closed;
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

    /// Why a query may not run because of what its byte code calls or opens; None if it may. The
    /// authorizer does not see generated columns, whose expressions are compiled with the schema, and
    /// cannot tell who reads a virtual table's own data.
    pub fn refusal_in(
        &self,
        connection: &Connection,
        closed: &Closed,
        sql: &str,
    ) -> Result<Option<String>> {
        let mut statement = connection.prepare(&format!("EXPLAIN {sql}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // addr, opcode, p1, p2, p3, p4: `name(number of arguments)`
            let opcode = text_at(row, 1)?;
            if matches!(opcode.as_str(), "OpenRead" | "ReopenIdx" | "OpenWrite")
                && let Some(table) = closed.at(row.get(4)?, row.get(3)?)
            {
                return Ok(Some(format!("the table {table} may not be read")));
            }
            if !opcode.contains("Func") && !opcode.starts_with("Agg") {
                continue;
            }
            let operand = text_at(row, 5)?;
            let called = operand.rsplit_once('(');
            if let Some(refusal) = called.and_then(|(name, _)| self.refusal(name)) {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }
}
