//! What a question leaves out: whether it leans on the one before, by what it lacks on its own and
//! by its connecting words, and what kind of change it asks for.

use std::ops::Range;

use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::form::query::Direction;
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;
use crate::strategy::builtin::words::{
    Key, LEXICON, Token, TokenKind, Unit, UnitKind, Words, cut, lexicon, tokens,
};

/// What a follow-up asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// "how many are there?"
    Count,
    /// "the first 5 of them", "the top 5 of them"
    Some(u32, Option<Direction>),
    /// "the cheapest of them"
    Extreme,
    /// "sorted by name"
    Order,
    /// "by month"
    Group,
    /// "only Germany", "what about 2023?"
    Condition,
}

/// A question that leans on the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipsis {
    /// What it asks for.
    pub kind: Kind,
    /// Its words without those that connect, point or count.
    pub rest: String,
    /// It asks for things, not for a change: "which of them are red?"
    pub asks: bool,
    /// It puts one thing in the place of another: "what about 2023?"
    pub exchanges: bool,
    /// Words say that it goes on from something, and not only what it lacks.
    pub connects: bool,
}

/// A question's words without those at its ends that connect it with the one before.
struct Body<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// Connecting words came first.
    opened: bool,
    /// Those of them that put one thing in the place of another.
    exchanges: bool,
}

/// Read a question as one that leans on another; None where it stands alone.
pub fn read(context: &Context<'_>, text: &str) -> Result<Option<Ellipsis>, Error> {
    let body = Body::of(text);
    Ok(body.leans(context)?.then(|| body.ellipsis()))
}

/// Whether a question leans on another and says so by more than what it lacks.
pub fn connects(context: &Context<'_>, text: &str) -> Result<bool, Error> {
    let body = Body::of(text);
    Ok(body.ellipsis().connects && body.leans(context)?)
}

/// What a change of an answer asks for, by its first words.
fn kind(tokens: &[Token]) -> Kind {
    let from = usize::from(word(tokens, 0) == Some("the"));
    let first = key_at(tokens, from);
    if let Some((Key::Top, 1)) = first
        && let (Some(most), 2) = (tokens.get(from + 1).and_then(number), tokens.len() - from)
    {
        match word(tokens, from) {
            Some("first") => return Kind::Some(most, None),
            Some("top") => return Kind::Some(most, Some(Direction::Descending)),
            Some("bottom") => return Kind::Some(most, Some(Direction::Ascending)),
            _ => {}
        }
    }
    let numbered = tokens.get(from).and_then(number).is_some();
    let ranks = |key: Option<(Key, usize)>| matches!(key, Some((Key::Extreme(_), _)));
    let closes = matches!(tokens.last().map(|t| &*t.text), Some("first" | "last"));
    match first {
        Some((key, _)) if key.sorts() => Kind::Order,
        Some((Key::Superlative(_) | Key::Extreme(_), _)) if closes => Kind::Order,
        Some((Key::Each | Key::Part(_), _)) => Kind::Group,
        _ if word(tokens, 0) == Some("by") => Kind::Group,
        _ if ranks(first) || numbered && ranks(key_at(tokens, from + 1)) => Kind::Extreme,
        _ => Kind::Condition,
    }
}

impl<'a> Body<'a> {
    fn of(text: &'a str) -> Self {
        let mut tokens = tokens::tokenize(text);
        let ends = |t: &Token| matches!(t.kind, TokenKind::Stop | TokenKind::Comma);
        let (mut opened, mut exchanges) = (false, false);
        let exchanging = |t: Token| matches!(&*t.text, "about" | "instead" | "same");
        loop {
            while tokens.last().is_some_and(ends) {
                tokens.pop();
            }
            while tokens.first().is_some_and(ends) {
                tokens.remove(0);
            }
            let opening = phrase_at(&tokens, 0, Words::Opening).map(|length| 0..length);
            let Some(phrase) = opening.or_else(|| phrase_at_end(&tokens, Words::Trailing)) else {
                return Self { text, tokens, opened, exchanges };
            };
            exchanges |= tokens.drain(phrase).any(exchanging);
            opened = true;
        }
    }

