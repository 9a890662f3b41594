//! The figures of a run as Markdown.

use std::fmt::Write;

use crate::record::{Record, Run};
use crate::summary::{Tally, by, difficulty_rank, share, wilson};

/// All tables of one run.
pub fn of(run: &Run) -> String {
    let mut out = String::new();
    let all = Tally::of(&run.records);
    let _ = writeln!(out, "{}\n", heading(run));
    let _ = writeln!(out, "{}", counts(&all));
    let _ = writeln!(out, "\n{}", table(&run.records, "difficulty", |r| &r.difficulty));
    let _ = writeln!(out, "\n{}", table(&run.records, "query form", |r| &r.form));
    out
}

fn heading(run: &Run) -> String {
    let h = &run.header;
    let evidence = if h.evidence { ", with evidence" } else { "" };
    format!(
        "## {} · {} · {}{evidence} · {} questions",
        h.dataset.name(),
        serde_json::to_value(h.engine)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default(),
        h.strategy,
        run.records.len()
    )
}

/// A share in per cent with its 95 % interval.
pub fn percent(part: usize, whole: usize) -> String {
    let (low, high) = wilson(part, whole);
    let to = |x: f64| x * 100.0;
    format!("{:.1} % [{:.1}–{:.1}]", to(share(part, whole)), to(low), to(high))
}

fn counts(all: &Tally) -> String {
    let mut out = String::from("| figure | value |\n|---|---|\n");
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "| {name} | {value} |");
    };
    row("asked", all.asked.to_string());
    row("answered", format!("{} ({:.1} %)", all.answered, 100.0 * share(all.answered, all.asked)));
    row("right among answered (precision)", percent(all.right_answers, all.answered));
    row("right among all (execution accuracy)", percent(all.right, all.asked));
    let filled = (all.right - all.empty_right, all.asked - all.empty_gold);
    row("right among all with rows in the gold result", percent(filled.0, filled.1));
    row("empty gold results, of these right", format!("{}, {}", all.empty_gold, all.empty_right));
    row("abstained", all.abstained.to_string());
    row("failed (error, or SQL that does not run)", all.failed.to_string());
    row("gold query does not run (not counted)", all.gold_failed.to_string());
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
