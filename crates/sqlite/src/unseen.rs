//! Reads that SQLite does not report to the authorizer, and those whose reports can be mistaken.

use std::collections::BTreeSet;

use text2sql_engine::catalog::{Table, TableKind};

use crate::weight::Definitions;
use crate::weight::tokens::{Token, tokens};

/// A statement as tokens, with the definitions of what it names.
pub struct Text {
    /// Its own names, in lower case.
    pub own: BTreeSet<String>,
    /// These and those of the definitions.
    pub all: BTreeSet<String>,
    /// Whether it may read columns that SQLite merges: it reports neither column of `USING` in a
    /// `FULL` or `RIGHT` join, nor the tables if it reads nothing else of them.
    pub merges: bool,
}

impl Text {
    /// Of a statement.
    pub fn of(definitions: &Definitions, sql: &str) -> Self {
        let mut text = Self { own: BTreeSet::new(), all: BTreeSet::new(), merges: false };
        let mut open = text.add(sql);
        text.own = text.all.clone();
        while let Some(name) = open.pop() {
            for made in definitions.made(&name) {
                open.extend(text.add(made));
            }
        }
        text
    }

    /// Add a text; returns the names that are new.
    fn add(&mut self, sql: &str) -> Vec<String> {
        let tokens = tokens(sql);
        let has = |words: [&str; 2]| {
            let word =
                |token: &Token| matches!(token, Token::Word(word) if words.contains(&&**word));
            tokens.iter().any(word)
        };
        self.merges |= has(["full", "right"]) && has(["using", "natural"]);
        let names = tokens.iter().filter_map(text);
        names.filter(|name| self.all.insert((*name).to_owned())).map(str::to_owned).collect()
    }
}

/// Whether the read of a name that is no column of a table's may read all of its columns: full-text
/// search has hidden columns, named as the table and `rank`, by which it is searched and shown.
pub fn reads_all(table: &Table, name: &str) -> bool {
    table.kind == TableKind::Foreign && !name.is_empty() && !name.eq_ignore_ascii_case("rowid")
}

/// Whether a statement gives a query of its own this name: `WITH name AS (…)`.
pub fn defines(sql: &str, name: &str) -> bool {
    let tokens = tokens(sql);
    let is_as = |token: &Token| matches!(token, Token::Word(word) if word == "as");
    let opens = |token: &Token| match token {
        Token::Word(word) => word == "materialized" || word == "not",
        other => *other == Token::Sign('('),
    };
    tokens.iter().enumerate().any(|(at, token)| {
        is_name(token, name)
            && match tokens.get(at + 1) {
                Some(next) if is_as(next) => tokens.get(at + 2).is_some_and(opens),
                next => next == Some(&Token::Sign('(')),
            }
    })
}

/// Whether a token is this name.
pub fn is_name(token: &Token, name: &str) -> bool {
    text(token).is_some_and(|text| text.eq_ignore_ascii_case(name))
}

/// Returns the text of a token that can be a name; None for values and signs.
pub fn text(token: &Token) -> Option<&str> {
    match token {
        Token::Word(text) | Token::Quoted(text) | Token::Text(text) => Some(text),
        Token::Value | Token::Sign(_) => None,
    }
}
