//! The stored query of a view, as PostgreSQL keeps it (`pg_rewrite.ev_action`): a tree with OIDs and
//! column numbers. No name can be taken for another, and no relation is opened or locked, as
//! `pg_get_viewdef()` would.
//!
//! Anybody may have made the view, and everybody's catalog is read past it: one that is too much to
//! be read says nothing, and ends nobody's call.

use std::ffi::CString;
use std::panic::AssertUnwindSafe;

use pgrx::pg_sys::{self, Node, NodeTag, Query};
use pgrx::prelude::*;
use pgrx::{PgList, PgMemoryContexts, PgTryBuilder, is_a};

/// Longest rule that is read, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// Characters of a rule that are fetched: a longer one is no more than seen to be longer.
pub const CUT: i32 = MAX_BYTES as i32 + 1;

/// What `work` makes of a rule's query; None where that is too long, or nests too deep for the stack.
/// What reading leaves goes at once.
///
/// # Safety
/// `work` keeps nothing of the tree and lets no error pass that leaves anything open.
pub unsafe fn with_query<R>(rule: &str, work: impl FnOnce(*mut Query) -> R) -> Option<R> {
    let rule = CString::new(rule).ok().filter(|rule| rule.as_bytes().len() <= MAX_BYTES)?;
    let read = AssertUnwindSafe(|| {
        let mut memory = PgMemoryContexts::new("text2sql view");
        // SAFETY: tags are looked at before any cast; a rule that is read is a list of queries.
        unsafe {
            memory.switch_to(|_| {
                let queries = pg_sys::stringToNode(rule.as_ptr()).cast::<Node>();
                if queries.is_null() || !is_a(queries, NodeTag::T_List) {
                    return None;
                }
                let query = PgList::<Node>::from_pg(queries.cast()).get_ptr(0)?;
                is_a(query, NodeTag::T_Query).then(|| work(query.cast()))
            })
        }
    });
    let too_deep = PgSqlErrorCode::ERRCODE_STATEMENT_TOO_COMPLEX;
    PgTryBuilder::new(read).catch_when(too_deep, |_| None).execute()
}
