//! What "the most", "the largest" and "the highest" rank by: a measure, or a number of rows.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::{Aggregate, Expression, Target};
use crate::strategy::builtin::words::lexicon;

use super::read::{Group, Reader};

impl Reader<'_> {
    /// What "the most …" ranks by: the name is a measure, or its rows are counted.
    pub fn superlative_expression(
        &mut self,
        at: usize,
        name: usize,
        counted: bool,
        aggregate: Option<Aggregate>,
    ) -> Option<Expression> {
        let (column, table) = (self.column(name), self.table_rather(name));
        let measured = column.filter(|&c| self.facts.measures(c));
        let by_itself = table.filter(|_| !counted && aggregate.is_none() && self.is_size(at));
        if let Some(table) = by_itself {
            return self.size(at, table).map(Expression::column);
        }
        // "the most departures" are the most rows, not the last time
        let happens = column
            .filter(|&c| self.facts.temporal(c) && !self.facts.numeric(c) && self.is_plural(name));
        if let Some(column) = happens.filter(|_| aggregate.is_none() && !self.is_size(at)) {
            return Some(Expression::count(column.table));
        }
        // "the most minutes" of who has many rows of them
        let total = measured.filter(|&c| self.facts.numeric(c) && table.is_none() && !counted);
        if let Some(column) = total.filter(|_| aggregate.is_none() && !self.is_size(at))
            && self.many_to(column.table)
        {
            return Some(Expression::aggregate(Aggregate::Sum, Target::Column(column)));
        }
        // "on which day were the most hours worked": of all rows of the day
        if let Some(column) = total
            && aggregate.is_none()
            && !self.is_size(at)
            && self.is_plural(name)
            && let Some(head) = self.head_column(at)
            && head.table == column.table
            && !self.facts.identifies(head)
        {
            self.group_by([], Group::Column(head));
            return Some(Expression::aggregate(Aggregate::Sum, Target::Column(column)));
        }
        Some(match (counted, aggregate, measured, table) {
            (false, Some(a), Some(column), _) => Expression::aggregate(a, Target::Column(column)),
            (false, None, Some(column), None) => Expression::column(column),
            (true, _, Some(column), None) if self.facts.numeric(column) => {
                Expression::column(column)
            }
            (false, Some(a), _, Some(table)) => {
                let amount = self.measure(&["amount".to_owned()], &[table]);
                let amount = amount.filter(|c| c.table == table && self.facts.numeric(*c));
                match amount.or_else(|| self.facts.sole_measure(table)) {
                    Some(amount) => Expression::aggregate(a, Target::Column(amount)),
                    // "the most items in total"
                    None if a == Aggregate::Sum && !self.word(at).contains("amount") => {
                        self.rows_or_column(name, false)?
                    }
                    None => return None,
                }
            }
            (_, None, _, Some(table)) if self.stored_count(table).is_some() => {
                Expression::column(self.stored_count(table)?)
            }
            (_, _, _, Some(_)) | (true, ..) => self.rows_or_column(name, false)?,
            // "the most authors": names are counted
            _ if measured.is_none() && self.is_plural(name) => {
                let counted = column.filter(|c| self.head_column(at) != Some(*c))?;
                Expression::count(counted.table)
            }
            _ => Expression::column(column?),
        })
    }

    /// Whether the superlative is of a size rather than of a number: "the largest", not "the most".
    pub fn is_size(&self, at: usize) -> bool {
        lexicon::size(self.word(at)).is_some()
    }

    /// What makes a row of the table itself "the largest": its size, or all that it measures.
    pub fn size(&self, at: usize, table: TableId) -> Option<ColumnId> {
        let mut nouns = lexicon::size(self.word(at))?.iter().cloned();
        let own = |noun: String| self.measure(&[noun], &[table]).filter(|c| c.table == table);
        nouns.find_map(own).or_else(|| self.facts.sole_measure(table))
    }
}
