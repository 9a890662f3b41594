//! An own timer that stops the running query, as a cancel would, and is told apart from one.
//! (`statement_timeout` does nothing to a statement that already runs.)

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pgrx::pg_sys;

// utils/timeout.h is not in pgrx's bindings. None of the three raises an error once the timer
// is registered.
unsafe extern "C-unwind" {
    fn RegisterTimeout(id: c_int, handler: Option<unsafe extern "C" fn()>) -> c_int;
    fn enable_timeout_after(id: c_int, delay_ms: c_int);
    fn disable_timeout(id: c_int, keep_indicator: bool);
}

/// The first of the timers left to extensions (enum TimeoutId).
const USER_TIMEOUT: c_int = if cfg!(feature = "pg13") {
    8
} else if cfg!(feature = "pg14") {
    10
} else if cfg!(any(feature = "pg15", feature = "pg16")) {
    12
} else {
    13
};

static FIRED: AtomicBool = AtomicBool::new(false);

/// Signal handler: flags only, as PostgreSQL's own StatementCancelHandler.
unsafe extern "C" fn on_timeout() {
    FIRED.store(true, Ordering::SeqCst);
    // SAFETY: flags and a latch that are made for signal handlers.
    unsafe {
        std::ptr::write_volatile(&raw mut pg_sys::QueryCancelPending, 1);
        std::ptr::write_volatile(&raw mut pg_sys::InterruptPending, 1);
        pg_sys::SetLatch(pg_sys::MyLatch);
    }
}

fn id() -> c_int {
    static ID: OnceLock<c_int> = OnceLock::new();
    // SAFETY: registered once a backend, from its only thread.
    *ID.get_or_init(|| unsafe { RegisterTimeout(USER_TIMEOUT, Some(on_timeout)) })
}

/// A running timer; it is off when dropped.
#[must_use]
pub struct Timer(());

impl Timer {
    /// Cancel what runs after `time`.
    pub fn start(time: Duration) -> Self {
        FIRED.store(false, Ordering::SeqCst);
        let ms = c_int::try_from(time.as_millis()).unwrap_or(c_int::MAX).max(1);
        // SAFETY: the timer is registered.
        unsafe { enable_timeout_after(id(), ms) };
        Self(())
    }

    /// Whether the time is over.
    pub fn fired(&self) -> bool {
        FIRED.load(Ordering::SeqCst)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer is registered. If it fired too late to stop anything, its request
        // must not hit the next query.
        unsafe {
            disable_timeout(id(), false);
            if FIRED.swap(false, Ordering::SeqCst) {
                std::ptr::write_volatile(&raw mut pg_sys::QueryCancelPending, 0);
            }
        }
    }
}
