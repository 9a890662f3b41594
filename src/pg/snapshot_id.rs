//! What rows a snapshot of PostgreSQL sees, and which transactions changed none that a question is about: those that
//! wrote the history and nothing else. Each session tells all others of its own, so that many that ask in turn need
//! not look at small tables again.
//!
//! They are told in a few kilobytes of shared memory, from what PostgreSQL keeps for such requests, so nothing needs to
//! be preloaded (contrib/pg_prewarm does the same). Where that is used up, each question looks at the rows.

use std::cell::OnceCell;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};

use pgrx::PgTryBuilder;
use pgrx::pg_sys::{self, TransactionId};

/// At the same moment, in the same transaction or another, each table has the same rows.
#[derive(Debug, PartialEq, Eq)]
pub struct Moment {
    /// Transactions before the first were over, from the second on none had begun to be; those between
    /// were running.
    bounds: (u32, u32),
    running: Vec<TransactionId>,
    /// The command of this transaction.
    command: pg_sys::CommandId,
}

impl Moment {
    /// That of the active snapshot; None where there is none that tells.
    pub fn now() -> Option<Self> {
        // SAFETY: looks at global variables of this process, and at a snapshot while it is active: its
        // arrays have as many places as it says.
        unsafe {
            if !pg_sys::ActiveSnapshotSet() {
                return None;
            }
            let snapshot = &*pg_sys::GetActiveSnapshot();
            if snapshot.snapshot_type != pg_sys::SnapshotType::SNAPSHOT_MVCC {
                return None;
            }
            let listed = |list: *mut TransactionId, count: usize| match count {
                0 => &[][..],
                count => std::slice::from_raw_parts(list, count),
            };
            // (on a standby all are in the second list)
            let tops = listed(snapshot.xip, snapshot.xcnt as usize);
            let others = listed(snapshot.subxip, snapshot.subxcnt.max(0) as usize);
            Some(Self {
                bounds: (snapshot.xmin.into(), snapshot.xmax.into()),
                running: [tops, others].concat(),
                command: snapshot.curcid,
            })
        }
    }

    /// Whether tables have the rows that they had before, the history aside.
    pub fn has_rows_of(&self, before: &Self) -> bool {
        let ((_, from), (_, to)) = (before.bounds, self.bounds);
        let begun = to.wrapping_sub(from);
        if self == before {
            return true;
        }
        // a transaction that has written something is not among those that run beside it
        if (self.command, before.command) != (0, 0) || begun as usize > PLACES {
            return false;
        }
        let begun = (0..begun).map(|n| TransactionId::from(from.wrapping_add(n)));
        let mut over = begun.chain(before.running.iter().copied());
        let Some(apart) = Apart::table() else { return false };
        over.all(|t| self.running.contains(&t) || apart.has(t))
    }
}

/// Transactions that are told: each in the place that its number has.
const PLACES: usize = 512;

/// Transactions that wrote the history and nothing else and have committed, by their numbers with the epoch; 0 for
/// none.
pub struct Apart([AtomicU64; PLACES]);

impl Apart {
    /// Those of all sessions; None without memory. The first call is not made while a transaction ends.
    pub fn table() -> Option<&'static Self> {
        thread_local! {
            static TABLE: OnceCell<Option<&'static Apart>> = const { OnceCell::new() };
        }
        TABLE.with(|table| *table.get_or_init(Self::shared))
    }

    fn shared() -> Option<&'static Self> {
        let found = PgTryBuilder::new(AssertUnwindSafe(|| {
            let (name, mut known) = (c"text2sql: transactions apart", false);
            // SAFETY: the name has less than 48 bytes. An error leaves nothing locked.
            unsafe {
                pg_sys::ShmemInitStruct(name.as_ptr(), size_of::<Self>(), &raw mut known)
                    .cast_const()
                    .cast::<Self>()
            }
        }))
        .catch_others(|_| std::ptr::null())
        .execute();
        // SAFETY: memory of this size for all sessions until the server ends, aligned to a cache line. PostgreSQL
        // hands it out once and never takes it back, so it has only the zeros that it began with and what was told.
        unsafe { found.as_ref() }
    }

    /// Tell of a transaction of this session that has committed.
    pub fn tell(&self, transaction: TransactionId) {
        self.place(transaction).store(with_epoch(transaction), Ordering::Release);
    }

    fn has(&self, transaction: TransactionId) -> bool {
        self.place(transaction).load(Ordering::Acquire) == with_epoch(transaction)
    }

    fn place(&self, transaction: TransactionId) -> &AtomicU64 {
        &self.0[u32::from(transaction) as usize % PLACES]
    }
}

/// The number of a transaction that has begun, among all that there ever were.
fn with_epoch(transaction: TransactionId) -> u64 {
    // SAFETY: reads the server's state.
    let next = unsafe { pg_sys::ReadNextFullTransactionId() }.value;
    next - u64::from((next as u32).wrapping_sub(transaction.into()))
}
