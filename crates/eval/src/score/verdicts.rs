//! Our scorers against the verdicts of the official ones: see `verdicts/README.md`.

use postgres::types::Type;
use serde::Deserialize;
use serde_json::Value as Json;

use super::sqleval::Match;
use super::{bird, spider, sqleval};
use crate::database::postgres::value;
use crate::dataset::Item;
use crate::value::{Row, Table, Value};

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    let read = |line| serde_json::from_str(line).expect("a pair");
    let pairs: Vec<T> = text.lines().map(read).collect();
    assert!(pairs.len() >= 200, "{} pairs", pairs.len());
    pairs
}

fn rows(rows: &[Vec<Json>]) -> Vec<Row> {
    let value = |value: &Json| match value {
        Json::Null => Value::Null,
        Json::String(text) => Value::Text(text.clone()),
        number => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Real(number.as_f64().expect("a number")),
        },
    };
    rows.iter().map(|row| row.iter().map(value).collect()).collect()
}

#[test]
fn spider_verdicts_are_the_official_ones() {
    #[derive(Deserialize)]
    struct Pair {
        gold: String,
        predicted: String,
        keep_distinct: bool,
        prepared: [String; 2],
        gold_rows: Vec<Vec<Json>>,
        predicted_rows: Vec<Vec<Json>>,
        same: bool,
    }
    for pair in lines::<Pair>(include_str!("../../verdicts/spider.jsonl")) {
        let prepared =
            [&pair.gold, &pair.predicted].map(|q| spider::prepared(q, pair.keep_distinct));
        assert_eq!(prepared, pair.prepared);
        let ordered = spider::order_matters(&pair.gold);
        let same = spider::same(&rows(&pair.gold_rows), &rows(&pair.predicted_rows), ordered);
        assert_eq!(same, pair.same, "{} | {}", pair.gold, pair.predicted);
    }
}

#[test]
fn bird_verdicts_and_soft_f1_are_the_official_ones() {
    #[derive(Deserialize)]
    struct Pair {
        gold: String,
        predicted: String,
        gold_rows: Vec<Vec<Json>>,
        predicted_rows: Vec<Vec<Json>>,
        same: bool,
        soft_f1: f64,
    }
    for pair in lines::<Pair>(include_str!("../../verdicts/bird.jsonl")) {
        let (gold, predicted) = (rows(&pair.gold_rows), rows(&pair.predicted_rows));
        assert_eq!(bird::same(&gold, &predicted), pair.same, "{} | {}", pair.gold, pair.predicted);
        let soft = bird::soft_f1(&gold, &predicted);
        let near = (soft - pair.soft_f1).abs() < 1e-9;
        assert!(near, "{} | {}: {soft} for {}", pair.gold, pair.predicted, pair.soft_f1);
    }
}

/// A PostgreSQL result as text, with the OIDs of its types.
#[derive(Deserialize)]
struct Raw {
    columns: Vec<String>,
    types: Vec<u32>,
    rows: Vec<Vec<Option<String>>>,
}

impl Raw {
    fn table(&self) -> Table {
        let kinds: Vec<Type> =
            self.types.iter().map(|&oid| Type::from_oid(oid).expect("a built-in type")).collect();
        let read = |(text, kind): (&Option<String>, &Type)| {
            text.as_deref().map_or(Value::Null, |text| value(kind, text))
        };
        let row = |row: &Vec<Option<String>>| row.iter().zip(&kinds).map(read).collect();
        Table { columns: self.columns.clone(), rows: self.rows.iter().map(row).collect() }
    }
}

#[test]
fn sql_eval_verdicts_are_the_official_ones() {
    #[derive(Deserialize)]
    struct Pair {
        gold: String,
        predicted: String,
        category: String,
        question: String,
        gold_result: Raw,
        predicted_result: Raw,
        exact: bool,
        same: bool,
    }
    let mut wrong = Vec::new();
    for pair in lines::<Pair>(include_str!("../../verdicts/sql_eval.jsonl")) {
        let item = Item {
            id: String::new(),
            db: String::new(),
            question: pair.question,
            evidence: None,
            gold: None,
            needs: None,
            difficulty: None,
            category: Some(pair.category),
        };
        let ours =
            sqleval::matched(&pair.gold_result.table(), &pair.predicted_result.table(), &item);
        let theirs = match (pair.same, pair.exact) {
            (_, true) => Match::Exact,
            (true, false) => Match::Subset,
            (false, false) => Match::None,
        };
        if ours != theirs {
            wrong.push(format!(
                "{} | {} | {:?}: {ours:?} for {:?}",
                pair.gold, pair.predicted, item.category, theirs
            ));
        }
    }
    assert!(wrong.is_empty(), "{} pairs differ:\n{}", wrong.len(), wrong.join("\n"));
}
