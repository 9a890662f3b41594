//! Columns that are made of others whose values are withheld: of views, generated ones, and those of
//! virtual tables over other tables. Their values are withheld too, unless they have labels of their
//! own.
//!
//! A column of a view counts as made of all that the view reads, unless SQLite compiles it to the
//! same program when each withheld column is NULL. A generated column is made of what its definition
//! names, a virtual table of the tables that its definition names.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result, ffi};
use text2sql_engine::catalog::secrets::Values;
use text2sql_engine::catalog::{Table, TableKind};
use text2sql_engine::dialect::Dialect;

use crate::guard::is_about_the_statement;
use crate::session::{Authorizer, Decision};
use crate::text::{in_database, text_at};
use crate::unseen::{self, Text};
use crate::weight::Definitions;
use crate::weight::tokens::{Token, tokens};

/// Columns of all views that are compared, and the time for that. What is left is withheld.
const MAX_COMPARED: usize = 4_000;
const TIME: Duration = Duration::from_secs(2);
/// Steps from a table to what is made of it that are followed; what is still changing then is withheld.
const MAX_STEPS: usize = 20;

/// A column by the places of its table and in it.
type Place = (usize, usize);
/// Tables and columns in lower case.
type Named = (String, String, String);

/// Withhold what is made of withheld columns.
pub fn inherit(
    connection: &Connection,
    definitions: &Definitions,
    tables: &mut [Table],
) -> Result<()> {
    let mut made = Made::new(definitions);
    for step in 0.. {
        let before = withheld(tables);
        if before.is_empty() || step > 0 && made.known == before {
            return Ok(());
        }
        let reads_withheld = made.read(connection, tables, &before)?;
        for (place, why) in reads_withheld {
            withhold(tables, place, why);
        }
        if step == MAX_STEPS && withheld(tables) != before {
            withhold_what_is_made(tables);
            return Ok(());
        }
        made.known = before;
    }
    Ok(())
}

/// The columns whose values are withheld.
fn withheld(tables: &[Table]) -> BTreeSet<Place> {
    let columns = |(at, table): (usize, &Table)| {
        let columns = table.columns.iter().enumerate();
        let withheld = columns.filter(|(_, column)| column.values.are_withheld());
        withheld.map(move |(column, _)| (at, column)).collect::<Vec<_>>()
    };
    tables.iter().enumerate().flat_map(columns).collect()
}

/// Withhold a column that nobody labelled.
fn withhold(tables: &mut [Table], (table, column): Place, why: Values) {
    let column = &mut tables[table].columns[column];
    if column.values == Values::Shown {
        Arc::make_mut(column).values = why;
    }
}

fn withhold_what_is_made(tables: &mut [Table]) {
    let made = |table: &Table| table.kind != TableKind::Table;
    for table in (0..tables.len()).filter(|&at| made(&tables[at])).collect::<Vec<_>>() {
        for column in 0..tables[table].columns.len() {
            withhold(tables, (table, column), Values::Labelled);
        }
    }
}

/// Facts about definitions, read once.
struct Made<'a> {
    /// Definitions of views and virtual tables.
    definitions: &'a Definitions,
    /// The places of tables, by database and name in lower case.
    places: HashMap<(String, String), usize>,
    /// Statements that made tables, by database and name.
    statements: Option<HashMap<(String, String), String>>,
    /// Names that each view reads, by the view's place.
    views: HashMap<usize, BTreeSet<Named>>,
    /// The withheld columns among those names, when the view was last compared.
    sources: HashMap<usize, Vec<Place>>,
    /// The withheld columns of the step before.
    known: BTreeSet<Place>,
    /// Columns that may still be compared.
    left: Cell<usize>,
    started: Instant,
}

impl<'a> Made<'a> {
    fn new(definitions: &'a Definitions) -> Self {
        let (places, statements, views, sources, known) = Default::default();
        let (left, started) = (Cell::new(MAX_COMPARED), Instant::now());
        Self { definitions, places, statements, views, sources, known, left, started }
    }

    /// Whether one more column may be compared.
    fn may_compare(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0 && self.started.elapsed() < TIME
    }

