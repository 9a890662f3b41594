//! The query form: what the builtin strategy means, before it is SQL. Tables and joins are not
//! part of it; they follow from the columns (see [`super::sql`]).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::catalog::{ColumnId, KeyId, TableId};
use crate::dialect::DatePart;

pub use sqlparser::ast::{BinaryOperator, SetOperator};

pub use super::operators::{Aggregate, Comparison, Direction, Pattern};

/// What an expression is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A column.
    Column(ColumnId),
    /// A part of a date column: its year, its month.
    Part(ColumnId, DatePart),
    /// The rows of a table: `*`, or its key where rows would be counted twice.
    Rows(TableId),
    /// A computation, with the name of its column.
    Formula(Box<Formula>, String),
}

impl Target {
    /// The table it belongs to; of a computation the first.
    pub fn table(&self) -> TableId {
        self.tables().first().copied().unwrap_or_default()
    }

    /// The tables it reads; a computation may read several.
    pub fn tables(&self) -> Vec<TableId> {
        self.reads().iter().map(|read| read.table).collect()
    }

    /// The tables of which it shows something.
    pub fn shown(&self) -> Vec<TableId> {
        match self {
            Self::Formula(formula, _) => match **formula {
                Formula::Beside(.., other) => vec![other.table],
                _ => self.tables(),
            },
            _ => self.tables(),
        }
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Column(c) => vec![Read::of(*c, false)],
            Self::Part(c, _) => vec![Read::of(*c, true)],
            Self::Rows(table) => vec![Read { table: *table, column: None, as_date: false }],
            Self::Formula(formula, _) => formula.reads(),
        }
    }

    /// The column, where it is nothing but one.
    pub fn column(&self) -> Option<ColumnId> {
        match self {
            Self::Column(c) => Some(*c),
            _ => None,
        }
    }
}

impl From<ColumnId> for Target {
    fn from(column: ColumnId) -> Self {
        Self::Column(column)
    }
}

/// What an expression reads of a table.
#[derive(Debug, Clone, Copy)]
pub struct Read {
    pub table: TableId,
    /// None for its rows as such.
    pub column: Option<ColumnId>,
    /// The column is read as a date.
    pub as_date: bool,
}

impl Read {
    fn of(column: ColumnId, as_date: bool) -> Self {
        Self { table: column.table, column: Some(column), as_date }
    }
}

/// Arithmetic over columns or over aggregates.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// A number, as digits.
    Number(String),
    /// A column or an aggregate, of the rows that meet the conditions.
    Term(Expression, Vec<Condition>),
    /// Days from one column of dates to another.
    Days(ColumnId, ColumnId),
    /// The column of the row that a key of this row, by its own column, names; maybe of the same table.
    Beside(ColumnId, KeyId, ColumnId),
    /// Left side, `+`, `-`, `*` or `/`, right side. Division is never of whole numbers, and NULL
    /// where the right side is zero.
    Binary(Box<Formula>, BinaryOperator, Box<Formula>),
}

impl Formula {
    /// How strongly its parts hold together.
    pub fn precedence(&self) -> u8 {
        match self {
            Self::Binary(_, BinaryOperator::Multiply | BinaryOperator::Divide, _) => 2,
            Self::Binary(..) | Self::Days(..) => 1,
            Self::Number(_) | Self::Term(..) | Self::Beside(..) => 3,
        }
    }

    /// Whether it has a decimal number as a factor, so that dividing it keeps the fraction.
    pub fn is_decimal(&self) -> bool {
        match self {
            Self::Number(digits) => digits.contains('.'),
            Self::Binary(a, BinaryOperator::Multiply, b) => a.is_decimal() || b.is_decimal(),
            _ => false,
        }
    }

    /// An aggregate of all rows.
    pub fn of(expression: Expression) -> Self {
        Self::Term(expression, Vec::new())
    }

    /// Two formulas joined by an operator.
    pub fn binary(left: Self, operator: BinaryOperator, right: Self) -> Self {
        Self::Binary(Box::new(left), operator, Box::new(right))
    }

