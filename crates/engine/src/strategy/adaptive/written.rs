//! A query that a model wrote, and dry runs beside others.

use super::model_reply::Dialogue;
use super::objection::Objection;
use crate::context::Context;
use crate::error::Error;
use crate::execute::RunMode;
use crate::prompt::reply::Sureness;
use crate::refine::DryRun;
use crate::report::Step;

/// A query from the model with all that speaks for and against it.
pub(super) struct Written {
    pub dialogue: Dialogue,
    pub dry_run: DryRun,
    /// Objections that stand.
    pub objections: Vec<Objection>,
    /// How sure the model says it is.
    pub sureness: Option<Sureness>,
    /// The share of the candidates that agree, and of the readings that it is one of.
    pub agreement: f32,
    /// A check had it changed to another result.
    pub repaired: bool,
    /// How many objections there were to the first query.
    pub raised: usize,
    /// It was written only after a second look.
    pub widened: bool,
}

impl Written {
    pub fn new(
        dialogue: Dialogue,
        dry_run: DryRun,
        objections: Vec<Objection>,
        sureness: Option<Sureness>,
    ) -> Self {
        let (raised, agreement) = (objections.len(), 1.0);
        let (repaired, widened) = (false, false);
        Self { dialogue, dry_run, objections, sureness, agreement, repaired, raised, widened }
    }
}

/// Try a query beside others in what is left of the question's dry run time.
pub(super) fn try_doubtful(context: &Context<'_>, sql: &str) -> Result<DryRun, Error> {
    let dry_run = context.dry_run_at(sql, |_| Ok(RunMode::Doubtful))?;
    step(context, "adaptive.trial", dry_run.verdict(), sql);
    Ok(dry_run)
}

/// Records a step.
pub(super) fn step(context: &Context<'_>, name: &str, note: String, sql: &str) {
    let sql = Some(sql.to_owned());
    context.step(Step { name: name.to_owned(), note, sql, ..Step::default() });
}
