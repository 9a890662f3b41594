//! How a wait for a model is shown in pg_stat_activity.

#[cfg(any(feature = "pg17", feature = "pg18"))]
use std::sync::OnceLock;

use pgrx::pg_sys;

/// While it lives, the session shows as waiting: wait event type Extension, and from PostgreSQL 17
/// on wait event Text2sqlModel.
pub struct Wait;

impl Wait {
    /// From now on.
    pub fn start() -> Self {
        // pgstat_report_wait_start(), which is an inline function in C
        Self::report(event());
        Wait
    }

    fn report(event: u32) {
        // SAFETY: this backend's own slot in shared memory.
        unsafe {
            #[cfg(feature = "pg13")]
            (&raw mut (*pg_sys::MyProc).wait_event_info).write_volatile(event);
            #[cfg(not(feature = "pg13"))]
            pg_sys::my_wait_event_info.write_volatile(event);
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        Self::report(0); // pgstat_report_wait_end()
    }
}

/// Its number.
#[cfg(any(feature = "pg17", feature = "pg18"))]
pub fn event() -> u32 {
    static EVENT: OnceLock<u32> = OnceLock::new();
    // SAFETY: registers a name in shared memory, once a backend.
    *EVENT.get_or_init(|| unsafe { pg_sys::WaitEventExtensionNew(c"Text2sqlModel".as_ptr()) })
}

/// Its number.
#[cfg(not(any(feature = "pg17", feature = "pg18")))]
pub fn event() -> u32 {
    pg_sys::PG_WAIT_EXTENSION
}