    /// Columns made of `withheld` ones, with why those are.
    fn read(
        &mut self,
        connection: &Connection,
        tables: &[Table],
        withheld: &BTreeSet<Place>,
    ) -> Result<Vec<(Place, Values)>> {
        if self.statements.is_none() {
            self.statements = Some(statements(connection, tables)?);
            let key = |t: &Table| (t.schema.to_ascii_lowercase(), t.name.to_ascii_lowercase());
            self.places = tables.iter().map(key).zip(0..).collect();
        }
        let mut found = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            let key = (table.schema.clone(), table.name.to_ascii_lowercase());
            let statement = self.statements.as_ref().and_then(|all| all.get(&key));
            let sql = statement.map(String::as_str).unwrap_or_default();
            let own = withheld.range((at, 0)..(at + 1, 0)).next().is_some();
            match table.kind {
                TableKind::View => {
                    let name = in_database(&table.schema, &table.name);
                    let text = Text::of(self.definitions, &name);
                    let places = &self.places;
                    let view = View { connection, tables, places, withheld, at, text };
                    let reads = match self.views.get(&at) {
                        Some(known) => known,
                        None => self.views.entry(at).or_insert(view.reads()?),
                    };
                    let sources = view.sources(reads);
                    if self.sources.get(&at) != Some(&sources) {
                        found.extend(view.made_of(&sources, || self.may_compare())?);
                        self.sources.insert(at, sources);
                    }
                }
                TableKind::Foreign => found.extend(searched(tables, withheld, at, sql)),
                _ if own => found.extend(generated(table, at, sql)),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// The statements that made the tables and views of all databases.
fn statements(
    connection: &Connection,
    tables: &[Table],
) -> Result<HashMap<(String, String), String>> {
    let mut found = HashMap::new();
    let databases: BTreeSet<&str> = tables.iter().map(|table| table.schema.as_str()).collect();
    for database in databases {
        let schema = in_database(database, "sqlite_schema");
        let sql = format!("SELECT name, sql FROM {schema} WHERE type IN ('table', 'view')");
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name = text_at(row, 0)?.to_ascii_lowercase();
            found.insert((database.to_owned(), name), text_at(row, 1)?);
        }
    }
    Ok(found)
}

/// Generated columns whose definitions name a withheld column of their table.
fn generated(table: &Table, at: usize, sql: &str) -> Vec<(Place, Values)> {
    let definitions = definitions(sql);
    let mut found = Vec::new();
    for (place, column) in table.columns.iter().enumerate() {
        let definition = definitions.iter().find(|tokens| {
            tokens.first().is_some_and(|token| unseen::is_name(token, &column.name))
        });
        let Some(definition) = definition else { continue };
        let is_computed = definition
            .windows(2)
            .any(|pair| matches!(pair, [Token::Word(word), Token::Sign('(')] if word == "as"));
        if is_computed {
            let named = |other: &str| definition[1..].iter().any(|t| unseen::is_name(t, other));
            let sources = table.columns.iter().filter(|c| c.values.are_withheld());
            let source = sources.filter(|c| c.name != column.name).find(|c| named(&c.name));
            found.extend(source.map(|source| ((at, place), source.values)));
        }
    }
    found
}

/// The parts of a table's definition between its outer commas.
fn definitions(sql: &str) -> Vec<Vec<Token>> {
    let (mut parts, mut depth) = (vec![Vec::new()], 0_usize);
    for token in tokens(sql) {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        match token {
            Token::Sign('(') if depth == 1 => parts = vec![Vec::new()],
            Token::Sign(',') if depth == 1 => parts.push(Vec::new()),
            other => parts.last_mut().into_iter().for_each(|part| part.push(other.clone())),
        }
    }
    parts
}

/// Columns of a virtual table whose definition names a table with withheld columns: those of the
/// same names, and all where names do not say what they hold.
fn searched(
    tables: &[Table],
    withheld: &BTreeSet<Place>,
    at: usize,
    sql: &str,
) -> Vec<(Place, Values)> {
    let table = &tables[at];
    let tokens = tokens(sql);
    let using = tokens.iter().position(|t| matches!(t, Token::Word(word) if word == "using"));
    let arguments = &tokens[using.map_or(0, |at| at + 1)..];
    let mut found = Vec::new();
    let sources: BTreeSet<usize> = withheld.iter().map(|&(source, _)| source).collect();
    for source in sources.into_iter().filter(|&source| source != at) {
        let other = &tables[source];
        let named = |name: &str| names(name, &other.name);
        if !arguments.iter().filter_map(unseen::text).any(named) {
            continue;
        }
        let exact = table.columns.iter().all(|column| place_of(other, &column.name).is_some());
        for (place, column) in table.columns.iter().enumerate() {
            let same = place_of(other, &column.name);
            let why = match same {
                Some(same) if exact => Some(other.columns[same].values),
                _ => other.columns.iter().map(|c| c.values).find(|values| values.are_withheld()),
            };
            let why = why.filter(|values| values.are_withheld());
            found.extend(why.map(|why| ((at, place), why)));
        }
    }
    found
}

/// Whether a text names a table, perhaps with its database, or a table that keeps its data.
fn names(text: &str, table: &str) -> bool {
    let table = table.to_ascii_lowercase();
    let ends = text.match_indices(&*table);
    ends.into_iter().any(|(at, _)| {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let before = text[..at].chars().next_back();
        let after = text[at + table.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(|c| part(c) && c != '_')
    })
}

fn place_of(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
}

/// A view of the catalog.
struct View<'a> {
    connection: &'a Connection,
    tables: &'a [Table],
    places: &'a HashMap<(String, String), usize>,
    withheld: &'a BTreeSet<Place>,
    at: usize,
    text: Text,
}

impl View<'_> {
    fn select(&self, columns: &str) -> String {
        let view = &self.tables[self.at];
        format!("SELECT {columns} FROM {}", in_database(&view.schema, &view.name))
    }

    /// The columns that it reads, at any depth; `*` stands for all columns of a table.
    fn reads(&self) -> Result<BTreeSet<Named>> {
        let reads = RefCell::new(BTreeSet::new());
        let authorizer = Authorizer::new(self.connection, |action| {
            if let (ffi::SQLITE_READ, [Some(table), Some(column)]) = (action.code, action.arguments)
            {
                let database = action.database.unwrap_or_default();
                let named = [database, table, column].map(str::to_ascii_lowercase);
                reads.borrow_mut().insert(named.into());
            }
            Decision::Allow
        });
        let prepared = self.connection.prepare(&self.select("*")).map(drop);
        drop(authorizer);
        if let Err(error) = prepared
            && !is_about_the_statement(&error)
        {
            return Err(error);
        }
        let mut reads = reads.into_inner();
        if self.text.merges {
            let named = self.places.keys().filter(|(_, table)| self.text.all.contains(table));
            let all = named.map(|(database, table)| (database.clone(), table.clone(), "*".into()));
            reads.extend(all);
        }
        Ok(reads)
    }

    /// The withheld column that a read may be one of.
    fn source(&self, (database, table, column): &Named) -> Option<Place> {
        let at = *self.places.get(&(database.clone(), table.clone()))?;
        let read = &self.tables[at];
        let all =
            column == "*" || place_of(read, column).is_none() && unseen::reads_all(read, column);
        let mut columns = self.withheld.range((at, 0)..(at + 1, 0)).copied();
        let is_read =
            |place: &Place| all || read.columns[place.1].name.eq_ignore_ascii_case(column);
        columns.find(is_read).filter(|_| at != self.at)
    }

    /// The withheld columns among these reads.
    fn sources(&self, reads: &BTreeSet<Named>) -> Vec<Place> {
        reads.iter().filter_map(|read| self.source(read)).collect()
    }

    /// Its columns that are made of these.
    fn made_of(
        &self,
        sources: &[Place],
        may_compare: impl Fn() -> bool,
    ) -> Result<Vec<(Place, Values)>> {
        let values = |&(table, column): &Place| self.tables[table].columns[column].values;
        let labelled = sources.iter().map(values).find(|values| *values == Values::Labelled);
        let Some(why) = labelled.or_else(|| sources.first().map(values)) else {
            return Ok(Vec::new());
        };
        let columns = &self.tables[self.at].columns;
        let certain = || !self.text.merges && may_compare();
        let mut found = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            if column.values == Values::Shown
                && !(certain() && self.is_independent(&column.name)?)
            {
                found.push(((self.at, place), why));
            }
        }
        Ok(found)
    }

