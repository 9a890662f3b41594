//! Which of the keys that names suggest does the data confirm?

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result};
use text2sql_engine::catalog::inferred::{candidates, confirmed};
use text2sql_engine::catalog::{ForeignKey, Table};
use text2sql_engine::dialect::Dialect;

use crate::catalog::in_database;
use crate::session::Deadline;

/// Rows of the referencing table whose values are looked up.
const ROWS: u32 = 2_000;
/// Share of the values that must be there: keys that nobody enforces have orphans.
const CONTAINED: f64 = 0.9;
/// Time for one look-up, and for all.
const TIME: Duration = Duration::from_millis(50);
const TIME_FOR_ALL: Duration = Duration::from_secs(1);

/// The undeclared keys of `tables`. An empty referencing table contradicts nothing; what cannot
/// be looked up in time is left out.
pub fn keys(
    connection: &Connection,
    tables: &[Arc<Table>],
    declared: &[ForeignKey],
) -> Vec<ForeignKey> {
    let started = Instant::now();
    confirmed(candidates(tables, declared), declared, |key| {
        started.elapsed() <= TIME_FOR_ALL && contained(connection, tables, key).unwrap_or(false)
    })
}

fn contained(connection: &Connection, tables: &[Arc<Table>], key: &ForeignKey) -> Result<bool> {
    let side = |table: &Table, column: u16| {
        let name = Dialect::Sqlite.identifier(&table.columns[column as usize].name);
        (name, in_database(&table.schema, &table.name))
    };
    let (column, from) = side(&tables[key.from.0 as usize], key.from_columns[0]);
    let (target, to) = side(&tables[key.to.0 as usize], key.to_columns[0]);
    let sql = format!(
        "SELECT count(*), coalesce(sum(v IN (SELECT {target} FROM {to})), 0)
         FROM (SELECT DISTINCT {column} AS v FROM (SELECT {column} FROM {from} LIMIT {ROWS}))
         WHERE v IS NOT NULL AND v <> ''"
    );
    let _deadline = Deadline::new(connection, TIME);
    let (all, there): (f64, f64) =
        connection.query_row(&sql, [], |r| Ok((r.get(0)?, r.get(1)?)))?;
    Ok(there >= CONTAINED * all)
}
