//! One question of two: a follow-up's words put into the question before, in the ways that English
//! has for it.

use super::Former;
use super::ellipsis::{Ellipsis, Kind};
use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::words::{Key, LEXICON, Unit, UnitKind, Words, cut, tokens};
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
    Ok(match ellipsis.kind {
        Kind::Order => joined(&[" "]),
        Kind::Group => {
            let behind = |word: &&str| rest.strip_prefix(*word)?.strip_prefix(' ');
            let named = Words::Dividing.all().iter().find_map(behind).unwrap_or(rest);
            let ways = [" by ", " per ", " for each "].map(|way| format!("{base}{way}{named}?"));
            if named == rest { joined(&[" "]) } else { ways.to_vec() }
        }
        _ => exchanged(former, &units, ellipsis).unwrap_or_else(|| {
            joined(match first.and_then(Unit::key) {
                Some(Key::Is) => &[" that ", " and "],
                Some(Key::And | Key::Or) => &[],
                Some(_) => &[" ", " and "],
                None if first.is_some_and(|u| u.folded == "by") => &[" "],
                None if rest.starts_with(char::is_uppercase) => {
                    &[" in ", " with ", " that are ", " "]
                }
                None => &[" that are ", " with ", " in ", " "],
            })
        }),
    })
}

/// A span of a text, and the unit that it is.
type Span<'a> = (std::ops::Range<usize>, &'a Unit);

/// The question before with what the follow-up says in the place of what it said of that kind;
/// None where it said nothing of the kind, nothing where both may be meant.
fn exchanged(former: &Former, said: &[Unit], ellipsis: &Ellipsis) -> Option<Vec<String>> {
    let solid = |u: &&Unit| {
        !matches!(u.kind, UnitKind::Filler | UnitKind::Comma | UnitKind::Stop)
            && !matches!(u.key(), Some(Key::Preposition | Key::Clause | Key::Is))
    };
    let solid: Vec<&Unit> = said.iter().filter(solid).collect();
    // "before", "more than"; what is new; "kg", "stars"
    let bounds = |u: &Unit| u.key().is_some_and(Key::bounds);
    let bound = solid.first().copied().filter(|u| bounds(u));
    let (new, tail) = solid[usize::from(bound.is_some())..].split_first()?;
    let spans = spans(&former.whole, &former.read.chosen.units);
    let at = only((0..spans.len()).filter(|&at| is_like(spans[at].1, new)))?;
    let last = at + tail.len();
    let behind = spans.get(at + 1..=last)?.iter().map(|(_, unit)| *unit);
    let measure = |u: &Unit| LEXICON.units.contains_key(&*u.folded);
    let same = |a: &Unit, b: &Unit| stem(&a.folded) == stem(&b.folded) || measure(a) && measure(b);
    if !behind.zip(tail).all(|(old, new)| same(old, new)) {
        return None;
    }
    // "before 2020" in the place of "in 2023", "more than 5" in that of "at least 3"
    let joins = |u: &Unit| bounds(u) || u.key() == Some(Key::Preposition);
    let replaced = at.checked_sub(1).filter(|&at| bound.is_some() && joins(spans[at].1));
    let old = replaced.map(|at| spans[at].1);
    if bound.is_some_and(|new| differ(old, new)) && !ellipsis.exchanges {
        return Some(Vec::new());
    }
    let first = replaced.unwrap_or(at);
    let words: Vec<&str> = solid.iter().map(|u| u.text.as_str()).collect();
    let (head, tail) = (&former.whole[..spans[first].0.start], &former.whole[spans[last].0.end..]);
    Some(vec![format!("{head}{}{tail}", words.join(" "))])
}

/// Whether two bounds go different ways, so that both may be meant to hold: from 2012, before 2018.
fn differ(old: Option<&Unit>, new: &Unit) -> bool {
    let way = |key| match key {
        Key::Compare(comparison) | Key::Time(comparison) => comparison.side(),
        _ => None,
    };
    let ways = old.and_then(Unit::key).and_then(way).zip(new.key().and_then(way));
    ways.is_some_and(|(old, new)| old != new)
}

/// Whether one may stand in the other's place.
fn is_like(old: &Unit, new: &Unit) -> bool {
    use UnitKind::{Number, Period, Quoted, Value};
    match (&old.kind, &new.kind) {
        (Period(_), Period(_)) | (Number(_), Number(_)) => true,
        (Value | Quoted, Value) => {
            old.values.iter().any(|a| new.values.iter().any(|b| a.column == b.column))
        }
        _ => false,
    }
}

/// Where the units stand in their text. Those that were reworded stand nowhere.
fn spans<'a>(text: &str, units: &'a [Unit]) -> Vec<Span<'a>> {
    let mut from = 0;
    let place = |unit: &'a Unit| {
        let start = from + text[from..].find(unit.text.as_str())?;
        from = start + unit.text.len();
        Some((start..from, unit))
    };
    units.iter().filter_map(place).collect()
}
