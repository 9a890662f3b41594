//! Ports: everything that the engine needs from outside. An adapter (PostgreSQL, SQLite, a test)
//! implements [`Database`], [`SessionStore`] and [`Cancel`]; a model client implements [`Model`].
//!
//! All methods take `&self` and are called from one thread. An adapter answers with the
//! caller's rights: what the caller may not read does not exist for the engine.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::answer_cache::AnswerCache;
use crate::catalog::{Catalog, ColumnId, ColumnStatistics, TableId, TableStatistics};
use crate::chat::{Billed, Reply, Request, Tested, Usage};
use crate::conversation::Conversation;
use crate::dialect::Dialect;
use crate::error::{Error, QueryError};
use crate::example::Example;
use crate::guard::{Checked, Judge};
use crate::ledger::LedgerEntry;
use crate::rows::Rows;
use crate::settings::Limits;

/// A table that does not exist for the caller's questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concealed {
    /// Its name.
    pub name: String,
    /// Columns of other tables that refer to it.
    pub keys: Vec<String>,
}

/// A database, seen with the caller's rights.
pub trait Database: Judge {
    /// The SQL dialect that `run` understands.
    fn dialect(&self) -> Dialect;

    /// The catalog visible to the caller. Cheap when nothing changed; never stale.
    fn catalog(&self) -> Result<Arc<Catalog>, Error>;

    /// Statistics of a table's values, without reading it in full. Columns of
    /// which nothing is known, or whose values must stay private, have default entries.
    fn statistics(&self, table: TableId) -> Result<Arc<TableStatistics>, Error> {
        let columns = self.catalog()?.table(table).columns.len();
        Ok(Arc::new(TableStatistics { columns: vec![ColumnStatistics::default(); columns] }))
    }

    /// How many rows a table has now, as far as the caller may know. (The catalog's number may be
    /// as old as the last ANALYZE, and counts rows that the caller does not see.) Cheap.
    fn rows(&self, table: TableId) -> Option<f64> {
        self.catalog().ok()?.table(table).rows
    }

    /// Stored values that look like the phrases of `query`, cheapest source first, bounded by
    /// `query.budget`. Exact stored spelling is returned.
    fn find_values(&self, query: &ValueQuery<'_>) -> Result<FoundValues, Error>;

    /// Run a checked query read-only under `limits`, with the caller's rights, leaving the caller's
    /// session unchanged.
    fn run(&self, query: &Checked, limits: &Limits) -> Result<Rows, QueryError>;

    /// The server's current date as `YYYY-MM-DD`.
    fn today(&self) -> Result<String, Error>;

    /// Those of these names that tables have which the caller may not read, or which a label hides.
    fn concealed(&self, names: &[String]) -> Result<Vec<Concealed>, Error> {
        let _ = names;
        Ok(Vec::new())
    }

    /// Whether the caller sees the same rows of these tables as long as nobody changes them. Rows of
    /// others are not cached.
    fn shows_the_same(&self, tables: &[TableId]) -> bool {
        let _ = tables;
        true
    }
}

/// The session that a question is asked in, and everything that outlives the question. Every method
/// but [`Self::record`] has a default for a session that stores nothing; see [`NoStore`].
pub trait SessionStore {
    /// Records what is about to be sent to a model; an error prevents sending.
    fn record(&self, entry: LedgerEntry) -> Result<(), Error>;

    /// Record how many of the requests that were recorded last have left, retries included.
    fn left(&self, requests: u32) {
        let _ = requests;
    }

    /// Reports one line of progress to the waiting caller, if wanted.
    fn progress(&self, line: &str) {
        let _ = line;
    }

    /// Reports one line that the caller must see.
    fn notice(&self, line: &str) {
        let _ = line;
    }

    /// Notes a question, of any length, which may not be answerable.
    fn note_question(&self, question: &str) {
        let _ = question;
    }

