//! Comparisons with a query: with an aggregate, with all or any rows of another condition, with one
//! row given by its name, and "the same … as".

use crate::catalog::ColumnId;
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Expression, Operand, Query, Target,
};
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::Key;

use super::left::Left;
use super::read::Reader;
use super::span::Span;

/// How far after a comparison its other side may stand, in units.
const REACH: usize = 8;

impl Reader<'_> {
    /// "higher than the average age", "above average", "more than all teachers in Oslo", "older
    /// than Ben".
    pub fn read_compared(&mut self, at: usize) {
        let left = self.left(at);
        let Some((operator, adjective)) = self.comparing(at) else { return };
        if let Some((span, subject, condition)) = self.beside(at) {
            self.entity.get_or_insert(subject);
            return self.add_filter(at, span, condition);
        }
        let Some(side) = self.other_side(at) else { return };
        let compared = self.compared_column(at, &left, adjective, side.column);
        let Some((column, named, verb)) = compared else { return };
        let operator = self.directed(column, operator, adjective);
        let upwards = matches!(operator, Comparison::Greater | Comparison::GreaterOrEqual);
        let aggregate = match side.of {
            Of::Aggregate(aggregate) => aggregate,
            Of::All if upwards => Aggregate::Max,
            Of::Any if !upwards => Aggregate::Max,
            Of::All | Of::Any => Aggregate::Min,
        };
        let other = side.column.filter(|c| self.facts.numeric(*c)).unwrap_or(column);
        let select = vec![Expression::aggregate(aggregate, Target::Column(other))];
        let inner = Query { select, ..Query::default() };
        let span = self.linking(left.start, at).and(at..side.end).with(verb);
        let span = span.and(named.filter(|&name| !self.at_head(name)));
        let operator = left.deny(operator);
        let operand = Operand::Query(Box::new(inner));
        if let Some((unit, aggregate)) = self.aggregated(named) {
            // "departments whose average salary is above the average"
            let of_group = Expression::aggregate(aggregate, Target::Column(column));
            let condition = Condition::Compare(of_group, operator, operand);
            return self.add_having(span.and([unit, at]), condition);
        }
        let condition = Condition::Compare(Expression::column(column), operator, operand);
        self.add_filter(at, span, condition);
    }

    /// The aggregate said right before a name, and where: "whose average salary".
    pub fn aggregated(&self, name: Option<usize>) -> Option<(usize, Aggregate)> {
        let before = name?.checked_sub(1)?;
        match self.key(before)? {
            Key::Aggregate(aggregate) if !self.at_head(before) => Some((before, aggregate)),
            _ => None,
        }
    }

    /// The column that is compared, the unit that names it left of the comparison, and a verb that says it.
    fn compared_column(
        &self,
        at: usize,
        left: &Left,
        adjective: Option<usize>,
        right: Option<ColumnId>,
    ) -> Option<(ColumnId, Option<usize>, Span)> {
        let named = left.name.filter(|&i| self.table_rather(i).is_none());
        let named = named.and_then(|i| Some((self.column(i)?, Some(i))));
        let right = right.map(|column| (column, None));
        let measured = |found: &(ColumnId, Option<usize>)| self.facts.measures(found.0);
        if let Some((column, name)) = named.filter(measured).or(right.filter(measured)) {
            return Some((column, name, Span::default()));
        }
        let (column, verb) = match adjective {
            Some(meant) => (self.measured_as(meant, self.subject().as_slice())?, Span::default()),
            None => self.verb_column(at)?,
        };
        Some((column, None, verb))
    }

    /// What stands after a comparison: an aggregate, or all or any of the rows that follow.
    fn other_side(&self, at: usize) -> Option<OtherSide> {
        let mut side = OtherSide { of: Of::All, column: None, end: at };
        let mut of = None;
        for i in at + 1..self.units.len().min(at + REACH) {
            match self.rows_of_side(i) {
                // "the overall average" is no sum
                Some(said) if of.is_none() || self.word(i - 1) == "overall" => of = Some(said),
                _ if side.column.is_none() && self.is_name(i) && self.table_rather(i).is_none() => {
                    side.column = self.column(i);
                    side.end = i + 1;
                    if of.is_some() {
                        break;
                    }
                }
                _ if self.is_thin(i) || of.is_none() && self.word(i) == "at least" => {}
                _ => break,
            }
            side.end = side.end.max(if of.is_some() { i + 1 } else { at });
        }
        side.of = of?;
        let rows = matches!(side.of, Of::All | Of::Any);
        // "more than one of …": only where a thing follows are its rows meant
        let thing = (side.end..self.units.len().min(side.end + 2))
            .any(|i| self.table_rather(i).is_some() || self.is_kind(i, UnitKind::Value));
        (!rows || thing).then_some(side)
    }

    /// Which rows of the other side a word says are meant.
    fn rows_of_side(&self, at: usize) -> Option<Of> {
        match (self.key(at), self.word(at)) {
            (Some(Key::Aggregate(aggregate)), _) => Some(Of::Aggregate(aggregate)),
            (Some(Key::Superlative(direction)), _) => Some(Of::Aggregate(direction.first())),
            // "higher than any" is higher than all
            (_, "all" | "all the" | "all of the" | "every" | "any") => Some(Of::All),
            (_, "some") => Some(Of::Any),
            // "more than one of"
            _ if self.number(at) == Some("1") && self.key(at - 1).is_some() => Some(Of::Any),
            _ => None,
        }
    }
}

/// The right side of a comparison.
struct OtherSide {
    of: Of,
    /// The column that it names.
    column: Option<ColumnId>,
    /// The first unit after it.
    end: usize,
}

/// Which of its rows count.
#[derive(Clone, Copy)]
enum Of {
    Aggregate(Aggregate),
    All,
    Any,
}
