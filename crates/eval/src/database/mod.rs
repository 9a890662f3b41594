//! Connections on which gold and predicted SQL run, separate from the extension under test.

pub mod postgres;
pub mod sqlite;

use anyhow::Result;

use crate::dataset::Flavour;
use crate::plan::Plan;
use crate::value::Table;

/// A connection that runs queries under a time limit.
pub trait Database {
    /// All rows of a query, or why there are none in one line.
    fn query(&mut self, sql: &str) -> Result<Table, String>;
}

/// Connect to database `db` of the plan's dataset, in the DBMS of `flavour`.
pub fn open(plan: &Plan, db: &str, flavour: Flavour) -> Result<Box<dyn Database>> {
    match flavour {
        Flavour::Sqlite => {
            let file = plan.dataset.sqlite_file(db)?;
            Ok(Box::new(sqlite::Sqlite::open(&file, plan.timeout)?))
        }
        Flavour::Postgres => {
            let (base, name) = (plan.connect.postgres()?, plan.dataset.postgres_name(db));
            Ok(Box::new(postgres::Postgres::open(base, &name, plan.timeout)?))
        }
    }
}