    /// Whether one value stands for many rows.
    fn is_aggregate(&self) -> bool {
        match self {
            Self::Term(expression, _) => expression.is_aggregate(),
            Self::Binary(left, _, right) => left.is_aggregate() || right.is_aggregate(),
            Self::Number(_) | Self::Days(..) | Self::Beside(..) => false,
        }
    }

    /// What it reads, from left to right.
    pub fn reads(&self) -> Vec<Read> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Term(expression, conditions) => {
                let compared = conditions.iter().flat_map(Condition::reads);
                expression.target.reads().into_iter().chain(compared).collect()
            }
            Self::Days(from, to) => vec![Read::of(*from, true), Read::of(*to, true)],
            Self::Beside(own, ..) => vec![Read::of(*own, false)],
            Self::Binary(left, _, right) => [left.reads(), right.reads()].concat(),
        }
    }
}

/// A column or an aggregate of one.
#[derive(Debug, Clone, PartialEq)]
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
        Self::plain(Target::Column(column))
    }

    /// Something that is not aggregated.
    pub fn plain(target: Target) -> Self {
        Self { aggregate: None, distinct: false, target }
    }

    /// An aggregate.
    pub fn aggregate(aggregate: Aggregate, of: impl Into<Target>) -> Self {
        Self { aggregate: Some(aggregate), ..Self::plain(of.into()) }
    }

    /// The number of a table's rows.
    pub fn count(table: TableId) -> Self {
        Self::aggregate(Aggregate::Count, Target::Rows(table))
    }

    /// The number of different values.
    pub fn count_distinct(of: impl Into<Target>) -> Self {
        Self { distinct: true, ..Self::aggregate(Aggregate::Count, of) }
    }

    /// The column, where it is nothing but one.
    pub fn plain_column(&self) -> Option<ColumnId> {
        self.target.column().filter(|_| self.aggregate.is_none())
    }

    /// Whether one value stands for many rows.
    pub fn is_aggregate(&self) -> bool {
        self.aggregate.is_some()
            || matches!(&self.target, Target::Formula(formula, _) if formula.is_aggregate())
    }

    /// The tables it reads.
    pub fn tables(&self) -> Vec<TableId> {
        self.target.tables()
    }
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
    /// A computation over the same row.
    Formula(Formula),
}

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Any of them.
    Any(Vec<Condition>),
    /// All of them, as one of several alternatives.
    All(Vec<Condition>),
    /// Left side, operator, right side.
    Compare(Expression, Comparison, Operand),
    /// A column from one value to another, both included.
    Between(ColumnId, Operand, Operand),
    /// A date column within `from <= column < to`, dates as `YYYY-MM-DD`; None is open.
    Within(ColumnId, Option<String>, Option<String>),
    /// `column [NOT] LIKE …text…`
    Like { column: ColumnId, pattern: Pattern, text: String, negated: bool },
    /// `column IS [NOT] NULL`
    IsNull { column: ColumnId, negated: bool },
    /// `[NOT] column`, of a boolean column.
    IsTrue { column: ColumnId, negated: bool },
    /// `column [NOT] IN (query)`
    In { column: ColumnId, query: Box<Query>, negated: bool },
}

/// The groups in which rows are ranked apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    /// What tells the groups apart.
    pub of: Vec<Target>,
    /// How many select items, the first ones, name the group.
    pub shown: usize,
}

/// What rows are ordered by.
pub type Order = (Expression, Direction);

/// A query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The select list; empty means every column of `from`.
    pub select: Vec<Expression>,
    /// `SELECT DISTINCT`.
    pub distinct: bool,
    /// Tables that must take part although no expression names them.
    pub tables: BTreeSet<TableId>,
    /// The table of which all rows take part, those to which no row of the others is joined too.
    pub all_of: Option<TableId>,
    /// Keys that were named where several connect two tables: "shipping address".
    pub keys: Vec<KeyId>,
    /// Conditions on rows, all of which must hold.
    pub filters: Vec<Condition>,
    /// What groups: columns and parts of dates.
    pub group: Vec<Target>,
    /// Conditions on groups, all of which must hold.
    pub having: Vec<Condition>,
    /// Ordering.
    pub order: Vec<Order>,
    /// At most so many rows.
    pub limit: Option<u32>,
    /// Rows skipped first.
    pub offset: u32,
    /// The ranked rows are the first of each group rather than of all.
    pub within: Option<Within>,
    /// Combined with another query of the same select list.
    pub combine: Option<(SetOperator, Box<Query>)>,
}

