//! The possible readings of a question, ranked by likelihood.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, ColumnId};
use crate::context::Context;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::report::Interpretation;
use crate::strategy::builtin::form::query::Query;
use crate::strategy::builtin::form::sql::{Unconnected, Writer};
use crate::strategy::builtin::passes::read::{Reader, Reading};
use crate::strategy::builtin::passes::role::Role;
use crate::strategy::builtin::words::calendar::Day;
use crate::strategy::builtin::words::evidence::{Unit, UnitKind};
use crate::strategy::builtin::words::lexicon::Key;

use super::confidence::Signs;
use super::flags::{self, Flags};
use super::resolve::{Meanings, TABLE_CERTAIN, is_spelled, resolve};

/// Most other readings that are tried.
const OTHERS: usize = 12;
/// Most other meanings of one span that are tried.
const OTHERS_OF_ONE: usize = 3;
/// Names that match the words this much worse are not considered; and how far behind a meaning is that
/// only the rest of the question speaks against.
const CLOSE: f32 = 0.15;
/// How far behind a reading is that looks for a value in another of its columns.
const ELSEWHERE: f32 = 0.1;

/// One way to read the question, written as SQL.
pub struct Candidate {
    /// The units as this reading takes them.
    pub units: Vec<Unit>,
    /// The meaning chosen for each unit.
    pub meanings: Meanings,
    /// The query form, and what was used for it.
    pub reading: Reading,
    /// What speaks for and against it.
    pub signs: Signs,
    /// The query.
    pub sql: String,
    /// What tells it from the plain reading; None of that itself.
    pub other: Option<Other>,
}

/// Words that may mean one thing or another.
#[derive(Debug, Clone)]
pub struct Other {
    /// The words.
    words: String,
    /// What they mean here.
    meaning: String,
    /// What they mean otherwise; None if that is not a single thing.
    rather: Option<String>,
}

impl Other {
    /// How the two differ.
    pub fn difference(&self) -> String {
        let rather = self.rather.as_deref().unwrap_or("elsewhere");
        format!("\"{}\" as {} rather than {rather}", self.words, self.meaning)
    }

    /// The hint that chooses this reading.
    pub fn hint(&self) -> String {
        format!("\"{}\" means {}", self.words, self.meaning)
    }

    /// The hint that chooses the reading without it.
    pub fn hint_against(&self) -> Option<String> {
        self.rather.as_ref().map(|rather| format!("\"{}\" means {rather}", self.words))
    }
}

impl Candidate {
    /// The chance that it is right, in 0..=1.
    pub fn confidence(&self) -> f32 {
        self.signs.confidence()
    }

    /// For the report.
    pub fn interpretation(&self, why: &str) -> Interpretation {
        Interpretation {
            sql: self.sql.clone(),
            score: self.confidence(),
            why: self.other.as_ref().map_or_else(|| why.to_owned(), Other::difference),
            signs: self.signs.by_name(),
            hint: None,
            rows: Vec::new(),
        }
    }
}

/// Every way to read the question that has SQL, best first: the plain one, and those in which one
/// span means its runner-up. An error where the plain one has no SQL.
pub fn ranked(context: &Context<'_>, units: Vec<Unit>) -> Result<Vec<Candidate>, Unread> {
    let known = Known::of(context, &units)?;
    let plain = read(context, units, None, 0.0, &known)?;
    let mut found: Vec<Candidate> = others(context, &plain, &known).collect();
    found.insert(0, plain);
    found.sort_by(|a, b| b.confidence().total_cmp(&a.confidence()));
    Ok(found)
}

/// Whether the best of them has at least this confidence.
pub fn is_likely(context: &Context<'_>, units: Vec<Unit>, least: f32) -> Result<bool, Unread> {
    let known = Known::of(context, &units)?;
    let plain = read(context, units, None, 0.0, &known)?;
    let likely = |candidate: &Candidate| candidate.confidence() >= least;
    // most others need not be read
    Ok(likely(&plain) || others(context, &plain, &known).any(|other| likely(&other)))
}

