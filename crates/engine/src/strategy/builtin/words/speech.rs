//! Words that are function words in some places and names in others: the verb "name", the count
//! "number", the number "one".

use crate::catalog::ColumnId;
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;
use crate::strategy::builtin::words::participles::is_participle;

use super::calendar;
use super::evidence::{Finder, word_text};
use super::lexicon::{self, Key, Words};
use super::tokens::{Token, TokenKind};

impl Finder<'_> {
    /// "phone number of": the number is part of what is named before it.
    pub fn belongs_to_name(&self, at: usize) -> bool {
        at > 0
            && self.tokens[at].text.starts_with("number")
            && !self.matches[at - 1].is_empty()
            && !lexicon::is_filler(&self.tokens[at - 1].text)
    }

    /// "the number and average age of": the number of what follows, unless it is a column's name.
    pub fn counts_alone(&self, at: usize) -> bool {
        let next = self.tokens.get(at + 1);
        let joined = next.is_some_and(|t| t.kind == TokenKind::Comma || t.text == "and");
        let plain =
            |word: &str| lexicon::is_filler(word) || lexicon::phrases(&[word]).next().is_some();
        let named = || self.columns_of(at, true).first().is_some_and(|c| c.score > 0.9);
        matches!(self.tokens[at].text.as_str(), "number" | "count")
            && joined
            && self.tokens[..at].last().is_none_or(|t| plain(&t.text))
            && !named()
    }

    /// "the numbers of all flights" are what flights are called; "for each city" they are counts.
    pub fn are_numbers(&self, at: usize) -> bool {
        let groups = |t: &Token| matches!(t.text.as_str(), "each" | "every" | "per" | "different");
        self.tokens[at].text == "numbers" && !self.tokens.iter().any(groups)
    }

    /// "the type and name of": a verb that asks begins its sentence or stands after "and" and
    /// before what is asked for; elsewhere it is the noun that a column is called by.
    pub fn is_noun(&self, at: usize) -> bool {
        let asks = |t: &Token| {
            t.kind != TokenKind::Word || matches!(t.text.as_str(), "and" | "then" | "please" | "to")
        };
        let Some(before) = at.checked_sub(1).map(|i| &self.tokens[i]) else { return false };
        let begins = before.kind == TokenKind::Stop;
        // "which city and state does she live in"
        let auxiliary = self.tokens.get(at + 1).is_some_and(|t| Words::Helping.has(&t.text));
        let closes = (self.ends_phrase(at) || auxiliary) && !begins;
        !self.matches[at].is_empty() && (!asks(before) || closes)
    }

    /// "List all houses" names no listings: a verb that asks begins the sentence, and what is
    /// asked for follows.
    pub fn is_request(&self, at: usize) -> bool {
        let begins = at.checked_sub(1).is_none_or(|i| self.tokens[i].kind == TokenKind::Stop);
        let asks = || lexicon::phrases(&[&*self.tokens[at].text]).any(|(key, _)| key == Key::Ask);
        begins && asks() && !self.ends_phrase(at)
    }

    /// "clients viewed listings": the verb of those named before it, no part of a name, as it is in
    /// "total shipping cost".
    pub fn is_action(&self, at: usize) -> bool {
        let owner = at.checked_sub(1).map(|i| self.tables_of(i));
        let named = owner.is_some_and(|t| t.first().is_some_and(|t| t.score >= TABLE_CERTAIN));
        let word = &self.tokens[at].text;
        named && is_participle(word) && !word.ends_with("ing")
    }

    /// "has been ordered", "clients ordered chairs": what somebody ordered is in no order.
    pub fn was_ordered(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|i| &*self.tokens[i].text);
        let helps = |word: &str| Words::Doing.has(word) || word.ends_with("ly");
        let rest: Vec<&str> = self.tokens[at + 1..].iter().map_while(word_text).collect();
        let sorting = |key| {
            use Key::{Alphabetic, And, Ascending, Descending, OrderBy, Preposition};
            matches!(key, Alphabetic | And | Ascending | Descending | OrderBy | Preposition)
        };
        let sorts = |word: &&str| {
            lexicon::is_filler(word) || lexicon::phrases(&rest).any(|(key, _)| sorting(key))
        };
        let object = rest.first().is_some_and(|word| !sorts(word));
        self.tokens[at].text == "ordered"
            && rest.first() != Some(&"by")
            && (object || before.is_some_and(helps))
    }

    /// "over 10 and below 20", "10 and under the average": the words before `at` begin another
    /// comparison, and are not said of the number before them.
    pub fn bounds_another(&self, at: usize) -> bool {
        let article = |t: &Token| matches!(t.text.as_str(), "the" | "a" | "an" | "that" | "those");
        let stored = self.values.iter().any(|(first, ..)| *first == at);
        let timed = || calendar::period(self.tokens, at, self.today).is_some();
        self.is_number(at) || self.tokens.get(at).is_some_and(article) || stored || timed()
    }

    /// "starts with a": a letter ends a phrase, as no article does.
    pub fn is_letter(&self, at: usize) -> bool {
        let letter = matches!(self.tokens[at].text.as_bytes(), [b'a'..=b'z']);
        letter && self.ends_phrase(at)
    }

    /// Whether a noun may end after the word: "names of", "names and".
    fn ends_phrase(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_none_or(|t| {
            let goes_on = ["of", "for", "in", "on", "that", "who", "which", "with", "and", "or"];
            t.kind != TokenKind::Word || goes_on.contains(&t.text.as_str())
        })
    }

    /// Whether "one" or "single" is a number here and not "the one that".
    pub fn counts(&self, at: usize) -> bool {
        let before: Vec<&str> = self.tokens[..at].iter().rev().take(2).map(|t| &*t.text).collect();
        let thing = self.tokens.get(at + 1).filter(|t| t.text == t.stem || !t.text.ends_with('s'));
        let one_thing = thing.is_some_and(|_| {
            let tables = self.tables_of(at + 1);
            tables.first().is_some_and(|t| t.score >= 0.99)
        });
        // "a one star review"
        let measures = |c: ColumnId| self.facts.numeric(c) && !self.facts.temporal(c);
        let rated = thing.is_some()
            && before.first() != Some(&"the")
            && self.columns_of(at + 1, true).first().is_some_and(|c| measures(c.item));
        // "more than a single kind"
        if self.tokens[at].text == "single" {
            return matches!(before.as_slice(), ["a", "than" | "least" | "most" | "only" | "just"]);
        }
        let has = matches!(before.as_slice(), ["have" | "has" | "had" | "made" | "with", ..]);
        rated
            || has && one_thing
            || matches!(
                before.as_slice(),
                ["than" | "least" | "most" | "exactly" | "only" | "just", ..]
            )
    }

    /// The US are not us, where not all is written in capitals.
    pub fn is_shouted(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let written = &self.question[token.start..token.end];
        matches!(written, "US" | "IT" | "ME" | "AM" | "WHO")
            && self.question.chars().any(char::is_lowercase)
    }

    /// "staff members", "faculty members": the word before says who.
    pub fn only_numbers_people(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|i| &*self.tokens[i].text);
        matches!(&*self.tokens[at].text, "member" | "members")
            && self.matches[at].is_empty()
            && before.is_some_and(lexicon::is_person)
    }

    /// A small word of the question that happens to spell a code, as "end" does END.
    pub fn is_accident(&self, first: usize, last: usize, stored: &str) -> bool {
        let lower = self.tokens[first..last].iter().all(|t| {
            t.kind == TokenKind::Word
                && t.text.bytes().all(|b| b.is_ascii_lowercase())
                && !t.capital
        });
        let written = &self.question[self.tokens[first].start..self.tokens[last - 1].end];
        let code = stored.len() <= 5 && stored.chars().all(|c| c.is_uppercase());
        lower && code && written.chars().all(char::is_lowercase)
    }
}
