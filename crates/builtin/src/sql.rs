//! Query forms as SQL: joins towards one row, EXISTS towards many, groups at the grain of the measure.

use rustc_hash::FxHashMap;
use sqlparser::dialect::{Dialect as Parsing, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;
use text2sql_engine::catalog::{ColumnId, TableId, TypeClass};
use text2sql_engine::dialect::{DatePart, Dialect};

use crate::form::{
    Aggregate, By, Condition, Core, Dimension, Frame, Literal, Measure, Op, Path, Place, Quantity,
    Ranking, Ratio, Set, Step,
};
use crate::world::World;

/// The reason why a form has no query.
pub type Reason = String;

/// Writes a frame as one statement.
pub fn write(world: &World<'_>, frame: &Frame) -> Result<String, Reason> {
    let text = Writer { world, names: FxHashMap::default() }.frame(frame)?;
    let dialect: &dyn Parsing = match world.dialect {
        Dialect::Postgres => &PostgreSqlDialect {},
        Dialect::Sqlite => &SQLiteDialect {},
    };
    match Parser::parse_sql(dialect, &text) {
        Ok(statements) if statements.len() == 1 => Ok(statements[0].to_string()),
        _ => Err(format!("the query could not be written: {text}")),
    }
}

struct Writer<'a> {
    world: &'a World<'a>,
    /// How often each table's name was used as an alias.
    names: FxHashMap<String, u32>,
}

/// A SELECT under construction.
#[derive(Default)]
struct Select {
    columns: Vec<String>,
    from: String,
    joins: Vec<String>,
    conditions: Vec<String>,
    groups: Vec<String>,
    having: Vec<String>,
    orders: Vec<String>,
    limit: Option<u32>,
    offset: Option<u32>,
    distinct: bool,
    /// Aliases that steps from aliases lead to.
    joined: Vec<(String, Step, String)>,
    /// Whether joins may repeat rows of the base.
    repeats: bool,
}

impl Select {
    fn sql(&self) -> String {
        let mut sql = format!(
            "SELECT {}{} FROM {}",
            if self.distinct { "DISTINCT " } else { "" },
            self.columns.join(", "),
            self.from
        );
        for join in &self.joins {
            sql += " ";
            sql += join;
        }
        let mut part = |name: &str, parts: &[String], by: &str| {
            if !parts.is_empty() {
                sql += &format!(" {name} {}", parts.join(by));
            }
        };
        part("WHERE", &self.conditions, " AND ");
        part("GROUP BY", &self.groups, ", ");
        part("HAVING", &self.having, " AND ");
        part("ORDER BY", &self.orders, ", ");
        if let Some(limit) = self.limit {
            sql += &format!(" LIMIT {limit}");
        }
        if let Some(offset) = self.offset {
            sql += &format!(" OFFSET {offset}");
        }
        sql
    }

    fn push(&mut self, condition: String) {
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }
}

type Written<T> = Result<T, Reason>;

