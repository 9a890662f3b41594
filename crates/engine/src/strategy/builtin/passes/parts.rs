//! The parts of a finished query, which the accounting looks for words in.

use std::collections::{BTreeSet, HashSet};

use crate::catalog::{ColumnId, KeyId, TableId};
use crate::strategy::builtin::form::query::{
    Aggregate, Condition, Expression, Formula, Operand, Query, SetOperator, Target,
};

use super::read::Reader;

/// What a query is made of, its subqueries and the query it is combined with included.
#[derive(Default)]
pub struct Parts {
    pub columns: BTreeSet<ColumnId>,
    pub tables: BTreeSet<TableId>,
    pub shown: BTreeSet<TableId>,
    effects: HashSet<Effect>,
}

/// What a query does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    Aggregated(Aggregate),
    Alternative,
    /// Rows or values must not be there.
    Absence,
    Computation,
    Condition,
    /// Parts of dates, or periods.
    Date,
    Distinct,
    Group,
    Join,
    Limit,
    Order,
    Pattern,
}

impl Parts {
    /// Whether it does so.
    pub fn has(&self, effect: Effect) -> bool {
        self.effects.contains(&effect)
    }

    fn note(&mut self, effect: Effect, holds: bool) {
        self.effects.extend(Some(effect).filter(|_| holds));
    }

    /// Add those of a query.
    pub fn add(&mut self, reader: &Reader<'_>, query: &Query) {
        self.columns.extend(query.columns());
        let tree = reader.tree(query).unwrap_or_default();
        let within = query.within.is_some();
        self.note(Effect::Join, tree.tables.len() > 1);
        self.note(Effect::Distinct, query.distinct);
        self.note(Effect::Order, !query.order.is_empty() || within);
        self.note(Effect::Limit, query.limit.is_some() || within);
        self.note(Effect::Group, !query.group.is_empty() || within);
        self.shown.extend(query.select.iter().flat_map(|e| e.target.shown()));
        let joins = |k: &&KeyId| {
            let key = reader.catalog.key(**k);
            tree.tables.contains(&key.from) && tree.tables.contains(&key.to)
        };
        for &key in tree.keys.iter().chain(query.keys.iter().filter(joins)) {
            self.columns.extend(reader.key_ends(key));
        }
        self.tables.extend(tree.tables.into_iter().chain(query.needed_tables()));
        query.shown().for_each(|e| self.add_expression(reader, e));
        let mut parts = query.group.iter().chain(query.within.iter().flat_map(|w| &w.of));
        self.note(Effect::Date, parts.any(|t| matches!(t, Target::Part(..))));
        query.conditions().for_each(|condition| self.add_condition(reader, condition));
        if let Some((operation, other)) = &query.combine {
            self.note(Effect::Alternative, true);
            self.note(Effect::Absence, *operation == SetOperator::Except);
            self.add(reader, other);
        }
    }

    fn add_expression(&mut self, reader: &Reader<'_>, expression: &Expression) {
        self.effects.extend(expression.aggregate.map(Effect::Aggregated));
        self.note(Effect::Distinct, expression.distinct);
        self.note(Effect::Date, matches!(expression.target, Target::Part(..)));
        if let Target::Formula(formula, _) = &expression.target {
            self.note(Effect::Computation, true);
            self.add_formula(reader, formula);
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
            Formula::Beside(_, key, other) => {
                self.columns.insert(*other);
                self.columns.extend(reader.key_ends(*key));
            }
            Formula::Number(_) | Formula::Days(..) => {}
        }
    }

    fn add_condition(&mut self, reader: &Reader<'_>, condition: &Condition) {
        self.note(Effect::Condition, true);
        match condition {
            Condition::Any(parts) | Condition::All(parts) => {
                self.note(Effect::Alternative, matches!(condition, Condition::Any(_)));
                parts.iter().for_each(|part| self.add_condition(reader, part));
            }
            Condition::Compare(left, _, right) => {
                self.add_expression(reader, left);
                match right {
                    Operand::Query(inner) => self.add(reader, inner),
                    Operand::Formula(formula) => self.add_formula(reader, formula),
                    Operand::Number(_) | Operand::Text(_) => {}
                }
            }
            Condition::Within(..) => self.note(Effect::Date, true),
            Condition::IsNull { negated, .. } => self.note(Effect::Absence, !negated),
            Condition::IsTrue { negated, .. } => self.note(Effect::Absence, *negated),
            Condition::Between(..) => {}
            Condition::Like { .. } => self.note(Effect::Pattern, true),
            Condition::In { query: inner, negated, .. } => {
                self.note(Effect::Join, true);
                self.note(Effect::Absence, *negated);
                self.add(reader, inner);
            }
        }
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
