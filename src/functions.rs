//! The SQL functions: convert, call the engine, report.

use pgrx::callconv::{BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;
use text2sql_engine::ask;
use text2sql_engine::context::{Engine, Question};
use text2sql_engine::error::Error;
use text2sql_engine::guard::Checked;

use crate::cancel::Interrupts;
use crate::database::Postgres;
use crate::{error, readonly, settings};

/// Do `work` with the engine of this session; its error becomes a PostgreSQL error.
pub fn with_engine<R>(
    server: Option<&str>,
    work: impl FnOnce(&Engine<'_>, &Postgres<'_>) -> Result<R, Error>,
) -> R {
    let cancel = Interrupts::default();
    let result = settings::snapshot().and_then(|mut settings| {
        if let Some(server) = server {
            settings.server = server.to_owned();
        }
        let database = Postgres::new(&settings);
        let engine =
            Engine { database: &database, model: None, cancel: &cancel, settings: &settings };
        work(&engine, &database)
    });
    cancel.rethrow();
    result.unwrap_or_else(|failure| error::raise(&failure))
}

/// A question as the SQL functions take it; None for a NULL question.
pub fn question(
    text: Option<&str>,
    hint: Option<&str>,
    strategy: Option<&str>,
    tables: Option<Vec<Option<String>>>,
) -> Option<Question> {
    Some(Question {
        text: text?.to_owned(),
        hint: hint.map(str::to_owned),
        strategy: strategy.map(str::to_owned),
        tables: tables.map(|names| names.into_iter().flatten().collect()),
    })
}

/// Text that is JSON already.
pub struct JsonText(pub String);

impl IntoDatum for JsonText {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        self.0.into_datum()
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::JSONOID
    }
}

// SAFETY: json is stored as text is.
unsafe impl BoxRet for JsonText {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: by the caller's contract.
        unsafe { self.0.box_into(fcinfo) }
    }
}

// SAFETY: the type's name is PostgreSQL's.
unsafe impl SqlTranslatable for JsonText {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(JsonText);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("json"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("json")));
}

/// The SQL that answers a question. It is not run, beyond read-only probes.
#[pg_extern(parallel_unsafe)]
fn text2sql(
    question: Option<&str>,
    hint: default!(Option<&str>, "NULL"),
    strategy: default!(Option<&str>, "NULL"),
    tables: default!(Option<Vec<Option<String>>>, "NULL"),
    server: default!(Option<&str>, "NULL"),
) -> Option<String> {
    let question = self::question(question, hint, strategy, tables)?;
    Some(with_engine(server, |engine, _| {
        ask::text2sql(engine, &question).map(|answer| answer.query.sql().to_owned())
    }))
}

/// The rows that answer a question, as JSON objects.
#[pg_extern(parallel_unsafe)]
fn ask(
    question: Option<&str>,
    hint: default!(Option<&str>, "NULL"),
    strategy: default!(Option<&str>, "NULL"),
    tables: default!(Option<Vec<Option<String>>>, "NULL"),
    server: default!(Option<&str>, "NULL"),
) -> SetOfIterator<'static, JsonText> {
    let Some(question) = self::question(question, hint, strategy, tables) else {
        return SetOfIterator::empty();
    };
    let rows = with_engine(server, |engine, _| {
        let answer = ask::text2sql(engine, &question)?;
        json_rows(engine, &answer.query)
    });
    SetOfIterator::new(rows.into_iter().map(JsonText))
}

/// Run a query for the user; a cut result is told as a warning.
fn json_rows(engine: &Engine<'_>, query: &Checked) -> Result<Vec<String>, Error> {
    let limits = engine.settings.answer_limits();
    let (rows, finished) = readonly::json_rows(query, &limits, engine.settings)?;
    warn_if_cut(finished.truncated, limits.rows);
    Ok(rows)
}

/// Tell that there were more rows than the limit.
pub fn warn_if_cut(truncated: bool, limit: usize) {
    if truncated {
        ereport!(
            WARNING,
            PgSqlErrorCode::ERRCODE_WARNING,
            format!("the result was cut after {limit} rows"),
            format!("SET text2sql.max_rows = {};", limit.saturating_mul(10))
        );
    }
}

/// Everything else that users call.
#[pg_schema]
mod text2sql {
    use std::collections::BTreeSet;

