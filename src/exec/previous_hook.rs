//! Hooks that other extensions installed before ours, which ours call.

use std::sync::OnceLock;

/// A hook that was installed before ours, if any; `H` is PostgreSQL's type of it.
pub struct PreviousHook<H>(OnceLock<H>);

impl<H: Copy + Default> PreviousHook<H> {
    /// Returns none; `_PG_init` sets it.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Sets the previous hook. Only the first call has an effect.
    pub fn set(&self, hook: H) {
        let _ = self.0.set(hook);
    }

    /// Returns the hook to call before ours.
    pub fn get(&self) -> H {
        self.0.get().copied().unwrap_or_default()
    }
}
