//! The interface of the engine: what a session brings to a question, the question itself, and what a
//! strategy is.

pub use crate::context::{Context, Engine, Question, Strategy};
