//! The form of the index: its trigram table, how keys are stored in it, and how columns are named.

use rusqlite::{Connection, Result};
use text2sql_engine::catalog::{Catalog, ColumnId};

use crate::text::in_database;
use crate::types::is_searchable;

/// The trigram table as created by [`super::build`]; older or foreign ones differ.
const TRIGRAMS: &str = "content='text2sql_value_entry'";

/// Whether the trigram table is the library's.
pub fn has_trigrams(connection: &Connection, database: &str) -> Result<bool> {
    let sql = format!(
        "SELECT 1 FROM {} WHERE name = 'text2sql_value' AND rootpage = 0 AND instr(sql, ?1)",
        in_database(database, "sqlite_schema")
    );
    connection.prepare(&sql)?.exists([TRIGRAMS])
}

/// The column that an index in `database` means.
pub fn column_called(
    catalog: &Catalog,
    database: &str,
    table: &str,
    column: &str,
) -> Option<ColumnId> {
    let schema = (database != "temp").then_some(database);
    let tables = catalog.tables_named(schema, table);
    let column = tables.iter().find_map(|&table| catalog.column_named(table, column));
    column.filter(|&column| is_searchable(catalog, column))
}

/// A key as indexed, so that trigrams show where words begin and end.
pub fn padded(key: &str) -> String {
    format!(" {key} ")
}
