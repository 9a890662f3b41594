//! Conditions on numbers: comparisons, ranges, counts of rows.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Expression, Operand, Target,
};
use crate::strategy::builtin::words::calendar::{Day, Period};
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::{self, Key};

use super::conditions::Left;
use super::read::Reader;

/// Nobody is so old.
const MOST_YEARS: i32 = 150;

impl Reader<'_> {
    pub fn read_between(&mut self, at: usize) {
        let numbers: Vec<(usize, String)> = (at + 1..self.units.len().min(at + 6))
            .filter_map(|i| match &self.units[i].kind {
                UnitKind::Number(n) => Some((i, n.clone())),
                _ => None,
            })
            .take(2)
            .collect();
        let [(_, low), (second, high)] = numbers.as_slice() else { return };
        let left = self.left(at);
        let named = left
            .name
            .filter(|&i| self.column(i).is_some_and(|c| self.numeric(c) || self.is_ordered(i, c)));
        let verb = if named.is_none() { self.verb_column(left.start) } else { None };
        let column = named.and_then(|i| self.column(i)).or(verb);
        let column = column.or_else(|| self.time_column(at, low));
        let column = column.or_else(|| self.measured_behind(*second));
        let Some(column) = column.or_else(|| self.unit_column(*second)) else { return };
        let end = *second;
        // "between 1 and 2 hours": the unit is said once
        let Some(low) = self.in_units_of(end, column, low) else { return };
        let Some(high) = self.in_units_of(end, column, high) else { return };
        for i in at..=end {
            self.take(i);
        }
        if let Some(name) = named
            && !self.asked_for(name)
        {
            self.take(name);
        }
        let years = year(&low).and_then(Day::year).zip(year(&high).and_then(Day::year));
        let condition = match years {
            Some((Period::Days(from, _), Period::Days(_, to))) if self.is_calendar(column) => {
                Condition::Within(column, Some(from.to_string()), Some(to.to_string()))
            }
            _ => Condition::Between(column, Operand::Number(low), Operand::Number(high)),
        };
        self.add_filter(end, condition);
    }

    /// Whether the values of a column said at `at` lie between others: dates, and numbers of keys.
    fn is_ordered(&self, at: usize, column: ColumnId) -> bool {
        let key = || self.is_key(column) && self.catalog.column(column).class.is_numeric();
        self.temporal(column) || self.table_rather(at).is_none() && key()
    }

    pub fn read_number(&mut self, at: usize) {
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
        if self.is_factor(at) {
            return;
        }
        if left.comparison.is_none() && left.time.is_none() && self.is_limit(at) {
            self.limit = digits.parse().ok();
            return self.take(at);
        }
        if let Some(pattern) = left.pattern {
            return self.read_like(at, left, pattern, &digits);
        }
        let beyond = self.beyond(at + 1);
        let operator = number_operator(&left, beyond.or_else(|| self.take_beyond_unit(at)));
        let operator = if left.negated { operator.negated() } else { operator };
        if left.counted {
            return self.count_condition(at, left.name, operator, &digits, left.start);
        }
        if let Some(table) = self.counts_kind(at, &left) {
            self.take_between(left.start, at);
            self.take(at);
            let (counted, operand) = (Expression::count(table), Operand::Number(digits));
            return self.having.push(Condition::Compare(counted, operator, operand));
        }
        // "at least once" is so of every row
        let ever = self.units[at].folded == "once" && operator == Comparison::GreaterOrEqual;
        if ever && left.name.is_none_or(|name| self.used[name]) {
            self.take_between(left.start, at);
            return self.take(at);
        }
        let often = matches!(&*self.units[at].folded, "once" | "twice") && left.name.is_some();
        if often || self.counts_rows(at + 1 + usize::from(beyond.is_some()), &left) {
            return self.times_condition(at, &left, operator, &digits);
        }
        if let Some(column) = self.number_column(at, &left, &digits, beyond.is_some()) {
            if self.is_said_as_year(at, &digits) && !self.may_hold_years(column) {
                return; // "the total discount in 2024" is no discount of 2024
            }
            if beyond.is_some() {
                self.take(at + 1);
            }
            self.take_between(left.start, at);
            return self.number_filter(at, column, operator, &digits, &left);
        }
        let after = at + 1 + usize::from(beyond.is_some());
        let name = self.behind_number(after);
        let name = if self.key(name) == Some(Key::Distinct) { name + 1 } else { name };
        self.count_condition(at, Some(name), operator, &digits, left.start);
        if beyond.is_some() && self.used[at] {
            self.take(at + 1);
        }
    }

    pub fn beyond(&self, at: usize) -> Option<bool> {
        match self.key(at) {
            Some(Key::OrBeyond(more)) => Some(more),
            _ => None,
        }
    }

    /// "25 seats or more": the bound stands behind what is counted.
    fn take_beyond_unit(&mut self, at: usize) -> Option<bool> {
        let counted = self.units.get(at + 1)?.key().is_none();
        let more = self.beyond(at + 2).filter(|_| counted)?;
        self.take(at + 2);
        Some(more)
    }

    /// "twice the average", "3 times as many": a factor, and no number of anything.
    fn is_factor(&self, at: usize) -> bool {
        let word = |i: usize| self.units.get(i).map_or("", |u| &*u.folded);
        let next = if word(at + 1) == "times" { at + 2 } else { at + 1 };
        let once = matches!(word(at), "once" | "twice");
        (once || next > at + 1) && matches!(word(next), "the" | "as" | "more" | "more than")
    }

    fn is_said_as_year(&self, at: usize, digits: &str) -> bool {
        let before = at.checked_sub(1).map(|i| self.units[i].folded.as_str());
        before.is_some_and(|word| matches!(word, "in" | "during")) && year(digits).is_some()
    }

    /// By its name: a year, or what happened then (founded, built).
    fn may_hold_years(&self, column: ColumnId) -> bool {
        let words = crate::text::identifier_words(&self.catalog.column(column).name);
        let happened = |w: &String| w.ends_with("ed") || matches!(&**w, "built" | "born");
        self.temporal(column) || words.iter().any(happened)
    }

    /// "the 3 teachers that have the most …": how many of the head's rows are wanted.
    fn is_limit(&self, at: usize) -> bool {
        let ranked = (at + 1..self.units.len()).any(|i| {
            matches!(self.key(i), Some(Key::Superlative(_) | Key::Extreme(_) | Key::Frequent(_)))
        });
        let of_head = self.table_rather(self.next_solid(at + 1)).is_some();
        let start = self.sentence_start(at);
        let plain = (start..at).all(|i| match self.key(i) {
            // "who are the five …" asks, "the pupils who have three …" sets a condition
            Some(Key::Who) => i == start,
            Some(Key::Clause | Key::Compare(_) | Key::Compared(_)) => false,
            _ => true,
        });
        ranked && of_head && plain
    }

    /// The unit that a number may count: what stands behind "to" is another thing.
    fn behind_number(&self, at: usize) -> usize {
        let to = self.units.get(at).is_some_and(|u| u.folded == "to");
        if to { self.units.len() } else { self.next_solid(at) }
    }

    /// The column that a number is compared with, or None where it counts things.
    fn number_column(
        &mut self,
        at: usize,
        left: &Left,
        digits: &str,
        beyond: bool,
    ) -> Option<ColumnId> {
        let behind = at + 1 + usize::from(beyond);
        // "3 or 4 stars"
        let other = self.units.get(behind + 1).map(|u| &u.kind);
        let paired =
            self.key(behind) == Some(Key::Or) && matches!(other, Some(UnitKind::Number(_)));
        let right = self.behind_number(if paired { behind + 2 } else { behind });
        let right = right + usize::from(self.key(right) == Some(Key::Distinct));
        if left.named
            && let Some(column) = self.named_column(left)
        {
            return Some(column);
        }
        if let Some(column) = self.numbered(at).or_else(|| self.stocked(right)) {
            return Some(column);
        }
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
        self.unit_column(at)
            .or_else(|| self.number_sibling(at))
            .or_else(|| self.unsaid_column(at, left, digits, right))
            .or_else(|| self.age(at, left))
            .or_else(|| self.comes_to(at, left))
    }

    /// "under 20", "above 12 years of age": said of people without a word of their age.
    fn age(&mut self, at: usize, left: &Left) -> Option<ColumnId> {
        let (mut after, mut said) = (at + 1, false);
        while let Some(unit) = self.units.get(after)
            && (matches!(unit.folded.as_str(), "year" | "years" | "old" | "age")
                || said && self.is_thin(after))
        {
            (after, said) = (after + 1, true);
        }
        let ends = self.units.get(after).is_none_or(|u| {
            matches!(u.kind, UnitKind::Stop | UnitKind::Comma) || u.key() == Some(Key::And)
        });
        if left.comparison.is_none() && !said || !ends {
            return None;
        }
        let subject: Vec<TableId> = self.subject().into_iter().collect();
        let column = self.measure(&["age".to_owned()], &subject).or_else(|| {
            let mut columns = subject.iter().flat_map(|&t| self.catalog.column_ids(t));
            columns.find(|c| self.is_birth_date(*c) && self.today.is_some())
        })?;
        (at + 1..after).for_each(|i| self.take(i));
        Some(column)
    }

    /// "products cost more than 350", "employees earn …": the measure of the verb before.
    pub fn verb_column(&mut self, start: usize) -> Option<ColumnId> {
        let verb = [start.checked_sub(1), Some(start)]
            .into_iter()
            .flatten()
            .find(|&i| lexicon::measured_by(&self.units[i].folded).is_some())?;
        let nouns = lexicon::measured_by(&self.units[verb].folded)?;
        let subject: Vec<TableId> = self.subject().into_iter().collect();
        let column = self.measure(nouns, &subject)?;
        self.take_phrase(verb);
        Some(column)
    }

    /// "between 3 and 5 stars": the number's column stands behind it.
    fn measured_behind(&mut self, number: usize) -> Option<ColumnId> {
        let name = number + 1;
        let named = self.units.get(name).is_some_and(|u| u.kind == UnitKind::Name);
        let column = self.column(name).filter(|&c| {
            named && !self.used[name] && self.table_rather(name).is_none() && self.numeric(c)
        })?;
        self.take(name);
        Some(column)
    }

    /// "over 400 euros", "under 3 kg": what the unit behind the number measures.
    fn unit_column(&mut self, at: usize) -> Option<ColumnId> {
        let unit = self.units.get(at + 1).filter(|u| u.kind != UnitKind::Name)?;
        let column = self.measure(lexicon::measured_by(&unit.folded)?, &self.near(at))?;
        self.take(at + 1);
        Some(column)
    }

    /// Whether a number right of a column is compared with it rather than counts what follows.
    fn may_compare(&self, at: usize, column: ColumnId, left: &Left, counts: bool) -> bool {
        let measured = self.numeric(column) || self.temporal(column);
        let stored = self.units[at].values.iter().any(|v| v.column == column);
        if left.time.is_some() {
            // "after season 2007" as after a date
            let beside = left.name.is_some_and(|name| self.next_solid(name + 1) == at);
            let dated =
                beside && left.start < left.name.unwrap_or(at) || self.may_hold_years(column);
            self.temporal(column) || measured && dated
        } else if counts && left.comparison.is_some() && !left.strong {
            false // "majors that have less than 3 students"
        } else if left.comparison.is_some() {
            let ordered = matches!(left.comparison, Some(Comparison::Equal | Comparison::NotEqual));
            measured || !counts && (ordered || !self.counts_unknown(at))
        } else {
            left.strong || measured || stored || (self.is_key(column) && !counts)
        }
    }

    /// "department 520": the key of a thing that is called by its number.
    fn numbered(&self, at: usize) -> Option<ColumnId> {
        let thing = at.checked_sub(1)?;
        let table =
            self.table_rather(thing).filter(|_| !self.units[thing].folded.ends_with('s'))?;
        let [key] = self.catalog.table(table).primary_key[..] else { return None };
        let counts = self.units.get(at + 1).is_some_and(|u| u.kind == UnitKind::Name);
        (!counts).then_some(ColumnId { table, column: key })
    }

    /// "more than one movie theater": a word that names nothing is counted.
    fn counts_unknown(&self, at: usize) -> bool {
        self.units.get(at + 1).is_some_and(|u| u.kind == UnitKind::Unknown)
    }

    /// The column of the number before, joined to this one by "or" or "and".
    pub fn number_sibling(&self, at: usize) -> Option<ColumnId> {
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
            Condition::Compare(e, _, Operand::Number(_)) => e.target.column(),
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

    fn number_filter(
        &mut self,
        at: usize,
        column: ColumnId,
        operator: Comparison,
        digits: &str,
        left: &Left,
    ) {
        let Some(digits) = &self.in_units_of(at, column, digits) else { return };
        let aged = self.is_birth_date(column) && year(digits).is_none();
        let operator = match left.adjective {
            // "older than 65" compares ages
            Some(a) if aged => {
                let older = !self.says_stem(column, &lexicon::adjective(a).direct);
                if older { Comparison::Greater } else { Comparison::Less }
            }
            Some(a)
                if self.says_stem(column, &lexicon::adjective(a).direct)
                    || lexicon::adjective(a).inverse.is_empty() =>
            {
                Comparison::Greater
            }
            Some(_) => Comparison::Less,
            None => operator,
        };
        if let Some(condition) = self.aged(column, operator, digits) {
            return self.add_filter(at, condition);
        }
        if self.is_calendar(column)
            && let Some(period) = year(digits).and_then(Day::year)
            && let Some(condition) = self.period_condition(column, &period, operator)
        {
            return self.add_filter(at, condition);
        }
        let class = self.catalog.column(column).class;
        let operand = if class.is_textual() {
            Operand::Text(digits.to_owned())
        } else {
            Operand::Number(digits.to_owned())
        };
        if let Some((unit, aggregate)) = self.aggregated(left.name) {
            self.take(unit);
            self.take(at);
            let expression = Expression::aggregate(aggregate, Target::Column(column));
            self.having.push(Condition::Compare(expression, operator, operand));
            return;
        }
        self.add_filter(at, Condition::Compare(Expression::column(column), operator, operand));
    }

    /// The dates of birth of those who are so old today; None of what is no such column.
    fn aged(&self, column: ColumnId, operator: Comparison, digits: &str) -> Option<Condition> {
        let years: i32 = digits.parse().ok().filter(|n| *n < MOST_YEARS)?;
        let today = self.today.filter(|_| self.is_birth_date(column))?;
        // who was born on the day itself has just become so old
        let after = |years: i32| Some(today.years_before(years)?.next().to_string());
        let day = Some(today.years_before(years)?.to_string());
        Some(match operator {
            Comparison::Greater => Condition::Within(column, None, day),
            Comparison::GreaterOrEqual => Condition::Within(column, None, after(years)),
            Comparison::Less => Condition::Within(column, after(years), None),
            Comparison::LessOrEqual => Condition::Within(column, after(years + 1), None),
            Comparison::Equal => Condition::Within(column, after(years + 1), after(years)),
            Comparison::NotEqual => return None,
        })
    }

    /// "less than 5 times", "2 or more records": rows are counted, whatever they are.
    fn counts_rows(&self, at: usize, left: &Left) -> bool {
        let rows = ["time", "times", "record", "records", "row", "rows", "entries"];
        left.name.is_some()
            && self.units.get(at).is_some_and(|u| {
                let named = u.column_score().max(u.table_score()) >= 0.9;
                !named && rows.contains(&u.folded.as_str())
            })
    }

    /// "at least ten professors", where professors are rows of some kind: they are counted.
    fn counts_kind(&self, at: usize, left: &Left) -> Option<TableId> {
        let kind = self.units.get(at + 1).filter(|u| u.kind == UnitKind::Value && !u.proper)?;
        let plural = kind.folded.ends_with('s') && left.comparison.is_some();
        kind.values.first().filter(|_| plural).map(|v| v.column.table)
    }

    fn times_condition(&mut self, at: usize, left: &Left, operator: Comparison, digits: &str) {
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
        self.take_between(left.start, at);
        self.take(at);
        if self.counts_rows(at + 1, left) {
            self.take(at + 1);
        }
        let operand = Operand::Number(digits.to_owned());
        self.having.push(Condition::Compare(Expression::count(counted), operator, operand));
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
        let stored = self.table_rather(name).and_then(|t| self.stored_count(t));
        if let Some(column) = stored {
            self.take_between(start, at);
            self.take(name);
            let operand = Operand::Number(digits.to_owned());
            let left = Expression::column(column);
            return self.add_filter(at, Condition::Compare(left, operator, operand));
        }
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
}

pub fn number_operator(left: &Left, beyond: Option<bool>) -> Comparison {
    match (left.comparison, beyond, left.time) {
        (_, Some(true), _) => Comparison::GreaterOrEqual,
        (_, Some(false), _) => Comparison::LessOrEqual,
        (Some(c), _, _) => c,
        (_, _, time) => time.map_or(Comparison::Equal, time_operator),
    }
}

/// The comparison that after, since, before or until makes.
pub fn time_operator(key: Key) -> Comparison {
    match key {
        Key::After => Comparison::Greater,
        Key::Since => Comparison::GreaterOrEqual,
        Key::Before => Comparison::Less,
        Key::Until => Comparison::LessOrEqual,
        _ => Comparison::Equal,
    }
}

/// The year that four digits are.
pub fn year(digits: &str) -> Option<i32> {
    digits.parse().ok().filter(|year| digits.len() == 4 && (1000..2200).contains(year))
}
