//! Reading drafts: which tables, columns and values does this (perhaps broken) SQL mean?
//!
//! sqlparser reads drafts to help the strategies: names are followed through aliases, subqueries
//! and common table expressions to the catalog. Its result never permits anything; only the
//! database's own verdict does ([`super::check`]).

mod fan_out;
mod figures;
mod resolve;
pub mod shape;
mod titles;
mod tokens;

pub use fan_out::Repeated;
pub use figures::keep_units;
pub use titles::{column_names, titled};
pub use tokens::{texts, without_texts};

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use sqlparser::ast::{Statement, Visit};
use sqlparser::dialect::{
    Dialect as ParserDialect, GenericDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::parser::Parser;

use crate::catalog::{Catalog, ColumnId, TableId};
use crate::dialect::Dialect;

/// Longest draft that is parsed, in bytes; a longer one is only cut into words. Bounds the
/// depth of the syntax tree, which the parser does not for `1+1+1…`: dropping it recurses, and
/// running out of stack would end the server's process.
const MAX_PARSED_BYTES: usize = 20_000;

/// What a draft means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// It could be parsed; otherwise the rest was found word by word.
    pub parsed: bool,
    /// Tables it names.
    pub tables: BTreeSet<TableId>,
    /// Columns it names, `*` and whole rows expanded.
    pub columns: BTreeSet<ColumnId>,
    /// Values that columns are compared with, in order of appearance.
    pub literals: Vec<Literal>,
    /// Columns that it equates, the smaller first.
    pub joins: BTreeSet<(ColumnId, ColumnId)>,
    /// The joins that must hold: the columns of two relations that it equates, together.
    pub conditions: Vec<Vec<(ColumnId, ColumnId)>>,
    /// Aggregates that count rows more than once.
    pub repeated: BTreeSet<Repeated>,
    /// Columns that are tested for NULL.
    pub null_tests: BTreeSet<ColumnId>,
    /// Tables whose columns an outer join may fill with NULL.
    pub optional: BTreeSet<TableId>,
    /// The stored columns that the result's columns are or are computed from alone.
    pub outputs: Vec<Option<ColumnId>>,
    /// Table names that the catalog does not have.
    pub unknown_tables: BTreeSet<String>,
    /// Column names, as written, that none of its tables has.
    pub unknown_columns: BTreeSet<String>,
}

/// A value in a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The column it is compared with, if that is clear.
    pub column: Option<ColumnId>,
    /// The value without quotes; wildcards of LIKE are removed at both ends.
    pub value: String,
    /// It is the whole value, not a pattern or bound.
    pub whole: bool,
}

/// Read a draft.
///
/// Requires: any text. Produces: the parts that mean something in the catalog.
pub fn read(catalog: &Catalog, dialect: Dialect, sql: &str) -> Draft {
    read_in(catalog, dialect, None, sql)
}

/// Like [`read`], for SQL whose bare names mean tables of one schema, as those of a view do in
/// SQLite.
pub fn read_in(catalog: &Catalog, dialect: Dialect, schema: Option<&str>, sql: &str) -> Draft {
    let parsed = with_parsed(sql, &[parser_dialect(dialect), &GenericDialect {}], |statements| {
        let mut reader = resolve::Reader::new(catalog, dialect, schema);
        let _ = statements.iter().try_for_each(|statement| statement.visit(&mut reader));
        let outputs = match statements {
            [Statement::Query(query)] => reader.stored_outputs(query),
            _ => Vec::new(),
        };
        Draft { parsed: true, outputs, ..reader.into_draft() }
    });
    parsed.unwrap_or_else(|| tokens::read(catalog, dialect, sql))
}

/// Apply `work` to the statements of a text, parsed by the first of `dialects` that can; None if
/// the text is too long or none can.
pub(crate) fn with_parsed<R>(
    sql: &str,
    dialects: &[&dyn ParserDialect],
    work: impl FnOnce(&[Statement]) -> R,
) -> Option<R> {
    if sql.len() > MAX_PARSED_BYTES {
        return None;
    }
    let statements = dialects.iter().find_map(|&dialect| parsed(sql, dialect))?;
    (!statements.is_empty()).then(|| work(&statements))
}

/// The statements of a text in one dialect, if it could be parsed.
struct Parsed {
    sql: String,
    dialect: TypeId,
    statements: Option<Rc<[Statement]>>,
}

/// Texts that are kept parsed: a question looks at the same query several times.
const MOST_PARSED: usize = 8;

fn parsed(sql: &str, dialect: &dyn ParserDialect) -> Option<Rc<[Statement]>> {
    thread_local! {
        static LAST: RefCell<VecDeque<Parsed>> = const { RefCell::new(VecDeque::new()) };
    }
    let known = |last: &VecDeque<Parsed>| {
        let mut all = last.iter();
        let found = all.find(|known| known.dialect == dialect.dialect() && known.sql == sql);
        found.map(|known| known.statements.clone())
    };
    if let Some(known) = LAST.with_borrow(known) {
        return known;
    }
    let statements = Parser::parse_sql(dialect, sql).ok().map(Rc::from);
    let (sql, dialect) = (sql.to_owned(), dialect.dialect());
    let new = Parsed { sql, dialect, statements: statements.clone() };
    LAST.with_borrow_mut(|last| {
        last.truncate(MOST_PARSED - 1);
        last.push_front(new);
    });
    statements
}

/// The database's dialect; if a model wrote another one, it is read loosely.
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
