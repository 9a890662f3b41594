//! From query form to SQL: the join tree, aliases, and a window function where the first rows of each group
//! are asked for.

use std::collections::BTreeSet;
use std::mem::take;

use petgraph::unionfind::UnionFind;
use sqlparser::ast::{
    BinaryOperator, Distinct, Expr, GroupByExpr, Ident, ObjectName, OrderByExpr, Query as Sql,
    Select, SelectItem, SetExpr, SetQuantifier, TableWithJoins,
};

use crate::catalog::joins::JoinTree;
use crate::catalog::{Catalog, ColumnId, ForeignKey, KeyId, TableId};
use crate::dialect::Dialect;
use crate::strategy::builtin::facts::{Facts, only};

use super::query::{Aggregate, Condition, Direction, Expression, Query, Target, Within};
use super::tree::{self, binary, joined, literal, number};
use super::ways::without_leaf;

/// What is written of a query form, or why it has no SQL.
pub type Written<T> = Result<T, String>;

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

/// One query without those inside it.
#[derive(Clone, Copy)]
pub struct Level<'a> {
    pub writer: Writer<'a>,
    pub query: &'a Query,
    /// Joins its tables.
    pub tree: &'a JoinTree,
    /// A row of the first of them may come twice.
    pub fans_out: bool,
}

