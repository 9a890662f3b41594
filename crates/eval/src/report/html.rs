//! One page with plots and every failure a click away: the question, both queries, both
//! results. A single file without scripts.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::plot::{Point, bars, colour, escape, scatter};
use super::{name, tokens};
use crate::cause::CAUSES;
use crate::record::{Record, Run, Shown, Verdict};
use crate::summary::{Tally, by, difficulty_rank};

const STYLE: &str = include_str!("style.css");

/// The page over some runs.
pub fn of(runs: &[Run]) -> String {
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <title>text2sql evaluation</title><style>{STYLE}</style><h1>text2sql evaluation</h1>"
    );
    legend(&mut out, runs);
    out += &figures(runs);
    plots(&mut out, runs);
    for run in runs {
        failures(&mut out, run);
    }
    out + "</html>\n"
}

fn legend(out: &mut String, runs: &[Run]) {
    for (place, run) in runs.iter().enumerate() {
        let _ = write!(
            out,
            "<p><span class=\"key\" style=\"background:{}\"></span>{}, {} questions</p>",
            colour(place),
            escape(&name(run)),
            run.records.len()
        );
    }
}

/// The figures of all runs side by side.
fn figures(runs: &[Run]) -> String {
    let mut out = String::from("<table><tr><th></th>");
    for run in runs {
        let _ = write!(out, "<th>{}</th>", escape(&name(run)));
    }
    let columns: Vec<_> = runs.iter().map(super::figures).collect();
    for (place, (label, _)) in columns.first().into_iter().flatten().enumerate() {
        let _ = write!(out, "</tr><tr><td>{}</td>", escape(label));
        for column in &columns {
            let _ = write!(out, "<td>{}</td>", escape(&column[place].1));
        }
    }
    out + "</tr></table>"
}

fn plots(out: &mut String, runs: &[Run]) {
    let sections: [(&str, Key); 2] =
        [("difficulty", |r| &r.difficulty), ("query form", |r| &r.form)];
    for (label, key) in sections {
        let title = format!("Execution accuracy by {label}, with 95 % intervals");
        let _ = write!(out, "<h2>{title}</h2>{}", bars(&title, &groups(runs, key)));
    }
    let points: Vec<Point> = runs
        .iter()
        .map(|run| {
            let (name, tally) = (name(run), Tally::of(&run.records));
            Point { name, tally, tokens: tokens(run) }
        })
        .collect();
    let title = "Execution accuracy against tokens";
    let _ = write!(out, "<h2>{title}</h2>{}", scatter(title, &points));
}

type Key = fn(&Record) -> &str;

/// The tallies of all runs in each group that any run has.
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
fn failures(out: &mut String, run: &Run) {
    let _ = write!(out, "<h2>Failures: {}</h2>", escape(&name(run)));
    for cause in CAUSES {
        let wrong = |r: &&Record| r.verdict == Verdict::Wrong && r.cause.as_deref() == Some(cause);
        let title = match cause {
            "form" => "wrong form (the parts are the same, put together in another way)".to_owned(),
            "unread" => "not read by the parser".to_owned(),
            part => format!("wrong {part}"),
        };
        section(out, &title, run.records.iter().filter(wrong).collect());
    }
    let answered_unanswerable = |r: &&Record| r.verdict == Verdict::Wrong && r.cause.is_none();
    section(
        out,
        "answered though there is no answer",
        run.records.iter().filter(answered_unanswerable).collect(),
    );
    let others = [
        (Verdict::Failed, "failed: an error, or SQL that does not run"),
        (Verdict::Abstained, "abstained"),
        (Verdict::GoldFailed, "gold query does not run (not counted)"),
    ];
    for (verdict, title) in others {
        let all = run.records.iter().filter(|r| r.verdict == verdict).collect();
        section(out, title, all);
    }
}

fn section(out: &mut String, title: &str, records: Vec<&Record>) {
    if records.is_empty() {
        return;
    }
    let _ = write!(out, "<h3>{} ({})</h3>", escape(title), records.len());
    for record in records {
        failure(out, record);
    }
}

/// One failure: closed it shows the question, open everything else.
fn failure(out: &mut String, record: &Record) {
    let _ = write!(
        out,
        "<details><summary><b>{}</b> {}</summary><p>question {}, {}, {}</p>",
        escape(&record.db),
        escape(&record.question),
        escape(&record.id),
        escape(&record.difficulty),
        escape(&record.form)
    );
    if let Some(evidence) = &record.evidence {
        let _ = write!(out, "<p>evidence: {}</p>", escape(evidence));
    }
    if let Some(failure) = &record.failure {
        let detail = failure.detail.as_deref().unwrap_or_default();
        let _ = write!(
            out,
            "<p>{} {} {}</p>",
            escape(&failure.sqlstate),
            escape(&failure.message),
            escape(detail)
        );
    }
    out.push_str("<div class=\"pair\">");
    side(out, "gold", record.gold.as_deref(), record.gold_result.as_ref());
    side(out, "predicted", record.sql.as_deref(), record.result.as_ref());
    out.push_str("</div></details>");
}

fn side(out: &mut String, label: &str, sql: Option<&str>, result: Option<&Shown>) {
    let _ = write!(out, "<div><h4>{label}</h4><pre>{}</pre>", escape(sql.unwrap_or("–")));
    if let Some(shown) = result {
        rows(out, shown);
    }
    out.push_str("</div>");
}

fn rows(out: &mut String, shown: &Shown) {
    if let Some(error) = &shown.error {
        let _ = write!(out, "<p class=\"error\">{}</p>", escape(error));
        return;
    }
    out.push_str("<table><tr>");
    for column in &shown.columns {
        let _ = write!(out, "<th>{}</th>", escape(column));
    }
    for row in &shown.rows {
        out.push_str("</tr><tr>");
        for value in row {
            let text = value.as_deref().map_or("<i>NULL</i>".to_owned(), escape);
            let _ = write!(out, "<td>{text}</td>");
        }
    }
    let more = shown.count - shown.rows.len().min(shown.count);
    let _ = write!(out, "</tr></table><p>{} rows", shown.count);
    if more > 0 {
        let _ = write!(out, ", {more} not shown");
    }
    out.push_str("</p>");
}
