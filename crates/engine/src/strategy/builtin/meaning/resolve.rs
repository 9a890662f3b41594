//! One meaning per name: each span that names several tables or columns gets the one that best fits
//! the rest of the question.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::catalog::{Catalog, ColumnId, Distances, TableId};
use crate::link::Scored;
use crate::strategy::builtin::facts::Facts;
use crate::strategy::builtin::words::{Key, Meaning, Unit, UnitKind, is_participle};

/// A name this like a table's is taken for it.
pub const TABLE_CERTAIN: f32 = 0.65;

/// The meaning chosen for each unit.
#[derive(Debug, Clone, Default)]
pub struct Meanings {
    /// Table by unit.
    pub tables: Vec<Option<TableId>>,
    /// Column by unit.
    pub columns: Vec<Option<ColumnId>>,
    /// The runner-up column by unit, where it is about as good: `(column, how much worse)`.
    pub rivals: Vec<Option<(ColumnId, f32)>>,
    /// The table that the column of a unit is said to be of, by unit.
    pub owners: Vec<Option<TableId>>,
    /// Tables that the question names.
    pub named: BTreeSet<TableId>,
}

/// Choose meanings.
///
/// Requires: the units of one question. Produces: at most one table and one column a unit.
pub fn resolve(catalog: &Catalog, units: &[Unit]) -> Meanings {
    let mut meanings = Meanings {
        columns: vec![None; units.len()],
        rivals: vec![None; units.len()],
        owners: vec![None; units.len()],
        ..Meanings::default()
    };
    let facts = Facts::of(catalog);
    let mut chooser = Chooser { catalog, facts, units, near: Arc::default(), favourite: None };
    for unit in units {
        let best = chooser.best_table(unit);
        // "trips departing" have departed, and are of no department; a rating is not one of the rates
        let before = meanings.tables.last().copied().flatten();
        let spelled = best.is_some_and(|t| is_spelled(catalog, unit, t));
        let own = |c: &Scored<ColumnId>| {
            Some(c.item.table) == before && c.score >= 0.5 || c.score >= 0.95 && !spelled
        };
        let done = is_participle(&unit.folded) && unit.columns.iter().any(own);
        let table = best.filter(|_| !done);
        if unit.table_score() >= TABLE_CERTAIN.max(unit.column_score() - 0.15) {
            meanings.named.extend(table);
        }
        meanings.tables.push(table);
    }
    // what a term computes is near, though its tables are not named
    let computed = units.iter().flat_map(|u| match &u.kind {
        UnitKind::Defined(Meaning::Computed(expression)) => expression.tables(),
        _ => Vec::new(),
    });
    let about: BTreeSet<TableId> = meanings.named.iter().copied().chain(computed).collect();
    if about.is_empty() {
        chooser.favourite = chooser.favourite_table();
    }
    let mut chosen = about.clone();
    for _ in 0..2 {
        chooser.near = catalog.joins().distances(&chosen);
        chosen.clone_from(&about);
        for (i, unit) in units.iter().enumerate() {
            let ranked = chooser.ranked_columns(i, &meanings);
            meanings.owners[i] = chooser.owners(i, &meanings).last().copied();
            meanings.columns[i] = ranked.first().map(|c| c.item);
            meanings.rivals[i] = chooser.rival(&ranked);
            if let Some(called) = chooser.named_itself(i, &meanings) {
                (meanings.columns[i], meanings.rivals[i]) = (Some(called), None);
            }
            if unit.column_score() >= 0.9 && meanings.rivals[i].is_none() {
                chosen.extend(meanings.columns[i].map(|c| c.table));
            }
        }
    }
    meanings
}

/// Whether a unit is a table's whole name, in the singular or the plural.
pub fn is_spelled(catalog: &Catalog, unit: &Unit, table: TableId) -> bool {
    let name = crate::text::fold(&catalog.table(table).name);
    name == unit.folded || name.strip_suffix('s') == Some(&*unit.folded)
}

struct Chooser<'a> {
    catalog: &'a Catalog,
    facts: Facts<'a>,
    units: &'a [Unit],
    /// Join distance from the named tables.
    near: Arc<Distances>,
    /// Where nothing is named: the table that most column names point to.
    favourite: Option<TableId>,
}

