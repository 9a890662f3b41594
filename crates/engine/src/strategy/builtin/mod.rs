//! Strategy `builtin`: no model at all.
//!
//! `words` (tokens → evidence: spans with what they may mean) → `meaning` (one meaning each, the
//! ways to read) → `passes` (over the units: each adds the parts of the query form that it
//! understands, with the words that ask for them) → `form` (rewrites of the form, its tables and
//! joins, SQL) → run → answer or abstain. In the tradition of NaLIR (Li & Jagadish 2014), SODA
//! (Blunschi et al. 2012) and ATHENA (Saha et al. 2016): evidence first, one consistent
//! interpretation, a Steiner tree over the join graph, and no answer rather than a guess.

mod facts;
mod follow;
mod form;
mod meaning;
mod passes;
mod words;

pub(crate) use passes::measures::{says_unit, told_unit};

use crate::chat::Request;
use crate::context::{Context, Strategy};
use crate::dialect::Dialect;
use crate::error::{Error, QueryErrorKind};
use crate::guard::Checked;
use crate::language::other_than_english;
use crate::prompt::one_line;
use crate::report::{Account, Link, Step};
use crate::rows::Rows;

use form::query::{Condition, Operand, Query};
use meaning::choice;
use meaning::confidence;
use meaning::readings::{self, Candidate, Instead, Unanswered};
use meaning::resolve;
use meaning::suggestion;
use passes::{Reading, trade};
use words::{Day, Key, Term, Unit, UnitKind, cut, definitions, tokens};

/// A question as it was read.
struct Read {
    /// The likeliest way to read it.
    chosen: Candidate,
    /// The other ways, the best first.
    others: Vec<Candidate>,
    /// Terms that were taken to mean something though nobody defined them.
    assumed: Vec<Term>,
}

/// The strategy.
pub struct Builtin;

impl Strategy for Builtin {
    fn name(&self) -> &'static str {
        "builtin"
    }

    fn first(&self, _: &Context<'_>) -> Result<Vec<Request>, Error> {
        Ok(Vec::new())
    }

    fn answer(&self, context: &Context<'_>) -> Result<Checked, Error> {
        answer(context)
    }

    fn needs_model(&self) -> bool {
        false
    }

    fn builds_on_previous(&self, context: &Context<'_>, question: &str) -> Result<bool, Error> {
        follow::leans(context, question)
    }
}

/// Answer from the words of the question alone, or say which of them fit nothing.
fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    followed_or_alone(context).map_err(|why| refused(context, why))
}

/// The answer; of a question that leans on the one before, read together with it.
fn followed_or_alone(context: &Context<'_>) -> Result<Checked, Unanswered> {
    let asked = context.question.text.trim();
    if let Some(examples) = suggestion::help(context, asked) {
        let reason = "Ask about the data in the tables; the hint has examples.".to_owned();
        return Err(Unanswered::refused(reason, Vec::new(), Instead::Do(examples)));
    }
    let hint = context.question.hint.as_deref().unwrap_or_default();
    match follow::followed(context)? {
        Some(read) => settle(context, &read),
        None => settle(context, &read(context, asked, hint)?),
    }
}

/// A refusal with what would help: English, or a conversation.
fn refused(context: &Context<'_>, why: Unanswered) -> Error {
    let is_refusal =
        matches!(why, Unanswered::Refused { .. } | Unanswered::Failed(Error::NotUnderstood { .. }));
    match other_than_english(context.question.text.trim()).filter(|_| is_refusal) {
        Some(other) => Error::OtherLanguage {
            message: other.message,
            language: other.name,
            hint: context.database().dialect().configure_model_command(),
        },
        None => follow::advised(context, suggestion::told(context, why)),
    }
}

