//! The engine over SQLite.
//!
//! [`SqliteDatabase`] is the engine's [`Database`](text2sql_engine::ports::Database) port over a
//! `rusqlite::Connection`, usable from any process.
//!
//! With the feature `loadable` the crate's cdylib is the loadable extension instead. Build it:
//!
//! ```sh
//! cargo build --release -p text2sql-sqlite --features loadable
//! cp target/release/libtext2sql_sqlite.so text2sql.so
//! sqlite3 shop.db ".load ./text2sql" "SELECT text2sql('How many orders are there?')"
//! ```
//!
//! The entry points are `sqlite3_extension_init`, which SQLite finds by itself, and
//! `sqlite3_text2sql_init`.
//! A program that cannot load extensions links the crate without that feature, and registers
//! `sqlite3_text2sql_init` by `sqlite3_auto_extension()` (docs/sqlite-hosts.md).
//! Do not build the workspace with `--all-features`: in-process users of the rlib would call
//! SQLite functions that no host has handed over.

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
