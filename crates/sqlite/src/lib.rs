//! The engine over SQLite. The crate's README is the documentation of its root.
#![doc = include_str!("../README.md")]

mod catalog;
mod closed;
mod database;
mod databases;
mod description;
mod examples;
mod execute;
mod extension;
mod functions;
mod glossary;
mod guard;
mod handle;
mod hooks;
mod inferred;
mod json_keys;
mod labels;
mod ledger;
mod lineage;
mod own_tables;
mod program;
mod query_error;
mod reading;
mod session;
mod statistics;
mod summary;
mod text;
mod trust;
mod types;
mod unseen;
mod value_index;
mod values;
mod version;
mod views;
mod weight;
mod write;

pub use database::{Cache, SqliteDatabase};
pub use execute::Table;
pub use extension::register;
#[cfg(not(feature = "loadable"))]
pub use extension::sqlite3_text2sql_init;
pub use handle::Handle;
pub use trust::Trust;
