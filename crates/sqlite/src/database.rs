//! The engine's [`Database`] port over a SQLite connection.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;
use rusqlite::{Connection, ffi};
use text2sql_engine::catalog::{Catalog, TableId, TableStatistics};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::error::{Error, QueryError};
use text2sql_engine::example::Example;
use text2sql_engine::guard::{Checked, Verdict};
use text2sql_engine::ledger::LedgerEntry;
use text2sql_engine::ports::{Database, ValueHit, ValueQuery};
use text2sql_engine::rows::Rows;
use text2sql_engine::settings::Limits;

use crate::execute::Table;
use crate::functions::{self, Functions};
use crate::guard::Guard;
use crate::ledger::Ledger;
use crate::session::{Action, Authorizer};
use crate::summary::{self, Summaries};
use crate::values::ValueStore;
use crate::{catalog, examples, execute, guard, statistics, values};

/// Time after which no further table is sampled for one search.
const SAMPLING_TIME: Duration = Duration::from_secs(5);

/// What was learnt of a connection's databases, kept between calls. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    snapshot: Arc<Mutex<Option<Arc<Snapshot>>>>,
    summaries: Summaries,
    ledger: Ledger,
}

/// A catalog with what was learnt of its data, as of one version.
#[derive(Debug)]
struct Snapshot {
    version: catalog::Version,
    functions: Functions,
    withholds_secrets: bool,
    catalog: Arc<Catalog>,
    statistics: Vec<OnceCell<Arc<TableStatistics>>>,
    values: OnceCell<ValueStore>,
}

/// A SQLite connection with everything attached to it, as the engine sees a database.
///
/// Everything runs on this one connection: it sees the caller's uncommitted work and temporary
/// tables, and nothing that the caller could not read.
#[derive(Debug)]
pub struct SqliteDatabase {
    connection: Connection,
    cache: Cache,
    progress: Cell<bool>,
    withhold_secrets: Cell<bool>,
}

impl SqliteDatabase {
    /// Over a connection of one's own, or a borrowed one (`Connection::from_handle`).
    pub fn new(connection: Connection) -> Self {
        Self::with_cache(connection, Cache::default())
    }

    /// With a cache that outlives this value. It must only be used with the same connection.
    pub fn with_cache(connection: Connection, cache: Cache) -> Self {
        let (progress, withhold_secrets) = (Cell::new(false), Cell::new(true));
        Self { connection, cache, progress, withhold_secrets }
    }

    /// Whether [`Database::progress`] writes to standard error; off at first.
    pub fn set_progress(&self, progress: bool) {
        self.progress.set(progress);
    }

    /// Whether columns that look like secrets count as labelled; on at first.
    pub fn set_withhold_secrets(&self, withhold: bool) {
        self.withhold_secrets.set(withhold);
    }

    /// The connection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What calls to models held on this connection.
    pub fn ledger(&self) -> &Ledger {
        &self.cache.ledger
    }

    /// Run SQL of the library's own. Views, triggers and generated columns that it comes by call
    /// no function but those of the list, and so never this library's.
    pub fn own<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let calls = |action: &Action<'_>| action.code == ffi::SQLITE_FUNCTION;
        let _authorizer = Authorizer::new(&self.connection, |action| {
            !calls(&action) || action.arguments[1].is_some_and(functions::is_listed)
        });
        work(&self.connection)
    }

    /// Run a checked query, keeping SQLite's own values.
    pub fn fetch(&self, query: &Checked, limits: &Limits) -> Result<Table, QueryError> {
        let snapshot = self.snapshot_for(query.sql())?;
        execute::run(snapshot.guard(&self.connection), query, limits)
    }

    /// Names and declared types (empty for expressions) of a query's columns, without running it.
    pub fn columns_of(&self, sql: &str) -> Result<Vec<(String, String)>, QueryError> {
        let snapshot = self.snapshot_for(sql)?;
        snapshot.guard(&self.connection).prepared(sql, |s| Ok(execute::columns(s)))
    }

    /// Make the tables that keep summaries.
    pub fn keep_summaries(&self) -> Result<(), Error> {
        let snapshot = self.fresh()?;
        self.own(|c| summary::create(c, &snapshot.catalog.tables)).map_err(database_error)
    }

    /// The snapshot, made anew if anything changed.
    fn fresh(&self) -> Result<Arc<Snapshot>, Error> {
        let snapshot = self.own(|connection| {
            let version = catalog::version(connection)?;
            let functions = Functions::of(connection)?;
            let withholds_secrets = self.withhold_secrets.get();
            if let Some(known) = self.known()
                && known.version == version
                && known.functions == functions
                && known.withholds_secrets == withholds_secrets
            {
                return Ok(known);
            }
            let catalog = catalog::read(connection, &functions, withholds_secrets)?;
            let catalog = Arc::new(catalog);
            let statistics = catalog.table_ids().map(|_| OnceCell::new()).collect();
            let values = OnceCell::new();
            let snapshot =
                Snapshot { version, functions, withholds_secrets, catalog, statistics, values };
            Ok(Arc::new(snapshot))
        });
        let snapshot = snapshot.map_err(database_error)?;
        *self.cache.snapshot.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(snapshot.clone());
        Ok(snapshot)
    }

    fn known(&self) -> Option<Arc<Snapshot>> {
        self.cache.snapshot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The snapshot whose positions the engine uses at the moment.
    fn current(&self) -> Result<Arc<Snapshot>, Error> {
        self.known().map_or_else(|| self.fresh(), Ok)
    }

    fn snapshot_for(&self, sql: &str) -> Result<Arc<Snapshot>, QueryError> {
        self.current().map_err(|e| guard::refused(sql, e.code(), e.to_string()))
    }
}

