//! The possible readings of a question, ranked by likelihood, or why there is no answer.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, ColumnId};
use crate::context::Context;
use crate::error::Error;
use crate::report::Interpretation;
use crate::strategy::builtin::form::sql::{Writer, Written};
use crate::strategy::builtin::passes::{Reader, Reading, Role};
use crate::strategy::builtin::words::{Day, Key, Unit, UnitKind};

use super::confidence::{LEAST, Signs};
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

/// Why there is no answer.
pub enum Unanswered {
    /// The database could not be asked, or the asker has to choose.
    Failed(Error),
    /// The words do not say a query; these were not understood.
    Refused { reason: String, words: Vec<String>, instead: Box<Instead> },
}

/// What to do instead. What to ask is looked for only where a refusal is told (`suggestion`): many
/// questions are tried, and nobody reads why one of those has no answer.
pub enum Instead {
    /// This.
    Do(String),
    /// Ask something that has an answer: the question without the unread ones of these words, by
    /// their roles, if that has one; else about what they name.
    Ask(Vec<Unit>, Meanings, Vec<Role>),
}

impl Unanswered {
    /// A refusal.
    pub fn refused(reason: String, words: Vec<String>, instead: Instead) -> Self {
        Self::Refused { reason, words, instead: Box::new(instead) }
    }
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

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

/// One span of the question that means something else than in the plain reading.
#[derive(Debug)]
pub struct Other {
    /// Which unit it is.
    at: usize,
    /// The unit with only this meaning.
    unit: Unit,
    /// What it means here.
    meaning: String,
    /// What it means otherwise; None if that is not a single thing.
    rather: Option<String>,
    /// How much less like the words the meaning here is.
    behind: f32,
}

impl Other {
    /// How the two differ.
    pub fn difference(&self) -> String {
        let rather = self.rather.as_deref().unwrap_or("elsewhere");
        format!("\"{}\" as {} rather than {rather}", self.unit.text, self.meaning)
    }

    /// The hint that chooses this reading.
    pub fn hint(&self) -> String {
        format!("\"{}\" means {}", self.unit.text, self.meaning)
    }

    /// The hint that chooses the reading without it.
    pub fn hint_against(&self) -> Option<String> {
        self.rather.as_ref().map(|rather| format!("\"{}\" means {rather}", self.unit.text))
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

/// Every way to read the question that has SQL, best first: the plain one, and those in which one span
/// means its runner-up. An error where the plain one has no SQL.
pub fn ranked(context: &Context<'_>, units: Vec<Unit>) -> Result<Vec<Candidate>, Unanswered> {
    let ways = Ways::of(context, &units)?;
    let plain = ways.read(units, None)?;
    let mut found: Vec<Candidate> = ways.others(&plain).collect();
    found.insert(0, plain);
    found.sort_by(|a, b| b.confidence().total_cmp(&a.confidence()));
    Ok(found)
}

/// Whether the best of them is likely enough for an answer.
pub fn is_likely(context: &Context<'_>, units: Vec<Unit>) -> Result<bool, Unanswered> {
    let ways = Ways::of(context, &units)?;
    let plain = ways.read(units, None)?;
    let likely = |candidate: &Candidate| candidate.confidence() >= LEAST;
    // most others need not be read
    Ok(likely(&plain) || ways.others(&plain).any(|other| likely(&other)))
}

/// The ways to read a question, and what the database knows for them beside its catalog.
struct Ways<'a> {
    context: &'a Context<'a>,
    /// The server's date, where the question speaks of ages.
    today: Option<Day>,
    /// The columns named that spell no and yes.
    flags: Flags,
}

impl<'a> Ways<'a> {
    fn of(context: &'a Context<'a>, units: &[Unit]) -> Result<Self, Error> {
        let ages = |u: &Unit| matches!(u.key(), Some(Key::Compared(_))) || u.folded.contains("old");
        let dated = units.iter().any(ages).then(|| context.database().today()).transpose()?;
        let today = dated.as_deref().and_then(Day::parse);
        let flags = flags::spelled(context, units, &resolve(&context.catalog, units))?;
        Ok(Self { context, today, flags })
    }

    /// The readings beside the plain one, each query once.
    fn others<'p>(&'p self, plain: &'p Candidate) -> impl Iterator<Item = Candidate> + 'p {
        let mut seen = BTreeSet::from([plain.sql.clone()]);
        variants(self.context, plain).into_iter().filter_map(move |other| {
            let mut units = plain.units.clone();
            units[other.at] = other.unit.clone();
            let candidate = self.read(units, Some(other)).ok()?;
            seen.insert(candidate.sql.clone()).then_some(candidate)
        })
    }

