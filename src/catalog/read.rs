//! The rows of the catalog, as sources of tables.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use pgrx::pg_sys::{self, Oid};
use serde::Deserialize;
use text2sql_engine::catalog::secrets::Values;
use text2sql_engine::catalog::{Column, Layout, Table, TableKind};
use text2sql_engine::error::Error;

use super::labels::{self, Labels};
use super::layouts;
use super::rules;
use super::views::{self, Join};
use crate::encoding::texts;
use crate::{spi, types};

/// A table, with everything else that its catalog entry is made from.
#[derive(Debug, PartialEq)]
pub struct Source {
    /// The relation.
    pub oid: Oid,
    schema: Oid,
    /// What the engine sees.
    pub table: Arc<Table>,
    /// PostgreSQL's column numbers, in the order of [`Table::columns`].
    numbers: Box<[i16]>,
    /// Types of its columns that are not PostgreSQL's own.
    pub own_types: Box<[Oid]>,
    /// Its foreign keys.
    pub foreign_keys: Box<[ForeignKeyRow]>,
    /// The joins it makes, if it is a view.
    pub joins: Box<[Join]>,
    /// Its rows may be sampled: it is not a foreign table and, for callers who may read everything,
    /// not somebody else's view, which can run anything.
    pub looked_into: bool,
    /// Which rows it shows depends on more than the role: row security, or a view's query.
    pub fleeting: bool,
    /// How many tables hold its rows, if it has partitions or children; else 0.
    pub parts: usize,
}

/// A foreign key as the catalog has it.
#[derive(Debug, PartialEq, Deserialize)]
pub struct ForeignKeyRow {
    /// The constraint's name.
    pub name: String,
    /// Referencing columns, by number.
    pub columns: Box<[i16]>,
    /// The referenced relation.
    pub to: u32,
    /// Its columns, by number.
    pub to_columns: Box<[i16]>,
}

#[derive(Deserialize)]
struct KeyRow {
    primary: bool,
    columns: Vec<i16>,
}

impl Source {
    /// The sort key of tables.
    pub fn name(&self) -> (&str, &str) {
        (&self.table.schema, &self.table.name)
    }

    /// Whether its schema is one of these.
    pub fn is_in(&self, schemas: &[Oid]) -> bool {
        schemas.contains(&self.schema)
    }

    /// The place of a column by number; None when the caller may not read it.
    pub fn place(&self, number: i16) -> Option<u16> {
        self.numbers.iter().position(|&n| n == number).map(|place| place as u16)
    }

    /// The places of columns by number; None when the caller may not read one of them.
    pub fn places(&self, numbers: &[i16]) -> Option<Vec<u16>> {
        numbers.iter().map(|&number| self.place(number)).collect()
    }

    /// The number of the column at a place.
    pub fn number(&self, place: u16) -> i16 {
        self.numbers[place as usize]
    }
}

/// The tables among `relations`, or all, that the caller may read, sorted by schema and name.
/// Bare names are looked for in `schemas`. `derived` are the labels that follow from others; foreign
/// tables are among them where `foreign` has them or is None. With `withhold_secrets`, columns
/// that look like secrets count as labelled.
pub fn sources(
    relations: Option<&HashSet<Oid>>,
    schemas: &[Oid],
    derived: &Labels,
    foreign: Option<&HashSet<Oid>>,
    withhold_secrets: bool,
) -> Result<Vec<Rc<Source>>, Error> {
    let list = |oids: &HashSet<Oid>| oids.iter().copied().collect::<Vec<Oid>>();
    let (labelled, numbers, names) = derived.columns();
    let (classes, objects, parts, said) = labels::given()?;
    let arguments = [
        relations.map(list).into(),
        schemas.to_vec().into(),
        labelled.into(),
        numbers.into(),
        texts(names).into(),
        foreign.map(list).into(),
        classes.into(),
        objects.into(),
        parts.into(),
        texts(said).into(),
        rules::CUT.into(),
    ];
    let layouts = layouts::read(relations.map(list).as_deref())?;
    let pool = Pool::default();
    let mut sources = spi::read(include_str!("../../sql/catalog.sql"), &arguments, |row| {
        Ok(Rc::new(source(row, &pool, &layouts, withhold_secrets)?))
    })?;
    // by bytes, not by the database's collation
    sources.sort_by(|a, b| a.name().cmp(&b.name()));
    Ok(sources)
}

/// The names of those of `relations` that exist, each with itself or a partitioned table above.
pub fn changed(relations: &HashSet<Oid>) -> Result<Vec<(String, Oid)>, Error> {
    let relations: Vec<Oid> = relations.iter().copied().collect();
    let entry = |row: &spi::Row<'_>| Ok((row.must(1)?, row.must(2)?));
    spi::read(include_str!("../../sql/changed.sql"), &[relations.into()], entry)
}

/// The key by which the type cache reports changes of a type.
pub fn hash_of_type(type_id: Oid) -> u32 {
    let none = pg_sys::Datum::null();
    let cache = pg_sys::SysCacheIdentifier::TYPEOID as i32;
    // SAFETY: computes a hash of the key.
    unsafe { pg_sys::GetSysCacheHashValue(cache, type_id.into(), none, none, none) }
}

