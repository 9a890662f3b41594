//! Reading drafts: which tables, columns and values does this (perhaps broken) SQL mean?
//!
//! sqlparser reads a draft as a help to the strategies: names are followed through aliases,
//! subqueries and common table expressions to the catalog. What it says is never a permission;
//! the database's own verdict is ([`super::check`]).

mod resolve;
mod tokens;

use std::collections::BTreeSet;

use sqlparser::ast::{Statement, Visit};
use sqlparser::dialect::{
    Dialect as ParserDialect, GenericDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::parser::Parser;

use crate::catalog::{Catalog, ColumnId, TableId};
use crate::dialect::Dialect;

/// Longest draft that is parsed, in bytes; a longer one is only cut into words. Bounds the
/// depth of the syntax tree.
const MAX_PARSED_BYTES: usize = 20_000;

/// What a draft means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// It could be parsed; else what follows was found word by word.
    pub parsed: bool,
    /// Tables it names.
    pub tables: BTreeSet<TableId>,
    /// Columns it names, `*` and whole rows expanded.
    pub columns: BTreeSet<ColumnId>,
    /// Values that columns are compared with, in order of appearance.
    pub literals: Vec<Literal>,
    /// Table names that the catalog does not have.
    pub unknown_tables: BTreeSet<String>,
    /// Column names, as written, that none of its tables has.
    pub unknown_columns: BTreeSet<String>,
}

/// A value in a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The column it is compared with, where that is plain.
    pub column: Option<ColumnId>,
    /// The value without quotes; wildcards of LIKE are removed at both ends.
    pub value: String,
}

/// Read a draft.
///
/// Requires: any text. Produces: whatever of it means something in the catalog.
pub fn read(catalog: &Catalog, dialect: Dialect, sql: &str) -> Draft {
    if let Some(statements) = parse(dialect, sql) {
        let mut reader = resolve::Reader::new(catalog, dialect);
        let _ = statements.visit(&mut reader);
        return Draft { parsed: true, ..reader.into_draft() };
    }
    tokens::read(catalog, dialect, sql)
}

/// Parse as the database's dialect or, where a model wrote another one, loosely.
fn parse(dialect: Dialect, sql: &str) -> Option<Vec<Statement>> {
    if sql.len() > MAX_PARSED_BYTES {
        return None;
    }
    Parser::parse_sql(parser_dialect(dialect), sql)
        .or_else(|_| Parser::parse_sql(&GenericDialect {}, sql))
        .ok()
        .filter(|statements| !statements.is_empty())
}

fn parser_dialect(dialect: Dialect) -> &'static dyn ParserDialect {
    match dialect {
        Dialect::Postgres => &PostgreSqlDialect {},
        Dialect::Sqlite => &SQLiteDialect {},
    }
}

/// The table that a name means: the one the bare name reaches before others of that name.
fn table_called(catalog: &Catalog, schema: Option<&str>, name: &str) -> Option<TableId> {
    let found = catalog.tables_named(schema, name);
    found.iter().copied().find(|&t| catalog.table(t).visible).or(found.first().copied())
}

/// A literal as it would be searched for.
fn bare_pattern(value: &str) -> &str {
    value.trim_matches('%')
}

#[cfg(test)]
mod tests;
