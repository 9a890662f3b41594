//! Expressions and arithmetic as SQL.

use sqlparser::ast::{BinaryOperator, Expr};

use crate::catalog::{ColumnId, TableId};

use super::dates;
use super::query::{Aggregate, Expression, Formula, Target};
use super::sql::{Level, repeats};
use super::tree::{self, binary, call, cast, function, nested, number};

impl Level<'_> {
    pub fn expression(&self, expression: &Expression) -> Expr {
        let inner = match &expression.target {
            Target::Column(column) => self.column(*column),
            Target::Part(column, part) => {
                let class = self.writer.catalog.column(*column).class;
                dates::part(self.writer.dialect, *part, self.column(*column), class)
            }
            Target::Rows(table) => match expression.aggregate {
                Some(_) => return self.count_rows(*table),
                None if self.tree.tables.len() == 1 => tree::all_columns(),
                None => tree::columns_of(self.writer.table(*table)),
            },
            Target::Formula(formula, _) => self.formula(formula),
        };
        let Some(aggregate) = expression.aggregate else { return inner };
        let counts = aggregate == Aggregate::Count;
        let told = !counts && self.is_numeral(expression);
        let inner = if told { cast(inner, "numeric") } else { inner };
        Expr::Function(function(aggregate.name(), [inner], expression.distinct))
    }

    /// Whether an expression is a column of text that holds nothing but numbers.
    pub fn is_numeral(&self, expression: &Expression) -> bool {
        expression.target.column().is_some_and(|c| self.writer.numerals.contains(&c))
    }

    /// An expression whose size matters: numbers stored as text are told to be numbers.
    pub fn measured(&self, expression: &Expression) -> Expr {
        let plain = self.expression(expression);
        let told = expression.aggregate.is_none() && self.is_numeral(expression);
        if told { cast(plain, "numeric") } else { plain }
    }

    /// Arithmetic, with parentheses where the parts are arithmetic themselves.
    pub fn formula(&self, formula: &Formula) -> Expr {
        match formula {
            Formula::Number(digits) => number(digits),
            Formula::Term(expression, conditions) => {
                let mut term = self.measured(expression);
                // conditions with subqueries over unconnected tables are not made
                let conditions = self.conditions(conditions.iter()).unwrap_or_default();
                if let Expr::Function(function) = &mut term {
                    function.filter = conditions.map(Box::new);
                }
                term
            }
            Formula::Days(from, to) => {
                let typed = |c: &ColumnId| (self.column(*c), self.writer.catalog.column(*c).class);
                dates::days_between(self.writer.dialect, typed(from), typed(to))
            }
            Formula::Beside(_, key, column) => self.writer.beside(*key, *column),
            Formula::Binary(left, operator, right) => {
                let part = |f: &Formula, loose: bool| match loose {
                    true => nested(self.formula(f)),
                    false => self.formula(f),
                };
                let first = part(left, left.precedence() < formula.precedence());
                if *operator != BinaryOperator::Divide {
                    let second = part(right, right.precedence() <= formula.precedence());
                    return binary(first, operator.clone(), second);
                }
                let first = match left.is_decimal() {
                    true => first,
                    false => binary(number("1.0"), BinaryOperator::Multiply, first),
                };
                let divisor = call("NULLIF", [part(right, false), number(0)]);
                binary(first, BinaryOperator::Divide, divisor)
            }
        }
    }

    /// `count(*)`; the distinct key where joins repeat the table's rows, and a column that is not empty
    /// where there may be none of them.
    fn count_rows(&self, table: TableId) -> Expr {
        let catalog = self.writer.catalog;
        let key = match catalog.table(table).primary_key[..] {
            [column] => Some(ColumnId { table, column }),
            _ => None,
        };
        let repeated = self.fans_out && repeats(catalog, table, self.tree);
        let joined = || {
            let pairs = self.tree.keys.iter().flat_map(|&k| catalog.key(k).column_pairs());
            pairs.flat_map(|(from, to)| [from, to]).find(|column| column.table == table)
        };
        let outer = self.query.all_of.is_some();
        let there = if outer { key.or_else(joined) } else { key.filter(|_| repeated) };
        match there {
            Some(column) => {
                let distinct = repeated && key.is_some();
                Expr::Function(function("count", [self.column(column)], distinct))
            }
            None => call("count", [tree::all_columns()]),
        }
    }
}
