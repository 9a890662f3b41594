//! The size of a statement after SQLite has expanded its views and common table expressions.
//!
//! SQLite copies what is referenced twice, and replaces an inner query's columns by their
//! expressions. Both can double at each step while the statement is prepared, when no time limit
//! applies: 25 steps of 40 characters took minutes. So statements and views are weighed first, with
//! the same bounds as for PostgreSQL.

mod scope;
mod table;
pub mod tokens;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use rusqlite::{Connection, Result};
use text2sql_engine::guard::bounds::{Excess, Weight};

use crate::text::{in_database, text_at};
use scope::{Expression, Scope, all_names, names_columns};
use table::{Definition, generated};

/// Deepest chain of definitions that refer to others.
const MAX_STEPS: u64 = 150;

/// Longest name of a virtual table whose data are looked for, in bytes.
const MAX_NAME: usize = 1_000;

/// Definitions of views, virtual tables and tables with generated columns, by lower-case name. Equal names
/// in several databases share one entry.
#[derive(Debug, Default)]
pub struct Definitions {
    /// The definitions.
    bodies: HashMap<String, Vec<String>>,
    /// Tables whose names begin with that of a virtual one, which may keep its data.
    shadows: BTreeSet<String>,
}

impl Definitions {
    /// Of these databases.
    pub fn read(connection: &Connection, databases: &[String]) -> Result<Self> {
        let mut found = Self::default();
        for database in databases {
            let schema = in_database(database, "sqlite_schema");
            let all = format!(
                "SELECT name, sql, type = 'table' AND rootpage <> 0 FROM {schema} \
                 WHERE type IN ('view', 'table')"
            );
            let mut statement = connection.prepare(&all)?;
            let mut rows = statement.query([])?;
            let (mut plain, mut virtuals) = (Vec::new(), HashSet::new());
            while let Some(row) = rows.next()? {
                let (name, sql) = (text_at(row, 0)?.to_ascii_lowercase(), text_at(row, 1)?);
                let is_plain = row.get_ref(2)?.as_i64_or_null()? == Some(1);
                if !is_plain || !generated(&sql).is_some_and(|columns| columns.is_empty()) {
                    found.bodies.entry(name.clone()).or_default().push(sql);
                }
                match is_plain {
                    true => plain.push(name),
                    false => drop(virtuals.insert(name)),
                }
            }
            found.shadows.extend(plain.into_iter().filter(|name| begins_with_one(name, &virtuals)));
        }
        Ok(found)
    }

    /// Whether reading what has this lower-case name computes anything.
    pub fn computes(&self, name: &str) -> bool {
        self.bodies.contains_key(name)
    }

    /// Whether there is a table of this lower-case name that may keep a virtual one's data: SQLite has
    /// functions that are read like tables, and whose names anybody's table may begin.
    pub fn has_shadow(&self, name: &str) -> bool {
        self.shadows.contains(name)
    }

    /// The statements that made what has this name in lower case.
    pub fn made(&self, name: &str) -> &[String] {
        self.bodies.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The bound that a statement exceeds, if any.
    pub fn excess(&self, sql: &str) -> Option<Excess> {
        let Some(scope) = Scope::of(sql) else { return Some(Excess::of_depth()) };
        Weighing::new(self).scope(&scope, None, 0).weight.excess()
    }

    /// Names of views and tables that exceed a bound.
    pub fn excessive(&self) -> BTreeSet<&str> {
        let weighing = Weighing::new(self);
        let passes = |name: &&String| weighing.definition(name, 0).weight.excess().is_some();
        self.bodies.keys().filter(passes).map(String::as_str).collect()
    }
}

/// Whether a name is one of `names` with an underscore and more after it.
fn begins_with_one(name: &str, names: &HashSet<String>) -> bool {
    let ends = name.char_indices().filter(|&(at, c)| c == '_' && at <= MAX_NAME);
    !names.is_empty() && ends.map(|(at, _)| at).any(|at| names.contains(&name[..at]))
}

/// The weight of a table, view or query at each reference.
#[derive(Debug, Clone, Default)]
struct Relation {
    weight: Weight,
    columns: Columns,
}

/// Nodes that replace each column.
#[derive(Debug, Clone, Default)]
struct Columns {
    named: HashMap<String, u64>,
    /// Of the largest whose name is uncertain.
    doubtful: u64,
    /// Of the largest.
    widest: u64,
}

impl Columns {
    fn merge(&mut self, other: &Self) {
        for (name, &nodes) in &other.named {
            let known = self.named.entry(name.clone()).or_default();
            *known = nodes.max(*known);
        }
        self.doubtful = self.doubtful.max(other.doubtful);
        self.widest = self.widest.max(other.widest);
    }
}

impl Relation {
    /// A table, or something unknown.
    fn table() -> Self {
        let weight = Weight { tables: 1, joined: 1, ..Weight::default() };
        Self { weight, columns: Columns { widest: 1, ..Columns::default() } }
    }

