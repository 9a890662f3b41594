//! The databases of a connection.

use rusqlite::{Connection, Result};

use crate::text::text_at;

/// Names and files of the attached databases, in the order in which bare names are looked up. A file
/// is empty where there is none.
pub fn attached(connection: &Connection) -> Result<Vec<(String, String)>> {
    // temp comes first; it always exists, although SQLite lists it only after its first use
    let sql = "SELECT 'temp', NULL UNION ALL
               SELECT * FROM (SELECT name, file FROM pragma_database_list WHERE name <> 'temp'
                              ORDER BY seq)";
    let mut statement = connection.prepare(sql)?;
    statement.query_map([], |row| Ok((text_at(row, 0)?, text_at(row, 1)?)))?.collect()
}

/// Names of the attached databases, in that order.
pub fn names(connection: &Connection) -> Result<Vec<String>> {
    Ok(attached(connection)?.into_iter().map(|(name, _)| name).collect())
}
