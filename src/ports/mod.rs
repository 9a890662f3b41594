//! The engine's ports over PostgreSQL: the database, and models as foreign servers.

pub mod call_slots;
pub mod database;
pub mod servers;
pub mod waiting;
