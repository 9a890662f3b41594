//! Joins that views make: equalities of columns of two tables in a view's SELECT.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Result};
use text2sql_engine::catalog::{Catalog, ColumnId, ForeignKey, KeyKind, TableKind};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::guard::draft;

use crate::text::{in_database, text_at};

/// The joins of all views, except those that are already keys.
pub fn keys(connection: &Connection, catalog: &Catalog) -> Result<Vec<ForeignKey>> {
    let mut said: HashSet<_> = catalog.keys.iter().map(|key| key.equalities()).collect();
    let mut keys = Vec::new();
    for view in catalog.tables.iter().filter(|table| table.kind == TableKind::View) {
        let schema = in_database(&view.schema, "sqlite_schema");
        let sql = format!("SELECT sql FROM {schema} WHERE type = 'view' AND name = ?1");
        let made: Option<String> =
            connection.query_row(&sql, [&view.name], |row| text_at(row, 0)).optional()?;
        // only a temporary view may name tables of other databases
        let home = (view.schema != "temp").then_some(view.schema.as_str());
        let draft = draft::read_in(catalog, Dialect::Sqlite, home, &made.unwrap_or_default());
        for join in draft.conditions {
            let key = key(&view.name, &join).towards_key(&catalog.tables);
            if key.from != key.to && said.insert(key.equalities()) {
                keys.push(key);
            }
        }
    }
    Ok(keys)
}

fn key(view: &str, join: &[(ColumnId, ColumnId)]) -> ForeignKey {
    ForeignKey {
        name: view.to_owned(),
        from: join[0].0.table,
        from_columns: join.iter().map(|(from, _)| from.column).collect(),
        to: join[0].1.table,
        to_columns: join.iter().map(|(_, to)| to.column).collect(),
        kind: KeyKind::View,
        confidence: 1.0,
        when: None,
    }
}