    fn too_deep() -> Self {
        let weight = Weight { depth: u64::MAX, ..Weight::default() };
        Self { weight, columns: Columns { widest: u64::MAX, ..Columns::default() } }
    }

    /// With renamed columns.
    fn renamed(mut self) -> Self {
        self.columns.named.clear();
        self.columns.doubtful = self.columns.widest;
        self
    }
}

/// At least as much of everything as either.
fn larger(a: Weight, b: Weight) -> Weight {
    Weight {
        nodes: a.nodes.max(b.nodes),
        tables: a.tables.max(b.tables),
        ctes: a.ctes.max(b.ctes),
        set_operations: a.set_operations.max(b.set_operations),
        joined: a.joined.max(b.joined),
        listed: a.listed.max(b.listed),
        depth: a.depth.max(b.depth),
    }
}

/// A scope that is being weighed, inside others.
struct Place<'a> {
    scope: &'a Scope,
    outer: Option<&'a Place<'a>>,
    /// The weights of its definitions; None while one is being weighed, which then refers to
    /// itself.
    defined: RefCell<HashMap<usize, Option<Rc<Relation>>>>,
    /// Columns of what it reads.
    read: Columns,
    steps: u64,
}

struct Weighing<'d> {
    definitions: &'d Definitions,
    known: RefCell<HashMap<String, Option<Rc<Relation>>>>,
}

impl<'d> Weighing<'d> {
    fn new(definitions: &'d Definitions) -> Self {
        Self { definitions, known: RefCell::default() }
    }

    /// The weight of a view, virtual table, or table with generated columns; anything else is a table.
    fn definition(&self, name: &str, steps: u64) -> Rc<Relation> {
        let Some(bodies) = self.definitions.bodies.get(name) else {
            return Rc::new(Relation::table());
        };
        match self.known.borrow().get(name) {
            Some(Some(known)) => return Rc::clone(known),
            Some(None) => return Rc::new(Relation::table()),
            None => {}
        }
        self.known.borrow_mut().insert(name.to_owned(), None);
        let mut whole = Relation::default();
        for body in bodies {
            let one = self.body(name, body, steps + 1);
            whole.weight = larger(whole.weight, one.weight);
            whole.columns.merge(&one.columns);
        }
        let whole = Rc::new(whole);
        self.known.borrow_mut().insert(name.to_owned(), Some(Rc::clone(&whole)));
        whole
    }

    fn body(&self, name: &str, sql: &str, steps: u64) -> Relation {
        // SQLite writes the first words itself
        let kind = all_names(sql).nth(1).unwrap_or_default();
        if kind == "view" {
            let Some(scope) = Scope::of(sql) else { return Relation::too_deep() };
            let weighed = self.scope(&scope, None, steps);
            return if names_columns(sql) { weighed.renamed() } else { weighed };
        }
        if kind != "virtual" {
            return generated(sql)
                .map_or_else(Relation::too_deep, |columns| self.computed(&columns));
        }
        // full-text search reads the view named in its declaration
        let mut table = Relation::table();
        for named in all_names(sql).filter(|named| named != name) {
            if self.definitions.bodies.contains_key(&named) {
                table.weight = table.weight.and(self.definition(&named, steps).weight).inside();
            }
        }
        table
    }

    /// The weight of a table whose columns these are: SQLite writes out what a generated one computes
    /// from others.
    fn computed(&self, columns: &[Definition]) -> Relation {
        let scope = Scope::default();
        let mut place = Place::of(&scope, None, 0);
        let mut table = Relation::table();
        for column in table::in_order(columns) {
            let Some(column) = column else { return Relation::too_deep() };
            let mut weight = Weight::default();
            let nodes = column.computed.as_ref().map_or(0, |scope| {
                let inner = self.scope(scope, Some(&place), 0).weight;
                weight = weight.and(inner);
                inner.nodes
            });
            place.read.named.insert(column.name.clone(), nodes.max(1));
            place.read.widest = place.read.widest.max(nodes);
            table.weight = table.weight.and(Weight { nodes, tables: 0, ..weight });
        }
        table.columns = place.read;
        table
    }

