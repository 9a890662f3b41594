//! Hooks for every statement that PostgreSQL handles while the gate is closed, whether it is the
//! generated one or sent by a function. Each is weighed after its analysis, weighed and judged
//! before it is planned (selectivity estimates call functions of operators, which no other hook
//! sees), and runs in this process alone (a parallel worker has no gate).
//!
//! Every statement of the session passes through here, so the hooks themselves are not `pg_guard`:
//! that would catch PostgreSQL's errors and raise them again without what pgrx does not know (the
//! query, the position, custom SQLSTATEs). PostgreSQL's errors jump over their frames, which hold
//! nothing to drop; our own work is in guarded functions.

use std::ffi::c_char;

use pgrx::PgList;
use pgrx::pg_sys::{self, Oid, ParamListInfo, PlannedStmt, Query, QueryDesc};
use pgrx::prelude::*;
use text2sql_engine::guard::bounds::Excess;

use super::weight;
use super::weight::Stage;
use super::{bodies, partitions, supports, tree};
use crate::exec::policy::Caller;
use crate::exec::previous_hook::PreviousHook;
use crate::exec::timer;
use crate::exec::{gate, judged};

/// PostgreSQL's own, without pgrx's guard around them.
mod standard {
    use super::*;

    unsafe extern "C-unwind" {
        pub fn standard_planner(
            query: *mut Query,
            text: *const c_char,
            options: i32,
            parameters: ParamListInfo,
        ) -> *mut PlannedStmt;

        #[cfg(not(feature = "pg18"))]
        pub fn standard_ExecutorRun(
            query: *mut QueryDesc,
            direction: pg_sys::ScanDirection::Type,
            count: u64,
            once: bool,
        );

        #[cfg(feature = "pg18")]
        pub fn standard_ExecutorRun(
            query: *mut QueryDesc,
            direction: pg_sys::ScanDirection::Type,
            count: u64,
        );
    }
}

static NEXT_ANALYSED: PreviousHook<pg_sys::post_parse_analyze_hook_type> = PreviousHook::new();
static NEXT_PLANNER: PreviousHook<pg_sys::planner_hook_type> = PreviousHook::new();
static NEXT_NEEDS: PreviousHook<pg_sys::needs_fmgr_hook_type> = PreviousHook::new();
static NEXT_CALL: PreviousHook<pg_sys::fmgr_hook_type> = PreviousHook::new();
static NEXT_INFO: PreviousHook<pg_sys::get_relation_info_hook_type> = PreviousHook::new();
static NEXT_RUN: PreviousHook<pg_sys::ExecutorRun_hook_type> = PreviousHook::new();

/// Install the hooks. Called once, from `_PG_init`.
pub fn register() {
    // SAFETY: _PG_init runs once, alone.
    unsafe {
        NEXT_ANALYSED.set(pg_sys::post_parse_analyze_hook);
        pg_sys::post_parse_analyze_hook = Some(on_analysed);
        NEXT_PLANNER.set(pg_sys::planner_hook);
        pg_sys::planner_hook = Some(on_planning);
        NEXT_INFO.set(pg_sys::get_relation_info_hook);
        pg_sys::get_relation_info_hook = Some(on_relation);
        NEXT_NEEDS.set(pg_sys::needs_fmgr_hook);
        pg_sys::needs_fmgr_hook = Some(needs_hook);
        NEXT_CALL.set(pg_sys::fmgr_hook);
        pg_sys::fmgr_hook = Some(on_call);
        NEXT_RUN.set(pg_sys::ExecutorRun_hook);
        pg_sys::ExecutorRun_hook = Some(on_run);
    }
}

unsafe extern "C-unwind" fn on_analysed(
    state: *mut pg_sys::ParseState,
    query: *mut Query,
    #[cfg(not(feature = "pg13"))] jumble: *mut pg_sys::JumbleState,
) {
    // SAFETY: called with the arguments PostgreSQL gave.
    unsafe {
        if let Some(next) = NEXT_ANALYSED.get() {
            #[cfg(feature = "pg13")]
            next(state, query);
            #[cfg(not(feature = "pg13"))]
            next(state, query, jumble);
        }
        if gate::is_closed() {
            bound(query);
        }
    }
}

unsafe extern "C-unwind" fn on_planning(
    query: *mut Query,
    text: *const c_char,
    options: i32,
    parameters: ParamListInfo,
) -> *mut PlannedStmt {
    // SAFETY: as in `on_analysed`.
    unsafe {
        if gate::is_closed() {
            judge(query);
        }
        match NEXT_PLANNER.get() {
            Some(next) => next(query, text, options, parameters),
            None => standard::standard_planner(query, text, options, parameters),
        }
    }
}

/// The planner does not inline a function that needs a hook; [`on_call`] meets each call of it.
unsafe extern "C-unwind" fn needs_hook(function: Oid) -> bool {
    // SAFETY: as in `on_analysed`.
    unsafe {
        NEXT_NEEDS.get().is_some_and(|next| next(function))
            || gate::is_closed() && is_hooked(function)
    }
}