impl Chooser<'_> {
    fn best_table(&self, unit: &Unit) -> Option<TableId> {
        let best = unit.tables.first().filter(|best| best.score >= 0.5)?;
        // a reviewer has the stem of a review, and is one of the reviewers
        let spelled = |t: &&Scored<TableId>| is_spelled(self.catalog, unit, t.item);
        let close = || unit.tables.iter().filter(|t| t.score >= best.score - 0.1);
        if let Some(only) = close().find(spelled).filter(|_| close().filter(spelled).count() == 1) {
            return Some(only.item);
        }
        // several tables equally well named: the one with more columns is the entity itself
        let equal = unit.tables.iter().filter(|t| t.score >= best.score - 0.01);
        // and one with columns of its own rather than one that only links others
        let own = |t: TableId| {
            let keys = self.facts.keys_from(t);
            let foreign: BTreeSet<u16> = keys.flat_map(|k| k.from_columns.clone()).collect();
            self.catalog.table(t).columns.len().saturating_sub(foreign.len())
        };
        equal.max_by_key(|t| own(t.item)).map(|t| t.item)
    }

    fn favourite_table(&self) -> Option<TableId> {
        let mut votes: BTreeMap<TableId, f32> = BTreeMap::new();
        for unit in self.units {
            let mut best: BTreeMap<TableId, f32> = BTreeMap::new();
            let columns = unit.columns.iter().map(|c| (c.item.table, c.score));
            let values = unit.values.iter().map(|v| (v.column.table, 0.5));
            for (table, score) in columns.chain(values) {
                let vote = best.entry(table).or_default();
                *vote = vote.max(score);
            }
            let tables = unit.tables.iter().map(|table| (table.item, 0.6 * table.score));
            for (table, vote) in tables.chain(best) {
                *votes.entry(table).or_default() += vote;
            }
        }
        votes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(t, _)| t)
    }

    fn ranked_columns(&self, at: usize, meanings: &Meanings) -> Vec<Scored<ColumnId>> {
        let owners = self.owners(at, meanings);
        let mut ranked = self.units[at].columns.clone();
        for column in &mut ranked {
            column.score += self.bonus(at, column.item, &owners, meanings);
        }
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
        ranked
    }

    fn bonus(&self, at: usize, column: ColumnId, owners: &[TableId], meanings: &Meanings) -> f32 {
        let table = column.table;
        let kind = |table| owners.iter().any(|&o| self.facts.kinds(o).contains(&table));
        let mut bonus = match table {
            table if owners.contains(&table) => 0.3,
            table if kind(table) => 0.25,
            table if meanings.named.contains(&table) => 0.15,
            table if self.favourite == Some(table) => 0.2,
            _ => 0.0,
        };
        if !self.near.is_empty() {
            bonus -= self.catalog.joins().distance(table, &self.near).map_or(0.6, |d| 0.05 * d);
        }
        let of_table = |i: usize| meanings.columns[i].is_some_and(|c| c.table == table);
        let beside = |i: Option<usize>| i.is_some_and(of_table);
        bonus += if beside(self.listed_before(at)) { 0.22 } else { 0.0 };
        let mut after = at + 1..self.units.len().min(at + 4);
        let listed_after = after.find(|&i| self.listed_before(i) == Some(at));
        bonus += if beside(listed_after) { 0.08 } else { 0.0 };
        let holds = |i: usize| self.units[i].values.iter().any(|v| v.column == column);
        let mut around = at.saturating_sub(1)..self.units.len().min(at + 3);
        bonus += if around.any(|i| i != at && holds(i)) { 0.3 } else { 0.0 };
        bonus += if self.says_owner(at, column) { 0.2 } else { 0.0 };
        // a referencing column says the same as the referenced one: prefer the entity's own
        let foreign = self.facts.keys_from(table).any(|k| k.from_columns.contains(&column.column));
        if foreign { bonus - 0.02 } else { bonus }
    }

    /// "customer ids" are the customers' own, not those by which orders refer to them.
    fn says_owner(&self, at: usize, column: ColumnId) -> bool {
        if self.catalog.table(column.table).primary_key != [column.column] {
            return false;
        }
        let said: Vec<String> = self.units[at].folded.split(' ').map(crate::text::stem).collect();
        self.facts.table_stems(column.table).iter().all(|word| said.contains(word))
    }

    /// The name before this one in a list: "codes and descriptions".
    fn listed_before(&self, at: usize) -> Option<usize> {
        let mut joined = false;
        for i in (0..at).rev().take(3) {
            match (&self.units[i].kind, self.units[i].key()) {
                (UnitKind::Comma, _) | (_, Some(Key::And)) => joined = true,
                (UnitKind::Filler, _) => {}
                (UnitKind::Name, _) => return joined.then_some(i),
                _ => return None,
            }
        }
        None
    }

    /// Tables that the column at `at` is said to be of: "student names", "names of students".
    fn owners(&self, at: usize, meanings: &Meanings) -> Vec<TableId> {
        use Key::{And, Any, Distinct, Each, Extreme, Not, Preposition, Superlative, Top};
        let certain = |i: usize| {
            let unit = &self.units[i];
            (unit.table_score() >= TABLE_CERTAIN).then_some(meanings.tables[i]).flatten()
        };
        // "the student whose id", "the student with the id"
        let mut lead = (0..at).rev().skip_while(|&i| self.units[i].kind == UnitKind::Filler);
        let clause = lead.next().filter(|&i| self.units[i].key() == Some(Key::Clause));
        let before = at.checked_sub(1).and_then(certain);
        let before = before.or_else(|| clause?.checked_sub(1).and_then(certain));
        let passes = |unit: &Unit| match (unit.key(), &unit.kind) {
            (Some(And | Any | Distinct | Each | Not | Preposition), _) => true,
            (Some(Extreme(_) | Superlative(_) | Top), _) => true,
            (Some(_), _) | (None, UnitKind::Stop | UnitKind::Quoted) => false,
            (None, kind) => !matches!(kind, UnitKind::Period(_) | UnitKind::Defined(_)),
        };
        let owner = |i: usize| {
            let unit = &self.units[i];
            // "the model and mode of the phone": the next in the list is no owner
            let listed = self.listed_before(i).is_some() && unit.column_score() >= 0.9;
            let named = unit.table_score() >= unit.column_score() - 0.15 && !listed;
            // "name and salary of the analysts"
            let value = unit.values.first().filter(|_| unit.kind == UnitKind::Value);
            let only = |column| unit.values.iter().all(|v| v.column == column) && !unit.proper;
            let stored = value.map(|v| v.column).filter(|c| only(*c));
            certain(i).filter(|_| named).or(stored.map(|c| c.table))
        };
        let mut next = at + 1..self.units.len().min(at + 14);
        let end = next.find(|&i| owner(i).is_some() || !passes(&self.units[i]));
        before.into_iter().chain(end.and_then(owner)).collect()
    }

    /// "publishers whose name contains …", where a publisher is a column of text: the name of such a
    /// thing is the thing itself.
    fn named_itself(&self, at: usize, meanings: &Meanings) -> Option<ColumnId> {
        let unit = &self.units[at];
        let thing = at.checked_sub(2).filter(|_| self.units[at - 1].folded == "whose")?;
        let name = matches!(&*unit.folded, "name" | "names");
        let column = meanings.columns[thing]
            .filter(|_| self.units[thing].column_score() > self.units[thing].table_score())?;
        (name && self.facts.has_text(column)).then_some(column)
    }

    /// A second column about as good that is not the same by a key.
    fn rival(&self, ranked: &[Scored<ColumnId>]) -> Option<(ColumnId, f32)> {
        let [first, rest @ ..] = ranked else { return None };
        let mut close = rest.iter().take_while(|c| c.score > first.score - 0.12);
        let same: Vec<ColumnId> = self.facts.same_by_key(first.item).collect();
        close.find(|c| !same.contains(&c.item)).map(|c| (c.item, first.score - c.score))
    }
}
