//! Errors without data: what a query's failure may say to a client and to a model.

use text2sql_engine::error::{LOCKED, QueryError, QueryErrorKind};

use crate::phase::Phase;

/// Classify a failure and remove what may come from rows, even while a query is only being judged,
/// because functions of constants are computed then. What is in the query itself is not secret:
/// `"…"` stays if the SQL contains it. `quoted` is a message that somebody wrote.
pub fn classify_and_redact(mut error: QueryError, phase: Phase, quoted: bool) -> QueryError {
    error.kind = kind(&error.sqlstate, phase);
    let may_hold_data = may_hold_data(&error.sqlstate);
    if quoted || may_hold_data && is_free_text(&error.sqlstate) {
        error.message = "a function or foreign table of the query raised an error".to_owned();
        (error.detail, error.hint) = (None, None);
        return error;
    }
    // a statement that a function builds from values repeats them in syntax errors
    if may_hold_data || phase != Phase::Judging {
        error.message = masked(&error.message, &error.sql);
    }
    if may_hold_data {
        error.detail = None;
        if matches!(error.sqlstate.as_str(), "22021" | "22P05") {
            error.message = "a value is not text in the database's encoding".to_owned();
        }
    }
    error
}

fn kind(sqlstate: &str, phase: Phase) -> QueryErrorKind {
    match (sqlstate, &sqlstate[..2]) {
        ("42501" | "25006", _) => QueryErrorKind::Refused,
        (LOCKED, _) => QueryErrorKind::Limited,
        (_, "53" | "54") => QueryErrorKind::Limited,
        (_, "42" | "0A" | "3F") => QueryErrorKind::Invalid,
        _ if phase == Phase::Judging => QueryErrorKind::Invalid,
        _ => QueryErrorKind::Failed,
    }
}

/// Classes whose messages come only from the query, the schema or the server.
fn may_hold_data(sqlstate: &str) -> bool {
    !matches!(&sqlstate[..2], "08" | "0A" | "25" | "40" | "42" | "3F" | "53" | "54" | "55" | "57")
}

/// Classes with freely written messages: RAISE, foreign data wrappers, internal errors.
fn is_free_text(sqlstate: &str) -> bool {
    !matches!(&sqlstate[..2], "21" | "22" | "23")
}

/// The message, with every quoted part that does not occur in `sql` blanked.
fn masked(message: &str, sql: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some(start) = rest.find('"') {
        out.push_str(&rest[..start]);
        let quoted = &rest[start + 1..];
        // a value may contain quotes: everything up to the last one is the value
        let Some(end) = quoted.find("\" for \"").or_else(|| quoted.rfind('"')) else {
            out.push_str("\"…\"");
            return out;
        };
        let part = &quoted[..end];
        let known = !part.is_empty() && sql.to_lowercase().contains(&part.to_lowercase());
        out.push_str(&format!("\"{}\"", if known { part } else { "…" }));
        rest = &quoted[end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_blanked_and_words_of_the_query_stay() {
        let check =
            |message: &str, sql: &str, expect: &str| assert_eq!(masked(message, sql), expect);
        check(
            "invalid input syntax for type integer: \"s3cret\"",
            "SELECT note::int FROM t",
            "invalid input syntax for type integer: \"…\"",
        );
        check(
            "invalid value \"ab\"\"c\" for \"YYYY\"",
            "SELECT to_date(x, 'YYYY') FROM t",
            "invalid value \"…\" for \"YYYY\"",
        );
        check("division by zero", "SELECT 1/x FROM t", "division by zero");
        check("malformed: \"open", "SELECT 1", "malformed: \"…\"");
        check("bad: \"a\" and \"b\"", "SELECT 1", "bad: \"…\"");
    }
}
