//! Translation of errors. Outwards: the engine's errors become PostgreSQL errors with SQLSTATE,
//! detail, hint and position. Inwards: [`Watch`] sees what pgrx drops from a caught error.
//!
//! Both use an error context callback: PostgreSQL calls it while an error is being built, when
//! its SQLSTATE and position may still be read and set. (pgrx carries neither a position nor a
//! SQLSTATE that PostgreSQL itself does not define.)

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_int, c_void};

use pgrx::pg_sys;
use pgrx::prelude::*;
use text2sql_engine::error::Error;
use text2sql_engine::printable::printable;

use super::cancel::deferred;
use super::encoding;

// elog.h, of which pgrx leaves some out of its bindings. None of pgrx's guards is around those that
// callbacks call: a panic may not leave a callback.
unsafe extern "C-unwind" {
    fn errcode(sqlerrcode: c_int) -> c_int;
    fn errmsg_internal(format: *const c_char, ...) -> c_int;
    fn errdetail_internal(format: *const c_char, ...) -> c_int;
    fn errhint(format: *const c_char, ...) -> c_int;
    fn internalerrquery(query: *const c_char) -> c_int;
    fn internalerrposition(position: c_int) -> c_int;
    fn geterrcode() -> c_int;
    fn geterrposition() -> c_int;
    fn getinternalerrposition() -> c_int;
}

/// PostgreSQL's number for a SQLSTATE of five characters (MAKE_SQLSTATE).
pub fn sqlstate_number(code: &str) -> i32 {
    code.bytes().rev().fold(0, |n, b| (n << 6) + i32::from(b.wrapping_sub(b'0') & 0x3f))
}

/// The five characters of PostgreSQL's number for a SQLSTATE.
pub fn sqlstate_text(number: i32) -> String {
    (0..5).map(|i| char::from(((number >> (6 * i)) & 0x3f) as u8 + b'0')).collect()
}

/// Fields of the error being raised that pgrx's report lacks.
struct Raising {
    sqlstate: i32,
    /// The query it is about, and the character position in it; 0 is none.
    query: Option<(CString, c_int)>,
    /// Message, detail and hint in the database's encoding, if that is not UTF-8.
    texts: Option<[Option<CString>; 3]>,
}

thread_local! {
    static RAISING: RefCell<Option<Raising>> = const { RefCell::new(None) };
}

/// Report a message of the adapter itself, with a hint. At level ERROR it does not return.
pub fn tell(level: PgLogLevel, code: PgSqlErrorCode, message: impl Into<String>, hint: &str) {
    let message = printable(&message.into()).into_owned();
    let report = pg_sys::panic::ErrorReport::new(code, message, pgrx::function_name!())
        .set_hint(printable(hint));
    match level {
        PgLogLevel::ERROR => report.report(level),
        _ => deferred(|| report.report(level)),
    }
}

/// Sends the caller a notice of one line.
pub fn notice(line: &str) {
    deferred(|| notice!("{}", printable(line)));
}

/// Raise an error of the engine as a PostgreSQL error.
pub fn raise(error: &Error) -> ! {
    let query = match error {
        Error::Query(e) => {
            let position = e.position.and_then(|p| c_int::try_from(p).ok()).unwrap_or(0);
            Some((encoding::shown(&printable(&e.sql)), position))
        }
        _ => None,
    };
    let detail = match error {
        Error::Query(e) => e.detail.clone(), // the query has a field of its own
        _ => error.detail(),
    };
    let sqlstate = sqlstate_number(error.code());
    let shown = |text: String| printable(&text).into_owned();
    let (message, detail, hint) =
        (shown(error.to_string()), detail.map(shown), error.hint().map(shown));
    let texts = (!encoding::is_utf8()).then(|| {
        let shown = |text: &Option<String>| text.as_deref().map(encoding::shown);
        [Some(encoding::shown(&message)), shown(&detail), shown(&hint)]
    });
    RAISING.set(Some(Raising { sqlstate, query, texts }));
    push_completion();
    let code = PgSqlErrorCode::from(sqlstate);
    let mut report = pg_sys::panic::ErrorReport::new(code, message, pgrx::function_name!());
    if let Some(detail) = detail {
        report = report.set_detail(detail);
    }
    if let Some(hint) = hint {
        report = report.set_hint(hint);
    }
    report.report(PgLogLevel::ERROR);
    unreachable!("an ERROR does not return")
}

