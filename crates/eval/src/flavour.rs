//! The database systems of the benchmarks.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The DBMS whose SQL the gold queries are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}
