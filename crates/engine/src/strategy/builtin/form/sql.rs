//! From query form to SQL: the join tree, aliases, dialect.

use std::collections::BTreeSet;

use crate::catalog::joins::JoinTree;
use crate::catalog::{Catalog, ColumnId, TableId};
use crate::dialect::Dialect;

use super::elimination::without_leaf;
use super::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Operand, Pattern, Query, Target,
};

/// Why a query form has no SQL.
#[derive(Debug, Clone, PartialEq)]
pub enum Unwritable {
    /// No keys connect these tables.
    Unconnected(BTreeSet<TableId>),
}

/// Writes queries over one catalog in one dialect.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// The dialect.
    pub dialect: Dialect,
}

/// What the names of one query level need to know.
pub struct Level {
    pub tables: BTreeSet<TableId>,
    pub fans_out: bool,
    /// Joined to the rows of this table, whether they have any or not.
    pub every: Option<TableId>,
}

impl Writer<'_> {
    /// The SQL of a query form.
    pub fn write(&self, query: &Query) -> Result<String, Unwritable> {
        let mut terminals = query.needed_tables();
        let mut tree = self
            .catalog
            .joins()
            .steiner_tree(&terminals)
            .ok_or_else(|| Unwritable::Unconnected(std::mem::take(&mut terminals)))?;
        self.prefer(&mut tree.keys, &query.keys);
        if let Some(fewer) = without_leaf(self.catalog, query, &tree) {
            return self.write(&fewer);
        }
        if let Some(once) = self.over_rows_once(query, &tree) {
            return self.write(&once);
        }
        let (from, fans_out) = match query.every {
            Some(every) => self.joins(every, &tree.tables, &tree.keys, "LEFT JOIN"),
            None => self.join_clause(self.root(query, &tree.tables), &tree.tables, &tree.keys),
        };
        let level = Level { tables: tree.tables, fans_out, every: query.every };
        if let Some(within) = &query.within {
            return self.write_within(query, within, &level, &from);
        }
        let mut sql = String::from("SELECT ");
        let plain = !query.aggregates() && query.group.is_empty();
        // what is ordered by must be shown where duplicates are dropped
        let shown = query.order.iter().all(|(e, _)| query.select.contains(e));
        let repeats = plain && level.fans_out && self.only_filters_fan_out(query);
        if shown && (query.distinct || repeats) {
            sql.push_str("DISTINCT ");
        }
        sql.push_str(&self.select_list(query, &level));
        sql.push_str(&from);
        match &query.combine {
            None => self.clauses(query, &level, &mut sql)?,
            Some((operation, other)) => {
                let unordered = Query { order: Vec::new(), limit: None, ..query.clone() };
                self.clauses(&unordered, &level, &mut sql)?;
                sql.push_str(operation.sql());
                sql.push_str(&self.write(other)?);
                self.order_combined(query, &mut sql);
            }
        }
        Ok(sql)
    }

    /// What two queries show together is ordered by place.
    fn order_combined(&self, query: &Query, sql: &mut String) {
        let place = |e: &Expression| query.select.iter().position(|shown| shown == e);
        let placed =
            query.order.iter().filter_map(|(e, direction)| Some((place(e)? + 1, direction)));
        let items: Vec<String> =
            placed.map(|(place, direction)| format!("{place}{}", direction.sql())).collect();
        if !items.is_empty() {
            sql.push_str(&format!(" ORDER BY {}", items.join(", ")));
        }
        if let Some(limit) = query.limit {
            sql.push_str(&format!(" LIMIT {limit}"));
        }
    }

    /// The query over each row of its table once, where it adds up rows that joins repeat: tables
    /// that only filter go into a subquery.
    fn over_rows_once(&self, query: &Query, tree: &JoinTree) -> Option<Query> {
        let answer = query.answer_tables();
        let (Some(&table), 1) = (answer.first(), answer.len()) else { return None };
        let adds = |e: &Expression| matches!(e.aggregate, Some(Aggregate::Sum | Aggregate::Avg));
        let [key] = self.catalog.table(table).primary_key[..] else { return None };
        if !query.select.iter().any(adds) || !self.join_clause(table, &tree.tables, &tree.keys).1 {
            return None;
        }
        let key = ColumnId { table, column: key };
        let which = Query {
            select: vec![Expression::column(key)],
            tables: query.tables.clone(),
            keys: query.keys.clone(),
            filters: query.filters.clone(),
            ..Query::default()
        };
        Some(Query {
            tables: BTreeSet::new(),
            keys: Vec::new(),
            filters: vec![Condition::In { column: key, query: Box::new(which), negated: false }],
            ..query.clone()
        })
    }

    /// Replace keys by the named ones that connect the same tables, directly or another way round.
    fn prefer(&self, keys: &mut [usize], named: &[usize]) {
        let ends = |k: usize| {
            let key = &self.catalog.keys[k];
            BTreeSet::from([key.from, key.to])
        };
        for &wanted in named.iter().filter(|n| !keys.contains(n)).collect::<Vec<_>>() {
            let same = keys.iter().position(|k| ends(*k) == ends(wanted));
            // a further key closes a circle: one that leads past the table it is of is left out
            let of = self.catalog.keys[wanted].from;
            let past = |at: &usize| !ends(keys[*at]).contains(&of) && !named.contains(&keys[*at]);
            let circle = || (0..keys.len()).filter(past).find(|&at| self.closes(keys, at, wanted));
            if let Some(at) = same.or_else(circle) {
                keys[at] = wanted;
            }
        }
    }

    /// Whether the keys connect what `wanted` connects, by the key at `at`.
    fn closes(&self, keys: &[usize], at: usize, wanted: usize) -> bool {
        let (from, to) = (self.catalog.keys[wanted].from, self.catalog.keys[wanted].to);
        let reaches = |left_out: Option<usize>| {
            let mut reached = BTreeSet::from([from]);
            for _ in keys {
                let open = keys.iter().enumerate().filter(|(i, _)| Some(*i) != left_out);
                for key in open.map(|(_, &k)| &self.catalog.keys[k]) {
                    if reached.contains(&key.from) || reached.contains(&key.to) {
                        reached.extend([key.from, key.to]);
                    }
                }
            }
            reached.contains(&to)
        };
        reaches(None) && !reaches(Some(at))
    }

    pub fn clauses(
        &self,
        query: &Query,
        level: &Level,
        sql: &mut String,
    ) -> Result<(), Unwritable> {
        let filters = self.conditions(&query.filters, level)?;
        if !filters.is_empty() {
            sql.push_str(&format!(" WHERE {filters}"));
        }
        if !query.group.is_empty() {
            let groups: Vec<String> =
                query.group.iter().map(|t| self.group_item(t, query, level)).collect();
            sql.push_str(&format!(" GROUP BY {}", groups.join(", ")));
        }
        let having = self.conditions(&query.having, level)?;
        if !having.is_empty() {
            sql.push_str(&format!(" HAVING {having}"));
        }
        if !query.order.is_empty() {
            let items: Vec<String> = query
                .order
                .iter()
                .map(|(e, direction)| self.order_item(e, *direction, query, level))
                .collect();
            sql.push_str(&format!(" ORDER BY {}", items.join(", ")));
        }
        if let Some(limit) = query.limit {
            sql.push_str(&format!(" LIMIT {limit}"));
        }
        if query.offset > 0 {
            sql.push_str(&format!(" OFFSET {}", query.offset));
        }
        Ok(())
    }

    /// The table that the answer is about comes first.
    fn root(&self, query: &Query, tables: &BTreeSet<TableId>) -> TableId {
        let asked = query.within.as_ref().map_or(0, |within| within.shown);
        let first = query.select.get(asked).map(|e| e.target.table());
        let any = || tables.first().copied().unwrap_or(TableId(0));
        first.filter(|t| tables.contains(t)).unwrap_or_else(any)
    }

    /// ` FROM a JOIN b ON …` from `root` outwards, and whether a row of `root` may come twice.
    pub fn join_clause(
        &self,
        root: TableId,
        tables: &BTreeSet<TableId>,
        keys: &[usize],
    ) -> (String, bool) {
        self.joins(root, tables, keys, "JOIN")
    }

    fn joins(
        &self,
        root: TableId,
        tables: &BTreeSet<TableId>,
        keys: &[usize],
        join: &str,
    ) -> (String, bool) {
        let level = Level { tables: tables.clone(), fans_out: false, every: None };
        let mut sql = format!(" FROM {}", self.table(root));
        let mut joined = BTreeSet::from([root]);
        let mut open: Vec<usize> = keys.to_vec();
        let mut fans_out = false;
        while let Some(at) = open.iter().position(|&k| {
            let key = &self.catalog.keys[k];
            joined.contains(&key.from) != joined.contains(&key.to)
        }) {
            let key = &self.catalog.keys[open.remove(at)];
            let (next, to_many) =
                if joined.contains(&key.to) { (key.from, true) } else { (key.to, false) };
            fans_out |= to_many && !self.catalog.table(key.from).is_unique_over(&key.from_columns);
            let equal = key
                .column_pairs()
                .map(|(f, t)| format!("{} = {}", self.column(t, &level), self.column(f, &level)));
            let when = key.when.iter().map(|when| {
                let column = ColumnId { table: key.from, column: when.column };
                format!("{} = {}", self.column(column, &level), self.dialect.string(&when.value))
            });
            let on: Vec<String> = equal.chain(when).collect();
            sql.push_str(&format!(" {join} {} ON {}", self.table(next), on.join(" AND ")));
            joined.insert(next);
        }
        (sql, fans_out)
    }

    /// Rows repeat only because of tables that the answer does not show.
    fn only_filters_fan_out(&self, query: &Query) -> bool {
        let answer = query.answer_tables();
        let tree = self.catalog.joins().steiner_tree(&answer);
        tree.is_some_and(|tree| {
            let root = self.root(query, &tree.tables);
            !self.join_clause(root, &tree.tables, &tree.keys).1 || answer.len() == 1
        })
    }

    fn select_list(&self, query: &Query, level: &Level) -> String {
        if query.select.is_empty() {
            return "*".to_owned();
        }
        let items: Vec<String> = query
            .select
            .iter()
            .map(|e| {
                let item = self.expression(e, level);
                match alias(e) {
                    Some(name) => format!("{item} AS {}", self.dialect.identifier(name)),
                    None => item,
                }
            })
            .collect();
        items.join(", ")
    }

    /// What groups: the place of a computed select item, else its expression.
    pub fn group_item(&self, target: &Target, query: &Query, level: &Level) -> String {
        let expression = Expression::plain(target.clone());
        place(&expression, query).unwrap_or_else(|| self.expression(&expression, level))
    }

    pub fn order_item(
        &self,
        expression: &Expression,
        direction: Direction,
        query: &Query,
        level: &Level,
    ) -> String {
        let nullable = match &expression.target {
            Target::Column(c) | Target::Part(c, _) => self.catalog.column(*c).nullable,
            Target::Rows(_) => false,
            Target::Formula(..) => true,
        };
        // PostgreSQL sorts NULL as the largest value, SQLite as the smallest.
        let nulls_first = match self.dialect {
            Dialect::Postgres => Direction::Descending,
            Dialect::Sqlite => Direction::Ascending,
        };
        let nulls = if nullable && direction == nulls_first { " NULLS LAST" } else { "" };
        let item = place(expression, query).unwrap_or_else(|| self.expression(expression, level));
        format!("{item}{}{nulls}", direction.sql())
    }

    pub fn conditions(
        &self,
        conditions: &[Condition],
        level: &Level,
    ) -> Result<String, Unwritable> {
        let parts: Result<Vec<String>, Unwritable> =
            conditions.iter().map(|c| self.condition(c, level, conditions.len() > 1)).collect();
        Ok(parts?.join(" AND "))
    }

    /// `nested`: the condition stands beside others, so alternatives need parentheses.
    fn condition(
        &self,
        condition: &Condition,
        level: &Level,
        nested: bool,
    ) -> Result<String, Unwritable> {
        let column = |c: &ColumnId| self.column(*c, level);
        let not = |negated: &bool| if *negated { "NOT " } else { "" };
        Ok(match condition {
            Condition::Any(parts) => {
                let parts: Result<Vec<String>, Unwritable> =
                    parts.iter().map(|p| self.condition(p, level, true)).collect();
                let any = parts?.join(" OR ");
                if nested { format!("({any})") } else { any }
            }
            Condition::All(parts) => {
                let parts: Result<Vec<String>, Unwritable> =
                    parts.iter().map(|p| self.condition(p, level, true)).collect();
                parts?.join(" AND ")
            }
            Condition::Compare(left, operator, right) => {
                let left = self.expression(left, level);
                format!("{left} {} {}", operator.sql(), self.operand(right)?)
            }
            Condition::Between(c, from, to) => {
                let (from, to) = (self.operand(from)?, self.operand(to)?);
                format!("{} BETWEEN {from} AND {to}", column(c))
            }
            Condition::Within(c, from, to) => self.within(column(c), from.as_ref(), to.as_ref()),
            Condition::Like { column: c, pattern, text: part, negated } => {
                self.like(column(c), *pattern, part, *negated)
            }
            Condition::IsNull { column: c, negated } => {
                format!("{} IS {}NULL", column(c), not(negated))
            }
            Condition::IsTrue { column: c, negated } => format!("{}{}", not(negated), column(c)),
            Condition::Beside(c, operator, key, other) => {
                format!("{} {} {}", column(c), operator.sql(), self.beside(*key, *other))
            }
            Condition::In { column: c, query, negated } => {
                format!("{} {}IN ({})", column(c), not(negated), self.write(query)?)
            }
        })
    }

    /// The column of the row that a key of the row outside names; both may be of one table.
    fn beside(&self, key: usize, column: ColumnId) -> String {
        let key = &self.catalog.keys[key];
        let name = |table, column| {
            self.dialect.identifier(&self.catalog.column(ColumnId { table, column }).name)
        };
        let outer = self.dialect.identifier(&self.catalog.table(key.from).name);
        let (from, to) = (name(key.from, key.from_columns[0]), name(key.to, key.to_columns[0]));
        let (table, column) = (self.table(key.to), name(column.table, column.column));
        format!("(SELECT other.{column} FROM {table} AS other WHERE other.{to} = {outer}.{from})")
    }

    fn within(&self, column: String, from: Option<&String>, to: Option<&String>) -> String {
        let bound = |op: Comparison, day: &String| {
            format!("{column} {} {}", op.sql(), self.dialect.string(day))
        };
        let parts: Vec<String> = [
            from.map(|day| bound(Comparison::GreaterOrEqual, day)),
            to.map(|day| bound(Comparison::Less, day)),
        ]
        .into_iter()
        .flatten()
        .collect();
        parts.join(" AND ")
    }

    fn like(&self, column: String, pattern: Pattern, part: &str, negated: bool) -> String {
        let escaped = part.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let text = match pattern {
            Pattern::Contains => format!("%{escaped}%"),
            Pattern::StartsWith => format!("{escaped}%"),
            Pattern::EndsWith => format!("%{escaped}"),
        };
        let operator = match self.dialect {
            Dialect::Postgres => "ILIKE",
            Dialect::Sqlite => "LIKE",
        };
        let escape = if escaped == part { "" } else { " ESCAPE '\\'" };
        let not = if negated { "NOT " } else { "" };
        format!("{column} {not}{operator} {}{escape}", self.dialect.string(&text))
    }

    fn operand(&self, operand: &Operand) -> Result<String, Unwritable> {
        Ok(match operand {
            Operand::Number(digits) => digits.clone(),
            Operand::Text(text) => self.dialect.string(text),
            Operand::Query(query) => format!("({})", self.write(query)?),
        })
    }

    pub fn table(&self, table: TableId) -> String {
        let t = self.catalog.table(table);
        let name = self.dialect.identifier(&t.name);
        if t.visible { name } else { format!("{}.{name}", self.dialect.identifier(&t.schema)) }
    }

    pub fn column(&self, column: ColumnId, level: &Level) -> String {
        let name = self.dialect.identifier(&self.catalog.column(column).name);
        if level.tables.len() == 1 {
            return name;
        }
        format!("{}.{name}", self.dialect.identifier(&self.catalog.table(column.table).name))
    }
}

/// The name that a computed column is given.
fn alias(expression: &Expression) -> Option<&str> {
    match &expression.target {
        Target::Part(_, part) if expression.aggregate.is_none() => Some(part.name()),
        Target::Formula(_, name) => Some(name),
        _ => None,
    }
}

/// Where a computed expression stands in the select list, from 1: repeating it would say no more.
fn place(expression: &Expression, query: &Query) -> Option<String> {
    alias(expression)?;
    let at = query.select.iter().position(|e| e == expression)?;
    Some((at + 1).to_string())
}