/// Put [`complete`] on top of the error context stack; whoever catches the error restores it.
fn push_completion() {
    struct Frame(Cell<pg_sys::ErrorContextCallback>);
    // SAFETY: backends are single-threaded; the static only satisfies the borrow checker.
    unsafe impl Sync for Frame {}
    static FRAME: Frame = Frame(Cell::new(pg_sys::ErrorContextCallback {
        previous: std::ptr::null_mut(),
        callback: Some(complete),
        arg: std::ptr::null_mut(),
    }));
    // SAFETY: the frame is static; it is never pushed on top of itself.
    unsafe {
        let frame = FRAME.0.as_ptr();
        if pg_sys::error_context_stack != frame {
            (*frame).previous = pg_sys::error_context_stack;
            pg_sys::error_context_stack = frame;
        }
    }
}

/// Error context callback: gives the error being built what pgrx could not.
unsafe extern "C-unwind" fn complete(_: *mut c_void) {
    let Some(raising) = RAISING.take() else { return };
    // SAFETY: called by errfinish, while the error is on PostgreSQL's error stack.
    unsafe {
        errcode(raising.sqlstate);
        if let Some((query, position)) = &raising.query {
            internalerrquery(query.as_ptr());
            internalerrposition(*position);
        }
        if let Some([message, detail, hint]) = &raising.texts {
            let text = c"%s".as_ptr();
            message.iter().for_each(|m| _ = errmsg_internal(text, m.as_ptr()));
            detail.iter().for_each(|d| _ = errdetail_internal(text, d.as_ptr()));
            hint.iter().for_each(|h| _ = errhint(text, h.as_ptr()));
        }
    }
}

/// SQLSTATE and position of the last error raised while it was on the error context stack.
#[derive(Debug, Default, Clone, Copy)]
pub struct Watched {
    /// PostgreSQL's number; 0 when nothing was raised.
    pub sqlstate: i32,
    /// Character position from 1, in the query that was parsed.
    pub position: Option<usize>,
}

/// Run `work` and note the SQLSTATE and position of an error that it raises. The error itself
/// propagates.
pub fn watching<R>(seen: &Cell<Watched>, work: impl FnOnce() -> R) -> R {
    let mut frame = pg_sys::ErrorContextCallback {
        // SAFETY: reading a global of the single backend thread.
        previous: unsafe { pg_sys::error_context_stack },
        callback: Some(watch),
        arg: std::ptr::from_ref(seen).cast_mut().cast(),
    };
    /// Takes the frame off again, also when unwinding.
    struct Pop(*mut pg_sys::ErrorContextCallback);
    impl Drop for Pop {
        fn drop(&mut self) {
            // SAFETY: restores what `watching` found.
            unsafe { pg_sys::error_context_stack = self.0 }
        }
    }
    let _pop = Pop(frame.previous);
    // SAFETY: the frame outlives `work`; `_pop` takes it off before it dies.
    unsafe { pg_sys::error_context_stack = &raw mut frame };
    work()
}

/// Error context callback: notes SQLSTATE and position.
unsafe extern "C-unwind" fn watch(seen: *mut c_void) {
    // SAFETY: `watching` passes its cell, which outlives the frame; the getters are called by
    // errfinish while the error is being built.
    unsafe {
        let seen = &*seen.cast::<Cell<Watched>>();
        let position = geterrposition().max(getinternalerrposition());
        seen.set(Watched {
            sqlstate: geterrcode(),
            position: usize::try_from(position).ok().filter(|&p| p > 0),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstates_read_back() {
        for code in ["22T01", "22P02", "XX000", "00000", "57014"] {
            assert_eq!(sqlstate_text(sqlstate_number(code)), code);
        }
        assert_eq!(sqlstate_number("57014"), PgSqlErrorCode::ERRCODE_QUERY_CANCELED as i32);
    }
}
