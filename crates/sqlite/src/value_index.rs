//! The index of stored values: an FTS5 trigram table `text2sql_value` in the database that the
//! values are in; of one that cannot be written, in temp. It is built on request and is as old
//! as that: what it finds is looked up before it counts.

use rusqlite::{Connection, OptionalExtension, Result, params};
use text2sql_engine::catalog::{Catalog, ColumnId, Table, TableId};
use text2sql_engine::dialect::Dialect;

use crate::catalog::in_database;
use crate::values::is_searchable;

const TABLE: &str = "text2sql_value";
/// Longest value indexed, in bytes.
const INDEXED_BYTES: usize = 200;

/// Where the values of a database are indexed.
fn place(connection: &Connection, table: &Table) -> Result<String> {
    let read_only = connection.is_readonly(table.schema.as_str())?;
    Ok(in_database(if read_only { "temp" } else { &table.schema }, TABLE))
}

/// Index the values of the searchable columns of `tables` anew; how many there are.
pub fn build(connection: &Connection, catalog: &Catalog, tables: &[TableId]) -> Result<u64> {
    let mut count = 0;
    for &id in tables {
        let table = catalog.table(id);
        let columns: Vec<ColumnId> =
            catalog.column_ids(id).filter(|&c| is_searchable(catalog, c)).collect();
        if columns.is_empty() {
            continue;
        }
        let index = place(connection, table)?;
        let create = include_str!("sql/create_value_index.sql").replace("{table}", &index);
        connection.execute_batch(&create)?;
        let forget = format!("DELETE FROM {index} WHERE table_name = ?1");
        connection.execute(&forget, [&table.name])?;
        for column in columns {
            let name = &catalog.column(column).name;
            let quoted = Dialect::Sqlite.identifier(name);
            let insert = format!(
                "INSERT INTO {index}(value, table_name, column_name)
                 SELECT DISTINCT {quoted}, ?1, ?2 FROM {}
                 WHERE typeof({quoted}) = 'text' AND length({quoted}) <= {INDEXED_BYTES}",
                in_database(&table.schema, &table.name),
            );
            count += connection.execute(&insert, params![table.name, name])? as u64;
        }
    }
    Ok(count)
}

/// Stored values that share trigrams with `phrase`, from all indexes, until the connection's
/// deadline.
pub fn search(
    connection: &Connection,
    catalog: &Catalog,
    phrase: &str,
) -> Result<Vec<(ColumnId, String)>> {
    let chars: Vec<char> = phrase.chars().collect();
    let quoted = |t: &[char]| format!("\"{}\"", t.iter().collect::<String>().replace('"', "\"\""));
    let expression = chars.windows(3).map(quoted).collect::<Vec<_>>().join(" OR ");
    if expression.is_empty() {
        return Ok(Vec::new());
    }
    let mut databases: Vec<&str> = catalog.tables.iter().map(|t| t.schema.as_str()).collect();
    databases.push("temp");
    databases.sort_unstable();
    databases.dedup();
    let mut found = Vec::new();
    for database in databases {
        let index = in_database(database, TABLE);
        let sql = include_str!("sql/search_value_index.sql").replace("{table}", &index);
        let Ok(mut statement) = connection.prepare(&sql) else { continue }; // not built here
        let rows = statement.query_map([&expression], |r| {
            Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?, r.get::<_, String>(2)?))
        })?;
        // an error is the deadline: what was found so far is kept
        for (value, table, column) in rows.map_while(Result::ok) {
            let schema = (database != "temp").then_some(database);
            let tables = catalog.tables_named(schema, &table);
            let column = tables.iter().find_map(|&t| catalog.column_named(t, &column));
            if let Some(column) = column.filter(|&c| is_searchable(catalog, c))
                && is_stored(connection, catalog, column, &value)
            {
                found.push((column, value));
            }
        }
    }
    Ok(found)
}

/// Whether the value is still there.
fn is_stored(connection: &Connection, catalog: &Catalog, column: ColumnId, value: &str) -> bool {
    let table = catalog.table(column.table);
    let name = Dialect::Sqlite.identifier(&catalog.column(column).name);
    let from = in_database(&table.schema, &table.name);
    let sql = format!("SELECT 1 FROM {from} WHERE {name} = ?1 LIMIT 1");
    let found = connection.query_row(&sql, [value], |_| Ok(())).optional();
    matches!(found, Ok(Some(())))
}