/// Read a question under a hint, in all ways that have SQL.
fn read(context: &Context<'_>, asked: &str, hint: &str) -> Result<Read, Unanswered> {
    let mut defined = definitions::split(hint);
    defined.extend_from_slice(&context.glossary);
    let assumed = trade::definitions(context, asked, &defined);
    defined.extend_from_slice(&assumed);
    let (text, definitions) = definitions::apply(context, asked, &defined);
    let tokens = tokens::tokenize(&text);
    let units = cut::units(context, &text, &tokens, &definitions)?;
    let first = units.iter().find(|u| u.kind != UnitKind::Filler);
    if let Some(change) = first.filter(|u| u.key() == Some(Key::Modify)) {
        let reason =
            format!("\"{}\" asks for a change, but only questions are answered.", change.text);
        let meanings = resolve::resolve(&context.catalog, &units);
        let instead = Instead::Ask(units, meanings, Vec::new());
        return Err(Unanswered::refused(reason, Vec::new(), instead));
    }
    let mut others = readings::ranked(context, units)?;
    Ok(Read { chosen: others.remove(0), others, assumed })
}

/// The answer of the best reading, where it is certain enough.
fn settle(context: &Context<'_>, read: &Read) -> Result<Checked, Unanswered> {
    let Read { chosen, others, assumed } = read;
    report(context, chosen, others);
    let Candidate { units, meanings, reading, sql, .. } = chosen;
    let Reading { query, roles, doubts, notes, .. } = reading;
    let unknown = readings::not_understood(units, roles);
    let refused = |reason| {
        let instead = Instead::Ask(units.clone(), meanings.clone(), roles.clone());
        Unanswered::refused(reason, unknown.clone(), instead)
    };
    let confidence = chosen.confidence();
    // nothing but another reading speaks against this one
    let open = doubts.is_empty() && unknown.is_empty();
    let chosen_anyway = open && choice::settles(context, read)?;
    if confidence < confidence::LEAST && !chosen_anyway {
        let rival = others.first().and_then(|other| Some(other.other.as_ref()?.difference()));
        let reason = match (doubts.first(), rival) {
            (Some(doubt), _) => doubt.clone(),
            (None, _) if !unknown.is_empty() => {
                "Some words of the question match nothing in the database.".to_owned()
            }
            (None, Some(rival)) => format!("The question can be read in two ways: {rival}?"),
            (None, None) => format!("The likely query is not certain enough: {sql}."),
        };
        return Err(refused(reason));
    }
    if let Some(reason) = unreadable_dates(context, query)? {
        return Err(refused(reason));
    }
    for (_, link) in links(context, chosen).iter().filter(|(unit, _)| unit.alike) {
        context.warn(format!("\"{}\" is read as {}", link.words, link.target));
    }
    notes.iter().for_each(|note| context.warn(note.clone()));
    tell_assumed(context, assumed);
    match context.try_out(sql) {
        Ok((checked, rows)) => {
            let none = rows.as_ref().is_some_and(|rows| found_nothing(query, rows));
            if none && confidence < confidence::LEAST_EMPTY && !may_be_none(query) {
                return Err(refused(format!("The likely query finds no rows: {sql}.")));
            }
            if rows.is_some_and(|rows| rows.is_empty()) {
                context.warn_of_rows("the query returns no rows");
            }
            Ok(checked)
        }
        // the reading is at fault where it is none
        Err(error) if error.kind == QueryErrorKind::Invalid => Err(refused(format!(
            "The reading of the question is not a valid query: {}.",
            error.message
        ))),
        Err(error) => Err(Unanswered::Failed(Error::Query(error))),
    }
}

/// Tell what terms were taken to mean though nobody defined them; the longest says it all.
fn tell_assumed(context: &Context<'_>, assumed: &[Term]) {
    for (term, meaning) in assumed {
        let says_it = |(other, same): &Term| {
            other.len() > term.len() && other.contains(term.as_str()) && same == meaning
        };
        if !assumed.iter().any(says_it) {
            context.warn(format!("\"{term}\" is read as {meaning}"));
        }
    }
}

/// No rows, or a count of none.
fn found_nothing(query: &Query, rows: &Rows) -> bool {
    let zero = |row: &Vec<Option<String>>| matches!(row.as_slice(), [Some(n)] if n == "0");
    let counted = query.aggregates() && query.group.is_empty();
    rows.is_empty() || counted && rows.rows.first().is_some_and(zero)
}

