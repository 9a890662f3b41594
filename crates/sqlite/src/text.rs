//! Names and values as SQLite writes them.

use rusqlite::types::ValueRef;
use rusqlite::{Result, Row};
use text2sql_engine::dialect::Dialect;

/// `"database"."name"`, quoted.
pub fn in_database(database: &str, name: &str) -> String {
    let quote = |name| Dialect::Sqlite.identifier(name);
    format!("{}.{}", quote(database), quote(name))
}

/// A value of a row as text, which is empty for NULL; invalid UTF-8 is replaced.
pub fn text_at(row: &Row<'_>, place: usize) -> Result<String> {
    row.get_ref(place).map(|value| text_of(value).unwrap_or_default())
}

/// A value as text; None is NULL. Reals are written so that they read back exactly, blobs in
/// hexadecimal digits.
pub fn text_of(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(n) => Some(n.to_string()),
        ValueRef::Real(x) => Some(format!("{x:?}")),
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Some(bytes.iter().map(|b| format!("{b:02x}")).collect()),
    }
}
