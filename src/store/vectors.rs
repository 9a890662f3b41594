//! Vectors of an embedding model (`sql/description_vector.sql`): made by
//! `text2sql.embed_columns()`, compared with the question's in the engine. Only the extension's
//! owner reads and writes them; the caller's catalog decides which of them are used.

use pgrx::pg_sys;
use text2sql_engine::error::Error;

use crate::pg::encoding::{Text, texts};
use crate::pg::spi;

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

/// Visits each text that has a vector, with the vector.
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

/// Stores vectors of texts that have none.
pub fn put(server: &str, model: &str, vectors: &[(&str, Vec<u8>)]) -> Result<(), Error> {
    let args = [
        Text::from(server).into(),
        Text::from(model).into(),
        texts(vectors.iter().map(|(text, _)| *text)).into(),
        vectors.iter().map(|(_, vector)| vector.as_slice()).collect::<Vec<_>>().into(),
    ];
    spi::as_role(owner()?, || {
        spi::write(include_str!("../../sql/put_vectors.sql"), &args).map(|_| ())
    })
}

/// Deletes the vectors of texts that no longer describe anything; returns how many.
pub fn forget_lost() -> Result<i64, Error> {
    let forget = || spi::write(include_str!("../../sql/forget_vectors.sql"), &[]);
    Ok(spi::as_role(owner()?, forget)?.unwrap_or(0))
}
