//! Scores, each as its benchmark's official scorer defines it. They compare results and run no
//! queries.

pub mod bird;
pub mod spider;
pub mod sqleval;
#[cfg(test)]
mod verdicts;

use crate::dataset::{Item, Kind};
use crate::record::{RunHeader, Verdict};
use crate::value::Table;

/// A query's result with the time it took.
#[derive(Clone)]
pub struct Timed {
    /// The rows, or why there are none.
    pub result: Result<Table, String>,
    /// Milliseconds.
    pub ms: f64,
}

/// The score of one question.
pub struct Judgement {
    /// Right, wrong (or unanswered), or the gold query does not run.
    pub verdict: Verdict,
    /// sql-eval's exact match.
    pub exact: Option<bool>,
    /// Soft F1 in 0..=1.
    pub soft_f1: f64,
    /// The gold query gives no rows.
    pub empty_gold: bool,
    /// The gold result that was compared: the one that matched, else the first.
    pub gold: Option<Timed>,
    /// The predicted result.
    pub predicted: Option<Timed>,
}

impl Judgement {
    /// For a question without an answer: only an abstention is right.
    pub fn unanswerable(answered: bool) -> Self {
        let verdict = if answered { Verdict::Wrong } else { Verdict::Right };
        Self { verdict, exact: None, soft_f1: 0.0, empty_gold: false, gold: None, predicted: None }
    }
}

/// The gold queries that a published one stands for, as the scorer runs them.
pub fn gold_queries(kind: Kind, published: &str, header: &RunHeader) -> Vec<String> {
    match kind {
        Kind::SqlEval => sqleval::expand(published),
        Kind::Spider | Kind::Bird | Kind::Warehouses => vec![prepared(kind, published, header)],
    }
}

/// A query as the scorer runs it.
pub fn prepared(kind: Kind, sql: &str, header: &RunHeader) -> String {
    match kind {
        Kind::Spider => spider::prepared(sql, header.keep_distinct),
        Kind::Bird | Kind::SqlEval | Kind::Warehouses => sql.to_owned(),
    }
}

/// How results of two different databases are compared.
#[derive(Debug, Clone, Copy)]
pub struct Across {
    /// The predicted query orders its result.
    pub ordered: bool,
}

/// Compare results.
///
/// `across` two databases values are loosened first. Ties in ORDER BY may come in another order
/// there, so instead of the order only the presence of an ORDER BY is compared.
pub fn judge(
    kind: Kind,
    item: &Item,
    golds: Vec<Timed>,
    predicted: Option<Timed>,
    across: Option<Across>,
) -> Judgement {
    let gold_text = item.gold.as_deref().unwrap_or_default();
    let mut verdict = Verdict::GoldFailed;
    let mut exact = (kind == Kind::SqlEval).then_some(false);
    let mut soft_f1: f64 = 0.0;
    let mut shown = 0;
    let loosen = |table: &Table| if across.is_some() { table.loosened() } else { table.clone() };
    let answer = predicted.as_ref().and_then(|p| p.result.as_ref().ok()).map(loosen);
    for (place, timed) in golds.iter().enumerate() {
        let Ok(gold) = &timed.result else { continue };
        if verdict == Verdict::GoldFailed {
            (verdict, shown) = (Verdict::Wrong, place);
        }
        let Some(answer) = &answer else { continue };
        let gold = loosen(gold);
        soft_f1 = soft_f1.max(bird::soft_f1(&gold.rows, &answer.rows));
        let (same, is_exact) = match kind {
            Kind::Spider => {
                let ordered = spider::order_matters(gold_text);
                let unordered = ordered && across.is_some_and(|a| !a.ordered);
                let by_place = ordered && across.is_none();
                (!unordered && spider::same(&gold.rows, &answer.rows, by_place), false)
            }
            Kind::Bird | Kind::Warehouses => (bird::same(&gold.rows, &answer.rows), false),
            Kind::SqlEval => match sqleval::matched(&gold, answer, item) {
                sqleval::Match::Exact => (true, true),
                sqleval::Match::Subset => (true, false),
                sqleval::Match::None => (false, false),
            },
        };
        if same && (verdict == Verdict::Wrong || is_exact) {
            (verdict, shown) = (Verdict::Right, place);
        }
        if is_exact {
            exact = Some(true);
            break;
        }
    }
    if verdict == Verdict::Wrong && predicted.as_ref().is_some_and(|p| p.result.is_err()) {
        verdict = Verdict::Failed;
    }
    let gold = golds.into_iter().nth(shown);
    let empty = |timed: &Timed| timed.result.as_ref().is_ok_and(|t| t.rows.is_empty());
    let empty_gold = gold.as_ref().is_some_and(empty);
    Judgement { verdict, exact, soft_f1, empty_gold, gold, predicted }
}
