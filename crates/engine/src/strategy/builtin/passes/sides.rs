//! Comparing rows: "employees who earn more than their manager" compares each row with the one that
//! its key refers to, "products that cost more than Summit Tent" with the row of that name.

use crate::catalog::{ColumnId, ForeignKey, KeyId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Expression, Formula, Operand, Query,
};
use crate::strategy::builtin::words::lexicon::{self, Key, Words};

use super::left::{Left, time_operator};
use super::read::Reader;
use super::span::{Found, Span, bare};

/// How far after a comparison the name of the row beside may stand, in units.
const REACH: usize = 6;

impl Reader<'_> {
    /// "more than their manager", "older than its supplier": the column is that of the comparison,
    /// of the row that the subject's key names. The units that say so, the subject and the condition.
    pub fn beside(&self, at: usize) -> Option<(Span, TableId, Condition)> {
        let end = self.units.len().min(at + REACH);
        let owner = (at + 1..end).find(|&i| self.says(i, Words::Possessive))?;
        let mut between = at + 1..owner;
        let passes = |i: usize| {
            self.is_thin(i)
                || self.is(i, Key::Clause)
                || self.is_name(i) && self.table_rather(i).is_none()
        };
        let name = self.next_solid(owner + 1);
        let key = self.key_beside(name).filter(|_| between.clone().all(passes))?;
        let &ForeignKey { from, to, .. } = self.catalog.key(key);
        let left = self.left(at);
        let (operator, adjective) = self.comparison(at, &left)?;
        let said = between.find_map(|i| self.column(i)).filter(|&c| self.facts.measures(c));
        let own = said.filter(|c| c.table == from).map(bare);
        let (column, verb) = own.or_else(|| self.compared_of(from, at, &left, adjective))?;
        let same = |c: &ColumnId| {
            to == from && *c == column
                || self.catalog.column(*c).name == self.catalog.column(column).name
        };
        let other = said.filter(|c| c.table == to);
        let other = other.or_else(|| self.catalog.column_ids(to).find(same))?;
        let operator = self.directed(column, operator, adjective);
        let own = self.catalog.key(key).first_pair().0;
        let operand = Operand::Formula(Formula::Beside(own, key, other));
        let condition = Condition::Compare(Expression::column(column), operator, operand);
        Some((verb.and(left.start..=name), from, condition))
    }

    /// The key of the subject by which the name at `at` is its other row or its row elsewhere.
    fn key_beside(&self, at: usize) -> Option<KeyId> {
        let subject = self.subject();
        let single = |k: &KeyId| self.catalog.key(*k).from_columns.len() == 1;
        if let Some(column) = self.own_column(at) {
            return self.facts.key_of(column);
        }
        let table = self.table_rather(at)?;
        let keys = self.catalog.key_ids_that(|k| Some(k.from) == subject && k.to == table);
        only(keys.filter(single))
    }

    /// The text or key of one row after a comparison: "more than Summit Tent", "older than Ben".
    /// Whether `stored` was one; a text is never more than another.
    pub fn read_row_beside(
        &mut self,
        at: usize,
        left: &Left,
        column: ColumnId,
        stored: &str,
    ) -> bool {
        let alone = left.comparison.is_none() && left.time.is_none() && left.adjective.is_none();
        // "more than that of the user named Ada"
        let outer = left.name.filter(|_| alone).map_or(*left, |name| self.left(name));
        let open = |i: &usize| self.is_free(*i) && self.comparison(*i, &outer).is_some();
        let compared = (outer.start..at).rev().find(open);
        let class = self.catalog.column(column).class;
        let Some(sign) = compared.filter(|_| class.is_textual() && !self.facts.temporal(column))
        else {
            return false;
        };
        let Some((operator, adjective)) = self.comparison(sign, &outer) else { return false };
        if matches!(operator, Comparison::Equal | Comparison::NotEqual) {
            return false;
        }
        let measure = self.compared_of(column.table, outer.start, &outer, adjective);
        let named = left.name.and_then(|i| self.column(i)).filter(|&c| self.facts.measures(c));
        let named = named.filter(|c| c.table == column.table).map(bare);
        let Some((measure, verb)) = measure.or(named) else {
            let said = &self.units[at].text;
            self.refuse_at(at, format!("It is unclear which value of \"{said}\" is compared."));
            return true;
        };
        let operator = self.directed(measure, operator, adjective);
        let upwards = matches!(operator, Comparison::Greater | Comparison::GreaterOrEqual);
        // several rows of that name: more than all of them
        let unique = self.catalog.table(column.table).is_unique_over(&[column.column]);
        let extreme = if upwards { Aggregate::Max } else { Aggregate::Min };
        let aggregate = Some(extreme).filter(|_| !unique);
        let select = vec![Expression { aggregate, ..Expression::column(measure) }];
        let named = Condition::equal(column, Operand::Text(stored.to_owned()));
        let inner = Query { select, filters: vec![named], ..Query::default() };
        self.entity.get_or_insert(column.table);
        let operand = Operand::Query(Box::new(inner));
        let condition = Condition::Compare(Expression::column(measure), operator, operand);
        self.add_filter(at, self.linking(outer.start, at).with(verb), condition);
        true
    }

    /// What the unit at `at` compares by, where it does and is not denied.
    pub fn comparing(&self, at: usize) -> Option<(Comparison, Option<usize>)> {
        Some(match self.key(at)? {
            Key::Compare(operator) => (operator, None),
            Key::Compared(adjective) => (Comparison::Greater, Some(adjective)),
            time @ (Key::After | Key::Before) => (time_operator(time), None),
            _ => return None,
        })
    }

    fn comparison(&self, at: usize, left: &Left) -> Option<(Comparison, Option<usize>)> {
        let (operator, adjective) = self.comparing(at)?;
        Some((left.deny(operator), adjective))
    }

    /// The comparison of the column that an adjective means: younger is a later birth.
    pub fn directed(
        &self,
        column: ColumnId,
        operator: Comparison,
        adjective: Option<usize>,
    ) -> Comparison {
        match adjective.map(lexicon::adjective) {
            Some(meant) if !self.facts.says_stem(column, &meant.direct) => operator.mirrored(),
            _ => operator,
        }
    }

    /// The column of `table` that is compared: named left, measured by a verb or an adjective.
    fn compared_of(
        &self,
        table: TableId,
        start: usize,
        left: &Left,
        adjective: Option<usize>,
    ) -> Option<Found> {
        let measured = |c: &ColumnId| self.facts.measures(*c) && c.table == table;
        if let Some(adjective) = adjective {
            return self.measured_as(adjective, &[table]).filter(measured).map(bare);
        }
        let verb = self.verb_column(start).filter(|(c, _)| measured(c));
        let name = left.name.filter(|&i| self.table_rather(i).is_none());
        let beside = [name, start.checked_sub(1), start.checked_sub(2), Some(start + 1)];
        let named = beside.into_iter().flatten().find_map(|i| self.column(i).filter(measured));
        verb.or(named.map(bare))
    }
}
