//! What tables take in a schema text whatever the question, computed once for a catalog: a question
//! considers a hundred tables and shows a few.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Plan;
use super::lists::{LISTED, listed_cost};
use super::render::kind;
use crate::catalog::{ColumnId, TableId};

/// Sizes by tables, and by whether stored values are told.
#[derive(Default)]
pub(super) struct Sizes(Mutex<HashMap<(TableId, bool), Size>>);

/// Bytes of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Its header and the lines of its keys.
    keys: usize,
    /// Its other columns by their types, and the room that they need for that.
    types: usize,
    types_room: usize,
    /// At least, its line if it is listed briefly; where not all names fit, only what is before them.
    brief: usize,
    bare: usize,
    /// The room that the names of all its columns need on such a line.
    names_room: usize,
    /// The column that names its rows.
    pub(super) naming: Option<ColumnId>,
}

impl Size {
    /// Header, keys and the names of the other columns; None where the room does not hold all.
    pub(super) fn least(&self, room: usize) -> Option<usize> {
        (self.types_room <= room).then_some(self.keys + self.types)
    }

    /// What its line is not shorter than if it is listed briefly.
    pub(super) fn briefly(&self, room: usize) -> usize {
        if self.names_room <= room { self.brief } else { self.bare }
    }
}

impl Plan<'_> {
    /// The sizes of a table; None where this view shows it in a way of its own.
    pub(super) fn size(&self, table: TableId) -> Option<Size> {
        let view = self.view;
        let own = !view.masked.is_empty()
            || !view.summaries.is_empty()
            || view.detailed.is_some()
            || view.keys_only
            || !self.rows.is_empty();
        if own {
            return None;
        }
        let key = (table, view.values && self.context.settings().send_values);
        let Sizes(known) = self.catalog.sizes(Sizes::default);
        // what it protects is valid at any moment
        let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock().get(&key).copied();
        Some(found.unwrap_or_else(|| {
            let size = self.sized(table);
            lock().insert(key, size);
            size
        }))
    }

    fn sized(&self, table: TableId) -> Size {
        let keys = self.key_columns(table);
        let all: Vec<ColumnId> = self.shown_columns(table).collect();
        let others: Vec<ColumnId> = all.iter().copied().filter(|c| !keys.contains(c)).collect();
        let lines = keys.iter().map(|&column| self.column_line(column).len() + 1);
        let naming = self.naming_column(table);
        let named = all.iter().filter(|&c| keys.contains(c) || naming == Some(*c));
        let named: usize = named.map(|&column| self.name(column).len() + LISTED).sum();
        let source = kind(self.catalog.table(table).kind);
        let bare = source.len() + self.context.table_sql(table).len() + " ()\n".len();
        Size {
            keys: self.header(table).len() + lines.sum::<usize>(),
            types_room: self.types_cost(&others),
            types: self.by_type(others, usize::MAX).len(),
            brief: bare + named.saturating_sub(LISTED),
            bare,
            names_room: listed_cost(&self.listed_names(table, all, usize::MAX)),
            naming,
        }
    }
}
