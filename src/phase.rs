//! What a stay in the sandbox is for; limits and the words of errors depend on it.

/// What happens inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Parsed, analysed, planned.
    Judging,
    /// A look into data that the caller did not ask for: it does not wait for locks.
    Probing,
    /// Executed.
    Running,
}

impl Phase {
    /// Longest wait for one lock, in milliseconds, if the total time sets no bound.
    pub fn lock_wait(self) -> Option<i32> {
        match self {
            Self::Judging => Some(1_000),
            Self::Probing => Some(20),
            Self::Running => None,
        }
    }
}
