//! The index of stored values (`sql/value_index.sql`): built by `text2sql.index_values()`,
//! searched for every question. Only the extension's owner reads and writes it; what a caller
//! is shown has been filtered by the caller's rights of that moment.

use pgrx::pg_sys::{self, Oid};
use text2sql_engine::error::Error;

use crate::spi;

mod build;
mod search;

pub use search::ValueIndex;

/// Longer values are not what people name.
pub const MAX_VALUE_BYTES: usize = 200;

/// Do `work` with the rights of the extension's owner: for the SQL files beside this module and
/// nothing else.
fn as_owner<R>(work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    struct Caller(Oid, i32);
    impl Drop for Caller {
        fn drop(&mut self) {
            // SAFETY: what `as_owner` found.
            unsafe { pg_sys::SetUserIdAndSecContext(self.0, self.1) }
        }
    }
    let owner = owner()?;
    let (mut user, mut context) = (pg_sys::InvalidOid, 0);
    let restricted = pg_sys::SECURITY_LOCAL_USERID_CHANGE | pg_sys::SECURITY_RESTRICTED_OPERATION;
    // SAFETY: the caller's rights come back when `caller` is dropped, also when unwinding.
    let caller = unsafe {
        pg_sys::GetUserIdAndSecContext(&raw mut user, &raw mut context);
        pg_sys::SetUserIdAndSecContext(owner, context | restricted as i32);
        Caller(user, context)
    };
    let result = work();
    drop(caller);
    result
}

/// Who owns the index: who created the extension.
fn owner() -> Result<Oid, Error> {
    let sql = "SELECT extowner FROM pg_extension WHERE extname = 'text2sql'";
    let found = spi::read(sql, &[], |row| row.must(1))?;
    found.into_iter().next().ok_or_else(|| Error::Database("there is no extension text2sql".into()))
}

/// The schema of pg_trgm, quoted, where it is installed.
fn trigram_schema() -> Result<Option<String>, Error> {
    let sql = "SELECT quote_ident(n.nspname) FROM pg_extension e \
               JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'";
    Ok(spi::read(sql, &[], |row| row.must(1))?.into_iter().next())
}
