//! The schema as a prompt shows it, within the budget `max_schema_tokens`.
//!
//! A table is a header line and one line a column: name, type, key marks, comment, value
//! examples. Where the whole schema does not fit, the tables that fit the question best are
//! kept with the tables that join them; their columns are ranked, the rest are named only.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use crate::catalog::{Catalog, ColumnId, ColumnStatistics, KeyKind, TableId, TableKind};
use crate::context::Context;
use crate::error::Error;
use crate::link::Ranker;

use super::{bytes_of_tokens, one_line};

/// Characters of a comment.
const COMMENT: usize = 160;
/// Characters of a value example.
const VALUE: usize = 40;
/// Value examples of a column with many values, and of one with few.
const EXAMPLES: usize = 3;
const FEW_VALUES: usize = 10;
/// Columns ranked when the schema does not fit.
const RANKED_COLUMNS: usize = 400;
/// Best-linked tables considered for a cut schema.
const RANKED_TABLES: usize = 40;
/// Tables looked at when joining a table to the chosen ones.
const BRIDGE_VISITS: usize = 500;
/// Longest chain of tables put between two chosen ones.
const BRIDGE: usize = 3;

/// What a prompt shows of the schema.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Show value examples, where values may leave the database.
    pub values: bool,
    /// Columns left out (schema mining: those already found).
    pub masked: BTreeSet<ColumnId>,
    /// Tables that must be shown, whatever the budget.
    pub needed: BTreeSet<TableId>,
    /// Columns that get their details; None for all (soft schema: the linked ones).
    pub detailed: Option<BTreeSet<ColumnId>>,
    /// Columns without details are not even named.
    pub keys_only: bool,
    /// One sentence a table, shown beside its name.
    pub summaries: BTreeMap<TableId, String>,
}

/// The schema text of a view for the question in `context`.
pub fn text(context: &Context<'_>, view: &View) -> Result<String, Error> {
    let whole = bytes_of_tokens(context.settings().max_schema_tokens);
    // what is looked up later need not stand in every round's prompt
    let budget = if view.keys_only { whole / 2 } else { whole };
    let mut plan = Plan::new(context, view, budget);
    plan.choose_tables()?;
    plan.choose_columns();
    plan.choose_values()?;
    Ok(plan.render())
}

/// Columns by which tables are joined and identified.
pub fn keys(context: &Context<'_>) -> BTreeSet<ColumnId> {
    let catalog = &context.catalog;
    let mut keys = BTreeSet::new();
    for table in context.scope.tables(catalog) {
        let primary = &catalog.table(table).primary_key;
        keys.extend(primary.iter().map(|&column| ColumnId { table, column }));
        for &key in catalog.joins().keys_from(table) {
            let from = &catalog.keys[key].from_columns;
            keys.extend(from.iter().map(|&column| ColumnId { table, column }));
        }
    }
    keys
}

/// The tables that [`text`] shows with their columns.
pub fn shown_tables(context: &Context<'_>) -> Result<Vec<TableId>, Error> {
    let view = View { values: true, ..View::default() };
    let mut plan = Plan::new(context, &view, bytes_of_tokens(context.settings().max_schema_tokens));
    plan.choose_tables()?;
    Ok(plan.tables)
}

/// These tables and no others, with all columns as far as the budget goes, without values.
pub fn of_tables(context: &Context<'_>, tables: &[TableId]) -> Result<String, Error> {
    let view = View::default();
    let mut plan = Plan::new(context, &view, bytes_of_tokens(context.settings().max_schema_tokens));
    plan.tables = tables.to_vec();
    plan.only = true;
    plan.used = tables.iter().map(|&t| plan.least_cost(t)).sum();
    plan.choose_columns();
    Ok(plan.render())
}

/// Lines of the schema text that were chosen.
struct Plan<'a> {
    context: &'a Context<'a>,
    view: &'a View,
    catalog: &'a Catalog,
    budget: usize,
    used: usize,
    /// Every table of the scope is shown.
    whole: bool,
    /// Tables that are not shown are not even named.
    only: bool,
    tables: Vec<TableId>,
    scores: HashMap<ColumnId, f32>,
    detailed: BTreeSet<ColumnId>,
    values: HashMap<ColumnId, String>,
}

