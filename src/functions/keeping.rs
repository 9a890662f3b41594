//! The SQL functions that keep something: answers vouched for, feedback, summaries, vectors.

use pgrx::prelude::*;
use text2sql_engine::embed::{self, Embedded};
use text2sql_engine::{ask, link, verified};

use crate::encoding::Text;
use crate::session::with_engine;
use crate::version::SameVersion;
use crate::{error, history, vectors};

/// Vouch for the SQL of a question, which from now on answers it; the SQL as kept. For the owner
/// of `text2sql.example` and those who may write it.
#[pg_extern(schema = "text2sql", parallel_unsafe)]
fn remember(_objects: SameVersion, question: Option<Text>, sql: Option<Text>) -> Option<Text> {
    let (question, sql) = (question?, sql?);
    let kept =
        with_engine("remember", None, |engine, _| verified::remember(engine, &question.0, &sql.0));
    Some(Text(kept))
}

/// Say of one's own question whether its answer was right, and why not.
#[pg_extern(schema = "text2sql", parallel_unsafe)]
fn feedback(
    _objects: SameVersion,
    id: Option<i64>,
    verdict: Option<Text>,
    note: default!(Option<Text>, "NULL"),
) {
    let (Some(id), Some(verdict)) = (id, verdict) else { return };
    // SAFETY: raises the error where the transaction may not write.
    unsafe { pg_sys::PreventCommandIfReadOnly(c"text2sql.feedback()".as_ptr()) };
    with_engine("feedback", None, |_, _| history::judge(id, verdict, note));
}

/// One sentence per table about its contents, requested if there is none for the table's present
/// columns. Those of the caller's own tables are stored for all sessions.
#[pg_extern(schema = "text2sql", parallel_unsafe)]
fn summarize_tables(
    _objects: SameVersion,
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

/// What is embedded for a column or table of this name and comment.
#[pg_extern(
    schema = "text2sql",
    sql = r#"
    CREATE FUNCTION text2sql.embedded_text(name text, comment text) RETURNS text
    IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn embedded_text(name: Option<Text>, comment: Option<Text>) -> Option<Text> {
    Some(Text(link::description(&name?, comment.as_deref())))
}

/// Have the server's embedding model make vectors of the columns that you may read and that have
/// none, and forget vectors that nothing is described by any more.
#[pg_extern(schema = "text2sql", parallel_unsafe)]
fn embed_columns(
    _objects: SameVersion,
    tables: default!(Option<Vec<Option<Text>>>, "NULL"),
    server: default!(Option<Text>, "NULL"),
) -> TableIterator<
    'static,
    (name!(columns, i64), name!(descriptions, i64), name!(sent, i64), name!(removed, i64)),
> {
    // SAFETY: raises the error where the transaction may not write.
    unsafe { pg_sys::PreventCommandIfReadOnly(c"text2sql.embed_columns()".as_ptr()) };
    let tables: Option<Vec<String>> =
        tables.map(|names| names.into_iter().flatten().map(|name| name.0).collect());
    let row = with_engine("embed_columns", server, |engine, _| {
        let Embedded { columns, texts, sent, stopped } =
            embed::embed_columns(engine, tables.as_deref())?;
        let removed = vectors::forget_lost()?;
        if let Some(reason) = stopped {
            let message = format!("not all columns have a vector now: {reason}");
            let again = "SELECT * FROM text2sql.embed_columns();";
            error::tell(PgLogLevel::WARNING, PgSqlErrorCode::ERRCODE_WARNING, message, again);
        }
        Ok((columns as i64, texts as i64, sent as i64, removed))
    });
    TableIterator::once(row)
}
