//! What to ask instead of a refused question: the same without the unread words, if that has an
//! answer, else a question about the table that was named.

use crate::catalog::{ColumnId, TableId, TypeClass};
use crate::context::Context;
use crate::strategy::builtin::passes::role::Role;
use crate::strategy::builtin::words::evidence::{Unit, UnitKind};
use crate::strategy::builtin::words::lexicon::{self, Words};
use crate::strategy::builtin::words::{cut, tokens};
use crate::text::identifier_words;

use super::confidence;
use super::readings;
use super::resolve::Meanings;

/// Columns that a suggestion names.
const SHOWN_COLUMNS: usize = 8;
/// Tables that a suggestion names.
const SHOWN_TABLES: usize = 6;

/// A question that has an answer, `near` the one asked or about what it named, and what there is to ask for.
pub fn suggestion(
    context: &Context<'_>,
    units: &[Unit],
    meanings: &Meanings,
    near: Option<String>,
) -> String {
    let catalog = &context.catalog;
    let named = |i: &usize| units[*i].table_score() >= super::resolve::TABLE_CERTAIN;
    let table = (0..units.len())
        .filter(named)
        .find_map(|i| meanings.tables[i])
        .or_else(|| (0..units.len()).find_map(|i| meanings.columns[i]).map(|c| c.table))
        .or_else(|| units.iter().find_map(|u| u.values.first()).map(|v| v.column.table));
    let Some(table) = table else {
        let tables = context.scope.tables(catalog);
        let names: Vec<String> =
            tables.iter().take(SHOWN_TABLES).map(|t| catalog.table_label(*t)).collect();
        let more = if tables.len() > SHOWN_TABLES { " and others" } else { "" };
        let first = tables.first().map_or_else(String::new, |t| example(context, *t));
        return format!("{first} Tables: {}{more}.", names.join(", ")).trim_start().to_owned();
    };
    let columns = &catalog.table(table).columns;
    let names: Vec<&str> = columns.iter().take(SHOWN_COLUMNS).map(|c| &*c.name).collect();
    let more = if columns.len() > SHOWN_COLUMNS { " and others" } else { "" };
    let label = catalog.table_label(table);
    let asked = near.unwrap_or_else(|| example(context, table));
    format!("{asked} {label} has {}{more}.", names.join(", ")).trim_start().to_owned()
}

/// The question without the words that came to nothing, as a command, where that has an answer.
pub fn nearest(context: &Context<'_>, units: &[Unit], roles: &[Role]) -> Option<String> {
    let kept = || units.iter().zip(roles).filter(|(_, role)| **role != Role::Unread);
    // without a name what is left asks about nothing: "What will the be in Hamburg?"
    let is_name =
        |(unit, _): (&Unit, &Role)| matches!(unit.kind, UnitKind::Name | UnitKind::Defined(_));
    if kept().count() == units.len() || !kept().any(is_name) {
        return None;
    }
    let mut text = String::new();
    for (unit, _) in kept() {
        let joined = matches!(unit.kind, UnitKind::Comma | UnitKind::Stop) || unit.text == "s";
        text.push_str(if text.is_empty() || joined { "" } else { " " });
        text.push_str(&unit.text);
    }
    answered(context, &text)
}

/// A question as a command, where it has an answer.
fn answered(context: &Context<'_>, question: &str) -> Option<String> {
    let words = tokens::tokenize(question);
    let units = cut::units(context, question, &words, &[]).ok()?;
    let best = readings::ranked(context, units).ok()?.into_iter().next()?;
    let question = context.database().dialect().string(question);
    (best.confidence() >= confidence::LEAST).then(|| format!("SELECT text2sql({question});"))
}

/// What can be asked, where that is the question: an example for each of the first tables.
pub fn help(context: &Context<'_>, question: &str) -> Option<String> {
    let folded: Vec<String> = crate::text::folded_words(question).collect();
    if !lexicon::is_help(&folded.join(" ")) {
        return None;
    }
    let tables = context.scope.tables(&context.catalog);
    let examples: Vec<String> =
        tables.iter().take(SHOWN_TABLES).map(|table| example(context, *table)).collect();
    let said: Vec<String> = examples.into_iter().filter(|e| !e.is_empty()).collect();
    Some(said.join(" "))
}

/// A question about a table that has an answer, as a command; empty where none has.
fn example(context: &Context<'_>, table: TableId) -> String {
    let catalog = &context.catalog;
    let of_kind = |c: &ColumnId| {
        let column = catalog.column(*c);
        let kind = identifier_words(&column.name)
            .iter()
            .any(|w| lexicon::words(Words::Kinds).contains(&w.as_str()));
        column.class == TypeClass::Enum || column.class == TypeClass::Text && kind
    };
    let things = plural(identifier_words(&catalog.table(table).name).join(" "));
    let grouped = catalog.column_ids(table).find(of_kind).map(|column| {
        let kind = identifier_words(&catalog.column(column).name).join(" ");
        format!("How many {things} are there for each {kind}?")
    });
    let plain = format!("How many {things} are there?");
    let mut questions = grouped.into_iter().chain([plain]);
    questions.find_map(|question| answered(context, &question)).unwrap_or_default()
}

/// A noun for several things.
fn plural(noun: String) -> String {
    match noun.strip_suffix('y') {
        _ if noun.ends_with('s') => noun,
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with(['x', 'z']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{noun}es")
        }
        _ => format!("{noun}s"),
    }
}
