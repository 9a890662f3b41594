//! Keys that nobody declared: which of those that names suggest does the data confirm?
//!
//! Only tables that no declared key and no view connects are looked at. The look-ups are the
//! caller's own queries in the sandbox: a role learns nothing through rows it may not read.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use pgrx::pg_sys::Oid;
use text2sql_engine::catalog::inferred::{confirmed, missing};
use text2sql_engine::catalog::{ForeignKey, Table, TableId};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::settings::Limits;
use text2sql_engine::settings::Settings;

use super::read::Source;
use crate::execute;

/// Rows of the referencing table whose values are looked up.
const ROWS: u32 = 500;
/// Share of the values that must exist: keys that are not enforced have orphans.
const CONTAINED: f64 = 0.9;
/// Time for one look-up, and for all of one reading of the catalog.
const TIME: Duration = Duration::from_millis(50);
const TIME_FOR_ALL: Duration = Duration::from_millis(500);

/// A referencing and a referenced column.
type Pair = ((Oid, i16), (Oid, i16));

fn touches(((from, _), (to, _)): &Pair, relations: &HashSet<Oid>) -> bool {
    relations.contains(from) || relations.contains(to)
}

/// What the data said so far.
#[derive(Default)]
pub struct Known(RefCell<HashMap<Pair, bool>>);

impl Known {
    /// Whether anything known is about one of these relations.
    pub fn is_about(&self, changed: &HashSet<Oid>) -> bool {
        self.0.borrow().keys().any(|pair| touches(pair, changed))
    }

    /// What is still known after a change of these relations.
    pub fn without(&self, changed: &HashSet<Oid>) -> Self {
        let known = self.0.borrow();
        let kept = known.iter().filter(|(pair, _)| !touches(pair, changed));
        Self(RefCell::new(kept.map(|(pair, confirmed)| (*pair, *confirmed)).collect()))
    }

    /// The keys beside `keys` that the data confirms. What cannot be looked up in time is left
    /// out; the next reading goes on with it.
    pub fn keys(
        &self,
        sources: &[Rc<Source>],
        keys: &[ForeignKey],
        settings: &Settings,
    ) -> Vec<ForeignKey> {
        let started = Instant::now();
        let tables: Vec<&Table> = sources.iter().map(|source| &*source.table).collect();
        let source = |table: TableId| &sources[table.0 as usize];
        let place = |source: &Source, columns: &[u16]| (source.oid, source.number(columns[0]));
        confirmed(missing(&tables, keys), keys, |key| {
            let (from, to) = (source(key.from), source(key.to));
            let pair = (place(from, &key.from_columns), place(to, &key.to_columns));
            if let Some(&confirmed) = self.0.borrow().get(&pair) {
                return confirmed;
            }
            if !from.looked_into || !to.looked_into || started.elapsed() > TIME_FOR_ALL {
                return false;
            }
            let confirmed = contained(key, &from.table, &to.table, settings);
            self.0.borrow_mut().insert(pair, confirmed);
            confirmed
        })
    }
}

/// Whether the values of the referencing column are among those of the referenced one. An empty
/// table contradicts nothing; one that cannot be read in time confirms nothing.
fn contained(key: &ForeignKey, from: &Table, to: &Table, settings: &Settings) -> bool {
    let name = |text: &str| Dialect::Postgres.identifier(text);
    let place = |table: &Table| format!("{}.{}", name(&table.schema), name(&table.name));
    let column = name(&from.columns[key.from_columns[0] as usize].name);
    let target = name(&to.columns[key.to_columns[0] as usize].name);
    let (from, to) = (place(from), place(to));
    let sql = format!(
        "SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM {to} k WHERE k.{target} = v.v)) \
         FROM (SELECT DISTINCT s.v FROM (SELECT f.{column} AS v FROM {from} f \
         WHERE f.{column} IS NOT NULL LIMIT {ROWS}) s) v"
    );
    let limits = Limits { rows: 1, bytes: 1 << 10, time: TIME, cost: None };
    let Ok(rows) = execute::probe(&sql, &[], &limits, settings) else { return false };
    let count = |place: usize| -> Option<f64> { rows.rows.first()?[place].as_ref()?.parse().ok() };
    count(0).zip(count(1)).is_some_and(|(all, there)| there >= CONTAINED * all)
}