impl<'a> Plan<'a> {
    fn new(context: &'a Context<'a>, view: &'a View, budget: usize) -> Self {
        Self {
            context,
            view,
            catalog: &context.catalog,
            budget,
            used: 0,
            whole: false,
            only: false,
            tables: Vec::new(),
            scores: HashMap::new(),
            detailed: BTreeSet::new(),
            values: HashMap::new(),
        }
    }

    fn may_detail(&self, column: ColumnId) -> bool {
        self.view.detailed.as_ref().is_none_or(|set| set.contains(&column))
    }

    fn shown_columns(&self, table: TableId) -> impl Iterator<Item = ColumnId> + '_ {
        self.catalog.column_ids(table).filter(|c| !self.view.masked.contains(c))
    }

    /// Bytes of a table when all its allowed details are shown, values aside.
    fn full_cost(&self, table: TableId) -> usize {
        let columns = self.shown_columns(table).map(|c| match self.may_detail(c) {
            true => self.column_line(c).len() + 1,
            false if self.view.keys_only => 0,
            false => self.name(c).len() + 2,
        });
        self.header(table).len() + columns.sum::<usize>()
    }

    /// All tables if they fit, else the best-linked ones with what joins them.
    fn choose_tables(&mut self) -> Result<(), Error> {
        let mut total = 0;
        let all = self.context.scope.tables(self.catalog);
        self.whole = all.iter().all(|&table| {
            total += self.full_cost(table);
            total <= self.budget
        });
        if self.whole {
            self.used = total;
            self.tables = all;
            return Ok(());
        }
        let ranked = self.rank()?;
        let mut chosen: BTreeSet<TableId> = self.view.needed.clone();
        // most of the budget for tables with some detail, the rest for details and names
        let limit = self.budget * 3 / 5;
        let mut used: usize = chosen.iter().map(|&t| self.least_cost(t)).sum();
        for table in ranked.into_iter().filter(|t| !self.view.needed.contains(t)) {
            let alone = self.least_cost(table);
            if chosen.contains(&table) || (used + alone > limit && !chosen.is_empty()) {
                continue;
            }
            let mut more = self.between(table, &chosen);
            let cost = alone + more.iter().map(|&t| self.least_cost(t)).sum::<usize>();
            more.insert(table);
            if used + cost <= limit || chosen.is_empty() {
                used += cost;
                chosen.extend(more);
            }
        }
        self.used = used;
        self.tables = chosen.into_iter().collect();
        Ok(())
    }

    /// Tables of the scope by how well their names and columns fit the question, best first.
    fn rank(&mut self) -> Result<Vec<TableId>, Error> {
        let focus = self.context.focus();
        let near = self.context.phrases.near(&focus)?;
        let ranker = Ranker::best(near.as_deref());
        let (catalog, scope) = (self.catalog, &self.context.scope);
        let mut best_column: HashMap<TableId, f32> = HashMap::new();
        let (columns, by_name) =
            catalog.lexical().columns_and_tables(ranker, &focus, RANKED_COLUMNS);
        for found in columns {
            if scope.contains(found.item.table) {
                self.scores.insert(found.item, found.score);
                let best = best_column.entry(found.item.table).or_default();
                *best = best.max(found.score);
            }
        }
        // a table counts by its name and its best columns, and by the one best column it has
        let mut tables = best_column;
        for found in by_name {
            if scope.contains(found.item) {
                *tables.entry(found.item).or_default() += found.score;
            }
        }
        if tables.is_empty() {
            // no word fits: tables that many keys touch say most about the database
            for key in &self.catalog.keys {
                for table in [key.from, key.to] {
                    if self.context.scope.contains(table) {
                        *tables.entry(table).or_default() += 1.0;
                    }
                }
            }
        }
        let mut ranked: Vec<(TableId, f32)> = tables.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut ranked: Vec<TableId> =
            ranked.into_iter().take(RANKED_TABLES).map(|(t, _)| t).collect();
        if ranked.is_empty() {
            ranked = self.context.scope.tables(self.catalog);
            ranked.truncate(RANKED_TABLES);
        }
        Ok(ranked)
    }

    fn between(&self, table: TableId, chosen: &BTreeSet<TableId>) -> BTreeSet<TableId> {
        if chosen.is_empty() {
            return BTreeSet::new();
        }
        let allowed = |t: TableId| self.context.scope.contains(t);
        let found = self.catalog.joins().bridge(table, chosen, BRIDGE_VISITS, allowed);
        found.filter(|path| path.len() <= BRIDGE).unwrap_or_default().into_iter().collect()
    }

    /// Bytes of a table when only its keys have details.
    fn least_cost(&self, table: TableId) -> usize {
        let keys = self.key_columns(table);
        let keys: usize = keys.iter().map(|&c| self.column_line(c).len() + 1).sum();
        if self.view.keys_only {
            return self.header(table).len() + keys;
        }
        let names = self.shown_columns(table).map(|c| self.name(c).len() + 2);
        self.header(table).len() + keys + names.sum::<usize>().min(self.budget / 6)
    }

    fn key_columns(&self, table: TableId) -> BTreeSet<ColumnId> {
        let id = |column: u16| ColumnId { table, column };
        let t = self.catalog.table(table);
        let mut keys: BTreeSet<ColumnId> = t.primary_key.iter().map(|&c| id(c)).collect();
        for &key in self.catalog.joins().keys_from(table) {
            keys.extend(self.catalog.keys[key].from_columns.iter().map(|&c| id(c)));
        }
        keys.retain(|c| !self.view.masked.contains(c) && self.may_detail(*c));
        keys
    }

    /// Columns with details: all where they fit, else keys and then the best ranked ones.
    fn choose_columns(&mut self) {
        if self.whole {
            for &table in &self.tables {
                let more: Vec<ColumnId> =
                    self.shown_columns(table).filter(|&c| self.may_detail(c)).collect();
                self.detailed.extend(more);
            }
            return;
        }
        for &table in &self.tables {
            let keys = self.key_columns(table);
            self.detailed.extend(keys);
        }
        let limit = self.budget * 17 / 20;
        for column in self.by_score() {
            let cost = self.column_line(column).len();
            if self.used + cost <= limit && self.detailed.insert(column) {
                self.used += cost;
            }
        }
    }

    /// Columns of the chosen tables that may have details, best fitting the question first.
    fn by_score(&self) -> Vec<ColumnId> {
        let mut columns: Vec<ColumnId> =
            self.tables.iter().flat_map(|&t| self.shown_columns(t)).collect();
        columns.retain(|&c| self.may_detail(c));
        let score = |c: &ColumnId| self.scores.get(c).copied().unwrap_or(0.0);
        columns.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        columns
    }

    /// Value examples for as many of the detailed columns as fit.
    fn choose_values(&mut self) -> Result<(), Error> {
        let mut statistics = HashMap::new();
        for column in self.by_score() {
            let wanted = self.view.values && self.detailed.contains(&column);
            if !wanted || !self.context.values_may_leave(column) || self.used >= self.budget {
                continue;
            }
            let of_table = match statistics.get(&column.table) {
                Some(known) => known,
                None => {
                    let read = self.context.database().statistics(column.table)?;
                    statistics.entry(column.table).or_insert(read)
                }
            };
            let known = of_table.columns.get(column.column as usize);
            let Some(text) = known.and_then(|k| self.examples(column, k)) else { continue };
            if self.used + text.len() <= self.budget {
                self.used += text.len();
                self.values.insert(column, text);
            }
        }
        Ok(())
    }

    fn examples(&self, column: ColumnId, known: &ColumnStatistics) -> Option<String> {
        let c = self.catalog.column(column);
        let few = known.complete && (1..=FEW_VALUES).contains(&known.common.len());
        if !c.labels.is_empty() {
            return None; // labels are part of the column's line
        }
        if c.class.is_numeric() && self.key_columns(column.table).contains(&column) {
            return None; // the numbers of a key say nothing
        }
        if !(c.class.is_textual() || few) {
            return None;
        }
        let shown = if few { FEW_VALUES } else { EXAMPLES };
        let dialect = self.context.database().dialect();
        let mut values: Vec<&String> = known.common.iter().take(shown).map(|(v, _)| v).collect();
        if values.is_empty() {
            // no value is common: the first and the last show the form
            values.extend(known.min.iter().chain(&known.max));
        }
        if values.is_empty() {
            return None;
        }
        let quoted = |v: &&String| match c.class.is_numeric() {
            true => (*v).clone(),
            false => dialect.string(&one_value(v)),
        };
        let values: Vec<String> = values.iter().map(quoted).collect();
        Some(format!(" {}: {}", if few { "all values" } else { "e.g." }, values.join(", ")))
    }

    fn name(&self, column: ColumnId) -> String {
        self.context.database().dialect().identifier(&self.catalog.column(column).name)
    }

    fn header(&self, table: TableId) -> String {
        let t = self.catalog.table(table);
        let kind = match t.kind {
            TableKind::View | TableKind::MaterializedView => "View",
            _ => "Table",
        };
        let mut line = format!("{kind} {}", self.context.table_sql(table));
        if let Some(rows) = t.rows.filter(|r| *r >= 0.0) {
            let _ = write!(line, " ({rows:.0} rows)");
        }
        if let Some(text) = self.view.summaries.get(&table).or(t.comment.as_ref()) {
            let _ = write!(line, " -- {}", one_line(text, COMMENT));
        }
        for &key in self.catalog.joins().keys_from(table) {
            let key = &self.catalog.keys[key];
            if key.from_columns.len() > 1 && self.unmasked(table, &key.from_columns) {
                let _ = write!(line, "\n  ({})", self.names(table, &key.from_columns));
                let _ = write!(line, " {}", self.reference(key.to, &key.to_columns, key.kind));
            }
        }
        if t.primary_key.len() > 1 && self.unmasked(table, &t.primary_key) {
            let _ = write!(line, "\n  PRIMARY KEY ({})", self.names(table, &t.primary_key));
        }
        line.push('\n');
        line
    }

    fn unmasked(&self, table: TableId, columns: &[u16]) -> bool {
        columns.iter().all(|&column| !self.view.masked.contains(&ColumnId { table, column }))
    }

    fn names(&self, table: TableId, columns: &[u16]) -> String {
        let name = |&column: &u16| self.name(ColumnId { table, column });
        columns.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    fn reference(&self, to: TableId, columns: &[u16], kind: KeyKind) -> String {
        let verb = if kind == KeyKind::Declared { "REFERENCES" } else { "joins" };
        format!("{verb} {}({})", self.context.table_sql(to), self.names(to, columns))
    }

    fn column_line(&self, column: ColumnId) -> String {
        let c = self.catalog.column(column);
        let t = self.catalog.table(column.table);
        let mut line = format!("  {} {}", self.name(column), c.data_type);
        if t.primary_key == [column.column] {
            line.push_str(" PRIMARY KEY");
        }
        for &key in self.catalog.joins().keys_from(column.table) {
            let key = &self.catalog.keys[key];
            if key.from_columns == [column.column] {
                let _ = write!(line, " {}", self.reference(key.to, &key.to_columns, key.kind));
            }
        }
        if let Some(comment) = &c.comment {
            let _ = write!(line, " -- {}", one_line(comment, COMMENT));
        }
        if !c.labels.is_empty() && !c.values_withheld {
            let dialect = self.context.database().dialect();
            let labels: Vec<String> =
                c.labels.iter().take(2 * FEW_VALUES).map(|l| dialect.string(l)).collect();
            let _ = write!(line, " one of: {}", labels.join(", "));
        }
        line
    }

    fn render(&self) -> String {
        let mut text = String::with_capacity(self.used + 256);
        for &table in &self.tables {
            self.note_header(table);
            text.push_str(&self.header(table));
            let mut names = Vec::new();
            for column in self.shown_columns(table) {
                if self.detailed.contains(&column) {
                    self.note_details(column);
                    text.push_str(&self.column_line(column));
                    text.push_str(self.values.get(&column).map_or("", String::as_str));
                    text.push('\n');
                } else if !self.view.keys_only {
                    self.context.disclosure.column(column);
                    names.push(self.name(column));
                }
            }
            if !names.is_empty() {
                let label = if names.len() == self.catalog.table(table).columns.len() {
                    "  columns: "
                } else {
                    "  also: "
                };
                let room = if self.whole { usize::MAX } else { self.budget / 6 };
                let _ = writeln!(text, "{label}{}", listed(&names, room));
            }
        }
        if !self.only {
            self.render_rest(&mut text);
        }
        text
    }

    /// Note what [`Self::header`] shows.
    fn note_header(&self, table: TableId) {
        let (shown, t) = (&self.context.disclosure, self.catalog.table(table));
        shown.table(table);
        if self.view.summaries.contains_key(&table) || t.comment.is_some() {
            shown.table_comment(table);
        }
        if t.primary_key.len() > 1 && self.unmasked(table, &t.primary_key) {
            t.primary_key.iter().for_each(|&column| shown.column(ColumnId { table, column }));
        }
        for &key in self.catalog.joins().keys_from(table) {
            let key = &self.catalog.keys[key];
            if key.from_columns.len() > 1 && self.unmasked(table, &key.from_columns) {
                key.columns().for_each(|c| shown.column(c));
            }
        }
    }

    /// Note what [`Self::column_line`] and the value examples show.
    fn note_details(&self, column: ColumnId) {
        let (shown, c) = (&self.context.disclosure, self.catalog.column(column));
        shown.column(column);
        if c.comment.is_some() {
            shown.column_comment(column);
        }
        if self.values.contains_key(&column) || !(c.labels.is_empty() || c.values_withheld) {
            shown.values(column);
        }
        for &key in self.catalog.joins().keys_from(column.table) {
            let key = &self.catalog.keys[key];
            if key.from_columns == [column.column] {
                key.columns().for_each(|c| shown.column(c));
            }
        }
    }

    /// The names of tables that were cut, as far as they fit.
    fn render_rest(&self, text: &mut String) {
        let shown: BTreeSet<TableId> = self.tables.iter().copied().collect();
        let scope = self.context.scope.tables(self.catalog);
        let room = self.budget.saturating_sub(text.len()).max(80);
        let rest: Vec<TableId> = scope.into_iter().filter(|t| !shown.contains(t)).collect();
        if rest.is_empty() {
            return;
        }
        // no name has fewer than one character: more names than this never fit
        let names: Vec<String> =
            rest.iter().take(room / 3 + 1).map(|&t| self.context.table_sql(t)).collect();
        let fit = fitting(&names, room);
        rest[..fit].iter().for_each(|&t| self.context.disclosure.table(t));
        let unlisted = rest.len() - names.len();
        let _ = writeln!(text, "Other tables: {}", listed_of(&names, room, unlisted));
    }
}