impl Writer<'_> {
    /// The SQL of a query form.
    pub fn query(&self, query: &Query) -> Written<Sql> {
        let terminals = query.needed_tables();
        let mut tree = self.catalog.joins().steiner_tree(&terminals).ok_or_else(|| {
            let names: Vec<_> = terminals.iter().map(|t| self.catalog.table_label(*t)).collect();
            format!("No keys connect the tables {}.", names.join(", "))
        })?;
        self.prefer(&mut tree, &query.keys);
        if let Some(fewer) = without_leaf(self.catalog, query, &tree) {
            return self.query(&fewer);
        }
        if let Some(once) = self.over_rows_once(query, &tree) {
            return self.query(&once);
        }
        let mut level = Level { writer: *self, query, tree: &tree, fans_out: false };
        let from = level.joins()?;
        if let Some(within) = &query.within {
            return level.first_within(within, from);
        }
        let plain = !query.aggregates() && query.group.is_empty();
        // what is ordered by must be shown where duplicates are dropped
        let shown = query.order.iter().all(|(e, _)| query.select.contains(e));
        // rows repeat only because of tables that the answer does not show
        let once = || {
            let tree = self.catalog.joins().steiner_tree(&query.answer_tables());
            tree.is_some_and(|tree| !repeats(self.catalog, self.root(query, &tree.tables), &tree))
        };
        let repeats = plain && level.fans_out && once();
        let select = Select {
            distinct: (shown && (query.distinct || repeats)).then_some(Distinct::Distinct),
            projection: level.select_list(),
            from: vec![from],
            ..level.conditions_and_groups()?
        };
        let body = SetExpr::Select(Box::new(select));
        let Some((operation, other)) = &query.combine else {
            return Ok(tree::query(body, level.order(), query.limit, query.offset));
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
        let table = only(query.answer_tables())?;
        let adds = |e: &Expression| matches!(e.aggregate, Some(Aggregate::Sum | Aggregate::Avg));
        let key = Facts::of(self.catalog).sole_key(table)?;
        if !query.select.iter().any(adds) || !repeats(self.catalog, table, tree) {
            return None;
        }
        let mut once = query.clone();
        let which = Query {
            tables: take(&mut once.tables),
            keys: take(&mut once.keys),
            filters: take(&mut once.filters),
            ..Query::of(key)
        };
        once.filters.push(Condition::among(key, which));
        Some(once)
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

    /// The table that the answer is about comes first.
    fn root(&self, query: &Query, tables: &BTreeSet<TableId>) -> TableId {
        let asked = query.within.as_ref().map_or(0, |within| within.shown);
        let first = query.select.get(asked).map(|e| e.target.table());
        let first = first.filter(|t| tables.contains(t)).or_else(|| tables.first().copied());
        query.all_of.or(first).unwrap_or_default()
    }

    /// The column of the row that a key of the row outside names; both may be of one table.
    pub fn beside(&self, key: KeyId, column: ColumnId) -> Expr {
        let key = self.catalog.key(key);
        let of = |qualifier: Ident, column: ColumnId| {
            let name = &self.catalog.column(column).name;
            Expr::CompoundIdentifier(vec![qualifier, self.ident(name)])
        };
        let other = || Ident::new("other");
        let outer = self.ident(&self.catalog.table(key.from).name);
        let (from, to) = key.first_pair();
        let select = Select {
            projection: vec![tree::item(of(other(), column), None)],
            from: vec![tree::from(tree::table(self.table(key.to), Some("other")))],
            selection: Some(binary(of(other(), to), BinaryOperator::Eq, of(outer, from))),
            ..tree::select()
        };
        Expr::Subquery(Box::new(tree::alone(select)))
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
}

impl Level<'_> {
    /// A `SELECT` of nothing yet, with the clauses between `FROM` and `ORDER BY`.
    pub fn conditions_and_groups(&self) -> Written<Select> {
        let query = self.query;
        let groups = query.group.iter().map(|target| self.group_item(target)).collect();
        let own = query.filters.iter().filter(|c| !query.joins_on(c));
        Ok(Select {
            selection: joined(self.parts(own)?, &BinaryOperator::And),
            group_by: GroupByExpr::Expressions(groups, Vec::new()),
            having: self.conditions(&query.having)?,
            ..tree::select()
        })
    }

    pub fn order(&self) -> Vec<OrderByExpr> {
        // PostgreSQL sorts NULL as the largest value, SQLite as the smallest.
        let nulls_first = match self.writer.dialect {
            Dialect::Postgres => Direction::Descending,
            Dialect::Sqlite => Direction::Ascending,
        };
        let catalog = self.writer.catalog;
        let item = |(expression, direction): &(Expression, Direction)| {
            let beside = |c: &ColumnId| self.query.all_of.is_some_and(|all| all != c.table);
            let nullable = match &expression.target {
                Target::Column(c) | Target::Part(c, _) => catalog.column(*c).nullable || beside(c),
                Target::Rows(_) => false,
                Target::Formula(..) => true,
            };
            let item = self.place(expression).unwrap_or_else(|| self.measured(expression));
            tree::ordered(item, *direction, nullable && *direction == nulls_first)
        };
        self.query.order.iter().map(item).collect()
    }

    /// `a JOIN b ON …` from the root outwards.
    fn joins(&mut self) -> Written<TableWithJoins> {
        let (query, catalog) = (self.query, self.writer.catalog);
        let table = |table: TableId| tree::table(self.writer.table(table), None);
        let equal = |left, right| binary(left, BinaryOperator::Eq, right);
        let join = |step: &Step<'_>| -> Written<_> {
            let key = step.key;
            let pairs = key.column_pairs().map(|(f, t)| equal(self.column(t), self.column(f)));
            let when = key.when.iter().map(|when| {
                let column = ColumnId { table: key.from, column: when.column };
                equal(self.column(column), self.writer.string(&when.value))
            });
            let own = |c: &&Condition| query.joins_on(c) && c.tables().contains(&step.next);
            let met = self.parts(query.filters.iter().filter(own))?;
            let on = joined(pairs.chain(when).chain(met).collect(), &BinaryOperator::And);
            Ok(tree::join(table(step.next), on.expect("a key has columns"), query.all_of.is_some()))
        };
        let root = self.writer.root(query, &self.tree.tables);
        let steps = outwards(catalog, root, self.tree);
        let joins = steps.iter().map(join).collect::<Result<_, _>>()?;
        self.fans_out = steps.iter().any(|step| step.repeats);
        Ok(TableWithJoins { joins, ..tree::from(table(root)) })
    }

    fn select_list(&self) -> Vec<SelectItem> {
        if self.query.select.is_empty() {
            return vec![tree::item(tree::all_columns(), None)];
        }
        let named = |e: &Expression| alias(e).map(|name| self.writer.ident(name));
        self.query.select.iter().map(|e| tree::item(self.expression(e), named(e))).collect()
    }

    /// What groups: the place of a computed select item, else its expression.
    pub fn group_item(&self, target: &Target) -> Expr {
        let expression = Expression::plain(target.clone());
        self.place(&expression).unwrap_or_else(|| self.expression(&expression))
    }

    /// Where a computed expression stands in the select list, from 1: repeating it would say no more.
    fn place(&self, expression: &Expression) -> Option<Expr> {
        alias(expression)?;
        Some(number(self.query.select.iter().position(|e| e == expression)? + 1))
    }

    /// `SELECT … FROM (SELECT …, row_number() OVER (…)) WHERE place <= n`; `from` is of the inner query.
    pub fn first_within(&self, within: &Within, from: TableWithJoins) -> Written<Sql> {
        let query = self.query;
        let names = self.output_names();
        let place = unused("place", &names);
        let ident = |name: &String| self.writer.ident(name);
        let named = |name: &String| Expr::Identifier(ident(name));
        // a window knows no places of the select list
        let mut bare = Query { select: Vec::new(), ..query.clone() };
        if bare.group.is_empty() && self.fans_out {
            let shown = query.shown().map(|e| e.target.clone());
            bare.group = within.of.iter().cloned().chain(shown).collect();
            bare.group.dedup();
        }
        let level = Level { query: &bare, ..*self };
        let parts = within.of.iter().map(|target| level.group_item(target)).collect();
        let ranked = tree::place_within(parts, level.order());
        let items = query.select.iter().zip(&names).map(|(e, name)| {
            let own = e.target.column().map(|c| &*self.writer.catalog.column(c).name);
            tree::item(self.expression(e), (own != Some(name)).then(|| ident(name)))
        });
        let inner = Select {
            projection: items.chain([tree::item(ranked, Some(ident(&place)))]).collect(),
            from: vec![from],
            ..level.conditions_and_groups()?
        };
        let (first, last) = (query.offset + 1, query.offset + query.limit.unwrap_or(1));
        let wanted = match (first, last) {
            _ if first == last => binary(named(&place), BinaryOperator::Eq, number(first)),
            (1, last) => binary(named(&place), BinaryOperator::LtEq, number(last)),
            (first, last) => tree::between(named(&place), number(first), number(last)),
        };
        let several = Some(&place).filter(|_| first != last);
        let sorted = names.iter().take(within.shown).chain(several);
        let sorted = sorted.map(|name| tree::ordered(named(name), Direction::Ascending, false));
        let outer = Select {
            projection: names.iter().map(|name| tree::item(named(name), None)).collect(),
            from: vec![tree::from(tree::derived(tree::alone(inner), "ranked"))],
            selection: Some(wanted),
            ..tree::select()
        };
        Ok(tree::query(SetExpr::Select(Box::new(outer)), sorted.collect(), None, 0))
    }

    /// A name for each select item, none twice: with its table's where columns are called the same.
    fn output_names(&self) -> Vec<String> {
        let catalog = self.writer.catalog;
        let own = |e: &Expression| match e.target.column() {
            Some(c) => catalog.column(c).name.to_string(),
            None => alias(e).unwrap_or("count").to_owned(),
        };
        let all: Vec<String> = self.query.select.iter().map(own).collect();
        let mut names: Vec<String> = Vec::new();
        for (expression, name) in self.query.select.iter().zip(&all) {
            let shared = all.iter().filter(|n| *n == name).count() > 1;
            let table = &catalog.table(expression.target.table()).name;
            let name = if shared { format!("{table}_{name}") } else { name.clone() };
            names.push(unused(&name, &names));
        }
        names
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

/// `name`, with a number after it where it is taken.
fn unused(name: &str, taken: &[String]) -> String {
    let free = |n: &String| !taken.contains(n);
    let numbered = (2..).map(|i| format!("{name}_{i}"));
    std::iter::once(name.to_owned()).chain(numbered).find(free).unwrap_or_default()
}
