//! Stored values that resemble the words of a question, cheapest source first: the index of
//! values, the common values of pg_stats, then a scan of the remaining tables.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use text2sql_engine::catalog::{ColumnId, TableId, TableKind, TypeClass};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::error::Error;
use text2sql_engine::link::{MIN_LIKENESS, Phrase, Ranker, StoredText, value_key};
use text2sql_engine::ports::{ValueHit, ValueQuery};
use text2sql_engine::settings::Limits;

use crate::catalog::Snapshot;
use crate::database::Postgres;
use crate::value_index::{MAX_VALUE_BYTES, ValueIndex};
use crate::{execute, spi, statistics};

/// Tables that are looked into beside the index: PostgreSQL keeps in the session what it knows of
/// every table that was looked at.
const MOST_TABLES: usize = 60;
/// Larger tables are not scanned for values.
const MAX_SCANNED_ROWS: f64 = 2e6;

/// See [`text2sql_engine::ports::Database::find_values`].
pub fn find(database: &Postgres<'_>, query: &ValueQuery<'_>) -> Result<Vec<ValueHit>, Error> {
    let started = Instant::now();
    let left = || query.budget.saturating_sub(started.elapsed());
    let snapshot = database.snapshot()?;
    let mut search = Search::new(&snapshot, query);
    search.indexed_values(left)?;
    search.choose_tables();
    search.common_values()?;
    let open = search.open_tables();
    if !open.is_empty() {
        search.unaccent = spi::schema_of("unaccent")?;
    }
    for (table, columns) in open {
        if left().is_zero() {
            break;
        }
        search.probe(database, table, &columns, left());
    }
    Ok(search.ranked())
}

/// Whether the values of a column may be looked for.
pub fn is_searchable(snapshot: &Snapshot, id: ColumnId) -> bool {
    let column = snapshot.catalog.column(id);
    column.class == TypeClass::Text && !column.values.are_withheld()
}

struct Search<'a> {
    snapshot: &'a Snapshot,
    query: &'a ValueQuery<'a>,
    phrases: Vec<Phrase>,
    /// Where each folded phrase stands among the phrases.
    places: HashMap<String, Vec<usize>>,
    columns: Vec<ColumnId>,
    /// Columns that need no other look.
    complete: HashSet<ColumnId>,
    /// The schema of the extension unaccent, for probes.
    unaccent: Option<String>,
    hits: Vec<ValueHit>,
}