/// Names separated by commas, as many as fit into `room` bytes, and how many more there are.
fn listed(names: &[String], room: usize) -> String {
    listed_of(names, room, 0)
}

/// How many of the names fit.
fn fitting(names: &[String], room: usize) -> usize {
    let mut used = 24;
    let fits = |n: &&String| {
        used += n.len() + 2;
        used <= room
    };
    names.iter().take_while(fits).count()
}

fn listed_of(names: &[String], room: usize, unlisted: usize) -> String {
    let fit = fitting(names, room);
    let more = names.len() - fit + unlisted;
    let mut text = names[..fit].join(", ");
    if more > 0 {
        let _ = write!(text, "{}… and {more} more", if fit > 0 { ", " } else { "" });
    }
    text
}

/// A stored value on one line, cut; blanks inside stay, since they matter in comparisons.
pub fn one_value(value: &str) -> String {
    super::shortened(&value.replace(['\n', '\r'], " "), VALUE)
}

impl Context<'_> {
    /// A table's name as SQL writes it.
    pub fn table_sql(&self, table: TableId) -> String {
        self.catalog.table_sql(self.database().dialect(), table)
    }

    /// A column's `table.column` as SQL writes it.
    pub fn column_sql(&self, column: ColumnId) -> String {
        let name = self.database().dialect().identifier(&self.catalog.column(column).name);
        format!("{}.{name}", self.table_sql(column.table))
    }

    /// Whether stored values of a column may stand in a prompt.
    pub fn values_may_leave(&self, column: ColumnId) -> bool {
        self.settings().send_values && !self.catalog.column(column).values_withheld
    }

    /// The column that a model names as `table.column`, in any case and quoting, in scope.
    pub fn column_called(&self, name: &str) -> Option<ColumnId> {
        let bare = name.replace(['"', '`', '[', ']'], "");
        let (table, column) = bare.trim().rsplit_once('.')?;
        let (schema, table) = match table.rsplit_once('.') {
            Some((schema, table)) => (Some(schema.trim()), table.trim()),
            None => (None, table.trim()),
        };
        let mut tables = self.catalog.tables_named(schema, table);
        tables.retain(|&t| self.scope.contains(t));
        tables.sort_by_key(|&t| !self.catalog.table(t).visible);
        tables.into_iter().find_map(|t| self.catalog.column_named(t, column.trim()))
    }
}
