//! Transactions that write the history and nothing else: after them the tables that are asked about have the
//! rows that they had, and need not be looked at again.

use std::cell::RefCell;

use pgrx::pg_sys::{self, CommandId, TransactionId};

use crate::pg::snapshot_id::Apart;
use crate::pg::spi;

thread_local! {
    /// The transactions that are about to commit, and the last command in them.
    static WRITTEN: RefCell<Option<(Vec<TransactionId>, CommandId)>> = const { RefCell::new(None) };
}

/// Do `work`, which writes the history at the end of a transaction.
pub fn writing(work: impl FnOnce()) {
    // SAFETY: a look at the state of the transaction.
    let alone = unsafe { pg_sys::GetTopTransactionIdIfAny() } == pg_sys::InvalidTransactionId;
    work();
    let tells = alone && Apart::table().is_some() && !has_triggers();
    WRITTEN.set(tells.then(written));
}

/// The transaction has committed.
pub fn committed() {
    let Some((transactions, last)) = WRITTEN.take() else { return };
    // SAFETY: as above. Another extension may have written something after the history.
    if unsafe { pg_sys::GetCurrentCommandId(false) } == last
        && let Some(apart) = Apart::table()
    {
        transactions.into_iter().for_each(|transaction| apart.tell(transaction));
    }
}

/// The transaction with those below it that are to be committed.
fn written() -> (Vec<TransactionId>, CommandId) {
    let mut below = std::ptr::null_mut();
    // SAFETY: as above; the list has as many places as it says, or is none.
    unsafe {
        let count = pg_sys::xactGetCommittedChildren(&raw mut below);
        let below = match count {
            ..=0 => &[][..],
            count => std::slice::from_raw_parts(below, count as usize),
        };
        let all = [&[pg_sys::GetTopTransactionIdIfAny()], below].concat();
        (all, pg_sys::GetCurrentCommandId(false))
    }
}

/// Whether somebody's triggers write with the history.
fn has_triggers() -> bool {
    let class = spi::own_table(c"history_entry");
    let has = class.and_then(|table| spi::class_of(table, |class| class.relhastriggers));
    has.unwrap_or(true)
}
