//! Tables that no query may open: SQLite's own, the library's, and those in which virtual tables keep
//! their data, which only they may read.
//!
//! The authorizer alone does not refuse them. Virtual tables read theirs by statements of their own
//! while a query runs, and SQLite does not report every column that a query reads.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, Result};
use text2sql_engine::catalog::Table;

use crate::program::Program;
use crate::text::{in_database, text_at};

/// The tables by the number of their database and their root pages, of indexes too.
#[derive(Debug, Default)]
pub struct Closed(HashMap<(i64, i64), String>);

impl Closed {
    /// All tables of the databases that are not among `tables`.
    pub fn read(connection: &Connection, databases: &[String], tables: &[Table]) -> Result<Self> {
        let mut found = HashMap::new();
        for database in databases {
            let number = "SELECT coalesce(max(seq), 1) FROM pragma_database_list WHERE name = ?1";
            let number: i64 = connection.query_row(number, [database], |row| row.get(0))?;
            let here = tables.iter().filter(|table| table.schema == *database);
            let open: BTreeSet<String> =
                here.map(|table| table.name.to_ascii_lowercase()).collect();
            found.insert((number, 1), "sqlite_schema".to_owned());
            let schema = in_database(database, "sqlite_schema");
            let sql = format!("SELECT rootpage, tbl_name FROM {schema} WHERE rootpage > 0");
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (page, name) = (row.get(0)?, text_at(row, 1)?);
                if !open.contains(&name.to_ascii_lowercase()) {
                    found.insert((number, page), name);
                }
            }
        }
        Ok(Self(found))
    }

    /// Why a query may not run because of what its byte code opens; None if it may.
    pub fn refusal_of(&self, program: &Program) -> Option<String> {
        let table = program.opened.iter().find_map(|place| self.0.get(place))?;
        Some(format!("the table {table} may not be read"))
    }
}
