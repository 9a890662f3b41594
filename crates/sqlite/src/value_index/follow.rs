//! Following a table: triggers on it note in `text2sql_value_change` which rows are new or changed,
//! so that only these are read for the index.
//!
//! A table is followed if it has the triggers, which is recorded nowhere else: one that was dropped
//! and created again has none, and is read again.

use rusqlite::{Connection, Result};
use text2sql_engine::catalog::{Table, TableKind};
use text2sql_engine::dialect::Dialect;

use crate::text::in_database;

/// The prefix of the triggers' names; the table's name and the event follow.
const NAME: &str = "text2sql_follow_";
const EVENTS: [&str; 2] = ["inserted", "updated"];

/// Whether triggers should note changes of a table from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// As it is.
    Unchanged,
    /// Yes.
    On,
    /// No more.
    Off,
}

/// Whether changes of the table are noted.
pub fn is_followed(connection: &Connection, table: &Table) -> Result<bool> {
    let there = triggers(connection, table)?;
    Ok(EVENTS.iter().all(|event| there.contains(&trigger(table, event))))
}

/// Whether changes of the table can be noted. VACUUM renumbers rows unless a column holds their
/// numbers, and the index of a read-only or temporary database is not in its file.
pub fn can_be_followed(connection: &Connection, table: &Table) -> Result<bool> {
    let is_file = table.schema != "temp" && !connection.is_readonly(table.schema.as_str())?;
    let keyed = include_str!("../sql/has_rowid_column.sql");
    let keyed = || connection.query_row(keyed, [&table.name, &table.schema], |row| row.get(0));
    Ok(is_file && table.kind == TableKind::Table && keyed()?)
}

/// Create or drop the triggers. A renamed table has those of its former name.
pub fn follow(connection: &Connection, table: &Table, following: Following) -> Result<()> {
    let there = triggers(connection, table)?;
    let wanted = match following {
        Following::Unchanged => !there.is_empty(),
        Following::On => true,
        Following::Off => false,
    };
    for name in &there {
        if !wanted || !EVENTS.iter().any(|event| trigger(table, event) == *name) {
            let sql = format!("DROP TRIGGER {}", in_database(&table.schema, name));
            connection.execute_batch(&sql)?;
        }
    }
    if wanted {
        let trigger = |event| in_database(&table.schema, &trigger(table, event));
        let [inserted, updated] = EVENTS.map(trigger);
        let sql = include_str!("../sql/follow.sql")
            .replace("{inserted}", &inserted)
            .replace("{updated}", &updated)
            .replace("{table}", &Dialect::Sqlite.identifier(&table.name))
            .replace("{name}", &Dialect::Sqlite.string(&table.name));
        connection.execute_batch(&sql)?;
    }
    Ok(())
}

fn trigger(table: &Table, event: &str) -> String {
    format!("{NAME}{}_{event}", table.name)
}

/// The names of the triggers that follow a table.
fn triggers(connection: &Connection, table: &Table) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT name FROM {} WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
         AND substr(name, 1, {}) = '{NAME}'",
        in_database(&table.schema, "sqlite_schema"),
        NAME.len(),
    );
    let mut statement = connection.prepare(&sql)?;
    statement.query_map([&table.name], |row| row.get(0))?.collect()
}
