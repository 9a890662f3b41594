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
    /// All of them, each with its operator in SQL, its negation, and itself with its sides exchanged.
    const ALL: [(Self, BinaryOperator, Self, Self); 6] = {
        use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        [
            (Equal, Eq, NotEqual, Equal),
            (NotEqual, NotEq, Equal, NotEqual),
            (Less, Lt, GreaterOrEqual, Greater),
            (LessOrEqual, LtEq, Greater, GreaterOrEqual),
            (Greater, Gt, LessOrEqual, Less),
            (GreaterOrEqual, GtEq, Less, LessOrEqual),
        ]
    };

    /// The comparison by an operator in SQL.
    pub fn by(operator: &BinaryOperator) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, sql, ..)| sql == operator).map(|(found, ..)| found)
    }

    /// The operator in SQL.
    pub fn sql(self) -> BinaryOperator {
        Self::ALL[self as usize].1.clone()
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
        Self::ALL[self as usize].2
    }

    /// The same comparison with its sides exchanged: younger is a later birth.
    pub fn mirrored(self) -> Self {
        Self::ALL[self as usize].3
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
