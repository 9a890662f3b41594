//! Which wire formats there are.

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
}
