//! The ledger of what leaves the database: a line in the server's log before anything is sent,
//! which no ROLLBACK takes back, and a row in `text2sql.ledger` where the session can write.

use std::ffi::{c_char, c_int};

use pgrx::pg_sys;
use text2sql_engine::error::Error;
use text2sql_engine::ledger::LedgerEntry;
use text2sql_engine::settings::Settings;

use crate::encoding::{self, Text, texts};
use crate::spi;

// elog.h; pgrx leaves these out of its bindings
unsafe extern "C-unwind" {
    fn errstart(level: c_int, domain: *const c_char) -> bool;
    fn errmsg_internal(format: *const c_char, ...) -> c_int;
    fn errdetail_internal(format: *const c_char, ...) -> c_int;
    fn errhidestmt(hide: bool) -> c_int;
    fn errhidecontext(hide: bool) -> c_int;
    fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
}

/// Keep an entry, unless `text2sql.ledger` is off. An error keeps the call from being made.
pub fn keep(sent: &LedgerEntry, settings: &Settings) -> Result<(), Error> {
    if !settings.ledger {
        return Ok(());
    }
    let role = current_role();
    write_log(sent, &settings.server, &role);
    // SAFETY: a flag of the backend, read by its only thread.
    if unsafe { pg_sys::XactReadOnly } {
        return Ok(());
    }
    let Some(owner) = spi::owner(c"ledger") else {
        return Err(Error::NotAllowed {
            message: "the table text2sql.ledger is missing".to_owned(),
            hint: "SET text2sql.ledger = off; or DROP EXTENSION text2sql; CREATE EXTENSION \
                   text2sql;"
                .to_owned(),
        });
    };
    let text = |text: &str| Text::from(text);
    // callers may neither read nor forge it
    spi::as_role(owner, || {
        let args = [
            Text(role).into(),
            text(&settings.server).into(),
            text(&sent.model).into(),
            text(&sent.step).into(),
            (sent.requests as i32).into(),
            (sent.bytes as i64).into(),
            texts(&sent.names).into(),
            texts(&sent.comments).into(),
            texts(&sent.values).into(),
        ];
        spi::write(include_str!("../sql/record_sent.sql"), &args).map(|_| ())
    })
}

fn current_role() -> String {
    // SAFETY: a system cache look-up; the name is copied at once.
    unsafe {
        let name = pg_sys::GetUserNameFromId(pg_sys::GetUserId(), false);
        encoding::c_text(name)
    }
}

/// A line for the server's log alone, without the statement, which holds the question.
fn write_log(sent: &LedgerEntry, server: &str, role: &str) {
    let requests = if sent.requests == 1 { "request" } else { "requests" };
    let message = format!(
        "text2sql: {} {requests} of {} with {} bytes to server \"{server}\" for role \"{role}\"",
        sent.requests, sent.step, sent.bytes
    );
    let list = |what: &str, parts: &[String]| match parts {
        [] => String::new(),
        parts => format!("{what} {}. ", parts.join(", ")),
    };
    let detail = list("Names of", &sent.names)
        + &list("Comments of", &sent.comments)
        + &list("Values of", &sent.values);
    let c_string = |text: &str| encoding::shown(text.trim_end());
    let (message, detail) = (c_string(&message), c_string(&detail));
    // SAFETY: the sequence of ereport(); at this level errfinish returns.
    unsafe {
        if errstart(pg_sys::LOG_SERVER_ONLY as c_int, std::ptr::null()) {
            errmsg_internal(c"%s".as_ptr(), message.as_ptr());
            if !detail.is_empty() {
                errdetail_internal(c"%s".as_ptr(), detail.as_ptr());
            }
            errhidestmt(true);
            errhidecontext(true);
            errfinish(c"ledger.rs".as_ptr(), 0, c"write_log".as_ptr());
        }
    }
}
