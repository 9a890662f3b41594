//! The walk over a parsed draft that collects what it means.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Ident, JoinConstraint, JoinOperator, Query, Select, SelectItem,
    TableFactor, Visitor,
};

use super::super::meaning::{Literal, bare_pattern};
use super::{Frame, MAX_DEPTH, Reader, Relation, Resolved, constraint};
use crate::catalog::{ColumnId, TableId};
use crate::dialect::Dialect;

impl Reader<'_> {
    fn compared(&mut self, left: &Expr, right: &Expr, whole: bool) {
        for (column, value) in [(left, right), (right, left)] {
            if let Some(value) = self.literal_of(value) {
                let column = self.column_of(column);
                if column.is_some() || value.parse::<f64>().is_err() {
                    let value = bare_pattern(&value).to_owned();
                    self.draft.literals.push(Literal { column, value, whole });
                }
                return;
            }
        }
    }

    fn record(&mut self, parts: &[Ident]) {
        match self.resolve(parts) {
            Resolved::Column(column) => {
                self.draft.columns.insert(column);
            }
            Resolved::Row(table) => self.draft.columns.extend(self.catalog.column_ids(table)),
            Resolved::Derived => {}
            Resolved::Unknown if self.is_sqlite_string(parts) => {}
            Resolved::Unknown => {
                let names: Vec<&str> = parts.iter().map(|i| i.value.as_str()).collect();
                self.draft.unknown_columns.insert(names.join("."));
            }
        }
    }

    fn is_sqlite_string(&self, parts: &[Ident]) -> bool {
        self.dialect == Dialect::Sqlite && matches!(parts, [one] if one.quote_style == Some('"'))
    }

    fn record_wildcards(&mut self, select: &Select) {
        let mut outputs = Vec::new();
        for item in &select.projection {
            if matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)) {
                self.output(item, &mut outputs);
            }
        }
        self.draft.columns.extend(outputs.into_iter().filter_map(|(_, c)| c));
    }

    /// Note the tables on the sides of outer joins that NULLs fill.
    fn record_optional(&mut self, select: &Select) {
        use JoinOperator as Op;
        let tables = |found: &[(String, Relation)]| -> Vec<TableId> {
            let table = |(_, relation): &(String, Relation)| match relation {
                Relation::Table(table) => vec![*table],
                Relation::Outputs(all) => {
                    all.iter().filter_map(|(_, column)| Some((*column)?.table)).collect()
                }
                Relation::Unknown => Vec::new(),
            };
            found.iter().flat_map(table).collect()
        };
        for item in &select.from {
            let mut before = Vec::new();
            self.factor(&item.relation, &mut before);
            for join in &item.joins {
                let start = before.len();
                self.factor(&join.relation, &mut before);
                let filled = match join.join_operator {
                    Op::Left(_) | Op::LeftOuter(_) => tables(&before[start..]),
                    Op::Right(_) | Op::RightOuter(_) => tables(&before[..start]),
                    Op::FullOuter(_) => tables(&before),
                    _ => continue,
                };
                self.draft.optional.extend(filled);
            }
        }
    }

    fn record_using(&mut self, select: &Select) {
        for join in select.from.iter().flat_map(|f| &f.joins) {
            let Some(JoinConstraint::Using(names)) = constraint(&join.join_operator) else {
                continue;
            };
            let frame = self.frames.last().expect("a select's frame");
            for name in names.iter().filter_map(|n| n.0.last()?.as_ident()) {
                let mut merged: Vec<ColumnId> = Vec::new();
                for (_, relation) in &frame.relations {
                    if let Resolved::Column(column) = self.in_relation(relation, &name.value) {
                        merged.push(column);
                    }
                }
                let pairs = merged.windows(2).map(|p| (p[0].min(p[1]), p[0].max(p[1])));
                self.draft.joins.extend(pairs);
                self.draft.columns.extend(merged);
            }
        }
    }
}

impl Visitor for Reader<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let frame = match self.frames.len() {
            deep if deep > 2 * MAX_DEPTH => Frame::default(),
            _ => self.query_frame(query, 0),
        };
        self.frames.push(frame);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.frames.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let frame = self.select_frame(select);
        self.frames.push(frame);
        self.record_wildcards(select);
        self.record_using(select);
        self.record_optional(select);
        let (joins, repeated) = (self.joins_of(select), self.repeated(select));
        self.draft.conditions.extend(joins);
        self.draft.repeated.extend(repeated);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &Select) -> ControlFlow<()> {
        self.frames.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, args: None, .. } = factor {
            match self.relation_named(name) {
                Relation::Table(table) => {
                    self.draft.tables.insert(table);
                }
                Relation::Unknown => {
                    self.draft.unknown_tables.insert(name.to_string());
                }
                Relation::Outputs(_) => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) => self.record(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(parts) => self.record(parts),
            Expr::BinaryOp { left, op, right } => {
                self.compared(
                    left,
                    right,
                    matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq),
                );
                if *op == BinaryOperator::Eq
                    && let (Some(a), Some(b)) = (self.column_of(left), self.column_of(right))
                {
                    self.draft.joins.insert((a.min(b), a.max(b)));
                }
            }
            Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => {
                self.compared(expr, pattern, false);
            }
            Expr::InList { expr, list, .. } => {
                for value in list {
                    self.compared(expr, value, true);
                }
            }
            Expr::Between { expr, low, high, .. } => {
                self.compared(expr, low, false);
                self.compared(expr, high, false);
            }
            Expr::IsNull(tested) => self.draft.null_tests.extend(self.column_of(tested)),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
