//! The guard: only here does a draft become a [`Checked`] query.
//!
//! sqlparser gives early, clear refusals and reads drafts; it is never the security boundary.
//! The database's own parser and analyser decide, through [`Database::judge`].

pub mod draft;

use serde::Serialize;

use crate::catalog::{ColumnId, TableId};
use crate::context::Scope;
use crate::error::{QueryError, QueryErrorKind};
use crate::ports::Database;

/// What the database says of one statement that it would run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// Tables read, views resolved to what the caller named.
    pub tables: Vec<TableId>,
    /// Columns read, where the database can tell.
    pub columns: Vec<ColumnId>,
    /// The planner's estimate, where there is one.
    pub cost: Option<f64>,
}

/// A query that the guard and the database's own verdict let through.
#[must_use]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    sql: String,
    verdict: Verdict,
}

impl Checked {
    /// The statement, without a trailing semicolon.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// What the database said of it.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }
}

/// Judge a draft; `scope` of None allows every table the caller may read.
///
/// Requires: any text. Produces: a query that may run, or why not.
pub fn check(
    database: &dyn Database,
    scope: Option<&Scope>,
    draft: &str,
) -> Result<Checked, QueryError> {
    let sql = draft.trim().trim_end_matches(';').trim_end();
    if sql.is_empty() {
        return Err(refused(sql, "42601", "the statement is empty"));
    }
    let verdict = database.judge(sql)?;
    if let Some(scope) = scope
        && !verdict.tables.iter().all(|&table| scope.contains(table))
    {
        return Err(refused(sql, "42501", "the query reads a table outside the allowed ones"));
    }
    Ok(Checked { sql: sql.to_owned(), verdict })
}

/// A refusal of `sql`.
pub fn refused(sql: &str, sqlstate: &str, message: impl Into<String>) -> QueryError {
    QueryError {
        kind: QueryErrorKind::Refused,
        sqlstate: sqlstate.to_owned(),
        message: message.into(),
        detail: None,
        hint: None,
        position: None,
        sql: sql.to_owned(),
    }
}
