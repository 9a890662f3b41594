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
use text2sql_engine::ports::Model;

use crate::cancel::Interrupts;
use crate::database::Postgres;
use crate::servers::ForeignModel;
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
        let model = ForeignModel::new(&settings, &cancel);
        let model = model.as_ref().map(|model| model as &dyn Model);
        let engine = Engine { database: &database, model, cancel: &cancel, settings: &settings };
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
        error::tell(
            PgLogLevel::WARNING,
            PgSqlErrorCode::ERRCODE_WARNING,
            format!("the result was cut after {limit} rows"),
            &format!("SET text2sql.max_rows = {};", limit.saturating_mul(10)),
        );
    }
}

/// Everything else that users call.
#[pg_schema]
mod text2sql {
    use pgrx::prelude::*;
    use serde_json::json;
    use text2sql_engine::context::Scope;
    use text2sql_engine::guard;
    use text2sql_engine::tools::{FoundPath, Toolbox};

    use super::{Engine, Error, JsonText, with_engine};
    use crate::database::Postgres;
    use crate::records::Materialized;

    /// The tables that the settings leave to queries.
    fn scope(engine: &Engine<'_>) -> Result<Scope, Error> {
        Scope::new(&*engine.database.catalog()?, &engine.settings.schemas, None)
    }

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

    /// What would be sent to the model first, byte for byte; nothing is sent.
    #[pg_extern(parallel_unsafe)]
    fn preview(
        question: Option<&str>,
        hint: default!(Option<&str>, "NULL"),
        strategy: default!(Option<&str>, "NULL"),
        tables: default!(Option<Vec<Option<String>>>, "NULL"),
        server: default!(Option<&str>, "NULL"),
    ) -> TableIterator<'static, (name!(step, String), name!(role, String), name!(content, String))>
    {
        let Some(question) = super::question(question, hint, strategy, tables) else {
            return TableIterator::empty();
        };
        let requests = with_engine(server, |engine, _| super::ask::preview(engine, &question));
        let messages = requests.into_iter().flat_map(|request| {
            let step = request.step;
            request.messages.into_iter().map(move |message| {
                let role = json!(message.role).as_str().unwrap_or_default().to_owned();
                (step.clone(), role, message.content)
            })
        });
        TableIterator::new(messages)
    }

