//! Stored values that look like the words of a question, cheapest source first: the common
//! values of pg_stats, then (here a value index would come) a look into the tables.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use text2sql_engine::catalog::{ColumnId, TableId, TableKind, TypeClass};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::error::Error;
use text2sql_engine::ports::{Limits, ValueHit, ValueQuery};
use text2sql_engine::text::{fold, trigram_dice};

use crate::catalog::Snapshot;
use crate::database::Postgres;
use crate::{readonly, statistics};

/// Larger tables are not scanned for values.
const MAX_SCANNED_ROWS: f64 = 2e6;
/// Longer values are not what people name.
const MAX_VALUE_BYTES: usize = 200;
/// A fuzzy hit is at least this much like the phrase.
const MIN_SIMILARITY: f32 = 0.45;

/// See [`text2sql_engine::ports::Database::find_values`].
pub fn find(database: &Postgres<'_>, query: &ValueQuery<'_>) -> Result<Vec<ValueHit>, Error> {
    let started = Instant::now();
    let snapshot = database.snapshot()?;
    let mut search = Search::new(&snapshot, query);
    search.common_values()?;
    for (table, columns) in search.open_tables() {
        let left = query.budget.saturating_sub(started.elapsed());
        if left.is_zero() {
            break;
        }
        search.probe(database, table, &columns, left);
    }
    Ok(search.ranked())
}

struct Search<'a> {
    snapshot: &'a Snapshot,
    query: &'a ValueQuery<'a>,
    /// Phrases as they are compared.
    folded: Vec<String>,
    /// Where each of them stands among the phrases.
    places: HashMap<String, Vec<usize>>,
    columns: Vec<ColumnId>,
    /// Columns whose values are all known.
    complete: HashSet<ColumnId>,
    hits: Vec<ValueHit>,
}

