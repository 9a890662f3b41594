//! What the sandbox is entered for; limits and the wording of errors depend on it.

/// What happens inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Parsed, analysed, planned.
    Judging,
    /// Probing data that the caller did not ask for: it does not wait for locks.
    Probing,
    /// Executed.
    Running,
}

impl Phase {
    /// Longest wait for one lock, in milliseconds, where the total time does not bound it.
    pub fn lock_wait(self) -> Option<i32> {
        match self {
            Self::Judging => Some(1_000),
            Self::Probing => Some(20),
            Self::Running => None,
        }
    }
}
