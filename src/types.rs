//! PostgreSQL's types as the engine's classes.

use pgrx::pg_sys::{self, Oid};
use text2sql_engine::catalog::{Column, TypeClass};

/// The class of a type; a domain has that of its base type.
pub fn class_of(type_id: Oid) -> TypeClass {
    // SAFETY: system cache look-ups by OID; an unknown OID raises a caught PostgreSQL error.
    let base = unsafe { pg_sys::getBaseType(type_id) };
    match base {
        pg_sys::INT2OID | pg_sys::INT4OID | pg_sys::INT8OID | pg_sys::OIDOID => TypeClass::Integer,
        pg_sys::DATEOID => TypeClass::Date,
        pg_sys::TIMEOID | pg_sys::TIMETZOID => TypeClass::Time,
        pg_sys::INTERVALOID => TypeClass::Interval,
        pg_sys::JSONOID | pg_sys::JSONBOID => TypeClass::Json,
        pg_sys::BYTEAOID => TypeClass::Binary,
        _ => class_of_category(base),
    }
}

fn class_of_category(base: Oid) -> TypeClass {
    let (mut category, mut preferred) = (0, false);
    // SAFETY: as above; both results are written.
    unsafe { pg_sys::get_type_category_preferred(base, &raw mut category, &raw mut preferred) };
    match category as u8 {
        pg_sys::TYPCATEGORY_STRING => TypeClass::Text,
        pg_sys::TYPCATEGORY_ENUM => TypeClass::Enum,
        pg_sys::TYPCATEGORY_NUMERIC => TypeClass::Number,
        pg_sys::TYPCATEGORY_BOOLEAN => TypeClass::Boolean,
        pg_sys::TYPCATEGORY_DATETIME => TypeClass::Timestamp,
        _ => TypeClass::Other,
    }
}

/// The name of a type with its modifier, as in `numeric(10,2)`.
pub fn name_with_modifier((type_id, modifier): (Oid, i32)) -> String {
    // SAFETY: gives a palloc'd C string; a type that is gone has "???".
    unsafe {
        let flags = pg_sys::FORMAT_TYPE_TYPEMOD_GIVEN | pg_sys::FORMAT_TYPE_ALLOW_INVALID;
        crate::encoding::c_text(pg_sys::format_type_extended(type_id, modifier, flags as _))
    }
}

/// The type's name as people write it.
pub fn name_of(type_id: Oid) -> String {
    // SAFETY: gives a palloc'd C string for any OID.
    unsafe { crate::encoding::c_text(pg_sys::format_type_be(type_id)) }
}

/// The types of the fields of a composite type, as the relation that describes it; none for
/// InvalidOid.
pub fn fields(relation: Oid) -> impl Iterator<Item = Oid> {
    // SAFETY: system cache look-ups; the name of a column that is not there is NULL.
    let field = move |number: i16| unsafe {
        let name = pg_sys::get_attname(relation, number, true);
        (!name.is_null()).then(|| pg_sys::get_atttype(relation, number))
    };
    (1..).take_while(move |_| relation != pg_sys::InvalidOid).map_while(field)
}

/// Whether a question's words may be looked for among a column's values.
pub fn is_searchable(column: &Column) -> bool {
    column.class == TypeClass::Text && !column.values.are_withheld()
}