/// Called when the planner has looked up a table, partition or child. It may call functions of its indexes
/// and of its partition key.
unsafe extern "C-unwind" fn on_relation(
    root: *mut pg_sys::PlannerInfo,
    table: Oid,
    with_children: bool,
    relation: *mut pg_sys::RelOptInfo,
) {
    // SAFETY: as in `on_analysed`.
    unsafe {
        if let Some(next) = NEXT_INFO.get() {
            next(root, table, with_children, relation);
        }
        if gate::is_closed() {
            judge_indexes(table, (*relation).indexlist);
        }
    }
}

/// No function begins once the query's time is over: one that catches the cancel, and calls itself or
/// is called for each row, would go on. Nor once one that passed may not be called any more.
unsafe extern "C-unwind" fn on_call(
    event: pg_sys::FmgrHookEventType::Type,
    function: *mut pg_sys::FmgrInfo,
    arg: *mut pg_sys::Datum,
) {
    // SAFETY: as in `on_analysed`.
    unsafe {
        if let Some(next) = NEXT_CALL.get() {
            next(event, function, arg);
        }
        if event == pg_sys::FmgrHookEventType::FHET_START && gate::is_closed() {
            check_call();
        }
    }
}

#[cfg(not(feature = "pg18"))]
unsafe extern "C-unwind" fn on_run(
    query: *mut QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
    once: bool,
) {
    // SAFETY: as in `on_analysed`.
    unsafe {
        let plan = (*query).plannedstmt;
        if gate::is_closed() {
            keep_alone(query);
        }
        match NEXT_RUN.get() {
            Some(next) => next(query, direction, count, once),
            None => standard::standard_ExecutorRun(query, direction, count, once),
        }
        (*query).plannedstmt = plan;
    }
}

#[cfg(feature = "pg18")]
unsafe extern "C-unwind" fn on_run(
    query: *mut QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
) {
    // SAFETY: as in `on_analysed`.
    unsafe {
        let plan = (*query).plannedstmt;
        if gate::is_closed() {
            keep_alone(query);
        }
        match NEXT_RUN.get() {
            Some(next) => next(query, direction, count),
            None => standard::standard_ExecutorRun(query, direction, count),
        }
        (*query).plannedstmt = plan;
    }
}

/// Refuse what is too much to be rewritten and planned.
#[pg_guard]
unsafe extern "C-unwind" fn bound(query: *mut Query) {
    // SAFETY: an analysed query.
    unsafe { weight::bounded(query, Stage::Analysed) }.unwrap_or_else(|excess| refuse(&excess));
}

/// Refuse what is too much to be planned, or calls what may not be called.
#[pg_guard]
unsafe extern "C-unwind" fn judge(query: *mut Query) {
    // SAFETY: a rewritten query.
    unsafe {
        judged::recheck().unwrap_or_else(gate::refuse);
        weight::bounded(query, Stage::Rewritten).unwrap_or_else(|excess| refuse(&excess));
        tree::functions(query, Caller::Object)
            .unwrap_or_else(|refusal| gate::refuse(refusal.reason));
        partitions::plan_by_parts(query);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn is_hooked(function: Oid) -> bool {
    bodies::is_hooked(function)
}

#[pg_guard]
unsafe extern "C-unwind" fn check_call() {
    timer::end_if_over();
    judged::recheck().unwrap_or_else(gate::refuse);
}

/// Refuse a table whose indexes or partitions call what may not be called.
#[pg_guard]
unsafe extern "C-unwind" fn judge_indexes(table: Oid, indexes: *mut pg_sys::List) {
    // SAFETY: the planner's list; each index has a family for each column of its key.
    unsafe {
        for index in PgList::<pg_sys::IndexOptInfo>::from_pg(indexes).iter_ptr() {
            for place in 0..(*index).nkeycolumns as usize {
                let family = *(*index).opfamily.add(place);
                supports::judge_family(family).unwrap_or_else(gate::refuse);
            }
        }
        if pg_sys::get_rel_relkind(table) as u8 == pg_sys::RELKIND_PARTITIONED_TABLE {
            supports::judge_partition_key(table).unwrap_or_else(gate::refuse);
        }
    }
}

/// Run the plan without workers, whatever it says: it may have been made before the gate was
/// closed, or by a function with its own settings. It may be in a cache, so a copy is changed.
#[pg_guard]
unsafe extern "C-unwind" fn keep_alone(query: *mut QueryDesc) {
    // SAFETY: a started query; the copy lives as long as its state.
    unsafe {
        let plan = (*query).plannedstmt;
        if (*plan).parallelModeNeeded {
            let size = std::mem::size_of::<PlannedStmt>();
            let memory = (*(*query).estate).es_query_cxt;
            let copy = pg_sys::MemoryContextAlloc(memory, size).cast::<PlannedStmt>();
            copy.write(*plan);
            (*copy).parallelModeNeeded = false;
            (*query).plannedstmt = copy;
        }
    }
}

fn refuse(excess: &Excess) {
    pgrx::pg_sys::panic::ErrorReport::new(
        PgSqlErrorCode::ERRCODE_STATEMENT_TOO_COMPLEX,
        Excess::MESSAGE,
        pgrx::function_name!(),
    )
    .set_detail(excess.detail())
    .set_hint(Excess::HINT)
    .report(PgLogLevel::ERROR);
}
