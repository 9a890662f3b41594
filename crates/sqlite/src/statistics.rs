//! Statistics from a bounded sample of a table's rows.

use std::collections::HashMap;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};
use text2sql_engine::catalog::{ColumnStatistics, Table, TableKind, TableStatistics, distinct_in};
use text2sql_engine::dialect::Dialect;

use crate::session::{Deadline, is_interrupt, looked};
use crate::text::in_database;
use crate::text::text_of;

/// Rows sampled of one table. A larger one is read in blocks spread evenly over its rowids.
const SAMPLED_ROWS: usize = 20_000;
const BLOCKS: i64 = 40;
/// Time that sampling one table may take.
const TIME: Duration = Duration::from_millis(500);
/// Distinct values kept of a column.
const KEPT_VALUES: usize = 1_000;

/// Sample `table`. Columns whose values are withheld get default entries.
pub fn sample(connection: &Connection, table: &Table) -> Result<TableStatistics> {
    let columns: Vec<String> = table
        .columns
        .iter()
        .map(|c| match c.values.are_withheld() {
            true => "NULL".to_owned(),
            false => {
                let name = Dialect::Sqlite.identifier(&c.name);
                // its type is in the row's header, so the blob itself, perhaps megabytes, is not
                // read
                format!("CASE typeof({name}) WHEN 'blob' THEN x'' ELSE {name} END")
            }
        })
        .collect();
    let select =
        format!("SELECT {} FROM {}", columns.join(", "), in_database(&table.schema, &table.name));
    let mut tallies: Vec<Tally> = table
        .columns
        .iter()
        .map(|c| Tally { longest: c.longest_known(), ..Tally::default() })
        .collect();
    let deadline = Deadline::new(connection, TIME);
    let whole = match blocks(connection, table)? {
        Some(starts) => {
            let sql = format!("{select} WHERE rowid >= ?1 LIMIT ?2");
            let limit = SAMPLED_ROWS as i64 / BLOCKS;
            for start in starts {
                read(connection, &sql, &[start, limit], &mut tallies, &deadline)?;
            }
            false
        }
        None => {
            let limit = SAMPLED_ROWS as i64 + 1;
            read(connection, &format!("{select} LIMIT ?1"), &[limit], &mut tallies, &deadline)?
                && tallies.first().is_none_or(|t| t.rows <= SAMPLED_ROWS)
        }
    };
    drop(deadline);
    let total = table.rows;
    let columns = tallies
        .into_iter()
        .zip(&table.columns)
        .map(|(tally, column)| column.values.let_out_statistics(tally.finish(whole, total)))
        .collect();
    Ok(TableStatistics { columns })
}

/// Rowids at which the blocks of a large table start.
fn blocks(connection: &Connection, table: &Table) -> Result<Option<Vec<i64>>> {
    if table.kind != TableKind::Table || table.rows.is_none_or(|n| n <= SAMPLED_ROWS as f64) {
        return Ok(None);
    }
    // two statements: SQLite answers a lone min() or max() by one seek
    let end = |which: &str| -> Result<Option<i64>> {
        let from = in_database(&table.schema, &table.name);
        let sql = format!("SELECT {which}(rowid) FROM {from}");
        looked(connection.query_row(&sql, [], |r| r.get(0))) // WITHOUT ROWID: none
    };
    let (Some(first), Some(last)) = (end("min")?, end("max")?) else { return Ok(None) };
    let step = last.checked_sub(first).map(|all| all / BLOCKS);
    Ok(step.map(|step| (0..BLOCKS).map(|i| first + i * step).collect()))
}

