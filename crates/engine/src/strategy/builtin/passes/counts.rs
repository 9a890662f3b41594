//! Conditions on numbers of rows: "more than 3 courses", "at least twice".

use crate::strategy::builtin::form::query::{Comparison, Condition, Expression, Operand};
use crate::strategy::builtin::words::lexicon::{Key, Words};

use super::left::Left;
use super::read::Reader;
use super::span::Span;

impl Reader<'_> {
    /// "less than 5 times", "2 or more records": rows are counted, whatever they are.
    pub fn counts_rows(&self, at: usize, left: &Left) -> bool {
        left.name.is_some() && (self.says_times(at) || self.names_rows(at))
    }

    /// "twice", "3 times".
    pub fn says_times(&self, at: usize) -> bool {
        self.says(at, Words::Times) && !self.is_named(at)
    }

    /// "records": rows, where nothing is called so.
    pub fn names_rows(&self, at: usize) -> bool {
        self.says(at, Words::Rows) && !self.is_named(at)
    }

    pub fn is_named(&self, at: usize) -> bool {
        self.units[at].column_score().max(self.units[at].table_score()) >= 0.9
    }

    pub fn times_condition(
        &mut self,
        at: usize,
        left: &Left,
        operator: Comparison,
        digits: &str,
        span: Span,
    ) {
        let Some(name) = left.name else { return };
        let counted = match self.table_rather(name) {
            // "who ordered more than 2 times" did so by orders
            Some(table) if Some(table) != self.subject() => table,
            Some(table) => self.user_of(table).unwrap_or(table),
            None => match self.column(name) {
                Some(column) => column.table,
                None => return,
            },
        };
        let rows = Some(at + 1).filter(|&i| self.counts_rows(i, left));
        let operand = Operand::Number(digits.to_owned());
        let condition = Condition::Compare(Expression::count(counted), operator, operand);
        self.add_having(span.and(rows), condition);
    }

    /// "more than 3 courses": a condition on the number of rows.
    pub fn count_condition(
        &mut self,
        at: usize,
        name: Option<usize>,
        operator: Comparison,
        digits: &str,
        span: Span,
    ) {
        let Some(name) = name.filter(|&n| self.is_name(n)) else {
            return;
        };
        let stored = self.table_rather(name).and_then(|t| self.stored_count(t));
        if let Some(column) = stored {
            let operand = Operand::Number(digits.to_owned());
            let condition = Condition::Compare(Expression::column(column), operator, operand);
            return self.add_filter(at, span.and([name]), condition);
        }
        let Some(expression) = self.rows_or_column(name, false) else { return };
        let helps = |i: &usize| matches!(self.key(*i), Some(Key::Count | Key::Distinct));
        let span = span.and([name]).and(name.checked_sub(1).filter(helps));
        let at_least_one = matches!(
            (operator, digits),
            (Comparison::GreaterOrEqual, "1") | (Comparison::Greater, "0")
        );
        if at_least_one {
            self.query.tables.insert(expression.target.table());
            return self.claim(span);
        }
        let operand = Operand::Number(digits.to_owned());
        self.add_having(span, Condition::Compare(expression, operator, operand));
    }
}
