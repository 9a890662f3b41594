//! The databases of a connection.

use rusqlite::{Connection, Result};

use crate::text::text_at;

/// Names of the attached databases, in the order in which bare names are looked up.
pub fn names(connection: &Connection) -> Result<Vec<String>> {
    // temp comes first; it always exists, although SQLite lists it only after its first use
    let sql = "SELECT 'temp' UNION ALL
               SELECT * FROM (SELECT name FROM pragma_database_list WHERE name <> 'temp'
                              ORDER BY seq)";
    let mut statement = connection.prepare(sql)?;
    statement.query_map([], |row| text_at(row, 0))?.collect()
}
