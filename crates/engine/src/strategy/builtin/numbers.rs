//! Conditions on numbers and dates: comparisons, ranges, counts of rows, comparisons with
//! aggregates.

use crate::catalog::{ColumnId, TableId};

use super::conditions::Left;
use super::evidence::UnitKind;
use super::lexicon::{self, Key};
use super::query::{Aggregate, Comparison, Condition, Expression, Operand, Query, Target};
use super::read::Reader;

impl Reader<'_> {
    pub(super) fn read_between(&mut self, at: usize) {
        let numbers: Vec<(usize, String)> = (at + 1..self.units.len().min(at + 6))
            .filter_map(|i| match &self.units[i].kind {
                UnitKind::Number(n) | UnitKind::Date(n) => Some((i, n.clone())),
                _ => None,
            })
            .take(2)
            .collect();
        let [(_, low), (second, high)] = numbers.as_slice() else { return };
        let left = self.left(at);
        let named = left
            .name
            .filter(|&i| self.column(i).is_some_and(|c| self.numeric(c) || self.temporal(c)));
        let dated = || if low.contains('-') && low.len() == 10 { self.dated(at) } else { None };
        let column =
            named.and_then(|i| self.column(i)).or_else(|| self.time_column(at, low)).or_else(dated);
        let Some(column) = column else { return };
        let (low, high) = (low.clone(), high.clone());
        let end = *second;
        for i in at..=end {
            self.take(i);
        }
        if let Some(name) = named
            && !self.asked_for(name)
        {
            self.take(name);
        }
        let condition = if low.contains('-') && low.len() == 10 {
            Condition::Between(column, Operand::Text(low), Operand::Text(high))
        } else if self.is_calendar(column) && is_year(&low) {
            Condition::Within(column, Some(year_start(&low, 0)), Some(year_start(&high, 1)))
        } else {
            Condition::Between(column, Operand::Number(low), Operand::Number(high))
        };
        self.add_filter(end, condition);
    }

    /// Whether a column holds whole dates rather than year numbers.
    fn is_calendar(&self, column: ColumnId) -> bool {
        let c = self.catalog.column(column);
        c.class.is_temporal()
            || (!c.class.is_numeric()
                && self.temporal(column)
                && !self.column_says(column, &["year"]))
    }

    /// The date or year column that a bare year is about.
    fn time_column(&self, at: usize, number: &str) -> Option<ColumnId> {
        if !is_year(number) {
            return None;
        }
        self.measure(&["year".to_owned()], &self.near(at)).or_else(|| self.dated(at))
    }

    /// The table spoken of last before `at`, the subject, and the tables of the conditions so
    /// far.
    fn near(&self, at: usize) -> Vec<TableId> {
        let last = (self.sentence_start(at)..at).rev().find_map(|i| self.table_rather(i));
        let subject = self.subject();
        // what happens refers to whom it happens to: an order, not its customer, is of 2022
        let refers = |from: Option<TableId>, to: Option<TableId>| {
            self.catalog.keys.iter().any(|k| Some(k.from) == from && Some(k.to) == to)
        };
        let pair = if refers(last, subject) { [last, subject] } else { [subject, last] };
        let filtered = self.filters.iter().flat_map(|f| f.condition.tables());
        pair.into_iter().flatten().chain(filtered).collect()
    }

    /// The first column of dates in the tables spoken of.
    fn dated(&self, at: usize) -> Option<ColumnId> {
        let tables = self.near(at).into_iter().chain(self.meanings.named.iter().copied());
        let dated = |c: &ColumnId| {
            self.catalog.column(*c).class.is_temporal() || self.column_says(*c, &["date", "year"])
        };
        tables.flat_map(|t| self.catalog.column_ids(t)).find(dated)
    }

    pub(super) fn read_number(&mut self, at: usize) {
        let UnitKind::Number(digits) = self.units[at].kind.clone() else { return };
        let limits = |k: Option<Key>| {
            matches!(k, Some(Key::Top | Key::Superlative(_) | Key::Extreme(_) | Key::Frequent(_)))
        };
        let next = self.next_solid(at + 1);
        if limits(at.checked_sub(1).and_then(|i| self.key(i)))
            || limits(self.key(at + 1))
            || limits(self.key(next))
        {
            return;
        }
        let left = self.left(at);
        if left.comparison.is_none() && left.time.is_none() && self.is_limit(at) {
            self.limit = digits.parse().ok();
            return self.take(at);
        }
        let beyond = match self.key(at + 1) {
            Some(Key::OrBeyond(more)) => Some(more),
            _ => None,
        };
        let operator = number_operator(&left, beyond);
        let operator = if left.negated { operator.negated() } else { operator };
        if left.counted {
            return self.count_condition(at, left.name, operator, &digits, left.start);
        }
        if let Some(column) = self.number_column(at, &left, &digits, beyond.is_some()) {
            if beyond.is_some() {
                self.take(at + 1);
            }
            self.take_between(left.start, at);
            return self.number_filter(at, column, operator, &digits, &left);
        }
        let after = at + 1 + usize::from(beyond.is_some());
        let name = self.next_solid(after);
        let name = if self.key(name) == Some(Key::Distinct) { name + 1 } else { name };
        self.count_condition(at, Some(name), operator, &digits, left.start);
        if beyond.is_some() && self.used[at] {
            self.take(at + 1);
        }
    }

    /// "the 3 teachers that have the most …": how many of the head's rows are wanted.
    fn is_limit(&self, at: usize) -> bool {
        let ranked = (at + 1..self.units.len()).any(|i| {
            matches!(self.key(i), Some(Key::Superlative(_) | Key::Extreme(_) | Key::Frequent(_)))
        });
        let of_head = self.table_rather(self.next_solid(at + 1)).is_some();
        let plain = (self.sentence_start(at)..at).all(|i| {
            !matches!(
                self.key(i),
                Some(Key::Clause | Key::Who | Key::Compare(_) | Key::Compared(_))
            )
        });
        ranked && of_head && plain
    }

    /// The column that a number is compared with, or None where it counts things.
    fn number_column(
        &mut self,
        at: usize,
        left: &Left,
        digits: &str,
        beyond: bool,
    ) -> Option<ColumnId> {
        let right = self.next_solid(at + 1 + usize::from(beyond));
        if let Some(column) = self.verb_column(left.start) {
            return Some(column);
        }
        if let Some(adjective) = left.adjective {
            let meant = lexicon::adjective(adjective);
            let preferred: Vec<TableId> =
                left.name.and_then(|i| self.meanings.tables[i]).into_iter().collect();
            if let Some(column) = left.name.and_then(|i| self.column(i)).filter(|c| {
                self.numeric(*c) && left.name.and_then(|i| self.table_rather(i)).is_none()
            }) {
                self.take(left.name.unwrap_or(at));
                return Some(column);
            }
            return self
                .measure(&meant.direct, &preferred)
                .or_else(|| self.measure(&meant.inverse, &preferred));
        }
        let named = left.name.and_then(|i| self.column(i).map(|c| (i, c)));
        let named = named.filter(|&(i, _)| {
            self.table_rather(i).is_none() || self.units[i].column_score() >= 0.95
        });
        let said = self.column(right).filter(|_| {
            self.units[right].kind == UnitKind::Name
                && !self.used[right]
                && self.table_rather(right).is_none()
        });
        if let Some(column) = said.filter(|&c| self.numeric(c))
            && named.is_none_or(|(_, c)| !left.strong || !self.numeric(c))
        {
            self.take(right);
            return Some(column);
        }
        if let Some((name, column)) = named
            && self.may_compare(at, column, left, said.is_some() || self.table(right).is_some())
        {
            if left.strong || !self.asked_for(name) {
                self.take(name);
            }
            return Some(column);
        }
        self.number_sibling(at).or_else(|| self.unsaid_column(at, left, digits, right))
    }

    /// "products cost more than 350", "employees earn …": the measure of the verb before.
    fn verb_column(&mut self, start: usize) -> Option<ColumnId> {
        let verb = [start.checked_sub(1), Some(start)]
            .into_iter()
            .flatten()
            .find(|&i| lexicon::measured_by(&self.units[i].folded).is_some())?;
        let nouns = lexicon::measured_by(&self.units[verb].folded)?;
        let subject: Vec<TableId> = self.subject().into_iter().collect();
        let column = self.measure(nouns, &subject)?;
        self.take(verb);
        Some(column)
    }

    /// Whether a number right of a column is compared with it rather than counts what follows.
    fn may_compare(&self, at: usize, column: ColumnId, left: &Left, counts: bool) -> bool {
        let measured = self.numeric(column) || self.temporal(column);
        let stored = self.units[at].values.iter().any(|v| v.column == column);
        if left.time.is_some() {
            self.temporal(column)
        } else if counts && left.comparison.is_some() && !left.strong {
            false // "majors that have less than 3 students"
        } else if left.comparison.is_some() {
            measured || (!counts && !self.is_key(column))
        } else {
            left.strong || measured || stored || (self.is_key(column) && !counts)
        }
    }

    /// The column of the number before, joined to this one by "or" or "and".
    fn number_sibling(&self, at: usize) -> Option<ColumnId> {
        let last = self.filters.last()?;
        let joined = (last.at + 1..at).all(|i| {
            self.is_thin(i)
                || matches!(
                    self.key(i),
                    Some(Key::Or | Key::And | Key::Compare(_) | Key::Is | Key::After | Key::Before)
                )
                || self.units[i].kind == UnitKind::Comma
        });
        match &last.condition {
            _ if !joined => None,
            Condition::Compare(e, _, Operand::Number(_)) => match e.target {
                Target::Column(column) => Some(column),
                Target::Rows(_) => None,
            },
            Condition::Within(column, ..) => Some(*column),
            _ => None,
        }
    }

    /// The column of a number that stands alone: a year, or a value of the subject.
    fn unsaid_column(
        &self,
        at: usize,
        left: &Left,
        digits: &str,
        right: usize,
    ) -> Option<ColumnId> {
        let placed = at.checked_sub(1).is_some_and(|i| self.key(i) == Some(Key::Preposition));
        if left.time.is_none() && left.comparison.is_some() && !placed {
            return None;
        }
        self.time_column(at, digits).or_else(|| {
            let subject = self.subject();
            let stored = self.units[at].values.iter().find(|v| Some(v.column.table) == subject);
            stored.map(|v| v.column).filter(|_| self.table_rather(right).is_none())
        })
    }

    /// A day: compared with a date column.
    pub(super) fn read_date(&mut self, at: usize) {
        let UnitKind::Date(day) = self.units[at].kind.clone() else { return };
        let left = self.left(at);
        let named = left.name.filter(|&i| self.column(i).is_some_and(|c| self.temporal(c)));
        let stored = self.units[at].values.first().map(|v| v.column);
        let column = named.and_then(|i| self.column(i)).or(self.number_sibling(at)).or(stored);
        let Some(column) = column.or_else(|| self.dated(at)) else { return };
        self.take_between(left.start, at);
        if let Some(name) = named
            && !self.asked_for(name)
        {
            self.take(name);
        }
        let operator = number_operator(&left, None);
        let operand = Operand::Text(day);
        self.add_filter(at, Condition::Compare(Expression::column(column), operator, operand));
    }

    fn number_filter(
        &mut self,
        at: usize,
        column: ColumnId,
        operator: Comparison,
        digits: &str,
        left: &Left,
    ) {
        let operator = match left.adjective {
            Some(a)
                if self.says_stem(column, &lexicon::adjective(a).direct)
                    || lexicon::adjective(a).inverse.is_empty() =>
            {
                Comparison::Greater
            }
            Some(_) => Comparison::Less,
            None => operator,
        };
        if self.is_calendar(column) && is_year(digits) {
            let (start, end) = self.span(at, digits);
            let (from, to) = match operator {
                Comparison::Greater => (Some(end), None),
                Comparison::GreaterOrEqual => (Some(start), None),
                Comparison::Less => (None, Some(start)),
                Comparison::LessOrEqual => (None, Some(end)),
                Comparison::Equal | Comparison::NotEqual => (Some(start), Some(end)),
            };
            return self.add_filter(at, Condition::Within(column, from, to));
        }
        let class = self.catalog.column(column).class;
        let operand = if class.is_textual() {
            Operand::Text(digits.to_owned())
        } else {
            Operand::Number(digits.to_owned())
        };
        let aggregate = left.name.and_then(|n| n.checked_sub(1)).and_then(|i| match self.key(i) {
            Some(Key::Aggregate(a)) if !self.at_head(i) => Some((i, a)),
            _ => None,
        });
        if let Some((unit, aggregate)) = aggregate {
            self.take(unit);
            self.take(at);
            let expression = Expression::aggregate(aggregate, Target::Column(column));
            self.having.push(Condition::Compare(expression, operator, operand));
            return;
        }
        self.add_filter(at, Condition::Compare(Expression::column(column), operator, operand));
    }

    /// First day of the year, or of its month where one stands before it, and the first after.
    fn span(&mut self, at: usize, year: &str) -> (String, String) {
        let month =
            at.checked_sub(1).and_then(|i| Some((i, lexicon::month(&self.units[i].folded)?)));
        let Some((unit, month)) = month else {
            return (year_start(year, 0), year_start(year, 1));
        };
        self.take(unit);
        let start = format!("{year}-{month:02}-01");
        if month == 12 {
            return (start, year_start(year, 1));
        }
        (start, format!("{year}-{:02}-01", month + 1))
    }

    /// "more than 3 courses": a condition on the number of rows.
    fn count_condition(
        &mut self,
        at: usize,
        name: Option<usize>,
        operator: Comparison,
        digits: &str,
        start: usize,
    ) {
        let Some(name) =
            name.filter(|&n| self.units.get(n).is_some_and(|u| u.kind == UnitKind::Name))
        else {
            return;
        };
        let Some(mut expression) = self.rows_or_column(name, false) else { return };
        if expression.aggregate == Some(Aggregate::Count)
            && let Target::Column(column) = expression.target
            && Some(column.table) != self.subject()
            && self.is_foreign(column)
        {
            expression = Expression::count(column.table);
        }
        self.take_between(start, at);
        self.take(at);
        self.take(name);
        if name > 0 && matches!(self.key(name - 1), Some(Key::Count | Key::Distinct)) {
            self.take(name - 1);
        }
        let at_least_one = matches!(
            (operator, digits),
            (Comparison::GreaterOrEqual, "1") | (Comparison::Greater, "0")
        );
        if at_least_one {
            self.tables.insert(expression.target.table());
            return;
        }
        let operand = Operand::Number(digits.to_owned());
        self.having.push(Condition::Compare(expression, operator, operand));
    }

    /// "higher than the average age", "above average": a comparison with an aggregate.
    pub(super) fn read_to_average(&mut self, at: usize) {
        let next = self.next_solid(at + 1);
        let Some(Key::Aggregate(aggregate)) = self.key(next) else { return };
        let left = self.left(at);
        let (operator, adjective) = match self.key(at) {
            Some(Key::Compare(c)) => (c, None),
            Some(Key::Compared(a)) => (Comparison::Greater, Some(a)),
            _ => return,
        };
        let right = self.next_solid(next + 1);
        let right_column = self.column(right).filter(|_| {
            self.units[right].kind == UnitKind::Name && self.table_rather(right).is_none()
        });
        let left_column = left
            .name
            .filter(|&i| self.table_rather(i).is_none())
            .and_then(|i| self.column(i))
            .filter(|&c| self.numeric(c));
        let by_adjective = adjective.and_then(|a| {
            let table: Vec<TableId> = self.subject().into_iter().collect();
            self.measure(&lexicon::adjective(a).direct, &table)
                .or_else(|| self.measure(&lexicon::adjective(a).inverse, &table))
        });
        let Some(column) = left_column.or(right_column).or(by_adjective) else { return };
        let operator = match adjective {
            Some(a) if !self.says_stem(column, &lexicon::adjective(a).direct) => {
                operator.mirrored()
            }
            _ => operator,
        };
        let select =
            vec![Expression::aggregate(aggregate, Target::Column(right_column.unwrap_or(column)))];
        let inner = Query { select, ..Query::default() };
        self.take_between(left.start, next + 1);
        if right_column.is_some() {
            self.take(right);
        }
        if let Some(name) = left.name
            && left_column.is_some()
            && !self.asked_for(name)
        {
            self.take(name);
        }
        let condition = Condition::Compare(
            Expression::column(column),
            if left.negated { operator.negated() } else { operator },
            Operand::Query(Box::new(inner)),
        );
        self.add_filter(at, condition);
    }
}

fn number_operator(left: &Left, beyond: Option<bool>) -> Comparison {
    match (left.comparison, beyond, left.time) {
        (_, Some(true), _) => Comparison::GreaterOrEqual,
        (_, Some(false), _) => Comparison::LessOrEqual,
        (Some(c), _, _) => c,
        (_, _, time) => time.map_or(Comparison::Equal, time_operator),
    }
}

/// The comparison that after, since, before or until makes.
pub(super) fn time_operator(key: Key) -> Comparison {
    match key {
        Key::After => Comparison::Greater,
        Key::Since => Comparison::GreaterOrEqual,
        Key::Before => Comparison::Less,
        Key::Until => Comparison::LessOrEqual,
        _ => Comparison::Equal,
    }
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && digits.parse::<u32>().is_ok_and(|y| (1000..2200).contains(&y))
}

fn year_start(digits: &str, plus: u32) -> String {
    format!("{:04}-01-01", digits.parse::<u32>().unwrap_or(0) + plus)
}
