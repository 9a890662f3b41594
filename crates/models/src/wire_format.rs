//! The wire formats, and what can be wrong with a reply in one.

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
}

/// Why an answer holds no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It has another form; the text says what is wrong.
    Form(String),
    /// The limit of tokens was reached first.
    Length,
    /// A content filter withheld it.
    Filtered,
    /// The model declined, in these words.
    Declined(String),
    /// It is empty, and ended because of this.
    Nothing(String),
}

impl Trouble {
    /// The trouble with an answer that has this reason for its end and no text.
    pub(crate) fn of_end(finish: &str) -> Self {
        match finish.to_ascii_lowercase().as_str() {
            "length" | "max_tokens" => Self::Length,
            "content_filter" | "safety" | "prohibited_content" | "blocklist" | "recitation" => {
                Self::Filtered
            }
            "refusal" => Self::Declined("it gives no reason".to_owned()),
            _ => Self::Nothing(finish.to_owned()),
        }
    }
}

impl From<&str> for Trouble {
    fn from(text: &str) -> Self {
        Self::Form(text.to_owned())
    }
}