    /// What it asks for, if it leans on another.
    fn ellipsis(&self) -> Ellipsis {
        let pointing = phrases(&self.tokens, Words::Pointing);
        let mut tokens = without(&self.tokens, &pointing);
        // "which ones are red?"
        let mut asks = pointing.iter().any(|p| word(&self.tokens, p.start) == Some("which"));
        let kind = match key_at(&tokens, 0) {
            Some((Key::Count, length)) => {
                tokens.drain(..length);
                tokens = without(&tokens, &phrases(&tokens, Words::Counted));
                Kind::Count
            }
            asked => {
                if let Some((Key::Ask, length)) = asked {
                    tokens.drain(..length);
                    asks = true;
                }
                kind(&tokens)
            }
        };
        if matches!(kind, Kind::Condition | Kind::Extreme) && word(&tokens, 0) == Some("the") {
            tokens.remove(0);
        }
        let words: Vec<&str> = tokens.iter().map(|t| &self.text[t.start..t.end]).collect();
        let connects = self.opened || !pointing.is_empty() || kind != Kind::Condition;
        Ellipsis { kind, rest: words.join(" "), asks, exchanges: self.exchanges, connects }
    }

    /// Whether the question lacks something of its own: what it is about, or a word that asks.
    fn leans(&self, context: &Context<'_>) -> Result<bool, Error> {
        let lacks = self.opened || self.counts_nothing() || self.chooses();
        // it asks by its first word, whatever the words after it mean
        let alone = self.begins() && !lacks && phrases(&self.tokens, Words::Pointing).is_empty();
        if self.tokens.is_empty() || alone {
            return Ok(false);
        }
        let units = &cut::units(context, self.text, &self.tokens, &[])?;
        let table = names_table(units);
        let how_many = |u: &Unit| u.key() == Some(Key::Count) && u.folded.starts_with("how");
        let asking = |u: &Unit| {
            matches!(u.key(), Some(Key::Ask | Key::Who | Key::When | Key::Where | Key::HowMuch))
        };
        let asks = self.begins() || units.iter().any(|u| asking(u) || how_many(u));
        let head = units.iter().find(|u| u.kind != UnitKind::Filler);
        if self.points_back(context)? || self.counts_nothing() || !table && self.chooses() {
            return Ok(true);
        }
        if self.opened {
            return Ok(!asks || !table);
        }
        let computes = |u: &Unit| matches!(u.key(), Some(Key::Count | Key::Aggregate(_)));
        if asks || units.iter().any(computes) {
            return Ok(false);
        }
        let modifies = head.is_some_and(|u| is_modifier(u, table));
        Ok(modifies || units.iter().all(|u| u.kind != UnitKind::Name))
    }

    fn begins(&self) -> bool {
        phrase_at(&self.tokens, 0, Words::Beginning).is_some()
    }

    /// Whether it points to something that it does not name before, in a clause of its own.
    fn points_back(&self, context: &Context<'_>) -> Result<bool, Error> {
        let pointing = phrases(&self.tokens, Words::Pointing);
        let Some(first) = pointing.first().map(|phrase| phrase.start) else { return Ok(false) };
        let ends = |at: &usize| {
            let ends = matches!(self.tokens[*at].kind, TokenKind::Comma | TokenKind::Stop);
            ends || matches!(key_at(&self.tokens, *at), Some((Key::And | Key::Clause, _)))
        };
        let Some(end) = (0..first).rfind(ends) else { return Ok(true) };
        Ok(!names_table(&cut::units(context, self.text, &self.tokens[..end], &[])?))
    }

