//! Checks of a query that cost no call to a model: on its text, on what is stored, on its result.
//!
//! A check speaks only where it has evidence, for each that does costs a call. What it says goes
//! to the model, so it names values of columns whose values may leave the database, and no other.

use std::collections::BTreeSet;

use super::words;
use crate::catalog::ColumnId;
use crate::context::Context;
use crate::error::Error;
use crate::execute::Stake;
use crate::guard::draft::shape::{self, Shape};
use crate::guard::draft::{self, Draft, Literal};
use crate::ports::{ValueHit, ValueQuery};
use crate::prompt::one_line;
use crate::refine::{Outcome, Trial};
use crate::review;

/// Stored values that are shown beside a literal that is not stored.
const NEAREST: usize = 4;
/// Literals that are looked up; a list of ids is not what people ask by.
const MAX_LITERALS: usize = 12;
/// Characters of a value that are shown.
const SHOWN: usize = 80;

/// A reason to look again.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// Which check speaks, for the report.
    pub check: &'static str,
    /// What it found, for the model and for people.
    pub evidence: String,
}

/// What the checks find in the text of a query, before it is run.
#[derive(Debug, Default)]
pub struct Text {
    doubts: Vec<Doubt>,
    /// Nothing found is no surprise: some literal is not stored as it is written, or none is
    /// there to be compared with.
    empty_is_odd: bool,
}

impl Text {
    /// Look at a query that passed the guard.
    ///
    /// Errors: those of looking values up, and cancellation.
    pub fn of(context: &Context<'_>, sql: &str) -> Result<Self, Error> {
        let dialect = context.database().dialect();
        let named = draft::read(&context.catalog, dialect, sql);
        let shape = shape::shape(dialect, sql);
        let mut found = Vec::new();
        let unsure = literals(context, sql, &named, &mut found)?;
        question(context, sql, shape, &mut found);
        for line in review::counted_twice(&context.catalog, &named) {
            found.push(Doubt { check: "repeated rows", evidence: line });
        }
        if shape.is_some_and(|shape| shape.multiplies) {
            let evidence = "tables of one FROM clause are multiplied with each other; no \
                            condition connects them";
            found.push(Doubt { check: "cross product", evidence: evidence.to_owned() });
        }
        Ok(Self { doubts: found, empty_is_odd: unsure || named.literals.is_empty() })
    }

    /// How far a query of this text may be run.
    pub fn stake(&self) -> Stake {
        if self.doubts.is_empty() { Stake::Likely } else { Stake::Doubted }
    }

    /// All that speaks against the query, now that it was tried.
    pub fn with_result(self, context: &Context<'_>, trial: &Trial) -> Vec<Doubt> {
        if trial.outcome == Outcome::Failed {
            let evidence = "the query does not run; see the error".to_owned();
            return vec![Doubt { check: "error", evidence }];
        }
        let Self { doubts: mut found, empty_is_odd } = self;
        let mut doubt = |evidence: &str| {
            found.push(Doubt { check: "result", evidence: evidence.to_owned() });
        };
        match trial.outcome {
            // with all values in place, nothing may well be the answer
            Outcome::Empty if empty_is_odd => doubt("the query returns no rows"),
            Outcome::AllNull => doubt("a column of the result holds only NULL"),
            _ => {}
        }
        if words_of_share(&context.question.text) && outside_percentages(trial) {
            doubt("a percentage of the result is outside 0 to 100");
        }
        found
    }
}

/// What the question says and the query does not show.
fn question(context: &Context<'_>, sql: &str, shape: Option<Shape>, found: &mut Vec<Doubt>) {
    let text = context.question.text.as_str();
    let mut doubt = |evidence: String| found.push(Doubt { check: "question", evidence });
    for number in words::numbers(text) {
        if !words::holds_number(sql, &number) {
            doubt(format!("the question says {number}, the query does not"));
        }
    }
    let Some(shape) = shape else { return };
    if words::ranks(text) && !shape.ranks {
        doubt("the question asks for a greatest or least, the query ranks nothing".to_owned());
    }
    // counting what there is by an inner join already leaves out what is not there
    if words::negates(text) && !shape.negates {
        doubt("the question negates something, the query does not".to_owned());
    }
}

fn words_of_share(question: &str) -> bool {
    crate::text::folded_words(question)
        .any(|word| matches!(word.as_str(), "percent" | "percentage"))
}