impl Condition {
    /// A column is among what a query finds.
    pub fn among(column: ColumnId, query: Query) -> Self {
        Self::In { column, query: Box::new(query), negated: false }
    }

    /// A column compares so with a value.
    pub fn compare(column: ColumnId, comparison: Comparison, value: Operand) -> Self {
        Self::Compare(Expression::column(column), comparison, value)
    }

    /// A column has a value.
    pub fn equal(column: ColumnId, value: Operand) -> Self {
        Self::compare(column, Comparison::Equal, value)
    }

    /// A column is not empty.
    pub fn present(column: ColumnId) -> Self {
        Self::IsNull { column, negated: true }
    }

    /// A column is empty.
    pub fn missing(column: ColumnId) -> Self {
        Self::IsNull { column, negated: false }
    }

    /// What it reads, outside subqueries.
    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Any(parts) | Self::All(parts) => parts.iter().flat_map(Self::reads).collect(),
            Self::Compare(expression, _, _) => expression.target.reads(),
            Self::Within(c, _, _) => vec![Read::of(*c, true)],
            Self::Between(c, _, _)
            | Self::Like { column: c, .. }
            | Self::IsNull { column: c, .. }
            | Self::IsTrue { column: c, .. }
            | Self::In { column: c, .. } => vec![Read::of(*c, false)],
        }
    }

    /// The columns it is about, outside subqueries.
    pub fn columns(&self) -> Vec<ColumnId> {
        self.reads().iter().filter_map(|read| read.column).collect()
    }

    /// The queries inside it.
    pub fn subqueries(&self) -> Vec<&Query> {
        match self {
            Self::Any(all) | Self::All(all) => all.iter().flat_map(Self::subqueries).collect(),
            Self::In { query, .. } | Self::Compare(_, _, Operand::Query(query)) => vec![query],
            _ => Vec::new(),
        }
    }

    /// Whether no row can meet both: equal to two values, above one and below a smaller, in two periods.
    pub fn excludes(&self, other: &Condition) -> bool {
        if let (Self::Any(parts), one) | (one, Self::Any(parts)) = (self, other) {
            return parts.iter().all(|part| part.excludes(one));
        }
        if let (Self::Within(a, from, to), Self::Within(b, other_from, other_to)) = (self, other) {
            let apart = |end: &Option<String>, start: &Option<String>| {
                end.as_ref().zip(start.as_ref()).is_some_and(|(end, start)| end <= start)
            };
            return a == b && (apart(to, other_from) || apart(other_to, from));
        }
        let (Self::Compare(a, one, x), Self::Compare(b, two, y)) = (self, other) else {
            return false;
        };
        let number = |operand: &Operand| match operand {
            Operand::Number(digits) | Operand::Text(digits) => digits.parse::<f64>().ok(),
            Operand::Query(_) | Operand::Formula(_) => None,
        };
        let (above, below) = match (one.side(), two.side()) {
            (Some(Ordering::Greater), Some(Ordering::Less)) => (number(x), number(y)),
            (Some(Ordering::Less), Some(Ordering::Greater)) => (number(y), number(x)),
            _ => return a == b && *one == Comparison::Equal && *two == Comparison::Equal && x != y,
        };
        a == b && above.zip(below).is_some_and(|(above, below)| above >= below)
    }

    /// Whether it says nothing beside the other, of one row: not Bergen, beside Oslo. What it is
    /// a negation of.
    pub fn contrasts(&self, other: &Condition) -> Option<Condition> {
        let (Self::Compare(a, Comparison::Equal, x), Self::Compare(b, Comparison::NotEqual, y)) =
            (other, self)
        else {
            return None;
        };
        (a == b && x != y).then(|| Self::Compare(b.clone(), Comparison::Equal, y.clone()))
    }

    /// The tables it reads, outside subqueries.
    pub fn tables(&self) -> BTreeSet<TableId> {
        self.reads().iter().map(|read| read.table).collect()
    }
}

