//! Time expressions: "in March 2024", "Q2 of 2023", "the past 30 days", "last year", "on
//! Mondays", "between May and July 2022". They are read from the tokens, before the question is
//! segmented into units, and become the days that they cover.

use std::collections::BTreeSet;
use std::fmt;

use chrono::{Datelike, Months, NaiveDate, TimeDelta};

use crate::dialect::DatePart;
use crate::strategy::builtin::facts::only;

use super::lexicon::{LEXICON, Words};
use super::tokens::{Token, TokenKind};

/// How dates are written in numbers.
const WRITTEN: &[&str] = &["%Y-%m-%d", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"];

/// A day of the Gregorian calendar, in the years 1000 to 9999, so that days compare as text too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(NaiveDate);

impl Day {
    /// The day of a date; None if there is no such day.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Self> {
        Self::of(NaiveDate::from_ymd_opt(year, month, day)?)
    }

    /// `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::of(text.parse().ok()?)
    }

    fn of(date: NaiveDate) -> Option<Self> {
        (1000..=9999).contains(&date.year()).then_some(Self(date))
    }

    /// The year, where the day begins one.
    pub fn starts_year(self) -> Option<i32> {
        (self.0.ordinal() == 1).then_some(self.0.year())
    }

    /// The month that begins with the day and ends before another, in any year.
    pub fn month_to(self, end: Self) -> Option<Period> {
        let whole = self.0.day() == 1 && self.plus(1, DatePart::Month) == end;
        whole.then(|| Period::Recurring(DatePart::MonthOfYear, vec![self.0.month()]))
    }

    /// The days of a year.
    pub fn year(year: i32) -> Option<Period> {
        Some(Period::Days(Self::new(year, 1, 1)?, Self::new(year + 1, 1, 1)?))
    }

    /// The same day so many years ago.
    pub fn years_before(self, years: i32) -> Option<Self> {
        Self::of(self.plus(-years, DatePart::Year).0)
    }

    /// The next day.
    pub fn next(self) -> Self {
        self.plus(1, DatePart::Day)
    }

    /// So many units (no parts that come again) later, at most some thousand; the last day of a
    /// month stays within its month.
    fn plus(self, count: i32, unit: DatePart) -> Self {
        let months = match unit {
            DatePart::Week => return Self(self.0 + TimeDelta::weeks(count.into())),
            DatePart::Month => count,
            DatePart::Quarter => 3 * count,
            DatePart::Year => 12 * count,
            _ => return Self(self.0 + TimeDelta::days(count.into())),
        };
        let distance = Months::new(months.unsigned_abs());
        Self(if months < 0 { self.0 - distance } else { self.0 + distance })
    }

    /// The first day of the unit that the day is in; weeks begin on Monday.
    fn start_of(self, unit: DatePart) -> Self {
        let into = match unit {
            DatePart::Week => self.0.weekday().num_days_from_monday(),
            DatePart::Month => self.0.day0(),
            DatePart::Quarter => {
                let month = self.plus(-(self.0.month0() as i32 % 3), DatePart::Month);
                return month.start_of(DatePart::Month);
            }
            DatePart::Year => self.0.ordinal0(),
            _ => 0,
        };
        Self(self.0 - TimeDelta::days(into.into()))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What is meant by a time expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Period {
    /// From the first day to the second, which no longer belongs to it.
    Days(Day, Day),
    /// Every year or week again: the months, quarters or weekdays of these numbers.
    Recurring(DatePart, Vec<u32>),
}

/// The year that four digits are.
pub fn year(digits: &str) -> Option<i32> {
    digits.parse().ok().filter(|year| digits.len() == 4 && (1000..2200).contains(year))
}

/// The number of a month's name, from 1.
fn month(word: &str) -> Option<u32> {
    let short = |m: &str| (word.len() == 3 || word == "sept") && m.starts_with(word);
    let at = Words::Months.all().iter().position(|m| *m == word || short(m))?;
    Some(at as u32 + 1)
}

/// The number of a weekday's name, from 0 for Sunday.
fn weekday(word: &str) -> Option<u32> {
    let one = word.strip_suffix('s').unwrap_or(word);
    Words::Weekdays.all().iter().position(|d| *d == one).map(|at| at as u32)
}

/// Whether what the tokens say may depend on today's date.
pub fn is_relative(tokens: &[Token]) -> bool {
    let some_day = Reader { tokens, today: Day::new(2000, 1, 1) };
    (0..tokens.len()).any(|at| some_day.relative(at).is_some())
}

/// The time expression that begins at the token `first`, and how many tokens it takes.
/// `today`: the server's date; None if no word of the question is relative to it.
pub fn period(tokens: &[Token], first: usize, today: Option<Day>) -> Option<(Period, usize)> {
    let reader = Reader { tokens, today };
    let (period, end) = reader.range(first).or_else(|| reader.single(first))?;
    let bare = matches!(period, Period::Recurring(DatePart::MonthOfYear, _));
    // "may" and "mark" are words and names too
    let capital = tokens.get(first).is_some_and(|t| t.capital);
    let announced = first > 0 && Words::Announcing.has(reader.word(first - 1));
    let month = announced && (capital || reader.word(first).len() > 3);
    (!bare || month).then_some((period, end - first))
}

struct Reader<'a> {
    tokens: &'a [Token],
    today: Option<Day>,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    fn number(&self, at: usize) -> Option<u32> {
        let word = self.word(at);
        word.parse().ok().or_else(|| LEXICON.numbers.get(word).copied())
    }

    /// How many units back something was.
    fn count(&self, at: usize) -> Option<i32> {
        self.number(at).filter(|n| (1..=1000).contains(n)).map(|n| n as i32)
    }

    fn year(&self, at: usize) -> Option<i32> {
        year(self.word(at))
    }

    fn past_the(&self, at: usize) -> usize {
        at + usize::from(self.word(at) == "the")
    }

    /// Past "of", "the", "in" and commas.
    fn skip(&self, mut at: usize) -> usize {
        while matches!(self.word(at), "of" | "the" | "in" | ",") {
            at += 1;
        }
        at
    }

    /// "between March and June 2024", "from 5 May 2023 to 7 June 2023".
    fn range(&self, at: usize) -> Option<(Period, usize)> {
        if !matches!(self.word(at), "between" | "from") {
            return None;
        }
        let (left, join) = self.single(self.skip(at + 1))?;
        match (self.word(at), self.word(join)) {
            ("between", "and") | ("from", "to" | "until" | "till" | "through") => {}
            _ => return None,
        }
        let (Period::Days(_, to), end) = self.single(join + 1)? else { return None };
        let left = match left {
            // the year is said once: "between March and June 2024"
            Period::Recurring(part, numbers) => {
                within_year(part, *numbers.first()?, to.plus(-1, DatePart::Day).0.year())?
            }
            days => days,
        };
        let Period::Days(from, _) = left else { return None };
        (from < to).then_some((Period::Days(from, to), end))
    }

    /// One period, and where it ends.
    fn single(&self, at: usize) -> Option<(Period, usize)> {
        self.dated(at)
            .or_else(|| self.named_day(at))
            .or_else(|| self.part_of_year(at))
            .or_else(|| self.decade(at))
            .or_else(|| self.relative(at))
            .or_else(|| self.weekdays(at))
    }

    /// `2024-05-01`, `2024/05/01`, `2024-05`, and `31/12/2024` where only one order is possible.
    fn dated(&self, at: usize) -> Option<(Period, usize)> {
        let text = match self.tokens.get(at).map(|t| &t.kind) {
            Some(TokenKind::Quoted(inner)) => inner,
            _ => self.word(at),
        };
        if let Some((year, month)) = text.split_once(['-', '/'])
            && (year.len(), month.len()) == (4, 2)
        {
            let (year, month) = (year.parse().ok()?, month.parse().ok()?);
            return Some((within_year(DatePart::MonthOfYear, month, year)?, at + 1));
        }
        let as_written = |format: &&str| NaiveDate::parse_from_str(text, format).ok();
        let days: BTreeSet<NaiveDate> = WRITTEN.iter().filter_map(as_written).collect();
        let day = Day::of(only(days)?)?;
        Some((one_day(day), at + 1))
    }

    /// "May 5, 2023", "5 May 2023", "the 5th of May 2023".
    fn named_day(&self, at: usize) -> Option<(Period, usize)> {
        let day_number = |i: usize| {
            let word = self.word(i);
            let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
            let ordinal = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th");
            ordinal.then(|| digits.parse::<u32>().ok()).flatten().filter(|d| (1..=31).contains(d))
        };
        let at = self.past_the(at);
        let next = self.skip(at + 1);
        let month_first = month(self.word(at)).zip(day_number(next));
        let day_first = || month(self.word(next)).zip(day_number(at));
        let (month, day) = month_first.or_else(day_first)?;
        let year = self.skip(next + 1);
        let day = Day::new(self.year(year)?, month, day)?;
        Some((one_day(day), year + 1))
    }

    /// "March of 2024", "the second quarter of 2023", "2023 Q2"; "March", "Q2": of every year.
    fn part_of_year(&self, at: usize) -> Option<(Period, usize)> {
        let before = self.year(at);
        let (part, number, end) = self.part(at + usize::from(before.is_some()))?;
        let behind = self.skip(end);
        Some(match (before, self.year(behind)) {
            (Some(year), _) => (within_year(part, number, year)?, end),
            (None, Some(year)) => (within_year(part, number, year)?, behind + 1),
            (None, None) => (Period::Recurring(part, vec![number]), end),
        })
    }

    /// A month or quarter: which part of the year, its number, and where it ends.
    fn part(&self, at: usize) -> Option<(DatePart, u32, usize)> {
        let at = self.past_the(at);
        let word = self.word(at);
        if let Some(month) = month(word) {
            return Some((DatePart::MonthOfYear, month, at + 1));
        }
        let digit = word.strip_prefix('q').filter(|digits| digits.len() == 1);
        let (quarter, end) = match (digit, word, self.word(at + 1)) {
            (Some(digit), ..) => (digit.parse().ok()?, at + 1),
            (_, "quarter", _) => (self.number(at + 1)?, at + 2),
            (_, "first" | "1st", "quarter") => (1, at + 2),
            // "the last quarter" alone is the one before this
            (_, "last", "quarter") => self.year(self.skip(at + 2)).map(|_| (4, at + 2))?,
            (.., "quarter") => (*LEXICON.ordinals.get(word)?, at + 2),
            _ => return None,
        };
        (1..=4).contains(&quarter).then_some((DatePart::QuarterOfYear, quarter, end))
    }

    /// "the 1990s", "the 90s".
    fn decade(&self, at: usize) -> Option<(Period, usize)> {
        let digits = self.word(at).strip_suffix('s')?;
        let first: i32 = digits.parse().ok().filter(|n| n % 10 == 0)?;
        let year = match digits.len() {
            4 => first,
            2 if first >= 30 => 1900 + first,
            _ => return None,
        };
        Some((Period::Days(Day::new(year, 1, 1)?, Day::new(year + 10, 1, 1)?), at + 1))
    }

    /// "today", "this month", "last year", "the past 30 days", "3 days ago".
    fn relative(&self, at: usize) -> Option<(Period, usize)> {
        let today = self.today?;
        let day = |days: i32, end| Some((one_day(today.plus(days, DatePart::Day)), end));
        let since = |from: Day| Period::Days(from, today.next());
        let at = self.past_the(at);
        let the = at > 0 && self.word(at - 1) == "the";
        let word = self.word(at);
        match (word, self.word(at + 1), self.word(at + 2)) {
            ("yesterday", ..) => return day(-1, at + 1),
            ("today", ..) => return day(0, at + 1),
            ("tomorrow", ..) => return day(1, at + 1),
            (_, "days" | "day", "ago") => return day(-self.count(at)?, at + 3),
            _ => {}
        }
        let unit = |at| LEXICON.parts.get(self.word(at)).copied();
        if let (Some(count), Some(unit)) = (self.count(at + 1), unit(at + 2)) {
            let trailing = matches!(word, "last" | "past" | "previous");
            return trailing.then(|| (since(today.plus(-count, unit)), at + 3));
        }
        let unit = unit(at + 1).filter(|u| *u != DatePart::Day)?;
        // "in the past month" ends today; "last month" is the one before this
        let rolling = word == "past" || (word == "last" && the && unit != DatePart::Quarter);
        if rolling {
            return Some((since(today.plus(-1, unit)), at + 2));
        }
        let which = match word {
            "this" | "current" => 0,
            "last" | "previous" => -1,
            "next" => 1,
            _ => return None,
        };
        let from = today.start_of(unit).plus(which, unit);
        Some((Period::Days(from, from.plus(1, unit)), at + 2))
    }

    /// "Mondays", "weekends": of every week.
    fn weekdays(&self, at: usize) -> Option<(Period, usize)> {
        let days = match self.word(at) {
            "weekend" | "weekends" => vec![0, 6],
            word => vec![weekday(word)?],
        };
        Some((Period::Recurring(DatePart::Weekday, days), at + 1))
    }
}

