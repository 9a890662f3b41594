//! The figures of runs as Markdown.

use std::fmt::Write;

use super::{figures, name};
use crate::cause::CAUSES;
use crate::record::{Record, Run};
use crate::summary::{Tally, by, difficulty_rank, paired, tenths};

/// All tables of one run.
pub fn of(run: &Run) -> String {
    let mut out = format!("## {}\n\n| figure | value |\n|---|---|\n", name(run));
    for (figure, value) in figures(run) {
        let _ = writeln!(out, "| {figure} | {value} |");
    }
    let _ = writeln!(out, "\n{}", table(&run.records, "difficulty", |r| &r.difficulty));
    let _ = writeln!(out, "{}", table(&run.records, "query form", |r| &r.form));
    let _ = write!(out, "{}{}", causes(&run.records), calibration(&run.records));
    out
}

/// Answers by confidence, and how many of them are right. The expected calibration error is the mean
/// distance between a tenth's confidence and its share of right answers, by answers (Guo et al. 2017).
fn calibration(records: &[Record]) -> String {
    let Some(tenths) = tenths(records) else { return String::new() };
    let mut out = String::from(
        "\n| confidence | answers | right | share right | mean confidence |\n|---|--:|--:|--:|--:|\n",
    );
    let (mut apart, mut all) = (0.0, 0.0);
    for (i, tenth) in tenths.iter().enumerate().rev().filter(|(_, tenth)| tenth.given > 0) {
        let (given, right) = (tenth.given as f64, tenth.right as f64);
        apart += (right - tenth.confidence).abs();
        all += given;
        let (low, high) = (i as f64 / 10.0, (i + 1) as f64 / 10.0);
        let _ = writeln!(
            out,
            "| {low:.1} to {high:.1} | {given} | {right} | {:.0} % | {:.2} |",
            100.0 * right / given,
            tenth.confidence / given
        );
    }
    let _ = writeln!(out, "\nExpected calibration error: {:.3}", apart / f64::max(all, 1.0));
    out
}

fn table(records: &[Record], name: &str, key: fn(&Record) -> &str) -> String {
    let mut out = format!(
        "| {name} | asked | answered | right | precision | accuracy |\n|---|--:|--:|--:|--:|--:|\n"
    );
    let mut groups: Vec<(&str, Tally)> = by(records, key).into_iter().collect();
    groups.retain(|(_, tally)| tally.asked > 0);
    groups.sort_by_key(|(name, _)| difficulty_rank(name));
    groups.push(("**all**", Tally::of(records)));
    for (name, tally) in groups {
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {:.1} % | {:.1} % |",
            tally.asked,
            tally.answered,
            tally.right,
            100.0 * tally.precision(),
            100.0 * tally.accuracy()
        );
    }
    out
}

/// One line per run: its accuracy, and the cost of a question, on average and at most.
pub fn side_by_side(runs: &[Run]) -> String {
    let mut out = String::from(
        "| run | asked | right | accuracy | calls (most) | rounds (most) | tokens read | not cached | tokens written |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for run in runs {
        let (tally, records) = (Tally::of(&run.records), &run.records);
        let mean = |of: fn(&Record) -> u64| {
            records.iter().map(of).sum::<u64>() as f64 / records.len().max(1) as f64
        };
        let most = |of: fn(&Record) -> u32| records.iter().map(of).max().unwrap_or(0);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {:.1} % | {:.1} ({}) | {:.1} ({}) | {:.0} | {:.0} | {:.0} |",
            name(run),
            tally.asked,
            tally.right,
            100.0 * tally.accuracy(),
            mean(|r| r.calls.into()),
            most(|r| r.calls),
            mean(|r| r.rounds.into()),
            most(|r| r.rounds),
            mean(|r| r.usage.prompt_tokens),
            mean(|r| r.usage.prompt_tokens.saturating_sub(r.usage.cached_tokens)),
            mean(|r| r.usage.completion_tokens),
        );
    }
    out
}

/// Wrong answers by cause.
fn causes(records: &[Record]) -> String {
    if records.iter().all(|r| r.cause.is_none()) {
        return String::new();
    }
    let mut out = String::from("| wrong | answers |\n|---|--:|\n");
    for cause in CAUSES {
        let count = records.iter().filter(|r| r.cause.as_deref() == Some(cause)).count();
        if count > 0 {
            let _ = writeln!(out, "| {cause} | {count} |");
        }
    }
    out
}

/// Two runs over the same questions.
pub fn comparison(first: &Run, second: &Run) -> String {
    let pair = paired(&first.records, &second.records);
    format!(
        "| questions in both | right only in {} | right only in {} | McNemar p |\n\
         |--:|--:|--:|--:|\n| {} | {} | {} | {:.4} |\n",
        name(first),
        name(second),
        pair.both,
        pair.only_first,
        pair.only_second,
        pair.p
    )
}
