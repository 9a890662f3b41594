//! The net under the static verdict: while a generated query runs, PostgreSQL's own hook on
//! function execution refuses what the policy refuses, wherever the call is hidden: in a view,
//! an operator, a cast, a row policy, the body of a SQL or plpgsql function.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;

use super::policy::Caller;
use super::previous_hook::PreviousHook;
use super::{judged, plans};

static CLOSED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Why the running query was stopped.
    static REFUSAL: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A closed gate; it opens when dropped.
#[must_use]
pub struct Gate {
    _plans: plans::Reset,
}

impl Gate {
    /// Refuse dangerous functions from now on.
    pub fn close() -> Self {
        REFUSAL.set(None);
        let plans = plans::Reset::all();
        judged::begin();
        CLOSED.store(true, Ordering::Relaxed);
        Self { _plans: plans }
    }

    /// Why the gate stopped a query, if it did.
    pub fn refusal(&self) -> Option<String> {
        REFUSAL.take()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        CLOSED.store(false, Ordering::Relaxed);
    }
}

/// Open it where the session ends, which drops nothing.
pub fn open_for_good() {
    CLOSED.store(false, Ordering::Relaxed);
}

/// Whether a generated query is being judged or run.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Stop the running query.
pub fn refuse(reason: String) {
    REFUSAL.set(Some(reason.clone()));
    ereport!(ERROR, PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, reason);
}

static NEXT: PreviousHook<pg_sys::object_access_hook_type> = PreviousHook::new();

/// Install the hooks. Called once, from `_PG_init`.
pub fn register() {
    plans::register();
    // SAFETY: _PG_init runs once, alone.
    unsafe {
        NEXT.set(pg_sys::object_access_hook);
        pg_sys::object_access_hook = Some(on_access);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_access(
    access: pg_sys::ObjectAccessType::Type,
    class: Oid,
    object: Oid,
    part: i32,
    arg: *mut c_void,
) {
    // SAFETY: called with the arguments PostgreSQL gave.
    unsafe {
        if let Some(next) = NEXT.get() {
            next(access, class, object, part, arg);
        }
    }
    if access != pg_sys::ObjectAccessType::OAT_FUNCTION_EXECUTE || !is_closed() {
        return;
    }
    judged::function(object, Caller::Object).unwrap_or_else(refuse);
}
