//! Comparisons with other rows: with an aggregate, with all or any rows of another condition, with the
//! row that a key refers to or that is given by its name ("employees who earn more than their manager",
//! "products that cost more than Summit Tent"), and with what a row has ("the same department as Clara").

use std::cmp::Ordering;

use crate::catalog::{ColumnId, ForeignKey, KeyEnds, KeyId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Formula, Operand, Query,
};
use crate::strategy::builtin::words::{Key, LEXICON, StoredValue, UnitKind, Words};

use super::{Found, Left, Reader, Span, bare};

/// How far after a comparison its other side may stand, in units.
const REACH: usize = 8;

/// How far after a comparison or "as" the name of the other row may stand, in units.
const REACH_OF_NAME: usize = 6;

impl Reader<'_> {
    /// "higher than the average age", "above average", "more than all teachers in Oslo", "older than Ben".
    pub fn read_compared(&mut self, at: usize) {
        let left = self.left(at);
        let Some((operator, adjective)) = self.comparison(at, &left) else { return };
        if let Some((span, subject, condition)) = self.beside(at) {
            self.entity.get_or_insert(subject);
            return self.add_filter(at, span, condition);
        }
        let Some((of, right, end)) = self.other_side(at) else { return };
        let compared = self.compared_column(at, &left, adjective, right);
        let Some((column, named, verb)) = compared else { return };
        let operator = self.directed(column, operator, adjective);
        // "not more than all": than the greatest of them, though denied
        let upwards = left.deny(operator).side() == Some(Ordering::Greater);
        let aggregate = match of {
            Of::Aggregate(aggregate) => aggregate,
            Of::All => Direction::most_first(upwards).first(),
            Of::Any => Direction::most_first(!upwards).first(),
        };
        let other = right.filter(|c| self.facts.numeric(*c)).unwrap_or(column);
        let other = Query::showing(Expression::aggregate(aggregate, other));
        let span = self.linking(left.start, at).and(at..end).with(verb);
        let span = span.and(named.filter(|&name| !self.at_head(name)));
        let operand = Operand::Query(Box::new(other));
        self.compare(at, span, named, Condition::compare(column, operator, operand));
    }

    /// Compare a column, of groups its aggregate that is said right before its name: "departments whose
    /// average salary is above 5000".
    pub fn compare(&mut self, at: usize, span: Span, name: Option<usize>, condition: Condition) {
        let before = name.and_then(|name| name.checked_sub(1)).filter(|&i| !self.at_head(i));
        match (before.and_then(|i| self.key(i)), condition) {
            (Some(Key::Aggregate(aggregate)), Condition::Compare(one, operator, other)) => {
                let one = Expression { aggregate: Some(aggregate), ..one };
                let condition = Condition::Compare(one, operator, other);
                self.add_having(span.and(before).and([at]), condition);
            }
            (_, condition) => self.add_filter(at, span, condition),
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

    /// What stands after a comparison: an aggregate, or all or any of the rows that follow; the column
    /// that it names, and the first unit after it.
    fn other_side(&self, at: usize) -> Option<(Of, Option<ColumnId>, usize)> {
        let (mut of, mut column, mut end) = (None, None, at);
        for i in at + 1..self.units.len().min(at + REACH) {
            match self.rows_of_side(i) {
                // "the overall average" is no sum
                Some(said) if of.is_none() || self.word(i - 1) == "overall" => of = Some(said),
                _ if column.is_none() && self.is_name(i) && self.table_rather(i).is_none() => {
                    (column, end) = (self.column(i), i + 1);
                    if of.is_some() {
                        break;
                    }
                }
                _ if self.is_thin(i) || of.is_none() && self.word(i) == "at least" => {}
                _ => break,
            }
            end = end.max(if of.is_some() { i + 1 } else { at });
        }
        // "more than one of …": only where a thing follows are its rows meant
        let thing = |i| self.table_rather(i).is_some() || self.is_value(i);
        let meant = matches!(of?, Of::Aggregate(_)) || (end..end + 2).any(thing);
        Some((of?, column, end)).filter(|_| meant)
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

    /// "more than their manager", "older than its supplier": the column is that of the comparison,
    /// of the row that the subject's key names. The units that say so, the subject and the condition.
    pub fn beside(&self, at: usize) -> Option<(Span, TableId, Condition)> {
        let end = self.units.len().min(at + REACH_OF_NAME);
        let owner = (at + 1..end).find(|&i| self.says(i, Words::Possessive))?;
        let mut between = at + 1..owner;
        let attribute = |i| self.is_name(i) && self.table_rather(i).is_none();
        let passes = |i| self.is_thin(i) || self.is(i, Key::Clause) || attribute(i);
        let name = self.next_solid(owner + 1);
        let key = self.key_beside(name).filter(|_| between.clone().all(passes))?;
        let &ForeignKey { from, to, .. } = self.catalog.key(key);
        let left = self.left(at);
        let (operator, adjective) = self.comparison(at, &left)?;
        let said = between.find_map(|i| self.column(i)).filter(|&c| self.facts.measures(c));
        let own = said.filter(|c| c.table == from).map(bare);
        let (column, verb) = own.or_else(|| self.compared(from, at, &left, adjective))?;
        let same = |c: &ColumnId| self.catalog.column_name(*c) == self.catalog.column_name(column);
        let other = said.filter(|c| c.table == to);
        let other = other.or_else(|| self.catalog.column_ids(to).find(same))?;
        let operator = self.directed(column, operator, adjective);
        let own = self.catalog.key(key).first_pair().0;
        let operand = Operand::Formula(Formula::Beside(own, key, other));
        Some((verb.and(left.start..=name), from, Condition::compare(column, operator, operand)))
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
    pub fn read_one_row(&mut self, at: usize, left: &Left, column: ColumnId, stored: &str) -> bool {
        let alone = left.comparison.is_none() && left.time.is_none() && left.adjective.is_none();
        // "more than that of the user named Ada"
        let outer = left.name.filter(|_| alone).map_or(*left, |name| self.left(name));
        let text = self.facts.has_text(column) && !self.facts.temporal(column);
        let open = |i: usize| self.comparison(i, &outer).filter(|_| self.is_free(i) && text);
        let compared = (outer.start..at).rev().find_map(open).filter(|(o, _)| o.side().is_some());
        let Some((operator, adjective)) = compared else { return false };
        let measure = self.compared(column.table, outer.start, &outer, adjective);
        let named = left.name.and_then(|i| self.column(i)).filter(|&c| self.facts.measures(c));
        let named = named.filter(|c| c.table == column.table).map(bare);
        let Some((measure, verb)) = measure.or(named) else {
            let said = &self.units[at].text;
            self.refuse_at(at, format!("It is unclear which value of \"{said}\" is compared."));
            return true;
        };
        let operator = self.directed(measure, operator, adjective);
        let extreme = Direction::most_first(operator.side() == Some(Ordering::Greater)).first();
        // several rows of that name: more than all of them
        let aggregate = Some(extreme).filter(|_| !self.facts.unique(column));
        let shown = Expression { aggregate, ..Expression::column(measure) };
        let named = Condition::equal(column, Operand::Text(stored.to_owned()));
        let named = Query { filters: vec![named], ..Query::showing(shown) };
        self.entity.get_or_insert(column.table);
        let condition = Condition::compare(measure, operator, Operand::Query(Box::new(named)));
        self.add_filter(at, self.linking(outer.start, at).with(verb), condition);
        true
    }

    /// How the unit at `at` compares, and the adjective by which it does.
    fn comparison(&self, at: usize, left: &Left) -> Option<(Comparison, Option<usize>)> {
        let (operator, adjective) = match self.key(at)? {
            Key::Compare(operator) => (operator, None),
            Key::Compared(adjective) => (Comparison::Greater, Some(adjective)),
            Key::Time(bound) if bound.is_strict() => (bound, None),
            _ => return None,
        };
        Some((left.deny(operator), adjective))
    }

    /// The comparison of the column that an adjective is `meant` of: younger is a later birth.
    pub fn directed(&self, column: ColumnId, by: Comparison, meant: Option<usize>) -> Comparison {
        match meant.map(|adjective| &LEXICON.adjectives[adjective].direct) {
            Some(nouns) if !self.facts.says_stem(column, nouns) => by.mirrored(),
            _ => by,
        }
    }

    /// The column of a table that is compared: named left, measured by a verb, or what an adjective meant.
    fn compared(&self, of: TableId, at: usize, left: &Left, meant: Option<usize>) -> Option<Found> {
        let measured = |c: &ColumnId| self.facts.measures(*c) && c.table == of;
        if let Some(adjective) = meant {
            return self.measured_as(adjective, &[of]).filter(measured).map(bare);
        }
        let name = left.name.filter(|&i| self.table_rather(i).is_none());
        let beside = [name, at.checked_sub(1), at.checked_sub(2), Some(at + 1)];
        let named = beside.into_iter().flatten().find_map(|i| self.column(i).filter(measured));
        self.verb_column(at).filter(|(c, _)| measured(c)).or(named.map(bare))
    }

    /// "the same department as Clara", with "same" at `at`.
    pub fn read_alike(&mut self, at: usize) {
        let name = at + 1;
        let alike = self.is_name(name) && self.word(name + 1) == "as";
        let Some(shared) = self.shared_column(name).filter(|_| alike) else { return };
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
            return Some(only(keys.filter(|k| k.from_columns.len() == 1))?.first_pair().0);
        }
        let subject = spoken_of.or_else(|| self.subject());
        self.column(at).filter(|c| Some(c.table) == subject)
    }

    /// The values from `from` on that name a row of the shared column's table, and the first unit after them.
    fn row_named(&self, from: usize, shared: ColumnId) -> (Vec<Condition>, usize) {
        let (mut filters, mut end) = (Vec::new(), from);
        for at in from..self.units.len().min(from + REACH_OF_NAME) {
            let unit = &self.units[at];
            let here = |v: &&StoredValue| v.column.table == shared.table;
            let named = |v: &&StoredValue| self.facts.display(shared.table).contains(&v.column);
            match unit.values.iter().filter(here).min_by_key(|v| !named(v)) {
                Some(value) if unit.kind == UnitKind::Value => {
                    filters.push(Condition::equal(value.column, Operand::Text(value.text.clone())));
                    end = at + 1;
                }
                _ if filters.is_empty()
                    && (self.helps(at) || self.is_name(at) || self.is(at, Key::Named)) => {}
                _ => break,
            }
        }
        (filters, end)
    }
}

/// Which rows of the right side of a comparison count.
#[derive(Clone, Copy)]
enum Of {
    Aggregate(Aggregate),
    All,
    Any,
}
