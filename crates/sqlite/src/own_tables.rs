//! The library's own tables in the caller's databases. A table counts as one by its name and
//! columns; another table of that name is left alone and not read.

use rusqlite::{Connection, OptionalExtension, Result};

use crate::text::in_database;

/// A table that the library may find in a database.
#[derive(Debug, Clone, Copy)]
pub struct OwnTable {
    /// Its name.
    pub name: &'static str,
    /// Columns that it must have.
    columns: &'static [&'static str],
}

impl OwnTable {
    /// The columns that it has.
    pub fn columns(&self) -> &'static [&'static str] {
        self.columns
    }
}

/// Descriptions of tables and columns.
pub const DESCRIPTION: OwnTable = OwnTable {
    name: "text2sql_description",
    columns: &["table_name", "column_name", "description", "values_withheld"],
};
/// Verified questions.
pub const EXAMPLE: OwnTable =
    OwnTable { name: "text2sql_example", columns: &["key", "question", "sql"] };
/// The glossary.
pub const HINT: OwnTable = OwnTable { name: "text2sql_hint", columns: &["term", "meaning"] };
/// Summaries of tables.
pub const SUMMARY: OwnTable =
    OwnTable { name: "text2sql_summary", columns: &["table_name", "fingerprint", "summary"] };
/// The tables that decide what a question means.
pub const DECISIVE: &[&OwnTable] = &[&EXAMPLE, &HINT, &DESCRIPTION, &SUMMARY];
/// The values of the index, and their columns.
pub const VALUE_INDEX: [OwnTable; 3] = [
    OwnTable { name: "text2sql_value_entry", columns: &["id", "source", "key", "value", "place"] },
    OwnTable { name: "text2sql_value_source", columns: &["id", "table_name", "column_name"] },
    OwnTable { name: "text2sql_value_change", columns: &["table_name", "place"] },
];

/// What exists under the name of an own table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// The library's table.
    Own,
    /// Somebody else's: a table with other columns, or a view or virtual table, which would run its
    /// author's code.
    Other,
}

/// Look for an own table in a database.
pub fn look(connection: &Connection, database: &str, table: &OwnTable) -> Result<Found> {
    let sql = format!(
        "SELECT type = 'table' AND rootpage <> 0 FROM {}
         WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE",
        in_database(database, "sqlite_schema")
    );
    let stored: Option<bool> =
        connection.prepare(&sql)?.query_row([table.name], |row| row.get(0)).optional()?;
    match stored {
        None => Ok(Found::Nothing),
        Some(false) => Ok(Found::Other),
        Some(true) => {
            let sql = "SELECT count(*) FROM pragma_table_info(?1, ?2) WHERE name = ?3";
            let mut has = connection.prepare(sql)?;
            for column in table.columns {
                if has.query_row([table.name, database, column], |r| r.get::<_, i64>(0))? == 0 {
                    return Ok(Found::Other);
                }
            }
            Ok(Found::Own)
        }
    }
}

/// The notice about somebody else's table that [`look`] found.
pub fn not_ours(database: &str, table: &OwnTable) -> String {
    let columns = table.columns.join(", ");
    format!(
        "{} is not used: it is no table with the columns {columns}",
        in_database(database, table.name)
    )
}