    use pgrx::prelude::*;
    use serde_json::json;
    use text2sql_engine::catalog::{Catalog, TableId};
    use text2sql_engine::dialect::Dialect;
    use text2sql_engine::error::Error;
    use text2sql_engine::guard;
    use text2sql_engine::ports::ValueQuery;

    use super::{JsonText, with_engine};

    /// How a question is answered: the report, with the error where it cannot be.
    #[pg_extern(parallel_unsafe)]
    fn explain(
        question: Option<&str>,
        hint: default!(Option<&str>, "NULL"),
        strategy: default!(Option<&str>, "NULL"),
        tables: default!(Option<Vec<Option<String>>>, "NULL"),
        server: default!(Option<&str>, "NULL"),
        execute: default!(bool, "false"),
    ) -> Option<JsonText> {
        let question = super::question(question, hint, strategy, tables)?;
        Some(with_engine(server, |engine, _| {
            let report = super::ask::explain(engine, &question)?;
            let mut value = json!(report);
            if let Some(sql) = report.sql.as_deref().filter(|_| execute) {
                let query = guard::check(engine.database, None, sql)?;
                let rows = engine.database.run(&query, &engine.settings.answer_limits())?;
                value["result"] = json!({
                    "rows": rows.rows.len(), "truncated": rows.truncated, "ms": rows.ms
                });
            }
            Ok(JsonText(value.to_string()))
        }))
    }

