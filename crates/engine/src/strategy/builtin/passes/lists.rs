//! Lists: which names are asked for, and which only qualify others.

use crate::strategy::builtin::form::query::Expression;
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::{Key, Words};

use super::read::Reader;

impl Reader<'_> {
    /// "stores with their opening date": asked for beside the stores, no condition on them.
    pub fn adds(&self, at: usize) -> bool {
        self.word(at) == "with" && self.says(at + 1, Words::Possessive)
    }

    /// Whether a column at `at` stands in the list of what is asked for: first, or after "and",
    /// a comma, or its table; not after a preposition or a verb.
    pub fn in_list(&self, at: usize) -> bool {
        if self.query.select.is_empty() {
            return true;
        }
        let mut passed = false;
        for i in self.before(at).rev() {
            let unit = &self.units[i];
            match (&unit.kind, unit.key()) {
                (UnitKind::Comma, _) | (_, Some(Key::And | Key::Ask | Key::Or)) => return true,
                // "how many pupils play sports": what is counted is said already
                (_, Some(Key::Count)) => return !passed,
                (UnitKind::Filler, _) => {}
                (_, Some(Key::Clause)) if self.adds(i) => return true,
                // "the amount of memory"
                (_, Some(Key::Preposition)) if self.is_amount(i) => {}
                (
                    _,
                    Some(
                        Key::Is
                        | Key::Distinct
                        | Key::Aggregate(_)
                        | Key::Superlative(_)
                        | Key::Extreme(_)
                        | Key::Both
                        | Key::Each
                        | Key::Any,
                    ),
                ) => {}
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

    /// "the amount of", "the kind of": words that leave the column to what follows.
    pub fn is_amount(&self, of: usize) -> bool {
        let word = of.checked_sub(1).map(|i| self.word(i));
        self.word(of) == "of"
            && matches!(word, Some("amount" | "number" | "value" | "values" | "kind" | "kinds"))
    }

    /// "last name, department, and city": a thing amid a list of columns is shown by its name.
    pub fn amid_columns(&self, at: usize) -> bool {
        let comma = |i: usize| self.is_kind(i, UnitKind::Comma);
        let column = |i: usize| self.own_column(i).is_some();
        let next = if self.is(at + 2, Key::And) { at + 3 } else { at + 2 };
        let before = at.checked_sub(2).is_some_and(column);
        before && comma(at - 1) && comma(at + 1) && column(self.next_solid(next))
    }

    /// "the cities in Norway and their population": the cities are asked for as well.
    pub fn is_theirs(&self, at: usize) -> bool {
        at >= 2 && self.says(at - 1, Words::Possessive) && self.is(at - 2, Key::And)
    }

    /// "the first names and all customers", "ships and the country they are in": the thing at `at`
    /// ends a list of what is asked for.
    pub fn is_listed_too(&self, at: usize) -> bool {
        let start = self.sentence_start(at);
        let Some(and) = (start..at).rev().find(|&i| !self.is_thin(i)) else { return false };
        let lists = |i: usize| {
            self.is_thin(i)
                || matches!(self.units[i].kind, UnitKind::Name | UnitKind::Comma)
                || matches!(self.key(i), Some(Key::Ask | Key::Is | Key::Distinct | Key::And))
        };
        let generic = |i: usize| self.says(i, Words::Called);
        let named =
            (start..and).any(generic) && (start..and).filter(|&i| self.is_name(i)).count() > 1;
        self.is(and, Key::And)
            && (start..and).next_back().is_some_and(|i| self.is_name(i))
            && (start..and).all(lists)
            && self.is(start, Key::Ask)
            && !named
    }

    /// "and their regions": the thing named last in a list is shown by its name.
    pub fn shows_theirs(&self, at: usize) -> bool {
        let before = at.checked_sub(1).is_some_and(|i| self.says(i, Words::Possessive));
        let start = self.before(at).rev().find(|&i| !self.is_kind(i, UnitKind::Filler));
        before && start.is_some_and(|i| self.is(i, Key::And)) && self.followed_by_end(at + 1)
    }

    /// "the name of each industry": the name says no more than the column after it.
    pub fn only_labels(&self, at: usize) -> bool {
        let generic = matches!(self.word(at), "name" | "names" | "value" | "values");
        let of = self.word(at + 1).starts_with("of");
        let mut next = self.next_solid(at + 2);
        while matches!(self.key(next), Some(Key::Each | Key::Distinct | Key::Frequent(_))) {
            next = self.next_solid(next + 1);
        }
        let behind = self.units.get(next).is_some_and(|u| {
            u.kind == UnitKind::Name && u.table_score() < 0.5 && u.column_score() >= 0.9
        });
        generic && of && behind && self.column(next).is_some_and(|c| !self.facts.is_key(c))
    }
}
