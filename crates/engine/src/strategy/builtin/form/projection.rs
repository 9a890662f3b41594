//! What is shown: each thing once, things by their names, and nothing that may as well be another's.

use crate::catalog::{ColumnId, KeyId};
use crate::strategy::builtin::passes::read::Reader;
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::Key;
use crate::text::{identifier_words, stem};

use super::query::{Condition, Expression, Formula, Query, Target};

impl Reader<'_> {
    /// "Which party has the most delegates?", "pupils and their tutors": what a number refers to is shown by
    /// its name.
    pub fn name_references(&self, query: &mut Query) {
        for shown in query.select.clone().iter().filter(|_| query.within.is_none()) {
            let Some((column, key, called)) = self.referred_thing(shown) else { continue };
            let name = |c: &ColumnId| {
                let role = &self.facts.words(column)[0];
                let name = format!("{role}_{}", self.catalog.column(*c).name);
                let of = Box::new(Formula::Beside(column, key, *c));
                Expression::plain(Target::Formula(of, name))
            };
            let names: Vec<Expression> = called.iter().map(name).collect();
            if query.group.contains(&shown.target) && self.catalog.column(column).nullable {
                query.filters.push(Condition::IsNull { column, negated: true });
            }
            let at = query.select.iter().position(|e| e == shown).unwrap_or_default();
            query.select.splice(at..=at, names.clone());
            if let Some(at) = query.order.iter().position(|(e, _)| e == shown) {
                let direction = query.order[at].1;
                query.order.splice(at..=at, names.into_iter().map(|name| (name, direction)));
            }
        }
    }

    /// A number that refers to something which has a name, where the question says what it is to the row
    /// and not that its key is wanted: the key, and what is called by.
    fn referred_thing(&self, shown: &Expression) -> Option<(ColumnId, KeyId, Vec<ColumnId>)> {
        let column = shown.plain_column()?;
        let key = self.facts.key_of(column)?;
        let (ends, own) = (self.catalog.key(key), self.facts.stems(column));
        let thing = ends.to;
        let single =
            ends.when.is_none() && self.catalog.table(thing).is_unique_over(&ends.to_columns);
        let called = self.facts.display(thing);
        let role = || own.iter().filter(|word| *word != "id").cloned();
        let said = |i: usize| {
            self.own_column(i) == Some(column) && self.word(i).split(' ').map(stem).eq(role())
        };
        let key_only = role().count() < own.len() || own == self.facts.table_stems(thing);
        let number = self.catalog.column(column).class.is_numeric() && key_only;
        let named = !called.iter().any(|&c| self.facts.is_key(c));
        (number && named && single && self.places().any(said)).then_some((column, key, called))
    }

    /// "type codes and the number of documents with each code": the code is shown once, though the
    /// types and the documents have it.
    pub fn show_once(&self, query: &mut Query) {
        let (mut seen, mut again) = (Vec::new(), Vec::new());
        query.select.retain(|e| {
            let Some(column) = e.plain_column() else { return true };
            let repeats = self.facts.same_by_key(column).any(|same| seen.contains(&same));
            let list = if repeats { &mut again } else { &mut seen };
            list.push(column);
            !repeats
        });
        query.group.retain(|group| group.column().is_none_or(|c| !again.contains(&c)));
    }

    /// "the color code and description": of the color, or of the thing?
    pub fn shared_modifier(&self, query: &Query) -> Option<String> {
        let meant = (2..self.units.len()).find_map(|at| {
            let listed = self.is(at - 1, Key::And);
            let (before, head) = (&self.units[at - 2], &self.units[at]);
            let named = before.kind == UnitKind::Name && head.kind == UnitKind::Name;
            let (first, chosen) = (self.column(at - 2)?, self.column(at)?);
            let words = identifier_words(&before.folded);
            let (_, modifier) = words.split_last().filter(|(_, m)| !m.is_empty())?;
            let single = listed && named && !head.folded.contains(' ');
            let shown = query.columns().contains(&chosen) && query.columns().contains(&first);
            let full: Vec<String> =
                modifier.iter().chain([&head.folded]).map(|word| stem(word)).collect();
            // before all columns are looked through
            if !single || !shown {
                return None;
            }
            let called = |c: &ColumnId| self.facts.stems(*c) == full;
            let mut columns = self.catalog.table_ids().flat_map(|t| self.catalog.column_ids(t));
            let other = columns.find(called)?;
            let same = |c: ColumnId| self.facts.same_by_key(chosen).any(|s| s == c);
            (!called(&chosen) && !same(other)).then_some((other, chosen))
        });
        let (other, chosen) = meant?;
        Some(format!("Which is meant: {} or {}?", self.label(other), self.label(chosen)))
    }

    /// "in division AS or in division EN and in building NEB": the last condition may hold for both.
    pub fn refuse_open_alternative(&mut self) {
        let open = self.filters.windows(3).any(|three| {
            let [one, two, last] = three else { return false };
            let between =
                |from: usize, to: usize, key| (from..to).any(|i| self.key(i) == Some(key));
            let stated = (one.at + 1..two.at).any(|i| self.is_name(i));
            let other = one.condition.columns() == two.condition.columns()
                && last.condition.columns() != two.condition.columns();
            two.or && !last.or && stated && other && between(two.at, last.at, Key::And)
        });
        if open {
            self.refuse(
                "Does the last condition apply to both alternatives, or only to the second?",
            );
        }
    }
}
