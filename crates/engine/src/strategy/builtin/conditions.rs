//! Conditions: values, numbers, dates, patterns and NULLs, each with the column it is about.

use crate::catalog::{ColumnId, TableId};

use super::evidence::UnitKind;
use super::lexicon::{ADJECTIVES, Key};
use super::query::{Aggregate, Comparison, Condition, Expression, Operand, Pattern, Query, Target};
use super::read::{Filter, Reader};

/// What stands left of a value or number.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    /// The unit that names a column or table, and where it stands.
    name: Option<usize>,
    /// "is", "equals", "named" stand between: the name is the value's column.
    strong: bool,
    /// "named" stands between.
    named: bool,
    negated: bool,
    comparison: Option<Comparison>,
    adjective: Option<usize>,
    pattern: Option<Pattern>,
    /// after, since, before, until.
    time: Option<Key>,
    /// "number of" stands before the name.
    counted: bool,
    /// The first unit that belongs to the condition.
    start: usize,
}

impl Reader<'_> {
    /// Read every condition.
    pub fn read_conditions(&mut self) {
        let mut at = 0;
        while at < self.units.len() {
            if !self.used[at] {
                match &self.units[at].kind {
                    UnitKind::Key(Key::Between) => self.read_between(at),
                    UnitKind::Value | UnitKind::Quoted => self.read_value(at),
                    UnitKind::Number(_) => self.read_number(at),
                    UnitKind::Key(Key::Null) => self.read_null(at),
                    UnitKind::Key(Key::Compare(_) | Key::Compared(_)) => self.read_to_average(at),
                    _ => {}
                }
            }
            at += 1;
        }
    }

    /// Look left of a value for its column and operator.
    fn left(&self, at: usize) -> Left {
        let mut left = Left { start: at, ..Left::default() };
        for i in (self.sentence_start(at)..at).rev().take(8) {
            let unit = &self.units[i];
            match unit.key() {
                Some(Key::Is) => left.strong = true,
                Some(Key::Named) => (left.strong, left.named) = (true, true),
                Some(Key::Not) => left.negated = true,
                Some(Key::Compare(c)) => {
                    left.strong = true;
                    left.comparison = Some(c);
                }
                Some(Key::Compared(a)) => left.adjective = Some(a),
                Some(Key::Like(p)) => left.pattern = Some(p),
                Some(k @ (Key::After | Key::Since | Key::Before | Key::Until)) => {
                    left.time = Some(k)
                }
                Some(
                    Key::Preposition | Key::Either | Key::Both | Key::Any | Key::Clause | Key::Only,
                ) => {}
                Some(_) => break,
                None if unit.kind == UnitKind::Filler => {}
                None if unit.kind == UnitKind::Name => {
                    left.name = Some(i);
                    left.counted = i > 0 && self.key(i - 1) == Some(Key::Count);
                    break;
                }
                None => break,
            }
            left.start = i;
        }
        left
    }

    /// The unit that names something right of a value.
    fn right_name(&self, at: usize) -> Option<usize> {
        let next = at + 1;
        let unit = self.units.get(next)?;
        let name = if unit.kind == UnitKind::Filler { next + 1 } else { next };
        (self.units.get(name)?.kind == UnitKind::Name).then_some(name)
    }

    fn add_filter(&mut self, at: usize, condition: Condition) {
        let (mut or, mut and) = (false, false);
        let previous = self.filters.last().map(|f| f.at);
        if let Some(previous) = previous {
            let between = previous + 1..at;
            or = between.clone().any(|i| self.key(i) == Some(Key::Or));
            and = between.clone().any(|i| self.key(i) == Some(Key::And));
        }
        let same = self.filters.last().is_some_and(|f| {
            matches!((&f.condition, &condition),
                (Condition::Compare(a, Comparison::Equal, _), Condition::Compare(b, Comparison::Equal, _)) if a == b)
        });
        self.filters.push(Filter { condition, or, and_same: and && same && !or, at });
        self.take(at);
    }

    /// A stored value or a quoted text.
    fn read_value(&mut self, at: usize) {
        let left = self.left(at);
        let text = self.units[at].text.clone();
        if let Some(pattern) = left.pattern {
            return self.read_like(at, left, pattern, &text);
        }
        let Some((column, stored)) = self.value_column(at, &left) else { return };
        let operator = match (left.comparison, left.negated) {
            (Some(c), false) => c,
            (Some(c), true) => c.negated(),
            (None, true) => Comparison::NotEqual,
            (None, false) => Comparison::Equal,
        };
        self.take_between(left.start, at);
        let left_column = left.name.filter(|&i| self.names_column(i, column));
        if let Some(name) = left_column
            && self.table_rather(name).is_none()
            && (left.strong || !self.asked_for(name))
        {
            self.take(name);
        }
        if let Some(right) = self.right_name(at)
            && self.names_column(right, column)
            && left_column.is_none()
        {
            self.take(right);
        }
        let expression = Expression::column(column);
        self.add_filter(at, Condition::Compare(expression, operator, Operand::Text(stored)));
    }

    fn take_between(&mut self, start: usize, at: usize) {
        for i in start..at {
            if self.units[i].kind != UnitKind::Name {
                self.take(i);
            }
        }
    }

    /// Whether a name at the head of the question is what is asked for.
    fn asked_for(&self, at: usize) -> bool {
        self.at_head(at)
    }

    fn names_column(&self, at: usize, column: ColumnId) -> bool {
        self.units[at].columns.iter().any(|c| c.item == column && c.score >= 0.5)
    }

    /// The column of a value: stored there, and named beside it or near what is asked.
    fn value_column(&mut self, at: usize, left: &Left) -> Option<(ColumnId, String)> {
        let unit = &self.units[at];
        let before = at.checked_sub(1).filter(|&i| {
            matches!(self.key(i), Some(Key::Or | Key::And)) || self.units[i].kind == UnitKind::Comma
        });
        let sibling = before.and(self.filters.last()).and_then(|f| match &f.condition {
            Condition::Compare(e, _, Operand::Text(_)) => match e.target {
                Target::Column(c) => Some(c),
                Target::Rows(_) => None,
            },
            _ => None,
        });
        let right = self.right_name(at);
        let near = self.catalog.joins().distances(&self.meanings.named);
        let mut scored: Vec<(f32, ColumnId, String)> = unit
            .values
            .iter()
            .map(|v| {
                (
                    self.value_score(at, v.column, left, right, sibling, &near),
                    v.column,
                    v.text.clone(),
                )
            })
            .collect();
        for (score, _, text) in &mut scored {
            *score += if *text == unit.text { 0.2 } else { 0.0 };
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if let [(first, _, _), (second, ..), ..] = scored.as_slice()
            && first - second < 0.05
            && *first < 1.2
        {
            self.doubt(format!("\"{}\" is stored in several places.", unit.text), 0.15);
        }
        if let Some((_, column, text)) = scored.into_iter().next() {
            return Some((column, text));
        }
        // stored nowhere that was looked: only a column said beside it can be meant
        let column = if left.named {
            self.named_column(left)
        } else {
            left.name.filter(|_| left.strong || unit.proper).and_then(|i| self.column(i))
        }
        .or(sibling)
        .or_else(|| right.and_then(|i| self.column(i)))?;
        self.doubt(format!("\"{}\" was not found in the data.", self.units[at].text), 0.1);
        Some((column, self.units[at].text.clone()))
    }

    fn value_score(
        &self,
        at: usize,
        column: ColumnId,
        left: &Left,
        right: Option<usize>,
        sibling: Option<ColumnId>,
        near: &std::collections::BTreeMap<TableId, f32>,
    ) -> f32 {
        let mut score = 0.0;
        if let Some(name) = left.name {
            if self.names_column(name, column) {
                score += if left.strong { 3.0 } else { 1.5 };
            }
            if self.meanings.tables[name] == Some(column.table) {
                score += 1.0;
            }
        }
        if let Some(name) = right {
            if self.names_column(name, column) {
                score += 2.0;
            }
            if self.meanings.tables[name] == Some(column.table) {
                score += 1.2;
            }
        }
        if sibling == Some(column) {
            score += 2.5;
        }
        if left.named
            && left
                .name
                .and_then(|n| self.meanings.tables[n])
                .is_some_and(|t| self.display(t).contains(&column))
        {
            score += 2.0;
        }
        if self.meanings.named.contains(&column.table) {
            score += 0.6;
        }
        score -= near.get(&column.table).map_or(0.8, |d| 0.15 * d.min(5.0));
        if self.column_says(column, &["name", "title"]) {
            score += if self.units[at].proper { 0.35 } else { 0.1 };
        }
        if self.is_foreign(column) {
            score -= 0.1;
        }
        score
    }

    /// The name column of the thing that is "named".
    fn named_column(&self, left: &Left) -> Option<ColumnId> {
        let name = left.name?;
        let table = self.table(name).or_else(|| self.column(name).map(|c| c.table))?;
        self.display(table).first().copied()
    }

    fn read_like(&mut self, at: usize, left: Left, pattern: Pattern, text: &str) {
        let column = left.name.and_then(|i| self.column(i).map(|c| (i, c)));
        let Some((name, column)) = column else { return };
        self.take_between(left.start, at);
        if !self.asked_for(name) {
            self.take(name);
        }
        let condition = Condition::Like(column, pattern, text.to_owned(), left.negated);
        self.add_filter(at, condition);
    }

    fn read_null(&mut self, at: usize) {
        let left = self.left(at);
        let right = self.right_name(at);
        let Some(name) = left.name.filter(|_| left.strong).or(right) else { return };
        let Some(column) = self.column(name) else { return };
        self.take_between(left.start, at);
        self.take(name);
        self.add_filter(at, Condition::Null(column, left.negated));
    }

    fn read_between(&mut self, at: usize) {
        let numbers: Vec<(usize, String)> = (at + 1..self.units.len().min(at + 6))
            .filter_map(|i| match &self.units[i].kind {
                UnitKind::Number(n) => Some((i, n.clone())),
                _ => None,
            })
            .take(2)
            .collect();
        let [(first, low), (second, high)] = numbers.as_slice() else { return };
        let left = self.left(at);
        let named = left
            .name
            .filter(|&i| self.column(i).is_some_and(|c| self.numeric(c) || self.temporal(c)));
        let column = named.and_then(|i| self.column(i)).or_else(|| self.time_column(low));
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
        let condition = if self.is_calendar(column) && is_year(&low) {
            Condition::Within(column, Some(year_start(&low, 0)), Some(year_start(&high, 1)))
        } else {
            Condition::Between(column, Operand::Number(low), Operand::Number(high))
        };
        let _ = first;
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
    fn time_column(&self, number: &str) -> Option<ColumnId> {
        if !is_year(number) {
            return None;
        }
        let subject: Vec<TableId> = self.subject().into_iter().collect();
        self.measure(&["year"], &subject).or_else(|| {
            let tables = subject.iter().copied().chain(self.meanings.named.iter().copied());
            tables.flat_map(|t| self.catalog.column_ids(t)).find(|&c| self.temporal(c))
        })
    }

    fn read_number(&mut self, at: usize) {
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

    /// The column that a number is compared with, or None where it counts things.
    fn number_column(
        &mut self,
        at: usize,
        left: &Left,
        digits: &str,
        beyond: bool,
    ) -> Option<ColumnId> {
        let right = self.next_solid(at + 1 + usize::from(beyond));
        if let Some(adjective) = left.adjective {
            let meant = ADJECTIVES[adjective];
            let preferred: Vec<TableId> =
                left.name.and_then(|i| self.meanings.tables[i]).into_iter().collect();
            if let Some(column) = left.name.and_then(|i| self.column(i)).filter(|c| {
                self.numeric(*c) && left.name.and_then(|i| self.table_rather(i)).is_none()
            }) {
                self.take(left.name.unwrap_or(at));
                return Some(column);
            }
            return self
                .measure(meant.direct, &preferred)
                .or_else(|| self.measure(meant.inverse, &preferred));
        }
        let left_column = left.name.and_then(|i| self.column(i).map(|c| (i, c)));
        let said = self
            .column(right)
            .filter(|_| self.units[right].kind == UnitKind::Name && !self.used[right]);
        if let Some(column) = said
            && self.numeric(column)
            && self.table_rather(right).is_none()
            && left_column.is_none_or(|(i, c)| {
                !left.strong || self.table_rather(i).is_some() || !self.numeric(c)
            })
        {
            self.take(right);
            return Some(column);
        }
        if let Some((name, column)) = left_column {
            let fits = self.numeric(column)
                || self.temporal(column)
                || self.is_key(column)
                || !self.units[at].values.is_empty()
                || left.strong;
            let is_table =
                self.table_rather(name).is_some() && self.units[name].column_score() < 0.95;
            if fits
                && !is_table
                && !(self.is_key(column)
                    && left.comparison.is_some()
                    && self.table(right).is_some())
            {
                if left.strong || !self.asked_for(name) {
                    self.take(name);
                }
                return Some(column);
            }
        }
        let timely = left.time.is_some()
            || at.checked_sub(1).is_some_and(|i| self.key(i) == Some(Key::Preposition));
        if timely || left.comparison.is_none() {
            if let Some(column) = self.time_column(digits) {
                return Some(column);
            }
            let subject = self.subject();
            let stored = self.units[at].values.iter().find(|v| Some(v.column.table) == subject);
            return stored.map(|v| v.column).filter(|_| self.table_rather(right).is_none());
        }
        None
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
                if self.column_says_stem(column, ADJECTIVES[a].direct)
                    || ADJECTIVES[a].inverse.is_empty() =>
            {
                Comparison::Greater
            }
            Some(_) => Comparison::Less,
            None => operator,
        };
        if self.is_calendar(column) && is_year(digits) {
            let (start, end) = (year_start(digits, 0), year_start(digits, 1));
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

    fn column_says_stem(&self, column: ColumnId, nouns: &[&str]) -> bool {
        let words = crate::text::identifier_words(&self.catalog.column(column).name);
        words.iter().any(|w| nouns.iter().any(|n| crate::text::stem(n) == crate::text::stem(w)))
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
        let operand = Operand::Number(digits.to_owned());
        self.having.push(Condition::Compare(expression, operator, operand));
    }

    /// "higher than the average age", "above average": a comparison with an aggregate.
    fn read_to_average(&mut self, at: usize) {
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
            self.measure(ADJECTIVES[a].direct, &table)
                .or_else(|| self.measure(ADJECTIVES[a].inverse, &table))
        });
        let Some(column) = left_column.or(right_column).or(by_adjective) else { return };
        let operator = match adjective {
            Some(a) if !self.column_says_stem(column, ADJECTIVES[a].direct) => operator.mirrored(),
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
        (_, _, Some(Key::After)) => Comparison::Greater,
        (_, _, Some(Key::Since)) => Comparison::GreaterOrEqual,
        (_, _, Some(Key::Before)) => Comparison::Less,
        (_, _, Some(Key::Until)) => Comparison::LessOrEqual,
        _ => Comparison::Equal,
    }
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && digits.parse::<u32>().is_ok_and(|y| (1000..2200).contains(&y))
}

fn year_start(digits: &str, plus: u32) -> String {
    format!("{:04}-01-01", digits.parse::<u32>().unwrap_or(0) + plus)
}