/// The readings beside the plain one, each query once.
fn others<'a>(
    context: &'a Context<'_>,
    plain: &'a Candidate,
    known: &'a Known,
) -> impl Iterator<Item = Candidate> + 'a {
    let mut seen = BTreeSet::from([plain.sql.clone()]);
    let variants = variants(&context.catalog, context.database().dialect(), plain);
    variants.into_iter().filter_map(move |Variant { units, other, behind }| {
        let candidate = read(context, units, Some(other), behind, known).ok()?;
        seen.insert(candidate.sql.clone()).then_some(candidate)
    })
}

/// What the database knows beside its catalog.
struct Known {
    /// The server's date, where the question speaks of ages.
    today: Option<Day>,
    /// The columns named that spell no and yes.
    flags: Flags,
}

impl Known {
    fn of(context: &Context<'_>, units: &[Unit]) -> Result<Self, Error> {
        let ages = |u: &Unit| matches!(u.key(), Some(Key::Compared(_))) || u.folded.contains("old");
        let dated = units.iter().any(ages).then(|| context.database().today()).transpose()?;
        let today = dated.as_deref().and_then(Day::parse);
        let flags = flags::spelled(context, units, &resolve(&context.catalog, units))?;
        Ok(Self { today, flags })
    }
}

/// Read units as one query.
fn read(
    context: &Context<'_>,
    units: Vec<Unit>,
    other: Option<Other>,
    behind: f32,
    known: &Known,
) -> Result<Candidate, Unread> {
    let catalog = &context.catalog;
    let meanings = resolve(catalog, &units);
    let reading = Reader::new(catalog, &units, meanings.clone(), known.today, &known.flags).read();
    let behind = other.as_ref().map(|_| behind);
    let signs = Signs::of(catalog, &units, &meanings, &reading, behind);
    match write(context, &reading.query, &reading.numerals) {
        Ok(sql) => Ok(Candidate { units, meanings, reading, signs, sql, other }),
        Err(reason) => {
            let words = not_understood(&units, &reading.roles);
            Err(Unread::NoQuery(Box::new(NoQuery { reason, words, units, meanings })))
        }
    }
}

/// Why a question has no reading.
pub enum Unread {
    /// The database could not be asked.
    Failed(Error),
    /// Its plain reading has no SQL.
    NoQuery(Box<NoQuery>),
}

