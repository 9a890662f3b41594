//! What a session remembers until `DISCARD ALL`, for each role of its own: answers that may be
//! given again, and the conversation.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pgrx::pg_sys;
use text2sql_engine::conversation::Conversation;
use text2sql_engine::recent::Recent;

/// Roles of one session that something is remembered for; with one more all are forgotten.
const MOST_ROLES: usize = 8;

/// What is remembered for a role.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Answers.
    pub recent: Arc<Recent>,
    /// Questions, where the session asked for that.
    pub conversation: Arc<Conversation>,
}

thread_local! {
    static MEMORIES: RefCell<BTreeMap<u32, Memory>> = const { RefCell::new(BTreeMap::new()) };
}

/// That of the current role.
pub fn of_role() -> Memory {
    // SAFETY: a plain read of the session's state.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    MEMORIES.with_borrow_mut(|memories| {
        if memories.len() == MOST_ROLES && !memories.contains_key(&role) {
            memories.clear();
        }
        memories.entry(role).or_default().clone()
    })
}

/// Forget that of all roles.
pub fn forget() {
    MEMORIES.take();
}

/// Forget the conversations of all roles.
pub fn forget_conversations() {
    MEMORIES.with_borrow(|memories| {
        memories.values().for_each(|memory| memory.conversation.forget());
    });
}
