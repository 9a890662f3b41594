//! Table summaries (MAG-SQL). A question that makes one keeps it for the session only: asking
//! must not write. `text2sql.summarize_tables()` keeps those of tables that the caller owns.

use std::cell::RefCell;
use std::collections::HashMap;

use pgrx::prelude::*;
use text2sql_engine::ask;
use text2sql_engine::error::Error;

use crate::encoding::Text;
use crate::session::with_engine;
use crate::spi;

/// By role, table and fingerprint.
type Known = HashMap<Key, String>;
type Key = (pg_sys::Oid, pg_sys::Oid, u64);

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// Forget those of the session.
pub fn forget() {
    KNOWN.take();
}

fn key(table: pg_sys::Oid, fingerprint: u64) -> Key {
    // SAFETY: a plain read of the session's state.
    (unsafe { pg_sys::GetUserId() }, table, fingerprint)
}

/// PostgreSQL has signed numbers; the bits are the same.
fn signed(fingerprint: u64) -> i64 {
    i64::from_ne_bytes(fingerprint.to_ne_bytes())
}

/// The summary for exactly this form of a table.
pub fn get(table: pg_sys::Oid, fingerprint: u64) -> Result<Option<String>, Error> {
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&key(table, fingerprint)).cloned()) {
        return Ok(Some(known));
    }
    if !spi::schema_is_open()? {
        return Ok(None);
    }
    let args = [table.into(), signed(fingerprint).into()];
    let sql = include_str!("../sql/stored_summary.sql");
    let stored = spi::read(sql, &args, |row| row.must(1))?;
    Ok(stored.into_iter().next())
}

/// Keep a summary: for the session, and `lasting` in the table.
pub fn put(
    table: pg_sys::Oid,
    fingerprint: u64,
    summary: &str,
    lasting: bool,
) -> Result<(), Error> {
    KNOWN.with_borrow_mut(|known| known.insert(key(table, fingerprint), summary.to_owned()));
    // SAFETY: a flag of the backend, read by its only thread.
    let read_only = unsafe { pg_sys::XactReadOnly };
    if lasting && !read_only && spi::schema_is_open()? {
        let args = [table.into(), signed(fingerprint).into(), Text::from(summary).into()];
        spi::write(include_str!("../sql/store_summary.sql"), &args)?;
    }
    Ok(())
}

/// One sentence per table about its contents, requested if there is none for the table's present
/// columns. Those of the caller's own tables are stored for all sessions.
#[pg_extern(schema = "text2sql", parallel_unsafe)]
fn summarize_tables(
    tables: default!(Option<Vec<Option<Text>>>, "NULL"),
    server: default!(Option<Text>, "NULL"),
) -> TableIterator<'static, (name!(table, Text), name!(summary, Text))> {
    let tables = tables.map(|names| names.into_iter().flatten().map(|name| name.0).collect());
    let (summaries, _) = with_engine("summarize_tables", server, |engine, database| {
        database.keep_summaries();
        ask::summarize_tables(engine, tables)
    });
    TableIterator::new(summaries.into_iter().map(|(table, said)| (table.into(), said.into())))
}
