//! Ports: everything the engine asks of the outside world. An adapter (PostgreSQL, SQLite, a
//! test) implements [`Database`] and [`Cancel`]; a model client implements [`Model`].
//!
//! All methods take `&self` and are called from one thread. An adapter answers with the
//! caller's rights: what the caller may not read does not exist for the engine.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::answer::Rows;
use crate::catalog::{Catalog, ColumnId, TableId, TableStatistics};
use crate::dialect::Dialect;
use crate::error::{Error, QueryError};
use crate::guard::{Checked, Verdict};
use crate::ledger::LedgerEntry;
use crate::verified::Example;

/// The database that is asked, seen with the caller's rights.
pub trait Database {
    /// The SQL dialect that `run` understands.
    fn dialect(&self) -> Dialect;

    /// The catalog visible to the caller. Cheap when nothing changed; never stale.
    fn catalog(&self) -> Result<Arc<Catalog>, Error>;

    /// What the database knows of a table's values without reading it in full.
    /// Columns without knowledge, or whose values must stay, have default entries.
    fn statistics(&self, table: TableId) -> Result<Arc<TableStatistics>, Error>;

    /// Stored values that look like the phrases of `query`, cheapest source first, bounded by
    /// `query.budget`. Exact stored spelling is returned.
    fn find_values(&self, query: &ValueQuery<'_>) -> Result<Vec<ValueHit>, Error>;

    /// The database's own verdict on one statement: parsed, analysed and rewritten by its own
    /// code, never executed. Only [`crate::guard::check`] calls this.
    fn judge(&self, sql: &str) -> Result<Verdict, QueryError>;

    /// Run a checked query read-only under `limits`, with the caller's rights and without a
    /// trace in the caller's session.
    fn run(&self, query: &Checked, limits: &Limits) -> Result<Rows, QueryError>;

    /// The server's current date as `YYYY-MM-DD`.
    fn today(&self) -> Result<String, Error>;

    /// One line of progress to the person who waits, if they want it.
    fn progress(&self, line: &str);

    /// The glossary: terms and what they stand for, those that the caller may read.
    fn glossary(&self) -> Result<Vec<(String, String)>, Error> {
        Ok(Vec::new())
    }

    /// The SQL of the verified question with this key (see [`crate::verified::key`]), whoever may
    /// run it: the guard decides that.
    fn example(&self, key: &str) -> Result<Option<String>, Error> {
        let _ = key;
        Ok(None)
    }

    /// Verified questions, the newest first; an adapter may stop after some thousand.
    fn examples(&self) -> Result<Vec<Example>, Error> {
        Ok(Vec::new())
    }

    /// Keep a verified question under its key, in the place of an older one. Errors: the
    /// caller may not.
    fn remember(&self, key: &str, example: &Example) -> Result<(), Error> {
        let _ = (key, example);
        Err(Error::Database("this database keeps no verified questions".to_owned()))
    }

    /// A table's stored one-sentence summary, if one was stored for exactly `fingerprint`
    /// (see [`crate::catalog::Table::fingerprint`]).
    fn stored_summary(&self, table: TableId, fingerprint: u64) -> Result<Option<String>, Error> {
        let _ = (table, fingerprint);
        Ok(None)
    }

    /// Whether vectors of `model`, an embedding model, are stored.
    fn has_vectors(&self, model: &str) -> Result<bool, Error> {
        let _ = model;
        Ok(false)
    }

    /// Show the stored vectors of an embedding model: each text with its vector, packed
    /// ([`crate::link::pack`]).
    fn each_vector(&self, model: &str, see: &mut dyn FnMut(&str, &[u8])) -> Result<(), Error> {
        let _ = (model, see);
        Ok(())
    }

    /// Keep packed vectors of texts that have none of this model yet.
    fn store_vectors(&self, model: &str, vectors: &[(&str, Vec<u8>)]) -> Result<(), Error> {
        let _ = (model, vectors);
        Ok(())
    }

    /// Keep the ledger of what is about to be sent to a model; an error keeps it from being sent.
    fn record(&self, sent: &LedgerEntry) -> Result<(), Error> {
        let _ = sent;
        Ok(())
    }

    /// Keep a table's summary for later sessions; a read-only database forgets it.
    fn store_summary(&self, table: TableId, fingerprint: u64, summary: &str) -> Result<(), Error> {
        let _ = (table, fingerprint, summary);
        Ok(())
    }
}

/// A search for stored values.
#[derive(Debug, Clone, Copy)]
pub struct ValueQuery<'a> {
    /// Phrases to look for, as the user wrote them.
    pub phrases: &'a [String],
    /// Columns to look in; empty means every searchable text column.
    pub columns: &'a [ColumnId],
    /// At most this many hits a phrase.
    pub limit: usize,
    /// Also look for misspelt and partial matches, not only case- and blank-insensitive ones.
    pub fuzzy: bool,
    /// Time the whole search may take.
    pub budget: Duration,
}

