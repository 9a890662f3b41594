//! Meanings: one for each name, the alternative readings, and how certain a reading is.

pub(super) mod choice;
pub(super) mod confidence;
pub(super) mod flags;
pub(super) mod readings;
pub(super) mod resolve;
pub(super) mod suggestion;