    /// Run a query read-only, under the guard and the limits.
    #[pg_extern(parallel_unsafe)]
    fn run(sql: Option<&str>) -> SetOfIterator<'static, JsonText> {
        let Some(sql) = sql else { return SetOfIterator::empty() };
        let rows = with_engine(None, |engine, _| {
            let query = guard::check(engine.database, Some(&scope(engine)?), sql)?;
            super::json_rows(engine, &query)
        });
        SetOfIterator::new(rows.into_iter().map(JsonText))
    }

    /// A query's rows, typed by the caller's column definition list, under guard and limits.
    #[pg_extern(
        parallel_unsafe,
        sql = r#"
        CREATE FUNCTION text2sql.run_record(sql text) RETURNS SETOF record
        PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
    "#
    )]
    fn run_record(sql: Option<&str>, fcinfo: pg_sys::FunctionCallInfo) {
        let result = Materialized::begin(fcinfo, "text2sql.run_record");
        let Some(sql) = sql else { return };
        with_engine(None, |engine, _| {
            let query = guard::check(engine.database, Some(&scope(engine)?), sql)?;
            result.fill(engine, &query)
        });
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
            name!(position, Option<i32>),
            name!(tables, Vec<String>),
            name!(columns, Vec<String>),
            name!(cost, Option<f64>),
        ),
    > {
        let Some(sql) = sql else { return TableIterator::empty() };
        let row = with_engine(None, |engine, _| {
            let catalog = engine.database.catalog()?;
            Ok(match guard::check(engine.database, Some(&scope(engine)?), sql) {
                Ok(query) => {
                    let verdict = query.verdict();
                    let tables = verdict.tables.iter().map(|&t| catalog.table_label(t)).collect();
                    let columns =
                        verdict.columns.iter().map(|&c| catalog.column_label(c)).collect();
                    (true, None, None, None, tables, columns, verdict.cost)
                }
                Err(e) => {
                    let position = e.position.and_then(|p| i32::try_from(p).ok());
                    (false, Some(e.message), Some(e.sqlstate), position, vec![], vec![], None)
                }
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
            name!(table, String),
            name!(column, String),
            name!(data_type, String),
            name!(description, Option<String>),
            name!(statistics, String),
            name!(score, f32),
        ),
    > {
        let Some(phrase) = phrase else { return TableIterator::empty() };
        let found = with_engine(None, |engine, _| {
            Toolbox::open(engine)?.search_columns(phrase, k.max(0) as usize)
        });
        TableIterator::new(
            found
                .into_iter()
                .map(|f| (f.table, f.column, f.data_type, f.description, f.statistics, f.score)),
        )
    }

    /// Stored values that look like a phrase, best first (Interactive-T2S SearchValue).
    #[pg_extern(
        parallel_unsafe,
        sql = r#"
        CREATE FUNCTION text2sql.search_values(
            value text, tables regclass[] DEFAULT NULL, k int DEFAULT 5
        ) RETURNS TABLE (value text, "table" text, "column" text, score real)
        PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
    "#
    )]
    fn search_values(
        value: Option<&str>,
        tables: Option<Vec<Option<pg_sys::Oid>>>,
        k: i32,
    ) -> TableIterator<
        'static,
        (name!(value, String), name!(table, String), name!(column, String), name!(score, f32)),
    > {
        let Some(value) = value else { return TableIterator::empty() };
        let found = with_engine(None, |engine, database| {
            let tables = names(database, tables.unwrap_or_default())?;
            Toolbox::open(engine)?.search_values(value, &tables, &[], k.max(0) as usize)
        });
        TableIterator::new(found.into_iter().map(|f| (f.value, f.table, f.column, f.score)))
    }

    /// Relations by their names in the catalog.
    fn names(
        database: &Postgres<'_>,
        relations: Vec<Option<pg_sys::Oid>>,
    ) -> Result<Vec<String>, Error> {
        let snapshot = database.snapshot()?;
        let name = |oid: pg_sys::Oid| {
            let table = snapshot.catalog.table(snapshot.readable(oid)?);
            Ok(format!("{}.{}", table.schema, table.name))
        };
        relations.into_iter().flatten().map(name).collect()
    }

    /// How columns' tables are joined: the shortest ways over keys (Interactive-T2S
    /// FindShortestPath). Several alternatives are ties.
    #[pg_extern(parallel_unsafe)]
    #[allow(clippy::type_complexity)] // the columns of the result
    fn join_path(
        start: Option<Vec<Option<String>>>,
        end: Option<Vec<Option<String>>>,
    ) -> TableIterator<
        'static,
        (
            name!(start, String),
            name!(end, String),
            name!(alternative, Option<i32>),
            name!(tables, Vec<String>),
            name!(conditions, Vec<String>),
            name!(keys, Vec<String>),
            name!(weight, Option<f32>),
            name!(inferred, bool),
        ),
    > {
        let (Some(start), Some(end)) = (start, end) else { return TableIterator::empty() };
        let texts = |list: Vec<Option<String>>| list.into_iter().flatten().collect::<Vec<_>>();
        let found = with_engine(None, |engine, _| {
            Toolbox::open(engine)?.join_path(&texts(start), &texts(end))
        });
        TableIterator::new(found.into_iter().map(|path| {
            let alternative = (!path.unconnected).then_some(path.alternative as i32);
            let weight = (!path.unconnected).then_some(path.weight);
            let FoundPath { start, end, tables, conditions, keys, inferred, .. } = path;
            (start, end, alternative, tables, conditions, keys, weight, inferred)
        }))
    }
}
