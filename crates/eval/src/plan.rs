//! What a run is to do.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::ask::reply::Engine;
use crate::dataset::{Dataset, Flavour};
use crate::oracle::Serving;
use crate::record::RunHeader;

/// Everything a run needs to know.
pub struct Plan {
    /// The questions' dataset.
    pub dataset: Dataset,
    /// What is run, as the file of the run says it.
    pub header: RunHeader,
    /// Time one gold or predicted query may take.
    pub timeout: Duration,
    /// Questions answered at a time.
    pub workers: usize,
    /// Repetitions for R-VES; 0 for none.
    pub ves: usize,
    /// How to reach the databases.
    pub connect: Connect,
}

impl Plan {
    /// The SQL that the engine under test writes.
    pub fn answers_in(&self) -> Flavour {
        match self.header.engine {
            Engine::Postgres => Flavour::Postgres,
            Engine::InProcess | Engine::Sqlite => Flavour::Sqlite,
        }
    }
}

/// How to reach the databases under test.
#[derive(Clone, Default)]
pub struct Connect {
    /// The SQLite extension's file.
    pub extension: Option<PathBuf>,
    /// A PostgreSQL connection string; the database's name is put in.
    pub postgres: Option<String>,
    /// The model, where it is one that knows the gold SQL.
    pub oracle: Option<Arc<Serving>>,
}

impl Connect {
    /// The connection string, or how to give one.
    pub fn postgres(&self) -> Result<&str> {
        self.postgres.as_deref().context(
            "no PostgreSQL given: --postgres 'host=/path/to/socket user=postgres', \
             or TEXT2SQL_EVAL_POSTGRES in the environment",
        )
    }

    /// The SQLite extension's file, or how to make one.
    pub fn extension(&self) -> Result<&Path> {
        self.extension.as_deref().context(
            "no extension given: cargo build --release -p text2sql-sqlite --features loadable; \
             --extension target/release/libtext2sql_sqlite.so",
        )
    }
}
