//! Reports of runs: Markdown for documents, a page for examining failures.

pub mod html;
pub mod markdown;
mod plot;

use crate::oracle_kind::Protocol;
use crate::record::{Run, Times};
use crate::summary::{Tally, share, wilson};

/// The name of a run: dataset, engine, strategy and options.
pub fn name(run: &Run) -> String {
    let header = &run.header;
    let mut name =
        format!("{} · {} · {}", header.dataset.name(), header.engine.name(), header.strategy);
    if let Some((oracle, protocol)) = header.oracle {
        name += &format!(" · {oracle:?} oracle").to_lowercase();
        if protocol != Protocol::default() {
            name += &format!(" · {protocol:?}").to_lowercase();
        }
    }
    for (setting, value) in &header.settings {
        name += &format!(" · {setting}={value}");
    }
    if header.evidence {
        name += " · with evidence";
    }
    if let Some(split) = header.selection.split {
        name += &format!(" · {split:?} half").to_lowercase();
    }
    name
}

/// Mean tokens per question, prompts and replies together.
pub fn tokens(run: &Run) -> f64 {
    let all: u64 =
        run.records.iter().map(|r| r.usage.prompt_tokens + r.usage.completion_tokens).sum();
    all as f64 / run.records.len().max(1) as f64
}

/// Mean model calls per question.
pub fn calls(run: &Run) -> f64 {
    let all: u32 = run.records.iter().map(|r| r.calls).sum();
    f64::from(all) / run.records.len().max(1) as f64
}

/// A percentage with its 95 % interval.
fn percent(part: usize, whole: usize) -> String {
    let (low, high) = wilson(part, whole);
    let to = |x: f64| x * 100.0;
    format!("{:.1} % [{:.1}–{:.1}]", to(share(part, whole)), to(low), to(high))
}

/// The figures of a run by name, in reading order.
pub fn figures(run: &Run) -> Vec<(&'static str, String)> {
    let all = Tally::of(&run.records);
    let mean = |sum: f64, of: usize| format!("{:.1}", sum / of.max(1) as f64);
    // 0 if there is nothing to compare
    let soft: f64 = run.records.iter().map(|r| r.soft_f1).sum();
    let rounds: u32 = run.records.iter().map(|r| r.rounds).sum();
    let with_rows = (all.right - all.empty_right, all.asked - all.empty_gold);
    let mut figures = vec![
        ("asked", all.asked.to_string()),
        ("answered", format!("{} ({:.1} %)", all.answered, 100.0 * share(all.answered, all.asked))),
        ("right among answered (precision)", percent(all.right, all.answers())),
        ("right among all (execution accuracy)", percent(all.right, all.asked)),
        ("right among all with rows in the gold result", percent(with_rows.0, with_rows.1)),
        ("empty gold results, of these right", format!("{}, {}", all.empty_gold, all.empty_right)),
        ("soft F1, mean", mean(100.0 * soft, all.asked)),
        ("abstained", all.abstained.to_string()),
        ("failed (an error, or SQL that does not run)", all.failed.to_string()),
        ("gold query does not run (not counted)", all.gold_failed.to_string()),
        ("model calls a question", format!("{:.1}", calls(run))),
        ("rounds a question", mean(f64::from(rounds), run.records.len())),
        ("tokens a question", format!("{:.0}", tokens(run))),
        ("ms from question to SQL, median", median(&run.times)),
    ];
    if all.unanswerable > 0 {
        let declined = all.unanswerable - all.unanswerable_answered;
        figures.push((
            "declined among questions without an answer",
            percent(declined, all.unanswerable),
        ));
    }
    let exact: Vec<bool> = run.records.iter().filter_map(|r| r.exact).collect();
    if !exact.is_empty() {
        let hits = exact.iter().filter(|hit| **hit).count();
        figures.push(("exact match (sql-eval)", percent(hits, exact.len())));
    }
    let rewards: Vec<f64> = run.times.iter().filter_map(|t| t.ves_reward).collect();
    if !rewards.is_empty() {
        let sum: f64 = rewards.iter().map(|reward| reward.sqrt() * 100.0).sum();
        figures.push(("R-VES", format!("{:.1}", sum / rewards.len() as f64)));
    }
    figures
}

fn median(times: &[Times]) -> String {
    let mut all: Vec<f64> = times.iter().map(|t| t.ms).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).map_or("–".to_owned(), |ms| format!("{ms:.1}"))
}
