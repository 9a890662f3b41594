//! Follow-ups: "and by month?", "only Germany", "what about 2023?", "the top 5 of them".
//!
//! A question that leans on the one before ([`ellipsis`]) is read in one of two ways. Where words
//! can say it, the two make one question that stands alone, which is read like any other; that
//! reading counts only if its form is the former one with just the change that was asked for
//! ([`change`]), and if all ways to put the two together come to the same query. What no words of
//! one question say ("how many are there?") changes the form of the former answer itself. All
//! else is refused.

mod change;
mod ellipsis;
mod whole;

use crate::context::Context;
use crate::conversation::{self, Turn};
use crate::error::Error;
use crate::strategy_names::BUILTIN;
use crate::text::identifier_words;

use super::form::query::Query;
use super::meaning::confidence;
use super::meaning::readings::{self, Candidate, Instead, Unanswered, not_understood};
use super::{Read, read};

use change::{Change, change};
use ellipsis::{Ellipsis, Kind};

/// The question before, read again.
struct Former {
    /// As a question that stands alone.
    whole: String,
    /// Changes of its answer that no words of it say.
    then: Vec<String>,
    read: Read,
    /// The form of its answer without these changes.
    plain: Query,
}

/// The question read together with the one before, if it leans on it.
///
/// Errors: a refusal where the two cannot be read together with certainty.
pub fn followed(context: &Context<'_>) -> Result<Option<Read>, Unanswered> {
    let text = context.question.text.trim();
    let Some(turn) = context.previous() else { return Ok(None) };
    let Some(ellipsis) = ellipsis::read(context, text)? else { return Ok(None) };
    let former = Former::of(context, turn)?;
    // "which of them are red?", of a count
    if ellipsis.asks && ellipsis.kind == Kind::Condition && former.plain.aggregates() {
        return Err(unclear(context, turn, "It asks for things, and the answer was a figure."));
    }
    let hint = turn.hint_with(context.question.hint.as_deref());
    let (whole, mut new, change) = match together(context, &former, &ellipsis, &hint)? {
        Some((whole, read, change)) => (whole, read, Some(change)),
        None => (former.whole.clone(), former.read, None),
    };
    let mut then = former.then.clone();
    let keeps = |change| change == Change::Replaced || then.iter().all(|t| counts(context, t));
    if change.is_some_and(|change| !keeps(change)) {
        return Err(unclear(context, turn, "It may change the rows or only some of them."));
    }
    let of_its_own = ellipsis.shape(&former.plain, change.is_some());
    then.extend(of_its_own.then(|| text.to_owned()));
    // what "how many of them" says of them must be read too
    let unread = ellipsis.kind == Kind::Count && !ellipsis.rest.is_empty();
    if change.is_none() && (!of_its_own || unread) {
        return Err(unclear(context, turn, "What it changes is not certain."));
    }
    for said in &then {
        if !reshape(context, said, &mut new)? {
            return Err(unclear(context, turn, "Nothing says which rows these are."));
        }
    }
    // for the asker
    let more: String = then.iter().map(|more| format!(", and of that: \"{more}\"")).collect();
    let carried = format!("read as a follow-up: \"{whole}\"{more}");
    let after = turn.question.clone();
    context.follows(conversation::Reading { after, whole, then, carried });
    Ok(Some(new))
}

/// Whether a question leans on another.
pub fn leans(context: &Context<'_>, question: &str) -> Result<bool, Error> {
    Ok(ellipsis::read(context, question)?.is_some())
}

/// Whether a follow-up could be one, were there a conversation: the hint that keeps one, for a
/// question that was refused.
pub fn advised(context: &Context<'_>, error: Error) -> Error {
    let alone = context.previous().is_none() && !context.settings().follow_ups;
    let asked = context.question.text.trim();
    let connects = || ellipsis::connects(context, asked).unwrap_or(false);
    match error {
        Error::NotUnderstood { reason, words, .. } if alone && connects() => {
            let reason =
                format!("{reason} It seems to build on another question; this session keeps none.");
            let on = context.database().dialect().set_command("follow_ups", "on");
            Error::NotUnderstood { reason, words, suggestion: Some(on) }
        }
        other => other,
    }
}

impl Former {
    /// Read the question before anew.
    ///
    /// Errors: it was answered otherwise than by these words.
    fn of(context: &Context<'_>, turn: &Turn) -> Result<Self, Unanswered> {
        if turn.strategy != BUILTIN {
            let reason = format!(
                "The previous question was answered by {}; builtin can only follow up on its own answers.",
                turn.strategy
            );
            return Err(unclear(context, turn, &reason));
        }
        let (whole, then) = turn.whole();
        let mut again = read(context, whole, turn.hint.as_deref().unwrap_or_default())?;
        let (plain, sql) = (again.chosen.reading.query.clone(), again.chosen.sql.clone());
        for said in then {
            reshape(context, said, &mut again)?;
        }
        if again.chosen.sql != turn.sql {
            return Err(unclear(context, turn, "The question before is read otherwise by now."));
        }
        let chosen = &mut again.chosen;
        (chosen.reading.query, chosen.sql) = (plain.clone(), sql);
        Ok(Self { whole: whole.to_owned(), then: then.to_vec(), read: again, plain })
    }
}

