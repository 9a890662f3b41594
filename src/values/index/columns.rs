//! Which columns are indexed and which a search must scan, kept with the catalog: a database may
//! have a hundred thousand columns, of which a question concerns few.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pgrx::pg_sys::Oid;
use text2sql_engine::catalog::{ColumnId, TableId};
use text2sql_engine::error::Error;
use text2sql_engine::id_map::IdMap;

use super::owner;
use crate::catalog::Snapshot;
use crate::pg::spi;
use crate::values::is_searchable;

/// The table whose changes mark those of the index (`sql/value_index.sql`).
const TABLE: &std::ffi::CStr = c"indexed_column";

/// The indexed columns, and the tables with others.
pub struct IndexedColumns {
    /// The indexed columns that the caller may read, by their numbers in the index.
    columns: HashMap<i32, ColumnId>,
    /// The reverse.
    ids: IdMap<ColumnId, i32>,
    /// Whether the caller may read everything that is indexed.
    whole: bool,
    /// Tables with searchable columns that are not indexed, the smallest first.
    open: Vec<TableId>,
    /// Whether each table is one of them.
    is_open: Vec<bool>,
    /// Those columns, of tables that were searched.
    open_columns: RefCell<IdMap<TableId, Rc<[ColumnId]>>>,
    /// Relations whose changes invalidate this.
    about: HashSet<Oid>,
}

impl IndexedColumns {
    /// The current ones.
    pub fn of(snapshot: &Snapshot) -> Result<Rc<Self>, Error> {
        if let Some(known) = &*snapshot.indexed.borrow() {
            return Ok(Rc::clone(known));
        }
        let read = Rc::new(Self::read(snapshot)?);
        snapshot.indexed.replace(Some(Rc::clone(&read)));
        Ok(read)
    }

    fn read(snapshot: &Snapshot) -> Result<Self, Error> {
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
            is_searchable(snapshot, column).then_some((id, column))
        };
        let columns: HashMap<i32, ColumnId> = indexed.into_iter().filter_map(readable).collect();
        let ids: IdMap<ColumnId, i32> = columns.iter().map(|(&id, &column)| (column, id)).collect();
        let catalog = &snapshot.catalog;
        let is_open = |c: ColumnId| is_searchable(snapshot, c) && !ids.contains_key(&c);
        let indexed: HashSet<TableId> = ids.keys().map(|column| column.table).collect();
        let mut open = snapshot.searchable_tables();
        open.retain(|t| !indexed.contains(t) || catalog.column_ids(*t).any(is_open));
        let mut has_open = vec![false; catalog.table_ids().count()];
        open.iter().for_each(|table| has_open[table.0 as usize] = true);
        let (whole, open_columns) = (columns.len() == all, RefCell::default());
        Ok(Self { whole, columns, ids, open, is_open: has_open, open_columns, about })
    }

    /// Whether a change of these relations invalidates this.
    pub fn is_about(&self, changed: &HashSet<Oid>) -> bool {
        let (few, many) = match changed.len() < self.about.len() {
            true => (changed, &self.about),
            false => (&self.about, changed),
        };
        few.iter().any(|relation| many.contains(relation))
    }

    /// The indexed column with a number, if the caller may read it.
    pub fn column(&self, id: i32) -> Option<ColumnId> {
        self.columns.get(&id).copied()
    }

    /// Whether a column need not be scanned.
    pub fn has(&self, column: ColumnId) -> bool {
        self.ids.contains_key(&column)
    }

    /// The index numbers of `columns`, or of all if it is empty; None for everything indexed.
    pub fn numbers(&self, columns: &[ColumnId]) -> Option<Vec<i32>> {
        match columns {
            [] if self.whole && !self.columns.is_empty() => None,
            [] => Some(self.columns.keys().copied().collect()),
            some => Some(some.iter().filter_map(|c| self.ids.get(c).copied()).collect()),
        }
    }

    /// The tables with searchable columns that are not indexed, the smallest first.
    pub fn open_tables(&self) -> &[TableId] {
        &self.open
    }

    /// Whether a table is one of them.
    pub fn is_open(&self, table: TableId) -> bool {
        self.is_open[table.0 as usize]
    }

    /// The searchable columns of a table of `snapshot` that are not indexed.
    pub fn open_columns(&self, snapshot: &Snapshot, table: TableId) -> Rc<[ColumnId]> {
        let open = |&c: &ColumnId| is_searchable(snapshot, c) && !self.has(c);
        let columns = || snapshot.catalog.column_ids(table).filter(open).collect();
        let mut known = self.open_columns.borrow_mut();
        Rc::clone(known.entry(table).or_insert_with(columns))
    }
}
