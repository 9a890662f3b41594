//! `text2sql.label('customers', 'phone', 'no_values')`: labels of columns, tables and schemas.

use pgrx::prelude::*;
use text2sql_engine::error::Error;

use crate::api::call::with_engine;
use crate::api::version::SameVersion;
use crate::catalog::security_labels::{Target, of_relation, of_schema, put};
use crate::pg::encoding::Text;
use crate::pg::spi;

/// Label a table or view, or remove its label.
#[pg_extern(
    schema = "text2sql",
    sql = r#"
    CREATE FUNCTION text2sql.label(relation regclass, label text) RETURNS void
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn label_relation(_objects: SameVersion, relation: Option<pg_sys::Oid>, label: Option<Text>) {
    if let Some(relation) = relation {
        set(|| of_relation(relation, None), label.as_deref());
    }
}

/// Label a column, or remove its label.
#[pg_extern(
    schema = "text2sql",
    requires = [label_relation, label_schema],
    sql = r#"
    CREATE FUNCTION text2sql.label(relation regclass, column_name text, label text) RETURNS void
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn label_column(
    _objects: SameVersion,
    relation: Option<pg_sys::Oid>,
    column: Option<Text>,
    label: Option<Text>,
) {
    if let (Some(relation), Some(column)) = (relation, column) {
        set(|| of_relation(relation, Some(column.0)), label.as_deref());
    }
}

/// Label a schema, or remove its label.
#[pg_extern(
    schema = "text2sql",
    sql = r#"
    CREATE FUNCTION text2sql.label_schema(schema regnamespace, label text) RETURNS void
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn label_schema(_objects: SameVersion, schema: Option<pg_sys::Oid>, label: Option<Text>) {
    if let Some(schema) = schema {
        set(|| of_schema(schema), label.as_deref());
    }
}

/// Put a label on an object that the caller owns, or remove its label.
fn set(target: impl FnOnce() -> Result<Target, Error>, label: Option<&str>) {
    with_engine("label", None, |_, _| {
        spi::must_write("text2sql.label()")?;
        put(target, label)
    });
}
