//! From query form to SQL: the join tree, aliases, dialect.

use std::collections::BTreeSet;

use petgraph::unionfind::UnionFind;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, Ident, ObjectName, OrderByExpr, Query as Sql,
    Select, SelectItem, SetExpr, SetQuantifier, TableWithJoins, UnaryOperator,
};

use crate::catalog::joins::JoinTree;
use crate::catalog::{Catalog, ColumnId, ForeignKey, KeyId, TableId};
use crate::dialect::Dialect;

use super::elimination::without_leaf;
use super::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Operand, Pattern, Query, Target,
};
use super::tree::{self, binary, joined, literal, number};

/// Why a query form has no SQL: no keys connect these tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Unconnected(pub BTreeSet<TableId>);

/// Writes queries over one catalog in one dialect.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// The dialect.
    pub dialect: Dialect,
    /// The columns of text that hold nothing but numbers: they are computed with and ordered as such.
    pub numerals: &'a BTreeSet<ColumnId>,
}

/// What the names of one query level need to know.
pub struct Level {
    pub tree: JoinTree,
    pub fans_out: bool,
    /// Rows stay to which none is joined.
    pub outer: bool,
}

impl Writer<'_> {
    /// The SQL of a query form.
    pub fn query(&self, query: &Query) -> Result<Sql, Unconnected> {
        let terminals = query.needed_tables();
        let tree = self.catalog.joins().steiner_tree(&terminals);
        let mut tree = tree.ok_or(Unconnected(terminals))?;
        if !query.keys.is_empty() {
            self.prefer(&mut tree, &query.keys);
        }
        if let Some(fewer) = without_leaf(self.catalog, query, &tree) {
            return self.query(&fewer);
        }
        if let Some(once) = self.over_rows_once(query, &tree) {
            return self.query(&once);
        }
        let (from, fans_out) = self.joins(query, &tree)?;
        let level = Level { tree, fans_out, outer: query.all_of.is_some() };
        if let Some(within) = &query.within {
            return self.first_within(query, within, &level, from);
        }
        let plain = !query.aggregates() && query.group.is_empty();
        // what is ordered by must be shown where duplicates are dropped
        let shown = query.order.iter().all(|(e, _)| query.select.contains(e));
        let repeats = plain && level.fans_out && self.only_filters_fan_out(query);
        let select = Select {
            distinct: (shown && (query.distinct || repeats)).then_some(Distinct::Distinct),
            projection: self.select_list(query, &level),
            from: vec![from],
            ..self.conditions_and_groups(query, &level)?
        };
        let body = SetExpr::Select(Box::new(select));
        let Some((operation, other)) = &query.combine else {
            let order = self.order(query, &level);
            return Ok(tree::query(body, order, query.limit, query.offset));
        };
        let body = SetExpr::SetOperation {
            op: *operation,
            set_quantifier: SetQuantifier::None,
            left: Box::new(body),
            right: self.query(other)?.body,
        };
        // what two queries show together is ordered by place
        let place = |e: &Expression| query.select.iter().position(|shown| shown == e);
        let placed = query.order.iter().filter_map(|(e, direction)| {
            Some(tree::ordered(number(place(e)? + 1), *direction, false))
        });
        Ok(tree::query(body, placed.collect(), query.limit, 0))
    }

    /// The query over each row of its table once, where it adds up rows that joins repeat: tables
    /// that only filter go into a subquery.
    fn over_rows_once(&self, query: &Query, tree: &JoinTree) -> Option<Query> {
        let answer = query.answer_tables();
        let (Some(&table), 1) = (answer.first(), answer.len()) else { return None };
        let adds = |e: &Expression| matches!(e.aggregate, Some(Aggregate::Sum | Aggregate::Avg));
        let [key] = self.catalog.table(table).primary_key[..] else { return None };
        if !query.select.iter().any(adds) || !repeats(self.catalog, table, tree) {
            return None;
        }
        let key = ColumnId { table, column: key };
        let which = Query {
            tables: query.tables.clone(),
            keys: query.keys.clone(),
            filters: query.filters.clone(),
            ..Query::of(key)
        };
        Some(Query {
            tables: BTreeSet::new(),
            keys: Vec::new(),
            filters: vec![Condition::among(key, which)],
            ..query.clone()
        })
    }

    /// Connect the tables of a tree by the named keys, as far as these lead, and else by its own: where
    /// these close a circle, by those of the tables that the named keys are of.
    fn prefer(&self, tree: &mut JoinTree, named: &[KeyId]) {
        let ends = |k: &KeyId| [self.catalog.key(*k).from, self.catalog.key(*k).to];
        let within = |k: &&KeyId| ends(k).iter().all(|table| tree.tables.contains(table));
        let beside = |k: &&KeyId| named.iter().any(|n| ends(k).contains(&ends(n)[0]));
        let own = tree.keys.iter().filter(beside).chain(&tree.keys);
        let mut joined = UnionFind::new(tree.tables.len());
        let place = |table: TableId| tree.tables.iter().take_while(|t| **t < table).count();
        let joins = |k: &&KeyId| joined.union(place(ends(k)[0]), place(ends(k)[1]));
        tree.keys = named.iter().filter(within).chain(own).filter(joins).copied().collect();
    }

    /// A `SELECT` of nothing yet, with the clauses between `FROM` and `ORDER BY`.
    pub fn conditions_and_groups(
        &self,
        query: &Query,
        level: &Level,
    ) -> Result<Select, Unconnected> {
        let groups = query.group.iter().map(|t| self.group_item(t, query, level)).collect();
        Ok(Select {
            selection: self
                .conditions(query.filters.iter().filter(|c| !query.joins_on(c)), level)?,
            group_by: GroupByExpr::Expressions(groups, Vec::new()),
            having: self.conditions(&query.having, level)?,
            ..tree::select()
        })
    }

    pub fn order(&self, query: &Query, level: &Level) -> Vec<OrderByExpr> {
        // PostgreSQL sorts NULL as the largest value, SQLite as the smallest.
        let nulls_first = match self.dialect {
            Dialect::Postgres => Direction::Descending,
            Dialect::Sqlite => Direction::Ascending,
        };
        let item = |(expression, direction): &(Expression, Direction)| {
            let nullable = match &expression.target {
                Target::Column(c) | Target::Part(c, _) => self.catalog.column(*c).nullable,
                Target::Rows(_) => false,
                Target::Formula(..) => true,
            };
            let item = place(expression, query).unwrap_or_else(|| self.measured(expression, level));
            tree::ordered(item, *direction, nullable && *direction == nulls_first)
        };
        query.order.iter().map(item).collect()
    }

    /// The table that the answer is about comes first.
    fn root(&self, query: &Query, tables: &BTreeSet<TableId>) -> TableId {
        if let Some(all) = query.all_of {
            return all;
        }
        let asked = query.within.as_ref().map_or(0, |within| within.shown);
        let first = query.select.get(asked).map(|e| e.target.table());
        let any = || tables.first().copied().unwrap_or(TableId(0));
        first.filter(|t| tables.contains(t)).unwrap_or_else(any)
    }

    /// `a JOIN b ON …` from the root outwards, and whether a row of it may come twice.
    fn joins(&self, query: &Query, tree: &JoinTree) -> Result<(TableWithJoins, bool), Unconnected> {
        let root = self.root(query, &tree.tables);
        let level = Level { tree: tree.clone(), fans_out: false, outer: false };
        let equal = |left, right| binary(left, BinaryOperator::Eq, right);
        let join = |step: &Step<'_>| {
            let key = step.key;
            let pairs = key
                .column_pairs()
                .map(|(f, t)| equal(self.column(t, &level), self.column(f, &level)));
            let when = key.when.iter().map(|when| {
                let column = ColumnId { table: key.from, column: when.column };
                equal(self.column(column, &level), self.string(&when.value))
            });
            let own = |c: &&Condition| query.joins_on(c) && c.tables().contains(&step.next);
            let met = self.parts(query.filters.iter().filter(own), &level)?;
            let on = joined(pairs.chain(when).chain(met).collect(), &BinaryOperator::And);
            let on = on.expect("a key has columns");
            let left = query.all_of.is_some();
            Ok(tree::join(tree::table(self.table(step.next), None), on, left))
        };
        let steps = outwards(self.catalog, root, tree);
        let joins = steps.iter().map(join).collect::<Result<_, _>>()?;
        let fans_out = steps.iter().any(|step| step.repeats);
        Ok((TableWithJoins { joins, ..tree::from(tree::table(self.table(root), None)) }, fans_out))
    }

    /// Rows repeat only because of tables that the answer does not show.
    fn only_filters_fan_out(&self, query: &Query) -> bool {
        let answer = query.answer_tables();
        let tree = self.catalog.joins().steiner_tree(&answer);
        tree.is_some_and(|tree| !repeats(self.catalog, self.root(query, &tree.tables), &tree))
    }

    fn select_list(&self, query: &Query, level: &Level) -> Vec<SelectItem> {
        if query.select.is_empty() {
            return vec![tree::item(tree::all_columns(), None)];
        }
        let named = |e: &Expression| alias(e).map(|name| self.ident(name));
        query.select.iter().map(|e| tree::item(self.expression(e, level), named(e))).collect()
    }

    /// What groups: the place of a computed select item, else its expression.
    pub fn group_item(&self, target: &Target, query: &Query, level: &Level) -> Expr {
        let expression = Expression::plain(target.clone());
        place(&expression, query).unwrap_or_else(|| self.expression(&expression, level))
    }

    /// All of the conditions, if there are any.
    pub fn conditions<'c>(
        &self,
        conditions: impl IntoIterator<Item = &'c Condition>,
        level: &Level,
    ) -> Result<Option<Expr>, Unconnected> {
        Ok(joined(self.parts(conditions, level)?, &BinaryOperator::And))
    }

    fn parts<'c>(
        &self,
        conditions: impl IntoIterator<Item = &'c Condition>,
        level: &Level,
    ) -> Result<Vec<Expr>, Unconnected> {
        conditions.into_iter().filter_map(|c| self.condition(c, level).transpose()).collect()
    }

    /// Nothing where it restricts nothing.
    fn condition(&self, condition: &Condition, level: &Level) -> Result<Option<Expr>, Unconnected> {
        let column = |c: &ColumnId| Box::new(self.column(*c, level));
        Ok(Some(match condition {
            Condition::Any(parts) => {
                return Ok(joined(self.parts(parts, level)?, &BinaryOperator::Or));
            }
            Condition::All(parts) => return self.conditions(parts, level),
            Condition::Compare(left, operator, right) => {
                let measures = operator.side().is_some() || matches!(right, Operand::Query(_));
                let (left, right) = match (self.is_numeral(left) && measures, right) {
                    (true, Operand::Text(digits)) if digits.parse::<f64>().is_ok() => {
                        (self.measured(left, level), number(digits))
                    }
                    (true, _) => (self.measured(left, level), self.operand(right, level)?),
                    (false, _) => (self.expression(left, level), self.operand(right, level)?),
                };
                binary(left, operator.sql(), right)
            }
            Condition::Between(c, from, to) => Expr::Between {
                expr: Box::new(self.measured(&Expression::column(*c), level)),
                negated: false,
                low: Box::new(self.operand(from, level)?),
                high: Box::new(self.operand(to, level)?),
            },
            Condition::Within(c, from, to) => {
                let bound = |comparison: Comparison, day: &String| {
                    binary(*column(c), comparison.sql(), self.string(day))
                };
                let from = from.iter().map(|day| bound(Comparison::GreaterOrEqual, day));
                let to = to.iter().map(|day| bound(Comparison::Less, day));
                return Ok(joined(from.chain(to).collect(), &BinaryOperator::And));
            }
            Condition::Like { column: c, pattern, text, negated } => {
                self.like(column(c), *pattern, text, *negated)
            }
            Condition::IsNull { column: c, negated: true } => Expr::IsNotNull(column(c)),
            Condition::IsNull { column: c, negated: false } => Expr::IsNull(column(c)),
            Condition::IsTrue { column: c, negated: true } => {
                Expr::UnaryOp { op: UnaryOperator::Not, expr: column(c) }
            }
            Condition::IsTrue { column: c, negated: false } => *column(c),
            Condition::In { column: c, query, negated } => Expr::InSubquery {
                expr: column(c),
                subquery: Box::new(self.query(query)?),
                negated: *negated,
            },
        }))
    }

    /// The column of the row that a key of the row outside names; both may be of one table.
    pub fn beside(&self, key: KeyId, column: ColumnId) -> Expr {
        let key = self.catalog.key(key);
        let of = |qualifier: Ident, table, column| {
            let name = &self.catalog.column(ColumnId { table, column }).name;
            Expr::CompoundIdentifier(vec![qualifier, self.ident(name)])
        };
        let other = || Ident::new("other");
        let outer = self.ident(&self.catalog.table(key.from).name);
        let (from, to) =
            (of(outer, key.from, key.from_columns[0]), of(other(), key.to, key.to_columns[0]));
        let select = Select {
            projection: vec![tree::item(of(other(), column.table, column.column), None)],
            from: vec![tree::from(tree::table(self.table(key.to), Some("other")))],
            selection: Some(binary(to, BinaryOperator::Eq, from)),
            ..tree::select()
        };
        let body = SetExpr::Select(Box::new(select));
        Expr::Subquery(Box::new(tree::query(body, Vec::new(), None, 0)))
    }

    fn like(&self, expr: Box<Expr>, pattern: Pattern, part: &str, negated: bool) -> Expr {
        let escaped = part.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let text = match pattern {
            Pattern::Contains => format!("%{escaped}%"),
            Pattern::StartsWith => format!("{escaped}%"),
            Pattern::EndsWith => format!("%{escaped}"),
        };
        let pattern = Box::new(self.string(&text));
        let escape = || Box::new(literal("'\\'".to_owned()));
        let escape_char = (escaped != part).then(escape);
        match self.dialect {
            Dialect::Postgres => Expr::ILike { negated, any: false, expr, pattern, escape_char },
            Dialect::Sqlite => Expr::Like { negated, any: false, expr, pattern, escape_char },
        }
    }

    fn operand(&self, operand: &Operand, level: &Level) -> Result<Expr, Unconnected> {
        Ok(match operand {
            Operand::Number(digits) => number(digits),
            Operand::Text(text) => self.string(text),
            Operand::Query(query) => Expr::Subquery(Box::new(self.query(query)?)),
            Operand::Formula(formula) => self.formula(formula, level),
        })
    }

    pub fn string(&self, text: &str) -> Expr {
        literal(self.dialect.string(text))
    }

    pub fn ident(&self, name: &str) -> Ident {
        Ident::new(self.dialect.identifier(name))
    }

    pub fn table(&self, table: TableId) -> ObjectName {
        let t = self.catalog.table(table);
        let schema = (!t.visible).then(|| self.ident(&t.schema));
        schema.into_iter().chain([self.ident(&t.name)]).collect::<Vec<_>>().into()
    }

    pub fn column(&self, column: ColumnId, level: &Level) -> Expr {
        let name = self.ident(&self.catalog.column(column).name);
        if level.tree.tables.len() == 1 {
            return Expr::Identifier(name);
        }
        let table = self.ident(&self.catalog.table(column.table).name);
        Expr::CompoundIdentifier(vec![table, name])
    }
}

