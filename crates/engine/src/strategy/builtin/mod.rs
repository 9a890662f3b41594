//! Strategy `builtin`: no model at all.

use crate::context::Context;
use crate::error::Error;
use crate::guard::Checked;

/// Answer from the words of the question alone, or say which of them fit nothing.
pub fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    let _ = context;
    Err(Error::NotUnderstood {
        reason: "No words of the question were placed.".to_owned(),
        words: Vec::new(),
        suggestion: None,
    })
}
