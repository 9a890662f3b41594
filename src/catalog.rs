//! The catalog as the caller may read it, kept for the session until something it shows changes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CString;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pgrx::pg_sys::{self, Oid};
use serde::Deserialize;
use text2sql_engine::catalog::{
    Catalog, Column, ColumnId, ForeignKey, KeyKind, Table, TableId, TableKind, TableStatistics,
};
use text2sql_engine::error::Error;

use crate::{spi, types};

/// The catalog with what only this adapter needs to know of it.
pub struct Snapshot {
    /// What the engine sees.
    pub catalog: Arc<Catalog>,
    /// Positions by relation OID.
    pub by_oid: HashMap<Oid, TableId>,
    /// PostgreSQL's column numbers, in the order of [`Table::columns`], a table.
    numbers: Vec<Vec<i16>>,
    /// Statistics read so far.
    pub statistics: RefCell<HashMap<TableId, Arc<TableStatistics>>>,
}

impl Snapshot {
    /// The column of a table by PostgreSQL's column number, if the caller may read it.
    pub fn column(&self, table: TableId, number: i16) -> Option<ColumnId> {
        let place = self.numbers[table.0 as usize].iter().position(|&n| n == number)?;
        Some(ColumnId { table, column: place as u16 })
    }

    /// A table's OID.
    pub fn oid(&self, table: TableId) -> Oid {
        Oid::from(self.catalog.table(table).native_id as u32)
    }
}

/// What a kept snapshot was made for; a different key needs a new snapshot.
#[derive(PartialEq)]
struct Key {
    role: Oid,
    search_path: Vec<Oid>,
    /// Comments and security labels, which invalidate nothing.
    fingerprint: String,
    /// A transaction that keeps one snapshot of the data sees its own catalog: its start.
    frozen_since: Option<pg_sys::TimestampTz>,
}

thread_local! {
    static KEPT: RefCell<Option<(Key, Rc<Snapshot>)>> = const { RefCell::new(None) };
}

/// Something that the catalog shows has changed since it was kept.
static CHANGED: AtomicBool = AtomicBool::new(false);

/// Ask PostgreSQL to tell of changes. Called once, from `_PG_init`.
pub fn register() {
    use pg_sys::SysCacheIdentifier as Cache;
    // New and changed tables, columns, keys, rights, policies and statistics come as relation
    // changes; these are the rest.
    let caches = [
        Cache::NAMESPACEOID,
        Cache::CONSTROID,
        Cache::TYPEOID,
        Cache::ENUMOID,
        Cache::AUTHOID,
        Cache::AUTHMEMMEMROLE,
    ];
    // SAFETY: called from _PG_init; the callbacks only set a flag.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(relation_changed), pg_sys::Datum::null());
        for cache in caches {
            pg_sys::CacheRegisterSyscacheCallback(
                cache as i32,
                Some(cache_changed),
                pg_sys::Datum::null(),
            );
        }
    }
}

unsafe extern "C-unwind" fn relation_changed(_: pg_sys::Datum, _relation: Oid) {
    CHANGED.store(true, Ordering::Relaxed);
}

unsafe extern "C-unwind" fn cache_changed(_: pg_sys::Datum, _cache: i32, _hash: u32) {
    CHANGED.store(true, Ordering::Relaxed);
}

/// The catalog of this moment: the kept one where nothing it shows has changed.
pub fn snapshot() -> Result<Rc<Snapshot>, Error> {
    // SAFETY: takes in what other sessions committed; may call the callbacks above.
    unsafe { pg_sys::AcceptInvalidationMessages() };
    let key = current_key()?;
    let changed = CHANGED.swap(false, Ordering::Relaxed);
    if !changed
        && let Some(kept) = KEPT.with_borrow(|kept| {
            kept.as_ref().filter(|(of, _)| *of == key).map(|(_, snapshot)| snapshot.clone())
        })
    {
        return Ok(kept);
    }
    KEPT.set(None);
    let snapshot = Rc::new(load()?);
    KEPT.set(Some((key, snapshot.clone())));
    Ok(snapshot)
}

fn current_key() -> Result<Key, Error> {
    let fingerprint = spi::read(include_str!("../sql/fingerprint.sql"), &[], |row| row.must(1))?
        .pop()
        .unwrap_or_default();
    // SAFETY: plain reads of the session's state.
    unsafe {
        let frozen = pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32;
        Ok(Key {
            role: pg_sys::GetUserId(),
            search_path: search_path(),
            fingerprint,
            frozen_since: frozen.then(|| pg_sys::GetCurrentTransactionStartTimestamp()),
        })
    }
}

/// The schemas of the search path that exist and that the caller may use, in order.
pub fn search_path() -> Vec<Oid> {
    // SAFETY: gives a list of OIDs that is ours to free.
    unsafe {
        let list = pg_sys::fetch_search_path(false);
        let path = pgrx::PgList::<Oid>::from_pg(list);
        path.iter_oid().collect()
    }
}

#[derive(Deserialize)]
struct KeyRow {
    primary: bool,
    columns: Vec<i16>,
}

#[derive(Deserialize)]
struct ForeignKeyRow {
    name: String,
    columns: Vec<i16>,
    to: u32,
    to_columns: Vec<i16>,
}

/// A row of `catalog.sql`.
struct TableRow {
    table: Table,
    numbers: Vec<i16>,
    foreign_keys: Vec<ForeignKeyRow>,
}