    /// Admits a question that is about to be answered. Errors: the caller has no question left.
    fn admit(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Notes the number of rows of an answer.
    fn note_rows(&self, rows: usize) {
        let _ = rows;
    }

    /// The session's answers that may be given to the caller once more; None for no cache.
    fn answer_cache(&self) -> Option<Arc<AnswerCache>> {
        None
    }

    /// The conversation of this session and caller; None if the session wants none.
    fn conversation(&self) -> Option<Arc<Conversation>> {
        None
    }

    /// The glossary: the terms that the caller may read, and their meanings.
    fn glossary(&self) -> Result<Vec<(String, String)>, Error> {
        Ok(Vec::new())
    }

    /// The SQL of the verified question with this key (see [`crate::example::key`]), even if the
    /// caller may not run it: the guard decides that.
    fn example(&self, key: &str) -> Result<Option<String>, Error> {
        let _ = key;
        Ok(None)
    }

    /// Verified questions, newest first; an adapter may stop after a few thousand.
    fn examples(&self) -> Result<Vec<Example>, Error> {
        Ok(Vec::new())
    }

    /// Stores a verified question under its key, replacing an older one. Errors: the caller lacks the
    /// right.
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

    /// Stores a table's summary for later sessions; a read-only database ignores it.
    fn store_summary(&self, table: TableId, fingerprint: u64, summary: &str) -> Result<(), Error> {
        let _ = (table, fingerprint, summary);
        Ok(())
    }

    /// Whether vectors of `model`, an embedding model, are stored.
    fn has_vectors(&self, model: &str) -> Result<bool, Error> {
        let _ = model;
        Ok(false)
    }

    /// Visits the stored vectors of an embedding model: each text with its packed vector
    /// ([`crate::link::pack`]).
    fn each_vector(&self, model: &str, see: &mut dyn FnMut(&str, &[u8])) -> Result<(), Error> {
        let _ = (model, see);
        Ok(())
    }

    /// Stores packed vectors of texts that have none from this model yet.
    fn store_vectors(&self, model: &str, vectors: &[(&str, Vec<u8>)]) -> Result<(), Error> {
        let _ = (model, vectors);
        Ok(())
    }
}

/// A session that stores nothing and that nobody listens to.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoStore;

impl SessionStore for NoStore {
    fn record(&self, _: LedgerEntry) -> Result<(), Error> {
        Ok(())
    }
}

/// Ranks the tables that fit a question best, best first; none if nothing says which.
///
/// A function, because most searches need not know: ranking all tables takes longer than finding a
/// value in a few.
pub type BestTables<'a> = &'a dyn Fn() -> Vec<TableId>;

/// A search for stored values.
#[derive(Clone, Copy)]
pub struct ValueQuery<'a> {
    /// Phrases to search for, as the user wrote them.
    pub phrases: &'a [String],
    /// Columns to search; empty means every searchable text column.
    pub columns: &'a [ColumnId],
    /// These tables come first if not all can be searched.
    pub near: BestTables<'a>,
    /// At most this many hits per phrase.
    pub limit: usize,
    /// Also find misspelt and partial matches, not only case- and blank-insensitive ones.
    pub fuzzy: bool,
    /// Time the whole search may take; see [`Self::most_values`].
    pub budget: Duration,
}

/// How much longer than usual the same work may take on a busy machine before a clock ends it.
const BUSY: f64 = 4.0;

impl ValueQuery<'_> {
    /// How many stored values a search may compare that usually compares so many in a millisecond. What
    /// is found depends on this number, and on the clock only where that is much slower than usual: the
    /// same question finds the same values on a busy machine.
    pub fn most_values(&self, in_a_millisecond: f64) -> f64 {
        self.budget.as_secs_f64() * 1e3 / BUSY * in_a_millisecond
    }
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
    /// Similarity to the phrase in 0..=1; 1 means equal except for case, accents and outer blanks.
    pub similarity: f32,
}

/// The result of a search for stored values.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundValues {
    /// The hits.
    pub hits: Vec<ValueHit>,
    /// True if time ran out: values that were not found may still be stored.
    pub out_of_time: bool,
}

impl From<Vec<ValueHit>> for FoundValues {
    fn from(hits: Vec<ValueHit>) -> Self {
        Self { hits, out_of_time: false }
    }
}

/// Whether the caller still wants the answer.
pub trait Cancel {
    /// Whether an interrupt is pending: cheap, callable at any time.
    fn pending(&self) -> bool;
    /// Handle it: `Err(Error::Cancelled)` if the work must stop.
    fn check(&self) -> Result<(), Error>;
}

/// A caller who never cancels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patient;

impl Cancel for Patient {
    fn pending(&self) -> bool {
        false
    }
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A language model.
pub trait Model {
    /// The user's name for it, for the report.
    fn name(&self) -> &str;
    /// Identifies the model and its options, which decide its answers. None if it cannot be asked,
    /// or its answers must not be given again.
    fn fingerprint(&self) -> Option<u64> {
        None
    }
    /// Whether requests may carry [`Request::tools`].
    fn native_tools(&self) -> bool {
        false
    }
    /// Answer independent requests, concurrently if possible; results are in their order.
    fn complete(&self, requests: &[Request]) -> Vec<Billed<Reply>>;
    /// The model that makes vectors of texts, as the server calls it.
    /// Errors: the server has none, or may not be used.
    fn embedding_model(&self) -> Result<&str, Error> {
        Err(Error::NoModel {
            message: "the server has no embedding model".to_owned(),
            hint: "See docs/models.md.".to_owned(),
        })
    }
    /// Vectors of texts, none of which is empty, by the [`Self::embedding_model`]: one per text, in
    /// order, all of the same width.
    fn embed(&self, texts: &[String]) -> Billed<Vec<Vec<f32>>> {
        let _ = texts;
        Billed::free(self.embedding_model().map(|_| Vec::new()))
    }
    /// Test the server step by step, at last with a prompt of so many tokens. Errors: it may not be
    /// used, or its options do not say how.
    fn test(&self, prompt_tokens: usize) -> Result<Tested, Error> {
        let _ = prompt_tokens;
        Ok(Tested::default())
    }
    /// The cost of these tokens, in the currency of the user's prices; None without prices.
    fn cost(&self, usage: Usage) -> Option<f64> {
        let _ = usage;
        None
    }
}
