//! Constructors for sqlparser's tree, in which queries are written. Names and texts enter it as
//! [`Dialect`](crate::dialect::Dialect) quotes them: sqlparser itself does not double a quote that
//! follows a backslash, which would end the literal.

use once_cell::sync::Lazy;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, DuplicateTreatment, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident, Join, JoinConstraint,
    JoinOperator, LimitClause, ObjectName, Offset, OffsetRows, OrderBy, OrderByExpr, OrderByKind,
    OrderByOptions, OrderBySort, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor,
    TableWithJoins, Value, WindowSpec, WindowType,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use super::query::Direction;

/// What the dialect has already written as a literal.
pub fn literal(written: String) -> Expr {
    Expr::value(Value::Placeholder(written))
}

pub fn number(digits: impl ToString) -> Expr {
    Expr::value(Value::Number(digits.to_string(), false))
}

pub fn all_columns() -> Expr {
    Expr::Wildcard(AttachedToken::empty())
}

pub fn columns_of(table: ObjectName) -> Expr {
    Expr::QualifiedWildcard(table, AttachedToken::empty())
}

pub fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

pub fn between(expr: Expr, low: Expr, high: Expr) -> Expr {
    Expr::Between { expr: expr.into(), negated: false, low: low.into(), high: high.into() }
}

pub fn nested(inner: Expr) -> Expr {
    Expr::Nested(Box::new(inner))
}

/// All of them, or any, as the operator has it; alternatives beside others are in parentheses.
pub fn joined(parts: Vec<Expr>, op: &BinaryOperator) -> Option<Expr> {
    let several = parts.len() > 1;
    let apart = |part| match part {
        Expr::BinaryOp { op: BinaryOperator::Or, .. } if several => nested(part),
        part => part,
    };
    parts.into_iter().map(apart).reduce(|left, right| binary(left, op.clone(), right))
}

pub fn cast(expr: Expr, data_type: &str) -> Expr {
    let data_type = DataType::Custom(Ident::new(data_type).into(), Vec::new());
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, format: None }
}

pub fn function(called: &str, args: impl IntoIterator<Item = Expr>, distinct: bool) -> Function {
    let args = args.into_iter().map(|arg| FunctionArg::Unnamed(FunctionArgExpr::from(arg)));
    let list = FunctionArgumentList {
        duplicate_treatment: distinct.then_some(DuplicateTreatment::Distinct),
        args: args.collect(),
        clauses: Vec::new(),
    };
    Function {
        name: Ident::new(called).into(),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(list),
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    }
}

pub fn call(called: &str, args: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Function(function(called, args, false))
}

/// `row_number() OVER (PARTITION BY … ORDER BY …)`
pub fn place_within(partition_by: Vec<Expr>, order_by: Vec<OrderByExpr>) -> Expr {
    let window = WindowSpec { window_name: None, partition_by, order_by, window_frame: None };
    let over = Some(WindowType::WindowSpec(window));
    Expr::Function(Function { over, ..function("row_number", [], false) })
}

pub fn item(expr: Expr, alias: Option<Ident>) -> SelectItem {
    match alias {
        Some(alias) => SelectItem::ExprWithAlias { expr, alias },
        None => SelectItem::UnnamedExpr(expr),
    }
}

/// `nulls_last`: it must be said, since the database would put them first.
pub fn ordered(expr: Expr, direction: Direction, nulls_last: bool) -> OrderByExpr {
    let sort = (direction == Direction::Descending).then_some(OrderBySort::Desc);
    let options = OrderByOptions { sort, nulls_first: nulls_last.then_some(false) };
    OrderByExpr { expr, options, with_fill: None }
}

fn alias(name: Ident) -> TableAlias {
    TableAlias { explicit: true, name, columns: Vec::new(), at: None }
}

pub fn table(name: ObjectName, called: Option<&str>) -> TableFactor {
    TableFactor::Table {
        name,
        alias: called.map(|called| alias(Ident::new(called))),
        args: None,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

pub fn derived(query: Query, called: &str) -> TableFactor {
    let (subquery, alias) = (Box::new(query), Some(alias(Ident::new(called))));
    TableFactor::Derived { lateral: false, subquery, alias, sample: None }
}

/// A `FROM` of one table.
pub fn from(relation: TableFactor) -> TableWithJoins {
    TableWithJoins { relation, joins: Vec::new() }
}

/// `LEFT JOIN` where rows stay that have no match.
pub fn join(relation: TableFactor, on: Expr, left: bool) -> Join {
    let join = if left { JoinOperator::Left } else { JoinOperator::Join };
    Join { relation, global: false, join_operator: join(JoinConstraint::On(on)) }
}

/// A plain query as sqlparser reads it, to be filled: it knows many clauses that are never used here.
static PLAIN: Lazy<Query> = Lazy::new(|| {
    let parser = Parser::new(&PostgreSqlDialect {}).try_with_sql("SELECT 1");
    *parser.and_then(|mut parser| parser.parse_query()).expect("it is a query")
});

/// A `SELECT` with nothing in it.
pub fn select() -> Select {
    let SetExpr::Select(select) = &*PLAIN.body else { unreachable!("it is a SELECT") };
    Select { projection: Vec::new(), ..Select::clone(select) }
}

/// A whole query: its body in an order, cut to some rows.
pub fn query(body: SetExpr, order: Vec<OrderByExpr>, limit: Option<u32>, offset: u32) -> Query {
    let order = (!order.is_empty()).then_some(OrderByKind::Expressions(order));
    let offset = (offset > 0).then(|| Offset { value: number(offset), rows: OffsetRows::None });
    let cut = limit.is_some() || offset.is_some();
    let limit_clause =
        LimitClause::LimitOffset { limit: limit.map(number), offset, limit_by: Vec::new() };
    Query {
        body: Box::new(body),
        order_by: order.map(|kind| OrderBy { kind, interpolate: None }),
        limit_clause: cut.then_some(limit_clause),
        ..PLAIN.clone()
    }
}

/// A `SELECT` that is a whole query.
pub fn alone(select: Select) -> Query {
    query(SetExpr::Select(Box::new(select)), Vec::new(), None, 0)
}
