//! Reading which columns are indexed and which a search must scan.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pgrx::pg_sys::Oid;
use text2sql_engine::catalog::{ColumnId, TableId};
use text2sql_engine::error::Error;
use text2sql_engine::id_map::IdMap;

use super::owner::owner;
use crate::catalog::Snapshot;
use crate::catalog::indexed_columns::IndexedColumns;
use crate::pg::spi;

/// The table whose changes mark those of the index (`sql/value_index.sql`).
const TABLE: &std::ffi::CStr = c"indexed_column";

/// The indexed columns of a snapshot, read once.
pub fn indexed_columns(snapshot: &Snapshot) -> Result<Rc<IndexedColumns>, Error> {
    if let Some(known) = &*snapshot.indexed.borrow() {
        return Ok(Rc::clone(known));
    }
    let read = Rc::new(read(snapshot)?);
    snapshot.indexed.replace(Some(Rc::clone(&read)));
    Ok(read)
}

/// The searchable columns of a table that are not indexed.
pub fn open_columns(
    snapshot: &Snapshot,
    indexed: &IndexedColumns,
    table: TableId,
) -> Rc<[ColumnId]> {
    let searchable = snapshot.catalog.column_ids(table).filter(|&c| snapshot.is_searchable(c));
    indexed.open_columns(table, searchable)
}

fn read(snapshot: &Snapshot) -> Result<IndexedColumns, Error> {
    let mut indexed: Vec<(i32, Oid, i16)> = Vec::new();
    if spi::may_have_rows(TABLE)? {
        indexed = spi::as_role(owner()?, || {
            spi::read(include_str!("../../../sql/indexed_columns.sql"), &[], |row| {
                Ok((row.must(1)?, row.must(2)?, row.must(3)?))
            })
        })?;
    }
    let all = indexed.len();
    let mut about: HashSet<Oid> = indexed.iter().map(|(_, relation, _)| *relation).collect();
    about.extend(spi::own_table(TABLE));
    let readable = |(id, relation, number): (i32, Oid, i16)| {
        let table = snapshot.table(relation)?;
        let column = snapshot.column(table, number)?;
        snapshot.is_searchable(column).then_some((id, column))
    };
    let columns: HashMap<i32, ColumnId> = indexed.into_iter().filter_map(readable).collect();
    let ids: IdMap<ColumnId, i32> = columns.iter().map(|(&id, &column)| (column, id)).collect();
    let catalog = &snapshot.catalog;
    let is_open = |c: ColumnId| snapshot.is_searchable(c) && !ids.contains_key(&c);
    let indexed: HashSet<TableId> = ids.keys().map(|column| column.table).collect();
    let mut open = snapshot.searchable_tables();
    open.retain(|t| !indexed.contains(t) || catalog.column_ids(*t).any(is_open));
    let mut has_open = vec![false; catalog.table_ids().count()];
    open.iter().for_each(|table| has_open[table.0 as usize] = true);
    let (whole, open_columns) = (columns.len() == all, RefCell::default());
    Ok(IndexedColumns { whole, columns, ids, open, is_open: has_open, open_columns, about })
}
