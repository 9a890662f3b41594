//! The stored query of a view, as PostgreSQL keeps it (`pg_rewrite.ev_action`): a tree with OIDs and
//! column numbers. No name can be taken for another, and no relation is opened or locked, as
//! `pg_get_viewdef()` would.
//!
//! Anybody may have made the view, and everybody's catalog is read past it: one that is too much to
//! be read says nothing, and ends nobody's call. One rule at a time is in memory.

use std::collections::HashMap;
use std::ffi::CStr;
use std::panic::AssertUnwindSafe;

use pgrx::pg_sys::{self, Node, NodeTag, Oid, Query};
use pgrx::prelude::*;
use pgrx::{PgList, PgMemoryContexts, PgTryBuilder, is_a};

use crate::bounds::{RULE, RULES_OF_ONE_OWNER};
use crate::spi;
use crate::stored_rows::{self, Index, each_of, place};

/// The catalog pg_rewrite, which pgrx does not name, and its index by relation.
const RULES: Oid = Oid::from_u32(2618);
const RULES_OF: Oid = Oid::from_u32(2693);
/// The `ev_type` of what a view shows.
const SELECT: u8 = b'1';

/// A view with its owner.
pub type View = (Oid, Oid);

/// What `work` makes of each view's query; None where that is too long or nests too deep for the stack,
/// or where shorter ones of the same owner took all the room.
///
/// # Safety
/// `work` keeps nothing of the tree and lets no error pass that leaves anything open.
pub unsafe fn each<R>(
    views: &[View],
    mut work: impl FnMut(*mut Query) -> R,
) -> HashMap<Oid, Option<R>> {
    let mut found = HashMap::new();
    if views.is_empty() {
        return found;
    }
    let mut sizes = Vec::with_capacity(views.len());
    let owners: HashMap<Oid, Oid> = views.iter().copied().collect();
    let views: Vec<Oid> = views.iter().map(|(view, _)| *view).collect();
    spi::as_of_now(|| {
        // SAFETY: a size is looked at in the row's own head.
        unsafe {
            rule(&views, |view, action| sizes.push((pg_sys::toast_raw_datum_size(action), view)));
        }
        sizes.sort_unstable_by_key(|&(size, view)| (size, view.to_u32()));
        let mut taken: HashMap<Oid, usize> = HashMap::new();
        for (size, view) in sizes {
            pgrx::check_for_interrupts!();
            let taken = taken.entry(owners[&view]).or_default();
            *taken += size;
            let made = match size <= RULE && *taken <= RULES_OF_ONE_OWNER {
                // SAFETY: by the caller's contract.
                true => unsafe { of_view(view, &mut work) },
                false => None,
            };
            found.insert(view, made);
        }
    });
    found
}

unsafe fn of_view<R>(view: Oid, work: &mut impl FnMut(*mut Query) -> R) -> Option<R> {
    let mut made = None;
    // SAFETY: by the caller's contract; a text that is not NULL.
    unsafe {
        rule(&[view], |_, action| {
            made = with_query(
                CStr::from_ptr(pg_sys::text_to_cstring(action.cast_mut_ptr())),
                &mut *work,
            );
        });
    }
    made
}

/// See what these views show.
///
/// # Safety
/// `see` keeps nothing of it. A snapshot is active.
unsafe fn rule(views: &[Oid], mut see: impl FnMut(Oid, pg_sys::Datum)) {
    let [class, kind, action] = [c"ev_class", c"ev_type", c"ev_action"].map(|of| place(RULES, of));
    let of_view = Index { oid: RULES_OF, column: class };
    // SAFETY: a catalog that there always is, with this index and these columns, none of which is NULL.
    unsafe {
        each_of(RULES, of_view, Some(views), |row, shape| {
            let at = |column| stored_rows::value(row, shape, column).0;
            if at(kind).value() as u8 == SELECT {
                see(Oid::from(at(class).value() as u32), at(action));
            }
        });
    }
}

/// What `work` makes of a rule's query; None where that nests too deep for the stack. What reading
/// leaves goes at once.
unsafe fn with_query<R>(rule: &CStr, work: impl FnOnce(*mut Query) -> R) -> Option<R> {
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
