//! The connection that the library works on: which of its own tables there count, and notices to
//! its user.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Result};
use text2sql_engine::dialect::Dialect;

use crate::own_tables::{self, Found, OwnTable, Trust};
use crate::text::in_database;

/// What outlives a [`Handle`] of the same connection. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    notices: Arc<Mutex<Vec<String>>>,
    /// Own tables that this connection made, by database.
    made: Arc<Mutex<BTreeSet<(String, &'static str)>>>,
}

/// An owned connection, or a borrowed one.
#[derive(Debug)]
pub struct Handle {
    connection: Connection,
    kept: Kept,
    progress: Cell<bool>,
    trust: RefCell<Trust>,
}

impl Handle {
    /// Over a connection; `kept` must only be used with the same one.
    pub fn new(connection: Connection, kept: Kept) -> Self {
        Self { connection, kept, progress: Cell::new(false), trust: RefCell::default() }
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Set whether [`Self::progress`] writes to standard error; initially off.
    pub fn set_progress(&self, progress: bool) {
        self.progress.set(progress);
    }

    /// Set which databases are trusted; initially all.
    pub fn set_trust(&self, trust: Trust) {
        self.trust.replace(trust);
    }

    /// Whose own tables count.
    pub fn trust(&self) -> Trust {
        self.trust.borrow().clone()
    }

    /// Whether an own table of a database counts: it exists, is the library's, and the host trusts
    /// the file or this connection made it. If not, a notice says why.
    pub fn counts(&self, database: &str, table: &OwnTable) -> Result<bool> {
        match own_tables::look(&self.connection, database, table)? {
            Found::Nothing => Ok(false),
            Found::Other => {
                self.notice(&own_tables::not_ours(database, table));
                Ok(false)
            }
            Found::Own => {
                let made = self.kept.made.lock().unwrap_or_else(PoisonError::into_inner);
                let counts = made.contains(&(database.to_owned(), table.name))
                    || self.trust.borrow().includes(&self.connection, database)?;
                if !counts {
                    let trust = Dialect::Sqlite.set_command("trust", database);
                    let name = in_database(database, table.name);
                    self.notice(&format!("{name} is not used: the file is not trusted: {trust}"));
                }
                Ok(counts)
            }
        }
    }

    /// Run `make`, which creates an own table, and note if it is new: its contents are then the
    /// caller's.
    pub fn making<T>(
        &self,
        database: &str,
        table: &OwnTable,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let before = own_tables::look(&self.connection, database, table)?;
        let made = make()?;
        if before == Found::Nothing {
            let mut known = self.kept.made.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert((database.to_owned(), table.name));
        }
        Ok(made)
    }

    /// Tell the user what the answer rests on, once per question.
    pub fn notice(&self, line: &str) {
        self.progress(line);
        let mut notices = self.kept.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.iter().any(|known| known == line) {
            notices.push(line.to_owned());
        }
    }

    /// Notices since [`Self::forget_notices`].
    pub fn notices(&self) -> Vec<String> {
        self.kept.notices.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A new question begins.
    pub fn forget_notices(&self) {
        self.kept.notices.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Report progress of long work.
    pub fn progress(&self, line: &str) {
        if self.progress.get() {
            eprintln!("text2sql: {line}");
        }
    }
}
