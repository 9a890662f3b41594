//! Spans: the units that ask for a part of the query. Who adds a part says which units ask for it; what no
//! span covers was not read.

use crate::catalog::ColumnId;
use crate::strategy::builtin::form::query::{Condition, Expression, Order, Target};
use crate::strategy::builtin::words::UnitKind;

use super::{Claim, Reader};

/// Units that ask for a part of the query.
#[derive(Debug, Clone, Default)]
pub struct Span {
    /// Those that say it by what they name.
    pub units: Vec<usize>,
    /// Those that are part of a phrase, whatever else they name: a unit of measure, "per month".
    phrases: Vec<usize>,
}

/// A column, and the units that say it beside its own name.
pub type Found = (ColumnId, Span);

/// A column that no further unit says.
pub fn bare(column: ColumnId) -> Found {
    (column, Span::default())
}

impl<I: IntoIterator<Item = usize>> From<I> for Span {
    fn from(units: I) -> Self {
        Self::default().and(units)
    }
}

impl Span {
    /// It with these units.
    pub fn and(mut self, units: impl IntoIterator<Item = usize>) -> Self {
        self.units.extend(units);
        self
    }

    /// It with these units as parts of a phrase.
    pub fn phrase(mut self, units: impl IntoIterator<Item = usize>) -> Self {
        self.phrases.extend(units);
        self
    }

    /// Both.
    pub fn with(self, other: Self) -> Self {
        self.and(other.units).phrase(other.phrases)
    }
}

impl Reader<'_> {
    /// Claim a span, so that nothing else reads it.
    pub fn claim(&mut self, span: impl Into<Span>) {
        let Span { units, phrases } = span.into();
        for at in units {
            if self.is_free(at) {
                self.claims[at] = Claim::Part;
            }
        }
        phrases.into_iter().for_each(|at| self.claims[at] = Claim::Phrase);
    }

    /// The units from `start` to `at` that join a condition to what it is on.
    pub fn linking(&self, start: usize, at: usize) -> Span {
        let names = |i: &usize| matches!(self.units[*i].kind, UnitKind::Name | UnitKind::Unknown);
        Span::from((start..at).filter(|i| !names(i)))
    }

    /// Ask for expressions, each once.
    pub fn ask_for(&mut self, span: impl Into<Span>, asked: impl IntoIterator<Item = Expression>) {
        self.claim(span);
        for expression in asked {
            if !self.query.select.contains(&expression) {
                self.query.select.push(expression);
            }
        }
    }

    /// Group, by the same once.
    pub fn group_by(&mut self, span: impl Into<Span>, group: impl Into<Target>) {
        self.claim(span);
        let group = group.into();
        if !self.groups.contains(&group) {
            self.groups.push(group);
        }
    }

    /// Order, by what was said before first.
    pub fn order_by(&mut self, span: impl Into<Span>, order: impl IntoIterator<Item = Order>) {
        self.claim(span);
        self.query.order.extend(order);
    }

    /// Leave no more than so many rows; a number that is none of rows stays unread.
    pub fn limit(&mut self, span: impl Into<Span>, most: Option<u32>) {
        if most.is_some() {
            self.claim(span);
            self.query.limit = most;
        }
    }

    /// Set a condition on groups.
    pub fn add_having(&mut self, span: impl Into<Span>, condition: Condition) {
        self.claim(span);
        self.query.having.push(condition);
    }
}