impl Writer<'_> {
    fn alias(&mut self, table: TableId) -> (String, String) {
        let name = self.world.catalog.table_name(table).to_owned();
        let count = self.names.entry(name.clone()).or_default();
        *count += 1;
        let source = self.world.catalog.table_sql(self.world.dialect, table);
        if *count == 1 {
            return (self.world.dialect.identifier(&name), source);
        }
        let alias = self.world.dialect.identifier(&format!("{name}_{count}"));
        (alias.clone(), format!("{source} AS {alias}"))
    }

    fn column(&self, alias: &str, column: ColumnId) -> String {
        format!("{alias}.{}", self.world.dialect.identifier(self.world.catalog.column_name(column)))
    }

    fn literal(&self, literal: &Literal) -> String {
        match literal {
            Literal::Text(text) => self.world.dialect.string(text),
            Literal::Number(digits) => digits.clone(),
        }
    }

    fn base(&mut self, select: &mut Select, set: &Set) -> Written<String> {
        let (alias, source) = self.alias(set.table);
        select.from = source;
        self.restrict(select, &alias, set)?;
        Ok(alias)
    }

    fn restrict(&mut self, select: &mut Select, alias: &str, set: &Set) -> Written<()> {
        for condition in &set.conditions {
            match condition {
                Condition::Related(path, inner)
                    if path.iter().all(|&s| self.world.is_to_one(s)) =>
                {
                    if let ([step], true) = (&path[..], inner.conditions.is_empty()) {
                        if step.forward {
                            let (from, _) = self.world.catalog.key(step.key).first_pair();
                            let column = self.column(alias, from);
                            select.push(format!("{column} IS NOT NULL"));
                            continue;
                        }
                    }
                    let end = self.join(select, alias, path, true);
                    self.restrict(select, &end, inner)?;
                }
                other => {
                    let text = self.condition(alias, other)?;
                    select.push(text);
                }
            }
        }
        Ok(())
    }

    /// Joins the tables of a path, and returns the alias of the last.
    fn join(&mut self, select: &mut Select, from: &str, path: &[Step], inner: bool) -> String {
        let mut alias = from.to_owned();
        for &step in path {
            select.repeats |= !self.world.is_to_one(step);
            let known = select.joined.iter().find(|(a, s, _)| *a == alias && *s == step);
            if let Some((.., next)) = known {
                let next = next.clone();
                if inner {
                    let outer = format!("LEFT JOIN {next} ON");
                    let renamed = format!(" AS {next} ON");
                    for join in select.joins.iter_mut().filter(|j| {
                        j.starts_with(&outer) || j.starts_with("LEFT") && j.contains(&renamed)
                    }) {
                        *join = join["LEFT ".len()..].to_owned();
                    }
                }
                alias = next;
                continue;
            }
            let (next, source) = self.alias(self.world.target(step));
            let on = self.on(&alias, step, &next);
            let kind = if inner { "JOIN" } else { "LEFT JOIN" };
            select.joins.push(format!("{kind} {source} ON {on}"));
            select.joined.push((alias, step, next.clone()));
            alias = next;
        }
        alias
    }

    /// Returns the condition that joins two aliases.
    fn on(&self, from: &str, step: Step, to: &str) -> String {
        let key = self.world.catalog.key(step.key);
        let (referencing, referenced) = if step.forward { (from, to) } else { (to, from) };
        let mut parts: Vec<String> = key
            .column_pairs()
            .map(|(a, b)| {
                format!("{} = {}", self.column(referencing, a), self.column(referenced, b))
            })
            .collect();
        if let Some(when) = &key.when {
            let column = ColumnId { table: key.from, column: when.column };
            parts.push(format!(
                "{} = {}",
                self.column(referencing, column),
                self.world.dialect.string(&when.value)
            ));
        }
        parts.join(" AND ")
    }

    fn conditions(&mut self, alias: &str, all: &[Condition]) -> Written<String> {
        let parts: Written<Vec<String>> = all.iter().map(|c| self.condition(alias, c)).collect();
        Ok(parts?.join(" AND "))
    }

    fn condition(&mut self, alias: &str, condition: &Condition) -> Written<String> {
        Ok(match condition {
            Condition::Compare(column, op, literal) => self.compare(alias, *column, *op, literal),
            Condition::OneOf(column, values) => {
                let list: Vec<String> = values.iter().map(|v| self.literal(v)).collect();
                format!("{} IN ({})", self.column(alias, *column), list.join(", "))
            }
            Condition::Within(column, from, to) => {
                let name = self.column(alias, *column);
                let bound = |op: &str, day: &Option<String>| {
                    day.as_ref()
                        .map(|day| format!("{name} {op} {}", self.world.dialect.string(day)))
                };
                let parts: Vec<String> =
                    bound(">=", from).into_iter().chain(bound("<", to)).collect();
                parts.join(" AND ")
            }
            Condition::Recurring(column, part, numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                format!("{} IN ({})", self.part(alias, *column, *part), numbers.join(", "))
            }
            Condition::Null(column, true) => format!("{} IS NULL", self.column(alias, *column)),
            Condition::Null(column, false) => {
                format!("{} IS NOT NULL", self.column(alias, *column))
            }
            Condition::Flag(column, on) => self.flag(alias, *column, *on),
            Condition::Like(column, place, text) => self.like(alias, *column, *place, text),
            Condition::Related(path, set) => {
                format!("EXISTS ({})", self.related(alias, path, set)?)
            }
            Condition::Unrelated(path, set) => match (&path[..], set.conditions.is_empty()) {
                ([step], true) if step.forward => {
                    let (from, _) = self.world.catalog.key(step.key).first_pair();
                    format!("{} IS NULL", self.column(alias, from))
                }
                _ => format!("NOT EXISTS ({})", self.related(alias, path, set)?),
            },
            Condition::Count(path, set, op, number) => {
                let measure = Measure::count(set.clone());
                format!("({}) {} {number}", self.scalar(alias, path, &measure)?, op.sql())
            }
            Condition::Total(path, measure, op, number) => {
                format!("({}) {} {number}", self.scalar(alias, path, measure)?, op.sql())
            }
            Condition::ToAggregate(column, op, aggregate, of, set) => {
                let mut select = Select::default();
                let inner = self.base(&mut select, set)?;
                select.columns.push(format!("{}({})", aggregate.sql(), self.column(&inner, *of)));
                format!("{} {} ({})", self.column(alias, *column), op.sql(), select.sql())
            }
            Condition::CountTo(path, set, op, row) => {
                let measure = Measure::count(set.clone());
                let own = self.scalar(alias, path, &measure)?;
                let mut select = Select::default();
                let end = self.base(&mut select, set)?;
                let back = self.reversed(path);
                let other = self.join(&mut select, &end, &back, true);
                self.restrict(&mut select, &other, row)?;
                let count = self.aggregate(&end, &measure, select.repeats)?;
                select.columns.push(count);
                format!("({own}) {} ({})", op.sql(), select.sql())
            }
            Condition::FirstOf(path, column, descending) => {
                let Some(&step) = path.first() else { return Err("groups need a key".to_owned()) };
                let (other, source) = self.alias(column.table);
                let key = self.world.catalog.key(step.key);
                let same: Vec<String> = key
                    .column_pairs()
                    .map(|(a, _)| format!("{} = {}", self.column(&other, a), self.column(alias, a)))
                    .collect();
                let extreme = if *descending { "max" } else { "min" };
                let value = self.column(&other, *column);
                format!(
                    "{} = (SELECT {extreme}({value}) FROM {source} WHERE {})",
                    self.column(alias, *column),
                    same.join(" AND ")
                )
            }
            Condition::ToColumn(column, op, other) => {
                format!(
                    "{} {} {}",
                    self.column(alias, *column),
                    op.sql(),
                    self.column(alias, *other)
                )
            }
            Condition::Any(groups) => {
                let parts: Written<Vec<String>> =
                    groups.iter().map(|g| self.conditions(alias, g)).collect();
                format!("({})", parts?.join(" OR "))
            }
            Condition::Not(parts) => self.negated(alias, parts)?,
        })
    }

    fn negated(&mut self, alias: &str, parts: &[Condition]) -> Written<String> {
        if let [Condition::Compare(column, Op::Equal, literal)] = parts {
            return Ok(self.compare(alias, *column, Op::NotEqual, literal));
        }
        Ok(format!("NOT ({})", self.conditions(alias, parts)?))
    }

    fn compare(&self, alias: &str, column: ColumnId, op: Op, literal: &Literal) -> String {
        let name = self.column(alias, column);
        let class = self.world.class(column);
        match literal {
            Literal::Number(digits) if class.is_textual() => match op {
                Op::Equal | Op::NotEqual => {
                    format!("{name} {} {}", op.sql(), self.world.dialect.string(digits))
                }
                _ => format!("CAST({name} AS NUMERIC) {} {digits}", op.sql()),
            },
            _ => format!("{name} {} {}", op.sql(), self.literal(literal)),
        }
    }

    fn flag(&self, alias: &str, column: ColumnId, on: bool) -> String {
        let name = self.column(alias, column);
        if let Some((yes, no)) = self.world.flag_texts(column) {
            return format!("{name} = {}", self.world.dialect.string(if on { &yes } else { &no }));
        }
        match (self.world.dialect, self.world.class(column)) {
            (Dialect::Postgres, TypeClass::Boolean) if on => name,
            (Dialect::Postgres, TypeClass::Boolean) => format!("NOT {name}"),
            _ => format!("{name} = {}", u8::from(on)),
        }
    }

    fn like(&self, alias: &str, column: ColumnId, place: Place, text: &str) -> String {
        let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let pattern = match place {
            Place::Contains => format!("%{escaped}%"),
            Place::Starts => format!("{escaped}%"),
            Place::Ends => format!("%{escaped}"),
        };
        let operator = if self.world.dialect == Dialect::Postgres { "ILIKE" } else { "LIKE" };
        let escape = if escaped == text { "" } else { " ESCAPE '\\'" };
        format!(
            "{} {operator} {}{escape}",
            self.column(alias, column),
            self.world.dialect.string(&pattern)
        )
    }

    /// A subquery of the rows that a path leads to.
    fn related(&mut self, alias: &str, path: &[Step], set: &Set) -> Written<String> {
        let Some((&first, rest)) = path.split_first() else {
            return Err("a row is not related to itself".to_owned());
        };
        let table = self.world.target(first);
        let inner = match rest.is_empty() {
            true => set.clone(),
            false => {
                Set { table, conditions: vec![Condition::Related(rest.to_vec(), set.clone())] }
            }
        };
        let mut select = Select { columns: vec!["1".to_owned()], ..Select::default() };
        let (next, source) = self.alias(table);
        select.from = source;
        select.push(self.on(alias, first, &next));
        self.restrict(&mut select, &next, &inner)?;
        Ok(select.sql())
    }

    /// An aggregate over the rows that a path leads to from a row.
    fn scalar(&mut self, alias: &str, path: &[Step], measure: &Measure) -> Written<String> {
        let mut select = Select::default();
        let end = self.base(&mut select, &measure.set)?;
        let back = self.reversed(path);
        let Some((&last, before)) = back.split_last() else {
            return Err("a row has no measure of itself".to_owned());
        };
        let near = self.join(&mut select, &end, before, true);
        let repeats = select.repeats
            || !self.world.is_to_one(last) && self.world.target(last) != measure.set.table;
        let column = self.aggregate(&end, measure, repeats)?;
        select.columns.push(column);
        let on = self.on(&near, last, alias);
        select.push(on);
        Ok(select.sql())
    }

    fn reversed(&self, path: &[Step]) -> Path {
        path.iter().rev().map(|s| Step { key: s.key, forward: !s.forward }).collect()
    }

    fn part(&self, alias: &str, column: ColumnId, part: DatePart) -> String {
        let name = self.column(alias, column);
        if self.world.is_year(column) {
            return name;
        }
        let class = self.world.class(column);
        match self.world.dialect {
            Dialect::Postgres => {
                let typed = if class.is_temporal() {
                    name.clone()
                } else {
                    format!("CAST({name} AS timestamp)")
                };
                match part {
                    DatePart::Weekday => format!("EXTRACT(dow FROM {typed})"),
                    DatePart::Quarter | DatePart::Month | DatePart::Week => {
                        format!("CAST(date_trunc('{}', {typed}) AS date)", part.name())
                    }
                    DatePart::Day => format!("CAST({name} AS date)"),
                    _ => format!("EXTRACT({} FROM {typed})", part.name()),
                }
            }
            Dialect::Sqlite => {
                let field = |code: &str| format!("CAST(strftime('{code}', {name}) AS INTEGER)");
                let quarter = format!("({} + 2) / 3", field("%m"));
                match part {
                    DatePart::Year => field("%Y"),
                    DatePart::Quarter => format!("strftime('%Y', {name}) || '-Q' || ({quarter})"),
                    DatePart::Month => format!("strftime('%Y-%m', {name})"),
                    DatePart::Week => format!("date({name}, 'weekday 0', '-6 days')"),
                    DatePart::Day => format!("date({name})"),
                    DatePart::QuarterOfYear => quarter,
                    DatePart::MonthOfYear => field("%m"),
                    DatePart::Weekday => field("%w"),
                    DatePart::Hour => field("%H"),
                }
            }
        }
    }

    fn quantity(&self, alias: &str, quantity: &Quantity) -> String {
        let number = |c: ColumnId| {
            let name = self.column(alias, c);
            if self.world.class(c).is_textual() { format!("CAST({name} AS NUMERIC)") } else { name }
        };
        match quantity {
            Quantity::Rows => "*".to_owned(),
            Quantity::Column(c) => self.column(alias, *c),
            Quantity::Distinct(c) => format!("DISTINCT {}", self.column(alias, *c)),
            Quantity::Product(a, b) => format!("{} * {}", number(*a), number(*b)),
            Quantity::Difference(a, b) => format!("{} - {}", number(*a), number(*b)),
            Quantity::Days(a, b) => {
                let (a, b) = (self.column(alias, *a), self.column(alias, *b));
                match self.world.dialect {
                    Dialect::Postgres => format!("CAST({b} AS date) - CAST({a} AS date)"),
                    Dialect::Sqlite => format!("julianday({b}) - julianday({a})"),
                }
            }
        }
    }

    /// An aggregate of the rows of an alias. Rows that joins repeat are counted once, and never added up.
    fn aggregate(&mut self, alias: &str, measure: &Measure, repeats: bool) -> Written<String> {
        let quantity = self.quantity(alias, &measure.quantity);
        let plain = match (&measure.quantity, repeats, measure.aggregate) {
            (Quantity::Rows, true, _) => match &self.world.key_columns(measure.set.table)[..] {
                [key] => format!("count(DISTINCT {})", self.column(alias, *key)),
                _ => return Err(self.repeated(measure)),
            },
            (Quantity::Distinct(_), ..)
            | (_, _, Aggregate::Max | Aggregate::Min)
            | (_, false, _) => {
                format!("{}({quantity})", measure.aggregate.sql())
            }
            _ => return Err(self.repeated(measure)),
        };
        match measure.ratio.as_deref() {
            None => Ok(plain),
            Some(_) if repeats => Err(self.repeated(measure)),
            Some(Ratio::Share(conditions, percent)) => {
                let scale = if *percent { "100.0" } else { "1.0" };
                let part = self.conditions(alias, conditions)?;
                Ok(match measure.quantity {
                    Quantity::Rows => {
                        format!("{scale} * sum(CASE WHEN {part} THEN 1 ELSE 0 END) / count(*)")
                    }
                    _ => format!(
                        "{scale} * sum(CASE WHEN {part} THEN {quantity} ELSE 0 END) / {plain}"
                    ),
                })
            }
            Some(Ratio::Parts(a, b)) => {
                let (a, b) = (self.conditions(alias, a)?, self.conditions(alias, b)?);
                let count = |c: &str| format!("sum(CASE WHEN {c} THEN 1 ELSE 0 END)");
                Ok(format!("1.0 * {} / NULLIF({}, 0)", count(&a), count(&b)))
            }
            Some(Ratio::OfTotal(percent)) => {
                let scale = if *percent { "100.0" } else { "1.0" };
                let mut select = Select::default();
                let all = self.base(&mut select, &measure.set)?;
                let whole =
                    self.aggregate(&all, &Measure { ratio: None, ..measure.clone() }, false)?;
                select.columns.push(whole);
                Ok(format!("{scale} * {plain} / ({})", select.sql()))
            }
            Some(Ratio::Per(..)) => Err("averages of groups are not grouped again".to_owned()),
        }
    }

    fn repeated(&self, measure: &Measure) -> Reason {
        let table = self.world.table_name(measure.set.table).spoken();
        format!("each row of {table} would be counted once for every related row")
    }

    fn frame(&mut self, frame: &Frame) -> Written<String> {
        let mut select = match &frame.core {
            Core::Rows(set, columns) => self.rows(frame, set, columns)?,
            Core::Values(column, set) => self.values(frame, *column, set)?,
            Core::Measures(measures) => self.measures(frame, measures)?,
            Core::Part(part) => self.parts(frame, *part)?,
        };
        if let Some(ranking) = &frame.ranking {
            (select.limit, select.offset) = (ranking.limit, ranking.offset());
        }
        Ok(select.sql())
    }

    fn shown(
        &mut self,
        select: &mut Select,
        alias: &str,
        table: TableId,
        columns: &[ColumnId],
    ) -> Written<Vec<String>> {
        let mut shown = Vec::new();
        for &column in columns {
            let at = match column.table == table {
                true => alias.to_owned(),
                false => {
                    let path = self.to_one(table, column.table)?;
                    self.join(select, alias, &path, false)
                }
            };
            shown.push(self.column(&at, column));
        }
        Ok(shown)
    }

    /// Returns the cheapest path along which each row has at most one.
    fn to_one(&self, from: TableId, to: TableId) -> Written<Path> {
        if from == to {
            return Ok(Vec::new());
        }
        let paths = self.world.paths(from, to);
        let single = paths.iter().find(|(path, _)| path.iter().all(|&s| self.world.is_to_one(s)));
        single.map(|(path, _)| path.clone()).ok_or_else(|| {
            let name = |t| self.world.table_name(t).spoken();
            format!("each of {} has many {} or none", name(from), name(to))
        })
    }

    fn rows(&mut self, frame: &Frame, set: &Set, columns: &[ColumnId]) -> Written<Select> {
        if let Some(ranking @ Ranking { by: By::Measure(measure), .. }) = &frame.ranking {
            return self.ranked(ranking, measure, set, columns);
        }
        let mut select = Select::default();
        let alias = self.base(&mut select, set)?;
        let display = self.world.display(set.table);
        let all: Vec<ColumnId> = if columns.is_empty() { display } else { columns.to_vec() };
        select.columns = self.shown(&mut select, &alias, set.table, &all)?;
        if columns.is_empty() && all.len() == self.world.catalog.table(set.table).columns.len() {
            select.columns = vec![format!("{alias}.*")];
        }
        for dimension in &frame.dimensions {
            let Dimension::Rows(table) = dimension else {
                return Err("rows of a list are not grouped".to_owned());
            };
            let names = self.world.label(*table);
            let extra = self.shown(&mut select, &alias, set.table, &names)?;
            select.columns.splice(0..0, extra);
        }
        if let Some(Ranking { by: By::Column(column), descending, limit, .. }) = &frame.ranking {
            if !frame.dimensions.is_empty() {
                return Err("the first of each group is not read yet".to_owned());
            }
            let by = self.shown(&mut select, &alias, set.table, &[*column])?.remove(0);
            if limit.is_some() && self.world.catalog.column(*column).nullable {
                select.push(format!("{by} IS NOT NULL"));
            }
            select.orders.push(self.order(&by, *descending));
        }
        Ok(select)
    }

    fn order(&self, by: &str, descending: bool) -> String {
        format!("{by}{} NULLS LAST", if descending { " DESC" } else { "" })
    }

    /// Rows of a set by a measure of related rows.
    fn ranked(
        &mut self,
        ranking: &Ranking,
        measure: &Measure,
        set: &Set,
        columns: &[ColumnId],
    ) -> Written<Select> {
        let mut select = Select::default();
        let alias = self.base(&mut select, &measure.set)?;
        let path = match ranking.via {
            Some(key) => {
                let mut path = self.measure_path(measure, self.world.catalog.ends(key).from)?;
                path.push(Step { key, forward: true });
                path
            }
            None => self.measure_path(measure, set.table)?,
        };
        let end = self.join(&mut select, &alias, &path, true);
        self.restrict(&mut select, &end, set)?;
        let display = self.world.label(set.table);
        let all: Vec<ColumnId> = if columns.is_empty() { display } else { columns.to_vec() };
        select.columns = self.shown(&mut select, &end, set.table, &all)?;
        let keys = self.world.key_columns(set.table);
        select.groups = keys.iter().map(|&k| self.column(&end, k)).collect();
        for column in select.columns.clone() {
            if !select.groups.contains(&column) {
                select.groups.push(column);
            }
        }
        let value = self.aggregate(&alias, measure, select.repeats)?;
        select.orders.push(self.order(&value, ranking.descending));
        if ranking.shown {
            select.columns.push(value);
        }
        Ok(select)
    }

    /// The path from the rows of a measure to those that it is grouped by.
    fn measure_path(&self, measure: &Measure, to: TableId) -> Written<Path> {
        let from = measure.set.table;
        if from == to {
            return Ok(Vec::new());
        }
        let single = self.to_one(from, to);
        let countable = matches!(measure.quantity, Quantity::Rows | Quantity::Distinct(_));
        match single {
            Err(_) if countable || matches!(measure.aggregate, Aggregate::Max | Aggregate::Min) => {
                let paths = self.world.paths(from, to);
                let first = paths
                    .first()
                    .filter(|(_, cost)| *cost < crate::world::CHASM)
                    .map(|(path, _)| path.clone());
                first.ok_or_else(|| self.unconnected(from, to))
            }
            other => other,
        }
    }

    fn unconnected(&self, from: TableId, to: TableId) -> Reason {
        let name = |t| self.world.table_name(t).spoken();
        format!("no keys connect {} and {}", name(from), name(to))
    }

    fn values(&mut self, frame: &Frame, column: ColumnId, set: &Set) -> Written<Select> {
        let mut select = Select::default();
        if let Some((measure, op, number)) = &frame.having {
            let alias = self.base(&mut select, &measure.set)?;
            let path = self.measure_path(measure, column.table)?;
            let end = self.join(&mut select, &alias, &path, true);
            if set.table == column.table {
                self.restrict(&mut select, &end, set)?;
            }
            let name = self.column(&end, column);
            if self.world.catalog.column(column).nullable {
                select.push(format!("{name} IS NOT NULL"));
            }
            let value = self.aggregate(&alias, measure, select.repeats)?;
            select.having.push(format!("{value} {} {number}", op.sql()));
            select.columns.push(name.clone());
            select.groups.push(name);
            return Ok(select);
        }
        match &frame.ranking {
            Some(Ranking { by: By::Measure(measure), descending, shown, .. }) => {
                let alias = self.base(&mut select, &measure.set)?;
                let path = self.measure_path(measure, column.table)?;
                let end = self.join(&mut select, &alias, &path, true);
                if set.table == column.table {
                    self.restrict(&mut select, &end, set)?;
                }
                let name = self.column(&end, column);
                if self.world.catalog.column(column).nullable {
                    select.push(format!("{name} IS NOT NULL"));
                }
                let value = self.aggregate(&alias, measure, select.repeats)?;
                select.columns.push(name.clone());
                select.groups.push(name);
                select.orders.push(self.order(&value, *descending));
                if *shown {
                    select.columns.push(value);
                }
            }
            ranking => {
                let alias = self.base(&mut select, set)?;
                let name = self.shown(&mut select, &alias, set.table, &[column])?.remove(0);
                if let Some(Ranking { by: By::Column(by), descending, .. }) = ranking {
                    let by = self.shown(&mut select, &alias, set.table, &[*by])?.remove(0);
                    select.orders.push(self.order(&by, *descending));
                }
                select.columns.push(name);
                select.distinct = true;
            }
        }
        Ok(select)
    }

    fn measures(&mut self, frame: &Frame, measures: &[Measure]) -> Written<Select> {
        let Some(first) = measures.first() else { return Err("nothing is measured".to_owned()) };
        let mut select = Select::default();
        if let ([measure], Some(Ratio::Per(aggregate, path, table))) =
            (measures, first.ratio.as_deref())
        {
            if !frame.dimensions.is_empty() {
                return Err("averages of groups are not grouped again".to_owned());
            }
            return self.per(measure, *aggregate, path, *table);
        }
        if measures.iter().any(|m| m.set != first.set) {
            if !frame.dimensions.is_empty() {
                return Err("the measures are of different rows".to_owned());
            }
            for measure in measures {
                let mut inner = Select::default();
                let alias = self.base(&mut inner, &measure.set)?;
                inner.columns.push(self.aggregate(&alias, measure, false)?);
                select.columns.push(format!("({})", inner.sql()));
            }
            select.from = "(SELECT 1) AS one".to_owned();
            return Ok(select);
        }
        let alias = self.base(&mut select, &first.set)?;
        let mut groups = Vec::new();
        let mut ordered = Vec::new();
        for dimension in &frame.dimensions {
            self.dimension(&mut select, &alias, first, dimension, &mut groups, &mut ordered)?;
        }
        let mut values = Vec::new();
        for measure in measures {
            values.push(self.aggregate(&alias, measure, select.repeats)?);
        }
        select.groups = groups;
        select.columns.extend(values.iter().cloned());
        if let Some((measure, op, number)) = &frame.having {
            let value = self.aggregate(&alias, measure, select.repeats)?;
            select.having.push(format!("{value} {} {number}", op.sql()));
        }
        match &frame.ranking {
            Some(ranking) => {
                let by = match &ranking.by {
                    By::Measure(measure) if measures.contains(measure) => values[0].clone(),
                    By::Measure(measure) => self.aggregate(&alias, measure, select.repeats)?,
                    By::Column(column) => {
                        self.shown(&mut select, &alias, first.set.table, &[*column])?.remove(0)
                    }
                };
                select.orders.push(self.order(&by, ranking.descending));
            }
            None => select.orders = ordered,
        }
        Ok(select)
    }

    /// An aggregate over the measure of each row that a path leads to.
    fn per(
        &mut self,
        measure: &Measure,
        aggregate: Aggregate,
        path: &[Step],
        table: TableId,
    ) -> Written<Select> {
        let mut inner = Select::default();
        let alias = self.base(&mut inner, &measure.set)?;
        let (key, at) = match path {
            [] => {
                let key = self.world.key_columns(table).first().copied();
                (key.ok_or_else(|| "the rows have no key".to_owned())?, alias.clone())
            }
            [step] if step.forward => {
                (self.world.catalog.key(step.key).first_pair().0, alias.clone())
            }
            _ => {
                let end = self.join(&mut inner, &alias, path, true);
                let key = self.world.key_columns(table).first().copied();
                (key.ok_or_else(|| "the rows have no key".to_owned())?, end)
            }
        };
        let key = self.column(&at, key);
        let value =
            self.aggregate(&alias, &Measure { ratio: None, ..measure.clone() }, inner.repeats)?;
        inner.columns.push(format!("{value} AS value"));
        inner.push(format!("{key} IS NOT NULL"));
        inner.groups.push(key);
        let mut select =
            Select { from: format!("({}) AS each_one", inner.sql()), ..Select::default() };
        select.columns.push(format!("{}(value)", aggregate.sql()));
        Ok(select)
    }

    fn dimension(
        &mut self,
        select: &mut Select,
        alias: &str,
        measure: &Measure,
        dimension: &Dimension,
        groups: &mut Vec<String>,
        ordered: &mut Vec<String>,
    ) -> Written<()> {
        match dimension {
            Dimension::Column(column) => {
                let path = self.measure_path(measure, column.table)?;
                let end = self.join(select, alias, &path, true);
                let name = self.column(&end, *column);
                select.columns.push(name.clone());
                groups.push(name);
            }
            Dimension::Rows(table) => {
                let path = self.measure_path(measure, *table)?;
                let end = self.join(select, alias, &path, true);
                let names = self.world.label(*table);
                let shown = self.shown(select, &end, *table, &names)?;
                groups.extend(self.world.key_columns(*table).iter().map(|&k| self.column(&end, k)));
                for name in shown {
                    if !groups.contains(&name) {
                        groups.push(name.clone());
                    }
                    select.columns.push(name);
                }
            }
            Dimension::Role(key) => {
                let (from, table) =
                    (self.world.catalog.ends(*key).from, self.world.catalog.ends(*key).to);
                let mut path = self.measure_path(measure, from)?;
                path.push(Step { key: *key, forward: true });
                let end = self.join(select, alias, &path, true);
                let names = self.world.label(table);
                let shown = self.shown(select, &end, table, &names)?;
                groups.extend(self.world.key_columns(table).iter().map(|&k| self.column(&end, k)));
                for name in shown {
                    if !groups.contains(&name) {
                        groups.push(name.clone());
                    }
                    select.columns.push(name);
                }
            }
            Dimension::Part(part, column) => {
                let (path, column) = self.date_of(measure, *column, *part)?;
                let end = self.join(select, alias, &path, true);
                let name = self.part(&end, column, *part);
                select.columns.push(name.clone());
                groups.push(name.clone());
                ordered.push(name);
            }
        }
        Ok(())
    }

    /// The date of the rows of a measure: the one that a condition names, else the likeliest.
    fn date_of(
        &self,
        measure: &Measure,
        column: Option<ColumnId>,
        part: DatePart,
    ) -> Written<(Path, ColumnId)> {
        let table = measure.set.table;
        if let Some(column) = column {
            return Ok((self.to_one(table, column.table)?, column));
        }
        if let Some(found) = dated(self.world, &measure.set) {
            return Ok(found);
        }
        let dates = date_columns(self.world, table);
        let fits = |c: ColumnId| part == DatePart::Year || !self.world.is_year(c);
        let found = dates.into_iter().find(|(_, c, _)| fits(*c));
        found
            .map(|(path, c, _)| (path, c))
            .ok_or_else(|| format!("{} have no date", self.world.table_name(table).spoken()))
    }

    fn parts(&mut self, frame: &Frame, part: DatePart) -> Written<Select> {
        let Some(ranking @ Ranking { by: By::Measure(measure), .. }) = &frame.ranking else {
            return Err("a part of a date is asked for of nothing".to_owned());
        };
        let mut select = Select::default();
        let alias = self.base(&mut select, &measure.set)?;
        let (path, column) = self.date_of(measure, None, part)?;
        let end = self.join(&mut select, &alias, &path, true);
        let name = self.part(&end, column, part);
        let value = self.aggregate(&alias, measure, select.repeats)?;
        select.columns.push(name.clone());
        select.groups.push(name);
        select.orders.push(self.order(&value, ranking.descending));
        Ok(select)
    }
}

