//! The weights of a strategy's confidence (builtin, adaptive), fitted to runs with `--readings`: ridge
//! logistic regression of "this reading is right" on the signs of the reading.
//!
//! Cross-validation shows how far the figures carry over to other databases: every reading is
//! judged by weights fitted without its database.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Result, ensure};

use crate::record::{Record, Run, Scored, Verdict};

/// Parts that the databases are divided into for cross-validation.
const FOLDS: usize = 10;
/// Newton steps; it converges in fewer than ten.
const STEPS: usize = 15;
/// A reading with this feature is never given, so nothing is learnt from it.
const NEVER: &str = "unread";
/// The feature of readings other than the plain one.
const SECOND: &str = "second_choice";

/// One reading as a vector: 1, then its features in the order of the names.
struct Row {
    fold: usize,
    signs: Vec<f64>,
    right: bool,
}

/// Weights by name, the intercept first, and their results on held-out databases.
///
/// `ridge`: the penalty on the square of a weight. `fixed`: weights set by hand.
pub fn fit(runs: &[Run], ridge: f64, fixed: &BTreeMap<String, f64>) -> Result<String> {
    let counted = |r: &&Record| r.verdict != Verdict::GoldFailed;
    let records: Vec<&Record> = runs.iter().flat_map(|run| &run.records).filter(counted).collect();
    let names = names(&records);
    ensure!(!names.is_empty(), "no readings in these runs: run them with --readings");
    let folds = folds(&records);
    let rows: Vec<Row> = records
        .iter()
        .flat_map(|record| {
            let fold = folds[record.db.as_str()];
            let plain = |r: &&Scored| !r.signs.contains_key(NEVER) && !r.signs.contains_key(SECOND);
            let usable = record.readings.iter().filter(plain);
            let names = &names;
            usable.map(move |r| Row { fold, signs: values(names, r), right: r.right })
        })
        .collect();
    let fixed: Vec<Option<f64>> = names.iter().map(|n| fixed.get(n).copied()).collect();
    let all: Vec<&Row> = rows.iter().collect();
    let weights = regression(&all, &fixed, ridge);
    let mut text = String::new();
    for (name, weight) in names.iter().zip(&weights) {
        let with = rows.iter().filter(|r| r.signs[at(&names, name)] != 0.0).count();
        writeln!(text, "{name:<18} {weight:>6.2}  in {with} of {} readings", rows.len())?;
    }
    let by_fold: Vec<Vec<f64>> = (0..FOLDS)
        .map(|fold| {
            let rest: Vec<&Row> = rows.iter().filter(|r| r.fold != fold).collect();
            regression(&rest, &fixed, ridge)
        })
        .collect();
    let judged = records.iter().map(|record| {
        let weights = &by_fold[folds[record.db.as_str()]];
        choose(record, |reading| match reading.signs.contains_key(NEVER) {
            true => 0.0,
            false => chance(weights, &values(&names, reading)),
        })
    });
    let judged: Vec<(f64, bool)> = judged.collect();
    writeln!(text, "\non databases left out:\n{}", curve(judged))?;
    Ok(text)
}

/// The names of all features, the intercept first.
fn names(records: &[&Record]) -> Vec<String> {
    let readings = records.iter().flat_map(|r| &r.readings);
    let signs = readings.flat_map(|r| r.signs.keys()).filter(|name| *name != NEVER);
    let names: BTreeSet<&String> = signs.collect();
    match names.is_empty() {
        true => Vec::new(),
        false => std::iter::once("base")
            .chain(names.into_iter().map(|n| &**n))
            .map(str::to_owned)
            .collect(),
    }
}

fn at(names: &[String], name: &str) -> usize {
    names.iter().position(|n| n == name).unwrap_or_default()
}

fn values(names: &[String], reading: &Scored) -> Vec<f64> {
    let sign = |name: &String| reading.signs.get(name).copied().unwrap_or(0.0);
    std::iter::once(1.0).chain(names[1..].iter().map(sign)).collect()
}

/// The fold that each database belongs to.
fn folds<'a>(records: &[&'a Record]) -> BTreeMap<&'a str, usize> {
    let databases: BTreeSet<&str> = records.iter().map(|r| r.db.as_str()).collect();
    databases.into_iter().enumerate().map(|(i, db)| (db, i % FOLDS)).collect()
}

