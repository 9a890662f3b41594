//! Expressions and arithmetic as SQL.

use crate::catalog::{ColumnId, TableId, TypeClass};
use crate::dialect::Dialect;

use super::query::{Aggregate, Expression, Formula, Operator, Target};
use super::sql::{Level, Writer};

impl Writer<'_> {
    pub fn expression(&self, expression: &Expression, level: &Level) -> String {
        let inner = match &expression.target {
            Target::Column(column) => self.column(*column, level),
            Target::Part(column, part) => {
                let class = self.catalog.column(*column).class;
                self.dialect.date_part(*part, &self.column(*column, level), class)
            }
            Target::Rows(table) => match expression.aggregate {
                Some(_) => return self.count_rows(*table, level),
                None => self.every_column(*table, level),
            },
            Target::Formula(formula, _) => self.formula(formula, level),
        };
        let Some(aggregate) = expression.aggregate else { return inner };
        // SQLite adds up numbers that are stored as text; PostgreSQL wants to be told
        let textual = expression
            .target
            .column()
            .is_some_and(|c| self.catalog.column(c).class == TypeClass::Text);
        let sums = matches!(aggregate, Aggregate::Sum | Aggregate::Avg);
        let inner = if sums && textual && self.dialect == Dialect::Postgres {
            format!("CAST({inner} AS numeric)")
        } else {
            inner
        };
        let distinct = if expression.distinct { "DISTINCT " } else { "" };
        format!("{}({distinct}{inner})", aggregate.name())
    }

    /// Arithmetic, with parentheses where the parts are arithmetic themselves.
    pub fn formula(&self, formula: &Formula, level: &Level) -> String {
        match formula {
            Formula::Number(digits) => digits.clone(),
            Formula::Term(expression, conditions) if conditions.is_empty() => {
                self.expression(expression, level)
            }
            Formula::Term(expression, conditions) => {
                let term = self.expression(expression, level);
                // conditions with subqueries over unconnected tables are not made
                let conditions = self.conditions(conditions, level).unwrap_or_default();
                format!("{term} FILTER (WHERE {conditions})")
            }
            Formula::Days(from, to) => {
                let typed = |c: &ColumnId| (self.column(*c, level), self.catalog.column(*c).class);
                let (from, to) = (typed(from), typed(to));
                self.dialect.days_between((&from.0, from.1), (&to.0, to.1))
            }
            Formula::Binary(left, operator, right) => {
                let nested = |f: &Formula, bound: bool| match bound {
                    true => format!("({})", self.formula(f, level)),
                    false => self.formula(f, level),
                };
                let loose = left.precedence() < operator.precedence();
                let left_text = nested(left, loose);
                if *operator == Operator::Divide {
                    let decimal = if left.is_decimal() { "" } else { "1.0 * " };
                    return format!("{decimal}{left_text} / NULLIF({}, 0)", nested(right, false));
                }
                let right = nested(right, right.precedence() <= operator.precedence());
                format!("{left_text} {} {right}", operator.sql())
            }
        }
    }

    /// `count(*)`, or the distinct key where joins repeat the table's rows.
    pub fn count_rows(&self, table: TableId, level: &Level) -> String {
        let key = &self.catalog.table(table).primary_key;
        if level.every.is_some_and(|every| every != table) {
            let mut keys = self.catalog.joins().keys_from(table).iter();
            let refers = |k: &&usize| Some(self.catalog.keys[**k].to) == level.every;
            let joined = keys.find(refers).map(|&k| self.catalog.keys[k].from_columns[0]);
            // of a row that is not there it is missing
            if let Some(&column) = key.first().or(joined.as_ref()) {
                return format!("count({})", self.column(ColumnId { table, column }, level));
            }
        }
        if level.fans_out && key.len() == 1 && self.rows_repeat(table, level) {
            let column = ColumnId { table, column: key[0] };
            return format!("count(DISTINCT {})", self.column(column, level));
        }
        "count(*)".to_owned()
    }

    /// Whether the level's joins can repeat a row of `table`.
    pub fn rows_repeat(&self, table: TableId, level: &Level) -> bool {
        self.catalog
            .joins()
            .steiner_tree(&level.tables)
            .is_some_and(|tree| self.join_clause(table, &tree.tables, &tree.keys).1)
    }

    pub fn every_column(&self, table: TableId, level: &Level) -> String {
        if level.tables.len() == 1 { "*".to_owned() } else { format!("{}.*", self.table(table)) }
    }
}
