//! Readings that give different results when nothing decides: ask back, answer the likeliest with a
//! notice, or refuse, according to `text2sql.ambiguity`.

use std::collections::BTreeMap;

use super::vote;
use crate::context::Context;
use crate::error::{Choice, Error};
use crate::refine::{DryRun, RunOutcome};
use crate::report::Interpretation;
use crate::settings::Ambiguity;

/// Most readings that are listed.
pub const MAX_READINGS: usize = 4;
/// Rows of each in a report.
const SHOWN_ROWS: usize = 3;

/// A reading of the question, tried out.
pub struct Way {
    /// How it is read, in one sentence.
    pub sentence: String,
    /// The hint under which it is read so; empty for none.
    pub hint: String,
    /// The probability that it was meant, in 0..=1.
    pub score: f32,
    /// Its query.
    pub dry_run: DryRun,
}

/// How many times as likely as the next a reading must be to be answered without asking back; None
/// where that was weighed before.
pub type Margin = Option<f32>;

/// Whether readings give different results and none is likely enough beside the others.
pub fn undecided(ways: &[Way], margin: Margin) -> bool {
    is_tie(&distinct(ways), margin)
}

fn is_tie(ways: &[&Way], margin: Margin) -> bool {
    let [first, second, ..] = ways else { return false };
    margin.is_none_or(|margin| first.score < margin * second.score)
}

/// Whether these readings give different results and the first, the likeliest, may be the answer
/// anyway: because it is likely enough, or because the setting says so.
///
/// Errors: [`Error::Ambiguous`] or [`Error::NotUnderstood`] if it may not.
pub fn settle(context: &Context<'_>, ways: &[Way], margin: Margin) -> Result<bool, Error> {
    let ways = distinct(ways);
    let (Some(first), true) = (ways.first(), ways.len() > 1) else { return Ok(false) };
    for way in &ways {
        context.describe(interpretation(way));
    }
    let sentences: Vec<&str> = ways.iter().map(|way| way.sentence.as_str()).collect();
    let choice = |way: &&Way| Choice {
        sentence: way.sentence.clone(),
        hint: way.hint.clone(),
        sql: way.hint.is_empty().then(|| way.dry_run.sql.clone()),
    };
    let treatment = match is_tie(&ways, margin) {
        true => context.settings().ambiguity,
        false => Ambiguity::Likeliest,
    };
    match treatment {
        Ambiguity::Ask => Err(Error::Ambiguous {
            question: context.question.text.trim().to_owned(),
            readings: ways.iter().map(choice).collect(),
        }),
        Ambiguity::Refuse => Err(Error::NotUnderstood {
            reason: format!("The question can be read in several ways: {}", sentences.join(" ")),
            words: Vec::new(),
            suggestion: None,
        }),
        Ambiguity::Likeliest => {
            let others = sentences.get(1..).unwrap_or_default().join(" ");
            context.warn(format!("read as: {} It could also be read as: {others}", first.sentence));
            Ok(true)
        }
    }
}

/// The readings that may run and give different results, the first of each kind. One that finds
/// nothing is dropped beside others: most misreadings find nothing.
fn distinct(ways: &[Way]) -> Vec<&Way> {
    let finds =
        |way: &&Way| way.dry_run.checked.is_some() && way.dry_run.outcome > RunOutcome::Empty;
    let mut kinds: Vec<&Way> = Vec::new();
    for way in ways.iter().filter(finds) {
        let known = |kind: &&Way| vote::same_result(&kind.dry_run, &way.dry_run);
        if kinds.len() < MAX_READINGS && !kinds.iter().any(known) {
            kinds.push(way);
        }
    }
    kinds
}

fn interpretation(way: &Way) -> Interpretation {
    let rows = way.dry_run.rows.iter().flat_map(|rows| {
        let first = (0..rows.rows.len().min(SHOWN_ROWS)).map(|row| rows.json(row));
        first.filter_map(|row| serde_json::from_str(&row).ok())
    });
    Interpretation {
        sql: way.dry_run.sql.clone(),
        score: way.score,
        why: way.sentence.clone(),
        signs: BTreeMap::new(),
        hint: Some(way.hint.clone()).filter(|hint| !hint.is_empty()),
        rows: rows.collect(),
    }
}
