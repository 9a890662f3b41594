//! What is set on a connection for a while and taken back: deadline, authorizer, limits.
//!
//! SQLite can tell neither its authorizer nor its progress handler, so a host that set its own
//! finds none afterwards; docs/sqlite.md says so. Limits are put back as they were.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rusqlite::limits::Limit;
use rusqlite::{Connection, ffi};

/// How many virtual machine instructions pass between two looks at the clock.
const INSTRUCTIONS_PER_TICK: c_int = 1000;

/// Stops statements of the connection when the time is over, as long as it lives.
pub struct Deadline<'c> {
    connection: &'c Connection,
    until: Box<Instant>,
}

impl<'c> Deadline<'c> {
    /// From now on `time` is left.
    pub fn new(connection: &'c Connection, time: Duration) -> Self {
        let now = Instant::now();
        // A time too long to represent is no deadline within this process's life.
        let until = now.checked_add(time).unwrap_or(now + Duration::from_secs(86_400 * 365));
        let until = Box::new(until);
        let data: *const Instant = &raw const *until;
        // SAFETY: the handle is alive as long as `connection`; `data` points into the box, which
        // outlives the registration because drop() takes the handler back first.
        unsafe {
            let db = connection.handle();
            ffi::sqlite3_progress_handler(db, INSTRUCTIONS_PER_TICK, Some(tick), data as *mut _);
        }
        Self { connection, until }
    }

    /// Whether the time is over.
    pub fn passed(&self) -> bool {
        Instant::now() >= *self.until
    }
}

impl Drop for Deadline<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is alive; a null handler ends the registration.
        unsafe {
            let db = self.connection.handle();
            ffi::sqlite3_progress_handler(db, 0, None, std::ptr::null_mut());
        }
    }
}

unsafe extern "C" fn tick(until: *mut c_void) -> c_int {
    // SAFETY: registered by Deadline::new with a pointer to its box.
    let until = unsafe { &*until.cast::<Instant>() };
    c_int::from(Instant::now() >= *until)
}

/// One thing that a statement wants to do, as SQLite's authorizer names it.
#[derive(Debug, Clone, Copy)]
pub struct Action<'a> {
    /// `SQLITE_READ`, `SQLITE_FUNCTION`, …
    pub code: c_int,
    /// The first two arguments, whose meaning depends on `code`.
    pub arguments: [Option<&'a str>; 2],
    /// The database (`main`, `temp`, an attached one).
    pub database: Option<&'a str>,
    /// The innermost view, subquery or trigger that wants it.
    pub accessor: Option<&'a str>,
}

/// Asks `decide` about everything that statements prepared meanwhile want to do.
pub struct Authorizer<'c, F: FnMut(Action<'_>) -> bool> {
    connection: &'c Connection,
    /// What SQLite's pointer means; owned here so that it lives as long as the registration.
    _decide: Box<F>,
}

impl<'c, F: FnMut(Action<'_>) -> bool> Authorizer<'c, F> {
    /// Install it.
    pub fn new(connection: &'c Connection, decide: F) -> Self {
        let mut decide = Box::new(decide);
        let data: *mut F = &raw mut *decide;
        // SAFETY: the handle is alive; `data` points into the box, which outlives the
        // registration because drop() takes it back first.
        unsafe { ffi::sqlite3_set_authorizer(connection.handle(), Some(ask::<F>), data.cast()) };
        Self { connection, _decide: decide }
    }
}

impl<F: FnMut(Action<'_>) -> bool> Drop for Authorizer<'_, F> {
    fn drop(&mut self) {
        // SAFETY: the handle is alive; null ends the registration before the box is freed.
        unsafe {
            ffi::sqlite3_set_authorizer(self.connection.handle(), None, std::ptr::null_mut());
        }
    }
}

unsafe extern "C" fn ask<F: FnMut(Action<'_>) -> bool>(
    data: *mut c_void,
    code: c_int,
    first: *const c_char,
    second: *const c_char,
    database: *const c_char,
    accessor: *const c_char,
) -> c_int {
    let verdict = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: registered by Authorizer::new with a pointer to its closure; SQLite passes
        // NUL-terminated strings or null that live during the call.
        let (decide, action) = unsafe {
            let action = Action {
                code,
                arguments: [text(first), text(second)],
                database: text(database),
                accessor: text(accessor),
            };
            (&mut *data.cast::<F>(), action)
        };
        decide(action)
    }));
    if matches!(verdict, Ok(true)) { ffi::SQLITE_OK } else { ffi::SQLITE_DENY }
}

/// # Safety
/// `text` is null or points to a NUL-terminated string that lives for `'a`.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises. Text that is no UTF-8 names nothing that is allowed.
    Some(unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("\u{fffd}"))
}

/// Lowers limits of the connection as long as it lives.
pub struct Bounds<'c> {
    connection: &'c Connection,
    before: Vec<(Limit, i32)>,
}

impl<'c> Bounds<'c> {
    /// Set each limit that is higher now.
    pub fn new(connection: &'c Connection, bounds: &[(Limit, i32)]) -> Self {
        let mut before = Vec::with_capacity(bounds.len());
        for &(limit, bound) in bounds {
            if let Ok(now) = connection.limit(limit)
                && now > bound
                && connection.set_limit(limit, bound).is_ok()
            {
                before.push((limit, now));
            }
        }
        Self { connection, before }
    }
}

impl Drop for Bounds<'_> {
    fn drop(&mut self) {
        for &(limit, before) in &self.before {
            // Cannot fail: the limit and its old value come from this connection.
            let _ = self.connection.set_limit(limit, before);
        }
    }
}
