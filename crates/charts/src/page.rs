//! One HTML page: chart, table and query. No script, nothing loaded from elsewhere.

use maud::{DOCTYPE, PreEscaped, html};
use text2sql_engine::error::Error;
use text2sql_engine::rows::{Rows, distinct};

use crate::data::Data;
use crate::svg;

/// Rows of the table.
const ROWS: usize = 1_000;

const SHEET: &str = "
:root { color-scheme: light dark; --line: #ddd }
@media (prefers-color-scheme: dark) { :root { --line: #3a3a3a } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem } svg { max-width: 100%; height: auto }
table { border-collapse: collapse } th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--line); text-align: left }
td.number { text-align: right; font-variant-numeric: tabular-nums } .null, .note { opacity: .6 }
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: .75rem; border-radius: 4px }
";

/// The page.
pub fn write(data: &Data, sql: &str, rows: &Rows) -> Result<String, Error> {
    let chart = svg::draw(data, "")?;
    let shown = rows.rows.len().min(ROWS);
    let more = rows.rows.len() - shown;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (data.title) }
                style { (PreEscaped(SHEET)) }
            }
            body {
                h1 { (data.title) }
                figure { (PreEscaped(chart)) }
                table {
                    thead { tr { @for name in names(rows) { th scope="col" { (name) } } } }
                    tbody {
                        @for row in &rows.rows[..shown] {
                            tr {
                                @for (value, column) in row.iter().zip(&rows.columns) {
                                    @match value {
                                        Some(text) if column.class.is_numeric() => td.number { (text) },
                                        Some(text) => td { (text) },
                                        None => td.null { "NULL" },
                                    }
                                }
                            }
                        }
                    }
                }
                @if more > 0 || rows.truncated {
                    p.note { "There are more rows than are shown." }
                }
                details { summary { "Query" } pre { (sql) } }
            }
        }
    };
    Ok(page.into_string())
}

fn names(rows: &Rows) -> Vec<String> {
    distinct(rows.columns.iter().map(|column| &*column.name))
}
