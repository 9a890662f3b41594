//! The parts of a finished query, which the accounting looks for words in.

use std::collections::BTreeSet;

use crate::catalog::{ColumnId, KeyId, TableId};
use crate::strategy::builtin::form::query::{
    Aggregate, Condition, Expression, Formula, Operand, Query, SetOperation, Target,
};

use super::read::Reader;

/// What a query is made of, its subqueries and the query it is combined with included.
#[derive(Default)]
pub struct Parts {
    pub columns: BTreeSet<ColumnId>,
    pub tables: BTreeSet<TableId>,
    pub aggregates: Vec<Aggregate>,
    pub ordered: bool,
    pub limited: bool,
    pub grouped: bool,
    pub computed: bool,
    pub alternatives: bool,
    pub like: bool,
    pub dated: bool,
    pub conditions: usize,
    pub joined: bool,
    pub distinct: bool,
    /// Rows or values must not be there.
    pub absent: bool,
    pub answer: BTreeSet<TableId>,
    pub shown: BTreeSet<TableId>,
}

impl Parts {
    /// Add those of a query.
    pub fn add(&mut self, reader: &Reader<'_>, query: &Query) {
        self.columns.extend(query.columns());
        let tree = reader.catalog.joins().steiner_tree(&query.needed_tables());
        let tree = tree.unwrap_or_default();
        self.joined |= tree.tables.len() > 1;
        self.answer.extend(query.answer_tables());
        self.shown.extend(query.select.iter().flat_map(Expression::tables));
        self.distinct |= query.distinct;
        let joins = |k: &&KeyId| {
            let key = reader.catalog.key(**k);
            tree.tables.contains(&key.from) && tree.tables.contains(&key.to)
        };
        for &key in tree.keys.iter().chain(query.keys.iter().filter(joins)) {
            self.columns.extend(reader.key_ends(key));
        }
        self.tables.extend(tree.tables.into_iter().chain(query.needed_tables()));
        self.ordered |= !query.order.is_empty() || query.within.is_some();
        self.limited |= query.limit.is_some() || query.within.is_some();
        self.grouped |= !query.group.is_empty() || query.within.is_some();
        let ordered = query.order.iter().map(|(e, _)| e);
        query.select.iter().chain(ordered).for_each(|e| self.add_expression(reader, e));
        let parts = query.group.iter().chain(query.within.iter().flat_map(|w| &w.of));
        self.dated |= parts.into_iter().any(|t| matches!(t, Target::Part(..)));
        for condition in query.filters.iter().chain(&query.having) {
            self.add_condition(reader, condition);
        }
        if let Some((operation, other)) = &query.combine {
            self.alternatives = true;
            self.absent |= *operation == SetOperation::Except;
            self.add(reader, other);
        }
    }

    fn add_expression(&mut self, reader: &Reader<'_>, expression: &Expression) {
        self.aggregates.extend(expression.aggregate);
        self.distinct |= expression.distinct;
        match &expression.target {
            Target::Formula(formula, _) => {
                self.computed = true;
                self.add_formula(reader, formula);
            }
            Target::Part(..) => self.dated = true,
            Target::Column(_) | Target::Rows(_) => {}
        }
    }

    fn add_formula(&mut self, reader: &Reader<'_>, formula: &Formula) {
        match formula {
            Formula::Term(expression, conditions) => {
                self.add_expression(reader, expression);
                conditions.iter().for_each(|condition| self.add_condition(reader, condition));
            }
            Formula::Binary(left, _, right) => {
                self.add_formula(reader, left);
                self.add_formula(reader, right);
            }
            Formula::Number(_) | Formula::Days(..) => {}
        }
    }

    fn add_condition(&mut self, reader: &Reader<'_>, condition: &Condition) {
        self.conditions += 1;
        match condition {
            Condition::Any(parts) => {
                self.alternatives = true;
                parts.iter().for_each(|part| self.add_condition(reader, part));
            }
            Condition::All(parts) => {
                parts.iter().for_each(|part| self.add_condition(reader, part));
            }
            Condition::Compare(left, _, right) => {
                self.add_expression(reader, left);
                if let Operand::Query(inner) = right {
                    self.add(reader, inner);
                }
            }
            Condition::Within(..) => self.dated = true,
            Condition::IsNull { negated, .. } => self.absent |= !negated,
            Condition::IsTrue { negated, .. } => self.absent |= negated,
            Condition::Between(..) => {}
            Condition::Like { .. } => self.like = true,
            Condition::In { query: inner, negated, .. } => {
                self.joined = true;
                self.absent |= negated;
                self.add(reader, inner);
            }
            Condition::Beside(_, _, key, other) => {
                self.columns.insert(*other);
                self.columns.extend(reader.key_ends(*key));
            }
        }
    }

    /// Whether it aggregates so.
    pub fn has(&self, aggregate: Aggregate) -> bool {
        self.aggregates.contains(&aggregate)
    }
}

impl Reader<'_> {
    /// Both columns of a key.
    fn key_ends(&self, key: KeyId) -> Vec<ColumnId> {
        let key = self.catalog.key(key);
        let ends = key.column_pairs();
        ends.flat_map(|(from, to)| [from, to]).collect()
    }
}
