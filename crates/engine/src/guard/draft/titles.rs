//! The names that PostgreSQL gives to a query's unnamed columns.

use sqlparser::ast::{Expr, Query, SelectItem, SetExpr, Statement};

use super::parsed::{parser_dialect, with_parsed};
use crate::dialect::Dialect;

/// The name of an expression that has none.
const NAMELESS: &str = "?column?";

/// Rename the columns of `sql`, which a database named after the text of their expressions, as
/// PostgreSQL would: `count` for `count(*)`. Names given by the query stay, as do all names of a
/// query that cannot be parsed.
pub fn titled(dialect: Dialect, sql: &str, names: Vec<String>) -> Vec<String> {
    let titles = with_parsed(sql, &[parser_dialect(dialect)], |statements| match statements {
        [Statement::Query(query)] => titles(&query.body, names.len()),
        _ => None,
    });
    let Some(titles) = titles.flatten() else { return names };
    names.into_iter().zip(titles).map(|(name, title)| title.unwrap_or(name)).collect()
}

/// The column names in a query's text, with `*` for those of a table; none for a text that cannot
/// be parsed.
pub fn column_names(dialect: Dialect, sql: &str) -> Vec<String> {
    let names = with_parsed(sql, &[parser_dialect(dialect)], |statements| match statements {
        [Statement::Query(query)] => first_names(&query.body),
        _ => Vec::new(),
    });
    names.unwrap_or_default()
}

fn first_names(body: &SetExpr) -> Vec<String> {
    let name = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expression) => {
            title(expression).unwrap_or_else(|| NAMELESS.to_owned())
        }
        SelectItem::ExprWithAlias { alias, .. } => alias.value.clone(),
        _ => "*".to_owned(),
    };
    match body {
        SetExpr::Select(select) => select.projection.iter().map(name).collect(),
        SetExpr::SetOperation { left, .. } => first_names(left),
        SetExpr::Query(query) => first_names(&query.body),
        _ => Vec::new(),
    }
}

/// Titles of the `count` columns of a query's first SELECT; None for those that have a name. A
/// wildcard stands for as many as are left.
fn titles(body: &SetExpr, count: usize) -> Option<Vec<Option<String>>> {
    match body {
        SetExpr::Select(select) => {
            let is_wild = |item: &SelectItem| {
                matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
            };
            let items = &select.projection;
            let first = items.iter().position(is_wild).unwrap_or(items.len());
            let last = items.iter().rposition(is_wild).map_or(items.len(), |at| at + 1);
            let named = first + items.len() - last;
            if named > count || first == items.len() && named != count {
                return None;
            }
            let wild = std::iter::repeat_n(None, count - named);
            let before = items[..first].iter().map(item_title);
            Some(before.chain(wild).chain(items[last..].iter().map(item_title)).collect())
        }
        SetExpr::SetOperation { left, .. } => titles(left, count),
        SetExpr::Query(query) => titles(&query.body, count),
        _ => None,
    }
}

fn item_title(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::UnnamedExpr(Expr::Identifier(_) | Expr::CompoundIdentifier(_)) => None,
        SelectItem::UnnamedExpr(expression) => {
            Some(title(expression).unwrap_or_else(|| NAMELESS.to_owned()))
        }
        _ => None,
    }
}

/// PostgreSQL's FigureColname: a function's name, or that of a column below casts and brackets.
fn title(expression: &Expr) -> Option<String> {
    let named = |name: &str| Some(name.to_owned());
    match expression {
        Expr::Identifier(name) => Some(name.value.clone()),
        Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.clone()),
        Expr::Function(call) => call.name.0.last().map(|name| {
            let name = name.to_string();
            name.trim_matches('"').to_lowercase()
        }),
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => title(inner),
        Expr::Cast { expr, data_type, .. } => {
            title(expr).or_else(|| Some(data_type.to_string().to_lowercase()))
        }
        Expr::Case { else_result, .. } => {
            else_result.as_deref().and_then(title).or_else(|| named("case"))
        }
        Expr::Exists { .. } => named("exists"),
        Expr::Extract { .. } => named("extract"),
        Expr::Substring { shorthand, .. } => named(if *shorthand { "substr" } else { "substring" }),
        Expr::Trim { .. } => named("trim"),
        Expr::Ceil { .. } => named("ceil"),
        Expr::Floor { .. } => named("floor"),
        Expr::Position { .. } => named("position"),
        Expr::Subquery(query) => first_title(query),
        _ => None,
    }
}

/// The name of a subquery's column.
fn first_title(query: &Query) -> Option<String> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    match select.projection.first()? {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(expression) => title(expression),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_called_as_postgresql_calls_them() {
        let check = |sql: &str, expect: &[&str]| {
            let names = vec!["-".to_owned(); expect.len()];
            assert_eq!(titled(Dialect::Sqlite, sql, names), expect, "{sql}");
        };
        check("SELECT count(*), SUM(total), name, o.id FROM o", &["count", "sum", "-", "-"]);
        check("SELECT total * 2, 'a', total * 2 AS twice FROM o", &["?column?", "?column?", "-"]);
        check("SELECT CAST(strftime('%Y', d) AS INTEGER), CAST(x AS TEXT)", &["strftime", "x"]);
        check("SELECT CAST(1 AS TEXT), CASE WHEN a THEN 1 ELSE 2 END", &["text", "case"]);
        check(
            "SELECT (SELECT max(a) FROM t), EXISTS (SELECT 1), (lower(a))",
            &["max", "exists", "lower"],
        );
        check("SELECT count(*), t.*, max(a) FROM t", &["count", "-", "-", "max"]);
        check("SELECT *, 1 FROM t", &["-", "-", "?column?"]);
        check("WITH c AS (SELECT 1) SELECT avg(a) FROM c UNION SELECT 2", &["avg"]);
        check("SELECT count(*) OVER (), substr(a, 1, 2) FROM t", &["count", "substr"]);
        // a query that cannot be parsed, or has other columns than the database says, keeps its
        // names
        check("SELECT count(*) FROM", &["-"]);
        check("SELECT count(*) FROM t", &["-", "-"]);
    }
}
