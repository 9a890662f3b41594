//! One question of two: a follow-up's words put into the question before, in the ways that English
//! has for it.

use std::cmp::Ordering;

use super::Former;
use super::ellipsis::{Ellipsis, Kind};
use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::words::cut;
use crate::strategy::builtin::words::evidence::{Unit, UnitKind};
use crate::strategy::builtin::words::lexicon::{self, Key};
use crate::strategy::builtin::words::tokens;
use crate::text::stem;

/// The questions that the two may make together.
pub fn questions(
    context: &Context<'_>,
    former: &Former,
    ellipsis: &Ellipsis,
) -> Result<Vec<String>, Error> {
    let rest = ellipsis.rest.as_str();
    let base = former.whole.trim_end_matches(['?', '.', '!', ' ']);
    let joined = |words: &[&str]| words.iter().map(|word| format!("{base}{word}{rest}?")).collect();
    let units = cut::units(context, rest, &tokens::tokenize(rest), &[])?;
    let first = units.iter().find(|u| u.kind != UnitKind::Filler || u.folded == "by");
    match ellipsis.kind {
        Kind::Order => Ok(joined(&[" "])),
        Kind::Group => {
            let thing = ["by ", "per ", "for each ", "for every ", "each "];
            let named = thing.iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
            let ways = [" by ", " per ", " for each "].map(|way| format!("{base}{way}{named}?"));
            Ok(if named == rest { joined(&[" "]) } else { ways.to_vec() })
        }
        _ => {
            if let Some(others) = exchanged(former, &units, ellipsis) {
                return Ok(others);
            }
            Ok(match first.and_then(Unit::key) {
                Some(Key::Is) => joined(&[" that ", " and "]),
                Some(Key::And | Key::Or) => Vec::new(),
                Some(_) => joined(&[" ", " and "]),
                None if first.is_some_and(|u| u.folded == "by") => joined(&[" "]),
                None if rest.starts_with(char::is_uppercase) => {
                    joined(&[" in ", " with ", " that are ", " "])
                }
                None => joined(&[" that are ", " with ", " in ", " "]),
            })
        }
    }
}

/// A span of a text, and the unit that it is.
type Span<'a> = (std::ops::Range<usize>, &'a Unit);

/// What a follow-up says in the place of what was said.
struct Exchange<'a> {
    /// "before", "more than"
    bound: Option<&'a Unit>,
    new: &'a Unit,
    /// "kg", "stars"
    tail: &'a [&'a Unit],
}

impl<'a> Exchange<'a> {
    fn of(solid: &'a [&'a Unit]) -> Option<Self> {
        match solid {
            [bound, new, tail @ ..] if is_bound(bound) => {
                Some(Self { bound: Some(bound), new, tail })
            }
            [new, tail @ ..] => Some(Self { bound: None, new, tail }),
            [] => None,
        }
    }

    /// Where of these it stands in: the first and the last; None where it does not fit.
    fn place(&self, spans: &[Span<'_>], at: usize) -> Option<(usize, usize)> {
        let measure = |u: &Unit| lexicon::unit(&u.folded).is_some();
        let same = |old: &Unit, new: &Unit| {
            stem(&old.folded) == stem(&new.folded) || measure(old) && measure(new)
        };
        let behind = spans.get(at + 1..).unwrap_or_default().iter().map(|(_, unit)| *unit);
        let tail = behind.zip(self.tail).filter(|(old, new)| same(old, new)).count();
        let joins = |u: &Unit| is_bound(u) || u.key() == Some(Key::Preposition);
        // "before 2020" in the place of "in 2023", "more than 5" in that of "at least 3"
        let replaced = at.checked_sub(1).filter(|&at| self.bound.is_some() && joins(spans[at].1));
        (tail == self.tail.len()).then(|| (replaced.unwrap_or(at), at + tail))
    }
}

/// The question before with what the follow-up says in the place of what it said of that kind;
/// None where it said nothing of the kind, nothing where both may be meant.
fn exchanged(former: &Former, said: &[Unit], ellipsis: &Ellipsis) -> Option<Vec<String>> {
    let solid = |u: &&Unit| {
        !matches!(u.kind, UnitKind::Filler | UnitKind::Comma | UnitKind::Stop)
            && !matches!(u.key(), Some(Key::Preposition | Key::Clause | Key::Is))
    };
    let solid: Vec<&Unit> = said.iter().filter(solid).collect();
    let exchange = Exchange::of(&solid)?;
    let spans = spans(&former.whole, &former.read.chosen().units);
    let like = |at: &usize| is_like(spans[*at].1, exchange.new);
    let like: Vec<usize> = (0..spans.len()).filter(like).collect();
    let [at] = like.as_slice() else { return None };
    let (first, last) = exchange.place(&spans, *at)?;
    let old = Some(spans[first].1).filter(|_| first < *at);
    if exchange.bound.is_some_and(|new| differ(old, new)) && !ellipsis.exchanges {
        return Some(Vec::new());
    }
    let words: Vec<&str> = exchange
        .bound
        .into_iter()
        .chain([exchange.new])
        .chain(exchange.tail.iter().copied())
        .map(|u| u.text.as_str())
        .collect();
    let (head, tail) = (&former.whole[..spans[first].0.start], &former.whole[spans[last].0.end..]);
    Some(vec![format!("{head}{}{tail}", words.join(" "))])
}

/// Whether two bounds go different ways, so that both may be meant to hold: from 2012, before 2018.
fn differ(old: Option<&Unit>, new: &Unit) -> bool {
    let way = |key| match key {
        Key::Compare(comparison) => comparison.side(),
        Key::After | Key::Since => Some(Ordering::Greater),
        Key::Before | Key::Until => Some(Ordering::Less),
        _ => None,
    };
    let ways = old.and_then(Unit::key).and_then(way).zip(new.key().and_then(way));
    ways.is_some_and(|(old, new)| old != new)
}

/// Whether a unit bounds what follows it.
fn is_bound(unit: &Unit) -> bool {
    let key = unit.key();
    matches!(key, Some(Key::Compare(_) | Key::Since | Key::Before | Key::After | Key::Until))
}

/// Whether one may stand in the other's place.
fn is_like(old: &Unit, new: &Unit) -> bool {
    match (&old.kind, &new.kind) {
        (UnitKind::Period(_), UnitKind::Period(_)) => true,
        (UnitKind::Number(_), UnitKind::Number(_)) => true,
        (UnitKind::Value | UnitKind::Quoted, UnitKind::Value) => {
            old.values.iter().any(|a| new.values.iter().any(|b| a.column == b.column))
        }
        _ => false,
    }
}

/// Where the units stand in their text. Those that were reworded stand nowhere.
fn spans<'a>(text: &str, units: &'a [Unit]) -> Vec<Span<'a>> {
    let mut from = 0;
    let mut found = Vec::new();
    for unit in units {
        if let Some(at) = text[from..].find(unit.text.as_str()) {
            let start = from + at;
            from = start + unit.text.len();
            found.push((start..from, unit));
        }
    }
    found
}
