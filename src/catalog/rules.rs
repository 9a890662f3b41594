//! The stored query of a view and the expression of a generated column, as PostgreSQL keeps them
//! (`pg_rewrite.ev_action`, `pg_attrdef.adbin`): a tree with OIDs and column numbers. No name can be taken for another, and no relation is opened or locked, as
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
    let first = |queries: *mut Node| {
        // SAFETY: tags are looked at before any cast; a rule that is read is a list of queries.
        unsafe {
            if !is_a(queries, NodeTag::T_List) {
                return None;
            }
            let query = PgList::<Node>::from_pg(queries.cast()).get_ptr(0)?;
            is_a(query, NodeTag::T_Query).then(|| work(query.cast()))
        }
    };
    // SAFETY: by the caller's contract.
    unsafe { with_tree(rule, first) }.flatten()
}

/// The same for any stored tree.
///
/// # Safety
/// As for [`with_query`].
pub unsafe fn with_tree<R>(stored: &str, work: impl FnOnce(*mut Node) -> R) -> Option<R> {
    let stored = CString::new(stored).ok().filter(|text| text.as_bytes().len() <= MAX_BYTES)?;
    let read = AssertUnwindSafe(|| {
        let mut memory = PgMemoryContexts::new("text2sql view");
        // SAFETY: what PostgreSQL stored; `work` looks at tags before it casts.
        unsafe {
            memory.switch_to(|_| {
                let tree = pg_sys::stringToNode(stored.as_ptr()).cast::<Node>();
                (!tree.is_null()).then(|| work(tree))
            })
        }
    });
    let too_deep = PgSqlErrorCode::ERRCODE_STATEMENT_TOO_COMPLEX;
    PgTryBuilder::new(read).catch_when(too_deep, |_| None).execute()
}
