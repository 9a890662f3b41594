//! Why a wrong answer is wrong: the first part in which it differs from the gold query, in the
//! order in which a query is built.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, ObjectName, TableFactor, UnaryOperator, Value as Literal, Visit, Visitor,
};

use crate::dataset::Flavour;
use crate::sql::parse;

/// The causes, in the order in which they are checked.
pub const CAUSES: [&str; 7] = ["table", "column", "value", "join", "aggregate", "form", "unread"];

/// One of [`CAUSES`]: `unread` if a query cannot be parsed, `form` if all parts are the same but
/// are combined differently.
pub fn of(gold: &str, gold_in: Flavour, sql: &str, sql_in: Flavour) -> &'static str {
    // Spider's gold queries write text in double quotes, which SQLite accepts if no column has that
    // name
    let (Some(gold), Some(answer)) =
        (Parts::of(gold, gold_in, gold_in == Flavour::Sqlite), Parts::of(sql, sql_in, false))
    else {
        return "unread";
    };
    if gold.tables != answer.tables {
        "table"
    } else if gold.own_columns() != answer.own_columns() {
        "column"
    } else if gold.values != answer.values {
        "value"
    } else if gold.joins != answer.joins {
        "join"
    } else if gold.aggregates != answer.aggregates {
        "aggregate"
    } else {
        "form"
    }
}

/// The parts of a query that are compared; names in lower case.
#[derive(Debug, Default, PartialEq)]
pub struct Parts {
    tables: BTreeSet<String>,
    /// How often a column is named, including in join conditions; without its table.
    pub columns: BTreeMap<String, usize>,
    /// How often a column is named in join conditions.
    join_columns: BTreeMap<String, usize>,
    /// Literals, normalised.
    pub values: BTreeSet<String>,
    /// Pairs of equated columns, `table.column` if the table is given.
    pub joins: BTreeSet<(String, String)>,
    /// Aggregates and how often they are called.
    aggregates: BTreeMap<String, usize>,
    /// Table aliases in lower case.
    aliases: BTreeMap<String, String>,
    quoted_is_text: bool,
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

fn last_name(name: &ObjectName) -> String {
    let whole = name.to_string();
    lower(whole.rsplit('.').next().unwrap_or(&whole).trim_matches(['"', '`', '[', ']']))
}

impl Parts {
    /// The parts of a query; None if it cannot be parsed.
    pub fn of(sql: &str, flavour: Flavour, quoted_is_text: bool) -> Option<Parts> {
        let query = parse(sql, flavour)?;
        let mut parts = Parts { quoted_is_text, ..Parts::default() };
        let _ = query.visit(&mut parts);
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            parts.tables.remove(&lower(&cte.alias.name.value));
        }
        Some(parts)
    }

    /// Columns that occur outside join conditions.
    fn own_columns(&self) -> BTreeSet<&str> {
        let joined = |name: &str| self.join_columns.get(name).copied().unwrap_or(0);
        let own = |(name, count): &(&String, &usize)| **count > joined(name);
        self.columns.iter().filter(own).map(|(name, _)| name.as_str()).collect()
    }

    /// `table.column` of a column expression, the alias resolved.
    fn qualified(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Identifier(name) if !self.is_text(name) => Some(lower(&name.value)),
            Expr::CompoundIdentifier(names) => {
                let [.., table, column] = names.as_slice() else { return None };
                let table = lower(&table.value);
                let table = self.aliases.get(&table).cloned().unwrap_or(table);
                Some(format!("{table}.{}", lower(&column.value)))
            }
            Expr::Nested(inner) => self.qualified(inner),
            _ => None,
        }
    }

    fn is_text(&self, name: &sqlparser::ast::Ident) -> bool {
        self.quoted_is_text && name.quote_style == Some('"')
    }

    fn name_column(&mut self, qualified: &str) {
        let bare = qualified.rsplit('.').next().unwrap_or(qualified);
        *self.columns.entry(bare.to_owned()).or_default() += 1;
    }
}

/// A literal normalised: without case, wildcards, leading zeros of numbers.
fn normal(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Number(text, _) => {
            Some(text.parse::<f64>().map_or(text.clone(), |n| n.to_string()))
        }
        Literal::SingleQuotedString(text) | Literal::DoubleQuotedString(text) => {
            Some(normal_text(text))
        }
        _ => None,
    }
}

fn normal_text(text: &str) -> String {
    let bare = lower(text.trim().trim_matches('%'));
    bare.parse::<f64>().map_or(bare, |n| n.to_string())
}

impl Visitor for Parts {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, .. } = factor {
            let table = last_name(name);
            if let Some(alias) = alias {
                self.aliases.insert(lower(&alias.name.value), table.clone());
            }
            self.tables.insert(table);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) if self.is_text(name) => {
                self.values.insert(normal_text(&name.value));
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                if let Some(name) = self.qualified(expr) {
                    self.name_column(&name);
                }
            }
            Expr::Value(literal) => self.values.extend(normal(&literal.value)),
            Expr::UnaryOp { op: UnaryOperator::Minus, .. } => {}
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
                if let (Some(a), Some(b)) = (self.qualified(left), self.qualified(right)) {
                    for side in [&a, &b] {
                        let bare = side.rsplit('.').next().unwrap_or(side).to_owned();
                        *self.join_columns.entry(bare).or_default() += 1;
                    }
                    self.joins.insert(if a < b { (a, b) } else { (b, a) });
                }
            }
            Expr::Function(call) => {
                *self.aggregates.entry(last_name(&call.name)).or_default() += 1;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_differing_part_is_the_cause() {
        let check = |gold: &str, sql: &str, expect: &str| {
            assert_eq!(of(gold, Flavour::Sqlite, sql, Flavour::Sqlite), expect, "{gold} | {sql}");
        };
        check("SELECT a FROM t", "SELECT a FROM u", "table");
        check("SELECT a FROM t", "SELECT b FROM t", "column");
        check("SELECT a FROM t WHERE b = \"X\"", "SELECT a FROM t WHERE b = 'y'", "value");
        check("SELECT a FROM t WHERE b = \"X\"", "SELECT a FROM t WHERE b != 'x'", "form");
        check(
            "SELECT x.a FROM t AS x JOIN u AS y ON x.i = y.i",
            "SELECT t.a FROM t JOIN u ON t.j = u.i",
            "join",
        );
        check(
            "SELECT x.a FROM t AS x JOIN u AS y ON x.i = y.i",
            "SELECT t.a FROM t JOIN u ON u.i = t.i ORDER BY t.a",
            "form",
        );
        check("SELECT max(a) FROM t", "SELECT min(a) FROM t", "aggregate");
        check("SELECT a FROM t", "SELECT a FROM t LIMIT", "unread");
    }
}
