//! Conditions on numbers: comparisons, ranges, ages.

use crate::catalog::ColumnId;
use crate::strategy::builtin::form::query::{Comparison, Condition, Expression, Operand};
use crate::strategy::builtin::words::{Day, Key, LEXICON, Period, UnitKind, Words, year};
use crate::text::stem;

use super::{Found, Left, Reader, Span, bare};

/// Nobody is so old.
const MOST_YEARS: i32 = 150;

/// A number that something is compared with.
pub struct Bound<'a> {
    pub at: usize,
    pub digits: &'a str,
    pub operator: Comparison,
    pub left: Left,
    /// The units that say so.
    pub span: Span,
}

impl Bound<'_> {
    /// The comparison of an expression with it.
    pub fn of(&self, expression: Expression) -> Condition {
        Condition::Compare(expression, self.operator, Operand::Number(self.digits.to_owned()))
    }
}

impl Reader<'_> {
    pub fn read_between(&mut self, at: usize) {
        let mut numbers = (at + 1..at + 6).filter_map(|i| Some((i, self.number(i)?)));
        let Some(((_, low), (end, high))) = numbers.next().zip(numbers.next()) else { return };
        // "between 2 and 30 number of pupils" is of groups
        if self.is(end + 1, Key::Count) {
            return;
        }
        let left = self.left(at);
        // the numbers of keys have an order too
        let ordered = |c| self.facts.tells_rows(c) && self.facts.has_numbers(c);
        let key = |i| self.own_column(i).filter(|&c| ordered(c));
        let named = left.name.and_then(|i| {
            let column = self.column(i).filter(|&c| self.facts.measures(c)).or_else(|| key(i))?;
            Some((column, Span::from(Some(i).filter(|&i| !self.at_head(i)))))
        });
        let timed = || self.time_column(at, low).map(bare);
        let found = named.or_else(|| self.verb_column(left.start)).or_else(timed);
        let Some((column, said)) = found.or_else(|| self.unit_column(end)) else { return };
        // "between 1 and 2 hours": the unit is said once
        let Some((low, unit)) = self.in_unit(end, column, low) else { return };
        let Some((high, _)) = self.in_unit(end, column, high) else { return };
        let years = year(&low).and_then(Day::year).zip(year(&high).and_then(Day::year));
        let condition = match years.filter(|_| self.facts.is_calendar(column)) {
            Some((Period::Days(from, _), Period::Days(_, to))) => {
                Condition::Within(column, Some(from.to_string()), Some(to.to_string()))
            }
            _ => Condition::Between(column, Operand::Number(low), Operand::Number(high)),
        };
        self.add_filter(end, said.with(unit).and(at..=end), condition);
    }

    pub fn read_number(&mut self, at: usize) {
        let Some(digits) = self.number(at) else { return };
        let limits = |i| self.key(i).is_some_and(|key| key.ranks() || key == Key::Top);
        let next = self.next_solid(at + 1);
        // "twice the average", "3 times as many"
        let times = self.word(at + 1) == "times";
        let much =
            matches!(self.word(at + 1 + usize::from(times)), "the" | "as" | "more" | "more than");
        let factor = (times || matches!(self.word(at), "once" | "twice")) && much;
        if limits(at.wrapping_sub(1)) || limits(next) || factor {
            return;
        }
        let left = self.left(at);
        if left.comparison.is_none() && left.time.is_none() && self.is_limit(at) {
            return self.limit([at], digits.parse().ok());
        }
        if let Some(pattern) = left.pattern {
            return self.read_like(at, left, pattern, digits);
        }
        // "25 or more", "25 seats or more": the bound stands after what is counted
        let counted = self.units.get(at + 1).is_some_and(|u| u.key().is_none());
        let beside = Some(at + 1).filter(|&i| self.beyond(i).is_some());
        let apart = Some(at + 2).filter(|&i| counted && self.beyond(i).is_some());
        let operator = left.operator(beside.or(apart).and_then(|i| self.beyond(i)));
        let after = at + 1 + usize::from(beside.is_some());
        let span = self.linking(left.start, at).and([at]).and(apart);
        let mut bound = Bound { at, digits, operator, left, span };
        // "at least once" is so of every row
        let ever = self.word(at) == "once" && operator == Comparison::GreaterOrEqual;
        if ever && left.name.is_none_or(|name| self.is_claimed(name)) {
            return self.claim(bound.span);
        }
        let often = matches!(self.word(at), "once" | "twice") && left.name.is_some();
        if often || self.counts_rows(after, &left) {
            bound.span = bound.span.and(beside.filter(|_| self.says_times(after)));
            return self.times_condition(bound, after);
        }
        bound.span = bound.span.and(beside);
        let right = self.behind_number(after);
        let Some((column, said)) = self.number_column(&bound, after, right) else {
            return self.count_condition(bound, Some(right));
        };
        // "the total discount in 2024" is no discount of 2024
        let during = matches!(self.word(at.wrapping_sub(1)), "in" | "during");
        let happened = |w: &String| w.ends_with("ed") || matches!(&**w, "built" | "born");
        let years = self.facts.temporal(column) || self.facts.words(column).iter().any(happened);
        if !during || year(digits).is_none() || years {
            self.number_filter(bound, column, said);
        }
    }

    pub fn beyond(&self, at: usize) -> Option<Comparison> {
        let Key::OrBeyond(bound) = self.key(at)? else { return None };
        Some(bound)
    }

    /// "the 3 teachers that have the most …": how many of the head's rows are wanted.
    fn is_limit(&self, at: usize) -> bool {
        let ranked = (at + 1..self.units.len()).any(|i| self.key(i).is_some_and(Key::ranks));
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

    /// "longer than 30 or higher than 5": by how high things are, not by the column said before.
    fn height_compared(&self, at: usize, left: &Left) -> Option<ColumnId> {
        let says = |i: usize, height: &str| self.word(i).starts_with(height);
        let high = |i| says(i, "higher") || says(i, "lower");
        let compares = |i| matches!(self.key(i), Some(Key::Compare(_))) && high(i);
        let said = left.name.is_none() && (left.start..at).any(compares);
        let subject = self.subject().filter(|_| said)?;
        self.measure(LEXICON.sizes.get("highest")?, &[subject])
    }

    /// The unit that a number may count: what stands after "to" is another thing.
    fn behind_number(&self, at: usize) -> usize {
        let name = if self.word(at) == "to" { self.units.len() } else { self.next_solid(at) };
        name + usize::from(self.is(name, Key::Distinct))
    }

    /// The column that a number is compared with, or None where it counts things.
    fn number_column(&self, bound: &Bound<'_>, after: usize, right: usize) -> Option<Found> {
        let (at, left) = (bound.at, &bound.left);
        // "3 or 4 stars"
        let paired = self.is(after, Key::Or) && self.number(after + 1).is_some();
        let right = if paired { self.behind_number(after + 2) } else { right };
        let called = left.named.then(|| self.named_column(left)).flatten();
        let surely = called.or_else(|| self.numbered(at)).map(bare).or_else(|| self.stocked(right));
        let said = surely.or_else(|| self.verb_column(left.start));
        if let Some(found) = said.or_else(|| self.height_compared(at, left).map(bare)) {
            return Some(found);
        }
        if let Some(adjective) = left.adjective {
            let table = left.name.and_then(|i| self.meanings.tables[i]);
            return self.measured_as(adjective, table.as_slice()).map(bare);
        }
        let own =
            |&i: &usize| self.table_rather(i).is_none() || self.units[i].column_score() >= 0.95;
        let named = left.name.filter(own).and_then(|i| Some((i, self.column(i)?)));
        let said = self.open_column(right);
        if let Some(column) = said.filter(|&c| self.facts.numeric(c))
            && named.is_none_or(|(_, c)| !left.strong || !self.facts.numeric(c))
        {
            return Some((column, Span::from([right])));
        }
        if let Some((name, column)) = named
            && self.may_compare(at, column, left, said.is_some() || self.table(right).is_some())
        {
            // "advisor 1121" says which, and asks for nothing
            let says = left.strong || !self.at_head(name) || name + 1 == at;
            return Some((column, Span::from(Some(name).filter(|_| says))));
        }
        let unsaid = || self.unsaid_column(bound, right);
        self.unit_column(at)
            .or_else(|| self.number_sibling(at).or_else(unsaid).map(bare))
            .or_else(|| self.age(at, left))
            .or_else(|| self.comes_to(at, left).map(bare))
    }

    /// "products cost more than 350", "employees earn …": the measure of the verb before.
    pub fn verb_column(&self, start: usize) -> Option<Found> {
        let said = |i: usize| Some((i, LEXICON.measured_by.get(self.word(i))?));
        let (verb, nouns) = [start.wrapping_sub(1), start].into_iter().find_map(said)?;
        Some((self.measure(nouns, self.subject().as_slice())?, Span::default().phrase([verb])))
    }

    /// "over 400 euros", "under 3 kg": what the unit after the number measures.
    fn unit_column(&self, at: usize) -> Option<Found> {
        let unit = self.units.get(at + 1).filter(|u| u.kind != UnitKind::Name)?;
        let column = self.measure(LEXICON.measured_by.get(&*unit.folded)?, &self.near(at))?;
        Some((column, Span::from([at + 1])))
    }

    /// Whether a number right of a column is compared with it rather than counts what follows.
    fn may_compare(&self, at: usize, column: ColumnId, left: &Left, counts: bool) -> bool {
        let measured = self.facts.measures(column);
        let stored = self.units[at].values.iter().any(|v| v.column == column);
        match (left.comparison.is_some(), counts) {
            // "majors that have less than 3 students"
            (true, true) => left.strong && measured,
            (true, false) => true,
            _ => left.strong || measured || stored || (self.facts.tells_rows(column) && !counts),
        }
    }

    /// "department 520": the key of a thing that is called by its number.
    fn numbered(&self, at: usize) -> Option<ColumnId> {
        let thing = at.checked_sub(1)?;
        let table = self.table_rather(thing).filter(|_| !self.word(thing).ends_with('s'))?;
        self.facts.sole_key(table).filter(|_| !self.is_name(at + 1))
    }

    /// The column of the number before, where nothing but "or", "and", a comma and what compares stands
    /// between it and this one.
    pub fn number_sibling(&self, at: usize) -> Option<ColumnId> {
        let last = self.filters.last()?;
        let joins = |i: usize| match self.key(i) {
            Some(Key::Or | Key::And | Key::Is | Key::Compare(_)) => true,
            Some(Key::Time(bound)) => bound.is_strict(),
            _ => self.is_thin(i) || self.is_kind(i, UnitKind::Comma),
        };
        match &last.condition {
            _ if !(last.at + 1..at).all(joins) => None,
            Condition::Compare(e, _, Operand::Number(_)) => e.target.column(),
            Condition::Within(column, ..) => Some(*column),
            _ => None,
        }
    }

    /// The column of a number that stands alone: a year, or a value of the subject.
    fn unsaid_column(&self, bound: &Bound<'_>, right: usize) -> Option<ColumnId> {
        let (at, left) = (bound.at, &bound.left);
        let placed = self.is(at.wrapping_sub(1), Key::Preposition);
        if left.time.is_none() && left.comparison.is_some() && !placed {
            return None;
        }
        self.time_column(at, bound.digits).or_else(|| {
            let subject = self.subject();
            let stored = self.units[at].values.iter().find(|v| Some(v.column.table) == subject);
            stored.map(|v| v.column).filter(|_| self.table_rather(right).is_none())
        })
    }

    /// Compare a column, which these units say, with a number.
    fn number_filter(&mut self, bound: Bound<'_>, column: ColumnId, said: Span) {
        let Bound { at, digits, operator, left, span } = bound;
        let Some((digits, unit)) = self.in_unit(at, column, digits) else { return };
        let (digits, span) = (&*digits, span.with(said).with(unit));
        let aged = self.facts.is_birth_date(column) && year(digits).is_none();
        let directed = || self.directed(column, Comparison::Greater, left.adjective);
        let operator = match left.adjective {
            // "older than 65" compares ages
            Some(_) if aged => directed().mirrored(),
            Some(_) => directed(),
            None => operator,
        };
        if self.comes_to(at, &left) == Some(column) {
            self.note(format!("what is compared with {digits} is {}", self.label(column)));
        }
        // "1000 euros" is no year
        let dated =
            self.facts.is_calendar(column) && !LEXICON.units.contains_key(self.word(at + 1));
        let whole_year = || Day::year(year(digits).filter(|_| dated)?);
        let dated = || self.during(column, &whole_year()?, operator);
        if let Some(condition) = self.aged(column, operator, digits).or_else(dated) {
            return self.add_filter(at, span, condition);
        }
        // "before 6 am", "the most expensive acquisition since 2000", "no rate after 2026"
        let rate = |own: &String| Words::Rates.all().iter().any(|word| stem(word) == *own);
        let is_rate = || self.facts.stems(column).iter().any(rate);
        if self.facts.has_dates(column) || left.time.is_some() && is_rate() {
            return;
        }
        let operand = self.literal(column, digits.to_owned());
        self.compare(at, span, left.name, Condition::compare(column, operator, operand));
    }

    /// "under 20", "above 12 years of age": said of people without a word of their age.
    pub fn age(&self, at: usize, left: &Left) -> Option<Found> {
        let says = |i| self.says(i, Words::OfAge);
        let said = says(at + 1);
        let after = self.past(at + 1, |i| says(i) || said && self.is_thin(i));
        let ends = self.ends_at(after) || self.is(after, Key::And);
        if left.comparison.is_none() && !said || !ends {
            return None;
        }
        let subject = self.subject();
        let column = self.measure(&Words::Ages.stems(), subject.as_slice()).or_else(|| {
            let mut columns = subject.iter().flat_map(|&t| self.catalog.column_ids(t));
            columns.find(|c| self.facts.is_birth_date(*c) && self.today.is_some())
        })?;
        Some((column, Span::from(at + 1..after)))
    }

    /// The dates of birth of those who are this old today; None for any other column.
    pub fn aged(&self, column: ColumnId, operator: Comparison, digits: &str) -> Option<Condition> {
        let years: i32 = digits.parse().ok().filter(|n| *n < MOST_YEARS)?;
        let today = self.today.filter(|_| self.facts.is_birth_date(column))?;
        let birthday = today.years_before(years)?;
        let born = Period::Days(today.years_before(years + 1)?.next(), birthday.next());
        match operator {
            // who was born on the day itself has just become so old
            Comparison::Greater => {
                Some(Condition::Within(column, None, Some(birthday.to_string())))
            }
            Comparison::NotEqual => None,
            _ => self.during(column, &born, operator.mirrored()),
        }
    }
}