/// One stored value that resembles a phrase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueHit {
    /// Index into [`ValueQuery::phrases`].
    pub phrase: usize,
    /// Where the value is stored.
    pub column: ColumnId,
    /// The value exactly as stored.
    pub value: String,
    /// Likeness to the phrase in 0..=1; 1 is equal but for case, accents and outer blanks.
    pub similarity: f32,
}

/// Limits on one execution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Rows kept; more are cut and [`Rows::truncated`] says so.
    pub rows: usize,
    /// Bytes of values kept; more is an error.
    pub bytes: usize,
    /// Time until the query is stopped.
    pub time: Duration,
    /// Refuse a query whose estimated cost is higher; None is no such limit.
    pub cost: Option<f64>,
}

/// Whether the caller still wants the answer.
pub trait Cancel {
    /// Cheap flag, readable at any time: something wants attention.
    fn pending(&self) -> bool;
    /// Attend to it: `Err(Error::Cancelled)` when the work must stop.
    fn check(&self) -> Result<(), Error>;
}

/// A language model.
pub trait Model {
    /// What the user calls it, for the report.
    fn name(&self) -> &str;
    /// Whether requests may carry [`Request::tools`].
    fn native_tools(&self) -> bool {
        false
    }
    /// Answer independent requests, at the same time where possible, in their order.
    fn complete(&self, requests: &[Request]) -> Vec<Result<Reply, Error>>;
    /// The model that makes vectors of texts, as the server calls it.
    /// Errors: the server has none, or may not be used.
    fn embedding_model(&self) -> Result<&str, Error> {
        Err(Error::NoModel {
            message: "the server has no embedding model".to_owned(),
            hint: "See docs/models.md.".to_owned(),
        })
    }
    /// Vectors of texts, none of which is empty, by the [`Self::embedding_model`].
    fn embed(&self, texts: &[String]) -> Result<Vectors, Error> {
        let _ = texts;
        self.embedding_model().map(|_| Vectors::default())
    }
    /// What these tokens cost, in whatever currency the user gave prices; None without prices.
    fn cost(&self, usage: Usage) -> Option<f64> {
        let _ = usage;
        None
    }
}

/// One request to a model.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Request {
    /// Which step of which strategy asks, e.g. `gsr.pre_sql`; not sent.
    pub step: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Tools the model may call; empty for plain text.
    pub tools: Vec<Tool>,
    /// The reply ends before any of these.
    pub stop: Vec<String>,
    /// How many leading messages stay the same in later requests (prompt caching).
    pub stable_prefix: usize,
    /// Distinguishes samples of one prompt; also offsets the seed.
    pub sample: u32,
}

impl Request {
    /// Bytes of messages and tools, before any wire format.
    pub fn bytes(&self) -> usize {
        let calls = |m: &Message| m.tool_calls.iter().map(|c| c.arguments.len()).sum::<usize>();
        let messages = self.messages.iter().map(|m| m.content.len() + calls(m)).sum::<usize>();
        let tool = |t: &Tool| t.description.len() + t.parameters.to_string().len();
        messages + self.tools.iter().map(tool).sum::<usize>()
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The engine, for the user.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
    /// Calls the model asked for (assistant messages only).
    pub tool_calls: Vec<ToolCall>,
    /// Which call this answers (tool messages only).
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message of plain text.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }
}

/// A tool offered to the model.
#[derive(Debug, Clone, Serialize)]
pub struct Tool {
    /// The name the model calls it by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: serde_json::Value,
}

/// A tool call asked for by the model.
#[derive(Debug, Clone, Serialize)]
pub struct ToolCall {
    /// The model's identifier of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments as JSON text, as the model wrote them.
    pub arguments: String,
}

/// What a model answered.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Tool calls, if any.
    pub tool_calls: Vec<ToolCall>,
    /// Token counts as the server reports them.
    pub usage: Usage,
    /// Wall time of this request in milliseconds, retries included.
    pub ms: f64,
    /// The reply was cut at the token limit.
    pub truncated: bool,
}

/// Vectors that an embedding model made.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    /// One a text, in their order, all of one width.
    pub vectors: Vec<Vec<f32>>,
    /// Token counts as the server reports them.
    pub usage: Usage,
}

/// Token counts as the server reports them; zero where it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Part of `prompt_tokens` served from the provider's cache.
    pub cached_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.prompt_tokens += more.prompt_tokens;
        self.completion_tokens += more.completion_tokens;
        self.cached_tokens += more.cached_tokens;
    }
}
