//! Ablations: a strategy as it is, and with steps left out as in its paper's tables.

use std::path::Path;

use anyhow::{Result, bail};
use text2sql_engine::strategy::{gsr, mag};

use crate::plan::Plan;
use crate::record::Run;
use crate::report::markdown;
use crate::run::run;
use crate::summary::Tally;

/// Rows of a paper's table: their names, and which steps are left out.
type Rows = &'static [(&'static str, &'static [&'static str])];

/// GSR, tables 4 (one component removed) and 5 (components added one by one).
const GSR: Rows = &[
    ("full", &[]),
    ("without clause decomposition", &[gsr::CLAUSES]),
    ("without SQL-driven schema linking", &[gsr::LINKING]),
    ("without execution refinement", &[gsr::REFINEMENT]),
    ("baseline", &[gsr::CLAUSES, gsr::LINKING, gsr::REFINEMENT]),
    ("baseline + clause decomposition", &[gsr::LINKING, gsr::REFINEMENT]),
];

/// MAG-SQL, tables 2 (agents) and 3 (components of the soft schema linker).
const MAG: Rows = &[
    ("full", &[]),
    ("without soft schema linker", &[mag::LINKER]),
    ("without decomposer", &[mag::DECOMPOSER]),
    ("without sub-SQL refiner", &[mag::REFINER]),
    ("without table summarization", &[mag::SUMMARIES]),
    ("without value retrieval", &[mag::VALUES]),
];

/// Run every row into `folder` and print the table.
pub fn ablate(mut plan: Plan, folder: &Path) -> Result<()> {
    let rows = match plan.header.strategy.as_str() {
        "gsr" => GSR,
        "mag" => MAG,
        other => bail!("strategy {other} has no table of ablations; there are gsr and mag"),
    };
    std::fs::create_dir_all(folder)?;
    let settings = plan.header.settings.clone();
    let mut runs: Vec<(&str, Run)> = Vec::new();
    for (name, without) in rows {
        plan.header.settings = settings.clone();
        if !without.is_empty() {
            plan.header.settings.push(("skip_steps".to_owned(), without.join(",")));
        }
        let file = folder.join(format!("{}.jsonl", name.replace(' ', "-")));
        eprintln!("{name}");
        runs.push((name, run(&plan, Some(&file))?));
    }
    crate::print::say(&table(&runs))
}

fn table(runs: &[(&str, Run)]) -> String {
    let mut out = String::from(
        "| | asked | right | accuracy | change | McNemar p | calls | tokens |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let Some((_, full)) = runs.first() else { return out };
    let base = Tally::of(&full.records).accuracy();
    for (name, run) in runs {
        let tally = Tally::of(&run.records);
        let p = crate::summary::paired(&full.records, &run.records).p;
        out += &format!(
            "| {name} | {} | {} | {:.1} % | {:+.1} | {p:.3} | {:.1} | {:.0} |\n",
            tally.asked,
            tally.right,
            100.0 * tally.accuracy(),
            100.0 * (tally.accuracy() - base),
            crate::report::calls(run),
            crate::report::tokens(run),
        );
    }
    for (_, run) in &runs[1..] {
        out += &format!("\n{}", markdown::comparison(full, run));
    }
    out
}
