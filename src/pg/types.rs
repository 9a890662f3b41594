//! PostgreSQL's types as the engine's classes.

use std::collections::HashSet;

use pgrx::pg_sys::{self, Oid};
use text2sql_engine::catalog::{Column, TypeClass, secrets};

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
        crate::pg::encoding::c_text(pg_sys::format_type_extended(type_id, modifier, flags as _))
    }
}

/// The type's name as people write it.
pub fn name_of(type_id: Oid) -> String {
    // SAFETY: gives a palloc'd C string for any OID.
    unsafe { crate::pg::encoding::c_text(pg_sys::format_type_be(type_id)) }
}

/// Whether a question's words may be looked for among a column's values.
pub fn is_searchable(column: &Column) -> bool {
    column.class == TypeClass::Text && !column.values.are_withheld()
}

/// Numbers and types of the columns of a relation, or of the fields of the composite type that it
/// describes; none for InvalidOid.
pub fn live_columns(relation: Oid) -> impl Iterator<Item = (i16, Oid)> {
    // SAFETY: system cache look-ups; the count is read before the row is released.
    let count = unsafe {
        let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
        let row = pg_sys::SearchSysCache1(cache, pg_sys::Datum::from(relation));
        match row.is_null() {
            true => 0,
            false => {
                let count = (*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_class>()).relnatts;
                pg_sys::ReleaseSysCache(row);
                count
            }
        }
    };
    // SAFETY: a system cache look-up.
    let column = move |number| (number, unsafe { pg_sys::get_atttype(relation, number) });
    // a dropped column has no type
    (1..=count).map(column).filter(|(_, data_type)| *data_type != pg_sys::InvalidOid)
}

/// The kind of secret that a field of a composite type says it holds, in its own or in arrays, domains and
/// fields of fields.
pub fn secret_field(type_id: Oid) -> Option<&'static str> {
    let (mut seen, mut open) = (HashSet::new(), vec![type_id]);
    while let Some(type_id) = open.pop() {
        if type_id.to_u32() < pg_sys::FirstNormalObjectId || !seen.insert(type_id) {
            continue;
        }
        // SAFETY: system cache look-ups of a stored type.
        let row_of = unsafe {
            let base = pg_sys::getBaseType(type_id);
            open.push(pg_sys::get_element_type(base));
            pg_sys::get_typ_typrelid(base)
        };
        for (number, data_type) in live_columns(row_of) {
            // SAFETY: a system cache look-up; the name is copied.
            let name =
                unsafe { crate::pg::encoding::c_text(pg_sys::get_attname(row_of, number, false)) };
            let kind = secrets::of_column(&name, None, class_of(data_type));
            if kind.is_some() {
                return kind;
            }
            open.push(data_type);
        }
    }
    None
}
