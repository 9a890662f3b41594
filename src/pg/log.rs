//! Lines that go only to the server's log: what is about to leave the database, which neither a
//! ROLLBACK nor a crash undoes; what cannot be written to the history; and where a panic happened.

use std::backtrace::Backtrace;
use std::ffi::{c_char, c_int};
use std::io::{Write, stderr};

use pgrx::pg_sys;
use text2sql_engine::ledger::{LedgerEntry, Parts};
use text2sql_engine::printable::printable;

use super::cancel::deferred;
use super::encoding;

// elog.h; pgrx leaves these out of its bindings
unsafe extern "C-unwind" {
    fn errstart(level: c_int, domain: *const c_char) -> bool;
    fn errmsg_internal(format: *const c_char, ...) -> c_int;
    fn errdetail_internal(format: *const c_char, ...) -> c_int;
    fn errhidestmt(hide: bool) -> c_int;
    fn errhidecontext(hide: bool) -> c_int;
    fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
}

/// Have pgrx attach no backtrace to errors, whatever `RUST_BACKTRACE` says: every error that passes
/// through Rust would pay for a symbolised stack, which users would see. Rust reads the variables
/// once, when a backtrace is first captured. Called once, from `_PG_init`.
pub fn without_backtraces() {
    const VARIABLE: &str = "RUST_LIB_BACKTRACE";
    let before = std::env::var_os(VARIABLE);
    // SAFETY: a backend has one thread.
    unsafe {
        std::env::set_var(VARIABLE, "0");
        drop(Backtrace::capture());
        match before {
            Some(value) => std::env::set_var(VARIABLE, value),
            None => std::env::remove_var(VARIABLE),
        }
    }
}

/// Log where a panic happens. pgrx keeps its text for the error that it becomes, but a panic that
/// may not unwind ends the process without a word. The text may contain data, so it is left out.
/// Called once, from `_PG_init`.
pub fn watch_panics() {
    let next = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // PostgreSQL's errors are panics too, with a payload of their own
        if let (Some(_), Some(place)) = (panic.payload_as_str(), panic.location()) {
            let _ =
                writeln!(stderr(), "text2sql: panic at {place}\n{}", Backtrace::force_capture());
        }
        next(panic);
    }));
}

/// Log what is about to be sent, without the statement, which contains the question.
pub fn sent(sent: &LedgerEntry, server: &str, role: &str) {
    let requests = if sent.requests == 1 { "request" } else { "requests" };
    let message = format!(
        "text2sql: {} {requests} of {} with {} bytes to server \"{server}\" for role \"{role}\"",
        sent.requests, sent.step, sent.bytes
    );
    let list = |what: &str, parts: &Parts| match parts.is_empty() {
        true => String::new(),
        false => format!("{what} {parts}. "),
    };
    let detail = list("Names of", &sent.names)
        + &list("Comments of", &sent.comments)
        + &list("Values of", &sent.values);
    write(&message, &detail);
}

/// Log a line with its detail, without the statement.
pub fn write(message: &str, detail: &str) {
    let c_string = |text: &str| encoding::shown(&printable(text.trim_end()));
    let (message, detail) = (c_string(message), c_string(detail));
    // SAFETY: the sequence of ereport(). At this level errfinish returns.
    deferred(|| unsafe {
        if errstart(pg_sys::LOG_SERVER_ONLY as c_int, std::ptr::null()) {
            errmsg_internal(c"%s".as_ptr(), message.as_ptr());
            if !detail.is_empty() {
                errdetail_internal(c"%s".as_ptr(), detail.as_ptr());
            }
            errhidestmt(true);
            errhidecontext(true);
            errfinish(c"log.rs".as_ptr(), 0, c"write".as_ptr());
        }
    });
}
