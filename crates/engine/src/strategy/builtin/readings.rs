//! Other ways to read the question, for the report and for the reason of an abstention, and what
//! to ask instead.

use crate::catalog::{ColumnId, TableId, TypeClass};
use crate::context::Context;
use crate::text::identifier_words;
use crate::trace::Interpretation;

use super::confidence::{self, Signs};
use super::evidence::{Unit, UnitKind};
use super::read::Reader;
use super::resolve::Meanings;

/// Most other readings that are tried.
const OTHERS: usize = 3;
/// Names this much less like the words are no other reading; and how much less likely a reading
/// is that only the rest of the question speaks against.
const CLOSE: f32 = 0.15;
/// Words in names of columns whose values many rows share.
const KINDS: &[&str] = &[
    "type", "kind", "status", "state", "category", "class", "segment", "group", "level", "method",
    "city", "country", "region", "color", "colour", "sex", "gender", "family", "device",
];
/// Columns that a suggestion names.
const SHOWN_COLUMNS: usize = 8;
/// Tables that a suggestion names.
const SHOWN_TABLES: usize = 6;

/// The readings in which one name means its runner-up, best first; those that come to the chosen
/// query anyhow are left out.
pub fn others(
    context: &Context<'_>,
    units: &[Unit],
    meanings: &Meanings,
    chosen: &str,
) -> Vec<Interpretation> {
    let mut close: Vec<(usize, ColumnId, f32)> =
        (0..units.len()).flat_map(|at| runners_up(&units[at], at, meanings)).collect();
    close.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut found: Vec<Interpretation> = Vec::new();
    for (at, rival, behind) in close.into_iter().take(OTHERS) {
        let Some(first) = meanings.columns[at] else { continue };
        let mut other = meanings.clone();
        other.columns[at] = Some(rival);
        let rivals = confidence::rivals(units, &other);
        let reading = Reader::new(&context.catalog, units, other).read();
        let signs = Signs::of(&context.catalog, units, &rivals, &reading);
        let Ok(sql) = super::write(context, &reading.query, &[], String::new) else { continue };
        if sql == chosen || found.iter().any(|f| f.sql == sql) {
            continue;
        }
        let label = |column| context.catalog.column_label(column);
        let why =
            format!("\"{}\" as {} rather than {}", units[at].text, label(rival), label(first));
        found.push(Interpretation { sql, score: (signs.confidence() - behind).max(0.0), why });
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

/// The columns that a name fits about as well as the chosen one, each with how far behind it is:
/// where only the rest of the question told them apart, a fixed step.
fn runners_up(unit: &Unit, at: usize, meanings: &Meanings) -> Vec<(usize, ColumnId, f32)> {
    let chosen = unit.columns.iter().find(|c| Some(c.item) == meanings.columns[at]);
    let Some(chosen) = chosen.filter(|_| unit.kind == UnitKind::Name) else { return Vec::new() };
    let close = unit.columns.iter().filter(|c| c.item != chosen.item);
    let close = close.take_while(|c| c.score > chosen.score - CLOSE);
    let behind = |column| match meanings.rivals[at] {
        Some((rival, margin)) if rival == column => margin,
        _ => CLOSE,
    };
    close.take(OTHERS).map(|c| (at, c.item, behind(c.item))).collect()
}

/// A question that has an answer, about what the question named, and what there is to ask for.
pub fn suggestion(context: &Context<'_>, units: &[Unit], meanings: &Meanings) -> String {
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
        return format!("{first} Tables: {}{more}.", names.join(", "));
    };
    let columns = &catalog.table(table).columns;
    let names: Vec<&str> = columns.iter().take(SHOWN_COLUMNS).map(|c| &*c.name).collect();
    let more = if columns.len() > SHOWN_COLUMNS { " and others" } else { "" };
    let label = catalog.table_label(table);
    format!("{} {label} has {}{more}.", example(context, table), names.join(", "))
}

/// A question about a table, as a command.
fn example(context: &Context<'_>, table: TableId) -> String {
    let catalog = &context.catalog;
    let of_kind = |c: &ColumnId| {
        let column = catalog.column(*c);
        let kind = identifier_words(&column.name).iter().any(|w| KINDS.contains(&w.as_str()));
        column.class == TypeClass::Enum || column.class == TypeClass::Text && kind
    };
    let things = plural(identifier_words(&catalog.table(table).name).join(" "));
    let question = match catalog.column_ids(table).find(of_kind) {
        Some(column) => {
            let kind = identifier_words(&catalog.column(column).name).join(" ");
            format!("How many {things} are there for each {kind}?")
        }
        None => format!("How many {things} are there?"),
    };
    let question = context.database().dialect().string(&question);
    format!("SELECT text2sql({question});")
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
