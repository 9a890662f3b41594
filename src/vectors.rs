//! Vectors of an embedding model (`sql/description_vector.sql`): made by
//! `text2sql.embed_columns()`, compared with the question's in the engine. Only the extension's
//! owner reads and writes them; a caller's catalog decides which of them say anything.

use pgrx::prelude::*;
use text2sql_engine::embed::{self, Embedded};
use text2sql_engine::error::Error;
use text2sql_engine::link;

use crate::encoding::{Text, texts};
use crate::session::with_engine;
use crate::{error, spi};

fn owner() -> Result<pg_sys::Oid, Error> {
    spi::owner_of(c"description_vector")
}

/// Whether vectors of a server's embedding model exist.
pub fn there(server: &str, model: &str) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT FROM text2sql.description_vector \
               WHERE server = $1::name AND model = $2)";
    let args = [Text::from(server).into(), Text::from(model).into()];
    let found = spi::as_role(owner()?, || spi::read(sql, &args, |row| row.must::<bool>(1)))?;
    Ok(found == [true])
}

/// Show each text that has a vector, and the vector.
pub fn each(server: &str, model: &str, see: &mut dyn FnMut(&str, &[u8])) -> Result<(), Error> {
    let sql = "SELECT description, vector FROM text2sql.description_vector \
               WHERE server = $1::name AND model = $2";
    let args = [Text::from(server).into(), Text::from(model).into()];
    spi::as_role(owner()?, || {
        spi::stream(None, sql, &args, |row| {
            see(&row.must::<String>(1)?, &row.must::<Vec<u8>>(2)?);
            Ok(())
        })
    })
}

/// Keep vectors of texts that have none.
pub fn put(server: &str, model: &str, vectors: &[(&str, Vec<u8>)]) -> Result<(), Error> {
    let args = [
        Text::from(server).into(),
        Text::from(model).into(),
        texts(vectors.iter().map(|(text, _)| *text)).into(),
        vectors.iter().map(|(_, vector)| vector.as_slice()).collect::<Vec<_>>().into(),
    ];
    spi::as_role(owner()?, || spi::write(include_str!("../sql/put_vectors.sql"), &args).map(|_| ()))
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
        let forget = || spi::write(include_str!("../sql/forget_vectors.sql"), &[]);
        let removed = spi::as_role(owner()?, forget)?.unwrap_or(0);
        if let Some(reason) = stopped {
            let message = format!("not all columns have a vector now: {reason}");
            let again = "SELECT * FROM text2sql.embed_columns();";
            error::tell(PgLogLevel::WARNING, PgSqlErrorCode::ERRCODE_WARNING, message, again);
        }
        Ok((columns as i64, texts as i64, sent as i64, removed))
    });
    TableIterator::once(row)
}
