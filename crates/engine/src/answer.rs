//! The answer to a question: SQL and report.

use crate::guard::checked::Checked;
use crate::report::Report;

/// An answered question.
#[derive(Debug)]
pub struct Answer {
    /// The query, judged by the guard.
    pub query: Checked,
    /// How it was found.
    pub report: Report,
}
