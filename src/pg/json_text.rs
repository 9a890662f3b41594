//! Text that is JSON, as an argument or a result of type `json`.

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, IntoDatum, pg_sys};

use super::encoding::Text;

/// Text that is JSON: PostgreSQL parsed it, or this extension wrote it.
#[derive(Default)]
pub struct JsonText(pub String);

impl FromDatum for JsonText {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        typoid: pg_sys::Oid,
    ) -> Option<Self> {
        // SAFETY: by the caller's contract, a json, which is stored as text is.
        let text = unsafe { Text::from_polymorphic_datum(datum, is_null, typoid) };
        text.map(|text| Self(text.0))
    }
}

impl IntoDatum for JsonText {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Text(self.0).into_datum()
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONOID
    }
}

// SAFETY: json is stored as text is.
unsafe impl<'fcx> ArgAbi<'fcx> for JsonText {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: by the caller's contract.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_default()
    }
}

// SAFETY: json is stored as text is.
unsafe impl BoxRet for JsonText {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: by the caller's contract.
        unsafe { Text(self.0).box_into(fcinfo) }
    }
}

// SAFETY: the type's name is PostgreSQL's.
unsafe impl SqlTranslatable for JsonText {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(JsonText);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("json"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("json")));
}
