//! What the procedure `text2sql.index_values_in_parts()` (sql/value_index.sql) is made of: the
//! columns that it indexes, and a part of one, after each of which it commits.

use pgrx::prelude::*;

use super::build::Work;
use super::words::index_words;
use crate::api::call::with_engine;
use crate::api::version::SameVersion;
use crate::pg::encoding::Text;
use crate::pg::spi;

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
        let work = Work::new(database, tables, columns, 0)?;
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
        let work = Work::new(database, tables, columns, max_distinct.max(0) as usize)?;
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
