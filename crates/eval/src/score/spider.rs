//! Spider's execution accuracy: the test-suite evaluation's comparison of two results
//! (`result_eq` of taoyds/test-suite-sql-eval, Zhong et al. 2020).
//!
//! The rule: the same number of rows and columns; some order of the predicted columns makes the
//! rows equal, as a bag, or as a list where the gold query says ORDER BY. Before that, unless
//! DISTINCT is kept, every DISTINCT is removed from both queries
//! ([`crate::sql::without_distinct`]).

use std::collections::{HashMap, HashSet};

use crate::value::{Row, Value};

/// The form in which the official scorer runs a query: without blanks inside operators, with
/// MySQL's current year replaced.
pub fn prepared(sql: &str, keep_distinct: bool) -> String {
    let mended = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=");
    if keep_distinct { mended } else { crate::sql::without_distinct(&mended) }
}

/// Whether the order of rows counts: the gold query has ORDER BY anywhere.
pub fn order_matters(gold: &str) -> bool {
    gold.to_lowercase().contains("order by")
}

/// Whether two results are the same.
pub fn same(gold: &[Row], predicted: &[Row], order_matters: bool) -> bool {
    if gold.is_empty() && predicted.is_empty() {
        return true;
    }
    if gold.len() != predicted.len() || gold[0].len() != predicted[0].len() {
        return false;
    }
    if !same_unordered(gold, predicted, order_matters) {
        return false;
    }
    let width = gold[0].len();
    let candidates = column_candidates(gold, predicted);
    let mut order = Vec::with_capacity(width);
    search(gold, predicted, order_matters, &candidates, &mut order)
}

/// The necessary condition that the official scorer tests first: rows, each sorted within
/// itself by the text and type of its values, are the same set, or list.
fn same_unordered(gold: &[Row], predicted: &[Row], order_matters: bool) -> bool {
    let sorted = |rows: &[Row]| -> Vec<Row> {
        let mut rows = rows.to_vec();
        rows.iter_mut().for_each(|row| row.sort_by_cached_key(Value::python_sort_key));
        rows
    };
    let (a, b) = (sorted(gold), sorted(predicted));
    if order_matters {
        return a == b;
    }
    a.iter().collect::<HashSet<_>>() == b.iter().collect::<HashSet<_>>()
}

/// For each gold column the predicted columns whose values all occur in it.
fn column_candidates(gold: &[Row], predicted: &[Row]) -> Vec<Vec<usize>> {
    let width = gold[0].len();
    let fits = |known: &HashSet<&Value>, column: usize| {
        predicted.iter().all(|row| known.contains(&row[column]))
    };
    (0..width)
        .map(|g| {
            let known: HashSet<&Value> = gold.iter().map(|row| &row[g]).collect();
            (0..width).filter(|&p| fits(&known, p)).collect()
        })
        .collect()
}

/// Try every order of columns that the candidates allow; `order[g]` is the predicted column matched
/// to gold column `g`.
fn search(
    gold: &[Row],
    predicted: &[Row],
    order_matters: bool,
    candidates: &[Vec<usize>],
    order: &mut Vec<usize>,
) -> bool {
    let Some(next) = candidates.get(order.len()) else {
        return rows_equal(gold, predicted, order_matters, order);
    };
    for &column in next {
        if order.contains(&column) {
            continue;
        }
        order.push(column);
        // a partial order that fails cannot be completed
        if rows_equal(gold, predicted, order_matters, order)
            && search(gold, predicted, order_matters, candidates, order)
        {
            return true;
        }
        order.pop();
    }
    false
}

/// Whether the gold rows cut to the first `order.len()` columns equal the predicted ones.
fn rows_equal(gold: &[Row], predicted: &[Row], order_matters: bool, order: &[usize]) -> bool {
    if order_matters {
        let equal = |(g, p): (&Row, &Row)| order.iter().zip(g).all(|(&c, value)| *value == p[c]);
        return gold.iter().zip(predicted).all(equal);
    }
    let mut counts: HashMap<Vec<&Value>, i64> = HashMap::new();
    for row in gold {
        *counts.entry(row.iter().take(order.len()).collect()).or_default() += 1;
    }
    predicted.iter().all(|row| {
        let key: Vec<&Value> = order.iter().map(|&c| &row[c]).collect();
        counts.get_mut(&key).is_some_and(|n| {
            *n -= 1;
            *n >= 0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[i64]]) -> Vec<Row> {
        rows.iter().map(|r| r.iter().map(|&i| Value::Int(i)).collect()).collect()
    }

    #[test]
    fn rows_are_a_bag_and_columns_are_free() {
        let check = |a: &[&[i64]], b: &[&[i64]], ordered: bool, expect: bool| {
            assert_eq!(same(&rows(a), &rows(b), ordered), expect, "{a:?} {b:?} {ordered}");
        };
        check(&[], &[], false, true);
        check(&[&[1], &[2]], &[&[2], &[1]], false, true);
        check(&[&[1], &[2]], &[&[2], &[1]], true, false);
        check(&[&[1, 2]], &[&[2, 1]], true, true);
        check(&[&[1], &[1], &[2]], &[&[1], &[2], &[2]], false, false);
        // each row matches in some order of columns, but no one order fits all rows
        check(&[&[1, 2], &[3, 4]], &[&[1, 2], &[4, 3]], false, false);
        check(&[&[1, 2, 3], &[4, 5, 6]], &[&[3, 1, 2], &[6, 4, 5]], false, true);
        check(&[&[1]], &[&[1, 1]], false, false);
    }

    #[test]
    fn wide_results_are_compared_without_trying_every_order() {
        let wide = |shift: i64| -> Vec<Row> {
            (0..50)
                .map(|r| (0..12).map(|c| Value::Int(r * 100 + (c + shift) % 12)).collect())
                .collect()
        };
        assert!(same(&wide(0), &wide(5), false));
        let equal_columns = rows(&[&[7; 12], &[7; 12]]);
        assert!(same(&equal_columns, &equal_columns, true));
    }

    #[test]
    fn the_order_counts_where_the_gold_query_says_so() {
        assert!(order_matters("SELECT a FROM t Order By a"));
        assert!(!order_matters("SELECT a FROM orders"));
    }
}