/// Whether the only number of a result of one row is no percentage.
fn outside_percentages(trial: &Trial) -> bool {
    let Some(rows) = &trial.rows else { return false };
    let [row] = rows.rows.as_slice() else { return false };
    let numbers: Vec<f64> = row.iter().flatten().filter_map(|v| v.parse().ok()).collect();
    matches!(numbers.as_slice(), [number] if !(0.0..=100.0).contains(number))
}

/// Look up the literals that text columns are compared with; whether one is not stored as it is
/// written.
fn literals(
    context: &Context<'_>,
    sql: &str,
    named: &Draft,
    found: &mut Vec<Doubt>,
) -> Result<bool, Error> {
    let looked_up: Vec<(&Literal, ColumnId)> = named
        .literals
        .iter()
        .filter_map(|literal| Some((literal, literal.column?)))
        .filter(|(literal, column)| may_look_up(context, literal, *column))
        .take(MAX_LITERALS)
        .collect();
    let any_case = ignores_case(sql);
    let mut seen = BTreeSet::new();
    let mut unsure = false;
    for (literal, column) in looked_up {
        if !seen.insert((&literal.value, column)) {
            continue;
        }
        let there = near(context, &literal.value, &[column], true)?;
        if there.iter().any(|hit| is_the_value(hit, &literal.value, any_case)) {
            continue;
        }
        unsure = true;
        let all = context.scope.columns(&context.catalog);
        let mut elsewhere = near(context, &literal.value, &all, false)?;
        elsewhere.retain(|hit| hit.column != column && may_show(context, hit.column));
        if let Some(evidence) = not_stored(context, literal, column, &there, &elsewhere) {
            found.push(Doubt { check: "stored values", evidence });
        }
    }
    Ok(unsure)
}

/// Whether a literal stands for a stored value, and the column's values may be told.
fn may_look_up(context: &Context<'_>, literal: &Literal, column: ColumnId) -> bool {
    let is_text = context.catalog.column(column).class.is_textual();
    let is_pattern = literal.value.contains(['%', '_']);
    is_text && !is_pattern && !literal.value.trim().is_empty() && may_show(context, column)
}

fn may_show(context: &Context<'_>, column: ColumnId) -> bool {
    context.settings().send_values && !context.catalog.column(column).values.are_withheld()
}

/// A query that folds case or matches patterns finds values that are written otherwise.
fn ignores_case(sql: &str) -> bool {
    let sql = sql.to_lowercase();
    ["like", "lower(", "upper(", "nocase", "~*", "similar to"].iter().any(|word| sql.contains(word))
}

fn is_the_value(hit: &ValueHit, literal: &str, any_case: bool) -> bool {
    hit.value == literal || any_case && hit.value.to_lowercase().contains(&literal.to_lowercase())
}

/// Stored values like a literal, the likest first.
fn near(
    context: &Context<'_>,
    literal: &str,
    columns: &[ColumnId],
    fuzzy: bool,
) -> Result<Vec<ValueHit>, Error> {
    context.database().find_values(&ValueQuery {
        phrases: &[literal.to_owned()],
        columns,
        limit: NEAREST,
        fuzzy,
        budget: context.settings().probe_timeout,
    })
}

/// What is stored in place of a literal; None where nothing like it is known.
fn not_stored(
    context: &Context<'_>,
    literal: &Literal,
    column: ColumnId,
    there: &[ValueHit],
    elsewhere: &[ValueHit],
) -> Option<String> {
    if there.is_empty() && elsewhere.is_empty() {
        return None;
    }
    let dialect = context.database().dialect();
    let quoted = |value: &str| dialect.string(&one_line(value, SHOWN));
    let mut evidence =
        format!("{} is not stored in {}", quoted(&literal.value), context.column_sql(column));
    if !there.is_empty() {
        context.disclosure.values(column);
        let values: Vec<String> = there.iter().map(|hit| quoted(&hit.value)).collect();
        evidence += &format!("; like it there: {}", values.join(", "));
    }
    for hit in elsewhere {
        context.disclosure.column(hit.column);
        context.disclosure.values(hit.column);
        evidence += &format!("; {} holds {}", context.column_sql(hit.column), quoted(&hit.value));
    }
    Some(evidence)
}
