//! Ways to ask: the engine in this process, or the real extension in a database.

mod asker;
mod in_process;
mod postgres;
pub mod sqlite;

use anyhow::{Context, Result};

pub use asker::Asker;

use crate::dataset::Kind;
use crate::load::dump;
use crate::plan::Plan;
use crate::reply::Engine;

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
            let model = oracle.map(|oracle| oracle.in_process(db));
            let connection = match plan.dataset.kind {
                Kind::Warehouses => dump::in_sqlite(&dump::of(&plan.dataset, db)?)?,
                _ => in_process::connection(&plan.dataset.sqlite_file(db)?)?,
            };
            Ok(Box::new(in_process::InProcess::new(connection, strategy, settings, model)?))
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
