//! Ways to ask: the engine in this process, or the real extension in a database.

mod in_process;
mod postgres;
pub mod reply;
pub mod sqlite;

use anyhow::{Context, Result};

use crate::plan::Plan;
use reply::{Engine, Failure, Reply};

/// A session with one database that answers questions.
pub trait Asker {
    /// Answer one question. An error means that the session is broken, not that the question
    /// has no answer.
    fn ask(&mut self, question: &str, hint: Option<&str>) -> Result<Reply>;

    /// What would be sent to the model first, all messages concatenated.
    fn preview(&mut self, question: &str, hint: Option<&str>) -> Result<String>;

    /// Have the model summarize tables that have no summary yet.
    fn summarize_tables(&mut self) -> Result<()>;
}

/// A session with database `db` of the plan's dataset. For strategy mag its tables are summarized
/// first without being counted, as a user would do once, so that the cost of a question does not
/// depend on earlier questions of the session.
pub fn open(plan: &Plan, db: &str) -> Result<Box<dyn Asker>> {
    let mut session = connected(plan, db)?;
    if plan.header.strategy == "mag" {
        session.summarize_tables().context("summarizing the tables")?;
    }
    Ok(session)
}

/// A session with database `db`.
pub fn connected(plan: &Plan, db: &str) -> Result<Box<dyn Asker>> {
    let (settings, strategy) = (&plan.header.settings, &plan.header.strategy);
    let oracle = plan.connect.oracle.as_deref();
    match plan.header.engine {
        Engine::InProcess => {
            let file = plan.dataset.sqlite_file(db)?;
            let model = oracle.map(|oracle| oracle.in_process(db));
            Ok(Box::new(in_process::InProcess::open(&file, strategy, settings, model)?))
        }
        Engine::Postgres => {
            let base = plan.connect.postgres()?;
            let name = plan.dataset.postgres_name(db);
            let mut session = postgres::Extension::open(base, &name, strategy, settings)?;
            if let Some(oracle) = oracle {
                session.use_server(&oracle.options(db))?;
            }
            Ok(Box::new(session))
        }
        Engine::Sqlite => {
            let (file, extension) = (plan.dataset.sqlite_file(db)?, plan.connect.extension()?);
            let model = oracle.map(|oracle| oracle.options(db)).unwrap_or_default();
            let settings = [model.as_slice(), settings].concat();
            Ok(Box::new(sqlite::Loaded::open(&file, extension, strategy, &settings)?))
        }
    }
}
