//! Conditions: values, numbers, dates, patterns and NULLs, each with its column; and what stands left of
//! them, which tells the column, how it is compared, a negation.

use crate::catalog::{ColumnId, Distances, KeyEnds, TableId, TypeClass};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{Comparison, Condition, Operand, Pattern};
use crate::strategy::builtin::words::{Key, Meaning, StoredValue, UnitKind, Words, is_participle};
use crate::text::{folded_words, stem};

use super::{Filter, Found, Reader, Span};

/// What stands left of a value or number.
#[derive(Debug, Clone, Copy, Default)]
pub struct Left {
    /// The unit that names a column or table, and where it stands.
    pub name: Option<usize>,
    /// "is", "equals", "named" stand between: the name is the value's column.
    pub strong: bool,
    /// "named" stands between.
    pub named: bool,
    pub negated: bool,
    pub comparison: Option<Comparison>,
    pub adjective: Option<usize>,
    pub pattern: Option<Pattern>,
    /// after, since, before, until.
    pub time: Option<Comparison>,
    /// The first unit that belongs to the condition.
    pub start: usize,
}

impl Left {
    /// How it compares, where the value may be followed by a bound: "or more".
    pub fn operator(&self, beyond: Option<Comparison>) -> Comparison {
        self.deny(beyond.or(self.comparison).or(self.time).unwrap_or(Comparison::Equal))
    }

    /// A comparison, or its opposite where a negation stands left.
    pub fn deny(&self, operator: Comparison) -> Comparison {
        if self.negated { operator.negated() } else { operator }
    }
}

