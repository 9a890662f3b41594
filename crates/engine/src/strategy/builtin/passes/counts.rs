//! Conditions on numbers of rows: "more than 3 courses", "at least twice".

use crate::strategy::builtin::form::query::{Comparison, Expression, Target};
use crate::strategy::builtin::words::lexicon::{Key, Words};

use super::left::Left;
use super::numbers::Bound;
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

    /// "more than 2 times", where what is counted ends at `after`.
    pub fn times_condition(&mut self, bound: Bound<'_>, after: usize) {
        let Some(name) = bound.left.name else { return };
        let column = || self.column(name).map(|c| c.table);
        let Some(thing) = self.table_rather(name).or_else(column) else { return };
        // "who ordered more than 2 times" did so by orders
        let own = Some(thing) == self.subject();
        let counted = Some(thing).filter(|_| own).and_then(|thing| self.user_of(thing));
        let counted = counted.unwrap_or(thing);
        let rows = Some(after).filter(|&i| self.counts_rows(i, &bound.left));
        let condition = bound.of(Expression::count(counted));
        self.add_having(bound.span.phrase(rows), condition);
    }

    /// "more than 3 courses": a condition on the number of rows.
    pub fn count_condition(&mut self, bound: Bound<'_>, name: Option<usize>) {
        let Some(name) = name.filter(|&n| self.is_name(n)) else { return };
        let stored = self.table_rather(name).and_then(|t| self.stored_count(t));
        if let Some(column) = stored {
            let condition = bound.of(Expression::column(column));
            return self.add_filter(bound.at, bound.span.and([name]), condition);
        }
        let Some(expression) = self.rows_or_column(name, false) else { return };
        let helps = |i: &usize| matches!(self.key(*i), Some(Key::Count | Key::Distinct));
        let at_least_one = matches!(
            (bound.operator, bound.digits),
            (Comparison::GreaterOrEqual, "1") | (Comparison::Greater, "0")
        );
        let had = (bound.left.start..bound.at).any(|i| self.is(i, Key::Clause))
            && matches!(expression.target, Target::Rows(_));
        let condition = bound.of(expression.clone());
        let span = bound.span.and([name]).and(name.checked_sub(1).filter(helps));
        if at_least_one {
            self.query.tables.insert(expression.target.table());
            // "who have at least one": nothing else is said of them
            let span = match had && self.said.insert(expression.target.table()) {
                true => Span::default().phrase(span.units),
                false => span,
            };
            return self.claim(span);
        }
        self.add_having(span, condition);
    }
}
