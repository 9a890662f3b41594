//! Ages of people: stored, or from a date of birth and the date of the server.

use crate::catalog::ColumnId;
use crate::strategy::builtin::form::query::{Comparison, Condition};
use crate::strategy::builtin::words::lexicon::Key;

use super::left::Left;
use super::read::Reader;
use super::span::{Found, Span};

/// Nobody is so old.
const MOST_YEARS: i32 = 150;

impl Reader<'_> {
    /// "under 20", "above 12 years of age": said of people without a word of their age.
    pub fn age(&self, at: usize, left: &Left) -> Option<Found> {
        let (mut after, mut said) = (at + 1, false);
        while let Some(unit) = self.units.get(after)
            && (matches!(unit.folded.as_str(), "year" | "years" | "old" | "age")
                || said && self.is_thin(after))
        {
            (after, said) = (after + 1, true);
        }
        let ends = self.followed_by_end(after) || self.is(after, Key::And);
        if left.comparison.is_none() && !said || !ends {
            return None;
        }
        let subject = self.subject();
        let column = self.measure(&["age".to_owned()], subject.as_slice()).or_else(|| {
            let mut columns = subject.iter().flat_map(|&t| self.catalog.column_ids(t));
            columns.find(|c| self.facts.is_birth_date(*c) && self.today.is_some())
        })?;
        Some((column, Span::from(at + 1..after)))
    }

    /// The dates of birth of those who are this old today; None for any other column.
    pub fn aged(&self, column: ColumnId, operator: Comparison, digits: &str) -> Option<Condition> {
        let years: i32 = digits.parse().ok().filter(|n| *n < MOST_YEARS)?;
        let today = self.today.filter(|_| self.facts.is_birth_date(column))?;
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
}
