//! Ways to ask: the engine in this process, or the real extension in a database.

mod in_process;
mod postgres;
pub mod sqlite;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::run::Plan;

/// Where questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// The engine in this process over SQLite files: fast, for development.
    InProcess,
    /// The SQLite extension, loaded by another process.
    Sqlite,
    /// The PostgreSQL extension, by SQL.
    Postgres,
}

impl Engine {
    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::InProcess => "in-process",
            Engine::Sqlite => "sqlite",
            Engine::Postgres => "postgres",
        }
    }
}

/// What came back for one question: the part of the extension's report that is kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Reply {
    /// The SQL, if it was answered.
    pub sql: Option<String>,
    /// Why not, otherwise.
    pub error: Option<Failure>,
    /// What the reader should know.
    pub notices: Vec<String>,
    /// 0..=1, where the strategy can tell.
    pub confidence: Option<f64>,
    /// Ways to read the question, the likeliest first, of strategies that weigh several.
    pub interpretations: Vec<Interpretation>,
    /// Model calls.
    pub calls: u32,
    /// Calls that had to wait for one another.
    pub rounds: u32,
    /// Tokens as the server counts them.
    pub usage: Usage,
    /// Milliseconds from question to SQL.
    pub ms: f64,
}

/// One way to read the question.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Interpretation {
    /// The query it is.
    pub sql: String,
    /// How likely it is, 0..=1.
    pub score: f64,
    /// What its score was made from, by name.
    pub signs: Signs,
}

/// What the confidence in a reading is made from, by name.
pub type Signs = BTreeMap<String, f64>;

/// Tokens as the server counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Those of them that the provider had in its cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
}

/// Why there is no SQL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Failure {
    /// SQLSTATE.
    pub sqlstate: String,
    /// One line.
    pub message: String,
    /// More.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Failure {
    /// Whether the strategy declined by itself, as opposed to something that broke.
    pub fn is_abstention(&self) -> bool {
        self.sqlstate == "22T01"
    }
}

/// A session with one database that answers questions.
pub trait Asker {
    /// Answer one question. An error means that the session is broken, not that the question
    /// has no answer.
    fn ask(&mut self, question: &str, hint: Option<&str>) -> Result<Reply>;

    /// What would be sent to the model first, one message behind the other.
    fn preview(&mut self, question: &str, hint: Option<&str>) -> Result<String>;

    /// Have the model say what each table holds, where it has not yet.
    fn summarize_tables(&mut self) -> Result<()>;
}

/// A session with database `db` of the plan's dataset. For strategy mag its tables are
/// summarized first and uncounted, as a user does it once: what a question costs then does not
/// depend on which questions the session was asked before.
pub fn open(plan: &Plan, db: &str) -> Result<Box<dyn Asker>> {
    let mut session = connected(plan, db, None)?;
    if plan.header.strategy == "mag" {
        session.summarize_tables().context("summarizing the tables")?;
    }
    Ok(session)
}

/// A session with database `db`, or on PostgreSQL with the database `into` which has it as one of
/// its schemas.
pub fn connected(plan: &Plan, db: &str, into: Option<&str>) -> Result<Box<dyn Asker>> {
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
            let name = into.map_or_else(|| plan.dataset.postgres_name(db), str::to_owned);
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
