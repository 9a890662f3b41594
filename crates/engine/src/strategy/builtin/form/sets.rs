//! Combined conditions and queries: alternatives, two conditions met in different rows, what one
//! condition excludes, and the rows of two tables in one list.

use std::collections::BTreeSet;

use crate::catalog::TableId;
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::passes::read::{Filter, Reader};
use crate::strategy::builtin::words::{Key, Words};

use super::query::{Condition, Expression, Query, SetOperator, Target};

impl Reader<'_> {
    /// Conditions that different passes read are alternatives where an "or" between them is left.
    pub fn join_alternatives(&mut self) {
        self.filters.sort_by_key(|f| f.at);
        for i in 1..self.filters.len() {
            let mut between = self.filters[i - 1].at + 1..self.filters[i].at;
            if let Some(or) = between.find(|&u| self.is(u, Key::Or) && self.is_free(u)) {
                self.filters[i].or = true;
                self.claim([or]);
            }
        }
    }

    /// Conditions on one column that no row meets together: of one row either, of related rows all.
    /// "Oslo but not Bergen" takes away what is in Bergen as well.
    pub fn intersect(&mut self, query: &mut Query) {
        let both = std::mem::take(&mut self.both);
        let [one, other, more @ ..] = &both[..] else { return };
        if let Some(taken_away) = other.contrasts(one).filter(|_| more.is_empty()) {
            if query.aggregates() {
                return query.filters.push(one.clone());
            }
            return combine_queries(query, SetOperator::Except, one.clone(), taken_away);
        }
        if query.aggregates() && self.names_kinds(one, other) {
            self.refuse("Is one figure wanted for both together, or one for each?");
        }
        if self.is_of_one_row(query, one) || query.aggregates() {
            return query.filters.push(Condition::Any(both));
        }
        if let Some(related) = self.relate_each(query, &both) {
            *query = related;
            return;
        }
        if !more.is_empty() {
            return self.refuse("Should all of the conditions be true, or any of them?");
        }
        combine_queries(query, SetOperator::Intersect, one.clone(), other.clone());
    }

    /// Whether a condition is on the row itself that is asked for, or on the one that it refers to, so
    /// that only one of several is true: "the price of the lamp and the desk", not "the cities that have
    /// customers called Ada and Ben".
    fn is_of_one_row(&self, query: &Query, condition: &Condition) -> bool {
        let table = condition.tables().pop_first();
        let Some((entity, table)) = self.entity.zip(table) else { return false };
        let single = table == entity || !self.has_many(entity, table);
        let own = |i: usize| self.meanings.owners[i] == Some(entity);
        let owned = |c| self.places().any(|i| self.column(i) == Some(c) && own(i));
        let clause = |i: usize| matches!(self.key(i), Some(Key::Clause | Key::Where));
        let plain = !self.stated.first().is_some_and(|&at| self.before(at).any(clause));
        // "the cities shared by", and "in both departments": what a row is called may have both
        let shared = self.places().any(|i| self.is(i, Key::Both) || self.says(i, Words::Sharing));
        let of_row = |e: &Expression| match e.target {
            Target::Rows(_) => true,
            _ => e.target.column().is_some_and(|c| self.facts.identifies(c) || plain || owned(c)),
        };
        single && !shared && query.select.iter().any(of_row)
    }

    /// "male and female pupils": two kinds of the thing named right after them.
    fn names_kinds(&self, one: &Condition, other: &Condition) -> bool {
        let joined = |i| self.is_value(i) && self.is(i + 1, Key::And) && self.is_value(i + 2);
        let kinds = |i| joined(i) && self.table_rather(i + 3).is_some();
        one.columns() == other.columns() && self.places().any(kinds)
    }

    /// The query of rows of the subject that are related to rows of another table under each condition:
    /// the same row and not one of the same name, as a set operation over what is shown would have it.
    fn relate_each(&self, query: &Query, conditions: &[Condition]) -> Option<Query> {
        let subject = self.entity?;
        let other = only(conditions.iter().flat_map(Condition::tables).collect::<BTreeSet<_>>())?;
        let alone = query.answer_tables().iter().eq([&subject]) && query.filters.is_empty();
        if other == subject || !alone || !query.keys.is_empty() {
            return None;
        }
        // "who ordered both": the way passes the orders
        let mut way = vec![other];
        way.extend(query.tables.iter().filter(|t| **t != subject && **t != other));
        let ends = way.iter().copied().chain([subject]).collect();
        let tree = self.catalog.joins().steiner_tree(&ends)?;
        let keys = tree.keys.iter().map(|&k| self.catalog.key(k));
        only(keys.filter(|k| k.from == other || k.to == other))?;
        let related = |c: &Condition| self.related(subject, &way, vec![c.clone()], false);
        let filters = conditions.iter().map(related).collect::<Option<_>>()?;
        Some(Query { tables: BTreeSet::from([subject]), filters, ..query.clone() })
    }

    /// "live in Oslo or have a dog": alternatives about rows of other tables are each looked up
    /// apart, since a join would leave out who has a row of only one.
    pub fn separate_alternatives(&mut self, query: &mut Query) {
        let about = only(query.answer_tables());
        let Some(subject) = self.entity.filter(|s| about == Some(*s)) else { return };
        let mut scattered = false;
        for condition in &mut query.filters {
            let Condition::Any(parts) = condition else { continue };
            let tables: Vec<BTreeSet<TableId>> = parts.iter().map(Condition::tables).collect();
            if tables.iter().all(|t| *t == tables[0]) || tables.iter().any(|t| t.len() != 1) {
                continue;
            }
            let name = |c| self.catalog.column_name(c).to_lowercase();
            let called = |c: &Condition| Vec::from_iter(c.columns().into_iter().map(name));
            // "in London or Berlin", where only other tables have a London
            scattered |= parts.iter().all(|part| called(part) == called(&parts[0]));
            for (part, table) in parts.iter_mut().zip(tables) {
                let Some(other) = table.into_iter().find(|t| *t != subject) else { continue };
                let ends = BTreeSet::from([subject, other]);
                let way = self.catalog.joins().steiner_tree(&ends).unwrap_or_default().tables;
                if let Some(apart) = self.related(subject, &[other], vec![part.clone()], false) {
                    *part = apart;
                    query.tables.retain(|t| !way.contains(t));
                }
            }
        }
        if scattered {
            self.refuse("The alternatives are stored in different tables.");
        }
    }

    /// "the names of the customers and suppliers", which no key connects, are one list.
    pub fn unite(&mut self, query: &mut Query) {
        let Some(first) = query.select.first().map(|e| e.target.table()) else { return };
        let shown = |t: TableId| -> Vec<Expression> {
            let called = self.facts.called(t).unwrap_or_else(|| self.facts.display(t));
            called.into_iter().map(Expression::column).collect()
        };
        let plain = query.filters.is_empty() && query.order.is_empty() && query.limit.is_none();
        if !plain || query.combine.is_some() || query.select != shown(first) {
            return;
        }
        let other = (1..self.units.len()).find_map(|and| {
            let next = self.next_solid(and + 1);
            let listed = self.is(and, Key::And) && self.table_rather(and - 1) == Some(first);
            let generic = (0..and).any(|i| self.word(i).starts_with("name"));
            let other = self.table_rather(next).filter(|t| *t != first)?;
            (listed && generic && self.ends_at(next + 1)).then_some(other)
        });
        let Some(other) = other else { return };
        let apart = self.catalog.joins().keys_between(first, other).is_empty();
        if apart && shown(other).len() == query.select.len() {
            query.tables.remove(&other);
            let second = Query { select: shown(other), ..Query::default() };
            query.combine = Some((SetOperator::Union, Box::new(second)));
        } else {
            self.refuse("Should the names form one list, or stand side by side?");
        }
    }
}

