//! States: words that describe things by one of their columns: "unpaid invoices", "inactive
//! accounts", "closed tickets", "the loans that were not returned". Flags are true or false; optional
//! dates and references are present or missing.

use crate::catalog::{ColumnId, TableId, TypeClass};
use crate::strategy::builtin::form::query::{Condition, Operand};
use crate::strategy::builtin::words::{Key, Kind, LEXICON, UnitKind, Words, is_participle};

use super::{Filter, Reader};

impl Reader<'_> {
    /// Read a state said right before a thing or after "is".
    pub fn read_state(&mut self, at: usize) {
        let Some(column) = self.state(at) else { return };
        if self.is_always(at, column) {
            return self.claim([at]);
        }
        let negated = at.checked_sub(1).filter(|&i| self.is(i, Key::Not));
        let not = negated.is_some();
        let dated = self.facts.has_dates(column) || self.facts.is_foreign(column);
        let planned = dated && self.facts.says(column, Words::Planned);
        let done = Condition::IsNull { column, negated: !not };
        let done = Some(done).filter(|_| dated && !planned && self.facts.optional(column));
        let (label, said) = (self.label(column), &self.units[at].text);
        match self.flag(column, not).or(done) {
            Some(condition) => self.add_filter(at, negated, condition),
            None if planned => self.refuse_at(at, format!("{label} may be in the future.")),
            None => self.refuse_at(at, format!("\"{said}\" is mentioned without a condition.")),
        }
        self.filters.sort_by_key(|f| f.at);
    }

    /// The column by which the word at `at` says in what state the things named next are.
    pub fn state(&self, at: usize) -> Option<ColumnId> {
        let unit = &self.units[at];
        if unit.kind != UnitKind::Name || self.is_claimed(at) {
            return None;
        }
        // "unresolved red alerts"
        let named = (at + 1..self.units.len()).find(|&i| !self.is_value(i));
        let thing = named.and_then(|i| self.table_rather(i)).or_else(|| self.predicated(at))?;
        let before = at.wrapping_sub(1);
        // "directors who directed movies" do it, "the most viewed page" is one by its views
        let who = matches!(self.key(before), Some(Key::Who | Key::Superlative(_)));
        let acts = who || self.word(before) == "that" || self.table_rather(before).is_some();
        if self.table_rather(at).is_some() || acts {
            return None;
        }
        let own = unit.columns.iter().find(|c| c.item.table == thing && c.score >= 0.5)?.item;
        (self.flag(own, false).is_some() || self.is_verb(at, own)).then_some(own)
    }

    /// "open tickets", of a day on which they were `opened_at`: no word for it, unless asked when they did, or
    /// for "the open and close dates".
    pub fn says_base(&self, at: usize, column: ColumnId) -> bool {
        let word = self.word(at);
        let form = |own: &String| is_participle(own) && own != word && own.starts_with(word);
        let form = self.facts.words(column).iter().any(form);
        // "which plane did we buy" by a column `purchased_on`
        let deed = self.units[at].alike && self.says(at, Words::Relating);
        self.facts.temporal(column) && !self.says_time() && (form || deed)
    }

    /// Whether the question speaks of some time, or asks for it.
    pub fn says_time(&self) -> bool {
        let time = |word: &str| LEXICON.kinds.get(word) == Some(&Kind::Time);
        self.has_key(Key::When) || self.places().any(|i| self.word(i).split(' ').any(time))
    }

    /// "how many tickets were sold", where each has the time it was sold at: that all are is no condition.
    pub fn is_always(&self, at: usize, column: ColumnId) -> bool {
        let thing = self.before_verb(at).and_then(|i| self.table_rather(i));
        let dated = self.facts.has_dates(column) && !self.facts.optional(column);
        let planned = self.facts.says(column, Words::Planned);
        dated && !planned && thing == Some(column.table) && self.is_verb(at, column)
    }

    /// What a sentence that ends at `at` says has been: "which contracts have ended?"
    fn predicated(&self, at: usize) -> Option<TableId> {
        let thing = self.before_verb(at)?;
        let helps = |i: usize| matches!(self.key(i), Some(Key::Is | Key::Clause));
        let dated = |c| self.facts.has_dates(c) || self.flag(c, false).is_some();
        let dated = self.column(at).is_some_and(dated);
        let said = self.ends_at(at + 1) && dated && (thing + 1..at).any(helps);
        self.table_rather(thing).filter(|_| said)
    }

    /// "flights departing from", "who was hired": the verb of a thing or of somebody, which asks
    /// for nothing; "who directed" asks for a director where that is text, or for whom a key names.
    pub fn is_said_of(&self, at: usize, column: ColumnId) -> bool {
        let textual = self.facts.has_text(column) && self.facts.says_who(column);
        let asks_whom = textual || self.facts.is_foreign(column);
        let before = self.before(at).rfind(|&i| !self.helps(i) && !self.is(i, Key::Not));
        before.is_some_and(|i| match self.key(i) {
            Some(Key::Who) => !asks_whom,
            _ => self.table_rather(i).is_some() && !self.facts.numeric(column),
        })
    }

    /// Whether the name at `at` is of a column that a condition is on already: the next that
    /// follows, or any where it is a verb.
    pub fn is_conditioned(&self, at: usize, column: ColumnId) -> bool {
        let next = |f: &Filter| f.at > at && (at + 1..f.at).all(|i| !self.is_name(i));
        let verb = self.is_verb(at, column);
        self.filters.iter().any(|f| (verb || next(f)) && f.condition.columns().contains(&column))
    }

    /// Whether the name at `at` is a verb of the column's word rather than its noun: a participle,
    /// or as in "flights depart from" of a `departure_time`.
    pub fn is_verb(&self, at: usize, column: ColumnId) -> bool {
        let word = self.word(at);
        let is_noun = |word: &str| self.facts.words(column).iter().any(|n| n == word);
        let of_thing = at.checked_sub(1).is_some_and(|i| self.table_rather(i).is_some());
        let finite = of_thing
            && self.facts.temporal(column)
            && self.is(at + 1, Key::Preposition)
            && !is_noun(word.trim_end_matches('s'));
        finite || is_participle(word) && !(word.ends_with("ing") && is_noun(word))
    }

    /// The word that negates the flag at `at`: "were not paid", "have not been paid", "do not have".
    pub fn negation(&self, at: usize) -> Option<usize> {
        self.before_verb(at).filter(|&i| self.is(i, Key::Not) && self.is_free(i))
    }

    /// That a flag is true, or not; None for any other column.
    pub fn flag(&self, column: ColumnId, negated: bool) -> Option<Condition> {
        if self.catalog.column(column).class == TypeClass::Boolean {
            return Some(Condition::IsTrue { column, negated });
        }
        let [no, yes] = self.flags.pairs.get(&column)?;
        let value = if negated { no } else { yes }.clone();
        Some(Condition::equal(column, self.literal(column, value)))
    }

    /// That a row has none of what the column holds: the value that says so, or no value.
    pub fn has_none(&self, column: ColumnId) -> Condition {
        match (self.flag(column, true), self.flags.none.get(&column)) {
            (Some(no), _) => no,
            (_, Some(no)) => Condition::equal(column, self.literal(column, no.clone())),
            _ => Condition::missing(column),
        }
    }

    /// A value as a column holds it.
    pub fn literal(&self, column: ColumnId, value: String) -> Operand {
        let number = self.facts.has_numbers(column);
        if number { Operand::Number(value) } else { Operand::Text(value) }
    }
}