/// The date that a condition on a set reads, with the path to it.
fn dated(world: &World<'_>, set: &Set) -> Option<(Path, ColumnId)> {
    set.conditions.iter().find_map(|condition| match condition {
        Condition::Within(column, ..) | Condition::Recurring(column, ..) => {
            Some((Vec::new(), *column))
        }
        Condition::Null(column, false) if world.is_date(*column) => Some((Vec::new(), *column)),
        Condition::Related(path, inner) if path.iter().all(|&s| world.is_to_one(s)) => {
            let (rest, column) = dated(world, inner)?;
            Some(([&**path, &rest].concat(), column))
        }
        _ => None,
    })
}

/// Columns that say when rows of a table happened: its own, else those of rows that it refers to.
pub fn date_columns(world: &World<'_>, table: TableId) -> Vec<(Path, ColumnId, i32)> {
    let own = world.dates(table);
    let mut found: Vec<(Path, ColumnId, i32)> =
        own.into_iter().map(|(c, cost)| (Vec::new(), c, cost)).collect();
    if found.iter().all(|(_, _, cost)| *cost > 60) {
        for &id in world.catalog.joins().keys_from(table) {
            let key = world.catalog.key(id);
            let step = Step { key: id, forward: true };
            let event = !world.is_people(key.to) && key.to != table;
            for (column, cost) in world.dates(key.to) {
                let named = match world.is_calendar(key.to) {
                    true => -10,
                    false if world.names(key.to).is_empty() => 0,
                    false => 30,
                };
                if event {
                    found.push((vec![step], column, cost + 10 + named));
                }
            }
        }
    }
    found.sort_by_key(|(.., cost)| *cost);
    found
}
