//! PostgreSQL's hooks as they were before ours, which go on being called.

use std::sync::OnceLock;

/// The hook that was there, if one was; `H` is PostgreSQL's type of it.
pub struct Former<H>(OnceLock<H>);

impl<H: Copy + Default> Former<H> {
    /// Before `_PG_init`.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// What was there. The first counts.
    pub fn keep(&self, hook: H) {
        let _ = self.0.set(hook);
    }

    /// What is to be called before ours.
    pub fn get(&self) -> H {
        self.0.get().copied().unwrap_or_default()
    }
}
