//! Tables of the extension, and what a session remembers: history, limits, verified questions, summaries, vectors.

pub mod examples;
pub mod history;
pub mod quota;
pub mod summaries;
pub mod vectors;
