//! How sure a reading is: the chance that it is right, from what it left unread and what it had
//! to guess.
//!
//! A logistic model over a few counts. Its weights were fitted once on the questions of half the
//! databases of Spider's training split, chosen by a hash of their names; they know no words.

use crate::catalog::Catalog;

use super::evidence::{Unit, UnitKind};
use super::lexicon::Key;
use super::query::{Aggregate, Condition, Query};
use super::resolve::Meanings;

/// Least chance of an answer: below it the strategy abstains.
pub const LEAST: f32 = 0.66;

/// Least chance of an answer without rows: most misreadings find nothing.
pub const LEAST_EMPTY: f32 = 0.85;

/// What a reading left unread or had to guess; counts, but for `likeness`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signs {
    /// Values and numbers that no condition uses, and words that compare, rank, negate or compute
    /// without effect: no answer is right without them.
    pub lost_meaning: usize,
    /// Unknown words, most of them verbs.
    pub lost_words: usize,
    /// Unknown words that look like things.
    pub lost_nouns: usize,
    /// Unknown words that the question is about: the last, a name, "the … of", "how …", or what
    /// modifies a name, as in "the median price".
    pub lost_topics: usize,
    /// Function words without effect.
    pub lost_keys: usize,
    /// Names with a second meaning about as good.
    pub rivals: usize,
    /// The score of the least certain name, in 0..=1.
    pub likeness: f32,
    /// Values written with a capital or in quotes.
    pub proper_values: usize,
    /// More than one table is joined (0 or 1).
    pub joined: usize,
    /// Tables between them that nobody named.
    pub passed: usize,
    /// Tables that were named and only joined.
    pub only_joined: usize,
    /// Conditions on rows.
    pub filters: usize,
    /// Grouping (0 or 1).
    pub grouped: usize,
    /// Conditions on groups.
    pub having: usize,
    /// A set operation (0 or 1).
    pub combined: usize,
    /// Select items.
    pub selected: usize,
    /// Doubts that the passes noted.
    pub doubts: usize,
    /// "and" in the question.
    pub ands: usize,
    /// Negations in the question, but for missing values: those are plain.
    pub nots: usize,
    /// Commas in the question.
    pub commas: usize,
    /// "each" in the question.
    pub eachs: usize,
    /// Superlatives in the question.
    pub superlatives: usize,
    /// Comparisons in the question.
    pub comparisons: usize,
}

impl Signs {
    /// Read the signs of a reading.
    pub fn of(
        catalog: &Catalog,
        units: &[Unit],
        used: &[bool],
        rivals: &[bool],
        query: &Query,
        doubts: usize,
    ) -> Self {
        let lost = |wanted: &dyn Fn(usize, &Unit) -> bool| {
            let left = units.iter().enumerate().zip(used).filter(|(_, used)| !**used);
            left.filter(|((i, unit), _)| wanted(*i, unit)).count()
        };
        let count = |wanted: &dyn Fn(&Unit) -> bool| units.iter().filter(|u| wanted(u)).count();
        let keyed = |wanted: fn(Key) -> bool| count(&|u| u.key().is_some_and(wanted));
        let needed = query.needed_tables();
        let tree = catalog.joins().steiner_tree(&needed).map_or(0, |t| t.tables.len());
        let core = Query { tables: Default::default(), ..query.clone() }.needed_tables();
        let is_null = |c: &&Condition| matches!(c, Condition::Null(_, false));
        let missing = query.filters.iter().filter(is_null).count();
        let names = units.iter().filter(|u| u.kind == UnitKind::Name);
        Self {
            lost_meaning: lost(&|_, u| is_literal(u) || u.key().is_some_and(decides)),
            lost_words: lost(&|_, u| u.kind == UnitKind::Unknown),
            lost_nouns: lost(&|i, u| u.kind == UnitKind::Unknown && is_noun(units, i)),
            lost_topics: lost(&|i, u| u.kind == UnitKind::Unknown && is_topic(units, i)),
            lost_keys: lost(&|_, u| matches!(u.kind, UnitKind::Key(_))),
            rivals: rivals.iter().filter(|r| **r).count(),
            likeness: names.map(|u| u.column_score().max(u.table_score())).fold(1.0, f32::min),
            proper_values: count(&|u| u.kind == UnitKind::Value && u.proper),
            joined: usize::from(needed.len() > 1),
            passed: tree.saturating_sub(needed.len()),
            only_joined: needed.difference(&core).count(),
            filters: query.filters.len(),
            grouped: usize::from(!query.group.is_empty()),
            having: query.having.len(),
            combined: usize::from(query.combine.is_some()),
            selected: query.select.len(),
            doubts,
            ands: keyed(|k| k == Key::And),
            nots: keyed(|k| k == Key::Not).saturating_sub(missing),
            commas: count(&|u| u.kind == UnitKind::Comma),
            eachs: keyed(|k| k == Key::Each),
            superlatives: keyed(|k| {
                matches!(k, Key::Superlative(_) | Key::Extreme(_) | Key::Frequent(_))
            }),
            comparisons: keyed(|k| matches!(k, Key::Compare(_) | Key::Compared(_))),
        }
    }

