//! The hooks that were installed before ours and are still called.

use std::sync::OnceLock;

/// The hook that was there, if one was; `H` is PostgreSQL's type of it.
pub struct Former<H>(OnceLock<H>);

impl<H: Copy + Default> Former<H> {
    /// Before `_PG_init`.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Keep what was there; only the first call counts.
    pub fn keep(&self, hook: H) {
        let _ = self.0.set(hook);
    }

    /// The hook to call before ours.
    pub fn get(&self) -> H {
        self.0.get().copied().unwrap_or_default()
    }
}
