//! An objection of a check.

/// A reason to ask the model once more.
#[derive(Debug, Clone, PartialEq)]
pub struct Objection {
    /// The check that objects, for the report.
    pub check: &'static str,
    /// The evidence, for the model and for people.
    pub evidence: String,
}