impl<'a> Search<'a> {
    fn new(snapshot: &'a Snapshot, query: &'a ValueQuery<'a>) -> Self {
        let catalog = &snapshot.catalog;
        let searchable = |&id: &ColumnId| {
            let column = catalog.column(id);
            column.class == TypeClass::Text && !column.values_withheld
        };
        let all = || catalog.table_ids().flat_map(|t| catalog.column_ids(t));
        let columns = match query.columns {
            [] => all().filter(searchable).collect(),
            some => some.iter().copied().filter(searchable).collect(),
        };
        let folded: Vec<String> = query.phrases.iter().map(|p| fold(p.trim())).collect();
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, phrase) in folded.iter().enumerate() {
            places.entry(phrase.clone()).or_default().push(at);
        }
        let (complete, hits) = (HashSet::new(), Vec::new());
        Self { snapshot, query, folded, places, columns, complete, hits }
    }

    /// Tier 1: what pg_stats holds.
    fn common_values(&mut self) -> Result<(), Error> {
        let mut tables: Vec<TableId> = self.columns.iter().map(|c| c.table).collect();
        tables.dedup();
        statistics::load(self.snapshot, &tables)?;
        let known = self.snapshot.statistics.borrow().clone();
        for &column in &self.columns.clone() {
            let Some(table) = known.get(&column.table) else { continue };
            let statistics = &table.columns[column.column as usize];
            for (value, _) in &statistics.common {
                self.compare(column, value);
            }
            if statistics.complete {
                self.complete.insert(column);
            }
        }
        Ok(())
    }

    /// Tables with columns whose values are not all known, smallest first.
    fn open_tables(&self) -> Vec<(TableId, Vec<ColumnId>)> {
        let rows = |t: TableId| self.snapshot.catalog.table(t).rows.unwrap_or(0.0);
        let mut tables: BTreeMap<TableId, Vec<ColumnId>> = BTreeMap::new();
        for &column in self.columns.iter().filter(|c| !self.complete.contains(c)) {
            tables.entry(column.table).or_default().push(column);
        }
        let mut open: Vec<_> = tables
            .into_iter()
            .filter(|&(t, _)| {
                rows(t) <= MAX_SCANNED_ROWS
                    && self.snapshot.catalog.table(t).kind != TableKind::Foreign
            })
            .collect();
        open.sort_by(|a, b| rows(a.0).total_cmp(&rows(b.0)));
        open
    }

    /// The last tier: one scan of a table for all phrases, in the sandbox as any query.
    fn probe(
        &mut self,
        database: &Postgres<'_>,
        table: TableId,
        columns: &[ColumnId],
        time: Duration,
    ) {
        let sql = self.probe_sql(table, columns);
        let limits = Limits { rows: 1_000, bytes: 1 << 20, time, cost: None };
        let phrases: Vec<String> =
            self.query.phrases.iter().map(|p| p.trim().to_lowercase()).collect();
        // a table that cannot be read in time has nothing to say
        let settings = database.settings();
        let Ok(rows) = readonly::probe(&sql, &phrases, &limits, settings) else { return };
        for row in rows.rows {
            let [Some(place), Some(value)] = row.as_slice() else { continue };
            if let Some(&column) = place.parse().ok().and_then(|p: usize| columns.get(p)) {
                self.compare(column, value);
            }
        }
    }

    /// `(place of the column, value)` of what may be like one of the phrases.
    fn probe_sql(&self, table: TableId, columns: &[ColumnId]) -> String {
        let dialect = Dialect::Postgres;
        let source = self.snapshot.catalog.table(table);
        let list: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(place, &id)| {
                let name = dialect.identifier(&self.snapshot.catalog.column(id).name);
                format!("({place}, t.{name}::text)")
            })
            .collect();
        let like = match self.query.fuzzy {
            true => {
                " OR EXISTS (SELECT FROM unnest($1) AS p(phrase) \
                 WHERE strpos(lower(v.value), p.phrase) > 0)"
            }
            false => "",
        };
        format!(
            "SELECT DISTINCT v.place, v.value FROM {}.{} AS t \
             CROSS JOIN LATERAL (VALUES {}) AS v(place, value) \
             WHERE octet_length(v.value) <= {MAX_VALUE_BYTES} \
             AND (lower(btrim(v.value)) = ANY ($1){like})",
            dialect.identifier(&source.schema),
            dialect.identifier(&source.name),
            list.join(", "),
        )
    }

    /// Keep the value for every phrase that it is like.
    fn compare(&mut self, column: ColumnId, value: &str) {
        if value.len() > MAX_VALUE_BYTES {
            return;
        }
        let folded = fold(value.trim());
        for phrase in self.places.get(&folded).cloned().unwrap_or_default() {
            self.keep(phrase, column, value, 1.0);
        }
        if self.query.fuzzy {
            for phrase in 0..self.folded.len() {
                let similarity = partial_similarity(&self.folded[phrase], &folded);
                if folded != self.folded[phrase] && similarity >= MIN_SIMILARITY {
                    self.keep(phrase, column, value, similarity);
                }
            }
        }
    }

    fn keep(&mut self, phrase: usize, column: ColumnId, value: &str, similarity: f32) {
        let hit = ValueHit { phrase, column, value: value.to_owned(), similarity };
        if !self.hits.contains(&hit) {
            self.hits.push(hit);
        }
    }

    /// Best first a phrase, at most as many as asked for.
    fn ranked(mut self) -> Vec<ValueHit> {
        self.hits.sort_by(|a, b| {
            (a.phrase, b.similarity)
                .partial_cmp(&(b.phrase, a.similarity))
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| (a.column, &a.value).cmp(&(b.column, &b.value)))
        });
        let mut count = vec![0; self.folded.len()];
        self.hits.retain(|hit| {
            count[hit.phrase] += 1;
            count[hit.phrase] <= self.query.limit
        });
        self.hits
    }
}

/// Likeness of a phrase and a value that differ, below 1. Whole words of the value that the
/// phrase is count as much as how little else there is.
fn partial_similarity(phrase: &str, value: &str) -> f32 {
    if phrase.is_empty() || value.is_empty() {
        return 0.0;
    }
    let contained = match value.contains(phrase) {
        true => 0.5 + 0.49 * phrase.len() as f32 / value.len() as f32,
        false => 0.0,
    };
    trigram_dice(phrase, value).min(0.99).max(contained)
}
