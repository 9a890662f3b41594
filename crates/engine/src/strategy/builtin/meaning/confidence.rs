//! How certain a reading is: the probability that it is right, from what had to be guessed.
//!
//! A logistic model over a few counts of guesses, which depend on no particular words. Unread words are
//! not weighed, because they refuse the question (see `passes::accounting`). `weights.txt` holds the
//! fitted weights and says how they were obtained. Showing a row's name unasked has no weight: it is
//! a good answer where the questions that it was fitted to happen to want the key.

use std::collections::{BTreeMap, BTreeSet};

use once_cell::sync::Lazy;

use crate::catalog::joins::JoinTree;
use crate::catalog::{Catalog, ColumnId, TableId};
use crate::strategy::builtin::facts::{Facts, links};
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Expression, Query, Target,
};
use crate::strategy::builtin::form::ways::is_one_way;
use crate::strategy::builtin::passes::{Reading, Role};
use crate::strategy::builtin::words::{Key, SYNONYM, Unit, UnitKind, Words, is_participle};
use crate::strategy::logistic::Logistic;

use super::resolve::Meanings;

/// Least chance of an answer: below it the strategy abstains. Of the answers between 0.74 and this, to
/// questions about the databases that may be looked at, a quarter are wrong.
pub const LEAST: f32 = 0.8;

/// Least chance of an answer without rows, or of a count of none: most misreadings find nothing.
pub const LEAST_EMPTY: f32 = 0.93;

static WEIGHTS: Lazy<Logistic> = Lazy::new(|| Logistic::read(include_str!("weights.txt")));

