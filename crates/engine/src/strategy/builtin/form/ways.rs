//! By which tables and keys a query is joined: a reading that needs fewer is more likely, and verbs that
//! only say that two things belong together ("the courses that Ada taught", "how many credits does the
//! department offer") say what the join says. Table elimination: a table of which nothing is shown or compared
//! is not joined where a key leads to it, since the referencing column says that the row is there.

use std::collections::BTreeSet;

use crate::catalog::joins::JoinTree;
use crate::catalog::{Catalog, ColumnId, ForeignKey, KeyId, KeyKind, TableId};
use crate::strategy::builtin::facts::{links, only};
use crate::strategy::builtin::passes::read::Reader;
use crate::strategy::builtin::words::{Key, Unit, Words, is_participle};

use super::query::{Aggregate, Condition, Expression, Query, Target};

/// Whether an unknown word is such a verb, by what it is or by where it stands.
pub fn relates(units: &[Unit], at: usize) -> bool {
    // "the work", "in stock", "the average holding"
    let noun = at.checked_sub(1).map(|i| &units[i]).is_some_and(|u| match u.key() {
        Some(Key::Aggregate(_) | Key::Distinct) => true,
        // "which living artists"
        Some(Key::Ask) => units[at].folded.ends_with("ing"),
        Some(Key::Preposition) if u.folded != "to" => true,
        _ => Words::Determining.has(&u.folded),
    });
    !noun && Words::Relating.has(&units[at].folded)
}

/// Whether the tables of a query belong together, and in one way only.
pub fn is_one_way(catalog: &Catalog, query: &Query) -> bool {
    query.needed_tables().len() > 1 && rival_ways(catalog, query).is_none()
}

/// Two tables of a query that are joined through others, where another way is as short.
fn rival_ways(catalog: &Catalog, query: &Query) -> Option<(TableId, TableId)> {
    let needed = query.needed_tables();
    let tree = catalog.joins().steiner_tree(&needed)?;
    let keys = || tree.keys.iter().map(|&k| catalog.key(k));
    // where three meet, the third decides
    let open = |t: &&TableId| keys().filter(|k| k.from == **t || k.to == **t).count() == 2;
    tree.tables.difference(&needed).find(open)?;
    let mut pairs = needed.iter().flat_map(|a| needed.range(..a).map(move |b| (*a, *b)));
    pairs.find(|(a, b)| catalog.joins().shortest_paths(*a, *b, 2).len() > 1)
}

/// A table of the way that nobody named and that those beside it only share: a student and a course
/// of one department are not the student's course.
fn shared(catalog: &Catalog, query: &Query) -> Option<TableId> {
    let needed = query.needed_tables();
    let tree = catalog.joins().steiner_tree(&needed)?;
    let keys = || tree.keys.iter().map(|&k| catalog.key(k));
    let referred = |t: &&TableId| keys().filter(|k| k.to == **t).count() > 1;
    tree.tables.difference(&needed).find(referred).copied()
}

