//! What every SQL function begins with: the engine of this session and the question asked of it.

use pgrx::prelude::*;
use text2sql_engine::engine::{Engine, Question};
use text2sql_engine::error::Error;
use text2sql_engine::ports::Model;

use crate::cancel::Interrupts;
use crate::database::Postgres;
use crate::encoding::Text;
use crate::servers::ForeignModel;
use crate::{catalog, error, settings};

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
    catalog::give_memory_back();
    cancel.rethrow();
    result.unwrap_or_else(|failure| error::raise(&failure))
}

/// A question as the SQL functions take it; None for a NULL question.
pub fn question(
    text: Option<Text>,
    hint: Option<Text>,
    strategy: Option<Text>,
    tables: Option<Vec<Option<Text>>>,
) -> Option<Question> {
    Some(Question {
        text: text?.0,
        hint: hint.map(|hint| hint.0),
        strategy: strategy.map(|name| name.0),
        tables: tables.map(|names| names.into_iter().flatten().map(|name| name.0).collect()),
    })
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
