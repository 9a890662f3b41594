//! SQLite files, read-only.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::connection::Database;
use crate::value::{Row, Table, Value};

/// Virtual machine steps between two checks of the clock.
const STEPS: i32 = 20_000;
/// Rows after which a result is abandoned; no gold result comes near.
const MAX_ROWS: usize = 2_000_000;

/// An open file.
pub struct Sqlite {
    connection: Connection,
    limit: Duration,
}

impl Sqlite {
    /// Open a file read-only; each query may run for `limit`.
    pub fn open(file: &Path, limit: Duration) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)
            .with_context(|| format!("opening {}", file.display()))?;
        Ok(Self { connection, limit })
    }

    fn rows(&self, sql: &str) -> Result<Table, Stop> {
        let mut statement = self.connection.prepare(sql)?;
        let columns: Vec<String> =
            statement.column_names().into_iter().map(str::to_owned).collect();
        let width = columns.len();
        let mut table = Table { columns, rows: Vec::new() };
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let values: rusqlite::Result<Row> =
                (0..width).map(|c| Ok(value(row.get_ref(c)?))).collect();
            table.rows.push(values?);
            if table.rows.len() > MAX_ROWS {
                return Err(Stop::TooManyRows);
            }
        }
        Ok(table)
    }
}

/// Why a query gave no result.
enum Stop {
    Sqlite(rusqlite::Error),
    TooManyRows,
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Stop::Sqlite(error)
    }
}

/// A value as Python's driver gives it to the scorers: invalid UTF-8 is dropped from text, as by
/// Spider's scorer.
fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(i) => Value::Int(i),
        ValueRef::Real(r) => Value::Real(r),
        ValueRef::Text(bytes) => Value::Text(match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(bytes).replace('\u{fffd}', ""),
        }),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

impl Database for Sqlite {
    fn query(&mut self, sql: &str) -> Result<Table, String> {
        let (started, limit) = (Instant::now(), self.limit);
        let late = move || started.elapsed() > limit;
        self.connection.progress_handler(STEPS, Some(late)).map_err(|e| e.to_string())?;
        let result = self.rows(sql);
        self.connection.progress_handler(0, None::<fn() -> bool>).map_err(|e| e.to_string())?;
        let interrupted = Some(rusqlite::ErrorCode::OperationInterrupted);
        result.map_err(|stop| match stop {
            Stop::TooManyRows => format!("stopped after {MAX_ROWS} rows"),
            Stop::Sqlite(error) if error.sqlite_error_code() == interrupted => {
                format!("stopped after {} s", limit.as_secs_f64())
            }
            Stop::Sqlite(error) => error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(limit: Duration) -> Sqlite {
        Sqlite { connection: Connection::open_in_memory().expect("memory"), limit }
    }

    #[test]
    fn an_endless_query_is_stopped_and_the_connection_stays_usable() {
        let mut database = memory(Duration::from_millis(30));
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                       SELECT count(*) FROM n";
        assert!(database.query(endless).expect_err("endless").contains("stopped"));
        assert_eq!(database.query("SELECT 1").expect("usable").rows, [[Value::Int(1)]]);
    }

    #[test]
    fn bytes_that_are_no_text_are_dropped() {
        let table = memory(Duration::from_secs(1)).query("SELECT CAST(x'61ff62' AS TEXT)");
        assert_eq!(table.expect("a row").rows, [[Value::Text("ab".into())]]);
    }
}