    /// Whether a column is the same whatever the withheld columns hold.
    fn is_independent(&self, column: &str) -> Result<bool> {
        let sql = format!("EXPLAIN {}", self.select(&Dialect::Sqlite.identifier(column)));
        let as_it_is = program(self.connection, &sql)?;
        let authorizer = Authorizer::new(self.connection, |action| {
            if let (ffi::SQLITE_READ, [Some(table), Some(column)]) = (action.code, action.arguments)
            {
                let database = action.database.unwrap_or_default();
                let named = [database, table, column].map(str::to_ascii_lowercase);
                if self.source(&named.into()).is_some() {
                    return Decision::Blank;
                }
            }
            Decision::Allow
        });
        let without = program(self.connection, &sql)?;
        drop(authorizer);
        Ok(as_it_is.is_some() && as_it_is == without)
    }
}

/// The program of a statement, if it can be prepared. How many columns of a table SQLite means to
/// read, an operand of `OpenRead`, is no part of it.
fn program(connection: &Connection, sql: &str) -> Result<Option<Vec<[String; 7]>>> {
    let listed = || -> Result<Vec<[String; 7]>> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut program = Vec::new();
        while let Some(row) = rows.next()? {
            let mut line: [String; 7] = Default::default();
            for (at, part) in line.iter_mut().enumerate() {
                *part = text_at(row, at)?;
            }
            if line[1] == "OpenRead" {
                line[5].clear();
            }
            program.push(line);
        }
        Ok(program)
    };
    match listed() {
        Ok(program) => Ok(Some(program)),
        Err(error) if is_about_the_statement(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