impl<'a> Search<'a> {
    fn new(snapshot: &'a Snapshot, query: &'a ValueQuery<'a>) -> Self {
        let catalog = &snapshot.catalog;
        let searchable = |&id: &ColumnId| is_searchable(snapshot, id);
        let all = || catalog.table_ids().flat_map(|t| catalog.column_ids(t));
        let columns = match query.columns {
            [] => all().filter(searchable).collect(),
            some => some.iter().copied().filter(searchable).collect(),
        };
        let phrases: Vec<Phrase> = query.phrases.iter().map(|p| Phrase::new(p)).collect();
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, phrase) in phrases.iter().enumerate() {
            places.entry(phrase.folded().to_owned()).or_default().push(at);
        }
        let (complete, hits) = (HashSet::new(), Vec::new());
        Self { snapshot, query, phrases, places, columns, complete, unaccent: None, hits }
    }

    /// Tier 1: the index of values. Equal values of all phrases at once; then, phrase by phrase
    /// while there is time, values that hold its words, mistyped or not.
    fn indexed_values(&mut self, left: impl Fn() -> Duration) -> Result<(), Error> {
        let index = ValueIndex::open(self.snapshot, &self.columns.iter().copied().collect())?;
        self.complete.extend(index.columns());
        let keys: Vec<String> = self.query.phrases.iter().map(|p| value_key(p)).collect();
        for (column, value) in index.with_keys(&keys)? {
            self.compare(column, &value);
        }
        if !self.query.fuzzy {
            return Ok(());
        }
        for (phrase, key) in keys.iter().enumerate() {
            if left().is_zero() {
                break;
            }
            let equal = self.hits.iter().filter(|h| h.phrase == phrase && h.similarity == 1.0);
            if equal.count() >= self.query.limit {
                continue;
            }
            index.like(key, |column, value| {
                if !self.may_leave(column, value) {
                    return false;
                }
                let similarity = self.phrases[phrase].likeness(&StoredText::new(value));
                let value = value.to_owned();
                self.hits.push(ValueHit { phrase, column, value, similarity });
                similarity >= MIN_LIKENESS
            })?;
        }
        Ok(())
    }

    /// Leave the other tiers no more than [`MOST_TABLES`]: those that the phrases say something of,
    /// then the smallest.
    fn choose_tables(&mut self) {
        let catalog = &self.snapshot.catalog;
        let open = self.columns.iter().filter(|c| !self.complete.contains(c));
        let mut tables: Vec<TableId> = open.map(|c| c.table).collect();
        tables.dedup();
        if tables.len() <= MOST_TABLES {
            return;
        }
        let said = catalog.lexical().tables(
            Ranker::LexicalAndVectors,
            &self.query.phrases.join(" "),
            MOST_TABLES,
        );
        let said: HashMap<TableId, usize> = said.iter().map(|table| table.item).zip(0..).collect();
        let rows = |t: TableId| catalog.table(t).rows.unwrap_or(0.0);
        let place = |t: TableId| said.get(&t).copied().unwrap_or(MOST_TABLES);
        tables.sort_by(|&a, &b| place(a).cmp(&place(b)).then(rows(a).total_cmp(&rows(b))));
        let chosen: HashSet<TableId> = tables.into_iter().take(MOST_TABLES).collect();
        self.columns.retain(|c| chosen.contains(&c.table));
    }

    /// Tier 2: what pg_stats holds of the other columns.
    fn common_values(&mut self) -> Result<(), Error> {
        let open: Vec<ColumnId> =
            self.columns.iter().copied().filter(|c| !self.complete.contains(c)).collect();
        let mut tables: Vec<TableId> = open.iter().map(|c| c.table).collect();
        tables.dedup();
        let known = statistics::analysed(self.snapshot, &tables)?;
        for column in open {
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

    /// Tables with columns whose values are not all known, smallest first; of a view it is not
    /// known what it costs, so it comes last.
    fn open_tables(&self) -> Vec<(TableId, Vec<ColumnId>)> {
        let rows = |t: TableId| self.snapshot.catalog.table(t).rows.unwrap_or(0.0);
        let mut tables: BTreeMap<TableId, Vec<ColumnId>> = BTreeMap::new();
        for &column in self.columns.iter().filter(|c| !self.complete.contains(c)) {
            tables.entry(column.table).or_default().push(column);
        }
        let mut open: Vec<_> = tables
            .into_iter()
            .filter(|&(t, _)| rows(t) <= MAX_SCANNED_ROWS && self.snapshot.may_look_into(t))
            .collect();
        let is_view = |t: TableId| self.snapshot.catalog.table(t).kind == TableKind::View;
        open.sort_by(|a, b| is_view(a.0).cmp(&is_view(b.0)).then(rows(a.0).total_cmp(&rows(b.0))));
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
        let mut phrases: Vec<String> =
            self.query.phrases.iter().map(|p| p.trim().to_lowercase()).collect();
        phrases.extend(self.phrases.iter().map(|p| p.folded().to_owned()));
        phrases.sort_unstable();
        phrases.dedup();
        // a table that cannot be read in time has nothing to say
        let settings = database.settings();
        let Ok(rows) = execute::probe(&sql, &phrases, &limits, settings) else { return };
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
        // only of values that have other letters than ASCII's: it is slow
        let accents = self.unaccent.as_ref().map_or_else(String::new, |schema| {
            format!(
                " OR octet_length(v.value) > char_length(v.value) \
                 AND lower({schema}.unaccent(btrim(v.value))) = ANY ($1)"
            )
        });
        format!(
            "SELECT DISTINCT v.place, v.value FROM {}.{} AS t \
             CROSS JOIN LATERAL (VALUES {}) AS v(place, value) \
             WHERE octet_length(v.value) <= {MAX_VALUE_BYTES} \
             AND (lower(btrim(v.value)) = ANY ($1){accents}{like})",
            dialect.identifier(&source.schema),
            dialect.identifier(&source.name),
            list.join(", "),
        )
    }

    /// Keep the value for every phrase that it is like.
    fn compare(&mut self, column: ColumnId, value: &str) {
        if value.len() > MAX_VALUE_BYTES || !self.may_leave(column, value) {
            return;
        }
        let mut keep = |phrase, similarity| {
            let value = value.to_owned();
            self.hits.push(ValueHit { phrase, column, value, similarity });
        };
        let stored = StoredText::new(value);
        for &phrase in self.places.get(stored.folded()).into_iter().flatten() {
            keep(phrase, 1.0);
        }
        if self.query.fuzzy {
            for (phrase, wanted) in self.phrases.iter().enumerate() {
                let likeness = wanted.likeness(&stored);
                if (MIN_LIKENESS..1.0).contains(&likeness) {
                    keep(phrase, likeness);
                }
            }
        }
    }

    /// Whether a value of the column may be shown.
    fn may_leave(&self, column: ColumnId, value: &str) -> bool {
        self.snapshot.catalog.column(column).values.let_out(value)
    }

    /// Best first a phrase, at most as many as asked for.
    fn ranked(mut self) -> Vec<ValueHit> {
        self.hits.retain(|hit| hit.similarity >= MIN_LIKENESS);
        self.hits.sort_by(|a, b| {
            (a.phrase.cmp(&b.phrase))
                .then(b.similarity.total_cmp(&a.similarity))
                .then_with(|| (a.column, &a.value).cmp(&(b.column, &b.value)))
        });
        self.hits.dedup();
        let mut count = vec![0; self.phrases.len()];
        self.hits.retain(|hit| {
            count[hit.phrase] += 1;
            count[hit.phrase] <= self.query.limit
        });
        self.hits
    }
}
