//! Prompts about a query and its answer in words, and the reading of their replies.

use crate::catalog::TableId;
use crate::chat::Request;
use crate::context::Context;
use crate::error::Error;
use crate::rows::Rows;

use super::schema::{self, View};
use super::{data, fill};

/// Characters of a reply in words.
const WORDS: usize = 2_000;

/// What does a query return? `tables` are those that it reads.
pub fn describe(context: &Context<'_>, sql: &str, tables: &[TableId]) -> Result<Request, Error> {
    let schema = data("schema", &schema::of_tables(context, tables)?);
    let prompt = fill(include_str!("words/describe.md"), &[("schema", &schema), ("sql", sql)]);
    Ok(context.plain_request("describe", prompt))
}

/// Repair a query; `error` is a block of text that says what is wrong. `tables` are those that
/// it names.
pub fn fix(
    context: &Context<'_>,
    sql: &str,
    tables: &[TableId],
    error: &str,
) -> Result<Request, Error> {
    let needed = tables.iter().copied().collect();
    let view = View { values: true, needed, ..View::default() };
    let schema = data("schema", &schema::text(context, &view)?);
    let dialect = context.database().dialect().name();
    let values =
        [("schema", schema.as_str()), ("sql", sql), ("error", error), ("dialect", dialect)];
    context.request("fix", fill(include_str!("words/fix.md"), &values))
}

/// The answer to the question in words; `result` holds the rows.
pub fn summary(context: &Context<'_>, sql: &str, result: &str) -> Result<Request, Error> {
    let question = context.question_block();
    let dialect = context.database().dialect().name();
    let values =
        [("question", question.as_str()), ("sql", sql), ("result", result), ("dialect", dialect)];
    Ok(context.plain_request("ask_summary", fill(include_str!("words/summary.md"), &values)))
}

/// Read a reply that should be a few sentences.
pub fn read_words(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.contains("```") {
        return Err("it holds a code block; answer in sentences".to_owned());
    }
    if text.chars().count() > WORDS {
        return Err(format!("it is longer than {WORDS} characters"));
    }
    Ok(text.to_owned())
}

/// Read a reply to [`summary`]: sentences in which every figure comes from the rows, the question
/// or the number of rows, exactly or rounded.
pub fn read_summary(context: &Context<'_>, rows: &Rows, text: &str) -> Result<String, String> {
    let words = read_words(text)?;
    let mut known: Vec<f64> = vec![rows.rows.len() as f64];
    let cells = rows.rows.iter().flatten().flatten().map(String::as_str);
    let names = rows.columns.iter().map(|c| c.name.as_str());
    for text in cells.chain(names).chain([context.question.text.as_str()]) {
        known.extend(text.trim().parse::<f64>().ok().map(f64::abs));
        known.extend(figures(text).iter().map(|figure| figure.value));
    }
    match figures(&words).iter().find(|figure| !known.iter().any(|&k| figure.is(k))) {
        Some(figure) => Err(format!("it says {}, which is in none of the rows", figure.written)),
        None => Ok(words),
    }
}

/// A figure in a text.
#[derive(Debug, PartialEq)]
struct Figure {
    written: String,
    value: f64,
    /// Digits after the point.
    decimals: i32,
    /// Its unit: 1, a thousand …, or a hundredth.
    unit: f64,
}

impl Figure {
    /// Whether it is that value, rounded to the digits shown.
    fn is(&self, value: f64) -> bool {
        let scale = 10f64.powi(self.decimals);
        (value.abs() / self.unit * scale).round() == (self.value * scale).round()
    }
}

/// The figures of a text: digits, `,` between groups of three, one point; a unit may follow.
/// Digits within a word, as in a code, are figures of their own.
fn figures(text: &str) -> Vec<Figure> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        let (start, mut plain, mut decimals) = (at, String::new(), None);
        loop {
            let group = (1..4).all(|n| digit(at + n)) && !digit(at + 4);
            match bytes.get(at) {
                Some(byte) if byte.is_ascii_digit() => {
                    plain.push(*byte as char);
                    decimals = decimals.map(|d: i32| d + 1);
                }
                Some(b',') if decimals.is_none() && group => {}
                Some(b'.') if decimals.is_none() && digit(at + 1) => {
                    plain.push('.');
                    decimals = Some(0);
                }
                _ => break,
            }
            at += 1;
        }
        let Ok(value) = plain.parse() else { continue };
        let (written, unit) = (text[start..at].to_owned(), unit(&text[at..]));
        found.push(Figure { written, value, decimals: decimals.unwrap_or(0), unit });
    }
    found
}

/// What follows a figure, as a factor.
fn unit(rest: &str) -> f64 {
    let rest = rest.trim_start();
    if rest.starts_with('%') {
        // 42 % of a stored 0.42; a stored 42 is met by the plain figure
        return 0.01;
    }
    let word: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
    match word.to_lowercase().as_str() {
        "thousand" | "k" => 1e3,
        "million" | "m" => 1e6,
        "billion" | "bn" => 1e9,
        "percent" => 0.01,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_with_groups_points_and_units() {
        let check = |text: &str, expect: &[(&str, f64)]| {
            let found = figures(text);
            let found: Vec<(&str, f64)> =
                found.iter().map(|f| (f.written.as_str(), f.value * f.unit)).collect();
            assert_eq!(found, expect, "{text}");
        };
        check("1,234,567.5 euros, 3.", &[("1,234,567.5", 1_234_567.5), ("3", 3.0)]);
        check("1.2 million of 7", &[("1.2", 1.2e6), ("7", 7.0)]);
        check("in 2023,2024", &[("2023", 2023.0), ("2024", 2024.0)]);
        check("on 2023-01-05", &[("2023", 2023.0), ("01", 1.0), ("05", 5.0)]);
        check("none", &[]);
    }

    #[test]
    fn a_rounded_figure_is_the_stored_one_and_another_is_not() {
        let check = |written: &str, stored: f64, expect: bool| {
            assert_eq!(figures(written)[0].is(stored), expect, "{written} of {stored}");
        };
        check("12.35", 12.345_6, true);
        check("12", 12.345_6, true);
        check("13", 12.345_6, false);
        check("1.2 million", 1_234_567.0, true);
        check("1.3 million", 1_234_567.0, false);
        check("42 %", 0.42, true);
        check("5", -5.0, true);
    }
}
