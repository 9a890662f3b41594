//! The planner's estimate of a table's rows: rows per page at the last ANALYZE, times the current number
//! of pages.

use pgrx::pg_sys::{self, Oid};

use crate::pg::{heap_scan, spi};

/// Returns the rows of a table that had `analysed` rows at the last ANALYZE. Returns `None` if they are
/// unknown, or if the caller does not see all of them.
pub fn now(table: Oid, analysed: Option<f64>) -> Option<f64> {
    if sees_some(table) {
        return None;
    }
    scaled(table).or(analysed)
}

/// Whether row security applies to the caller.
pub fn sees_some(table: Oid) -> bool {
    let secured = spi::class_of(table, |class| class.relrowsecurity);
    // SAFETY: a look-up in the system caches that raises no error where it is asked not to.
    let applies = || unsafe { pg_sys::check_enable_rls(table, pg_sys::InvalidOid, true) };
    secured == Some(true) && applies() == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
}

/// Returns the rows of a table without children by its pages, or `None` if it is locked.
fn scaled(table: Oid) -> Option<f64> {
    let (pages, rows) = spi::class_of(table, |class| {
        let kind = class.relkind as u8;
        let plain = kind == pg_sys::RELKIND_RELATION || kind == pg_sys::RELKIND_MATVIEW;
        // (an empty table that was analysed has no density)
        (plain && !class.relhassubclass && class.relpages > 0)
            .then_some((class.relpages, class.reltuples))
    })??;
    (rows >= 0.0).then_some(())?;
    // SAFETY: a plain table or materialized view, by what was looked up, which is open.
    let now = heap_scan::of_unlocked(table, |open| unsafe { heap_scan::pages(open) })?;
    Some((f64::from(rows) / f64::from(pages) * f64::from(now)).round())
}
