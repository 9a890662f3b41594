//! Statistics that a session keeps, by the places of the tables in its catalog.

use std::sync::Arc;

use pgrx::pg_sys::Oid;
use text2sql_engine::catalog::{Table, TableId, TableStatistics};
use text2sql_engine::id_map::{IdMap, IdSet};

use super::searched::Searched;
use crate::row_versions::{self, Moment, Versions};

/// Common values that a session keeps for all tables before it starts over: about 15 MB with
/// what finds them.
const MOST_VALUES: usize = 100_000;

/// Statistics that a session keeps.
#[derive(Default)]
pub struct Known {
    tables: IdMap<TableId, Entry>,
    /// Common values of all of them.
    values: usize,
    /// Tables whose rows were compared with those that were read, at this moment.
    looked_at: IdSet<TableId>,
    moment: Option<Moment>,
    /// The common values of tables that were searched.
    searched: Searched,
}

/// What is known of one table.
#[derive(Clone)]
pub struct Entry {
    /// The statistics themselves.
    pub statistics: Arc<TableStatistics>,
    /// What its rows said, if they were sampled for columns that were never analysed.
    pub rows: Option<RowsRead>,
}

/// Which rows of a table were read.
#[derive(Clone, Copy)]
pub struct RowsRead {
    /// All rows, with all their values except long ones.
    pub all: bool,
    /// The versions of a small table's rows: they are read again when they change.
    pub versions: Option<Versions>,
}

impl Known {
    /// Carry statistics over to another catalog, given the places of its tables; None for one that
    /// must be read again.
    pub fn moved(&self, place: impl Fn(TableId) -> Option<TableId>) -> Self {
        let mut moved = Self::default();
        for (&table, entry) in &self.tables {
            if let Some(to) = place(table) {
                moved.keep(to, entry.clone());
            }
        }
        moved
    }

    /// Forget those of some tables.
    pub fn forget(&mut self, gone: impl Fn(TableId) -> bool) {
        let gone: Vec<TableId> = self.tables().filter(|table| gone(*table)).collect();
        gone.into_iter().for_each(|table| self.remove(table));
    }

    /// From now on rows may be others than in the call before, unless nothing was written since.
    pub fn begin_call(&mut self) {
        let moment = Moment::now();
        if moment.is_none() || moment != self.moment {
            self.looked_at.clear();
        }
        self.moment = moment;
        // not in the course of a search
        if self.searched.values() > MOST_VALUES {
            self.searched = Searched::default();
        }
    }

    fn remove(&mut self, table: TableId) {
        self.searched.forget(table);
        self.values -= self.tables.remove(&table).map_or(0, |entry| values_of(&entry.statistics));
    }

    /// What is known about the table `oid`; nothing from rows that changed before this call.
    pub fn of(&mut self, table: TableId, oid: Oid) -> Option<Entry> {
        let entry = self.tables.get(&table)?;
        let versions = entry.rows.and_then(|rows| rows.versions);
        let unseen = versions.is_some() && self.looked_at.insert(table);
        if unseen && row_versions::of_small_table(oid) != versions {
            self.remove(table);
            return None;
        }
        Some(entry.clone())
    }

    /// From now on `known` is what a search finds of a table.
    pub fn hold(&mut self, id: TableId, table: &Table, known: &Arc<TableStatistics>) {
        self.searched.hold(id, table, known);
    }

    /// What a search finds.
    pub fn searched(&self) -> &Searched {
        &self.searched
    }

    /// The tables that are known.
    pub fn tables(&self) -> impl Iterator<Item = TableId> {
        self.tables.keys().copied()
    }

    /// Keep statistics of a table.
    pub fn keep(&mut self, table: TableId, entry: Entry) {
        if self.values > MOST_VALUES {
            let searched = std::mem::take(&mut self.searched);
            *self = Self { searched, ..Self::default() };
        }
        self.remove(table);
        self.looked_at.insert(table);
        self.values += values_of(&entry.statistics);
        self.tables.insert(table, entry);
    }
}

fn values_of(statistics: &TableStatistics) -> usize {
    statistics.columns.iter().map(|column| column.common.len()).sum()
}