/// What a reading left unread or had to guess, by name: `unread`, and what `weights.txt` weighs: counts, but
/// for likenesses, which are in 0..=1.
pub struct Signs(BTreeMap<&'static str, f32>);

impl Signs {
    /// Read the signs of a reading; `behind`: how much less like the words the second choice is that one
    /// span means in it, in 0..=1.
    pub fn of(
        catalog: &Catalog,
        units: &[Unit],
        meanings: &Meanings,
        reading: &Reading,
        behind: Option<f32>,
    ) -> Self {
        let query = &reading.query;
        let count = |wanted: &dyn Fn(&Unit) -> bool| units.iter().filter(|u| wanted(u)).count();
        let keyed = |wanted: fn(Key) -> bool| count(&|u| u.key().is_some_and(wanted));
        let needed = query.needed_tables();
        let tree = catalog.joins().steiner_tree(&needed).unwrap_or_default();
        let shown: BTreeSet<TableId> = query.select.iter().flat_map(Expression::tables).collect();
        let rows = |counted: bool| {
            let rows = |e: &Expression| matches!(e.target, Target::Rows(_));
            query.select.iter().any(|e| e.aggregate.is_some() == counted && rows(e))
        };
        let is_null = |c: &&Condition| matches!(c, Condition::IsNull { negated: false, .. });
        // a pair of them says what a set operation says
        let is_related = |c: &&Condition| matches!(c, Condition::In { .. });
        let both = query.filters.iter().filter(is_related).count() > 1;
        let missing = query.filters.iter().filter(is_null).count();
        let grouped = !query.group.is_empty() || query.within.is_some();
        let superlatives =
            (0..units.len()).filter(|&at| !is_extreme_value(query) && picks(units, at)).count();
        let assumed = !reading.assumed.is_empty();
        let unread = reading.roles.iter().filter(|role| **role == Role::Unread).count();
        let selected = query.select.iter().filter_map(|e| e.target.column());
        let counts = [
            // words that were not understood, and readings that were refused
            ("unread", unread + usize::from(reading.unclear)),
            // names with a second meaning about as good
            ("rivals", rivals(catalog, units, meanings, query)),
            ("proper_values", count(&is_proper)),
            ("joined", usize::from(needed.len() > 1)),
            ("only_joined", only_joined(catalog, units, meanings, reading)),
            ("filters", filters(catalog, query) - usize::from(both)),
            ("having", query.having.len()),
            // a set operation, or two conditions on related rows that say the same
            ("combined", usize::from(query.combine.is_some() || both)),
            ("selected", query.select.len() - usize::from(is_person(catalog, selected))),
            ("doubts", reading.doubts.len()),
            ("ands", keyed(|k| k == Key::And)),
            // those of missing values are plain
            ("nots", count(&negates).saturating_sub(missing)),
            ("commas", count(&|u| u.kind == UnitKind::Comma)),
            ("superlatives", superlatives),
            ("each_alone", usize::from(keyed(|k| k == Key::Each) > 0 && !grouped)),
            ("everything", usize::from(rows(false) && !assumed)),
            ("alternatives", query.filters.iter().filter(|f| is_alternative(f)).count()),
            ("limited", usize::from(query.limit.is_some())),
            // a key is shown for want of a name where nothing was asked for by name
            ("assumed_keys", usize::from(assumed && !grouped && shows_key(catalog, query))),
            // tables that the shown columns are of, but for the first
            ("spread", shown.len().saturating_sub(1)),
            ("counts_rows", usize::from(rows(true))),
            ("second_choice", usize::from(behind.is_some())),
        ];
        let names = units.iter().filter(|u| u.kind == UnitKind::Name);
        let most = |u: &Unit| if u.alike { SYNONYM } else { 1.0 };
        let likeness = names.map(|u| u.column_score().max(u.table_score()).min(most(u)));
        let likeness = likeness.fold(1.0, f32::min);
        let others = [
            ("likeness", likeness),
            ("behind", behind.unwrap_or_default()),
            ("passed", passed(catalog, query, &tree)),
        ];
        let counts = counts.into_iter().map(|(name, count)| (name, count as f32));
        Self(counts.chain(others).collect())
    }

    /// One of them.
    pub fn get(&self, name: &str) -> f32 {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// The chance that the reading is right, in 0..=1.
    pub fn confidence(&self) -> f32 {
        if self.get("unread") > 0.0 { 0.0 } else { WEIGHTS.probability(self.by_name()) }
    }

    /// The signs that are not zero, by name.
    pub fn by_name(&self) -> BTreeMap<&'static str, f32> {
        self.0.clone().into_iter().filter(|(_, count)| *count != 0.0).collect()
    }
}

/// A value written with a capital or in quotes, or a term that somebody defined.
fn is_proper(unit: &Unit) -> bool {
    unit.kind == UnitKind::Value && unit.proper || matches!(unit.kind, UnitKind::Defined(_))
}

/// A negation; "neither … nor" is one.
fn negates(unit: &Unit) -> bool {
    unit.key() == Some(Key::Not) && unit.folded != "nor"
}

/// The tables between others that say something of their own. In the one way there is, those that only
/// link them do not, and those that each row of one table has just one of do half: the play of a
/// performance, by its production.
fn passed(catalog: &Catalog, query: &Query, tree: &JoinTree) -> f32 {
    let needed = query.needed_tables();
    let between = || tree.tables.difference(&needed);
    let count = between().count() as f32;
    let has_one = |t: &TableId| tree.keys.iter().filter(|&&k| catalog.key(k).to == *t).count() < 2;
    match is_one_way(catalog, query) {
        true if between().all(|t| links(catalog, *t)) => 0.0,
        true if tree.tables.iter().all(has_one) => count / 2.0,
        _ => count,
    }
}

/// Conditions on rows; that a value is there says no more than that it is shown or counted, a period is what
/// it says, and both names of a person are one.
fn filters(catalog: &Catalog, query: &Query) -> usize {
    let plain = |c: &&Condition| {
        matches!(c, Condition::IsNull { negated: true, .. } | Condition::Within(..))
    };
    let told = query.filters.iter().filter(|c| !plain(c));
    let person = is_person(catalog, query.filters.iter().flat_map(Condition::columns));
    told.count().saturating_sub(usize::from(person))
}

/// Tables that were named and only joined, but for those that no reading does without: on the way
/// between the others, of a kind of theirs, or what a verb says that is done.
fn only_joined(catalog: &Catalog, units: &[Unit], meanings: &Meanings, reading: &Reading) -> usize {
    let core = reading.query.read_tables();
    let way = catalog.joins().steiner_tree(&core).unwrap_or_default().tables;
    let kind = |t: TableId| Facts::of(catalog).kinds(t).iter().any(|whole| core.contains(whole));
    let verb = |t: &TableId| {
        let mut said = units.iter().zip(&meanings.tables).filter(|(_, table)| **table == Some(*t));
        said.clone().count() > 0 && said.all(|(unit, _)| is_participle(&unit.folded))
    };
    let expected = |t: &TableId| reading.said.contains(t) || way.contains(t) || kind(*t) || verb(t);
    reading.query.needed_tables().difference(&core).filter(|t| !expected(t)).count()
}

/// Whether columns are the first and the last name of one person: they are one thing.
fn is_person(catalog: &Catalog, columns: impl Iterator<Item = ColumnId> + Clone) -> bool {
    let says = |words| columns.clone().filter(move |c| Facts::of(catalog).says(*c, words));
    says(Words::FirstName).any(|f| says(Words::LastName).any(|l| l.table == f.table))
}

/// Names with a second meaning about as good, by unit, where the reading shows or compares the
/// first meaning and not both.
fn rivals(catalog: &Catalog, units: &[Unit], meanings: &Meanings, query: &Query) -> usize {
    let read = query.columns();
    let doubtful = |at: &usize| {
        let (unit, rival) = (&units[*at], meanings.rivals[*at]);
        let column = unit.kind == UnitKind::Name && unit.table_score() < unit.column_score();
        let chosen = meanings.columns[*at].filter(|c| column && read.contains(c));
        let both = |c: ColumnId, other: ColumnId| c.table == other.table && read.contains(&other);
        chosen.zip(rival).is_some_and(|(c, (other, _))| !both(c, other))
    };
    // "items without stock" by levels of it, where there are movements as well
    let inner = query.levels().into_iter().skip(1).flat_map(Query::needed_tables);
    let absent: BTreeSet<TableId> = inner.collect();
    let tied = |at: &usize| {
        let (unit, best) = (&units[*at], units[*at].table_score());
        let alike = unit.tables.iter().filter(|t| t.score == best && best < 0.9).map(|t| t.item);
        let (read, other): (Vec<_>, Vec<_>) = alike.partition(|t| absent.contains(t));
        let apart = |one: TableId, two: TableId| catalog.joins().keys_between(one, two).is_empty();
        read.iter().any(|one| other.iter().any(|two| apart(*one, *two)))
    };
    (0..units.len()).filter(|at| doubtful(at) || tied(at)).count()
}

/// Alternatives that may group in several ways, as values or bounds of one column do not.
fn is_alternative(condition: &Condition) -> bool {
    let Condition::Any(parts) = condition else { return false };
    let is_bound = |part: &Condition| match part {
        Condition::Within(..) => Some(true),
        Condition::Compare(_, comparison, _) if comparison.side().is_some() => Some(true),
        Condition::Compare(_, Comparison::Equal, _) => Some(false),
        Condition::Like { negated, .. } => (!negated).then_some(false),
        _ => None,
    };
    let [first, others @ ..] = &parts[..] else { return false };
    let same = |p: &Condition| p.columns() == first.columns() && is_bound(p) == is_bound(first);
    is_bound(first).is_none() || !others.iter().all(same)
}

/// Whether the first thing shown is a key.
fn shows_key(catalog: &Catalog, query: &Query) -> bool {
    let first = query.select.first().and_then(|e| e.target.column());
    first.is_some_and(|c| Facts::of(catalog).is_key_part(c))
}

/// Whether the greatest or least value is what is shown, and no rows are ranked.
fn is_extreme_value(query: &Query) -> bool {
    let extreme = |e: &Expression| matches!(e.aggregate, Some(Aggregate::Min | Aggregate::Max));
    query.select.iter().any(extreme) && query.order.is_empty() && query.filters.is_empty()
}

/// Whether a superlative picks rows; "highest salary first" only sorts them.
fn picks(units: &[Unit], at: usize) -> bool {
    let key = |at: usize| units.get(at).and_then(Unit::key);
    key(at).is_some_and(Key::ranks) && key(at + 2) != Some(Key::Top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_has_a_weight() {
        let lines = || include_str!("weights.txt").lines().filter(|line| !line.starts_with('#'));
        let named = |name: &&str| lines().any(|line| line.split(' ').next() == Some(*name));
        let catalog = Catalog::default();
        let reading = Reading::default();
        let Signs(mut signs) = Signs::of(&catalog, &[], &Meanings::default(), &reading, None);
        signs.remove("unread");
        assert!(signs.keys().all(named) && named(&"base"));
        assert_eq!(lines().count(), signs.len() + 1);
    }

    #[test]
    fn a_plain_reading_is_sure_and_a_lost_value_is_not() {
        let of = |signs: &[(&'static str, f32)]| {
            let plain = [("likeness", 1.0), ("selected", 1.0)];
            Signs(plain.iter().chain(signs).copied().collect()).confidence()
        };
        assert!(of(&[]) > 0.85);
        assert!(of(&[("unread", 1.0)]) < LEAST);
        assert!(of(&[("doubts", 1.0), ("only_joined", 1.0), ("rivals", 1.0)]) < LEAST);
    }
}
