//! Lists: which names are asked for, and which only qualify others.

use std::ops::Range;

use crate::strategy::builtin::form::query::Expression;
use crate::strategy::builtin::words::{Key, Unit, UnitKind, Words};

use super::Reader;

impl Reader<'_> {
    /// "stores with their opening date", "sites with client and status": asked for beside the stores, no
    /// condition on them.
    pub fn adds(&self, at: usize) -> bool {
        self.word(at) == "with" && (self.says(at + 1, Words::Possessive) || self.lists_bare(at + 1))
    }

    /// Whether from `start` on nothing is named but bare nouns, of which one has what all rows have: a
    /// column, or several things.
    fn lists_bare(&self, start: usize) -> bool {
        let list = start..self.sentence_end(start);
        let names = || list.clone().filter(|&i| self.is_name(i));
        let flag = |i: usize| self.own_column(i).is_some_and(|c| self.flag(c, false).is_some());
        list.clone().all(|i| self.is_name(i) || self.follows_break(i + 1))
            && names().all(|i| !self.is_plural(i) && !flag(i))
            && (names().count() > 1 || names().any(|i| self.own_column(i).is_some()))
    }

    /// Whether a column at `at` stands in the list of what is asked for: first, or after "and",
    /// a comma, or its table; not after a preposition or a verb.
    pub fn in_list(&self, at: usize) -> bool {
        if self.query.select.is_empty() {
            // "without an email address", of which the email is read
            let name = at.checked_sub(1).filter(|&i| self.is_name(i) && self.is_claimed(i));
            return !name.and_then(|i| self.last_solid(i)).is_some_and(|i| self.is(i, Key::Not));
        }
        let mut passed = false;
        for i in self.before(at).rev() {
            match (&self.units[i].kind, self.key(i)) {
                (UnitKind::Comma, _) | (_, Some(Key::And | Key::Ask | Key::Or)) => return true,
                // "how many pupils play sports": what is counted is said already
                (_, Some(Key::Count)) => return !passed,
                (_, Some(Key::Clause)) => return self.adds(i),
                // "the amount of memory"
                (_, Some(Key::Preposition))
                    if self.word(i) == "of" && self.says(i.wrapping_sub(1), Words::AmountOf) => {}
                (_, Some(Key::Is | Key::Distinct | Key::Both | Key::Each | Key::Any)) => {}
                (_, Some(Key::Aggregate(_) | Key::Superlative(_) | Key::Extreme(_))) => {}
                (UnitKind::Filler, _) => {}
                (UnitKind::Name, _) if self.table_rather(i).is_some() => passed = true,
                // "first name middle name and last name"
                (UnitKind::Name, _) => {
                    let selected = self.column(i).map(Expression::column);
                    let compound = self.word(at).contains(' ') && i + 1 == at;
                    return compound && selected.is_some_and(|e| self.query.select.contains(&e));
                }
                _ => return false,
            }
        }
        true
    }

    /// "last name, department, and city": a thing amid a list of columns is shown by its name.
    pub fn amid_columns(&self, at: usize) -> bool {
        let comma = |i: usize| self.is_kind(i, UnitKind::Comma);
        let column = |i: usize| self.own_column(i).is_some();
        let next = if self.is(at + 2, Key::And) { at + 3 } else { at + 2 };
        let before = at.checked_sub(2).is_some_and(column);
        before && comma(at - 1) && comma(at + 1) && column(self.next_solid(next))
    }

    /// "the cities in Norway and their population", "books with their authors": those of whom it is are
    /// asked for as well.
    pub fn is_theirs(&self, at: usize) -> bool {
        let and = self.before(at).rfind(|&i| !self.is_filler(i));
        let beside = and.is_some_and(|i| self.is(i, Key::And) || self.adds(i));
        beside && self.says(at.wrapping_sub(1), Words::Possessive) || self.is_added(at)
    }

    /// Whether the name at `at` is one of the bare nouns behind "with".
    pub fn is_added(&self, at: usize) -> bool {
        let with = self.before(at).rev().find(|&i| self.is(i, Key::Clause));
        with.is_some_and(|i| self.word(i) == "with" && self.lists_bare(i + 1))
    }

    /// "the first names and all customers", "ships and the country they are in": the thing at `at`
    /// ends a list of what is asked for.
    pub fn is_listed_too(&self, at: usize) -> bool {
        let list = self.list_before(at);
        let called = list.clone().any(|i| self.says(i, Words::Called));
        let ends = list.clone().next_back().is_some_and(|i| self.is_name(i));
        let asked = ends && self.is(list.start, Key::Ask);
        asked && !(called && list.filter(|&i| self.is_name(i)).count() > 1)
    }

    /// What the sentence says before "and", where the thing at `at` follows it and nothing but a list
    /// of names goes before.
    pub fn list_before(&self, at: usize) -> Range<usize> {
        let lists = |i: usize| match self.units[i].kind {
            UnitKind::Key(Key::Ask | Key::Is | Key::Distinct | Key::Each | Key::And) => true,
            UnitKind::Name | UnitKind::Comma => true,
            _ => self.is_thin(i),
        };
        let and = self.last_solid(at).filter(|&i| self.is(i, Key::And)).unwrap_or_default();
        Some(self.before(and)).filter(|list| list.clone().all(lists)).unwrap_or_default()
    }

    /// "the name of each industry": the name says no more than the column after it.
    pub fn only_labels(&self, at: usize) -> bool {
        let generic = self.says(at, Words::Generic);
        let of = self.word(at + 1).starts_with("of");
        let which = |key| matches!(key, Key::Each | Key::Distinct | Key::Frequent(_));
        let next = self.past(at + 2, |i| self.is_thin(i) || self.key(i).is_some_and(which));
        let surely = |u: &Unit| u.table_score() < 0.5 && u.column_score() >= 0.9;
        let behind = self.is_name(next) && surely(&self.units[next]);
        generic && of && behind && self.column(next).is_some_and(|c| !self.facts.is_key(c))
    }
}