impl Snapshot {
    /// What judges queries on the connection.
    fn guard<'a>(&'a self, connection: &'a Connection) -> Guard<'a> {
        Guard { connection, catalog: &self.catalog, functions: &self.functions }
    }

    fn statistics(
        &self,
        database: &Connection,
        table: TableId,
    ) -> rusqlite::Result<&Arc<TableStatistics>> {
        self.statistics[table.0 as usize].get_or_try_init(|| {
            statistics::sample(database, self.catalog.table(table)).map(Arc::new)
        })
    }

    /// Statistics of all tables; a table that cannot be sampled, or not within the time for all,
    /// has empty entries. Errors: the host interrupts.
    fn all_statistics(&self, database: &Connection) -> rusqlite::Result<Vec<Arc<TableStatistics>>> {
        let empty = |t| {
            let columns = vec![Default::default(); self.catalog.table(t).columns.len()];
            Arc::new(TableStatistics { columns })
        };
        let started = Instant::now();
        let one = |t: TableId| match self.statistics[t.0 as usize].get() {
            Some(known) => Ok(known.clone()),
            None if started.elapsed() > SAMPLING_TIME => Ok(empty(t)),
            None => match self.statistics(database, t) {
                Ok(known) => Ok(known.clone()),
                Err(error) if execute::is_interrupt(&error) => Err(error),
                Err(_) => Ok(empty(t)),
            },
        };
        self.catalog.table_ids().map(one).collect()
    }
}

impl Database for SqliteDatabase {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn catalog(&self) -> Result<Arc<Catalog>, Error> {
        Ok(self.fresh()?.catalog.clone())
    }

    fn statistics(&self, table: TableId) -> Result<Arc<TableStatistics>, Error> {
        let snapshot = self.current()?;
        self.own(|c| snapshot.statistics(c, table).cloned()).map_err(database_error)
    }

    fn find_values(&self, query: &ValueQuery<'_>) -> Result<Vec<ValueHit>, Error> {
        let snapshot = self.current()?;
        let catalog = &snapshot.catalog;
        let known = self.own(|c| snapshot.all_statistics(c)).map_err(database_error)?;
        let store = snapshot.values.get_or_init(|| ValueStore::new(catalog, &known));
        self.own(|c| values::find(c, catalog, &known, store, query)).map_err(database_error)
    }

    fn judge(&self, sql: &str) -> Result<Verdict, QueryError> {
        self.snapshot_for(sql)?.guard(&self.connection).judge(sql)
    }

    fn run(&self, query: &Checked, limits: &Limits) -> Result<Rows, QueryError> {
        self.fetch(query, limits).map(Rows::from)
    }

    fn today(&self) -> Result<String, Error> {
        // UTC, as in the dates that SQL computes here
        self.connection.query_row("SELECT date()", [], |r| r.get(0)).map_err(database_error)
    }

    /// The table `text2sql_hint` of the main database, where there is one.
    fn glossary(&self) -> Result<Vec<(String, String)>, Error> {
        let rows = self.own(|connection| {
            // a view or virtual table of that name would run what its maker wrote
            if !connection.prepare(include_str!("sql/is_glossary.sql"))?.exists([])? {
                return Ok(Vec::new());
            }
            let mut terms = connection.prepare(include_str!("sql/glossary.sql"))?;
            terms.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        });
        rows.map_err(database_error)
    }

    fn example(&self, key: &str) -> Result<Option<String>, Error> {
        self.own(|c| examples::get(c, key)).map_err(database_error)
    }

    fn examples(&self) -> Result<Vec<Example>, Error> {
        self.own(examples::all).map_err(database_error)
    }

    fn remember(&self, key: &str, example: &Example) -> Result<(), Error> {
        self.own(|c| examples::put(c, key, example)).map_err(database_error)
    }

    fn stored_summary(&self, table: TableId, fingerprint: u64) -> Result<Option<String>, Error> {
        let snapshot = self.current()?;
        let (known, table) = (&self.cache.summaries, snapshot.catalog.table(table));
        self.own(|c| known.get(c, table, fingerprint)).map_err(database_error)
    }

    fn store_summary(&self, table: TableId, fingerprint: u64, text: &str) -> Result<(), Error> {
        let snapshot = self.current()?;
        let (known, table) = (&self.cache.summaries, snapshot.catalog.table(table));
        self.own(|c| known.put(c, table, fingerprint, text)).map_err(database_error)
    }

    fn record(&self, entry: &LedgerEntry) -> Result<(), Error> {
        self.cache.ledger.keep(entry);
        Ok(())
    }

    fn progress(&self, line: &str) {
        if self.progress.get() {
            eprintln!("text2sql: {line}");
        }
    }
}

/// SQLite's error in reading what the engine asked of the database itself.
fn database_error(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => Error::Cancelled,
        _ => Error::Database(error.to_string()),
    }
}
