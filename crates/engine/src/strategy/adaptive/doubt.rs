//! An objection of a check.

/// A reason to look again.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// The check that objects, for the report.
    pub check: &'static str,
    /// What it found, for the model and for people.
    pub evidence: String,
}
