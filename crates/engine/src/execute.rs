//! Execution of checked queries, as the strategies use it.

use crate::context::Context;
use crate::error::{QueryError, QueryErrorKind};
use crate::guard::{self, Checked};
use crate::rows::Rows;

impl Context<'_> {
    /// Judge a draft against the question's scope.
    ///
    /// Requires: any text. Produces: a query that may run, or why not.
    pub fn check(&self, draft: &str) -> Result<Checked, QueryError> {
        guard::check(self.database(), Some(&self.scope), draft)
    }

    /// Judge a draft and run it for at most `rows` rows.
    ///
    /// Requires: any text. Produces: the checked query and its first rows, or why not; no rows
    /// where queries are not tried, or where this one was still running when its trial ended.
    pub fn try_out(&self, draft: &str, rows: usize) -> Result<(Checked, Option<Rows>), QueryError> {
        let query = self.check(draft)?;
        let Some(limits) = self.settings().trial_limits(rows) else { return Ok((query, None)) };
        match self.database().run(&query, &limits) {
            Ok(result) => Ok((query, Some(result))),
            Err(error) if error.kind == QueryErrorKind::Limited && !limits.refuse(&query) => {
                Ok((query, None))
            }
            Err(error) => Err(error),
        }
    }
}