    fn scope(&self, scope: &Scope, outer: Option<&Place<'_>>, steps: u64) -> Relation {
        if steps > MAX_STEPS {
            return Relation::too_deep();
        }
        let mut place = Place::of(scope, outer, steps);
        let mut whole = Relation::default();
        whole.weight.set_operations = scope.set_operations;
        let mut read = Columns::default();
        let mut add = |weight: &mut Weight, source: &Relation| {
            *weight = weight.and(source.weight.inside());
            read.merge(&source.columns);
        };
        for name in &scope.relations {
            add(&mut whole.weight, &self.named(name, &place));
        }
        for query in &scope.subqueries {
            add(&mut whole.weight, &self.scope(query, Some(&place), steps + 1));
        }
        whole.weight.joined = (scope.relations.len() + scope.subqueries.len()) as u64;
        place.read = read;
        let mut nodes = self.expression(&scope.rest, &place, &mut whole.weight);
        for item in &scope.items {
            let one = self.expression(&item.expression, &place, &mut whole.weight).max(1);
            nodes = nodes.saturating_add(one);
            if item.is_star {
                whole.columns.merge(&place.read);
                continue;
            }
            whole.columns.widest = whole.columns.widest.max(one);
            if let Some(name) = &item.name {
                // SQLite renames the second column of a name
                if let Some(first) = whole.columns.named.insert(name.clone(), one) {
                    let either = first.max(one);
                    whole.columns.named.insert(name.clone(), either);
                    whole.columns.doubtful = whole.columns.doubtful.max(either);
                }
            }
            if item.is_doubtful {
                whole.columns.doubtful = whole.columns.doubtful.max(one);
            }
        }
        if scope.items.is_empty() {
            whole.columns.merge(&place.read);
        }
        whole.weight.nodes = whole.weight.nodes.saturating_add(nodes);
        whole
    }

    /// How many nodes an expression has; the weight of queries in it is added to `weight`.
    fn expression(&self, expression: &Expression, place: &Place<'_>, weight: &mut Weight) -> u64 {
        let names = expression.names.iter().map(|name| place.nodes(name));
        let mut nodes = names.fold(0, u64::saturating_add);
        for group in &expression.groups {
            let inner = self.scope(group, Some(place), place.steps + 1).weight;
            nodes = nodes.saturating_add(inner.nodes);
            *weight = weight.and(Weight { nodes: 0, ..inner });
        }
        nodes
    }

    /// The weight of a table name: a definition of this scope or an enclosing one, or of the
    /// schema.
    fn named(&self, name: &str, from: &Place<'_>) -> Rc<Relation> {
        let mut here = Some(from);
        while let Some(place) = here {
            let mut definitions = place.scope.definitions.iter().enumerate();
            if let Some((at, (_, renamed, body))) = definitions.find(|(_, d)| d.0 == name) {
                match place.defined.borrow().get(&at) {
                    Some(Some(known)) => return Rc::clone(known),
                    Some(None) => return Rc::new(Relation::table()),
                    None => {}
                }
                place.defined.borrow_mut().insert(at, None);
                let mut weighed = self.scope(body, Some(place), from.steps + 1);
                weighed.weight.ctes = weighed.weight.ctes.saturating_add(1);
                let weighed = Rc::new(if *renamed { weighed.renamed() } else { weighed });
                place.defined.borrow_mut().insert(at, Some(Rc::clone(&weighed)));
                return weighed;
            }
            here = place.outer;
        }
        self.definition(name, from.steps)
    }
}

impl<'a> Place<'a> {
    fn of(scope: &'a Scope, outer: Option<&'a Place<'a>>, steps: u64) -> Self {
        Self { scope, outer, defined: RefCell::default(), read: Columns::default(), steps }
    }

    /// Nodes that replace a name, in this scope or an enclosing one.
    fn nodes(&self, name: &str) -> u64 {
        let (mut named, mut doubtful, mut widest) = (0, 0, 1);
        let mut here = Some(self);
        while let Some(place) = here {
            named = place.read.named.get(name).copied().unwrap_or_default().max(named);
            doubtful = doubtful.max(place.read.doubtful);
            widest = widest.max(place.read.widest);
            here = place.outer;
        }
        if named > 0 { named.max(doubtful) } else { widest }
    }
}

#[cfg(test)]
mod tests;
