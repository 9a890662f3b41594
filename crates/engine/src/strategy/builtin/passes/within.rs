//! The first rows of each group: "the three most expensive products in each category" ranks the
//! rows of each category separately, which is neither a GROUP BY nor a LIMIT.

use crate::catalog::{ColumnId, ForeignKey, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{Condition, Expression, Query, Target, Within};
use crate::strategy::builtin::words::Key;

use super::Reader;

impl Reader<'_> {
    /// Rank within "each …" where what is asked for is something else than the group.
    pub fn rank_within(&mut self, query: &mut Query) {
        let ranked = query.limit.is_some() && !query.order.is_empty() && !query.aggregates();
        if !ranked || self.each.is_empty() {
            return;
        }
        let names_group = |e: &Expression| {
            self.each.iter().any(|group| match group {
                Target::Rows(table) => e.target.table() == *table,
                group => e.target == *group,
            })
        };
        let rows = |e: &Expression| matches!(e.target, Target::Rows(_));
        if query.select.iter().all(names_group) || query.select.iter().any(rows) {
            return;
        }
        let (mut shown, mut of) = (Vec::new(), Vec::new());
        for group in &self.each {
            match group {
                Target::Rows(table) => {
                    // what was asked of the group's row, else what it is called
                    let asked = query.select.iter().filter(|e| e.target.table() == *table);
                    let asked: Vec<Expression> = asked.cloned().collect();
                    let called = self.facts.display(*table).into_iter().map(Expression::column);
                    shown.extend(if asked.is_empty() { called.collect() } else { asked });
                    of.extend(self.facts.key_columns(*table).into_iter().map(Target::Column));
                }
                group => {
                    shown.push(Expression::plain(group.clone()));
                    of.push(group.clone());
                }
            }
        }
        query.select.retain(|e| !shown.contains(e));
        query.within = Some(Within { of, shown: shown.len() });
        query.select.splice(0..0, shown);
        query.distinct = false;
    }

    /// "the projects of the organization with the most projects": what is ranked by its rows is the
    /// other side of their key, and all of the first one's rows are shown.
    pub fn rank_owner(&self, query: &mut Query) {
        let Some(rows) = self.ranked_rows(query) else { return };
        let own = |e: &Expression| !e.is_aggregate() && e.tables() == [rows];
        if query.limit != Some(1) || !query.select.iter().all(own) {
            return;
        }
        let owns = |key: &&ForeignKey| {
            key.to != rows && self.meanings.named.contains(&key.to) && key.from_columns.len() == 1
        };
        let Some(key) = only(self.facts.keys_from(rows).filter(owns)) else { return };
        let (owner, _) = key.first_pair();
        if query.select.contains(&Expression::column(owner)) {
            return;
        }
        query.tables.remove(&key.to);
        rank_apart(query, owner, vec![Condition::IsNull { column: owner, negated: true }]);
    }

    /// "students who live in the dorm with the most amenities": which dorm that is, is a question of
    /// its own; who lives there is not counted with it.
    pub fn rank_named(&self, query: &mut Query) {
        let Some((rows, limit)) = self.ranked_rows(query).zip(query.limit) else { return };
        let ranks = |i: usize| matches!(self.key(i), Some(Key::Superlative(_)));
        let at = self.places().rfind(|&i| ranks(i) && !self.is(i + 1, Key::Is));
        let Some(owner) = at.and_then(|at| self.said_before(at, limit > 1)) else { return };
        let shown = query.answer_tables();
        let apart = |t: &TableId| *t == rows || *t != owner && !self.facts.are_one(*t, owner);
        let linked = query.needed_tables().contains(&owner);
        let Some(key) = self.referred_by(owner) else { return };
        let counted = query.select.iter().any(|e| e.target.table() == rows);
        let other = linked && !counted && !query.aggregates() && owner != rows;
        if !other || !shown.iter().all(apart) {
            return;
        }
        let own = |c: &Condition| c.tables().iter().all(|t| *t == rows || *t == owner);
        let (inner, outer) = std::mem::take(&mut query.filters).into_iter().partition(own);
        query.tables.remove(&rows);
        query.filters = outer;
        rank_apart(query, key, inner);
    }

    /// The table by the number of whose rows a query ranks, where it does not group.
    fn ranked_rows(&self, query: &Query) -> Option<TableId> {
        let plain = self.groups.is_empty() && query.having.is_empty();
        let [(Expression { target: Target::Rows(rows), .. }, _)] = query.order[..] else {
            return None;
        };
        plain.then_some(rows)
    }

    /// The thing right before "with the most …", "that has the most …": one, or several.
    fn said_before(&self, at: usize, several: bool) -> Option<TableId> {
        let name = self.before(at).rfind(|&i| !self.helps(i) && !self.is_unknown(i))?;
        let clause = (name + 1..at).any(|i| self.is(i, Key::Clause));
        self.table_rather(name).filter(|_| clause && self.is_plural(name) == several)
    }

    /// The column by which other tables refer to a table.
    fn referred_by(&self, table: TableId) -> Option<ColumnId> {
        let key = self.catalog.keys_that(|k| k.to == table && k.from != table).next()?;
        let [column] = key.to_columns[..] else { return None };
        Some(ColumnId { table, column })
    }

    /// Whether rows are ranked, not groups, and in parts of the table.
    pub fn ranks_rows_within(&self) -> bool {
        let rows = self.query.order.first().is_some_and(|(e, _)| !e.is_aggregate());
        rows && self.query.limit.is_some() && !self.each.is_empty()
    }
}

/// Ask for the first by a column of its own, whose rows meet conditions: what else a query says is of
/// the rows that have it.
fn rank_apart(query: &mut Query, column: ColumnId, filters: Vec<Condition>) {
    let first = Query {
        filters,
        group: vec![Target::Column(column)],
        order: std::mem::take(&mut query.order),
        limit: query.limit.take(),
        ..Query::of(column)
    };
    query.filters.push(Condition::among(column, first));
}
