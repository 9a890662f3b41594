//! SQLite's errors as the engine's, without data.
//!
//! The class of an error is that of its code. Only while a statement is prepared does the text count:
//! there it holds names of the statement and the schema, and begins or ends with words of SQLite's.

use rusqlite::{Error, ErrorCode};
use text2sql_engine::error::{LOCKED, QueryError, QueryErrorKind};
use text2sql_engine::guard::refused;

use crate::session::unlocking;

/// Texts of errors at run time that hold no data. SQLite has no list; others are not repeated.
const WITHOUT_DATA: &[&str] = &[
    "integer overflow",
    "malformed JSON",
    "LIKE or GLOB pattern too complex",
    "ESCAPE expression must be a single character",
    "interrupted",
    "database disk image is malformed",
    "database or disk is full",
];

/// The error of a statement that cannot be prepared.
pub fn invalid(sql: &str, error: &Error) -> QueryError {
    if matches!(error, Error::MultipleStatement) {
        return refused(sql, "42601", "there is more than one statement");
    }
    let message = text(error);
    let (sqlstate, kind) = by_code(error).unwrap_or_else(|| by_text(&message));
    of(sql, error, sqlstate, kind, message)
}

/// The error of a query that failed while it ran. One that reads `withheld` values says no more than
/// that.
pub fn failed(sql: &str, error: &Error, withheld: bool) -> QueryError {
    let (sqlstate, kind) = by_code(error).unwrap_or(("22000", QueryErrorKind::Failed));
    let message = text(error);
    let is_plain = WITHOUT_DATA.contains(&message.as_str()) && !withheld;
    let message = match kind {
        QueryErrorKind::Failed if !is_plain => {
            "the query failed on the data that it read".to_owned()
        }
        QueryErrorKind::Refused => "the query may not do what it does".to_owned(),
        _ => message,
    };
    of(sql, error, sqlstate, kind, message)
}

fn of(
    sql: &str,
    error: &Error,
    sqlstate: &str,
    kind: QueryErrorKind,
    message: String,
) -> QueryError {
    let hint = unlocking(error).map(str::to_owned);
    QueryError { kind, hint, ..refused(sql, sqlstate, message) }
}

fn text(error: &Error) -> String {
    match error {
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}

/// Class and kind of the codes that have one. `SQLITE_ERROR` stands for anything.
fn by_code(error: &Error) -> Option<(&'static str, QueryErrorKind)> {
    use QueryErrorKind::{Failed, Limited, Refused};
    let Error::SqliteFailure(failure, _) = error else { return None };
    Some(match failure.code {
        ErrorCode::AuthorizationForStatementDenied => ("42501", Refused),
        ErrorCode::OperationInterrupted => ("57014", Failed),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => (LOCKED, Limited),
        ErrorCode::TooBig => ("54000", Limited),
        ErrorCode::OutOfMemory => ("53200", Limited),
        _ => return None,
    })
}

/// Class and kind of what SQLite says about a statement. Names may hold any words, so it is looked
/// for only where no name stands.
fn by_text(message: &str) -> (&'static str, QueryErrorKind) {
    use QueryErrorKind::{Invalid, Limited, Refused};
    const BEGINNINGS: &[(&str, &str, QueryErrorKind)] = &[
        ("no such table", "42P01", Invalid),
        ("no such column", "42703", Invalid),
        ("ambiguous column", "42702", Invalid),
        ("no such function", "42883", Invalid),
        ("wrong number of arguments", "42883", Invalid),
        ("misuse of", "42803", Invalid),
        ("unrecognized token", "42601", Invalid),
        ("incomplete input", "42601", Invalid),
        ("too many", "54000", Invalid),
        ("Expression tree is too large", "54001", Invalid),
        ("parser stack overflow", "54001", Invalid),
        ("statement too long", "54000", Limited),
        ("string or blob too big", "54000", Limited),
        ("not authorized", "42501", Refused),
    ];
    const ENDS: &[(&str, &str, QueryErrorKind)] =
        &[(": syntax error", "42601", Invalid), (" is prohibited", "42501", Refused)];
    let begins = BEGINNINGS.iter().find(|(words, ..)| message.starts_with(words));
    let row = begins.or_else(|| ENDS.iter().find(|(words, ..)| message.ends_with(words)));
    row.map_or(("42000", Invalid), |&(_, state, kind)| (state, kind))
}