fn one_day(day: Day) -> Period {
    Period::Days(day, day.next())
}

/// The days of a month or quarter of a year.
fn within_year(part: DatePart, number: u32, year: i32) -> Option<Period> {
    let (first, unit) = match part {
        DatePart::MonthOfYear => (number, DatePart::Month),
        DatePart::QuarterOfYear => ((3 * number).checked_sub(2)?, DatePart::Quarter),
        _ => return None,
    };
    let from = Day::new(year, first, 1)?;
    Some(Period::Days(from, from.plus(1, unit)))
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokenize;
    use super::*;

    /// What the first time expression of a text covers, on Saturday 21 November 2026.
    fn read(text: &str) -> Option<String> {
        let tokens = tokenize(text);
        let today = is_relative(&tokens).then(|| Day::parse("2026-11-21")).flatten();
        let found = (0..tokens.len()).find_map(|first| period(&tokens, first, today));
        Some(match found?.0 {
            Period::Days(from, to) => format!("{from}..{to}"),
            Period::Recurring(part, numbers) => format!("{} {numbers:?}", part.name()),
        })
    }

    fn check(text: &str, expect: &str) {
        assert_eq!(read(text).as_deref(), Some(expect), "{text}");
    }

    #[test]
    fn time_expressions_become_the_days_they_cover() {
        check("in March 2024", "2024-03-01..2024-04-01");
        check("during December of 2023", "2023-12-01..2024-01-01");
        check("in Q2 2023", "2023-04-01..2023-07-01");
        check("the last quarter of 2023", "2023-10-01..2024-01-01");
        check("on May 5th, 2023", "2023-05-05..2023-05-06");
        check("the 29th of February 2024", "2024-02-29..2024-03-01");
        check("since 2024-05-31", "2024-05-31..2024-06-01");
        check("on '2024-05-31'", "2024-05-31..2024-06-01");
        check("on 31/12/2023", "2023-12-31..2024-01-01");
        check("in 2024-05", "2024-05-01..2024-06-01");
        check("in the 1990s", "1990-01-01..2000-01-01");
        check("between March and June 2024", "2024-03-01..2024-07-01");
        check("from 5 May 2023 to 7 June 2023", "2023-05-05..2023-06-08");
        check("in March", "month [3]");
        check("on Mondays", "weekday [1]");
        check("on weekends", "weekday [0, 6]");
    }

    #[test]
    fn relative_expressions_count_from_today() {
        check("yesterday", "2026-11-20..2026-11-21");
        check("this week", "2026-11-16..2026-11-23");
        check("this month", "2026-11-01..2026-12-01");
        check("last year", "2025-01-01..2026-01-01");
        check("in the last quarter", "2026-07-01..2026-10-01");
        check("in the past 30 days", "2026-10-22..2026-11-22");
        check("over the last three months", "2026-08-21..2026-11-22");
        check("in the past year", "2025-11-21..2026-11-22");
        check("10 days ago", "2026-11-11..2026-11-12");
    }

    #[test]
    fn what_only_looks_like_a_time_is_none() {
        let check = |text: &str| assert_eq!(read(text), None, "{text}");
        check("students who may register");
        check("first and last name");
        check("on 05/06/2023"); // which is the day?
        check("February 30, 2024");
        check("quarter 7 of 2024");
        check("the last 99999 days");
    }
}