    /// Read units as one query.
    fn read(&self, units: Vec<Unit>, other: Option<Other>) -> Result<Candidate, Unanswered> {
        let Self { context, today, flags } = self;
        context.engine.cancel.check()?;
        let catalog = &context.catalog;
        let meanings = resolve(catalog, &units);
        let reading = Reader::new(catalog, &units, meanings.clone(), *today, flags).read();
        let behind = other.as_ref().map(|other| other.behind);
        let signs = Signs::of(catalog, &units, &meanings, &reading, behind);
        match write(context, &reading) {
            Ok(sql) => Ok(Candidate { units, meanings, reading, signs, sql, other }),
            Err(reason) => {
                let words = not_understood(&units, &reading.roles);
                Err(Unanswered::refused(reason, words, Instead::Ask(units, meanings, Vec::new())))
            }
        }
    }
}

/// The SQL of a reading, or why it has none.
pub fn write(context: &Context<'_>, reading: &Reading) -> Written<String> {
    let Reading { query, numerals, .. } = reading;
    if query.needed_tables().is_empty() {
        return Err("No words of the question name a table, a column or a value.".to_owned());
    }
    let dialect = context.database().dialect();
    let writer = Writer { catalog: &context.catalog, dialect, numerals };
    writer.query(query).map(|sql| sql.to_string())
}

/// The words that were not understood.
pub fn not_understood(units: &[Unit], roles: &[Role]) -> Vec<String> {
    let unread = units.iter().zip(roles).filter(|(_, role)| **role == Role::Unread);
    unread.map(|(unit, _)| unit.text.clone()).collect()
}

/// The closest other meanings of single spans.
fn variants(context: &Context<'_>, plain: &Candidate) -> Vec<Other> {
    let of = |at: usize| match plain.units[at].kind {
        UnitKind::Name => name_variants(&context.catalog, plain, at),
        UnitKind::Value => value_variants(context, plain, at),
        _ => Vec::new(),
    };
    let mut all: Vec<Other> = (0..plain.units.len()).flat_map(of).collect();
    all.sort_by(|a, b| a.behind.total_cmp(&b.behind));
    all.truncate(OTHERS);
    all
}

/// A name may mean another column or table, or a column where it was taken for a table.
fn name_variants(catalog: &Catalog, plain: &Candidate, at: usize) -> Vec<Other> {
    let unit = &plain.units[at];
    let (column, table) = (plain.meanings.columns[at], plain.meanings.tables[at]);
    let (column_score, table_score) = (unit.column_score(), unit.table_score());
    let mut found = Vec::new();
    if let Some(first) = column {
        let score = unit.columns.iter().find(|c| c.item == first).map_or(0.0, |c| c.score);
        let close = unit.columns.iter().filter(|c| c.item != first && c.score > score - CLOSE);
        found.extend(close.take(OTHERS_OF_ONE).map(|other| {
            let unit = Unit { columns: vec![*other], ..unit.clone() };
            let behind = match plain.meanings.rivals[at] {
                Some((rival, margin)) if rival == other.item => margin,
                _ => (CLOSE + score - other.score).max(0.0),
            };
            let rather = Some(catalog.column_label(first));
            Other { at, unit, meaning: catalog.column_label(other.item), rather, behind }
        }));
    }
    let Some(first) = table.filter(|_| table_score >= TABLE_CERTAIN) else { return found };
    // what is a table's whole name is not a stem of another's
    let spelled = |table| is_spelled(catalog, unit, table);
    let close = unit.tables.iter().filter(|t| t.item != first && t.score > table_score - CLOSE);
    let close = close.filter(|t| !spelled(first) || spelled(t.item));
    found.extend(close.take(OTHERS_OF_ONE).map(|other| {
        let unit = Unit { tables: vec![*other], ..unit.clone() };
        let behind = table_score - other.score;
        let rather = Some(catalog.table_label(first));
        Other { at, unit, meaning: catalog.table_label(other.item), rather, behind }
    }));
    let Some(column) = column.filter(|_| column_score > table_score - 2.0 * CLOSE) else {
        return found;
    };
    let (as_column, as_table) = (catalog.column_label(column), catalog.table_label(first));
    let ahead = table_score - column_score;
    let (unit, meaning, rather, behind) = if ahead >= -CLOSE {
        (Unit { tables: Vec::new(), ..unit.clone() }, as_column, as_table, ahead.max(0.0))
    } else {
        (Unit { columns: Vec::new(), ..unit.clone() }, as_table, as_column, -ahead)
    };
    found.push(Other { at, unit, meaning, rather: Some(rather), behind });
    found
}

/// A value may be meant where it is stored in another column.
fn value_variants(context: &Context<'_>, plain: &Candidate, at: usize) -> Vec<Other> {
    let unit = &plain.units[at];
    let columns: BTreeSet<ColumnId> = unit.values.iter().map(|v| v.column).collect();
    let others = columns.iter().filter(|_| columns.len() > 1).take(OTHERS_OF_ONE + 1);
    let elsewhere = |&other: &ColumnId| {
        let mut unit = unit.clone();
        unit.values.retain(|v| v.column == other);
        let stored = context.database().dialect().string(&unit.values.first()?.text);
        let meaning = format!("{} = {stored}", context.catalog.column_label(other));
        Some(Other { at, unit, meaning, rather: None, behind: ELSEWHERE })
    };
    others.filter_map(elsewhere).collect()
}
