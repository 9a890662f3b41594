//! Who is asked, and what came back.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

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
