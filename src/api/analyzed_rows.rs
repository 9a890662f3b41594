//! The rows that a trial has read while a statement was analysed, kept for its run: what `SELECT *
//! FROM ask('…')` reads before PostgreSQL plans it is usually the whole answer.
//!
//! They are used only if running the query again could give nothing else: in the same statement, by
//! the same role, under a snapshot that sees the same rows.

use std::cell::RefCell;

use pgrx::pg_sys;
use text2sql_engine::results::Held;
use text2sql_engine::settings::Limits;

use crate::exec::execute::TypedRows;

thread_local! {
    static HELD: RefCell<Vec<(Moment, String, TypedRows)>> = const { RefCell::new(Vec::new()) };
}

/// What decides which rows a query sees.
#[derive(PartialEq)]
struct Moment {
    /// Address and arrival time of the client's text.
    statement: (usize, i64),
    role: pg_sys::Oid,
    /// The snapshot: transactions that were running, and the command within ours.
    running: Vec<pg_sys::TransactionId>,
    bounds: [pg_sys::TransactionId; 2],
    command: pg_sys::CommandId,
}

impl Moment {
    /// The current one; None outside a statement.
    fn now() -> Option<Self> {
        // SAFETY: state of the backend, of one thread. An active snapshot has as many numbers of
        // transactions as it says.
        unsafe {
            if pg_sys::debug_query_string.is_null() || !pg_sys::ActiveSnapshotSet() {
                return None;
            }
            let snapshot = &*pg_sys::GetActiveSnapshot();
            let running = match snapshot.xcnt {
                0 => Vec::new(),
                count => std::slice::from_raw_parts(snapshot.xip, count as usize).to_vec(),
            };
            let sent = pg_sys::GetCurrentStatementStartTimestamp();
            Some(Self {
                statement: (pg_sys::debug_query_string as usize, sent),
                role: pg_sys::GetUserId(),
                running,
                bounds: [snapshot.xmin, snapshot.xmax],
                command: snapshot.curcid,
            })
        }
    }
}

/// Keep the rows of a query, for this statement.
pub fn keep(sql: &str, rows: TypedRows) {
    let Some(now) = Moment::now() else { return };
    HELD.with_borrow_mut(|held| {
        held.retain(|(moment, of, _)| *moment == now && of != sql);
        held.push((now, sql.to_owned(), rows));
    });
}

/// The rows that the query gave in this statement, if they are complete under `limits`. Those of
/// other statements are dropped.
pub fn take(sql: &str, limits: &Limits) -> Option<TypedRows> {
    HELD.with_borrow_mut(|held| {
        if held.is_empty() {
            return None;
        }
        let now = Moment::now();
        held.retain(|(moment, ..)| now.as_ref() == Some(moment));
        let place = held.iter().position(|(_, of, rows)| of == sql && is_within(rows, limits))?;
        Some(held.swap_remove(place).2)
    })
}

/// Whether an answer may have so many rows and bytes.
fn is_within(rows: &TypedRows, limits: &Limits) -> bool {
    let bytes: usize = rows.rows.rows.iter().flatten().flatten().map(String::len).sum();
    rows.count() <= limits.rows && bytes <= limits.bytes
}
