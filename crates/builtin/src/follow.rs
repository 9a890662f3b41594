//! Follow-ups: edits of the derivation before.

use crate::form::Frame;
use crate::read::{Outcome, read};
use crate::world::World;

/// Reads a question that may go on from the one before.
pub fn follow(world: &World<'_>, previous: &Frame, question: &str) -> Outcome {
    let _ = previous;
    read(world, question)
}
