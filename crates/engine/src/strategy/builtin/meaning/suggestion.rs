//! What to ask instead of a refused question: the same without the unread words, if that has an
//! answer, else a question about the table that was named.

use crate::catalog::{ColumnId, TableId, TypeClass};
use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::facts::Facts;
use crate::strategy::builtin::passes::Role;
use crate::strategy::builtin::words::{
    Key, Unit, UnitKind, Words, cut, is_participle, plural, tokens,
};

use super::readings::{self, Instead, Unanswered};
use super::resolve::{Meanings, TABLE_CERTAIN};

/// Columns that a suggestion names.
const SHOWN_COLUMNS: usize = 8;
/// Tables that a suggestion names.
const SHOWN_TABLES: usize = 6;

/// The error that tells why there is no answer, and what to do instead.
pub fn told(context: &Context<'_>, why: Unanswered) -> Error {
    let (reason, words, instead) = match why {
        Unanswered::Failed(error) => return error,
        Unanswered::Refused { reason, words, instead } => (reason, words, *instead),
    };
    let suggestion = Some(match instead {
        Instead::Do(what) => what,
        Instead::Ask(units, meanings, roles) => advice(context, &units, &meanings, &roles),
    });
    Error::NotUnderstood { reason, words, suggestion }
}

/// A question that has an answer, near the one asked or about what it named, and what there is to ask for.
fn advice(context: &Context<'_>, units: &[Unit], meanings: &Meanings, roles: &[Role]) -> String {
    let catalog = &context.catalog;
    let named = |i: &usize| units[*i].table_score() >= TABLE_CERTAIN;
    let table = (0..units.len())
        .filter(named)
        .find_map(|i| meanings.tables[i])
        .or_else(|| (0..units.len()).find_map(|i| meanings.columns[i]).map(|c| c.table))
        .or_else(|| units.iter().find_map(|u| u.values.first()).map(|v| v.column.table));
    let Some(table) = table else {
        let tables = context.scope.tables(catalog);
        let first = tables.first().and_then(|t| example(context, *t)).unwrap_or_default();
        let names = listed(tables.iter().map(|t| catalog.table_label(*t)), SHOWN_TABLES);
        return format!("{first} Tables: {names}.").trim_start().to_owned();
    };
    let columns = &catalog.table(table).columns;
    let names = listed(columns.iter().map(|c| c.name.to_string()), SHOWN_COLUMNS);
    let near = nearest(context, units, roles).or_else(|| added_up(context, units, meanings));
    let asked = near.or_else(|| example(context, table)).unwrap_or_default();
    format!("{asked} {} has {names}.", catalog.table_label(table)).trim_start().to_owned()
}