/// A key of a join tree, followed from a root outwards.
struct Step<'a> {
    key: &'a ForeignKey,
    /// The table that it adds.
    next: TableId,
    /// Whether that may have several rows for one.
    repeats: bool,
}

fn outwards<'a>(catalog: &'a Catalog, root: TableId, tree: &JoinTree) -> Vec<Step<'a>> {
    let (mut reached, mut open) = (BTreeSet::from([root]), tree.keys.clone());
    let mut steps = Vec::new();
    let touches = |reached: &BTreeSet<TableId>, k: &KeyId| {
        let key = catalog.key(*k);
        reached.contains(&key.from) != reached.contains(&key.to)
    };
    while let Some(at) = open.iter().position(|k| touches(&reached, k)) {
        let key = catalog.key(open.remove(at));
        let to_many = reached.contains(&key.to);
        let next = if to_many { key.from } else { key.to };
        let repeats = to_many && !catalog.table(key.from).is_unique_over(&key.from_columns);
        steps.push(Step { key, next, repeats });
        reached.insert(next);
    }
    steps
}

/// Whether a join tree may have several rows for one of a table.
pub fn repeats(catalog: &Catalog, table: TableId, tree: &JoinTree) -> bool {
    outwards(catalog, table, tree).iter().any(|step| step.repeats)
}

/// The name that a computed column is given.
pub fn alias(expression: &Expression) -> Option<&str> {
    match &expression.target {
        Target::Part(_, part) if expression.aggregate.is_none() => Some(part.name()),
        Target::Formula(_, name) => Some(name),
        _ => None,
    }
}

/// Where a computed expression stands in the select list, from 1: repeating it would say no more.
fn place(expression: &Expression, query: &Query) -> Option<Expr> {
    alias(expression)?;
    let at = query.select.iter().position(|e| e == expression)?;
    Some(number(at + 1))
}
