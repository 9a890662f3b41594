//! What to ask instead of a refused question: the same without the unread words, if that has an
//! answer, else a question about the table that was named.

use crate::catalog::{ColumnId, TableId, TypeClass};
use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::facts::Facts;
use crate::strategy::builtin::passes::role::Role;
use crate::strategy::builtin::refusal::{Instead, Unanswered};
use crate::strategy::builtin::words::evidence::{Unit, UnitKind};
use crate::strategy::builtin::words::lexicon::{Key, Words};
use crate::strategy::builtin::words::participles::is_participle;
use crate::strategy::builtin::words::{cut, tokens};

use super::confidence;
use super::readings;
use super::resolve::Meanings;

/// Columns that a suggestion names.
const SHOWN_COLUMNS: usize = 8;
/// Tables that a suggestion names.
const SHOWN_TABLES: usize = 6;

/// The error that tells why there is no answer, and what to do instead.
pub fn told(context: &Context<'_>, why: Unanswered) -> Error {
    let refusal = match why {
        Unanswered::Failed(error) => return error,
        Unanswered::Refused(refusal) => *refusal,
    };
    let suggestion = match refusal.instead {
        Instead::Do(what) => what,
        Instead::Ask(units, meanings, roles) => suggestion(context, &units, &meanings, &roles),
    };
    let (reason, words) = (refusal.reason, refusal.words);
    Error::NotUnderstood { reason, words, suggestion: Some(suggestion) }
}

/// A question that has an answer, near the one asked or about what it named, and what there is to ask for.
fn suggestion(
    context: &Context<'_>,
    units: &[Unit],
    meanings: &Meanings,
    roles: &[Role],
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
        let first = tables.first().map_or_else(String::new, |t| example(context, *t));
        let names = listed(tables.iter().map(|t| catalog.table_label(*t)), SHOWN_TABLES);
        return format!("{first} Tables: {names}.").trim_start().to_owned();
    };
    let columns = &catalog.table(table).columns;
    let names = listed(columns.iter().map(|c| c.name.to_string()), SHOWN_COLUMNS);
    let near = nearest(context, units, roles);
    let asked = near.unwrap_or_else(|| example(context, table));
    format!("{asked} {} has {names}.", catalog.table_label(table)).trim_start().to_owned()
}