/// The first of these names.
fn listed(mut names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let shown: Vec<String> = names.by_ref().take(most).collect();
    let more = if names.len() > 0 { " and others" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// The question without the words that came to nothing, as a command, where that has an answer.
fn nearest(context: &Context<'_>, units: &[Unit], roles: &[Role]) -> Option<String> {
    let read: Vec<bool> = roles.iter().map(|role| *role != Role::Unread).collect();
    if read.iter().all(|read| *read) {
        return None;
    }
    let kept = without_dangling(units, read);
    let left: Vec<usize> = (0..units.len()).filter(|&i| kept[i]).collect();
    let words: Vec<&Unit> = left.iter().map(|&i| &units[i]).collect();
    // "What are the name?", where what was one of several is gone; "What is the orders?", where their
    // average is; "order", of "the average order value"
    let several = words.iter().find(|unit| is_thing(unit)).is_some_and(|u| u.folded.ends_with('s'));
    let joined = words.iter().any(|unit| unit.key() == Some(Key::And));
    let agrees = match words.get(1).map_or("", |unit| &unit.folded) {
        "are" => several || joined,
        "is" => !several,
        _ => several || !words.iter().all(|unit| is_thing(unit)),
    };
    // without a name what is left asks about nothing: "What will the be in Hamburg?"
    let names = |unit: &&Unit| matches!(unit.kind, UnitKind::Name | UnitKind::Defined(_));
    let whole = is_whole(units, &kept, &left) && agrees && words.iter().any(names);
    whole.then(|| answered(context, &written(words)))?
}

/// "the revenue per month", where a month has many: their total is asked for most.
fn added_up(context: &Context<'_>, units: &[Unit], meanings: &Meanings) -> Option<String> {
    let facts = Facts::of(&context.catalog);
    let number = |i: &usize| meanings.columns[*i].is_some_and(|c| facts.numeric(c));
    let each = units.iter().position(|unit| unit.key() == Some(Key::Each))?;
    let added = (0..each).rev().find(number)?;
    // "the price per product": each has one
    let owner = meanings.columns[added].map(|c| c.table);
    let certain = |i: usize| units[i].table_score() >= units[i].column_score().max(TABLE_CERTAIN);
    if (each..units.len()).any(|i| certain(i) && meanings.tables[i] == owner) {
        return None;
    }
    let mut units = units.to_vec();
    units[added].text.insert_str(0, "total ");
    answered(context, &written(&units))
}

/// Units as a sentence.
fn written<'a>(units: impl IntoIterator<Item = &'a Unit>) -> String {
    let mut text = String::new();
    for unit in units {
        let joined = matches!(unit.kind, UnitKind::Comma | UnitKind::Stop) || unit.text == "s";
        text.push_str(if text.is_empty() || joined { "" } else { " " });
        text.push_str(&unit.text);
    }
    text
}

/// The units that were read, but for words that only lead to one that was not: of "orders with the
/// status xyzzy" nothing is left of "with the status".
fn without_dangling(units: &[Unit], mut kept: Vec<bool>) -> Vec<bool> {
    let ends = |i: usize| units.get(i).is_none_or(|u| u.kind == UnitKind::Stop);
    for at in (0..units.len()).rev().filter(|&i| !kept[i]).collect::<Vec<_>>() {
        let next = (at + 1..units.len()).find(|&i| kept[i]).unwrap_or(units.len());
        let closed = ends(next) || units[next].kind == UnitKind::Comma || leads(&units[next]);
        // the column that the lost word was a value of
        let compared = |i: usize| {
            let lead = units[..i].iter().rfind(|unit| unit.kind != UnitKind::Filler);
            let led = lead.is_some_and(|unit| unit.key() == Some(Key::Clause));
            led && units[i].kind == UnitKind::Name
        };
        let before = (0..at).rev().filter(|&i| closed && kept[i]).enumerate();
        let dangles = |(n, i): &(usize, usize)| *n == 0 && compared(*i) || leads(&units[*i]);
        for (_, i) in before.take_while(dangles).collect::<Vec<_>>() {
            kept[i] = false;
        }
        // "list the phones of all sales": list all sales
        if units.get(next).is_some_and(|u| u.folded.split(' ').next() == Some("of")) {
            kept[next] = false;
        }
    }
    kept
}

/// Whether what is left is still a sentence: it begins as one, and at each cut it goes on from what asks
/// for a thing to one ("the frobnicated customers"), or from a thing to its end or to what may be said of
/// any; what was said of something else, and a verb of which a part is gone, are not left alone.
fn is_whole(units: &[Unit], kept: &[bool], left: &[usize]) -> bool {
    let (Some(&first), Some(&last)) = (left.first(), left.last()) else { return false };
    let asks = matches!(units[first].key(), Some(Key::Ask | Key::Count | Key::Aggregate(_)));
    let opens = first == 0 || asks || is_thing(&units[first]);
    let closes =
        units[last].kind == UnitKind::Stop || last + 1 == units.len() || is_thing(&units[last]);
    let goes_on = |at: usize| {
        let gap = left[at - 1] + 1..left[at];
        // "what are the xyzzies that": the verb of the question
        let verb = at == 1 && gap.clone().any(|i| units[i].key() == Some(Key::Is));
        gap.is_empty() || !verb && goes_on(units, left[at - 1], &left[at..])
    };
    let whole = |at: usize| goes_on(at) && !needs_verb(units, &left[at..], kept);
    opens && closes && !needs_verb(units, left, kept) && (1..left.len()).all(whole)
}

/// Whether the units at `rest` may follow the one before a cut.
fn goes_on(units: &[Unit], before: usize, rest: &[usize]) -> bool {
    let thing = |rest: &[usize]| {
        rest.iter().map(|&i| &units[i]).find(|unit| !determines(unit)).is_some_and(is_thing)
    };
    let there = Words::Closing.has(&units[before].folded)
        && before.checked_sub(1).is_some_and(|i| units[i].key() == Some(Key::Is));
    let of_another = units[before..rest[0]].iter().any(|u| u.key() == Some(Key::Preposition));
    let (first, before) = (&units[rest[0]], &units[before]);
    match (first.key(), &first.kind) {
        (_, UnitKind::Stop | UnitKind::Comma) => there || is_thing(before),
        // "the names of the xyzzies and customers": the names of either
        (Some(Key::And | Key::Or), _) => !of_another && is_thing(before) && thing(&rest[1..]),
        (Some(key), _) if key.sorts() || key == Key::Preposition => is_thing(before),
        _ => {
            // "what all customers"
            let bare = !Words::Asking.has(&before.folded) || !determines(first);
            asks_for_thing(before) && bare && thing(rest)
        }
    }
}

/// A name or a value, and no verb.
fn is_thing(unit: &Unit) -> bool {
    use UnitKind::{Defined, Name, Number, Period, Quoted, Value};
    let content = matches!(unit.kind, Name | Defined(_) | Value | Quoted | Number(_) | Period(_));
    content && !is_participle(&unit.folded)
}

/// Whether a word stands before a thing: "show", "the", "how many", "the average", "in".
fn asks_for_thing(unit: &Unit) -> bool {
    use Key::{Aggregate, Ask, Count, Extreme, Superlative, Top};
    match unit.key() {
        Some(Aggregate(_) | Ask | Count | Extreme(_) | Superlative(_) | Top) => true,
        Some(key) => goes_before(key),
        None => determines(unit),
    }
}

/// "and", "in", "each", "more than".
fn goes_before(key: Key) -> bool {
    use Key::{And, Any, Distinct, Each, Or, Preposition};
    matches!(key, And | Any | Distinct | Each | Or | Preposition) || key.bounds()
}

/// "the", "how many", "their", "each".
fn determines(unit: &Unit) -> bool {
    match unit.key() {
        Some(Key::Each) => !unit.folded.contains(' '),
        Some(Key::Any | Key::Distinct) => true,
        _ => Words::Determining.has(&unit.folded) || Words::Possessive.has(&unit.folded),
    }
}

/// "did", "in which" at the head of `rest`, where something after it was cut and no verb is left.
fn needs_verb(units: &[Unit], rest: &[usize], kept: &[bool]) -> bool {
    let word = |i: usize| units[i].folded.split(' ').next().unwrap_or_default();
    let end = rest.iter().copied().find(|&i| units[i].kind == UnitKind::Stop);
    let end = end.unwrap_or(units.len());
    let cut = (rest[0]..end).any(|i| !kept[i]);
    let helps = matches!(word(rest[0]), "do" | "does" | "did" | "can");
    let relative = Words::Asking.has(word(rest[0])) || word(rest[0]) == "that";
    let verb = |&i: &usize| {
        let is = matches!(units[i].key(), Some(Key::Is | Key::Clause)) || is_participle(word(i));
        let relates = Words::Relating.has(word(i)) || Words::Placing.has(word(i));
        is || relates && units[i].kind != UnitKind::Name
    };
    cut && (helps || relative && !rest[1..].iter().take_while(|&&i| i < end).any(verb))
}

/// Whether a word asks for another after it: "with", "and", "the", "more than".
fn leads(unit: &Unit) -> bool {
    use Key::{Between, Clause, Compared, Is, Like, Named, Not, OrderBy};
    match unit.key() {
        Some(Between | Clause | Compared(_) | Is | Like(_) | Named | Not | OrderBy) => true,
        Some(key) => goes_before(key),
        None => unit.kind == UnitKind::Filler && !Words::Closing.has(&unit.folded),
    }
}

/// A question as a command, where it has an answer.
fn answered(context: &Context<'_>, question: &str) -> Option<String> {
    let units = cut::units(context, question, &tokens::tokenize(question), &[]).ok()?;
    let likely = readings::is_likely(context, units).ok()?;
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
    let examples = tables.iter().take(SHOWN_TABLES).filter_map(|table| example(context, *table));
    Some(examples.collect::<Vec<_>>().join(" "))
}

/// A question about a table that has an answer, as a command. It says names only, so one that was found
/// stands as long as the catalog.
fn example(context: &Context<'_>, table: TableId) -> Option<String> {
    let facts = Facts::of(&context.catalog);
    let find = || find_example(context, facts, table).ok_or(());
    // among other tables its words may mean something else
    let found = match context.scope.is_all() {
        true => facts.example(table).get_or_try_init(find).cloned(),
        false => find(),
    };
    found.ok()
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
