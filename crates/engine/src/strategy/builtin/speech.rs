//! Words that are function words in one place and names in another: the verb "name", the count
//! "number", the number "one".

use super::evidence::Finder;
use super::lexicon::{self, Key};
use super::tokens::{Token, TokenKind};

impl Finder<'_> {
    /// "phone number of": the number is part of what is named before it.
    pub(super) fn belongs_to_name(&self, at: usize) -> bool {
        at > 0
            && self.tokens[at].text.starts_with("number")
            && !self.matches[at - 1].is_empty()
            && !lexicon::is_filler(&self.tokens[at - 1].text)
    }

    /// "the number and average age of": the number of what follows, unless it is a column's name.
    pub(super) fn counts_alone(&self, at: usize) -> bool {
        let next = self.tokens.get(at + 1);
        let joined = next.is_some_and(|t| t.kind == TokenKind::Comma || t.text == "and");
        let plain =
            |word: &str| lexicon::is_filler(word) || lexicon::phrases(&[word]).next().is_some();
        let words = [&self.matches[at]];
        let named =
            || self.index.columns_named(&words, true).first().is_some_and(|c| c.score > 0.9);
        matches!(self.tokens[at].text.as_str(), "number" | "count")
            && joined
            && self.tokens[..at].last().is_none_or(|t| plain(&t.text))
            && !named()
    }

    /// "the numbers of all flights" are what flights are called; "for each city" they are counts.
    pub(super) fn are_numbers(&self, at: usize) -> bool {
        let groups = |t: &Token| matches!(t.text.as_str(), "each" | "every" | "per" | "different");
        self.tokens[at].text == "numbers" && !self.tokens.iter().any(groups)
    }

    /// "the type and name of": a verb that asks begins its sentence or stands behind "and" and
    /// before what is asked for; elsewhere it is the noun that a column is called by.
    pub(super) fn is_noun(&self, at: usize) -> bool {
        let asks = |t: &Token| {
            t.kind != TokenKind::Word || matches!(t.text.as_str(), "and" | "then" | "please" | "to")
        };
        let Some(before) = at.checked_sub(1).map(|i| &self.tokens[i]) else { return false };
        let begins = before.kind == TokenKind::Stop;
        !self.matches[at].is_empty() && (!asks(before) || self.ends_phrase(at) && !begins)
    }

    /// "List all houses" names no listings: a verb that asks begins the sentence, and what is
    /// asked for follows.
    pub(super) fn is_request(&self, at: usize) -> bool {
        let begins = at.checked_sub(1).is_none_or(|i| self.tokens[i].kind == TokenKind::Stop);
        let asks = || lexicon::phrases(&[&*self.tokens[at].text]).any(|(key, _)| key == Key::Ask);
        begins && asks() && !self.ends_phrase(at)
    }

    /// "starts with a": a letter ends a phrase, as no article does.
    pub(super) fn is_letter(&self, at: usize) -> bool {
        let letter = matches!(self.tokens[at].text.as_bytes(), [b'a'..=b'z']);
        letter && self.ends_phrase(at)
    }

    /// Whether a noun may end behind the word: "names of", "names and".
    fn ends_phrase(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_none_or(|t| {
            let goes_on = ["of", "for", "in", "on", "that", "who", "which", "with", "and", "or"];
            t.kind != TokenKind::Word || goes_on.contains(&t.text.as_str())
        })
    }

    /// Whether "one" is a number here and not "the one that".
    pub(super) fn counts(&self, at: usize) -> bool {
        let before: Vec<&str> = self.tokens[..at].iter().rev().take(2).map(|t| &*t.text).collect();
        matches!(before.as_slice(), ["than" | "least" | "most" | "exactly" | "only" | "just", ..])
    }
}
