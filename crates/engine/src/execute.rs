//! Execution of checked queries, as the strategies use it.

use crate::context::Context;
use crate::error::QueryError;
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
    /// Requires: any text. Produces: the checked query and its first rows, or why not.
    pub fn try_out(&self, draft: &str, rows: usize) -> Result<(Checked, Rows), QueryError> {
        let query = self.check(draft)?;
        let result = self.database().run(&query, &self.settings().probe_limits(rows))?;
        Ok((query, result))
    }
}