/// The query under one condition, combined with the same under another.
fn combine_queries(query: &mut Query, operation: SetOperator, one: Condition, other: Condition) {
    let mut second = query.clone();
    query.filters.push(one);
    second.filters.push(other);
    (second.order, second.limit) = (Vec::new(), None);
    query.combine = Some((operation, Box::new(second)));
}

/// Filters joined by "or" become alternatives; those on one column joined by "and" are returned
/// apart; what was said twice holds once.
pub fn combine(filters: Vec<Filter>) -> (Vec<Condition>, Vec<Condition>) {
    let mut all: Vec<Condition> = Vec::new();
    let mut both = Vec::new();
    for Filter { condition, or, and_same, .. } in bundle(filters) {
        let again = all.contains(&condition);
        match all.last_mut() {
            Some(Condition::Any(parts)) if or => parts.push(condition),
            Some(one) if or => *one = Condition::Any(vec![one.clone(), condition]),
            Some(_) if and_same && both.is_empty() => {
                both.extend(all.pop().into_iter().chain([condition]));
            }
            _ if and_same && both.iter().any(|c| c.excludes(&condition)) => both.push(condition),
            _ if again => {}
            _ => all.push(condition),
        }
    }
    (all, both)
}

/// "in fall 2009 or in spring 2010": conditions on the same columns, said twice, belong together.
fn bundle(mut filters: Vec<Filter>) -> Vec<Filter> {
    let columns = |f: &Filter| f.condition.columns();
    let repeats = |filters: &[Filter]| {
        let starts = (2..filters.len()).flat_map(|length| {
            (0..filters.len().saturating_sub(2 * length - 1)).map(move |first| (first, length))
        });
        starts.into_iter().find(|&(first, length)| {
            let second = first + length;
            let same =
                (first..second).all(|i| columns(&filters[i]) == columns(&filters[i + length]));
            let plain = |i: usize| !filters[i].or && !filters[i].and_same;
            let apart = filters[first].condition.excludes(&filters[second].condition);
            let inner = (first + 1..second).chain(second + 1..second + length);
            same && inner.into_iter().all(plain) && (filters[second].or || apart)
        })
    };
    while let Some((first, length)) = repeats(&filters) {
        for start in [first + length, first] {
            let mut whole = filters[start].clone();
            let parts = filters.drain(start..start + length).map(|f| f.condition).collect();
            whole.condition = Condition::All(parts);
            whole.and_same = start > first && !whole.or;
            filters.insert(start, whole);
        }
    }
    filters
}
