//! States: words that describe things by one of their columns: "unpaid invoices", "inactive
//! accounts", "closed tickets", "the loans that were not returned". Flags are true or false; optional
//! dates and references are present or missing.

use crate::catalog::{Catalog, ColumnId};
use crate::strategy::builtin::form::query::Condition;
use crate::strategy::builtin::words::evidence::{Unit, UnitKind};
use crate::strategy::builtin::words::lexicon::Key;
use crate::strategy::builtin::words::tokens::{Token, TokenKind};
use crate::text::{Word, identifier_words, stem};

use super::read::{Filter, Reader};

/// Prefixes that negate the word behind them.
const NEGATING: &[&str] = &["un", "in", "non", "dis"];
/// Shortest word that a prefix may negate.
const MIN_NEGATED: usize = 4;
/// Past participles without the regular ending.
const IRREGULAR: &[&str] = &[
    "born", "bought", "broken", "built", "driven", "given", "held", "kept", "led", "lost", "made",
    "paid", "sent", "sold", "spent", "taken", "taught", "won", "written",
];

/// What a prefix negates: "paid" of "unpaid".
pub fn negated(word: &str) -> Option<&str> {
    let rest = NEGATING.iter().find_map(|prefix| word.strip_prefix(prefix))?;
    (rest.len() >= MIN_NEGATED).then_some(rest)
}

/// What a prefix negates, as a word to look up.
pub fn negated_word(word: &str) -> Option<Word> {
    let rest = negated(word)?;
    Some(Word { text: rest.to_owned(), stem: stem(rest) })
}

/// The tokens with "not" before what a prefix negates, where the whole word fitted nothing; None
/// where there is no such word.
pub fn split_negated(_: &Catalog, tokens: &[Token], units: &[Unit]) -> Option<Vec<Token>> {
    let unknown =
        |t: &Token| units.iter().any(|u| u.kind == UnitKind::Unknown && u.folded == t.text);
    let mut found = false;
    let mut split = Vec::with_capacity(tokens.len() + 1);
    for token in tokens {
        let rest = negated(&token.text).filter(|_| token.kind == TokenKind::Word);
        let Some(rest) = rest.filter(|_| unknown(token)) else {
            split.push(token.clone());
            continue;
        };
        found = true;
        let not = Token { text: "not".to_owned(), stem: "not".to_owned(), ..token.clone() };
        let start = token.end - rest.len();
        split.push(not);
        split.push(Token { text: rest.to_owned(), stem: stem(rest), start, ..token.clone() });
    }
    found.then_some(split)
}

/// Whether a word has the form of a participle: closed, departing, paid.
pub fn is_participle(word: &str) -> bool {
    let regular = word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"));
    regular && !word.ends_with("eed") || IRREGULAR.contains(&word)
}

/// Whether a word has the form of one that tells how things are: closed, active, available.
pub fn is_state(word: &str) -> bool {
    let ending = |e: &&str| word.len() > e.len() + 2 && word.ends_with(*e);
    is_participle(word) || ["able", "ible", "ive"].iter().any(ending)
}

impl Reader<'_> {
    /// Read every state said right before a thing or behind "is".
    pub fn read_states(&mut self) {
        for at in 0..self.units.len() {
            let Some(column) = self.state(at) else { continue };
            let negated = at.checked_sub(1).filter(|&i| self.key(i) == Some(Key::Not));
            let not = negated.is_some();
            let known = self.catalog.column(column);
            let dated = known.class.is_temporal() || self.is_foreign(column);
            let condition = if let Some(flag) = self.flag(column, not) {
                flag
            } else if known.nullable && dated {
                Condition::Null(column, !not)
            } else {
                self.lose(at, format!("\"{}\" has no condition.", self.units[at].text));
                continue;
            };
            negated.into_iter().for_each(|i| self.take(i));
            self.add_filter(at, condition);
            self.filters.sort_by_key(|f| f.at);
        }
    }

    /// The column by which the word at `at` says in what state the things named next are.
    fn state(&self, at: usize) -> Option<ColumnId> {
        let unit = &self.units[at];
        if unit.kind != UnitKind::Name || self.used[at] || unit.folded.contains(' ') {
            return None;
        }
        let thing = self.table_rather(at + 1)?;
        // "directors who directed movies" do it
        let acts = at.checked_sub(1).is_some_and(|i| {
            let who = self.key(i) == Some(Key::Who) || self.units[i].folded == "that";
            who || self.table_rather(i).is_some()
        });
        if self.table_rather(at).is_some() || acts {
            return None;
        }
        let own = unit.columns.iter().find(|c| c.item.table == thing && c.score >= 0.5)?.item;
        let flag = self.flag(own, false).is_some();
        let prefixed = at.checked_sub(1).is_some_and(|i| self.is_prefix(i));
        (flag || prefixed || self.is_verb(at, own)).then_some(own)
    }

    /// "flights departing from", "who was hired": the verb of a thing or of somebody, which asks
    /// for nothing; "who directed" asks for a director where that is text.
    pub fn is_said_of(&self, at: usize, column: ColumnId) -> bool {
        let class = self.catalog.column(column).class;
        let helps = |i: &usize| {
            self.units[*i].kind == UnitKind::Filler
                || matches!(self.key(*i), Some(Key::Is | Key::Clause | Key::Not))
        };
        let before = (self.sentence_start(at)..at).rev().find(|i| !helps(i));
        before.is_some_and(|i| match self.key(i) {
            Some(Key::Who) => !class.is_textual(),
            _ => self.table_rather(i).is_some() && !self.numeric(column),
        })
    }

    /// Whether the name at `at` is of a column that a condition is on already: the next that
    /// follows, or any where it is a verb.
    pub fn is_conditioned(&self, at: usize, column: ColumnId) -> bool {
        let next =
            |f: &Filter| f.at > at && (at + 1..f.at).all(|i| self.units[i].kind != UnitKind::Name);
        let verb = self.is_verb(at, column);
        self.filters.iter().any(|f| (verb || next(f)) && f.condition.columns().contains(&column))
    }

    /// "not" that was a prefix of the next word.
    pub fn is_prefix(&self, at: usize) -> bool {
        let next = self.units.get(at + 1);
        self.key(at) == Some(Key::Not)
            && next.is_some_and(|n| {
                self.units[at].text.len() > n.text.len() && self.units[at].text.ends_with(&*n.text)
            })
    }

    /// Whether the name at `at` is a verb of the column's word rather than its noun: a participle,
    /// or as in "flights depart from" of a `departure_time`.
    pub fn is_verb(&self, at: usize, column: ColumnId) -> bool {
        let word = self.units[at].folded.as_str();
        let names = identifier_words(&self.catalog.column(column).name);
        let is_noun = |word: &str| names.iter().any(|n| n == word);
        let of_thing = at.checked_sub(1).is_some_and(|i| self.table_rather(i).is_some());
        let finite = of_thing
            && self.temporal(column)
            && self.key(at + 1) == Some(Key::Preposition)
            && !is_noun(word.trim_end_matches('s'));
        finite || is_participle(word) && !(word.ends_with("ing") && is_noun(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_negate_and_participles_are_told() {
        assert_eq!(negated("unpaid"), Some("paid"));
        assert_eq!(negated("inactive"), Some("active"));
        assert_eq!(negated("until"), None);
        assert!(is_participle("closed") && is_participle("paid") && is_participle("departing"));
        assert!(!is_participle("speed") && !is_participle("red") && !is_participle("price"));
    }
}