/// Tally the rows of `sql`; false if the time ran out before the last one.
fn read(
    connection: &Connection,
    sql: &str,
    arguments: &[i64],
    tallies: &mut [Tally],
    deadline: &Deadline<'_>,
) -> Result<bool> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query(rusqlite::params_from_iter(arguments))?;
    loop {
        match rows.next() {
            Ok(Some(row)) => {
                for (i, tally) in tallies.iter_mut().enumerate() {
                    tally.see(row.get_ref(i)?);
                }
            }
            Ok(None) => return Ok(true),
            // what was read before the time ran out, or before a view failed on its data, counts;
            // if the host interrupts, nothing is kept
            Err(error) if is_interrupt(&error) && !deadline.passed() => return Err(error),
            other => return looked(other).map(|_| false),
        }
    }
}

/// What was seen of a column.
#[derive(Default)]
struct Tally {
    rows: usize,
    nulls: usize,
    /// Bytes of the longest value kept; longer ones only count.
    longest: usize,
    long: usize,
    values: HashMap<Value, usize>,
}

/// A value with its storage class, so that 1 and '1' differ.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Value {
    Number(NumberKey),
    Text(String),
}

/// A number ordered by value; its bits keep equal numbers one key.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NumberKey {
    Integer(i64),
    Real(u64),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Number(NumberKey::Integer(n)) => n.to_string(),
            Value::Number(NumberKey::Real(bits)) => {
                text_of(ValueRef::Real(f64::from_bits(*bits))).unwrap_or_default()
            }
            Value::Text(text) => text.clone(),
        }
    }

    /// SQLite's order: numbers by value before text by bytes.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let number = |n: &NumberKey| match n {
            NumberKey::Integer(n) => *n as f64,
            NumberKey::Real(bits) => f64::from_bits(*bits),
        };
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => number(a).total_cmp(&number(b)),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Number(_), Value::Text(_)) => std::cmp::Ordering::Less,
            (Value::Text(_), Value::Number(_)) => std::cmp::Ordering::Greater,
        }
    }
}

impl Tally {
    fn see(&mut self, value: ValueRef<'_>) {
        self.rows += 1;
        let key = match value {
            ValueRef::Null => {
                self.nulls += 1;
                return;
            }
            ValueRef::Integer(n) => Value::Number(NumberKey::Integer(n)),
            ValueRef::Real(x) => Value::Number(NumberKey::Real(x.to_bits())),
            ValueRef::Text(t) if t.len() <= self.longest => {
                Value::Text(String::from_utf8_lossy(t).into_owned())
            }
            ValueRef::Text(_) | ValueRef::Blob(_) => {
                self.long += 1;
                return;
            }
        };
        *self.values.entry(key).or_default() += 1;
    }

    /// `whole`: the tally saw every row; `total`: rows of the table, if known.
    fn finish(self, whole: bool, total: Option<f64>) -> ColumnStatistics {
        if self.rows == 0 {
            return ColumnStatistics { complete: whole, ..ColumnStatistics::default() };
        }
        let seen = self.values.len() + self.long; // long values count as distinct
        let distinct = match total {
            Some(total) if !whole => self.distinct_in(total),
            _ => seen as f64,
        };
        let rows = self.rows as f32;
        let mut values: Vec<(Value, usize)> = self.values.into_iter().collect();
        let text = |v: Option<&(Value, usize)>| v.map(|(value, _)| value.text());
        let min = text(values.iter().min_by(|a, b| a.0.order(&b.0)));
        let max = text(values.iter().max_by(|a, b| a.0.order(&b.0)));
        values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.order(&b.0)));
        let complete = whole && self.long == 0 && values.len() <= KEPT_VALUES;
        values.truncate(KEPT_VALUES);
        let share = |count: usize| count as f32 / rows;
        ColumnStatistics {
            distinct: Some(distinct),
            null_share: Some(share(self.nulls)),
            min,
            max,
            common: values.iter().map(|(v, n)| (v.text(), share(*n))).collect(),
            complete,
            secret: None,
        }
    }

    /// Distinct values of a table of `total` rows.
    fn distinct_in(&self, total: f64) -> f64 {
        let once = self.values.values().filter(|&&n| n == 1).count() + self.long;
        distinct_in(total, self.rows - self.nulls, self.values.len() + self.long, once)
    }
}
