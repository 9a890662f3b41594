//! The query form: what the builtin strategy means, before it is SQL. Tables and joins are not
//! part of it; they follow from the columns (see [`super::sql`]).

use std::collections::BTreeSet;

use crate::catalog::{ColumnId, TableId};

/// Aggregate functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// `count`
    Count,
    /// `sum`
    Sum,
    /// `avg`
    Avg,
    /// `min`
    Min,
    /// `max`
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

/// What an expression is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A column.
    Column(ColumnId),
    /// The rows of a table: `*`, or its key where rows would be counted twice.
    Rows(TableId),
}

impl Target {
    /// The table it belongs to.
    pub fn table(self) -> TableId {
        match self {
            Self::Column(c) => c.table,
            Self::Rows(t) => t,
        }
    }
}

/// A column or an aggregate of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Expression {
    /// The aggregate, if any.
    pub aggregate: Option<Aggregate>,
    /// `DISTINCT` inside the aggregate.
    pub distinct: bool,
    /// What it is about.
    pub target: Target,
}

impl Expression {
    /// A plain column.
    pub fn column(column: ColumnId) -> Self {
        Self { aggregate: None, distinct: false, target: Target::Column(column) }
    }

    /// An aggregate.
    pub fn aggregate(aggregate: Aggregate, target: Target) -> Self {
        Self { aggregate: Some(aggregate), distinct: false, target }
    }

    /// The number of a table's rows.
    pub fn count(table: TableId) -> Self {
        Self::aggregate(Aggregate::Count, Target::Rows(table))
    }
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The operator in SQL.
    pub fn sql(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Upwards (true), downwards (false), or neither.
    fn direction(self) -> Option<bool> {
        match self {
            Self::Greater | Self::GreaterOrEqual => Some(true),
            Self::Less | Self::LessOrEqual => Some(false),
            Self::Equal | Self::NotEqual => None,
        }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Anywhere.
    Contains,
    /// At the start.
    StartsWith,
    /// At the end.
    EndsWith,
}

/// The right side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A number, as digits.
    Number(String),
    /// A text.
    Text(String),
    /// The single value of a query.
    Query(Box<Query>),
}

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Any of them.
    Any(Vec<Condition>),
    /// Left side, operator, right side.
    Compare(Expression, Comparison, Operand),
    /// A column from one value to another, both included.
    Between(ColumnId, Operand, Operand),
    /// A date column within `from <= column < to`, dates as `YYYY-MM-DD`; None is open.
    Within(ColumnId, Option<String>, Option<String>),
    /// A text column that has a part; `true` negates.
    Like(ColumnId, Pattern, String, bool),
    /// A column that is NULL; `true` negates.
    Null(ColumnId, bool),
    /// A boolean column that is true; `true` negates.
    Flag(ColumnId, bool),
    /// A column among those of a query; `true` negates.
    Among(ColumnId, Box<Query>, bool),
}

/// Set operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetOperation {
    /// `INTERSECT`
    Intersect,
}

/// A query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The select list; empty means every column of `from`.
    pub select: Vec<Expression>,
    /// `SELECT DISTINCT`.
    pub distinct: bool,
    /// Tables that must take part although no expression names them.
    pub tables: BTreeSet<TableId>,
    /// Keys that were named where several connect two tables: "shipping address".
    pub keys: Vec<usize>,
    /// Conditions on rows, all of which must hold.
    pub filters: Vec<Condition>,
    /// Grouping columns.
    pub group: Vec<ColumnId>,
    /// Conditions on groups, all of which must hold.
    pub having: Vec<Condition>,
    /// Ordering: expression and whether it descends.
    pub order: Vec<(Expression, bool)>,
    /// At most so many rows.
    pub limit: Option<u32>,
    /// Rows skipped first.
    pub offset: u32,
    /// Combined with another query of the same select list.
    pub combine: Option<(SetOperation, Box<Query>)>,
}

impl Condition {
    /// Calls `visit` for each expression outside subqueries.
    fn expressions(&self, visit: &mut impl FnMut(Expression)) {
        match self {
            Self::Any(parts) => {
                parts.iter().for_each(|p| p.expressions(visit));
            }
            Self::Compare(expression, _, _) => visit(*expression),
            Self::Between(c, _, _)
            | Self::Within(c, _, _)
            | Self::Like(c, _, _, _)
            | Self::Null(c, _)
            | Self::Flag(c, _)
            | Self::Among(c, _, _) => visit(Expression::column(*c)),
        }
    }

    /// Whether no row can meet both: equal to two values, or above one and below a smaller.
    pub fn excludes(&self, other: &Condition) -> bool {
        let (Self::Compare(a, one, x), Self::Compare(b, two, y)) = (self, other) else {
            return false;
        };
        let number = |operand: &Operand| match operand {
            Operand::Number(digits) => digits.parse::<f64>().ok(),
            _ => None,
        };
        let (above, below) = match (one.direction(), two.direction()) {
            (Some(true), Some(false)) => (number(x), number(y)),
            (Some(false), Some(true)) => (number(y), number(x)),
            _ => return a == b && *one == Comparison::Equal && *two == Comparison::Equal && x != y,
        };
        a == b && above.zip(below).is_some_and(|(above, below)| above >= below)
    }

    /// The tables it reads, outside subqueries.
    pub fn tables(&self) -> BTreeSet<TableId> {
        let mut tables = BTreeSet::new();
        self.expressions(&mut |e| {
            tables.insert(e.target.table());
        });
        tables
    }
}

impl Query {
    /// Every table that the query's own expressions need.
    pub fn needed_tables(&self) -> BTreeSet<TableId> {
        let mut tables = self.tables.clone();
        let own = self.select.iter().chain(self.order.iter().map(|(e, _)| e));
        tables.extend(own.map(|e| e.target.table()));
        tables.extend(self.group.iter().map(|c| c.table));
        for condition in self.filters.iter().chain(&self.having) {
            tables.extend(condition.tables());
        }
        tables
    }

    /// The tables that the answer is about: select list, grouping and ordering.
    pub fn answer_tables(&self) -> BTreeSet<TableId> {
        let own = self.select.iter().chain(self.order.iter().map(|(e, _)| e));
        let mut tables: BTreeSet<TableId> = own.map(|e| e.target.table()).collect();
        tables.extend(self.group.iter().map(|c| c.table));
        tables.extend(self.having.iter().flat_map(Condition::tables));
        tables
    }

    /// Whether any select item is an aggregate.
    pub fn aggregates(&self) -> bool {
        self.select.iter().any(|e| e.aggregate.is_some())
    }
}
