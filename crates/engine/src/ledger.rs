//! The ledger of what leaves the database: the names, comments and stored values in the prompts
//! of each call to a model. It does not keep the contents.
//!
//! Code that puts part of the database into a prompt records it in [`Disclosure`]; the next call
//! includes these records. Text may still be shortened before it is sent, so the ledger lists at
//! least what left.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::catalog::{Catalog, ColumnId, TableId};
use crate::id_map::IdMap;

/// One call, or several sent together, as the ledger keeps it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LedgerEntry {
    /// Which step asked, e.g. `gsr.pre_sql`.
    pub step: String,
    /// The model's name.
    pub model: String,
    /// Requests sent together.
    pub requests: usize,
    /// Bytes of their messages and tools, or of the texts to embed, before any wire format.
    pub bytes: usize,
    /// Tables (`schema.table`) and columns (`schema.table.column`) whose names it contains. Here
    /// and below, what an earlier call of the same question contained is not repeated.
    pub names: Vec<String>,
    /// Tables and columns whose comment or summary it contains; `glossary` for its terms,
    /// `examples` for verified questions.
    pub comments: Vec<String>,
    /// Columns of which it contains stored values.
    pub values: Vec<String>,
}

/// A part of the database that has names, comments or values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    Name(TableId, Option<u16>),
    Comment(TableId, Option<u16>),
    Values(ColumnId),
    Glossary,
    Examples,
}

/// What the prompts of one question have shown so far.
#[derive(Debug, Default)]
pub struct Disclosure {
    /// Whether a call has already included it.
    parts: RefCell<IdMap<Part, bool>>,
    /// Columns whose values were left out, and why.
    withheld: RefCell<BTreeMap<ColumnId, String>>,
}

impl Disclosure {
    fn note(&self, part: Part) {
        self.parts.borrow_mut().entry(part).or_insert(false);
    }

    /// The table's name.
    pub fn table(&self, table: TableId) {
        self.note(Part::Name(table, None));
    }

    /// The table's comment, or a summary in its place.
    pub fn table_comment(&self, table: TableId) {
        self.note(Part::Comment(table, None));
    }

    /// The column's name, and its table's.
    pub fn column(&self, column: ColumnId) {
        self.table(column.table);
        self.note(Part::Name(column.table, Some(column.column)));
    }

    /// The column's comment.
    pub fn column_comment(&self, column: ColumnId) {
        self.note(Part::Comment(column.table, Some(column.column)));
    }

    /// Stored values of the column: examples, ranges, rows of a result.
    pub fn values(&self, column: ColumnId) {
        self.note(Part::Values(column));
    }

    /// The column was shown without values, and why.
    pub fn withheld(&self, column: ColumnId, why: String) {
        self.withheld.borrow_mut().insert(column, why);
    }

    /// The columns that were shown without values, and why.
    pub fn all_withheld(&self) -> BTreeMap<ColumnId, String> {
        self.withheld.borrow().clone()
    }

    /// The tables whose values are noted.
    pub fn tables_with_values(&self) -> BTreeSet<TableId> {
        let parts = self.parts.borrow();
        let tables = parts.keys().filter_map(|part| match part {
            Part::Values(column) => Some(column.table),
            _ => None,
        });
        tables.collect()
    }

    /// Terms of the glossary.
    pub fn glossary(&self) {
        self.note(Part::Glossary);
    }

    /// Verified questions.
    pub fn examples(&self) {
        self.note(Part::Examples);
    }

    /// The ledger's entry for what is about to be sent, without its size; its notes are taken.
    pub fn entry(&self, catalog: &Catalog, step: &str, model: &str) -> LedgerEntry {
        let (step, model) = (step.to_owned(), model.to_owned());
        let mut entry = LedgerEntry { step, model, ..LedgerEntry::default() };
        let mut parts = self.parts.borrow_mut();
        let fresh =
            |(&part, taken): (&Part, &mut bool)| (!std::mem::replace(taken, true)).then_some(part);
        let mut fresh: Vec<Part> = parts.iter_mut().filter_map(fresh).collect();
        fresh.sort_unstable();
        for part in fresh {
            match part {
                Part::Name(table, column) => entry.names.push(label(catalog, table, column)),
                Part::Comment(table, column) => entry.comments.push(label(catalog, table, column)),
                Part::Glossary => entry.comments.push("glossary".to_owned()),
                Part::Examples => entry.comments.push("examples".to_owned()),
                Part::Values(c) => entry.values.push(label(catalog, c.table, Some(c.column))),
            }
        }
        entry
    }
}

/// `schema.table` or `schema.table.column`, as stored.
fn label(catalog: &Catalog, table: TableId, column: Option<u16>) -> String {
    let t = catalog.table(table);
    match column {
        None => [&*t.schema, ".", &*t.name].concat(),
        Some(place) => [&*t.schema, ".", &*t.name, ".", &*t.columns[place as usize].name].concat(),
    }
}
