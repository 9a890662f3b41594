//! What two rows share: "who works in the same department as Clara" asks for rows that agree in one
//! column with the row named after "as".

use crate::catalog::{ColumnId, KeyEnds};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{Condition, Operand, Query};
use crate::strategy::builtin::words::evidence::{StoredValue, UnitKind};
use crate::strategy::builtin::words::lexicon::Key;

use super::read::Reader;

/// How far after "as" the name of the other row may stand, in units.
const REACH: usize = 6;

impl Reader<'_> {
    /// "the same department as Clara", with "same" at `at`.
    pub fn read_alike(&mut self, at: usize) {
        let name = at + 1;
        if self.word(name + 1) != "as" {
            return;
        }
        let Some(shared) = self.shared_column(name).filter(|_| self.is_name(name)) else { return };
        let (filters, end) = self.row_named(name + 2, shared);
        if filters.is_empty() {
            return;
        }
        self.entity.get_or_insert(shared.table);
        let condition = Condition::among(shared, Query { filters, ..Query::of(shared) });
        self.add_filter(at, at..end, condition);
    }

    /// The subject's column that the name at `at` says: its own, or its only key to that thing.
    fn shared_column(&self, at: usize) -> Option<ColumnId> {
        let spoken_of = (0..at).find_map(|i| self.table_rather(i));
        if let Some(thing) = self.table_rather(at) {
            let of_people = |k: KeyEnds| match spoken_of {
                Some(table) => k.from == table,
                // "who works in the same department": the rows that have the name after "as"
                None => self.units[at..].iter().any(|u| {
                    u.kind == UnitKind::Value && u.values.iter().any(|v| v.column.table == k.from)
                }),
            };
            let keys = self.catalog.keys_that(|k| k.to == thing && of_people(k));
            let key = only(keys.filter(|k| k.from_columns.len() == 1))?;
            return Some(key.first_pair().0);
        }
        let subject = spoken_of.or_else(|| self.subject());
        self.column(at).filter(|c| Some(c.table) == subject)
    }

    /// The values from `from` on that name a row of the shared column's table, and the first unit
    /// after them.
    fn row_named(&self, from: usize, shared: ColumnId) -> (Vec<Condition>, usize) {
        let (mut filters, mut end) = (Vec::new(), from);
        for at in from..self.units.len().min(from + REACH) {
            let unit = &self.units[at];
            let here = |v: &&StoredValue| v.column.table == shared.table;
            let named = |v: &&StoredValue| self.facts.display(shared.table).contains(&v.column);
            match unit.values.iter().filter(here).min_by_key(|v| !named(v)) {
                Some(value) if unit.kind == UnitKind::Value => {
                    let operand = Operand::Text(value.text.clone());
                    filters.push(Condition::equal(value.column, operand));
                    end = at + 1;
                }
                _ if !filters.is_empty() => break,
                _ if self.is_thin(at) || unit.kind == UnitKind::Name => {}
                _ if matches!(self.key(at), Some(Key::Named | Key::Clause | Key::Is)) => {}
                _ => break,
            }
        }
        (filters, end)
    }
}
