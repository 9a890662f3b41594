//! Verbs that only say that two things belong together: "the courses that Ada taught", "how many
//! credits does the department offer". The join says the same.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, TableId};

use super::evidence::{Unit, UnitKind};
use super::lexicon::{self, Key};
use super::query::Query;

/// Whether an unknown word is such a verb, by what it is or by where it stands.
pub fn relates(units: &[Unit], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| &units[i]);
    // "the work", "in stock"
    let noun = before.is_some_and(|u| {
        matches!(&*u.folded, "the" | "a" | "an" | "any" | "his" | "her" | "their" | "of" | "how")
            || u.key() == Some(Key::Preposition) && u.folded != "to"
    });
    !noun && (lexicon::is_relating(&units[at].folded) || is_infinitive(units, at))
}

/// "did the customer order": behind "do" and its subject, at the end of the sentence.
fn is_infinitive(units: &[Unit], at: usize) -> bool {
    let ends =
        |i: usize| units.get(i).is_none_or(|u| matches!(u.kind, UnitKind::Stop | UnitKind::Comma));
    let bare = !["s", "ed", "ing"].iter().any(|ending| units[at].folded.ends_with(ending));
    let does = |u: &Unit| matches!(&*u.folded, "do" | "does" | "did");
    let Some(auxiliary) = (1..at).rev().find(|&i| does(&units[i])) else { return false };
    // "who did two jobs": there it is the verb itself
    let asked = units[auxiliary - 1].kind == UnitKind::Name;
    let subject = units[auxiliary + 1..at].iter();
    let mut subject = subject.filter(|u| u.kind != UnitKind::Filler);
    bare && ends(at + 1) && asked && subject.next().is_some_and(|u| u.kind == UnitKind::Name)
}

/// Whether the tables of a query belong together in one way only.
pub fn is_one_way(catalog: &Catalog, query: &Query) -> bool {
    let needed: Vec<_> = query.needed_tables().into_iter().collect();
    let joins = catalog.joins();
    let Some(tree) = joins.steiner_tree(&needed.iter().copied().collect()) else { return false };
    let passed = tree.tables.len() > needed.len();
    let ways = |a, b| joins.shortest_paths(a, b, 2).len();
    let pairs =
        || needed.iter().enumerate().flat_map(|(i, a)| needed[..i].iter().map(move |b| (*a, *b)));
    needed.len() > 1 && (!passed || pairs().all(|(a, b)| ways(a, b) == 1))
}

/// Whether a table does nothing but link others: its primary key, or all of it, refers to them.
pub fn links(catalog: &Catalog, table: TableId) -> bool {
    let keys = catalog.joins().keys_from(table).iter().map(|&k| &catalog.keys[k]);
    let (ends, columns): (BTreeSet<TableId>, Vec<&[u16]>) =
        keys.map(|k| (k.to, &*k.from_columns)).unzip();
    let own = catalog.table(table);
    let all: Vec<u16> = catalog.column_ids(table).map(|c| c.column).collect();
    let identity = if own.primary_key.is_empty() { &all } else { &own.primary_key };
    ends.len() > 1 && identity.iter().all(|c| columns.concat().contains(c))
}