/// Whether all that is asked is that something is absent: often nothing is.
fn may_be_none(query: &Query) -> bool {
    let absent = |c: &Condition| match c {
        Condition::In { query: inner, negated, .. } => *negated && inner.filters.len() < 2,
        Condition::IsNull { negated, .. } => !negated,
        Condition::Compare(_, _, Operand::Formula(_)) => true,
        _ => false,
    };
    !query.filters.is_empty() && query.filters.iter().all(absent)
}

/// Tell of the chosen reading, and of the others.
fn report(context: &Context<'_>, chosen: &Candidate, others: &[Candidate]) {
    let Candidate { units, reading, sql, .. } = chosen;
    links(context, chosen).into_iter().for_each(|(_, link)| context.link(link));
    account(context, units, reading);
    context.set_confidence(chosen.confidence());
    let (note, sql) = (reading.doubts.join(" "), Some(sql.clone()));
    context.step(Step { name: "builtin.read".into(), note, sql, ..Step::default() });
    let why = if others.is_empty() { "no other reading fits" } else { "fits the words best" };
    for candidate in std::iter::once(chosen).chain(others) {
        context.interpretation(candidate.interpretation(why));
    }
}

/// Where dates are stored as text, in another form than `YYYY-MM-DD`: such text neither compares
/// nor can be cut to months.
fn unreadable_dates(context: &Context<'_>, query: &Query) -> Result<Option<String>, Error> {
    let typed = context.database().dialect() == Dialect::Postgres;
    for id in query.dates() {
        let column = context.catalog.column(id);
        if column.class.is_temporal() && typed {
            continue;
        }
        let statistics = context.database().statistics(id.table)?;
        let known = &statistics.columns[id.column as usize];
        let samples = known.common.iter().map(|(value, _)| value).chain(&known.min);
        let iso = |value: &&String| value.get(..10).is_some_and(|day| Day::parse(day).is_some());
        if let Some(other) = samples.filter(|v| !v.is_empty()).find(|v| !iso(v)) {
            let label = context.catalog.column_label(id);
            return Ok(Some(format!(
                "{label} holds dates as text, such as \"{}\"; only YYYY-MM-DD can be compared.",
                one_line(other, 40)
            )));
        }
    }
    Ok(None)
}

/// What the words of the units name.
fn links<'a>(context: &Context<'_>, chosen: &'a Candidate) -> Vec<(&'a Unit, Link)> {
    let Candidate { units, meanings, .. } = chosen;
    let named = |(i, unit): (usize, &'a Unit)| {
        let table = meanings.tables[i].filter(|table| meanings.named.contains(table));
        let stored = unit.values.first().filter(|_| unit.kind == UnitKind::Value);
        let (kind, target, score) = match (stored, table, meanings.columns[i]) {
            (Some(value), ..) => {
                let label = context.catalog.column_label(value.column);
                ("value", format!("{label} = '{}'", value.text), 1.0)
            }
            (_, Some(table), _) if unit.table_score() >= unit.column_score() => {
                ("table", context.catalog.table_label(table), unit.table_score())
            }
            (_, _, Some(column)) => {
                ("column", context.catalog.column_label(column), unit.column_score())
            }
            _ => return None,
        };
        Some((unit, Link { words: unit.text.clone(), kind, target, score }))
    };
    units.iter().enumerate().filter_map(named).collect()
}

/// What every word came to, and what was shown though nobody named it.
fn account(context: &Context<'_>, units: &[Unit], reading: &Reading) {
    let punctuation = |u: &Unit| matches!(u.kind, UnitKind::Comma | UnitKind::Stop);
    for (unit, role) in units.iter().zip(&reading.roles).filter(|(u, _)| !punctuation(u)) {
        context.account(Account { words: unit.text.clone(), role: role.name().to_owned() });
    }
    for column in reading.assumed.iter().chain(&reading.defaults) {
        let role = format!("default: {}", context.catalog.column_label(*column));
        context.account(Account { words: String::new(), role });
    }
}
