//! Statements that write. After the host's `PRAGMA count_changes = on` each returns a row, the number
//! of its changes.

use rusqlite::{Connection, Params, Result, Statement};

/// Run a statement that writes.
pub fn write(connection: &Connection, sql: &str, arguments: impl Params) -> Result<()> {
    write_by(&mut connection.prepare(sql)?, arguments)
}

/// Run a prepared statement that writes.
pub fn write_by(statement: &mut Statement<'_>, arguments: impl Params) -> Result<()> {
    let mut rows = statement.query(arguments)?;
    while rows.next()?.is_some() {}
    Ok(())
}