/// The key by which the statistics cache reports changes for a table.
pub fn hashes_of_statistics(source: &Source) -> impl Iterator<Item = u32> + '_ {
    let cache = pg_sys::SysCacheIdentifier::STATRELATTINH as i32;
    let none = pg_sys::Datum::null();
    let of_column = move |number: i16, inherited: bool| {
        let (relation, number) = (source.oid.into(), number.into());
        // SAFETY: computes a hash of the key.
        unsafe { pg_sys::GetSysCacheHashValue(cache, relation, number, inherited.into(), none) }
    };
    source.numbers.iter().flat_map(move |&n| [of_column(n, false), of_column(n, true)])
}

/// Interned texts.
struct Shared<T: ?Sized>(RefCell<HashSet<Arc<T>>>);

impl<T: ?Sized + Eq + Hash> Shared<T> {
    fn of(&self, one: impl Into<Arc<T>>) -> Arc<T> {
        let (one, mut known) = (one.into(), self.0.borrow_mut());
        if let Some(known) = known.get(&one) {
            return Arc::clone(known);
        }
        known.insert(Arc::clone(&one));
        one
    }
}

impl<T: ?Sized> Default for Shared<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

/// State shared by the tables of one reading.
#[derive(Default)]
struct Pool {
    texts: Shared<str>,
    columns: Shared<Column>,
}

fn source(
    row: &spi::Row<'_>,
    pool: &Pool,
    layouts: &layouts::Found,
    withhold_secrets: bool,
) -> Result<Source, Error> {
    let oid: Oid = row.must(1)?;
    let kind: String = row.must(5)?;
    let numbers: Vec<i16> = row.must(9)?;
    let keys: Vec<KeyRow> = row.json(18)?;
    let place = |number: &i16| numbers.iter().position(|n| n == number).map(|p| p as u16);
    let places = |key: &KeyRow| key.columns.iter().map(place).collect::<Option<Vec<u16>>>();
    let primary_key = keys.iter().find(|k| k.primary).and_then(places).unwrap_or_default();
    let unique_keys = keys.iter().filter(|k| !k.primary).filter_map(places).collect();
    let layout = layouts.get(&oid).map(|(words, preposition, numbers)| Layout {
        words: words.as_str().into(),
        preposition: preposition.as_str().into(),
        // a column that the caller may not read has no name
        columns: numbers.iter().filter_map(place).collect(),
    });
    let (columns, own_types) = columns(row, pool, withhold_secrets)?;
    let table = Table {
        native_id: u64::from(oid.to_u32()),
        schema: row.must(3)?,
        name: row.must(4)?,
        visible: row.must(8)?,
        kind: match kind.as_str() {
            "p" => TableKind::Partitioned,
            "v" => TableKind::View,
            "m" => TableKind::MaterializedView,
            "f" => TableKind::Foreign,
            _ => TableKind::Table,
        },
        comment: row.get(6)?,
        rows: row.get(7)?,
        columns,
        primary_key,
        unique_keys,
        likely_key: None,
        layout,
    };
    let rule: Option<String> = row.get(20)?;
    Ok(Source {
        oid,
        schema: row.must(2)?,
        table: Arc::new(table),
        numbers: numbers.into(),
        own_types: own_types.into(),
        foreign_keys: row.json::<Vec<ForeignKeyRow>>(19)?.into(),
        joins: rule.map_or_else(Vec::new, |rule| views::joins(&rule)).into(),
        looked_into: row.must(21)?,
        fleeting: row.must(22)?,
        parts: row.must::<i32>(23)? as usize,
    })
}

/// The columns of a row of `catalog.sql`, which are parallel arrays, and those of their types
/// that are not PostgreSQL's own.
fn columns(
    row: &spi::Row<'_>,
    pool: &Pool,
    withhold_secrets: bool,
) -> Result<(Vec<Arc<Column>>, Vec<Oid>), Error> {
    let names: Vec<String> = row.must(10)?;
    let type_ids: Vec<Oid> = row.must(11)?;
    let data_types: Vec<String> = row.must(12)?;
    let nullables: Vec<bool> = row.must(13)?;
    let comments: Vec<Option<String>> = row.must(14)?;
    let labels: Vec<Option<String>> = row.must(15)?;
    let withhelds: Vec<bool> = row.must(16)?;
    let releaseds: Vec<bool> = row.must(17)?;
    let mut columns = Vec::with_capacity(names.len());
    let mut own_types = Vec::new();
    let said = withhelds.into_iter().zip(releaseds);
    let rest = nullables.into_iter().zip(comments).zip(labels.into_iter().zip(said));
    for (((name, type_id), data_type), ((nullable, comment), (labels, said))) in
        names.into_iter().zip(type_ids).zip(data_types).zip(rest)
    {
        let class = types::class_of(type_id);
        let said = match said {
            (true, _) => Values::Labelled,
            (_, true) => Values::Released,
            _ if !withhold_secrets => Values::Released,
            _ => Values::Shown,
        };
        let values = said.judged(&name, comment.as_deref(), class);
        if type_id.to_u32() >= pg_sys::FirstNormalObjectId && !own_types.contains(&type_id) {
            own_types.push(type_id);
        }
        let labels: Vec<String> =
            labels.map_or_else(|| Ok(Vec::new()), |json| spi::parse(&json))?;
        let column = Column {
            name: pool.texts.of(name),
            data_type: pool.texts.of(data_type),
            class,
            nullable,
            labels: labels.into(),
            comment: comment.map(String::into_boxed_str),
            values,
        };
        columns.push(pool.columns.of(column));
    }
    Ok((columns, own_types))
}
