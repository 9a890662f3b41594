//! Security labels: `SECURITY LABEL FOR text2sql ON COLUMN … IS 'no values'` or `'hidden'`.
//! What is labelled is kept by PostgreSQL and read by `sql/catalog.sql`.

use std::ffi::c_char;

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::error::tell;

/// The labels there are.
const LABELS: [&str; 3] = ["hidden", "no values", "values"];
const LABELS_ARE: &str = "Labels are 'hidden', 'no values' and 'values'; NULL takes one back.";

/// Become the provider `text2sql`. Called once, from `_PG_init`.
pub fn register() {
    // SAFETY: called from _PG_init; the name is static.
    unsafe { pg_sys::register_label_provider(c"text2sql".as_ptr(), Some(check)) }
}

#[pg_guard]
unsafe extern "C-unwind" fn check(object: *const pg_sys::ObjectAddress, label: *const c_char) {
    // SAFETY: PostgreSQL passes the object and a C string, or NULL to remove the label.
    let (class, label) = unsafe {
        if label.is_null() {
            return;
        }
        ((*object).classId, crate::encoding::c_text(label))
    };
    if class != pg_sys::RelationRelationId && class != pg_sys::NamespaceRelationId {
        let code = PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED;
        let hint = "SECURITY LABEL FOR text2sql ON COLUMN person.phone IS 'no values';";
        tell(PgLogLevel::ERROR, code, "only columns, tables and schemas have labels", hint);
    }
    if !LABELS.contains(&label.as_str()) {
        tell(
            PgLogLevel::ERROR,
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            format!("\"{label}\" is not a label of text2sql"),
            LABELS_ARE,
        );
    }
}