/// The likeliest reading of a question: its probability, and whether it is right.
fn choose(record: &Record, chance: impl Fn(&Scored) -> f64) -> (f64, bool) {
    // the plain reading first: it wins ties
    let (plain, others): (Vec<&Scored>, Vec<&Scored>) =
        record.readings.iter().partition(|r| !r.signs.contains_key(SECOND));
    let mut best = (0.0, false);
    for reading in plain.into_iter().chain(others) {
        let chance = chance(reading);
        if chance > best.0 {
            best = (chance, reading.right);
        }
    }
    best
}

fn chance(weights: &[f64], signs: &[f64]) -> f64 {
    let sum: f64 = weights.iter().zip(signs).map(|(w, s)| w * s).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Answers, precision and accuracy by threshold.
fn curve(mut judged: Vec<(f64, bool)>) -> String {
    judged.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = judged.len() as f64;
    let mut text =
        String::from("| least | answered | precision | right of all |\n|--:|--:|--:|--:|");
    for least in (50..=90).step_by(2).map(|p| f64::from(p) / 100.0) {
        let given = judged.iter().take_while(|(chance, _)| *chance >= least);
        let (answered, right) = given
            .fold((0.0, 0.0), |(n, ok), (_, right)| (n + 1.0, ok + f64::from(u8::from(*right))));
        let (precision, accuracy) = (100.0 * right / f64::max(answered, 1.0), 100.0 * right / all);
        text.push_str(&format!("\n| {least:.2} | {answered} | {precision:.1} | {accuracy:.1} |"));
    }
    text
}

/// Newton's method on the penalized log-likelihood; the intercept is not penalized.
fn regression(rows: &[&Row], fixed: &[Option<f64>], ridge: f64) -> Vec<f64> {
    let n = fixed.len();
    let mut weights: Vec<f64> = fixed.iter().map(|f| f.unwrap_or(0.0)).collect();
    for _ in 0..STEPS {
        let mut gradient = vec![0.0; n];
        let mut curvature = vec![vec![0.0; n]; n];
        for row in rows {
            let p = chance(&weights, &row.signs);
            let (error, spread) = (f64::from(u8::from(row.right)) - p, p * (1.0 - p));
            for i in (0..n).filter(|&i| row.signs[i] != 0.0) {
                gradient[i] += error * row.signs[i];
                for (bend, other) in curvature[i].iter_mut().zip(&row.signs) {
                    *bend += spread * row.signs[i] * other;
                }
            }
        }
        for i in 0..n {
            if i > 0 {
                gradient[i] -= ridge * weights[i];
                curvature[i][i] += ridge;
            }
            if fixed[i].is_some() {
                gradient[i] = 0.0;
                curvature[i].fill(0.0);
                curvature[i][i] = 1.0;
            }
        }
        let step = solve(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(w, s)| *w += s);
    }
    weights
}

/// Gaussian elimination with pivoting.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&a, &b| matrix[a][i].abs().total_cmp(&matrix[b][i].abs()));
        let pivot = pivot.unwrap_or(i);
        matrix.swap(i, pivot);
        right.swap(i, pivot);
        for below in i + 1..n {
            let factor = matrix[below][i] / matrix[i][i];
            let (above, rest) = matrix.split_at_mut(below);
            for (x, y) in rest[0].iter_mut().zip(&above[i]).skip(i) {
                *x -= factor * y;
            }
            right[below] -= factor * right[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_that_speaks_against_gets_a_negative_weight_and_a_fixed_one_stays() {
        let row = |sign: f64, right| Row { fold: 0, signs: vec![1.0, sign, 1.0], right };
        let many = |n, sign, right| (0..n).map(move |_| row(sign, right));
        let rows: Vec<Row> = many(90, 0.0, true)
            .chain(many(10, 0.0, false))
            .chain(many(30, 1.0, true))
            .chain(many(70, 1.0, false))
            .collect();
        let rows: Vec<&Row> = rows.iter().collect();
        let weights = regression(&rows, &[None, None, Some(0.5)], 1e-6);
        assert_eq!(weights[2], 0.5);
        assert!((chance(&weights, &[1.0, 0.0, 1.0]) - 0.9).abs() < 1e-3);
        assert!((chance(&weights, &[1.0, 1.0, 1.0]) - 0.3).abs() < 1e-3);
    }
}
