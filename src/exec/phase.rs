//! Purposes of entering the sandbox. Limits and the wording of errors depend on them.

/// A purpose of entering the sandbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Parsed and analysed: nothing has been computed from a row.
    Judging,
    /// Judged further: rewritten and planned, for which functions of constants are computed.
    Planning,
    /// Probing data that the caller did not ask for: it does not wait for locks.
    Probing,
    /// Executed.
    Running,
}

impl Phase {
    /// Whether the query's text alone is looked at, but for functions of constants.
    pub fn is_of_text(self) -> bool {
        matches!(self, Self::Judging | Self::Planning)
    }

    /// Longest wait for one lock, in milliseconds, where the total time does not bound it.
    pub fn lock_wait(self) -> Option<i32> {
        match self {
            Self::Judging | Self::Planning => Some(1_000),
            Self::Probing => Some(20),
            Self::Running => None,
        }
    }
}
