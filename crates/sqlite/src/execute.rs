//! Running a checked query: under the guard's authorizer, with limits, leaving nothing behind.

use std::time::Instant;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Error, Row, Statement};
use text2sql_engine::error::{QueryError, QueryErrorKind};
use text2sql_engine::guard::Checked;
use text2sql_engine::results::{Held, LOOKED_AT};
use text2sql_engine::rows::{ResultColumn, Rows};
use text2sql_engine::settings::Limits;

use crate::guard::{self, Guard};
use crate::query_error;
use crate::session::{Bounds, Deadline, is_interrupt};
use crate::text::text_of;
use crate::types::{self, Looks};

/// A result with SQLite's own values.
#[derive(Debug, Default)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<ResultColumn>,
    /// The rows, each as wide as `columns`.
    pub rows: Vec<Vec<Value>>,
    /// There were more rows than the limit.
    pub truncated: bool,
    /// Time of the execution in milliseconds.
    pub ms: f64,
}

impl Table {
    /// The first rows as text.
    fn texts(&self, rows: usize) -> Rows {
        let text = |value: &Value| text_of(ValueRef::from(value));
        let first = self.rows.iter().take(rows).map(|row| row.iter().map(text).collect());
        Rows {
            columns: self.columns.clone(),
            rows: first.collect(),
            truncated: self.truncated || self.rows.len() > rows,
            ms: self.ms,
        }
    }
}

impl From<Table> for Rows {
    fn from(table: Table) -> Self {
        table.texts(table.rows.len())
    }
}

impl Held for Table {
    fn first(&self) -> Rows {
        self.texts(LOOKED_AT)
    }

    fn count(&self) -> usize {
        self.rows.len()
    }

    fn is_cut(&self) -> bool {
        self.truncated
    }
}

/// Run a checked query.
pub fn run(guard: Guard<'_>, query: &Checked, limits: &Limits) -> Result<Table, QueryError> {
    let started = Instant::now();
    let sql = query.sql();
    let bounds = Bounds::new(guard.connection, &guard::bounds(limits));
    let deadline = Deadline::new(guard.connection, limits.time);
    let column = |&column| guard.catalog.column(column).values.are_withheld();
    let withheld = query.verdict().columns.iter().any(column);
    let result =
        guard.prepared(sql, |statement| fetch(statement, limits, query, withheld, &deadline));
    drop((deadline, bounds));
    let mut table = result?;
    table.ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(table)
}

/// The first rows of a statement, which reads values that are `withheld`.
fn fetch(
    statement: &mut Statement<'_>,
    limits: &Limits,
    query: &Checked,
    withheld: bool,
    deadline: &Deadline<'_>,
) -> Result<Table, QueryError> {
    let sql = query.sql();
    let declared = columns(statement);
    let mut looks = vec![Looks::default(); declared.len()];
    let mut table = Table::default();
    let mut bytes = 0;
    let failed = |error: Error| match deadline.passed() && is_interrupt(&error) {
        true => out_of_time(sql, limits),
        false => query_error::failed(sql, &error, withheld),
    };
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        if table.rows.len() == limits.rows {
            table.truncated = true;
            break;
        }
        table.rows.push(take(row, &mut looks, &mut bytes).map_err(failed)?);
        if bytes > limits.bytes {
            return Err(too_large(sql, limits));
        }
    }
    table.columns = declared
        .into_iter()
        .zip(&looks)
        .map(|((name, data_type), looks)| {
            let class = types::result_class(&data_type, looks);
            ResultColumn { name, data_type, class }
        })
        .collect();
    Ok(table)
}

/// Names and declared types of a statement's columns.
pub fn columns(statement: &Statement<'_>) -> Vec<(String, String)> {
    let columns = statement.columns();
    let column = |c: &rusqlite::Column<'_>| {
        (c.name().to_owned(), c.decl_type().unwrap_or_default().to_owned())
    };
    columns.iter().map(column).collect()
}

fn take(row: &Row<'_>, looks: &mut [Looks], bytes: &mut usize) -> Result<Vec<Value>, Error> {
    let mut values = Vec::with_capacity(looks.len());
    for (i, look) in looks.iter_mut().enumerate() {
        let value = row.get_ref(i)?;
        look.see(value);
        *bytes += match value {
            ValueRef::Text(b) | ValueRef::Blob(b) => b.len(),
            _ => 8,
        };
        values.push(match value {
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            other => other.try_into()?,
        });
    }
    Ok(values)
}

fn out_of_time(sql: &str, limits: &Limits) -> QueryError {
    QueryError {
        kind: QueryErrorKind::Limited,
        hint: Some("SELECT text2sql_config('statement_timeout', '60000');".to_owned()),
        ..guard::refused(
            sql,
            "57014",
            format!("the query ran longer than {} ms", limits.time.as_millis()),
        )
    }
}

fn too_large(sql: &str, limits: &Limits) -> QueryError {
    QueryError {
        kind: QueryErrorKind::Limited,
        hint: Some("SELECT text2sql_config('max_bytes', '134217728');".to_owned()),
        ..guard::refused(sql, "54000", format!("the result has more than {} bytes", limits.bytes))
    }
}