    /// The chance that the reading is right, in 0..=1.
    pub fn confidence(&self) -> f32 {
        if self.lost_meaning > 0 {
            return 0.0;
        }
        let weighed = [
            (self.lost_words, -0.33),
            (self.lost_nouns, -0.6),
            (self.lost_topics, -2.0),
            (self.lost_keys, -1.26),
            (self.rivals, -0.68),
            (self.proper_values, 0.57),
            (self.joined, -0.51),
            (self.passed, -0.71),
            (self.only_joined, -0.93),
            (self.filters, -0.26),
            (self.grouped, -0.37),
            (self.having, 0.33),
            (self.combined, 1.37),
            (self.selected, 0.37),
            (self.doubts, -0.79),
            (self.ands, -0.5),
            (self.nots, -1.33),
            (self.commas, -0.4),
            (self.eachs, -0.47),
            (self.superlatives, -0.56),
            (self.comparisons, -0.42),
        ];
        let sum: f32 = weighed.iter().map(|(count, weight)| *count as f32 * weight).sum();
        1.0 / (1.0 + (-(0.6 + 1.49 * self.likeness + sum)).exp())
    }
}

/// Names with a second meaning about as good, by unit.
pub fn rivals(units: &[Unit], meanings: &Meanings) -> Vec<bool> {
    let column = |u: &Unit| u.kind == UnitKind::Name && u.table_score() < u.column_score();
    units.iter().zip(&meanings.rivals).map(|(u, rival)| rival.is_some() && column(u)).collect()
}

fn is_literal(unit: &Unit) -> bool {
    matches!(
        unit.kind,
        UnitKind::Value
            | UnitKind::Quoted
            | UnitKind::Number(_)
            | UnitKind::Period(_)
            | UnitKind::Defined(_)
    )
}

/// Whether a function word asks for another answer than the same question without it would get.
fn decides(key: Key) -> bool {
    match key {
        // "the total number of", "the average and total": often said of what another word asks
        Key::Aggregate(aggregate) => aggregate != Aggregate::Sum,
        Key::Superlative(_) | Key::Extreme(_) | Key::Frequent(_) | Key::Top => true,
        Key::Compare(_) | Key::Compared(_) | Key::OrBeyond(_) | Key::Between => true,
        Key::Not | Key::Only | Key::Null | Key::Each => true,
        Key::Share(_) | Key::Ratio | Key::Difference | Key::Days | Key::Part(_) => true,
        Key::After | Key::Since | Key::Before | Key::Until | Key::When | Key::Where => true,
        _ => false,
    }
}

/// Whether an unused unit is one that the asker should hear of.
pub fn has_content(unit: &Unit) -> bool {
    !matches!(unit.kind, UnitKind::Filler | UnitKind::Comma | UnitKind::Stop)
}

/// Whether the question is about an unknown word.
fn is_topic(units: &[Unit], at: usize) -> bool {
    let next = units.get(at + 1);
    let participle = units[at].folded.ends_with("ed");
    let ends = next.is_none_or(|u| u.kind == UnitKind::Stop) && !participle;
    let mut behind = units[at + 1..].iter().skip_while(|u| u.kind == UnitKind::Filler);
    let owned = behind.next().is_some_and(|u| u.folded == "of");
    let how = at.checked_sub(1).is_some_and(|i| units[i].folded == "how");
    units[at].proper || ends || owned || how || is_modifier(units, at)
}

/// Whether an unknown word stands as an adjective before a name; participles are rather verbs.
fn is_modifier(units: &[Unit], at: usize) -> bool {
    let named = units.get(at + 1).is_some_and(|u| u.kind == UnitKind::Name);
    let verb = ["ed", "ing"].iter().any(|ending| units[at].folded.ends_with(ending));
    let opens = at.checked_sub(1).is_none_or(|i| match units[i].key() {
        Some(key) => matches!(
            key,
            Key::Ask
                | Key::Is
                | Key::And
                | Key::Count
                | Key::Distinct
                | Key::Each
                | Key::Aggregate(_)
        ),
        None => matches!(units[i].kind, UnitKind::Filler | UnitKind::Comma),
    });
    named && opens && !verb
}

/// Whether an unknown word is likely a thing rather than a verb: it is written with a capital,
/// ends the sentence, or stands behind an article or preposition or before another unknown.
fn is_noun(units: &[Unit], at: usize) -> bool {
    let unit = &units[at];
    let ends = units.get(at + 1).is_none_or(|u| u.kind == UnitKind::Stop);
    let article = at.checked_sub(1).map(|i| &units[i]).is_some_and(|u| {
        matches!(
            u.folded.as_str(),
            "the" | "a" | "an" | "of" | "in" | "with" | "for" | "any" | "how"
        ) || u.key() == Some(Key::Preposition)
    });
    let doubled = units.get(at + 1).is_some_and(|u| u.kind == UnitKind::Unknown);
    unit.proper || ends || article || doubled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_reading_is_sure_and_a_lost_value_is_not() {
        let plain = Signs { likeness: 1.0, selected: 1, ..Signs::default() };
        assert!(plain.confidence() > 0.85);
        assert!(Signs { lost_meaning: 1, ..plain }.confidence() < LEAST);
        assert!(Signs { lost_keys: 1, only_joined: 1, ..plain }.confidence() < LEAST);
    }
}
