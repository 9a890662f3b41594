//! A verified question as it is stored.

/// A question and the SQL that answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The question.
    pub question: String,
    /// One statement.
    pub sql: String,
}

/// The key of a question: its text without case, repeated blanks and final punctuation. Signs
/// count, since "< 5" and "> 5" differ.
pub fn key(question: &str) -> String {
    let words = question.split_whitespace().map(str::to_lowercase);
    let line = words.collect::<Vec<_>>().join(" ");
    line.trim_end_matches(['?', '.', '!', ' ']).to_owned()
}