    /// "how many are red?": it counts, and does not say what.
    fn counts_nothing(&self) -> bool {
        let Some((Key::Count, length)) = key_at(&self.tokens, 0) else { return false };
        let how = matches!(word(&self.tokens, 0), Some("how" | "count"));
        let said = |key| matches!(key, Key::Is | Key::Preposition | Key::Clause | Key::Compare(_));
        let next = key_at(&self.tokens, length);
        let word = word(&self.tokens, length);
        // "how many different cars", "how many of the cars"
        let things = word == Some("of") || matches!(next, Some((Key::Distinct, _)));
        let filler = word.is_none_or(lexicon::is_filler);
        how && !things && (filler || next.is_some_and(|(key, _)| said(key)))
    }

    /// "which are red?": it asks which, and does not say of what.
    fn chooses(&self) -> bool {
        let next = key_at(&self.tokens, 1);
        word(&self.tokens, 0) == Some("which")
            && (next.is_some_and(|(key, _)| matches!(key, Key::Is | Key::Clause))
                || matches!(word(&self.tokens, 1), Some("has" | "have" | "had")))
    }
}

fn names_table(units: &[Unit]) -> bool {
    units.iter().any(|u| u.kind == UnitKind::Name && u.table_score() >= TABLE_CERTAIN)
}

/// Whether a question that begins with it says something of a thing that came before.
fn is_modifier(unit: &Unit, table: bool) -> bool {
    use Key::{Between, Clause, Each, Extreme, Not, Only, Part, Preposition, Superlative, Top};
    match unit.key() {
        Some(Between | Clause | Each | Not | Only | Preposition) => true,
        Some(Extreme(_) | Part(_) | Superlative(_) | Top) => !table,
        Some(key) if key.sorts() || key.bounds() => true,
        _ => matches!(unit.kind, UnitKind::Period(_)) && !table || unit.folded == "by",
    }
}

fn word(tokens: &[Token], at: usize) -> Option<&str> {
    tokens.get(at).map(|token| &*token.text)
}

/// A number in digits or in words.
fn number(token: &Token) -> Option<u32> {
    match &token.kind {
        TokenKind::Number(digits) => digits.parse().ok(),
        TokenKind::Word => LEXICON.numbers.get(&*token.text).copied(),
        _ => None,
    }
    .filter(|&n| n > 0)
}

/// The longest function word or phrase at a place, and of how many tokens it is.
fn key_at(tokens: &[Token], at: usize) -> Option<(Key, usize)> {
    let words: Vec<&str> = tokens.get(at..)?.iter().map(|token| &*token.text).collect();
    lexicon::phrases(&words).max_by_key(|(_, length)| *length)
}

/// How long the longest phrase of these is that begins at a place, if one does.
fn phrase_at(tokens: &[Token], at: usize, what: Words) -> Option<usize> {
    let said = |phrase: &&&str| {
        let mut words = tokens[at..].iter().map(|token| &*token.text);
        phrase.split(' ').all(|word| words.next() == Some(word))
    };
    what.all().iter().filter(said).map(|phrase| phrase.split(' ').count()).max()
}

/// The longest phrase of these at the end, with something before it.
fn phrase_at_end(tokens: &[Token], what: Words) -> Option<Range<usize>> {
    let end = tokens.len();
    let ends = |start: &usize| phrase_at(tokens, *start, what) == Some(end - start);
    (1..end).find(ends).map(|start| start..end)
}

/// Where phrases of these stand.
fn phrases(tokens: &[Token], what: Words) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in 0..tokens.len() {
        if found.last().is_none_or(|last| last.end <= at) {
            found.extend(phrase_at(tokens, at, what).map(|length| at..at + length));
        }
    }
    found
}

fn without(tokens: &[Token], phrases: &[Range<usize>]) -> Vec<Token> {
    let kept = |at: &usize| !phrases.iter().any(|phrase| phrase.contains(at));
    (0..tokens.len()).filter(kept).map(|at| tokens[at].clone()).collect()
}
