//! Values inside values: the elements of arrays, and what JSON documents and hstore hold by key.

use std::collections::BTreeSet;

use crate::catalog::{ColumnStatistics, Nesting};
use crate::dialect::Dialect;

/// Documents that are read of a column.
const READ: usize = 60;
/// Keys within keys that are followed.
const DEEPEST: usize = 3;
/// Keys that are shown, and elements.
const SHOWN: usize = 8;

/// A value inside another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inside {
    /// The keys that lead to it; none to an element.
    pub path: Vec<String>,
    /// The value, where it is a text.
    pub text: Option<String>,
}

/// What is inside the known values of a column, what most of them have first.
pub fn known(kind: Nesting, known: &ColumnStatistics) -> Vec<Inside> {
    let common = known.common.iter().map(|(value, _)| value);
    let values = common.chain(&known.min).chain(&known.max).take(READ);
    let mut seen = BTreeSet::new();
    values.flat_map(|value| inside(kind, value)).filter(|i| seen.insert(i.clone())).collect()
}

fn inside(kind: Nesting, value: &str) -> Vec<Inside> {
    let mut found = Vec::new();
    match kind {
        Nesting::Array => {
            let elements = pieces(value).into_iter().filter(|piece| piece.is_text());
            found.extend(elements.map(|piece| Inside { path: Vec::new(), text: Some(piece.text) }));
        }
        Nesting::Hstore => {
            for pair in pieces(value).chunks(2) {
                let [key, value] = pair else { continue };
                let text = value.is_text().then(|| value.text.clone());
                found.push(Inside { path: vec![key.text.clone()], text });
            }
        }
        Nesting::Json => {
            if let Ok(document) = serde_json::from_str(value) {
                add_json(&document, &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

fn add_json(value: &serde_json::Value, path: &mut Vec<String>, found: &mut Vec<Inside>) {
    let Some(object) = value.as_object().filter(|_| path.len() < DEEPEST) else {
        if !path.is_empty() {
            let text = value.as_str().map(str::to_owned);
            found.push(Inside { path: path.clone(), text });
        }
        return;
    };
    for (key, value) in object {
        path.push(key.clone());
        add_json(value, path, found);
        path.pop();
    }
}

/// A piece of an array's or hstore's text.
#[derive(Debug, Default)]
struct Piece {
    text: String,
    quoted: bool,
}

impl Piece {
    fn is_text(&self) -> bool {
        self.quoted || !self.text.is_empty() && !self.text.eq_ignore_ascii_case("null")
    }
}

/// What stands between braces, commas and arrows, quotes and their escapes taken off.
fn pieces(text: &str) -> Vec<Piece> {
    let (mut pieces, mut piece, mut quoting) = (Vec::new(), Piece::default(), false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => (quoting, piece.quoted) = (!quoting, true),
            '\\' => piece.text.extend(chars.next()),
            _ if quoting => piece.text.push(c),
            '{' | '}' | ',' | '=' | '>' => {
                if piece.quoted || !piece.text.is_empty() {
                    pieces.push(std::mem::take(&mut piece));
                }
            }
            ' ' if piece.text.is_empty() => {}
            c => piece.text.push(c),
        }
    }
    if piece.quoted || !piece.text.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// How SQL reads what a path of keys leads to.
fn read(dialect: Dialect, kind: Nesting, column: &str, path: &[String]) -> String {
    match (kind, path) {
        (Nesting::Hstore, [key, ..]) => format!("{column} -> {}", dialect.string(key)),
        (_, [_, ..]) if dialect == Dialect::Sqlite => {
            let keys = path.iter().map(|key| match key.chars().all(char::is_alphanumeric) {
                true => format!(".{key}"),
                false => format!(".\"{key}\""),
            });
            let path = format!("${}", keys.collect::<String>());
            format!("json_extract({column}, {})", dialect.string(&path))
        }
        (_, [above @ .., last]) => {
            let above = above.iter().map(|key| format!(" -> {}", dialect.string(key)));
            format!("{column}{} ->> {}", above.collect::<String>(), dialect.string(last))
        }
        (_, []) => column.to_owned(),
    }
}

/// The condition that a column, as SQL names it, holds the text.
pub fn condition(
    dialect: Dialect,
    kind: Nesting,
    column: &str,
    path: &[String],
    text: &str,
) -> String {
    let text = dialect.string_on_a_line(text);
    match kind {
        Nesting::Array => format!("{text} = ANY ({column})"),
        Nesting::Json | Nesting::Hstore => {
            format!("{} = {text}", read(dialect, kind, column, path))
        }
    }
}

/// The texts inside the known values of a column, each with the condition that finds it.
pub fn conditions(
    dialect: Dialect,
    kind: Nesting,
    column: &str,
    statistics: &ColumnStatistics,
) -> Vec<(String, String)> {
    let texts = known(kind, statistics).into_iter();
    texts
        .filter_map(|Inside { path, text }| {
            let text = text?;
            let condition = condition(dialect, kind, column, &path, &text);
            Some((text, condition))
        })
        .collect()
}

/// What is inside a column's values, and how it is read; None where nothing is known.
pub fn facts(dialect: Dialect, kind: Nesting, column: &str, inside: &[Inside]) -> Option<String> {
    let first = inside.first()?;
    if kind == Nesting::Array {
        let texts = inside.iter().filter_map(|i| i.text.as_deref()).take(SHOWN);
        let texts: Vec<String> = texts.map(|text| dialect.string_on_a_line(text)).collect();
        let one = texts.first()?;
        return Some(format!("elements e.g. {}: {one} = ANY ({column})", texts.join(", ")));
    }
    let mut keys: Vec<String> = Vec::new();
    for key in inside.iter().map(|i| i.path.join(".")) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.truncate(SHOWN);
    let how = read(dialect, kind, column, &first.path);
    Some(format!("keys {}: {how}", crate::prompt::one_line(&keys.join(", "), 200)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(kind: Nesting, value: &str) -> Vec<String> {
        let show = |i: Inside| format!("{}:{}", i.path.join("."), i.text.unwrap_or_default());
        inside(kind, value).into_iter().map(show).collect()
    }

    #[test]
    fn elements_and_keys_are_read() {
        assert_eq!(
            texts(Nesting::Array, r#"{red,"a \"b\", c",NULL,{x}}"#),
            [":red", ":a \"b\", c", ":x"]
        );
        assert_eq!(texts(Nesting::Hstore, r#""a"=>"b c", "d"=>NULL"#), ["a:b c", "d:"]);
        assert_eq!(
            texts(Nesting::Json, r#"{"a": "b", "c": {"d": "e", "f": 1}, "g": []}"#),
            ["a:b", "c.d:e", "c.f:", "g:"]
        );
        assert_eq!(texts(Nesting::Json, "not JSON"), Vec::<String>::new());
    }

    #[test]
    fn conditions_are_those_of_the_dialect() {
        let path = |keys: &[&str]| keys.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>();
        let check = |kind, keys: &[&str], expect: &str| {
            assert_eq!(condition(Dialect::Postgres, kind, "t.c", &path(keys), "x"), expect);
        };
        check(Nesting::Array, &[], "'x' = ANY (t.c)");
        check(Nesting::Json, &["a"], "t.c ->> 'a' = 'x'");
        check(Nesting::Json, &["a", "b"], "t.c -> 'a' ->> 'b' = 'x'");
        check(Nesting::Hstore, &["a"], "t.c -> 'a' = 'x'");
    }
}
