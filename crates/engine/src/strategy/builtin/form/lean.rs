//! The fewest tables: a reading that needs fewer joins is more likely.

use std::collections::BTreeSet;

use crate::catalog::{KeyId, TableId};
use crate::strategy::builtin::facts::links;
use crate::strategy::builtin::passes::read::Reader;
use crate::strategy::builtin::words::lexicon::{Key, Words};
use crate::strategy::builtin::words::participles::is_participle;

use super::query::{Query, Target};

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
        let dropped = |t: TableId| {
            all_said(t, &as_good) || self.is_said_longer(t, &needed) || all_said(t, &placed)
        };
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
        let place = self.own_column(name);
        verb && place.is_some_and(|c| core.contains(&c.table))
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
            let same = self.facts.same_by_key(column).find(|c| needed.contains(&c.table));
            if let Some(same) = same {
                query.select[at].target = Target::Column(same);
            }
        }
    }
}
