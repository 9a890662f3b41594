//! Relations as arguments of type `regclass`, by their names.

use std::ffi::CStr;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::datum::{Datum, UnboxDatum};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, IntoDatum, pg_sys};

use super::encoding::from_server;

/// A relation that an argument names: PostgreSQL found it, which says nothing about rights.
#[derive(Debug, Clone, Copy)]
pub struct Relation(pub pg_sys::Oid);

impl Relation {
    /// Its schema and name; its number where it was dropped.
    fn name(self) -> String {
        // SAFETY: looks into PostgreSQL's caches, which give palloc'd copies or null.
        unsafe {
            let name = pg_sys::get_rel_name(self.0);
            let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(self.0));
            if name.is_null() || schema.is_null() {
                return self.0.to_u32().to_string();
            }
            let text = |name| from_server(CStr::from_ptr(name).to_bytes());
            format!("{}.{}", text(schema), text(name))
        }
    }
}

/// The names of the relations of an array, as the engine takes them.
pub fn names(relations: Vec<Option<Relation>>) -> Vec<String> {
    relations.into_iter().flatten().map(Relation::name).collect()
}

impl FromDatum for Relation {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        typoid: pg_sys::Oid,
    ) -> Option<Self> {
        // SAFETY: by the caller's contract, a regclass, which is stored as an oid is.
        unsafe { pg_sys::Oid::from_polymorphic_datum(datum, is_null, typoid) }.map(Self)
    }
}

impl IntoDatum for Relation {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        self.0.into_datum()
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::REGCLASSOID
    }
}

// SAFETY: as an oid is.
unsafe impl UnboxDatum for Relation {
    type As<'src> = Relation;

    unsafe fn unbox<'src>(datum: Datum<'src>) -> Self::As<'src>
    where
        Self: 'src,
    {
        // SAFETY: by the caller's contract, a regclass that is not NULL.
        Self(unsafe { pg_sys::Oid::unbox(datum) })
    }
}

// SAFETY: a regclass argument.
unsafe impl<'fcx> ArgAbi<'fcx> for Relation {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: by the caller's contract.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or(Self(pg_sys::InvalidOid))
    }
}

// SAFETY: the type's name is PostgreSQL's.
unsafe impl SqlTranslatable for Relation {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Relation);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
        Ok(SqlMappingRef::literal("regclass"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("regclass")));
}
