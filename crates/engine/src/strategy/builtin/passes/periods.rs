//! Dates: conditions from time expressions, parts of dates that group or are asked for, and the
//! column of a table that says when its rows happened.

use std::ops::Range;

use crate::catalog::{ColumnId, TableId};
use crate::dialect::DatePart;
use crate::strategy::builtin::facts::{only, related};
use crate::strategy::builtin::form::query::{
    Comparison, Condition, Expression, Operand, Query, Target,
};
use crate::strategy::builtin::words::{
    Key, Kind, LEXICON, Period, UnitKind, Words, is_participle, year,
};
use crate::text::stem;

use super::{Claim, Reader, Span, bare};

impl Reader<'_> {
    /// A time expression: a condition on the column of dates that is meant.
    pub fn read_period(&mut self, at: usize) {
        let UnitKind::Period(period) = self.units[at].kind.clone() else { return };
        let left = self.left(at);
        if left.adjective.is_some() {
            return;
        }
        let beyond = self.beyond(at + 1);
        let fits = |c: ColumnId| self.is_dated(c, &period);
        let named = left.name.filter(|&i| self.own_column(i).is_some_and(fits));
        let said = named.and_then(|i| self.column(i)).or_else(|| self.verb_of_date(at));
        let verb = || self.verb_column(left.start).filter(|(c, _)| fits(*c));
        let unsaid = || self.number_sibling(at).or_else(|| self.happened(at, fits));
        let found = said.map(bare).or_else(verb).or_else(|| unsaid().map(bare));
        let Some((column, verb)) = found else { return };
        // "not returned before June": those neither that have not been at all
        if left.negated && left.time.is_some() && self.facts.optional(column) {
            let label = self.label(column);
            return self
                .refuse_at(at, format!("It is unclear whether rows without {label} count."));
        }
        // "a birthday this month": in whatever year somebody was born
        let birthday = named.is_some_and(|i| self.word(i).contains("birthday"));
        let dated = self.word(at).contains(|c: char| c.is_ascii_digit());
        let period = match period {
            Period::Days(from, to) if birthday && !dated => from.month_to(to),
            period => Some(period),
        };
        let compared = |period| self.during(column, &period, left.operator(beyond));
        let Some(condition) = period.and_then(compared) else { return };
        let span = self.linking(left.start, at).with(verb).and(beyond.map(|_| at + 1));
        self.add_filter(at, span.and(named.filter(|&i| !self.at_head(i))), condition);
    }

    /// The date that a period is about by the word before it, or by the last participle: "how many were
    /// delivered in May", "were delivered each month" of a table that has `delivered_at`.
    fn verb_of_date(&self, at: usize) -> Option<ColumnId> {
        let participle = |i: &usize| {
            let finite = || self.column(*i).is_some_and(|c| self.is_verb(*i, c));
            is_participle(self.word(*i)) || finite()
        };
        let spoken = [self.last_solid(at), self.before(at).rfind(participle)];
        let dated = |said: usize| {
            let unit = &self.units[said];
            let own = stem(&unit.folded);
            let kin = |word: &String| own.len() > 3 && related(&own, word);
            let says = |c: &ColumnId| self.facts.stems(*c).iter().any(kin);
            let dated = |c: &ColumnId| self.facts.is_calendar(*c) && says(c);
            match unit.kind {
                UnitKind::Value | UnitKind::Unknown if !unit.proper => {
                    let thing = self.near(at).into_iter().next()?;
                    let of = |t: TableId| self.catalog.column_ids(t).find(dated);
                    // orders are delivered where their shipments are
                    of(thing).or_else(|| self.users_of(thing).into_iter().find_map(of))
                }
                UnitKind::Name if participle(&said) => {
                    let own = || only(self.facts.event_dates(self.table_rather(said)?));
                    let other = || unit.columns.iter().map(|c| c.item).find(dated);
                    self.column(said).filter(dated).or_else(other).or_else(own)
                }
                _ => None,
            }
        };
        spoken.into_iter().flatten().find_map(dated)
    }

    /// Whether a column can be compared with a period: dates with any, years with whole years.
    fn is_dated(&self, column: ColumnId, period: &Period) -> bool {
        let years = match period {
            Period::Days(from, to) => from.starts_year().is_some() && to.starts_year().is_some(),
            Period::Recurring(..) => false,
        };
        self.facts.is_calendar(column) || (years && self.facts.says(column, Words::Years))
    }

    /// What it means for a column to be in, before or after a period. None where the two do not go together.
    pub fn during(&self, column: ColumnId, period: &Period, by: Comparison) -> Option<Condition> {
        let (from, to) = match period {
            Period::Days(from, to) => (*from, *to),
            Period::Recurring(part, numbers) => {
                let equal = by == Comparison::Equal;
                return equal.then(|| recurring(column, *part, numbers));
            }
        };
        let class = self.catalog.column(column).class;
        if !self.facts.is_calendar(column) {
            return self.years(column, from.starts_year()?..to.starts_year()?, by);
        }
        if from.next() == to && class != crate::catalog::TypeClass::Timestamp {
            return Some(Condition::compare(column, by, Operand::Text(from.to_string())));
        }
        let (from, to) = (Some(from.to_string()), Some(to.to_string()));
        let within = |from, to| Condition::Within(column, from, to);
        Some(match by {
            Comparison::Equal => within(from, to),
            Comparison::NotEqual => Condition::Any(vec![within(None, from), within(to, None)]),
            Comparison::Greater => within(to, None),
            Comparison::GreaterOrEqual => within(from, None),
            Comparison::Less => within(None, from),
            Comparison::LessOrEqual => within(None, to),
        })
    }

    /// A column of year numbers within whole years.
    fn years(&self, column: ColumnId, of: Range<i32>, operator: Comparison) -> Option<Condition> {
        let (first, last) = (of.start, of.end - 1);
        let year = |year: i32| self.literal(column, year.to_string());
        let said = match operator {
            Comparison::Greater | Comparison::LessOrEqual => last,
            Comparison::Equal if first != last => {
                return Some(Condition::Between(column, year(first), year(last)));
            }
            Comparison::NotEqual if first != last => return None,
            _ => first,
        };
        Some(Condition::compare(column, operator, year(said)))
    }

    /// "by date", "at the latest time": the noun names no column.
    pub fn is_time_noun(&self, at: usize) -> bool {
        self.is_unknown(at) && LEXICON.kinds.get(self.word(at)) == Some(&Kind::Time)
    }

    /// The date or year column that a bare year is about.
    pub fn time_column(&self, at: usize, number: &str) -> Option<ColumnId> {
        year(number)?;
        let dated = |c| self.facts.is_calendar(c) || self.facts.says(c, Words::Years);
        self.measure(&Words::Years.stems(), &self.near(at)).or_else(|| self.happened(at, dated))
    }

    /// The table spoken of last before `at`, the subject, and the tables of the conditions so far.
    pub fn near(&self, at: usize) -> Vec<TableId> {
        let (last, subject) = (self.last_thing(at), self.subject());
        // what happens refers to whom it happens to: an order, not its customer, is of 2022
        let mut ends = self.catalog.key_ends.iter().map(|k| (Some(k.from), Some(k.to)));
        let refers = ends.any(|ends| ends == (last, subject));
        let pair = if refers { [last, subject] } else { [subject, last] };
        pair.into_iter().flatten().chain(self.filtered()).collect()
    }

    /// The column that says when the things spoken of at `at` happened.
    pub fn happened(&self, at: usize, fits: impl Fn(ColumnId) -> bool) -> Option<ColumnId> {
        let own = |t| {
            let mut dates = self.facts.event_dates(t).into_iter();
            dates.find(|&c| fits(c) && !self.facts.says(c, Words::Birth))
        };
        let near = self.near(at);
        let measured = self.way_measured(&near);
        let spoken = measured.into_iter().chain(near).chain(self.meanings.named.iter().copied());
        self.verb_of_date(at).filter(|&c| fits(c)).or_else(|| spoken.into_iter().find_map(own))
    }

    /// The tables from where the numbers are that the question speaks of up to one of these: of "which
    /// customer spent the most in 2022" the payments, of "the revenue by clerk in 2022" the lines, then
    /// their orders.
    fn way_measured(&self, near: &[TableId]) -> Vec<TableId> {
        let spent = |i| {
            let nouns = LEXICON.measured_by.get(self.word(i))?;
            near.iter().find_map(|&payer| self.paid(payer, nouns))
        };
        let measure = |i| {
            let column = self.own_column(i).filter(|&c| self.facts.numeric(c));
            column.filter(|&c| !self.facts.is_key_part(c)).map(Expression::column)
        };
        let numbers = |i| self.computed(i).cloned().or_else(|| spent(i)).or_else(|| measure(i));
        let tables = self.places().filter_map(numbers).flat_map(|number| number.tables());
        let ways = |table| near.iter().filter_map(move |&of| self.way_up(table, of));
        tables.flat_map(ways).find(|way| way.len() > 1).unwrap_or_default()
    }

    /// Parts of dates that group or are asked for: "per month", "monthly", "which year".
    pub fn read_part(&mut self, at: usize) {
        let (part, adverb) = match self.key(at) {
            Some(Key::Part(part)) => (Some(part), !self.word(at).contains(' ')),
            Some(_) => (None, false),
            None => (LEXICON.parts.get(self.word(at)).copied(), false),
        };
        let Some(part) = part.filter(|_| !self.is_claimed(at)) else { return };
        let adverb = adverb && part != DatePart::Weekday;
        let before = (0..at).rev().take_while(|&i| self.is_thin(i)).last().unwrap_or(at);
        let lead = before.checked_sub(1);
        let by = (before..at).any(|i| self.word(i) == "by");
        let each = lead.is_some_and(|i| self.is(i, Key::Each));
        let asked = lead.is_some_and(|i| self.is(i, Key::Ask)) && !by && !adverb;
        let groups = each || ((by || adverb) && self.aggregates_rows(at));
        // "the hourly rate" is what an hour costs
        let rate = |c: ColumnId| self.facts.says(c, Words::Rates);
        let rated = adverb && self.own_column(at + 1).is_some_and(rate);
        if !(groups || asked) || rated || self.is_own_column(at) {
            return;
        }
        let next = self.next_solid(at + 1);
        let said = self.column(next).filter(|&c| self.facts.is_calendar(c));
        let column = said.or_else(|| self.happened(at, |c| self.facts.is_calendar(c)));
        let Some(column) = column else { return };
        // the verb that is the date's name: "written" is `written_on`
        let verb =
            |&i: &usize| self.is_name(i) && self.own_column(i) == Some(column) && !self.at_head(i);
        let span = Span::from(before..at).and(lead.filter(|_| each || asked));
        let done = self.places().find(verb);
        let span = span.phrase(self.places().filter(verb)).phrase([at]);
        // what the word also names is not meant
        (self.meanings.columns[at], self.meanings.tables[at]) = (None, None);
        let target = Target::Part(column, part);
        if !groups {
            return self.ask_for(span, [Expression::plain(target)]);
        }
        // "graduated each year": those who did
        if self.facts.optional(column) && done.is_some() {
            self.add_apart(at, [], Condition::present(column));
        }
        self.group_by(span, target);
    }

    /// A column of the tables spoken of: a stored year, not the year of a date.
    fn is_own_column(&self, at: usize) -> bool {
        let named = &self.meanings.named;
        let word = self.word(at).trim_end_matches('s');
        // "per month" is of no monthly fee
        let column = self.column(at).filter(|c| named.is_empty() || named.contains(&c.table));
        self.is_name(at) && column.is_some_and(|c| self.facts.column_says(c, &[word]))
    }

    /// Note which dates of a table the question may also mean, where it names none.
    pub fn doubt_dates(&mut self, query: &Query) {
        for column in query.dates() {
            if self.places().any(|i| self.names_column(i, column) || self.says_done(i, column)) {
                continue;
            }
            if let Some(open) = self.tell_date(column) {
                self.doubt(open);
                // no period is understood whose date is not
                for (unit, claim) in self.units.iter().zip(&mut self.claims) {
                    if let UnitKind::Period(_) | UnitKind::Key(Key::Part(_)) = unit.kind {
                        *claim = Claim::Refused;
                    }
                }
            }
        }
    }

    /// Tell which date was taken though nobody named it; the question that it leaves open, if any.
    pub fn tell_date(&mut self, column: ColumnId) -> Option<String> {
        self.reading.defaults.push(column);
        let happened = self.facts.event_dates(column.table);
        let other = |c: &ColumnId| {
            let kept = self.facts.says(*c, Words::Kept) || self.facts.says(*c, Words::Birth);
            *c != column && (happened.contains(c) || self.facts.is_calendar(*c) && !kept)
        };
        let dates: Vec<ColumnId> = self.catalog.column_ids(column.table).filter(other).collect();
        let labels = |dates: &[ColumnId]| {
            dates.iter().map(|&date| self.label(date)).collect::<Vec<_>>().join(" or ")
        };
        let open = happened.len() > 1 && happened.contains(&column);
        let question = open.then(|| format!("Which date is meant: {}?", labels(&happened)));
        if !dates.is_empty() {
            self.note(format!("the date is {}, not {}", self.label(column), labels(&dates)));
        }
        question
    }

    /// Whether the sentence counts, adds up or compares.
    pub fn aggregates_rows(&self, at: usize) -> bool {
        (self.sentence_start(at)..self.sentence_end(at)).any(|i| {
            matches!(self.key(i), Some(Key::Count | Key::Aggregate(_) | Key::HowMuch))
                || self.computed(i).is_some_and(Expression::is_aggregate)
        })
    }
}

/// Months, quarters or weekdays of any year.
fn recurring(column: ColumnId, part: DatePart, numbers: &[u32]) -> Condition {
    let one = |number: &u32| {
        let left = Expression::plain(Target::Part(column, part));
        Condition::Compare(left, Comparison::Equal, Operand::Number(number.to_string()))
    };
    match numbers {
        [only] => one(only),
        several => Condition::Any(several.iter().map(one).collect()),
    }
}
