//! What people read of a run.

pub mod markdown;
