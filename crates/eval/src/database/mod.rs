//! Connections on which gold and predicted SQL run, separate from the extension under test.

mod connection;
pub mod postgres;
pub mod sqlite;

pub use connection::Database;
