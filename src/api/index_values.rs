//! The SQL functions over the index of stored values (`sql/value_index.sql`): building it, and the
//! columns and parts of them after each of which `text2sql.index_values_in_parts()` commits.

use pgrx::prelude::*;
use text2sql_engine::error::Error;

use crate::api::call::with_engine;
use crate::api::version::SameVersion;
use crate::pg::encoding::Text;
use crate::pg::spi;
use crate::ports::database::Postgres;
use crate::values::index::build::Work;
use crate::values::index::words::index_words;

/// Work on the columns that the arguments of these functions name.
fn work<'a>(
    database: &'a Postgres<'a>,
    tables: Option<Vec<Option<pg_sys::Oid>>>,
    columns: Option<Vec<Option<Text>>>,
    max_distinct: i32,
) -> Result<Work<'a>, Error> {
    let limit = max_distinct.max(0) as usize;
    Work::new(database, database.settings(), database.snapshot()?, tables, columns, limit)
}

/// Index the distinct values of text columns, or bring the index up to date.
#[pg_extern(
    schema = "text2sql",
    parallel_unsafe,
    sql = r#"
    CREATE FUNCTION text2sql.index_values(
        tables regclass[] DEFAULT NULL, columns text[] DEFAULT NULL, max_distinct integer DEFAULT 1000000
    ) RETURNS TABLE (table_name text, column_name text, distinct_values bigint, added bigint, removed bigint, skipped text)
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
#[expect(clippy::type_complexity, reason = "the columns of the result")]
fn index_values(
    _objects: SameVersion,
    tables: Option<Vec<Option<pg_sys::Oid>>>,
    columns: Option<Vec<Option<Text>>>,
    max_distinct: i32,
) -> TableIterator<
    'static,
    (
        name!(table_name, Text),
        name!(column_name, Text),
        name!(distinct_values, Option<i64>),
        name!(added, Option<i64>),
        name!(removed, Option<i64>),
        name!(skipped, Option<Text>),
    ),
> {
    let lines = with_engine("index_values", None, |_, database| {
        spi::must_write("text2sql.index_values()")?;
        let work = work(database, tables, columns, max_distinct)?;
        index_words()?;
        work.run()
    });
    TableIterator::new(lines.into_iter().map(
        |(table, column, distinct, added, removed, skipped)| {
            (table.into(), column.into(), distinct, added, removed, skipped.map(Text))
        },
    ))
}

/// Take columns out of the index; how many were in it.
#[pg_extern(
    schema = "text2sql",
    parallel_unsafe,
    sql = r#"
    CREATE FUNCTION text2sql.unindex_values(tables regclass[] DEFAULT NULL, columns text[] DEFAULT NULL)
    RETURNS bigint PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn unindex_values(
    _objects: SameVersion,
    tables: Option<Vec<Option<pg_sys::Oid>>>,
    columns: Option<Vec<Option<Text>>>,
) -> i64 {
    with_engine("unindex_values", None, |_, database| {
        spi::must_write("text2sql.unindex_values()")?;
        let work = work(database, tables, columns, 0)?;
        work.forget()
    })
}

/// The columns that index_values() would look at.
#[pg_extern(
    schema = "text2sql",
    parallel_unsafe,
    sql = r#"
    CREATE FUNCTION text2sql.columns_to_index(tables regclass[], columns text[])
    RETURNS TABLE (relation regclass, name text)
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn columns_to_index(
    _objects: SameVersion,
    tables: Option<Vec<Option<pg_sys::Oid>>>,
    columns: Option<Vec<Option<Text>>>,
) -> TableIterator<'static, (name!(relation, pg_sys::Oid), name!(name, Text))> {
    let places = with_engine("columns_to_index", None, |_, database| {
        let work = work(database, tables, columns, 0)?;
        Ok(work.places().map(|(relation, name)| (relation, Text(name))).collect::<Vec<_>>())
    });
    TableIterator::new(places)
}

/// Index one column, or `part` more of its values.
#[pg_extern(
    schema = "text2sql",
    parallel_unsafe,
    sql = r#"
    CREATE FUNCTION text2sql.index_part_of_column(relation regclass, name text, named boolean, max_distinct integer, part bigint)
    RETURNS TABLE (distinct_values bigint, added bigint, removed bigint, skipped text, more boolean)
    PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
#[expect(clippy::type_complexity, reason = "the columns of the result")]
fn index_part_of_column(
    _objects: SameVersion,
    relation: pg_sys::Oid,
    name: Text,
    named: bool,
    max_distinct: i32,
    part: i64,
) -> TableIterator<
    'static,
    (
        name!(distinct_values, Option<i64>),
        name!(added, Option<i64>),
        name!(removed, Option<i64>),
        name!(skipped, Option<Text>),
        name!(more, bool),
    ),
> {
    let lines = with_engine("index_part_of_column", None, |_, database| {
        spi::must_write("text2sql.index_values_in_parts()")?;
        let (tables, columns) = (Some(vec![Some(relation)]), Some(vec![Some(name)]));
        let work = work(database, tables, columns, max_distinct)?;
        let work = work.in_parts(part.max(1), named);
        index_words()?;
        let lines = work.run()?;
        Ok(lines.into_iter().map(|line| (line, work.has_more())).collect::<Vec<_>>())
    });
    TableIterator::new(lines.into_iter().map(
        |((_, _, distinct, added, removed, skipped), more)| {
            (distinct, added, removed, skipped.map(Text), more)
        },
    ))
}
