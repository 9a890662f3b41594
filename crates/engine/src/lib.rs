//! The engine of text2sql: question → link → generate → guard → execute → refine → answer.
//!
//! It is pure: it names no database, and does IO only through the traits of [`ports`]. With a
//! database behind [`ports::Database`], a program asks it like this:
//!
//! ```
//! use text2sql_engine::ask;
//! use text2sql_engine::engine::{Engine, Question};
//! use text2sql_engine::ports::{Database, NoStore};
//! use text2sql_engine::settings::Settings;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = rusqlite::Connection::open_in_memory()?;
//! file.execute_batch(
//!     "CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT);
//!      INSERT INTO orders (state) VALUES ('open'), ('open'), ('shipped');",
//! )?;
//! let database = text2sql_sqlite::SqliteDatabase::new(file);
//! let settings = Settings::default();
//! let engine = Engine::new(&database, &NoStore, &settings);
//!
//! let question = Question { text: "How many orders are open?".into(), ..Question::default() };
//! let outcome = ask::ask(&engine, &question, |query, limits| database.run(query, limits));
//! let answer = outcome.result?;
//!
//! assert_eq!(answer.query.sql(), "SELECT count(*) FROM orders WHERE state = 'open'");
//! assert_eq!(answer.rows.rows, [[Some("2".to_owned())]]);
//! # Ok(())
//! # }
//! ```
//!
//! # For another database
//!
//! Implement [`ports::Database`]: what the caller may read ([`catalog`]), a verdict on generated
//! SQL by the database's own code ([`guard`]), and its execution, read-only and under limits.
//! `examples/library.rs` does so in 200 lines over rusqlite alone, `text2sql-sqlite` and the
//! PostgreSQL extension in full. SQL is written in one of the dialects of [`dialect`].
//!
//! # With a model
//!
//! [`ports::Model`] is a language model; `text2sql-models` implements it over HTTP. Before each
//! call the engine passes [`ports::SessionStore::record`] what the prompt holds, and an error there
//! keeps it from being sent.
//!
//! # Where to start reading
//!
//! At [`ask`]. `docs/tour.md` follows a question through the code. The settings are one table in
//! [`settings`], the errors with their SQLSTATE one in [`error`].
#![forbid(unsafe_code)]

pub mod answer;
pub mod answer_cache;
pub mod ask;
pub mod catalog;
pub mod chat;
mod context;
pub mod conversation;
pub mod dialect;
pub mod embed;
pub mod engine;
pub mod error;
mod evidence;
pub mod example;
pub mod execute;
pub mod guard;
pub mod id_map;
mod language;
pub mod ledger;
mod letters;
pub mod link;
mod observation;
pub mod options;
pub mod ports;
pub mod printable;
pub mod prompt;
mod refine;
pub mod report;
pub mod results;
mod review;
pub mod rows;
pub mod scope;
mod setting;
pub mod settings;
pub mod stored;
pub mod strategy;
pub mod text;
pub mod tools;
mod type_class;
pub mod verbalize;
pub mod verified;
