//! Whether the database's SQL objects are of this library's version. A package installs a new
//! library; `ALTER EXTENSION text2sql UPDATE` then updates the objects of each database. In
//! between, and in sessions that still run the former library, objects of one version call code of
//! another.

use std::cmp::Ordering;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;
use pgrx::{FromDatum, pg_sys};

use crate::pg::error::tell;

const LIBRARY: &str = env!("CARGO_PKG_VERSION");

/// The first parameter of every SQL function that users call; SQL does not see it. pgrx reads it
/// before the arguments, of which functions of another version may have others.
pub struct SameVersion;

impl SameVersion {
    /// Raise an error if the objects are of another version.
    pub fn check() -> Self {
        // SAFETY: a flag of the backend: a script of CREATE or ALTER EXTENSION is running.
        let changing = unsafe { pg_sys::creating_extension };
        if let Some(objects) = objects().filter(|objects| !changing && objects != LIBRARY) {
            other_version(&objects);
        }
        Self
    }
}

fn other_version(objects: &str) {
    let newer = numbers(LIBRARY).cmp(&numbers(objects)) == Ordering::Greater;
    let hint = match newer {
        true => "ALTER EXTENSION text2sql UPDATE;".to_owned(),
        false => format!(
            "Connect again: this session began before text2sql {objects} was installed. \
             If that changes nothing, install it on this server, and restart PostgreSQL if the library is preloaded."
        ),
    };
    tell(
        PgLogLevel::ERROR,
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        format!(
            "the library of text2sql is version {LIBRARY}, its objects in this database are version {objects}"
        ),
        &hint,
    );
}

/// The numbers of a version, for comparison.
fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '-']).map(|part| part.parse().unwrap_or(0)).collect()
}

/// The version of the extension's objects; None where it is not installed. The few rows are on one page: to find one
/// by the index would be more to run.
fn objects() -> Option<String> {
    // SAFETY: as PostgreSQL's get_extension_oid() reads the same row, the only one of its name; what
    // is opened here is closed here. The text is copied while the row is held.
    unsafe {
        let catalog =
            pg_sys::table_open(pg_sys::ExtensionRelationId, pg_sys::AccessShareLock as i32);
        let mut name = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &mut name,
            pg_sys::Anum_pg_extension_extname as i16,
            pg_sys::BTEqualStrategyNumber as u16,
            pg_sys::F_NAMEEQ.into(),
            pg_sys::Datum::from(c"text2sql".as_ptr()),
        );
        let scan = pg_sys::systable_beginscan(
            catalog,
            pg_sys::InvalidOid,
            false,
            std::ptr::null_mut(),
            1,
            &mut name,
        );
        let row = pg_sys::systable_getnext(scan);
        let version = (!row.is_null())
            .then(|| {
                let mut null = false;
                let attribute = pg_sys::Anum_pg_extension_extversion as i32;
                let datum = pg_sys::heap_getattr(row, attribute, (*catalog).rd_att, &mut null);
                String::from_datum(datum, null)
            })
            .flatten();
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(catalog, pg_sys::AccessShareLock as i32);
        version
    }
}

// SAFETY: made of no argument.
unsafe impl<'fcx> ArgAbi<'fcx> for SameVersion {
    unsafe fn unbox_arg_unchecked(_: Arg<'_, 'fcx>) -> Self {
        Self::check()
    }

    fn is_virtual_arg() -> bool {
        true
    }
}

// SAFETY: SQL does not see it.
unsafe impl SqlTranslatable for SameVersion {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(SameVersion);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::Skip);
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::Skip));
}
