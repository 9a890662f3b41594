//! Answers of this session that may be given again, for each role of its own, until `DISCARD ALL`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pgrx::pg_sys;
use text2sql_engine::recent::Recent;

/// Roles of one session whose answers are kept; with one more all are forgotten.
const MOST_ROLES: usize = 8;

thread_local! {
    static ANSWERS: RefCell<BTreeMap<u32, Arc<Recent>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Those of the current role.
pub fn of_role() -> Arc<Recent> {
    // SAFETY: a plain read of the session's state.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    ANSWERS.with_borrow_mut(|answers| {
        if answers.len() == MOST_ROLES && !answers.contains_key(&role) {
            answers.clear();
        }
        Arc::clone(answers.entry(role).or_default())
    })
}

/// Forget those of all roles.
pub fn forget() {
    ANSWERS.take();
}
