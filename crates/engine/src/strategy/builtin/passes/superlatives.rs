//! What "the most", "the largest" and "the highest" rank by: a measure, or a number of rows.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::{Aggregate, Expression, Target};
use crate::strategy::builtin::words::lexicon;

use super::ranking::Ranked;
use super::read::Reader;

impl Reader<'_> {
    /// What "the most …" ranks by: the name is a measure, or its rows are counted.
    pub fn superlative_expression(&mut self, at: usize, ranked: Ranked) -> Option<Expression> {
        let Ranked { name, counted, aggregate } = ranked;
        let (column, table) = (self.column(name), self.table_rather(name));
        let measured = column.filter(|&c| self.facts.measures(c));
        let (size, plural) = (self.is_size(at), self.is_plural(name));
        if aggregate.is_none()
            && size
            && !counted
            && let Some(table) = table
        {
            return self.size(at, table).map(Expression::column);
        }
        let plain = column.filter(|_| aggregate.is_none() && !size);
        // "the most departures" are the most rows, not the last time
        let happens = plain.filter(|&c| self.facts.temporal(c) && !self.facts.numeric(c) && plural);
        if let Some(column) = happens {
            return Some(Expression::count(column.table));
        }
        if let Some(column) =
            plain.filter(|&c| self.facts.numeric(c) && table.is_none() && !counted)
        {
            let total = Expression::aggregate(Aggregate::Sum, Target::Column(column));
            // "the most minutes" of who has many rows of them
            if self.many_to(column.table) {
                return Some(total);
            }
            // "on which day were the most hours worked": of all rows of the day
            let head = self.head_column(at).filter(|head| plural && head.table == column.table);
            if let Some(head) = head.filter(|&head| !self.facts.identifies(head)) {
                self.group_by([], Target::Column(head));
                return Some(total);
            }
        }
        if counted || table.is_some() && aggregate.is_none() {
            return self.number_of(name);
        }
        Some(match (aggregate, measured, table) {
            (Some(a), Some(column), _) => Expression::aggregate(a, Target::Column(column)),
            (Some(a), None, Some(table)) => {
                let amount = self.own_measure(table, &["amount".to_owned()]);
                match amount.or_else(|| self.facts.sole_measure(table)) {
                    Some(amount) => Expression::aggregate(a, Target::Column(amount)),
                    None => return None,
                }
            }
            (None, Some(column), _) => Expression::column(column),
            // "the most authors": names are counted
            _ if plural => {
                let counted = column.filter(|c| self.head_column(at) != Some(*c))?;
                Expression::count(counted.table)
            }
            _ => Expression::column(column?),
        })
    }

    /// "the number of floors": a number that is stored, or of rows.
    pub fn number_of(&self, name: usize) -> Option<Expression> {
        let stored = self.table_rather(name).and_then(|table| self.stored_count(table));
        let held = || self.own_column(name).filter(|&c| self.facts.numeric(c));
        let column = stored.or_else(held).map(Expression::column);
        column.or_else(|| self.rows_or_column(name, false))
    }

    /// Whether the superlative is of a size rather than of a number: "the largest", not "the most".
    pub fn is_size(&self, at: usize) -> bool {
        lexicon::size(self.word(at)).is_some()
    }

    /// What makes a row of the table itself "the largest": its size, or all that it measures.
    pub fn size(&self, at: usize, table: TableId) -> Option<ColumnId> {
        let nouns = lexicon::size(self.word(at))?;
        self.own_measure(table, nouns).or_else(|| self.facts.sole_measure(table))
    }
}