/// A reading without SQL.
pub struct NoQuery {
    /// Why.
    pub reason: String,
    /// The words that were not understood.
    pub words: Vec<String>,
    /// The units as it takes them.
    pub units: Vec<Unit>,
    /// The meaning chosen for each unit.
    pub meanings: Meanings,
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The SQL of a query form, or why it has none.
///
/// `numerals`: the columns of text that hold nothing but numbers.
pub fn write(
    context: &Context<'_>,
    query: &Query,
    numerals: &BTreeSet<ColumnId>,
) -> Result<String, String> {
    if query.needed_tables().is_empty() {
        return Err("No words of the question name a table, a column or a value.".to_owned());
    }
    let dialect = context.database().dialect();
    let writer = Writer { catalog: &context.catalog, dialect, numerals };
    writer.write(query).map_err(|Unconnected(tables)| {
        let names: Vec<String> = tables.iter().map(|t| context.catalog.table_label(*t)).collect();
        format!("No keys connect the tables {}.", names.join(", "))
    })
}

/// The words that were not understood.
pub fn not_understood(units: &[Unit], roles: &[Role]) -> Vec<String> {
    let unread = units.iter().zip(roles).filter(|(_, role)| **role == Role::Unread);
    unread.map(|(unit, _)| unit.text.clone()).collect()
}

/// The question with one span that means something else.
struct Variant {
    units: Vec<Unit>,
    other: Other,
    /// How much less like the words the other meaning is.
    behind: f32,
}

/// The closest other meanings of single spans.
fn variants(catalog: &Catalog, dialect: Dialect, plain: &Candidate) -> Vec<Variant> {
    let mut all: Vec<Variant> = Vec::new();
    for (at, unit) in plain.units.iter().enumerate() {
        let mut add = |unit: Unit, meaning: String, rather: Option<String>, behind: f32| {
            let behind = behind.max(0.0);
            let other = Other { words: unit.text.clone(), meaning, rather };
            let mut units = plain.units.clone();
            units[at] = unit;
            all.push(Variant { units, other, behind });
        };
        match unit.kind {
            UnitKind::Name => {
                name_variants(catalog, plain, at, &mut add);
            }
            UnitKind::Value => value_variants(catalog, dialect, unit, &mut add),
            _ => {}
        }
    }
    all.sort_by(|a, b| a.behind.total_cmp(&b.behind));
    all.truncate(OTHERS);
    all
}

/// A name may mean another column or table, or a column where it was taken for a table.
fn name_variants(
    catalog: &Catalog,
    plain: &Candidate,
    at: usize,
    add: &mut dyn FnMut(Unit, String, Option<String>, f32),
) {
    let unit = &plain.units[at];
    let (column, table) = (plain.meanings.columns[at], plain.meanings.tables[at]);
    let (column_score, table_score) = (unit.column_score(), unit.table_score());
    if let Some(first) = column {
        let score = unit.columns.iter().find(|c| c.item == first).map_or(0.0, |c| c.score);
        let close = unit.columns.iter().filter(|c| c.item != first && c.score > score - CLOSE);
        for other in close.take(OTHERS_OF_ONE) {
            let unit = Unit { columns: vec![*other], ..unit.clone() };
            let label = |c| catalog.column_label(c);
            let behind = match plain.meanings.rivals[at] {
                Some((rival, margin)) if rival == other.item => margin,
                _ => CLOSE + score - other.score,
            };
            add(unit, label(other.item), Some(label(first)), behind);
        }
    }
    let Some(first) = table.filter(|_| table_score >= TABLE_CERTAIN) else { return };
    let label = |t| catalog.table_label(t);
    // what is a table's whole name is not a stem of another's
    let spelled = |table| is_spelled(catalog, unit, table);
    let close = unit.tables.iter().filter(|t| t.item != first && t.score > table_score - CLOSE);
    let close = close.filter(|t| !spelled(first) || spelled(t.item));
    for other in close.take(OTHERS_OF_ONE) {
        let unit = Unit { tables: vec![*other], ..unit.clone() };
        add(unit, label(other.item), Some(label(first)), table_score - other.score);
    }
    let Some(column) = column.filter(|_| column_score > table_score - 2.0 * CLOSE) else { return };
    let (as_column, as_table) = (catalog.column_label(column), label(first));
    let difference = table_score - column_score;
    if table_score >= column_score - CLOSE {
        let unit = Unit { tables: Vec::new(), ..unit.clone() };
        add(unit, as_column, Some(as_table), difference.max(0.0));
    } else {
        let unit = Unit { columns: Vec::new(), ..unit.clone() };
        add(unit, as_table, Some(as_column), -difference);
    }
}

/// A value may be meant where it is stored in another column.
fn value_variants(
    catalog: &Catalog,
    dialect: Dialect,
    unit: &Unit,
    add: &mut dyn FnMut(Unit, String, Option<String>, f32),
) {
    let columns: BTreeSet<ColumnId> = unit.values.iter().map(|v| v.column).collect();
    if columns.len() < 2 {
        return;
    }
    for other in columns.into_iter().take(OTHERS_OF_ONE + 1) {
        let mut unit = unit.clone();
        unit.values.retain(|v| v.column == other);
        let Some(stored) = unit.values.first() else { continue };
        let is = format!("{} = {}", catalog.column_label(other), dialect.string(&stored.text));
        add(unit, is, None, ELSEWHERE);
    }
}
