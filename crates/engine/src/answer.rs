//! The outcome of a question: its report, and the answer or the error.

use crate::error::Error;
use crate::guard::checked::Checked;
use crate::report::Report;

/// An answered question.
#[derive(Debug)]
pub struct Answer<R> {
    /// The query, judged by the guard.
    pub query: Checked,
    /// The rows that the query returned.
    pub rows: R,
}

/// The result of a question with its report, which is complete up to the point that was reached.
#[derive(Debug)]
#[must_use = "the result may be an error, and the report has the costs of either"]
pub struct Outcome<T> {
    /// How the question was answered, or why it was not.
    pub report: Report,
    /// The answer, or the error that ended the question.
    pub result: Result<T, Error>,
}

impl<T> Outcome<T> {
    /// An outcome without a report: the question was never opened.
    pub fn failed(error: Error) -> Self {
        Self { report: Report::default(), result: Err(error) }
    }

    /// Makes something else of the answer, or fails on it.
    pub fn and_then<U>(self, next: impl FnOnce(T) -> Result<U, Error>) -> Outcome<U> {
        Outcome { report: self.report, result: self.result.and_then(next) }
    }

    /// Returns the answer together with the report.
    pub fn with_report(self) -> Result<(T, Report), Error> {
        Ok((self.result?, self.report))
    }
}
