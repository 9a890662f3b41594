//! Rows of a result as text for a model, of bounded size and without secrets.

use std::fmt::Write as _;

use crate::catalog::TypeClass;
use crate::catalog::secrets::{self, Values};
use crate::excerpt::{one_line, shortened};
use crate::rows::Rows;

/// Columns, and characters of a value, that are shown.
const COLUMNS: usize = 20;
const VALUE: usize = 60;
/// Text shown in place of a withheld value.
const WITHHELD: &str = "(withheld)";
/// Bytes of the longest value that is taken for the name of another.
const LONGEST_KEY: usize = 40;
/// Row count threshold: for withheld values, only fewer rows or at least as many is reported.
const ROUGHLY: usize = 10;

/// How the values of a result are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// As they are.
    Released,
    /// Without those that look like a secret.
    Shown,
    /// Nor those that a column's name or a key beside them calls one: they may come out of a document.
    OfDocuments,
}

/// `17`, or `100 or more` if the rest was cut.
pub fn counted(rows: &Rows) -> String {
    let n = rows.rows.len();
    if rows.truncated { format!("{n} or more") } else { n.to_string() }
}

/// Returns the only text that a model is shown about a result with withheld values.
pub fn roughly(rows: &Rows) -> String {
    let many = match rows.rows.len() {
        0 => "no rows".to_owned(),
        n if n < ROUGHLY && !rows.truncated => format!("fewer than {ROUGHLY} rows"),
        _ => format!("{ROUGHLY} rows or more"),
    };
    format!("the query ran and gave {many}; its values are not shown")
}

/// A result in words and a small table, of at most so many rows and characters.
pub fn rows(rows: &Rows, cells: Cells, most_rows: usize, most_text: usize) -> String {
    let names: Vec<&str> = rows.columns.iter().map(|c| c.name.as_str()).collect();
    let mut text = format!("{} row(s), {} column(s)", counted(rows), names.len());
    for &column in &rows.all_null_columns() {
        let _ = write!(text, "\ncolumn {} holds only NULL", one_line(names[column], VALUE));
    }
    if rows.is_empty() {
        return text;
    }
    let called_secret: Vec<bool> = rows
        .columns
        .iter()
        .map(|c| cells == Cells::OfDocuments && is_secret(&c.name, c.class))
        .collect();
    let line = |cells: Vec<String>| cells.join(" | ");
    let header = names.iter().take(COLUMNS).map(|n| one_line(n, VALUE)).collect();
    let _ = write!(text, "\n{}", line(header));
    for row in rows.rows.iter().take(most_rows) {
        let shown = row.iter().zip(&called_secret).take(COLUMNS);
        let beside_key = cells == Cells::OfDocuments && row.iter().flatten().any(|v| is_key(v));
        let cell = |(value, called): (&Option<String>, &bool)| match value {
            Some(value) if beside_key && !is_key(value) => WITHHELD.to_owned(),
            Some(value) if *called || !lets_out(cells, value) => WITHHELD.to_owned(),
            Some(value) => shortened(&value.replace(['\n', '\r'], " "), VALUE),
            None => "NULL".to_owned(),
        };
        let _ = write!(text, "\n{}", line(shown.map(cell).collect()));
    }
    if rows.rows.len() > most_rows {
        text.push_str("\n…");
    }
    shortened(&text, most_text)
}

fn lets_out(cells: Cells, value: &str) -> bool {
    cells == Cells::Released || Values::Shown.let_out(value)
}

fn is_secret(name: &str, class: TypeClass) -> bool {
    secrets::of_column(name, None, class).is_some()
}

/// Whether a value is the key of a secret, as a document's pairs have beside it.
fn is_key(value: &str) -> bool {
    value.len() <= LONGEST_KEY
        && !value.contains(char::is_whitespace)
        && is_secret(value, TypeClass::Text)
}
