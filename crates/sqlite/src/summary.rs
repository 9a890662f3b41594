//! Summaries of tables. A question that makes one keeps it for the connection only: asking must
//! not write into a file. `text2sql_summarize_tables` makes the table `text2sql_summary`, in the
//! database that the summaries are about (temp for one that cannot be written), which keeps them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, Result, params};
use text2sql_engine::catalog::Table;

use crate::catalog::in_database;

const TABLE: &str = "text2sql_summary";

/// Fingerprint and summary by schema and table.
type Known = HashMap<(String, String), (u64, String)>;

/// Summaries of a connection.
#[derive(Debug, Clone, Default)]
pub struct Summaries(Arc<Mutex<Known>>);

/// Where the summary of a table is kept.
fn place(connection: &Connection, table: &Table) -> Result<String> {
    let read_only = connection.is_readonly(table.schema.as_str())?;
    Ok(in_database(if read_only { "temp" } else { &table.schema }, TABLE))
}

/// SQLite keeps signed numbers; the bits are the same.
fn signed(fingerprint: u64) -> i64 {
    i64::from_ne_bytes(fingerprint.to_ne_bytes())
}

/// From now on summaries of these tables are kept.
pub fn create(connection: &Connection, tables: &[Arc<Table>]) -> Result<()> {
    let places = tables.iter().map(|table| place(connection, table));
    let mut places = places.collect::<Result<Vec<_>>>()?;
    places.dedup();
    for place in places {
        let sql = include_str!("sql/create_summary.sql").replace("{table}", &place);
        connection.execute_batch(&sql)?;
    }
    Ok(())
}

impl Summaries {
    /// The summary of exactly this form of the table.
    pub fn get(
        &self,
        connection: &Connection,
        table: &Table,
        fingerprint: u64,
    ) -> Result<Option<String>> {
        let sql = format!(
            "SELECT summary FROM {} WHERE table_name = ?1 AND fingerprint = ?2",
            place(connection, table)?
        );
        if let Ok(mut statement) = connection.prepare(&sql) {
            let row = statement.query_row(params![table.name, signed(fingerprint)], |r| r.get(0));
            if let Some(summary) = row.optional()? {
                return Ok(Some(summary));
            }
        }
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(&(table.schema.clone(), table.name.clone()));
        Ok(found.filter(|(of, _)| *of == fingerprint).map(|(_, summary)| summary.clone()))
    }

    /// Keep a summary: in the database where it has the table, else for the connection.
    pub fn put(
        &self,
        connection: &Connection,
        table: &Table,
        fingerprint: u64,
        summary: &str,
    ) -> Result<()> {
        let sql =
            include_str!("sql/store_summary.sql").replace("{table}", &place(connection, table)?);
        if let Ok(mut statement) = connection.prepare(&sql) {
            statement.execute(params![table.name, signed(fingerprint), summary])?;
        } else {
            let key = (table.schema.clone(), table.name.clone());
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(key, (fingerprint, summary.to_owned()));
        }
        Ok(())
    }
}