    /// Run a query read-only, under the guard and the limits.
    #[pg_extern(parallel_unsafe)]
    fn run(sql: Option<&str>) -> SetOfIterator<'static, JsonText> {
        let Some(sql) = sql else { return SetOfIterator::empty() };
        let rows = with_engine(None, |engine, _| {
            super::json_rows(engine, &guard::check(engine.database, None, sql)?)
        });
        SetOfIterator::new(rows.into_iter().map(JsonText))
    }

    /// The guard's verdict on a query, which is not run.
    #[pg_extern(parallel_unsafe)]
    #[allow(clippy::type_complexity)] // the columns of the result
    fn check(
        sql: Option<&str>,
    ) -> TableIterator<
        'static,
        (
            name!(ok, bool),
            name!(reason, Option<String>),
            name!(sqlstate, Option<String>),
            name!(tables, Vec<String>),
            name!(columns, Vec<String>),
            name!(cost, Option<f64>),
        ),
    > {
        let Some(sql) = sql else { return TableIterator::empty() };
        let row = with_engine(None, |engine, _| {
            let catalog = engine.database.catalog()?;
            Ok(match guard::check(engine.database, None, sql) {
                Ok(query) => {
                    let verdict = query.verdict();
                    let tables = verdict.tables.iter().map(|&t| catalog.table_label(t)).collect();
                    let columns =
                        verdict.columns.iter().map(|&c| catalog.column_label(c)).collect();
                    (true, None, None, tables, columns, verdict.cost)
                }
                Err(e) => (false, Some(e.message), Some(e.sqlstate), vec![], vec![], None),
            })
        });
        TableIterator::once(row)
    }

    /// Columns whose names and comments fit a phrase, best first (Interactive-T2S SearchColumn).
    #[pg_extern(parallel_unsafe)]
    #[allow(clippy::type_complexity)] // the columns of the result
    fn search_columns(
        phrase: Option<&str>,
        k: default!(i32, "5"),
    ) -> TableIterator<
        'static,
        (
            name!(column, String),
            name!(data_type, String),
            name!(description, Option<String>),
            name!(statistics, JsonText),
            name!(score, f32),
        ),
    > {
        let Some(phrase) = phrase else { return TableIterator::empty() };
        let rows = with_engine(None, |engine, _| {
            let catalog = engine.database.catalog()?;
            let found = catalog.lexical().columns(&catalog, phrase, k.max(0) as usize);
            let mut rows = Vec::with_capacity(found.len());
            for scored in found {
                let column = catalog.column(scored.item);
                let statistics = engine.database.statistics(scored.item.table)?;
                let known = &statistics.columns[scored.item.column as usize];
                rows.push((
                    catalog.column_label(scored.item),
                    column.data_type.clone(),
                    column.comment.clone(),
                    JsonText(json!(known).to_string()),
                    scored.score,
                ));
            }
            Ok(rows)
        });
        TableIterator::new(rows)
    }

    /// Stored values that look like a phrase, best first (Interactive-T2S SearchValue).
    #[pg_extern(parallel_unsafe)]
    fn search_values(
        value: Option<&str>,
        tables: default!(Option<Vec<Option<pg_sys::Oid>>>, "NULL"),
        k: default!(i32, "5"),
    ) -> TableIterator<
        'static,
        (name!(value, String), name!(table, String), name!(column, String), name!(score, f32)),
    > {
        let Some(value) = value else { return TableIterator::empty() };
        let rows = with_engine(None, |engine, database| {
            let snapshot = database.snapshot()?;
            let catalog = &snapshot.catalog;
            let columns = match tables {
                None => Vec::new(),
                Some(oids) => oids
                    .into_iter()
                    .flatten()
                    .filter_map(|oid| snapshot.by_oid.get(&oid))
                    .flat_map(|&table| catalog.column_ids(table))
                    .collect(),
            };
            let hits = engine.database.find_values(&ValueQuery {
                phrases: &[value.to_owned()],
                columns: &columns,
                limit: k.max(0) as usize,
                fuzzy: true,
                budget: engine.settings.probe_timeout,
            })?;
            Ok(hits
                .into_iter()
                .map(|hit| {
                    let column = catalog.column(hit.column).name.clone();
                    (hit.value, catalog.table_label(hit.column.table), column, hit.similarity)
                })
                .collect::<Vec<_>>())
        });
        TableIterator::new(rows)
    }

    /// How tables are joined: the shortest ways over keys (Interactive-T2S FindShortestPath).
    /// Several paths are ties.
    #[pg_extern(parallel_unsafe)]
    fn join_path(
        start: Option<Vec<Option<String>>>,
        end: Option<Vec<Option<String>>>,
    ) -> TableIterator<
        'static,
        (name!(path, i32), name!(step, i32), name!(join, String), name!(kind, String)),
    > {
        let (Some(start), Some(end)) = (start, end) else { return TableIterator::empty() };
        let rows = with_engine(None, |engine, _| {
            let catalog = engine.database.catalog()?;
            let (start, end) = (tables(&catalog, start)?, tables(&catalog, end)?);
            Ok(join_rows(&catalog, &start, &end))
        });
        TableIterator::new(rows)
    }

    fn tables(catalog: &Catalog, names: Vec<Option<String>>) -> Result<BTreeSet<TableId>, Error> {
        let names: Vec<String> = names.into_iter().flatten().collect();
        let scope = text2sql_engine::context::Scope::new(catalog, &[], Some(&names))?;
        Ok(scope.tables(catalog).into_iter().collect())
    }

    fn join_rows(
        catalog: &Catalog,
        start: &BTreeSet<TableId>,
        end: &BTreeSet<TableId>,
    ) -> Vec<(i32, i32, String, String)> {
        const TIES: usize = 10;
        let graph = catalog.joins();
        let single = (start.len() == 1 && end.len() == 1).then(|| (start.first(), end.first()));
        let paths = match single {
            Some((Some(&start), Some(&end))) => graph.shortest_paths(start, end, TIES),
            _ => {
                let terminals = start.union(end).copied().collect();
                graph.steiner_tree(&terminals).map(|tree| tree.keys).into_iter().collect()
            }
        };
        let mut rows = Vec::new();
        for (path, keys) in (1..).zip(paths) {
            for (step, key) in (1..).zip(keys) {
                let key = &catalog.keys[key];
                let pairs: Vec<String> = key
                    .column_pairs()
                    .map(|(from, to)| {
                        let name = |id| qualified(catalog, id);
                        format!("{} = {}", name(from), name(to))
                    })
                    .collect();
                let kind = json!(key.kind).as_str().unwrap_or_default().to_owned();
                rows.push((path, step, pairs.join(" AND "), kind));
            }
        }
        rows
    }

    /// A column as SQL writes it.
    fn qualified(catalog: &Catalog, id: text2sql_engine::catalog::ColumnId) -> String {
        let name = |text: &str| Dialect::Postgres.identifier(text);
        let table = catalog.table(id.table);
        let column = name(&catalog.column(id).name);
        match table.visible {
            true => format!("{}.{column}", name(&table.name)),
            false => format!("{}.{}.{column}", name(&table.schema), name(&table.name)),
        }
    }
}