impl Reader<'_> {
    /// "books borrowed by Ola" are joined to her by the loans, which have `borrowed_on`, though the
    /// way through the reservations is as short. Tables that no way leads through are forgotten.
    pub fn pass_through_said(&mut self, query: &mut Query) {
        let needed = query.needed_tables();
        let tree = self.tree(query).unwrap_or_default().tables;
        let passes = tree.len() > needed.len();
        self.reading.said.retain(|t| query.tables.contains(t) || passes && !tree.contains(t));
        query.tables.extend(self.reading.said.iter().copied());
    }

    /// "members who visited the Harbour branch" are joined to it by their visits, not as members of
    /// that branch: where a verb names a table, its own keys lead to the others.
    pub fn join_by_verbs(&self, query: &mut Query) {
        let needed = query.needed_tables();
        let verb = |i: usize| self.table(i).filter(|_| is_participle(self.word(i)));
        let said = self.reading.said.iter().copied();
        for table in self.places().filter_map(verb).chain(said) {
            let ends = |k: &KeyId| self.catalog.key(*k).to;
            let from = self.catalog.joins().keys_from(table).iter().copied();
            let keys: Vec<KeyId> = from.filter(|k| needed.contains(&ends(k))).collect();
            let others: BTreeSet<TableId> = keys.iter().map(ends).filter(|t| *t != table).collect();
            if needed.contains(&table) && others.len() > 1 && others.len() == keys.len() {
                query.keys.extend(keys);
            }
        }
    }

    /// "professors in the Biology department" are joined to it by their own key, not as the employees
    /// that they are besides, one of whom heads it.
    pub fn join_by_kinds(&self, query: &mut Query) {
        let needed = query.needed_tables();
        let joins = self.catalog.joins();
        for &table in &needed {
            let kinds = self.facts.kinds(table);
            let joined = |other: TableId| {
                let past = |kind: &TableId| !joins.keys_between(*kind, other).is_empty();
                needed.contains(&other) && kinds.iter().any(|k| needed.contains(k) && past(k))
            };
            let own = joins.keys_from(table).iter().copied();
            query.keys.extend(own.filter(|&k| joined(self.catalog.key(k).to)));
        }
    }

    /// "customers under a policy" where the conditions already look into the available
    /// policies: the word may as well have meant these.
    pub fn drop_mentioned(&self, query: &mut Query) {
        let core = query.read_tables();
        let all_said = |table: TableId, fits: &dyn Fn(usize) -> bool| {
            let said = self.places().filter(|&i| self.table_rather(i) == Some(table));
            let mut said = said.peekable();
            said.peek().is_some() && said.all(fits)
        };
        let as_good = |i: usize| {
            let least = self.units[i].table_score() - 0.12;
            self.units[i].tables.iter().any(|t| t.score >= least && core.contains(&t.item))
        };
        let placed = |i: usize| self.says_place_of(i, &core);
        let needed = query.needed_tables();
        let idle = |t| all_said(t, &as_good) || all_said(t, &placed);
        let dropped = |t| idle(t) || self.is_said_longer(t, &needed);
        query.tables.retain(|&t| core.contains(&t) || !dropped(t));
    }

    /// "activities that Ada Berg takes part in": no `takes_part_in` of somebody else, where the way
    /// between the others leads through `teacher_takes_part_in`.
    pub fn is_said_longer(&self, table: TableId, needed: &BTreeSet<TableId>) -> bool {
        let others = needed.iter().copied().filter(|t| *t != table).collect();
        let way = self.catalog.joins().steiner_tree(&others).unwrap_or_default().tables;
        let stems = |t: TableId| self.facts.table_stems(t);
        let longer =
            |t: &TableId| *t != table && stems(table).iter().all(|word| stems(*t).contains(word));
        links(self.catalog, table) && way.iter().any(longer)
    }

    /// "students living in each city", which is a column of theirs, are in no `lives_in`.
    fn says_place_of(&self, at: usize, core: &BTreeSet<TableId>) -> bool {
        let verb = self.word(at).split(' ').next().is_some_and(|w| Words::Placing.has(w));
        let mut name = self.next_solid(at + 1);
        if self.is(name, Key::Each) {
            name = self.next_solid(name + 1);
        }
        verb && self.own_column(name).is_some_and(|c| core.contains(&c.table))
    }

    /// A key asked for is read where its other side takes part anyway: "type codes and their
    /// descriptions" are both of the types.
    pub fn share_keys(&self, query: &mut Query) {
        for at in 0..query.select.len() {
            let Some(column) = query.select[at].plain_column() else { continue };
            let mut rest = query.clone();
            rest.select.remove(at);
            rest.tables.extend(self.groups.iter().map(|group| group.table()));
            let needed = rest.needed_tables();
            if needed.contains(&column.table) || needed.is_empty() {
                continue;
            }
            if let Some(same) = self.facts.same_by_key(column).find(|c| needed.contains(&c.table)) {
                query.select[at].target = Target::Column(same);
            }
        }
    }

    /// "drivers in a race" by their results or by their laps: what connects them is not said.
    pub fn doubt_ways(&mut self, query: &Query) {
        for level in query.levels() {
            if let Some((a, b)) = rival_ways(self.catalog, level) {
                let (a, b) = (self.catalog.table_label(a), self.catalog.table_label(b));
                self.doubt(format!("{a} and {b} can be joined in several ways."));
            }
            if let Some(table) = shared(self.catalog, level) {
                let table = self.catalog.table_label(table);
                self.doubt(format!("The tables are related only through {table}."));
            }
        }
    }
}

