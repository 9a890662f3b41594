//! Words that are function words in some places and names in others: the verb "name", the count
//! "number", the number "one".

use crate::catalog::ColumnId;
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;

use super::calendar;
use super::evidence::{Finder, word_text};
use super::lexicon::{self, Key, Words, is_participle};
use super::tokens::{Token, TokenKind};

impl Finder<'_> {
    /// "phone number of": the number is part of what is named before it.
    pub fn belongs_to_name(&self, at: usize) -> bool {
        let thing = |i: usize| !self.matches[i].is_empty() && !lexicon::is_filler(self.word(i));
        self.word(at).starts_with("number") && at.checked_sub(1).is_some_and(thing)
    }

    /// "the number and average age of": the number of what follows, unless it is a column's name.
    pub fn counts_alone(&self, at: usize) -> bool {
        let plain = |word: &str| lexicon::is_filler(word) || lexicon::is_key(word);
        let joins = |t: &Token| t.kind == TokenKind::Comma || t.text == "and";
        let named = || self.columns_of(at).first().is_some_and(|c| c.score > 0.9);
        matches!(self.word(at), "number" | "count")
            && self.tokens.get(at + 1).is_some_and(joins)
            && self.before(at).is_none_or(|t| plain(&t.text))
            && !named()
    }

    /// "the numbers of all flights" are what flights are called; "for each city" they are counts.
    pub fn are_numbers(&self, at: usize) -> bool {
        let groups = |t: &Token| matches!(&*t.text, "each" | "every" | "per" | "different");
        self.word(at) == "numbers" && !self.tokens.iter().any(groups)
    }

    /// "the type and name of": a verb that asks begins its sentence or stands after "and" and
    /// before what is asked for; elsewhere it is the noun that a column is called by.
    pub fn is_noun(&self, at: usize) -> bool {
        let Some(before) = self.before(at) else { return false };
        let asks = before.kind != TokenKind::Word
            || matches!(&*before.text, "and" | "then" | "please" | "to");
        // "which city and state does she live in"
        let auxiliary = Words::Helping.has(self.word(at + 1));
        let closes = (self.ends_phrase(at) || auxiliary) && before.kind != TokenKind::Stop;
        // "which guests did not show up"
        let helped = Words::Doing.has(&before.text) || Words::Helping.has(&before.text);
        let does = at > 1 && helped && !Words::Relating.has(self.word(at));
        does || !self.matches[at].is_empty() && (!asks || closes)
    }

    /// "List all houses" names no listings: a verb that asks begins the sentence, and what is
    /// asked for follows.
    pub fn is_request(&self, at: usize) -> bool {
        let begins = self.before(at).is_none_or(|t| t.kind == TokenKind::Stop);
        let asks = || lexicon::phrases(&[self.word(at)]).any(|(key, _)| key == Key::Ask);
        begins && asks() && !self.ends_phrase(at)
    }

    /// "clients viewed listings": the verb of those named before it, no part of a name, as it is in
    /// "total shipping cost".
    pub fn is_action(&self, at: usize) -> bool {
        let owned = |owner: usize| self.table_score(owner) >= TABLE_CERTAIN;
        let word = self.word(at);
        is_participle(word) && !word.ends_with("ing") && at.checked_sub(1).is_some_and(owned)
    }

    /// "has been ordered", "clients ordered chairs": what somebody ordered is in no order.
    pub fn was_ordered(&self, at: usize) -> bool {
        let helps = |t: &Token| Words::Doing.has(&t.text) || t.text.ends_with("ly");
        let rest: Vec<&str> = self.tokens[at + 1..].iter().map_while(word_text).collect();
        let sorting = |key| {
            use Key::{Alphabetic, And, Ascending, Descending, OrderBy, Preposition};
            matches!(key, Alphabetic | And | Ascending | Descending | OrderBy | Preposition)
        };
        let sorts = lexicon::phrases(&rest).any(|(key, _)| sorting(key));
        let object = rest.first().is_some_and(|word| !sorts && !lexicon::is_filler(word));
        let done = object || self.before(at).is_some_and(helps);
        done && self.word(at) == "ordered" && rest.first() != Some(&"by")
    }

    /// "over 10 and below 20", "10 and under the average": the words before `at` begin another
    /// comparison, and are not said of the number before them.
    pub fn bounds_another(&self, at: usize) -> bool {
        let article = matches!(self.word(at), "the" | "a" | "an" | "that" | "those");
        let stored = self.values.iter().any(|((first, _), _)| *first == at);
        let timed = || calendar::period(self.tokens, at, self.today).is_some();
        self.is_number(at) || article || stored || timed()
    }

    /// "starts with a": a letter ends a phrase, as no article does.
    pub fn is_letter(&self, at: usize) -> bool {
        matches!(self.word(at).as_bytes(), [b'a'..=b'z']) && self.ends_phrase(at)
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
        let one_thing = thing.is_some() && self.table_score(at + 1) >= 0.99;
        // "a one star review"
        let measures = |c: ColumnId| self.facts.numeric(c) && !self.facts.temporal(c);
        let measured = || self.columns_of(at + 1).first().is_some_and(|c| measures(c.item));
        let rated = thing.is_some() && before.first() != Some(&"the") && measured();
        // "more than a single kind"
        if self.word(at) == "single" {
            return matches!(before.as_slice(), ["a", "than" | "least" | "most" | "only" | "just"]);
        }
        match before.first().copied().unwrap_or_default() {
            "than" | "least" | "most" | "exactly" | "only" | "just" => true,
            "have" | "has" | "had" | "made" | "with" => rated || one_thing,
            _ => rated,
        }
    }

    /// The US are not us, where not all is written in capitals.
    pub fn is_shouted(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        matches!(&self.question[token.start..token.end], "US" | "IT" | "ME" | "AM" | "WHO")
            && self.question.chars().any(char::is_lowercase)
    }

    /// "staff members", "faculty members": the word before says who.
    pub fn only_numbers_people(&self, at: usize) -> bool {
        let people = self.before(at).is_some_and(|t| lexicon::is_person(&t.text));
        people && self.matches[at].is_empty() && matches!(self.word(at), "member" | "members")
    }

    /// A small word of the question that happens to spell a code, as "end" does END.
    pub fn is_accident(&self, first: usize, last: usize, stored: &str) -> bool {
        let written = &self.question[self.tokens[first].start..self.tokens[last - 1].end];
        let code = stored.len() <= 5 && stored.chars().all(char::is_uppercase);
        let plain = self.tokens[first..last].iter().all(|t| t.text.is_ascii());
        code && plain && written.chars().all(char::is_lowercase)
    }
}