fn load() -> Result<Snapshot, Error> {
    let mut rows = spi::read(include_str!("../sql/catalog.sql"), &[], table_row)?;
    for row in &mut rows {
        // under the caller's search path, not under ours
        row.table.visible = is_visible(Oid::from(row.table.native_id as u32), &row.table.name);
    }
    let by_oid: HashMap<Oid, TableId> = rows
        .iter()
        .zip(0..)
        .map(|(row, i)| (Oid::from(row.table.native_id as u32), TableId(i)))
        .collect();
    let keys = rows
        .iter()
        .zip(0..)
        .flat_map(|(row, i)| row.foreign_keys.iter().map(move |key| (TableId(i), key)))
        .filter_map(|(from, key)| foreign_key(&rows, &by_oid, from, key))
        .collect();
    let numbers = rows.iter().map(|row| row.numbers.clone()).collect();
    let tables = rows.into_iter().map(|row| row.table).collect();
    let catalog = Arc::new(Catalog::new(tables, keys));
    Ok(Snapshot { catalog, by_oid, numbers, statistics: RefCell::default() })
}

fn table_row(row: &spi::Row<'_>) -> Result<TableRow, Error> {
    let oid: Oid = row.must(1)?;
    let kind: String = row.must(4)?;
    let numbers: Vec<i16> = row.must(7)?;
    let keys: Vec<KeyRow> = row.json(15)?;
    let places = |key: &KeyRow| places(&numbers, &key.columns);
    let primary_key = keys.iter().find(|k| k.primary).and_then(places).unwrap_or_default();
    let unique_keys = keys.iter().filter(|k| !k.primary).filter_map(places).collect();
    let table = Table {
        native_id: u64::from(oid.to_u32()),
        schema: row.must(2)?,
        name: row.must(3)?,
        visible: false,
        kind: match kind.as_str() {
            "p" => TableKind::Partitioned,
            "v" => TableKind::View,
            "m" => TableKind::MaterializedView,
            "f" => TableKind::Foreign,
            _ => TableKind::Table,
        },
        comment: row.get(5)?,
        rows: row.get(6)?,
        columns: columns(row)?,
        primary_key,
        unique_keys,
    };
    Ok(TableRow { table, numbers, foreign_keys: row.json(16)? })
}

/// The columns of a row of `catalog.sql`: parallel arrays.
fn columns(row: &spi::Row<'_>) -> Result<Vec<Column>, Error> {
    let names: Vec<String> = row.must(8)?;
    let type_ids: Vec<Oid> = row.must(9)?;
    let data_types: Vec<String> = row.must(10)?;
    let nullables: Vec<bool> = row.must(11)?;
    let comments: Vec<Option<String>> = row.must(12)?;
    let labels: Vec<Option<String>> = row.must(13)?;
    let withhelds: Vec<bool> = row.must(14)?;
    let mut columns = Vec::with_capacity(names.len());
    let rest = nullables.into_iter().zip(comments).zip(labels.into_iter().zip(withhelds));
    for (((name, type_id), data_type), ((nullable, comment), (labels, withheld))) in
        names.into_iter().zip(type_ids).zip(data_types).zip(rest)
    {
        columns.push(Column {
            name,
            data_type,
            class: types::class_of(type_id),
            nullable,
            labels: labels.map_or_else(|| Ok(Vec::new()), |json| spi::parse(&json))?,
            comment,
            values_withheld: withheld,
        });
    }
    Ok(columns)
}

/// Column numbers as places; None when the caller may not read one of them.
fn places(numbers: &[i16], key: &[i16]) -> Option<Vec<u16>> {
    key.iter().map(|k| numbers.iter().position(|n| n == k).map(|place| place as u16)).collect()
}

fn foreign_key(
    rows: &[TableRow],
    by_oid: &HashMap<Oid, TableId>,
    from: TableId,
    key: &ForeignKeyRow,
) -> Option<ForeignKey> {
    let to = *by_oid.get(&Oid::from(key.to))?;
    Some(ForeignKey {
        name: key.name.clone(),
        from,
        from_columns: places(&rows[from.0 as usize].numbers, &key.columns)?,
        to,
        to_columns: places(&rows[to.0 as usize].numbers, &key.to_columns)?,
        kind: KeyKind::Declared,
    })
}

/// Whether the bare name reaches the relation, both in the caller's session, where temporary
/// tables come first, and where generated SQL runs, where they come last.
fn is_visible(relation: Oid, name: &str) -> bool {
    let Ok(name) = CString::new(name) else { return false };
    // SAFETY: system cache look-ups.
    unsafe {
        let temporary = pg_sys::LookupExplicitNamespace(c"pg_temp".as_ptr(), true);
        let shadow = if temporary == pg_sys::InvalidOid {
            pg_sys::InvalidOid
        } else {
            pg_sys::get_relname_relid(name.as_ptr(), temporary)
        };
        let first = shadow == pg_sys::InvalidOid || shadow == relation;
        let last = shadow != relation || !hidden_by_another(relation, &name);
        first && last && pg_sys::RelationIsVisible(relation)
    }
}

/// Whether a schema of the search path has another relation of the temporary table's name.
fn hidden_by_another(temporary: Oid, name: &std::ffi::CStr) -> bool {
    search_path().into_iter().any(|schema| {
        // SAFETY: a system cache look-up.
        let other = unsafe { pg_sys::get_relname_relid(name.as_ptr(), schema) };
        other != pg_sys::InvalidOid && other != temporary
    })
}
