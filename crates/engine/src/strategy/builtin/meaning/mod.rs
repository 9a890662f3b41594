//! Meanings: one for each name, the ways to read the question with others, and how sure a reading is.

pub(super) mod confidence;
pub(super) mod kinds;
pub(super) mod readings;
pub(super) mod resolve;
pub(super) mod suggestion;
