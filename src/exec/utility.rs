//! A hook for what is no query: COPY, ANALYZE, SET, LISTEN and all other utility statements. None runs while
//! the gate is closed, whoever sends it. What they do is not always undone, and few of them pass
//! another check.
//!
//! Not `pg_guard`, as the hooks of `hooks.rs`.

use std::ffi::{CStr, c_char};

use pgrx::pg_sys::{self, ParamListInfo, PlannedStmt};
use pgrx::prelude::*;

use super::gate;
use super::previous_hook::PreviousHook;

/// PostgreSQL's own, without pgrx's guard around it.
mod standard {
    use super::*;

    unsafe extern "C-unwind" {
        pub fn standard_ProcessUtility(
            statement: *mut PlannedStmt,
            text: *const c_char,
            #[cfg(not(feature = "pg13"))] read_only_tree: bool,
            context: pg_sys::ProcessUtilityContext::Type,
            parameters: ParamListInfo,
            environment: *mut pg_sys::QueryEnvironment,
            receiver: *mut pg_sys::DestReceiver,
            completion: *mut pg_sys::QueryCompletion,
        );
    }
}

static NEXT: PreviousHook<pg_sys::ProcessUtility_hook_type> = PreviousHook::new();

/// Install the hook. Called once, from `_PG_init`.
pub fn register() {
    // SAFETY: _PG_init runs once, alone.
    unsafe {
        NEXT.set(pg_sys::ProcessUtility_hook);
        pg_sys::ProcessUtility_hook = Some(on_utility);
    }
}

unsafe extern "C-unwind" fn on_utility(
    statement: *mut PlannedStmt,
    text: *const c_char,
    #[cfg(not(feature = "pg13"))] read_only_tree: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    receiver: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    // SAFETY: called with the arguments PostgreSQL gave.
    unsafe {
        if gate::is_closed() {
            refuse(statement);
        }
        let next = NEXT.get().unwrap_or(standard::standard_ProcessUtility);
        next(
            statement,
            text,
            #[cfg(not(feature = "pg13"))]
            read_only_tree,
            context,
            parameters,
            environment,
            receiver,
            completion,
        );
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn refuse(statement: *mut PlannedStmt) {
    // SAFETY: a utility statement, whose name is a constant.
    let name = unsafe {
        let tag = pg_sys::CreateCommandTag((*statement).utilityStmt);
        CStr::from_ptr(pg_sys::GetCommandTagName(tag)).to_string_lossy().into_owned()
    };
    gate::refuse(format!("{name} may not run, only queries"));
}