/// The first of these names.
fn listed(mut names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let shown: Vec<String> = names.by_ref().take(most).collect();
    let more = if names.len() > 0 { " and others" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The question without the words that came to nothing, as a command, where that is a question and
/// has an answer.
fn nearest(context: &Context<'_>, units: &[Unit], roles: &[Role]) -> Option<String> {
    let read: Vec<bool> = roles.iter().map(|role| *role != Role::Unread).collect();
    if read.iter().all(|read| *read) {
        return None;
    }
    let kept = without_dangling(units, read);
    if !is_whole(units, &kept) {
        return None;
    }
    let kept: Vec<&Unit> =
        units.iter().zip(kept).filter(|(_, kept)| *kept).map(|(unit, _)| unit).collect();
    // without a name what is left asks about nothing: "What will the be in Hamburg?"
    let names = kept.iter().any(|unit| matches!(unit.kind, UnitKind::Name | UnitKind::Defined(_)));
    if !names || asks_without_verb(&kept) {
        return None;
    }
    let mut text = String::new();
    for unit in kept {
        let joined = matches!(unit.kind, UnitKind::Comma | UnitKind::Stop) || unit.text == "s";
        text.push_str(if text.is_empty() || joined { "" } else { " " });
        text.push_str(&unit.text);
    }
    answered(context, &text)
}

/// The units that were read, but for words that only lead to one that was not: of "orders with the
/// status xyzzy" nothing is left of "with the status".
fn without_dangling(units: &[Unit], mut kept: Vec<bool>) -> Vec<bool> {
    let ends = |i: usize| units.get(i).is_none_or(|u| u.kind == UnitKind::Stop);
    for at in (0..units.len()).rev().filter(|&i| !kept[i]).collect::<Vec<_>>() {
        let next = (at + 1..units.len()).find(|&i| kept[i]).unwrap_or(units.len());
        let closed = ends(next) || units[next].kind == UnitKind::Comma || leads(&units[next]);
        let mut before = (0..at).rev().filter(|&i| kept[i]).peekable();
        // the column that the lost word was a value of
        let compared = before.peek().copied().filter(|&i| units[i].kind == UnitKind::Name);
        let led = compared.is_some_and(|i| {
            let lead = (0..i).rev().find(|&i| units[i].kind != UnitKind::Filler);
            lead.is_some_and(|i| units[i].key() == Some(Key::Clause))
        });
        if led && closed {
            before.next().into_iter().for_each(|i| kept[i] = false);
        }
        for i in (0..at).rev().filter(|_| closed) {
            if kept[i] && !leads(&units[i]) {
                break;
            }
            kept[i] = false;
        }
        // "list the phones of all sales": list all sales
        if units.get(next).is_some_and(|u| u.folded.split(' ').next() == Some("of")) {
            kept[next] = false;
        }
    }
    kept
}

/// Whether what is left lacks neither the thing asked for ("Which … were hired in 2016?") nor a verb
/// ("What was the highest fee and who … it?", "How many visits … have?").
fn is_whole(units: &[Unit], kept: &[bool]) -> bool {
    let is_word = |i: usize| !matches!(units[i].kind, UnitKind::Comma | UnitKind::Stop);
    let left: Vec<usize> = (0..units.len()).filter(|&i| kept[i] && is_word(i)).collect();
    let first_word = |i: usize| units[i].folded.split(' ').next().unwrap_or_default();
    let helps = |i: usize| Words::Helping.has(first_word(i));
    let determines = |i: usize| {
        let all = matches!(units[i].key(), Some(Key::Any | Key::Each | Key::Everything));
        all || units[i].kind == UnitKind::Filler && !helps(i)
    };
    let lacks = |place: usize| {
        let (before, after) = (left[place - 1], left[place]);
        let asks = matches!(units[before].key(), Some(Key::Ask | Key::Count))
            || Words::Asking.has(first_word(before));
        let thing = left[place..].iter().find(|&&i| !determines(i));
        let is_thing = |&i: &usize| {
            let named = matches!(units[i].kind, UnitKind::Name | UnitKind::Defined(_));
            named
                || matches!(units[i].kind, UnitKind::Value | UnitKind::Quoted | UnitKind::Number(_))
        };
        after - before > 1 && asks && (!thing.is_some_and(is_thing) || first_word(before) == "who")
    };
    let opens = left.first().is_none_or(|&i| i == 0 || !helps(i));
    let ends = left.last().is_none_or(|&i| {
        !matches!(first_word(i), "have" | "has" | "had")
            || left.iter().any(|&i| matches!(first_word(i), "do" | "does" | "did"))
    });
    opens && ends && !(1..left.len()).any(lacks)
}

/// Whether a word asks for another after it: "with", "and", "the", "more than".
fn leads(unit: &Unit) -> bool {
    use Key::{And, Any, Between, Clause, Compared, Distinct, Each, Is, Like, Named, Not};
    match unit.key() {
        Some(Key::OrderBy | Key::Preposition | Key::Or) => true,
        Some(And | Any | Between | Clause | Compared(_) | Distinct | Each) => true,
        Some(Is | Like(_) | Named | Not) => true,
        Some(key) => key.bounds(),
        None => unit.kind == UnitKind::Filler && !Words::Closing.has(&unit.folded),
    }
}

/// "Which customers?", "What name?": a question word, and nothing that is said of what it asks for.
fn asks_without_verb(kept: &[&Unit]) -> bool {
    let first = kept.first().and_then(|u| u.folded.split(' ').next());
    let asks = first.is_some_and(|word| Words::Asking.has(word));
    let verb = |u: &&Unit| {
        let last = u.folded.split(' ').next_back().unwrap_or_default();
        Words::Helping.has(last)
            || u.key() == Some(Key::Is)
            || is_participle(last)
            || u.kind != UnitKind::Name && (Words::Relating.has(last) || Words::Placing.has(last))
    };
    asks && !kept.iter().any(verb)
}

/// A question as a command, where it has an answer.
fn answered(context: &Context<'_>, question: &str) -> Option<String> {
    let words = tokens::tokenize(question);
    let units = cut::units(context, question, &words, &[]).ok()?;
    let likely = readings::is_likely(context, units, confidence::LEAST).ok()?;
    let question = context.database().dialect().string(question);
    likely.then(|| format!("SELECT text2sql({question});"))
}

/// What can be asked, where that is the question: an example for each of the first tables.
pub fn help(context: &Context<'_>, question: &str) -> Option<String> {
    let folded: Vec<String> = crate::text::folded_words(question).collect();
    if !Words::Help.has(&folded.join(" ")) {
        return None;
    }
    let tables = context.scope.tables(&context.catalog);
    let examples: Vec<String> =
        tables.iter().take(SHOWN_TABLES).map(|table| example(context, *table)).collect();
    let said: Vec<String> = examples.into_iter().filter(|e| !e.is_empty()).collect();
    Some(said.join(" "))
}

/// A question about a table that has an answer, as a command; empty where none has. It says names
/// only, so one that was found stands as long as the catalog.
fn example(context: &Context<'_>, table: TableId) -> String {
    let facts = Facts::of(&context.catalog);
    // among other tables its words may mean something else
    let keeps = context.scope.is_all();
    if let Some(known) = facts.example(table).filter(|_| keeps) {
        return known.to_owned();
    }
    let Some(found) = find_example(context, facts, table) else { return String::new() };
    if keeps {
        facts.keep_example(table, found.clone());
    }
    found
}

fn find_example(context: &Context<'_>, facts: Facts<'_>, table: TableId) -> Option<String> {
    let catalog = &context.catalog;
    let of_kind = |c: &ColumnId| {
        let class = catalog.column(*c).class;
        let kind = facts.says(*c, Words::Kinds);
        class == TypeClass::Enum || class == TypeClass::Text && kind
    };
    let things = plural(facts.table_words(table).join(" "));
    let grouped = catalog.column_ids(table).find(of_kind).map(|column| {
        let kind = facts.words(column).join(" ");
        format!("How many {things} are there for each {kind}?")
    });
    let plain = format!("How many {things} are there?");
    let mut questions = grouped.into_iter().chain([plain]);
    questions.find_map(|question| answered(context, &question))
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