impl Ellipsis {
    /// Whether it asks for a change of the answer that no words of one question say; `also`: it
    /// changes something else too.
    fn shape(&self, before: &Query, also: bool) -> bool {
        match self.kind {
            // a count of fewer is a count
            Kind::Count => !(also && change::only_counts(before)),
            Kind::Some(..) | Kind::Extreme => true,
            Kind::Order | Kind::Group | Kind::Condition => false,
        }
    }

    /// The changes that its words may ask for.
    fn changes(&self) -> &'static [Change] {
        match self.kind {
            Kind::Order => &[Change::Ordered],
            // "by card" is a condition
            Kind::Group => &[Change::Grouped, Change::Added],
            Kind::Count | Kind::Condition => &[Change::Added, Change::Replaced],
            Kind::Some(..) | Kind::Extreme => &[],
        }
    }
}

/// The question that the two make, as it is read, and what it changes; None where no words of one
/// question do, or where these come to different queries.
fn together(
    context: &Context<'_>,
    former: &Former,
    ellipsis: &Ellipsis,
    hint: &str,
) -> Result<Option<(String, Read, Change)>, Unanswered> {
    if ellipsis.rest.is_empty() || ellipsis.changes().is_empty() {
        return Ok(None);
    }
    let mut found: Option<(String, Read, Change)> = None;
    for whole in whole::questions(context, former, ellipsis)? {
        let Ok(read) = read(context, &whole, hint) else {
            context.engine.cancel.check()?;
            continue;
        };
        let chosen = &read.chosen;
        let change = change(&former.plain, &chosen.reading.query);
        let Some(change) = change.filter(|c| ellipsis.changes().contains(c) && is_sure(chosen))
        else {
            continue;
        };
        match &found {
            Some((_, other, _)) if other.chosen.sql != chosen.sql => return Ok(None),
            Some(_) => {}
            None => found = Some((whole, read, change)),
        }
    }
    Ok(found)
}

/// Whether nothing speaks against a reading.
fn is_sure(candidate: &Candidate) -> bool {
    let reading = &candidate.reading;
    candidate.confidence() >= confidence::LEAST
        && reading.doubts.is_empty()
        && !reading.unclear
        && not_understood(&candidate.units, &reading.roles).is_empty()
}

/// Whether a follow-up only counts, so that conditions may come after it too.
fn counts(context: &Context<'_>, said: &str) -> bool {
    matches!(ellipsis::read(context, said), Ok(Some(Ellipsis { kind: Kind::Count, .. })))
}

/// Change the form of an answer as a follow-up says; false where that is not possible.
fn reshape(context: &Context<'_>, said: &str, read: &mut Read) -> Result<bool, Unanswered> {
    let Some(ellipsis) = ellipsis::read(context, said)? else { return Ok(false) };
    let query = &read.chosen.reading.query;
    let changed = match ellipsis.kind {
        Kind::Count => change::counted(query),
        Kind::Some(most, direction) => change::some_of(query, most, direction),
        Kind::Extreme => extreme(context, query, &ellipsis.rest)?,
        _ => None,
    };
    let Some(query) = changed else { return Ok(false) };
    let refused = |reason| Unanswered::refused(reason, Vec::new(), Instead::Do(String::new()));
    let chosen = &mut read.chosen;
    chosen.reading.query = query;
    chosen.sql = readings::write(context, &chosen.reading).map_err(refused)?;
    read.others.clear();
    Ok(true)
}

/// A query ranked by what the words of a superlative say of the things that it lists.
fn extreme(context: &Context<'_>, query: &Query, rest: &str) -> Result<Option<Query>, Error> {
    let Some(shown) = query.select.first() else { return Ok(None) };
    let table = &context.catalog.table(shown.target.table()).name;
    let question = format!("Show the {rest} {}", identifier_words(table).join(" "));
    match read(context, &question, "") {
        Ok(read) if is_sure(&read.chosen) => Ok(change::ranked(query, &read.chosen.reading.query)),
        _ => context.engine.cancel.check().map(|()| None),
    }
}

fn unclear(context: &Context<'_>, turn: &Turn, why: &str) -> Unanswered {
    let reason =
        format!("Read as a follow-up to \"{}\", its meaning is uncertain. {why}", turn.question);
    let dialect = context.database().dialect();
    let anew = dialect.anew_command(context.question.text.trim());
    Unanswered::refused(reason, Vec::new(), Instead::Do(anew))
}
