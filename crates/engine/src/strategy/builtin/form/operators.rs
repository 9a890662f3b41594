//! Aggregates, comparisons and patterns of the query form; arithmetic and set operations are those of SQL.

use std::cmp::Ordering;

use serde::Deserialize;
use sqlparser::ast::BinaryOperator;

/// Aggregate functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aggregate {
    Count,
    Sum,
    Avg,
    Min,
    Max,
}

impl Aggregate {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Count, Self::Sum, Self::Avg, Self::Min, Self::Max];

    /// The function's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// The direction of an ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// `ASC`: the least first.
    #[serde(rename = "least")]
    Ascending,
    /// `DESC`: the most first.
    #[serde(rename = "most")]
    Descending,
}

impl Direction {
    /// The direction in which the most comes first, or the least.
    pub fn most_first(most: bool) -> Self {
        if most { Self::Descending } else { Self::Ascending }
    }

    /// The other one.
    pub fn reversed(self) -> Self {
        Self::most_first(self == Self::Ascending)
    }

    /// The aggregate that finds the first value in it.
    pub fn first(self) -> Aggregate {
        match self {
            Self::Ascending => Aggregate::Min,
            Self::Descending => Aggregate::Max,
        }
    }
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
    ];

    /// The operator in SQL.
    pub fn sql(self) -> BinaryOperator {
        match self {
            Self::Equal => BinaryOperator::Eq,
            Self::NotEqual => BinaryOperator::NotEq,
            Self::Less => BinaryOperator::Lt,
            Self::LessOrEqual => BinaryOperator::LtEq,
            Self::Greater => BinaryOperator::Gt,
            Self::GreaterOrEqual => BinaryOperator::GtEq,
        }
    }

    /// On which side of the other the first value lies, if it may not be the same.
    pub fn side(self) -> Option<Ordering> {
        match self {
            Self::Greater | Self::GreaterOrEqual => Some(Ordering::Greater),
            Self::Less | Self::LessOrEqual => Some(Ordering::Less),
            Self::Equal | Self::NotEqual => None,
        }
    }

    /// Whether it leaves out what it compares with: after, not since.
    pub fn is_strict(self) -> bool {
        matches!(self, Self::Greater | Self::Less)
    }

    /// Its negation.
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }

    /// The same comparison with its sides exchanged: younger is a later birth.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }
}

/// How a pattern sits in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    Contains,
    StartsWith,
    EndsWith,
}