impl Query {
    /// The values of a column.
    pub fn of(column: ColumnId) -> Self {
        Self::showing(Expression::column(column))
    }

    /// What an expression comes to.
    pub fn showing(expression: Expression) -> Self {
        Self { select: vec![expression], ..Self::default() }
    }

    /// What it shows and orders by.
    pub fn shown(&self) -> impl Iterator<Item = &Expression> {
        self.select.iter().chain(self.order.iter().map(|(e, _)| e))
    }

    /// What it shows, orders by and groups by.
    fn targets(&self) -> impl Iterator<Item = &Target> {
        let own = self.shown().map(|e| &e.target);
        own.chain(&self.group).chain(self.within.iter().flat_map(|w| &w.of))
    }

    /// Whether it shows a column, or what is computed of it.
    pub fn shows(&self, column: ColumnId) -> bool {
        self.select.iter().any(|e| e.target == Target::Rows(column.table)) || self.lists(column)
    }

    /// Whether the values of the column are shown by themselves.
    pub fn lists(&self, column: ColumnId) -> bool {
        let reads = |e: &Expression| e.target.reads().iter().any(|r| r.column == Some(column));
        self.select.iter().any(reads)
    }

    /// Conditions on rows and on groups.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.filters.iter().chain(&self.having)
    }

    /// Whether a condition only says which rows are joined to those of [`Self::all_of`].
    pub fn joins_on(&self, condition: &Condition) -> bool {
        self.all_of.is_some_and(|all| !condition.tables().contains(&all))
    }

    /// What it reads, outside subqueries.
    fn reads(&self) -> impl Iterator<Item = Read> {
        self.targets().flat_map(Target::reads).chain(self.conditions().flat_map(Condition::reads))
    }

    /// Every table that the query's own expressions name.
    pub fn read_tables(&self) -> BTreeSet<TableId> {
        self.reads().map(|read| read.table).collect()
    }

    /// These, and those that must take part besides.
    pub fn needed_tables(&self) -> BTreeSet<TableId> {
        &self.tables | &self.read_tables()
    }

    /// Every column that it shows, compares, groups or orders by, subqueries too.
    pub fn columns(&self) -> BTreeSet<ColumnId> {
        self.levels().into_iter().flat_map(Query::reads).filter_map(|read| read.column).collect()
    }

    /// The queries in its conditions, and the one that it is combined with.
    pub fn subqueries(&self) -> Vec<&Query> {
        let inner = self.conditions().flat_map(Condition::subqueries);
        inner.chain(self.combine.iter().map(|(_, other)| &**other)).collect()
    }

    /// The query and those inside it, however deep.
    pub fn levels(&self) -> Vec<&Query> {
        std::iter::once(self).chain(self.subqueries().into_iter().flat_map(Query::levels)).collect()
    }

    /// The tables that the answer is about: select list, grouping and ordering.
    pub fn answer_tables(&self) -> BTreeSet<TableId> {
        let compared = self.having.iter().flat_map(Condition::tables);
        self.targets().flat_map(Target::tables).chain(compared).collect()
    }

    /// The columns that are read as dates, outside subqueries.
    pub fn dates(&self) -> BTreeSet<ColumnId> {
        self.reads().filter(|read| read.as_date).filter_map(|read| read.column).collect()
    }

    /// Whether it shows rows as they are: no groups of them, and no figures.
    pub fn shows_rows(&self) -> bool {
        self.group.is_empty() && self.within.is_none() && !self.aggregates()
    }

    /// Whether it shows all rows that meet its conditions.
    pub fn shows_all_rows(&self) -> bool {
        let whole = self.limit.is_none() && self.combine.is_none();
        whole && self.shows_rows() && self.having.is_empty()
    }

    /// Whether any select item is an aggregate.
    pub fn aggregates(&self) -> bool {
        self.select.iter().any(Expression::is_aggregate)
    }
}
