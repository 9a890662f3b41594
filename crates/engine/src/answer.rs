//! The answer to a question: SQL and report.

use crate::guard::checked::Checked;
use crate::report::Report;

/// The result of turning a question into SQL.
#[derive(Debug)]
pub struct Answer {
    /// The query, judged by the guard.
    pub query: Checked,
    /// How it came about.
    pub report: Report,
}
