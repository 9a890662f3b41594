//! `DISCARD ALL`, with which a pooler hands a session to the next client, who must not see what it
//! knew.
//!
//! PostgreSQL does not report it, but it invalidates every saved plan, so one plan is saved to
//! detect it. (A few changes of schemas, operators and servers invalidate it too; everything is
//! then read again, which is correct and rare.)

use std::cell::Cell;
use std::ptr;

use pgrx::{PgList, Spi, pg_sys};

use crate::spi;

thread_local! {
    static PLAN: Cell<pg_sys::SPIPlanPtr> = const { Cell::new(ptr::null_mut()) };
}

/// Whether the session was discarded since the last call; true the first time.
pub fn happened() -> bool {
    let seen = !is_saved();
    if seen {
        save();
    }
    seen
}

/// Invalidate the cached plans of the session, but for ours: theirs must be made again, and no
/// `DISCARD ALL` is seen in it.
pub fn reset_plans() {
    let ours = spi::kept_plans().into_iter().chain(Some(PLAN.get()).filter(|plan| !plan.is_null()));
    // SAFETY: plans that were kept and not freed since.
    let valid: Vec<Valid> = ours.flat_map(|plan| unsafe { Valid::of(plan) }).collect();
    // SAFETY: marks plans and nothing else.
    unsafe { pg_sys::ResetPlanCache() };
    for plan in valid {
        // SAFETY: nothing has run since they were looked at.
        unsafe { plan.restore() };
    }
}

/// A statement that PostgreSQL need not analyse again, and the plan that fits any arguments, if there
/// is one that it need not make again either.
struct Valid {
    statement: *mut pg_sys::CachedPlanSource,
    plan: Option<*mut pg_sys::CachedPlan>,
}

impl Valid {
    /// # Safety
    /// A plan that was kept and not freed.
    unsafe fn of(plan: pg_sys::SPIPlanPtr) -> Vec<Self> {
        // SAFETY: by the caller's contract; a list of such statements.
        unsafe {
            let statements = pg_sys::SPI_plan_get_plan_sources(plan);
            let statements = PgList::<pg_sys::CachedPlanSource>::from_pg(statements);
            let valid = |&statement: &*mut pg_sys::CachedPlanSource| (*statement).is_valid;
            let with_plan = |statement: *mut pg_sys::CachedPlanSource| {
                let plan = (*statement).gplan;
                let plan = Some(plan).filter(|plan| !plan.is_null() && (**plan).is_valid);
                Self { statement, plan }
            };
            statements.iter_ptr().filter(valid).map(with_plan).collect()
        }
    }

    /// # Safety
    /// Since it was looked at, nothing was done but marking.
    unsafe fn restore(self) {
        // SAFETY: by the caller's contract.
        unsafe {
            (*self.statement).is_valid = true;
            if let Some(plan) = self.plan {
                (*plan).is_valid = true;
            }
        }
    }
}

fn is_saved() -> bool {
    let plan = PLAN.get();
    // SAFETY: a plan that was saved below and not freed since.
    !plan.is_null() && unsafe { pg_sys::SPI_plan_is_valid(plan) }
}

fn save() {
    Spi::connect(|_| {
        // SAFETY: connected to SPI; a plan that is kept outlives the connection.
        unsafe {
            let query = c"SELECT 1".as_ptr();
            let new = pg_sys::SPI_prepare(query, 0, ptr::null_mut());
            if new.is_null() || pg_sys::SPI_keepplan(new) != 0 {
                return; // not seen: everything is forgotten the next time too
            }
            let old = PLAN.replace(new);
            if !old.is_null() {
                pg_sys::SPI_freeplan(old);
            }
        }
    });
}