/// The query without a table that only a key leads to, if it has one; `tree` joins its tables.
///
/// Requires: the tree of [`Query::needed_tables`].
pub fn without_leaf(catalog: &Catalog, query: &Query, tree: &JoinTree) -> Option<Query> {
    if query.combine.is_some() || query.within.is_some() {
        return None;
    }
    tree.tables.iter().find_map(|&leaf| {
        let keys = tree.keys.iter().map(|&k| catalog.key(k));
        let key = only(keys.filter(|k| k.from == leaf || k.to == leaf))?;
        let (referencing, referenced) = plain(catalog, key).filter(|(_, to)| to.table == leaf)?;
        without(catalog, query, tree, referencing, referenced)
    })
}

/// The columns of a declared key over one column, which refers to a table's whole primary key.
fn plain(catalog: &Catalog, key: &ForeignKey) -> Option<(ColumnId, ColumnId)> {
    let pair = only(key.column_pairs()).filter(|_| key.when.is_none())?;
    let whole = catalog.table(key.to).primary_key == [pair.1.column];
    (key.kind == KeyKind::Declared && whole && key.from != key.to).then_some(pair)
}

/// The query over `referencing` alone, where `referenced` stands for all that it says of its table.
fn without(
    catalog: &Catalog,
    query: &Query,
    tree: &JoinTree,
    referencing: ColumnId,
    referenced: ColumnId,
) -> Option<Query> {
    let leaf = referenced.table;
    let named = query.keys.iter().any(|&k| catalog.key(k).to == leaf);
    let filtered = query.filters.iter().any(|c| c.tables().contains(&leaf));
    if named || filtered || query.all_of == Some(leaf) {
        return None;
    }
    let counted = counted(catalog, query, tree, referencing);
    let put = |e: &Expression| -> Option<Expression> {
        match (&e.target, e.aggregate) {
            _ if !e.tables().contains(&leaf) => Some(e.clone()),
            (Target::Rows(_), Some(Aggregate::Count)) => Some(counted.clone()),
            (Target::Column(c), _) if *c == referenced => {
                Some(Expression { target: Target::Column(referencing), ..e.clone() })
            }
            _ => None,
        }
    };
    let select = query.select.iter().map(put).collect::<Option<Vec<_>>>()?;
    let order = query.order.iter().map(|(e, down)| Some((put(e)?, *down)));
    let order = order.collect::<Option<Vec<_>>>()?;
    let group = query.group.iter().map(|t| Some(put(&Expression::plain(t.clone()))?.target));
    let group = group.collect::<Option<Vec<_>>>()?;
    let having = query.having.iter().map(|c| match c {
        Condition::Compare(e, by, other) => Some(Condition::Compare(put(e)?, *by, other.clone())),
        other => Some(other.clone()).filter(|c| !c.tables().contains(&leaf)),
    });
    let having = having.collect::<Option<Vec<_>>>()?;
    let mut without = Query { select, order, group, having, ..query.clone() };
    without.tables.remove(&leaf);
    without.tables.insert(referencing.table);
    let skips = |e: &Expression| e.aggregate.is_some() && e.target.column() == Some(referencing);
    let only_counts = without.group.is_empty() && without.select.iter().all(skips);
    let compared = without.filters.iter().any(|f| f.columns().contains(&referencing));
    let all = without.all_of == Some(referencing.table);
    if catalog.column(referencing).nullable && !only_counts && !compared && !all {
        without.filters.push(Condition::present(referencing));
    }
    Some(without)
}

/// How many rows of the referenced table there are: rows of the referencing one, where no group has
/// two that refer to the same.
fn counted(catalog: &Catalog, query: &Query, tree: &JoinTree, referencing: ColumnId) -> Expression {
    let table = referencing.table;
    let from = tree.keys.iter().map(|&k| catalog.key(k)).filter(|k| k.from == table);
    let groups = |column| query.group.contains(&Target::Column(column));
    let apart = |key: &&ForeignKey| key.column_pairs().all(|(_, to)| groups(to));
    let grouped = from.filter(apart).flat_map(|k| k.from_columns.iter().copied());
    let own = query.group.iter().filter_map(Target::column).filter(|c| c.table == table);
    let mut fixed: Vec<u16> = grouped.chain(own.map(|c| c.column)).collect();
    fixed.push(referencing.column);
    let apart = tree.tables.len() <= 3 && catalog.table(table).is_unique_over(&fixed);
    let once = apart && !catalog.column(referencing).nullable;
    if once { Expression::count(table) } else { Expression::count_distinct(referencing) }
}