impl Reader<'_> {
    /// Read what a condition may begin or end with.
    pub fn read_condition(&mut self, at: usize) {
        if !self.is_free(at) {
            return;
        }
        match &self.units[at].kind {
            UnitKind::Key(Key::Between) => self.read_between(at),
            UnitKind::Value | UnitKind::Quoted => self.read_value(at),
            UnitKind::Number(_) => self.read_number(at),
            UnitKind::Period(_) => self.read_period(at),
            UnitKind::Defined(_) => self.read_defined(at),
            UnitKind::Unknown if self.word(at) == "same" => self.read_alike(at),
            UnitKind::Unknown | UnitKind::Name => self.read_pattern(at),
            UnitKind::Key(Key::Null) => self.read_null(at),
            UnitKind::Key(Key::Compare(_) | Key::Compared(_) | Key::Time(_)) => {
                self.read_compared(at)
            }
            _ => {}
        }
    }

    /// Look left of a value for its column and operator.
    pub fn left(&self, at: usize) -> Left {
        let mut left = Left { start: at, ..Left::default() };
        for i in self.before(at).rev().take(8) {
            match (&self.units[i].kind, self.key(i)) {
                (_, Some(Key::Is)) => left.strong = true,
                (_, Some(Key::Named)) => (left.strong, left.named) = (true, true),
                (_, Some(Key::Not)) => left.negated = true,
                (_, Some(Key::Compare(c))) => left.comparison = Some(c),
                (_, Some(Key::Compared(a))) => left.adjective = Some(a),
                (_, Some(Key::Like(p))) => left.pattern = Some(p),
                (_, Some(Key::Time(bound))) => left.time = Some(bound),
                (_, Some(Key::Either | Key::Both | Key::Clause | Key::Only)) => {}
                _ if self.is_thin(i) => {}
                (UnitKind::Name, _) => {
                    left.name = Some(i);
                    break;
                }
                // "did not pay with cash"
                (_, None) if self.is(i.wrapping_sub(1), Key::Not) => {
                    (left.negated, left.start) = (true, i - 1);
                    break;
                }
                _ => break,
            }
            left.start = i;
        }
        let Some(name) = left.name else { return left };
        let Some(before) = self.last_solid(name) else { return left };
        match self.key(before) {
            // "are not in the country 'Iceland'", not the red ones of "unresolved red alerts"
            Some(Key::Not) if self.table_rather(name).is_none() && self.state(name).is_none() => {
                Left { negated: true, start: before, ..left }
            }
            // "before the year of 2010"
            Some(Key::Time(by)) => Left { time: left.time.or(Some(by)), start: before, ..left },
            _ => left,
        }
    }

    /// The unit that names something right of a value.
    pub fn right_name(&self, at: usize) -> Option<usize> {
        Some(at + 1 + usize::from(self.is_filler(at + 1))).filter(|&i| self.is_name(i))
    }

    /// Set a condition, read at `at`; the other units of its span belong to it.
    pub fn add_filter(&mut self, at: usize, span: impl Into<Span>, condition: Condition) {
        let last = self.filters.last();
        let between = last.map_or(at..at, |f| f.at + 1..at);
        let alternative = between.clone().find(|&i| self.is(i, Key::Or));
        let and = between.into_iter().any(|i| self.follows_break(i + 1));
        let apart = |c: &Condition| c.excludes(&condition) || condition.contrasts(c).is_some();
        let same = last.is_some_and(|f| apart(&f.condition));
        let or = alternative.is_some();
        self.filters.push(Filter { condition, or, and_same: and && same && !or, at });
        self.claim(span.into().and(alternative).and([at]));
    }

    /// Set a condition that stands for itself.
    pub fn add_apart(&mut self, at: usize, span: impl Into<Span>, condition: Condition) {
        self.filters.push(Filter { condition, or: false, and_same: false, at });
        self.claim(span.into().and([at]));
    }

    /// A stored value or a quoted text.
    fn read_value(&mut self, at: usize) {
        let left = self.left(at);
        let text = self.units[at].text.clone();
        let within = || self.is_within_text(at).then_some(Pattern::Contains);
        if let Some(pattern) = left.pattern.or_else(|| self.listed_pattern(at)).or_else(within) {
            return self.read_like(at, left, pattern, &text);
        }
        let Some((column, stored)) = self.value_column(at, &left) else { return };
        // "who approved the requests": that they are approved does not say by whom
        let who = self.is(at.wrapping_sub(1), Key::Who) && !self.is(at + 1, Key::Preposition);
        let done = who && (at + 1..at + 4).any(|i| self.table_rather(i).is_some());
        if done || self.does_elsewhere(at, column, &stored) {
            return self.refuse_at(at, format!("{} does not say who did it.", self.label(column)));
        }
        // "who speaks German" by a first or by a second language
        let name = |c| self.catalog.column_name(c);
        let root = |c| name(c).trim_end_matches(|digit: char| digit.is_ascii_digit());
        let beside = |&c: &ColumnId| c != column && root(c) == root(column) && root(c) != name(c);
        let other = self.catalog.column_ids(column.table).find(beside);
        if let Some(other) = other.filter(|_| left.name.is_none()) {
            let (label, other) = (self.label(column), self.label(other));
            return self.refuse_at(at, format!("It may refer to {label} or to {other}."));
        }
        if self.counts_name(at, column, &stored) {
            return self.refuse_at(at, format!("\"{text}\" is a name, which is not counted."));
        }
        let own_row = left.negated && self.negates_row(at, column.table);
        if let Some(date) = self.deed_date(at, column, left.negated) {
            let (said, label) = (self.label(date), self.label(column));
            if date.table != column.table {
                return self.refuse_at(at, format!("It may refer to {said} or to {label}."));
            }
            if own_row || !left.negated && self.is_done(at) {
                let condition = Condition::IsNull { column: date, negated: !left.negated };
                return self.add_filter(at, self.linking(left.start, at), condition);
            }
            self.note(format!("\"{text}\" is read as {label}, not as {said}"));
        }
        if self.read_one_row(at, &left, column, &stored) {
            return;
        }
        // "have not been shipped": what has been delivered since is no longer "shipped"
        let state = is_participle(self.word(at)) && self.facts.says(column, Words::Kinds);
        if state && self.is_done(at) {
            let label = self.label(column);
            self.note(format!("\"{text}\" is read as what {label} says now, not as what was once"));
        }
        let (column, owner) = self.referencing(at, column);
        let plain = left.negated && left.comparison.is_none() && !own_row;
        let elsewhere = plain && self.many_to(column.table);
        let operator = if elsewhere { Comparison::Equal } else { left.operator(None) };
        let mut span = self.linking(left.start, at).with(owner);
        if elsewhere {
            // no row may have the value: left to the pass that reads what is absent
            span.units.retain(|&i| !self.is(i, Key::Not));
        }
        let named = |i: &usize| self.names_column(*i, column);
        let left_column = left.name.filter(named);
        let right = self.right_name(at).filter(|i| left_column.is_none() && named(i));
        let said = left_column
            .filter(|&i| self.table_rather(i).is_none() && (left.strong || !self.at_head(i)));
        let condition = Condition::compare(column, operator, self.literal(column, stored));
        self.add_filter(at, span.and(said).and(right), condition);
    }

    /// "who bought and sold something": what somebody did is not the state of rows that no word names.
    fn does_elsewhere(&self, at: usize, column: ColumnId, stored: &str) -> bool {
        let thing = self.last_thing(at);
        let word = self.is_value(at) && !self.units[at].proper;
        let state = word && thing != Some(column.table) && is_participle(&stored.to_lowercase());
        // "which vets cancelled appointments", but "defaulted on a loan"
        let verb = thing.is_some() && self.table_rather(at.wrapping_sub(1)) == thing;
        let verb = verb && !self.is(at + 1, Key::Preposition);
        state
            && match self.meanings.named.contains(&column.table) {
                true => verb && is_participle(self.word(at)),
                false => self.is_active(at),
            }
    }

    /// "how many carriers", where an airline calls itself CARRIERS: small letters say no name.
    fn counts_name(&self, at: usize, column: ColumnId, stored: &str) -> bool {
        let unit = &self.units[at];
        let lower = stored.to_lowercase();
        let stems = |text: &str| folded_words(text).map(|word| stem(&word)).collect::<Vec<_>>();
        // "how many suites", where that is one type of rooms
        let one = self.facts.identifies(column) && self.is_used(column.table);
        let same = unit.folded == lower || one && stems(&unit.folded) == stems(&lower);
        let respelled = !unit.proper && unit.text != stored && same;
        let alone = self.table_rather(at + 1).is_none();
        let counted = at.checked_sub(1).is_some_and(|i| self.is(i, Key::Count));
        counted && respelled && alone && !self.facts.says(column, Words::Kinds)
    }

    /// "orders were shipped" of a status, where a date is called so, too: the date that says when it was
    /// done, of the table that has the value or, where no word names that, of the thing spoken of. "Without
    /// a manager", who is somebody of whom the thing itself has a column.
    fn deed_date(&self, at: usize, column: ColumnId, lacks: bool) -> Option<ColumnId> {
        let named = self.meanings.named.contains(&column.table);
        let thing = self.subject().filter(|_| !named).unwrap_or(column.table);
        self.catalog.column_ids(thing).find(|&c| {
            let other = thing != column.table;
            let own = || lacks && other && self.facts.says_stem(c, &[stem(self.word(at))]);
            self.says_done(at, c) && (other || self.facts.optional(c)) || own()
        })
    }

    /// Whether a stored value said at `at` is also what a date is called by: "shipped", of `shipped_at`.
    pub fn says_done(&self, at: usize, column: ColumnId) -> bool {
        let word = self.word(at);
        let done = self.is_value(at) && is_participle(word);
        done && self.facts.is_calendar(column) && self.facts.says_stem(column, &[stem(word)])
    }

    /// "orders that have been shipped", which may have been delivered since; not those that "are shipped"
    /// now, nor "shipped orders".
    fn is_done(&self, at: usize) -> bool {
        let state = self.last_solid(at).is_some_and(|i| matches!(self.word(i), "is" | "are"));
        !state && self.table_rather(self.next_solid(at + 1)).is_none()
    }

    /// "orders that were not shipped", "unshipped orders": said of the row that has the value at `at`, not
    /// of whoever has such rows, as "without shipped orders".
    fn negates_row(&self, at: usize, table: TableId) -> bool {
        let passes = |i: &usize| self.is_thin(*i) || self.is(*i, Key::Is);
        let not = self.before(at).rfind(|i| !passes(i)).filter(|&i| self.is(i, Key::Not));
        not.is_some_and(|not| match self.table_rather(at + 1) {
            Some(thing) => thing == table && self.word(not) == "not",
            None => self.last_thing(not) == Some(table),
        })
    }

    /// "who have an 'a' in their name": a part of what the column after it holds.
    fn is_within_text(&self, at: usize) -> bool {
        let has = self.last_solid(at).is_some_and(|i| self.is(i, Key::Clause));
        let held = self.own_column(self.next_solid(at + 1)).filter(|_| self.word(at + 1) == "in");
        let textual = held.is_some_and(|c| self.facts.has_text(c));
        self.units[at].text.chars().count() <= 2 && has && textual
    }

    pub fn names_column(&self, at: usize, column: ColumnId) -> bool {
        self.units[at].columns.iter().any(|c| c.item == column && c.score >= 0.5)
    }

    /// The column of a value: stored there, and named beside it or near what is asked.
    fn value_column(&mut self, at: usize, left: &Left) -> Option<(ColumnId, String)> {
        let unit = &self.units[at];
        let listed = self.follows_break(at) || self.is(at.wrapping_sub(1), Key::Or);
        let sibling = self.filters.last().filter(|_| listed).and_then(|f| match &f.condition {
            Condition::Compare(e, _, Operand::Text(_)) => e.target.column(),
            _ => None,
        });
        let near = self.catalog.joins().distances(&self.meanings.named);
        let score = |v: &StoredValue| self.value_score(at, v, left, sibling, &near);
        let mut scored = Vec::from_iter(unit.values.iter().map(|v| (score(v), v)));
        scored.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.column.cmp(&other.column)));
        if let [(first, one), (second, other), ..] = scored[..]
            && first - second < 0.05
            && first < 1.2
            && self.facts.same_by_key(one.column).all(|same| same != other.column)
        {
            self.doubt(format!("\"{}\" occurs in several columns.", unit.text));
        }
        if let Some((_, value)) = scored.first() {
            return Some((value.column, value.text.clone()));
        }
        if self.read_full_name(at, left) {
            return None;
        }
        // stored nowhere that was looked: only a column said beside it can be meant
        let surely = left.strong || left.comparison.is_some() || unit.proper;
        let column = |name: Option<usize>| self.column(name?);
        let beside = || column(left.name.filter(|_| surely));
        let said = if left.named { self.named_column(left) } else { beside() };
        let column = said.or(sibling).or_else(|| column(self.right_name(at)));
        let column = column.filter(|c| !self.facts.has_numbers(*c))?;
        self.doubt(format!("\"{}\" was not found in the data.", unit.text));
        Some((column, unit.text.clone()))
    }

    /// "Ada Berg" in quotes: first and last name, of the thing named nearest that has both.
    fn read_full_name(&mut self, at: usize, left: &Left) -> bool {
        let text = self.units[at].text.clone();
        let [first, last] = text.split(' ').collect::<Vec<_>>()[..] else { return false };
        let whole = |t: TableId| <[ColumnId; 2]>::try_from(self.facts.display(t)).ok();
        let near = (0..at).rev().chain(at + 1..self.units.len());
        // "papers by \"Ada Berg\"": who writes them is said by no word, but only one table has both
        let people = || only(self.catalog.table_ids().filter_map(whole));
        let named = near.filter_map(|i| self.table(i)).find_map(whole);
        let Some(columns) = named.or_else(people) else { return false };
        let span = self.linking(left.start, at);
        for (column, part) in columns.into_iter().zip([first, last]) {
            let operand = Operand::Text(part.to_owned());
            self.add_filter(at, span.clone(), Condition::equal(column, operand));
        }
        true
    }

    /// The column by which the thing spoken of last refers to `column`, if it does: students
    /// "in the Math department" need no look into the departments.
    fn referencing(&self, at: usize, column: ColumnId) -> Found {
        let thing = (0..at).rev().find_map(|i| self.table_rather(i).filter(|&t| t != column.table));
        let joins = |k: KeyEnds| Some(k.from) == thing && k.to == column.table;
        let key = self.catalog.keys_that(joins).find(|k| k.to_columns == [column.column]);
        let Some(key) = key else { return (column, Span::default()) };
        let beside = [at.wrapping_sub(1), at.wrapping_sub(2), at + 1].into_iter();
        let owner = beside.filter(|&i| self.table_rather(i) == Some(column.table));
        (key.first_pair().0, Span::from(owner))
    }

    fn value_score(
        &self,
        at: usize,
        value: &StoredValue,
        left: &Left,
        sibling: Option<ColumnId>,
        near: &Distances,
    ) -> f32 {
        let (unit, column, right) = (&self.units[at], value.column, self.right_name(at));
        let says_column = |name: Option<usize>| name.is_some_and(|i| self.names_column(i, column));
        let table = |name: Option<usize>| name.and_then(|i| self.meanings.tables[i]);
        let surely = left.strong || left.comparison.is_some();
        let toward = self.toward(at.wrapping_sub(1));
        let is_name = self.facts.says(column, Words::Titles);
        let far = self.catalog.joins().distance(column.table, near);
        let signs = [
            (says_column(left.name), if surely { 3.0 } else { 1.5 }),
            (table(left.name) == Some(column.table), 1.0),
            (says_column(right), 2.0),
            (table(right) == Some(column.table), 1.2),
            (toward.is_some_and(|end| self.facts.says(column, end)), 1.2),
            (sibling == Some(column), 2.5),
            (self.beside_value(at, column), 1.0),
            (self.meanings.named.contains(&column.table), 0.6),
            (true, -far.map_or(0.8, |d| 0.15 * d.min(5.0))),
            (is_name, if unit.proper { 0.35 } else { 0.1 }),
            (self.facts.is_foreign(column), -0.1),
            (value.text == unit.text, 0.2),
        ];
        signs.iter().filter(|(holds, _)| *holds).map(|(_, worth)| worth).sum()
    }

    /// "Anna Berg": two values side by side are of one row.
    fn beside_value(&self, at: usize, column: ColumnId) -> bool {
        let other = |c: ColumnId| c.table == column.table && c != column;
        let read = self.filters.last().filter(|f| f.at + 1 == at).is_some_and(|f| {
            matches!(&f.condition, Condition::Compare(e, ..) if e.target.column().is_some_and(other))
        });
        let next = self.units.get(at + 1).filter(|u| u.kind == UnitKind::Value);
        read || next.is_some_and(|u| u.values.iter().any(|v| other(v.column)))
    }

    /// The name column of the thing that is "named".
    pub fn named_column(&self, left: &Left) -> Option<ColumnId> {
        let name = left.name?;
        self.facts.display(self.thing(name)?).first().copied()
    }

    /// "with the letter Z", "containing Book": a part of a text that is not quoted.
    fn read_pattern(&mut self, at: usize) {
        let Some(Key::Like(pattern)) = self.key(at.wrapping_sub(1)) else { return };
        let text = self.units[at].text.clone();
        if self.units[at].proper || text.chars().count() == 1 {
            self.read_like(at, self.left(at), pattern, &text);
        }
    }

    /// "containing 'x' or 'y'": the pattern of the text before, where this one is nowhere stored.
    fn listed_pattern(&self, at: usize) -> Option<Pattern> {
        let last = self.filters.last().filter(|f| f.at + 2 == at)?;
        let Condition::Like { pattern, negated: false, .. } = last.condition else { return None };
        Some(pattern).filter(|_| self.joins(at - 1) && self.is_kind(at, UnitKind::Quoted))
    }

    /// A part of a text column: the column stands left, or right as in "'x' in its name".
    pub fn read_like(&mut self, at: usize, left: Left, pattern: Pattern, text: &str) {
        let textual = |&i: &usize| {
            let class = self.column(i).map(|c| self.catalog.column(c).class);
            self.is_name(i) && class.is_some_and(|c| c.is_textual() || c == TypeClass::Other)
        };
        let behind = Some(self.next_solid(at + 1)).filter(|&i| i > at + 1);
        let sibling = self.filters.last().and_then(|f| match f.condition {
            Condition::Like { column, .. } => Some(column),
            _ => None,
        });
        let name = behind.filter(textual).or(left.name.filter(textual));
        let named = name.and_then(|i| self.column(i)).or(sibling);
        let subject = || self.facts.display(self.subject()?).first().copied();
        let Some(column) = named.or_else(subject) else { return };
        let stored = &self.units[at].values;
        if name.is_none() && !stored.is_empty() && stored.iter().all(|v| v.column != column) {
            let stored = format!("\"{text}\" is not stored in {}", self.label(column));
            return self.refuse_at(at, format!("{stored}, but in another column."));
        }
        let span = self.linking(left.start, at).and(name.filter(|&i| !self.at_head(i)));
        let (text, negated) = (text.to_owned(), left.negated);
        self.add_filter(at, span, Condition::Like { column, pattern, text, negated });
    }

    /// A term that stands for conditions.
    fn read_defined(&mut self, at: usize) {
        let kind = &self.units[at].kind;
        let UnitKind::Defined(Meaning::Conditions(conditions, keys)) = kind else { return };
        let left = self.left(at);
        let negated = left.negated || self.is(at.wrapping_sub(1), Key::Not);
        let conditions = match (negated, conditions.as_slice()) {
            (false, all) => all.to_vec(),
            (true, [Condition::Compare(left, operator, right)]) => {
                vec![Condition::Compare(left.clone(), operator.negated(), right.clone())]
            }
            (true, _) => return,
        };
        self.query.keys.extend(keys);
        self.claim(self.linking(left.start, at).and([at]));
        conditions.into_iter().for_each(|condition| self.add_filter(at, [], condition));
    }

    fn read_null(&mut self, at: usize) {
        let left = self.left(at);
        // "a NULL value for the date", "are missing a date"
        let right = self.next_solid(at + 1);
        let names = [left.name.filter(|_| left.strong), Some(right)].into_iter().flatten();
        let mut columns = names.filter_map(|i| Some((i, self.own_column(i)?)));
        let Some((name, column)) = columns.find(|(i, _)| self.is_name(*i)) else { return };
        let span = self.linking(left.start, at).and([name]);
        self.add_filter(at, span, Condition::IsNull { column, negated: left.negated });
    }
}
