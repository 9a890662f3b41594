//! Groups: for each, per, by.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::Expression;
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::{self, Key};

use super::read::{Group, Reader};
use super::span::Span;

impl Reader<'_> {
    /// "for each city", "per customer".
    pub fn read_groups(&mut self) {
        for at in 0..self.units.len() {
            let by = self.breaks_down(at);
            if !by && (!self.is(at, Key::Each) || self.is_claimed(at)) {
                continue;
            }
            let mut name = self.next_solid(at + 1);
            if self.is(name, Key::Distinct) {
                name = self.next_solid(name + 1);
            }
            if !self.is_name(name) {
                continue;
            }
            // "the price per kg" is a ratio
            let unit = || lexicon::unit(self.word(name)).is_some() && self.word(at) == "per";
            let rate = self.own_column(name).is_some_and(|c| self.facts.numeric(c) && unit());
            let part = lexicon::part(self.word(name)).is_some() && !self.is_whole_name(name);
            if part || rate {
                self.read_rate(at, name);
                continue;
            }
            if by
                && !self.aggregates_rows(at)
                && let Some(thing) = self.thing_broken_down(at)
            {
                self.ask_for([], [Expression::count(thing)]);
            }
            let known = self.groups.len();
            self.add_group([at, name.saturating_sub(1)], name);
            // "for each city and year", "for each combination of"
            let mut next = name + 1;
            while matches!(self.key(next), Some(Key::And)) {
                let more = self.next_solid(next + 1);
                if self.add_part(more) {
                    next = more + 1;
                    continue;
                }
                let measured = |c: ColumnId| self.facts.numeric(c) && !self.facts.temporal(c);
                let column = self.open_column(more).filter(|&c| !measured(c));
                if column.is_none() || !self.followed_by_end(more + 1) {
                    break;
                }
                self.add_group([], more);
                next = more + 1;
            }
            if !by {
                self.each.extend_from_slice(&self.groups[known..]);
            }
        }
    }

    /// Whether the column that the unit at `at` names is called by it alone.
    fn is_whole_name(&self, at: usize) -> bool {
        let Some(column) = self.column(at) else { return true };
        let said = self.word(at).trim_end_matches('s');
        self.facts.is_calendar(column) || self.facts.words(column).iter().any(|word| word == said)
    }

    /// "less than 50 per month" of a `monthly_price`: said of what is compared; it groups nothing.
    fn read_rate(&mut self, each: usize, part: usize) {
        let column = self.column(part);
        let read = |c: ColumnId| self.filters.iter().any(|f| f.condition.columns().contains(&c));
        if column.is_some_and(read) {
            return self.claim(Span::from([each]).phrase([part]));
        }
        self.refuse_at(part, format!("\"{}\" groups nothing here.", self.units[part].text));
    }

    /// "per store and year": a part of the date when the things counted happened.
    fn add_part(&mut self, at: usize) -> bool {
        let part = lexicon::part(self.word(at));
        let Some(part) = part.filter(|_| self.is_free(at) && self.followed_by_end(at + 1)) else {
            return false;
        };
        let Some(column) = self.happened(at, |c| self.facts.is_calendar(c)) else { return false };
        (self.meanings.columns[at], self.meanings.tables[at]) = (None, None);
        self.group_by(Span::default().phrase([at]), Group::Part(column, part));
        true
    }

    /// "the total refund by reason", "the minutes of lessons by room": after an amount or a number
    /// of things, "by" groups; tables and dates only at the end, where nobody is said to do it.
    fn breaks_down(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|i| &self.units[i]);
        let said = before.is_some_and(|u| u.kind == UnitKind::Name && !u.folded.ends_with("ed"));
        let computed = at.checked_sub(1).and_then(|i| self.computed(i));
        let noun = said || computed.is_some_and(Expression::is_aggregate);
        let name = self.next_solid(at + 1);
        let shared = self.own_column(name).is_some_and(|c| !self.facts.measures(c));
        let ends = self.followed_by_end(name + 1)
            || matches!(self.key(name + 1), Some(Key::And | Key::Preposition));
        let named = self.is_name(name);
        let counted = self.thing_broken_down(at).filter(|_| shared);
        self.word(at) == "by"
            && noun
            && (self.aggregates_rows(at) || counted.is_some())
            && self.is_free(name)
            && named
            && (shared || ends || computed.is_some())
    }

    /// "customers by segment" are counted, where a question says nothing else of them.
    fn thing_broken_down(&self, at: usize) -> Option<TableId> {
        let thing = at.checked_sub(1)?;
        let opens = (self.sentence_start(at)..thing).all(|i| self.is_kind(i, UnitKind::Filler));
        let name = self.next_solid(at + 1);
        self.table_rather(thing).filter(|_| opens && self.followed_by_end(name + 1))
    }

    pub fn followed_by_end(&self, at: usize) -> bool {
        self.units.get(at).is_none_or(|u| matches!(u.kind, UnitKind::Stop | UnitKind::Comma))
    }

    fn add_group(&mut self, span: impl Into<Span>, name: usize) {
        let mut span = span.into().and([name]);
        let unit = &self.units[name];
        let rather = self.table_rather(name).filter(|_| unit.table_score() >= unit.column_score());
        let owned = rather.filter(|_| self.column(name + 1).is_none() || !self.is_name(name + 1));
        let group = match (owned, self.column(name)) {
            (Some(table), _) => Group::Rows(table),
            (None, Some(column)) if rather.is_none() => Group::Column(column),
            _ => match (self.column(name + 1), self.table_rather(name)) {
                (Some(column), Some(table)) if column.table == table => {
                    span = span.and([name + 1]);
                    Group::Column(column)
                }
                (_, Some(table)) => Group::Rows(table),
                _ => return,
            },
        };
        self.group_by(span, group);
    }
}
