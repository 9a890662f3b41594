//! `DISCARD ALL`, with which a pooler hands a session to the next client, who must not see what it
//! knew.
//!
//! PostgreSQL does not report it, but it invalidates every saved plan, so one plan is saved to
//! detect it. (A few changes of schemas, operators and servers invalidate it too; everything is
//! then read again, which is correct and rare.)

use std::cell::Cell;
use std::ptr;

use pgrx::{Spi, pg_sys};

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

/// The plan, once it is saved.
pub fn saved_plan() -> Option<pg_sys::SPIPlanPtr> {
    Some(PLAN.get()).filter(|plan| !plan.is_null())
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
