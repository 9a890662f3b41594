//! Execution of checked queries for the strategies. No query is run twice if once is enough: if the
//! rows read to judge a query are all that the answer may hold, they are the answer.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::context::Context;
use crate::error::{QueryError, QueryErrorKind};
use crate::guard::{self, Checked};
use crate::report::{Execution, Run};
use crate::rows::Rows;
use crate::settings::Limits;

/// Rows by which a query is judged; of any more, only their existence is known.
pub const LOOKED_AT: usize = 100;

/// Most recent results kept for one question.
const KEPT: usize = 4;

/// How far a query may run before it is known to be the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stake {
    /// One of several candidates: its first rows, for at most the trial time.
    Look,
    /// Already in doubt: its first rows, for what is left of the question's trial time.
    Doubted,
    /// Only its result can raise doubt. If the caller wants rows, it is run as the answer, else
    /// as if it were in doubt.
    Likely,
}

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
    run: F,
    kept: RefCell<Vec<Kept<R>>>,
}

struct Kept<R> {
    sql: String,
    limits: Limits,
    result: Result<R, QueryError>,
}

impl<R: Held> Kept<R> {
    /// Whether running the query under `limits` would give no more.
    fn is_all(&self, limits: &Limits) -> bool {
        match &self.result {
            Ok(rows) => !rows.is_cut() || self.limits.rows >= limits.rows,
            Err(_) => self.limits == *limits,
        }
    }
}

impl<R: Held, F: Fn(&Checked, &Limits) -> Result<R, QueryError>> Results<R, F> {
    /// Nothing yet; `run` runs a query.
    pub fn new(run: F) -> Self {
        Self { run, kept: RefCell::default() }
    }

    /// The query's result under `limits`, if known.
    fn take(&self, query: &Checked, limits: &Limits) -> Option<Result<R, QueryError>> {
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

impl Context<'_> {
    /// Check a draft against the question's scope.
    ///
    /// Requires: any text. Produces: a query that may run, or why not.
    pub fn check(&self, draft: &str) -> Result<Checked, QueryError> {
        guard::check(self.database(), Some(&self.scope), draft)
    }

    /// Check and run a draft that is the answer unless its result raises doubt.
    ///
    /// Requires: any text. Produces: the checked query and its first rows, or why not; no rows
    /// if queries are not tried, or if this one was still running when its trial ended.
    pub fn try_out(&self, draft: &str) -> Result<(Checked, Option<Rows>), QueryError> {
        let query = self.check(draft)?;
        match self.run(&query, Stake::Likely) {
            None => Ok((query, None)),
            Some(Ok(rows)) => Ok((query, Some(rows))),
            Some(Err(error)) if error.kind == QueryErrorKind::Limited && !self.refuses(&query) => {
                Ok((query, None))
            }
            Some(Err(error)) => Err(error),
        }
    }

    /// Run a query as far as its stake allows. Produces: its first rows, or why there are none;
    /// None if it may not be tried.
    pub(crate) fn run(&self, query: &Checked, stake: Stake) -> Option<Result<Rows, QueryError>> {
        let limits = self.limits(stake)?;
        let (result, ms) = timed(|| match self.results {
            Some(results) => results.run(query, &limits),
            None => self.database().run(query, &limits).map(|rows| (rows.first(), size(&rows))),
        });
        if stake != Stake::Look {
            self.spend(match &result {
                Ok((rows, _)) => Duration::from_secs_f64(rows.ms.max(0.0) / 1e3),
                Err(error) if error.kind == QueryErrorKind::Limited => limits.time,
                Err(_) => Duration::ZERO,
            });
        }
        let run = result.as_ref().map(|(_, run)| run.clone());
        self.executed(query, run, ms);
        Some(result.map(|(rows, _)| rows))
    }

    /// The rows of the answer: those read to judge it, else it is run now.
    pub(crate) fn rows<R: Held, F: Fn(&Checked, &Limits) -> Result<R, QueryError>>(
        &self,
        query: &Checked,
        results: &Results<R, F>,
    ) -> Result<R, QueryError> {
        let limits = self.settings().answer_limits();
        let result = results.take(query, &limits).unwrap_or_else(|| {
            let (result, ms) = timed(|| (results.run)(query, &limits));
            self.executed(query, result.as_ref().map(size), ms);
            result
        });
        if result.as_ref().is_ok_and(Held::is_cut) {
            // who hands the rows on tells it, with the command that gives more
            self.was_told(format!("only the first {} rows were read; there are more", limits.rows));
        }
        let rows = result?;
        self.database().answered(rows.count());
        Ok(rows)
    }

    /// Record a run.
    fn executed(&self, query: &Checked, run: Result<Run, &QueryError>, ms: f64) {
        let run = run.unwrap_or_else(|error| Run::Failed { error: error.message.clone() });
        self.note_execution(Execution { sql: query.sql().to_owned(), run, ms });
    }

    /// The limits for a query of this stake; None if it may not be tried.
    fn limits(&self, stake: Stake) -> Option<Limits> {
        let trial = self.settings().trial_limits(LOOKED_AT)?;
        if stake == Stake::Look {
            return Some(trial);
        }
        if stake == Stake::Likely && self.results.is_some() {
            return Some(self.settings().answer_limits());
        }
        let time = trial.time.checked_sub(self.tried_for()).filter(|left| !left.is_zero())?;
        Some(Limits { time, ..trial })
    }

    /// Whether the settings refuse the query for its estimated cost.
    fn refuses(&self, query: &Checked) -> bool {
        self.settings().answer_limits().excess(query).is_some()
    }
}

fn size(held: &impl Held) -> Run {
    Run::Rows { rows: held.count(), more: held.is_cut() }
}

/// What `work` gives, and how many milliseconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let made = work();
    (made, started.elapsed().as_secs_f64() * 1e3)
}
