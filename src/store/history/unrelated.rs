//! Transactions that write the history and nothing else. They change no table that a question may be about, so the
//! rows of such tables need not be compared again.

use std::cell::RefCell;

use pgrx::pg_sys::{self, CommandId, TransactionId};

use crate::pg::snapshot_id::UnrelatedTransactions;
use crate::pg::spi;

thread_local! {
    /// The transactions that are about to commit, and the last command in them.
    static WRITTEN: RefCell<Option<(Vec<TransactionId>, CommandId)>> = const { RefCell::new(None) };
}

/// Does `work`, which writes the history at the end of a transaction.
pub fn writing(work: impl FnOnce()) {
    // SAFETY: a look at the state of the transaction.
    let alone = unsafe { pg_sys::GetTopTransactionIdIfAny() } == pg_sys::InvalidTransactionId;
    work();
    let announced = alone && UnrelatedTransactions::shared().is_some() && !has_triggers();
    WRITTEN.set(announced.then(written));
}

/// Announces the transaction, which has committed.
pub fn committed() {
    let Some((transactions, last)) = WRITTEN.take() else { return };
    // SAFETY: as above. Another extension may have written something after the history.
    if unsafe { pg_sys::GetCurrentCommandId(false) } == last
        && let Some(unrelated) = UnrelatedTransactions::shared()
    {
        transactions.into_iter().for_each(|transaction| unrelated.announce(transaction));
    }
}

/// Returns the transaction with its subtransactions that are about to commit, and its last command.
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

/// Whether the table of the history has triggers, which may write elsewhere.
fn has_triggers() -> bool {
    let class = spi::own_table(c"history_entry");
    let has = class.and_then(|table| spi::class_of(table, |class| class.relhastriggers));
    has.unwrap_or(true)
}
