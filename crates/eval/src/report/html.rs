//! One page with plots and every failure a click away: the question, both queries, both
//! results. A single file without scripts.

use std::collections::BTreeSet;

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::plot::{Point, bars, css_colour, scatter};
use super::{name, tokens};
use crate::cause::CAUSES;
use crate::record::{Record, Run, Shown, Verdict};
use crate::summary::{Tally, by, difficulty_rank};

const STYLE: &str = include_str!("style.css");

/// The page over some runs.
pub fn of(runs: &[Run]) -> Result<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width";
            title { "text2sql evaluation" }
            style { (PreEscaped(STYLE)) }
            h1 { "text2sql evaluation" }
            @for (place, run) in runs.iter().enumerate() {
                p {
                    span.key style=(format!("background:{}", css_colour(place))) {}
                    (name(run)) ", " (run.records.len()) " questions"
                }
            }
            (figures(runs))
            (plots(runs)?)
            @for run in runs { (failures(run)) }
        }
    };
    Ok(page.into_string())
}

/// The figures of all runs side by side.
fn figures(runs: &[Run]) -> Markup {
    let columns: Vec<_> = runs.iter().map(super::figures).collect();
    html! {
        table {
            tr {
                th {}
                @for run in runs { th { (name(run)) } }
            }
            @for (place, (label, _)) in columns.first().into_iter().flatten().enumerate() {
                tr {
                    td { (label) }
                    @for column in &columns { td { (column[place].1) } }
                }
            }
        }
    }
}

fn plots(runs: &[Run]) -> Result<Markup> {
    let sections: [(&str, Key); 2] =
        [("difficulty", |r| &r.difficulty), ("query form", |r| &r.form)];
    let points: Vec<Point> = runs
        .iter()
        .map(|run| Point { tally: Tally::of(&run.records), tokens: tokens(run) })
        .collect();
    Ok(html! {
        @for (label, key) in sections {
            h2 { "Execution accuracy by " (label) ", with 95 % intervals" }
            (PreEscaped(bars(&groups(runs, key))?))
        }
        h2 { "Execution accuracy against tokens" }
        (PreEscaped(scatter(&points)?))
    })
}

type Key = fn(&Record) -> &str;

/// The tallies of all runs in each group that occurs in any run.
fn groups(runs: &[Run], key: Key) -> Vec<(String, Vec<Tally>)> {
    let names: BTreeSet<&str> = runs.iter().flat_map(|run| run.records.iter().map(key)).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| difficulty_rank(name));
    let tallies: Vec<_> = runs.iter().map(|run| by(&run.records, key)).collect();
    names
        .into_iter()
        .map(|name| {
            let of = |groups: &std::collections::BTreeMap<&str, Tally>| {
                groups.get(name).copied().unwrap_or_default()
            };
            (name.to_owned(), tallies.iter().map(of).collect())
        })
        .filter(|(_, tallies): &(String, Vec<Tally>)| tallies.iter().any(|t| t.asked > 0))
        .collect()
}

/// Everything that is not right: wrong answers by cause, then what failed or was declined.
fn failures(run: &Run) -> Markup {
    let mut sections: Vec<(String, Vec<&Record>)> = Vec::new();
    let mut add = |title: &str, fits: &dyn Fn(&Record) -> bool| {
        sections.push((title.to_owned(), run.records.iter().filter(|r| fits(r)).collect()));
    };
    let is_wrong = |r: &Record| r.verdict == Verdict::Wrong;
    for cause in CAUSES {
        let title = match cause {
            "form" => "wrong form (the parts are the same, put together in another way)".to_owned(),
            "unread" => "not read by the parser".to_owned(),
            part => format!("wrong {part}"),
        };
        add(&title, &|r| is_wrong(r) && r.cause.as_deref() == Some(cause));
    }
    add("answered though there is no answer", &|r| is_wrong(r) && r.cause.is_none());
    let others = [
        (Verdict::Failed, "failed: an error, or SQL that does not run"),
        (Verdict::Abstained, "abstained"),
        (Verdict::GoldFailed, "gold query does not run (not counted)"),
    ];
    for (verdict, title) in others {
        add(title, &|r| r.verdict == verdict);
    }
    html! {
        h2 { "Failures: " (name(run)) }
        @for (title, records) in sections.iter().filter(|(_, records)| !records.is_empty()) {
            h3 { (title) " (" (records.len()) ")" }
            @for record in records { (failure(record)) }
        }
    }
}

/// One failure: the question, which opens to show everything else.
fn failure(record: &Record) -> Markup {
    html! {
        details {
            summary { b { (record.db) } " " (record.question) }
            p { "question " (record.id) ", " (record.difficulty) ", " (record.form) }
            @if let Some(evidence) = &record.evidence {
                p { "evidence: " (evidence) }
            }
            @if let Some(failure) = &record.failure {
                p {
                    (failure.sqlstate) " " (failure.message) " "
                    (failure.detail.as_deref().unwrap_or_default())
                }
            }
            div.pair {
                (side("gold", record.gold.as_deref(), record.gold_result.as_ref()))
                (side("predicted", record.sql.as_deref(), record.result.as_ref()))
            }
        }
    }
}

fn side(label: &str, sql: Option<&str>, result: Option<&Shown>) -> Markup {
    html! {
        div {
            h4 { (label) }
            pre { (sql.unwrap_or("–")) }
            @if let Some(shown) = result { (rows(shown)) }
        }
    }
}

fn rows(shown: &Shown) -> Markup {
    if let Some(error) = &shown.error {
        return html! { p.error { (error) } };
    }
    let more = shown.count - shown.rows.len().min(shown.count);
    html! {
        table {
            tr { @for column in &shown.columns { th { (column) } } }
            @for row in &shown.rows {
                tr {
                    @for value in row {
                        td { @match value { Some(text) => (text), None => i { "NULL" } } }
                    }
                }
            }
        }
        p { (shown.count) " rows" @if more > 0 { ", " (more) " not shown" } }
    }
}
