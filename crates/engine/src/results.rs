//! Results of queries, kept so that no query runs twice.

use std::cell::RefCell;

use crate::error::QueryError;
use crate::guard::Checked;
use crate::report::Run;
use crate::rows::Rows;
use crate::settings::Limits;

/// Rows by which a query is judged; of any more, only their existence is known.
pub const LOOKED_AT: usize = 100;

/// Most recent results kept for one question.
const KEPT: usize = 4;

/// Rows in the form in which the caller gets them.
pub trait Held {
    /// The first [`LOOKED_AT`] of them as text, with [`Rows::truncated`] if there are more.
    fn first(&self) -> Rows;

    /// How many there are.
    fn count(&self) -> usize;

    /// There were more rows than the limit.
    fn is_cut(&self) -> bool;
}

impl Held for Rows {
    fn first(&self) -> Rows {
        let rows = self.rows.iter().take(LOOKED_AT).cloned().collect();
        let truncated = self.truncated || self.rows.len() > LOOKED_AT;
        Rows { columns: self.columns.clone(), rows, truncated, ms: self.ms }
    }

    fn count(&self) -> usize {
        self.rows.len()
    }

    fn is_cut(&self) -> bool {
        self.truncated
    }
}

/// Runs the queries of a question and keeps their results.
pub(crate) trait Keep {
    /// Run a query under `limits`. Produces: its first rows, and how many there are.
    fn run(&self, query: &Checked, limits: &Limits) -> Result<(Rows, Run), QueryError>;
}

/// The results of a question's queries, by their text.
pub(crate) struct Results<R, F> {
    pub run: F,
    kept: RefCell<Vec<Kept<R>>>,
}

struct Kept<R> {
    sql: String,
    limits: Limits,
    result: Result<R, QueryError>,
}

impl<R: Held> Kept<R> {
    /// Whether running the query under `limits` could give nothing more.
    fn is_all(&self, limits: &Limits) -> bool {
        match &self.result {
            Ok(rows) => !rows.is_cut() || self.limits.rows >= limits.rows,
            Err(_) => self.limits == *limits,
        }
    }
}

impl<R: Held, F: Fn(&Checked, &Limits) -> Result<R, QueryError>> Results<R, F> {
    /// No results yet; `run` runs a query.
    pub fn new(run: F) -> Self {
        Self { run, kept: RefCell::default() }
    }

    /// The query's result under `limits`, if known.
    pub fn take(&self, query: &Checked, limits: &Limits) -> Option<Result<R, QueryError>> {
        let mut kept = self.kept.borrow_mut();
        let place = kept.iter().position(|k| k.sql == query.sql() && k.is_all(limits))?;
        Some(kept.swap_remove(place).result)
    }
}

impl<R: Held, F: Fn(&Checked, &Limits) -> Result<R, QueryError>> Keep for Results<R, F> {
    fn run(&self, query: &Checked, limits: &Limits) -> Result<(Rows, Run), QueryError> {
        let result = (self.run)(query, limits);
        let first = result.as_ref().map(|held| (held.first(), size(held))).map_err(Clone::clone);
        let mut kept = self.kept.borrow_mut();
        kept.retain(|k| k.sql != query.sql());
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(Kept { sql: query.sql().to_owned(), limits: *limits, result });
        first
    }
}

/// How many rows there are.
pub(crate) fn size(held: &impl Held) -> Run {
    Run::Rows { rows: held.count(), more: held.is_cut() }
}
