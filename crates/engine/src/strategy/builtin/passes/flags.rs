//! What a question says by a flag: a column that is true or false.

use crate::catalog::{ColumnId, TypeClass};
use crate::strategy::builtin::form::query::{Condition, Operand};
use crate::strategy::builtin::words::lexicon::Key;

use super::read::Reader;

impl Reader<'_> {
    /// The word that negates the flag at `at`: "were not paid", "have not been paid", "do not have".
    pub fn negation(&self, at: usize) -> Option<usize> {
        self.before_verb(at).filter(|&i| self.is(i, Key::Not) && self.is_free(i))
    }

    /// That a flag is true, or not; None for any other column.
    pub fn flag(&self, column: ColumnId, negated: bool) -> Option<Condition> {
        if self.catalog.column(column).class == TypeClass::Boolean {
            return Some(Condition::IsTrue { column, negated });
        }
        let [no, yes] = self.flags.pairs.get(&column)?;
        let value = if negated { no } else { yes }.clone();
        Some(self.is_value(column, value))
    }

    /// That a row has none of what the column holds: the value that says so, or no value.
    pub fn has_none(&self, column: ColumnId) -> Condition {
        match (self.flag(column, true), self.flags.none.get(&column)) {
            (Some(no), _) => no,
            (_, Some(no)) => self.is_value(column, no.clone()),
            _ => Condition::IsNull { column, negated: false },
        }
    }

    fn is_value(&self, column: ColumnId, value: String) -> Condition {
        Condition::equal(column, self.literal(column, value))
    }

    /// A value as a column holds it.
    pub fn literal(&self, column: ColumnId, value: String) -> Operand {
        match self.catalog.column(column).class.is_numeric() {
            true => Operand::Number(value),
            false => Operand::Text(value),
        }
    }
}
