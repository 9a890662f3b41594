//! What a word of the question came to.

/// What a word came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A part of the query.
    Part(&'static str),
    /// It holds the sentence together.
    Grammar,
    /// It is said to be polite.
    Courtesy,
    /// Nothing in the query is for it.
    Unread,
}

impl Role {
    /// A part of the query, where it is one.
    pub fn part_where(is_part: bool, part: &'static str) -> Self {
        if is_part { Self::Part(part) } else { Self::Unread }
    }

    /// The role in a word, for the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Part(part) => part,
            Self::Grammar => "grammar",
            Self::Courtesy => "courtesy",
            Self::Unread => "unread",
        }
    }
}
