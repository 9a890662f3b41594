//! Strategy `adaptive`: one good prompt, then only what is needed.
//!
//! The first reply is tried out and checked without a call (`checks`). If a check objects, the
//! model is asked again with exactly that evidence; if none does, the first query is the answer.
//! `text2sql.effort` says how far this may go.

mod checks;
mod requirements;

use self::checks::Doubt;
use super::clarify::{self, Way};
use super::{vote, zero_shot};
use crate::chat::{Message, Request, Role};
use crate::context::Context;
use crate::error::Error;
use crate::guard::Checked;
use crate::prompt::reply::{self, SqlReply};
use crate::prompt::{data, fill, one_line};
use crate::refine::{Outcome, Trial, difference};
use crate::report::Step;
use crate::settings::Effort;

const FIRST: &str = "adaptive.sql";
const CHECK: &str = "adaptive.check";

/// Characters of the sentence that says how a question is read.
const SENTENCE_CHARACTERS: usize = 200;
/// Candidates at high effort.
const CANDIDATES: u32 = 3;

/// The confidence of a query without objections, and the factor for each kind of objection. Set by
/// hand, not fitted.
const UNDOUBTED: f32 = 0.9;
const OF_STANDING_DOUBT: f32 = 0.7;
const OF_MENDED: f32 = 0.85;
const OF_NOTHING_FOUND: f32 = 0.75;

/// The first request: the plain prompt, and how to say that the asker must decide. Candidates
/// differ only by their sample number.
pub fn first(context: &Context<'_>) -> Result<Request, Error> {
    let mut request = zero_shot::request(context, FIRST)?;
    if let Some(last) = request.messages.last_mut() {
        last.content += "\n\n";
        last.content += include_str!("../../prompt/adaptive_readings.md").trim_end();
    }
    Ok(request)
}

/// Ask, check, and ask again if there is a reason.
pub fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    let request = first(context)?;
    let (draft, agreement) = match context.settings().effort {
        Effort::High => elected(context, &request)?,
        Effort::Low | Effort::Medium => (single(context, &request)?, None),
    };
    let settled = draft.doubts.is_empty() || context.settings().effort == Effort::Low;
    let (trial, confidence) = match settled {
        true => (draft.trial, confidence(1.0, &draft.doubts)),
        false => reconsidered(context, request, draft)?,
    };
    let found = if trial.outcome >= Outcome::Stopped { 1.0 } else { OF_NOTHING_FOUND };
    let confidence = confidence * found * agreement.unwrap_or(1.0);
    if trial.checked.is_some() {
        context.set_confidence(confidence);
        refuse_below(context, confidence)?;
    }
    super::settle(context, trial)
}

/// A query from the model, with its reply and the objections to it.
struct Written {
    reply: String,
    trial: Trial,
    doubts: Vec<Doubt>,
}

fn single(context: &Context<'_>, request: &Request) -> Result<Written, Error> {
    let (replies, text) = context.ask("writing SQL", request, with_text)?;
    let (trial, doubts) = match replies {
        Replied::One(reply) => tried(context, &super::or_abstain(context, reply)?)?,
        Replied::Several(readings) => likeliest(context, readings)?,
    };
    note_doubts(context, &trial, &doubts);
    Ok(Written { reply: text, trial, doubts })
}

/// The first of several readings, if the asker need not choose.
fn likeliest(
    context: &Context<'_>,
    readings: Vec<(String, String)>,
) -> Result<(Trial, Vec<Doubt>), Error> {
    let given = context.question.hint.as_deref().unwrap_or_default().trim();
    let score = 1.0 / readings.len() as f32;
    let way = |(sentence, sql): (String, String)| {
        let sentence = one_line(&sentence, SENTENCE_CHARACTERS);
        let hint = format!("{given} {sentence}").trim().to_owned();
        Ok(Way { sentence, hint, score, trial: candidate(context, &sql)? })
    };
    let ways =
        readings.into_iter().take(clarify::MOST).map(way).collect::<Result<Vec<_>, Error>>()?;
    clarify::settle(context, &ways)?;
    let mut trials = ways.into_iter().map(|way| way.trial);
    let first = trials.next().expect("several");
    let trial = if first.checked.is_some() { first } else { trials.fold(first, Trial::or_later) };
    let doubts = checks::Text::of(context, &trial.sql)?.with_result(context, &trial)?;
    Ok((trial, doubts))
}

/// Several candidates, requested at the same time, vote by their results.
fn elected(context: &Context<'_>, request: &Request) -> Result<(Written, Option<f32>), Error> {
    let requests: Vec<Request> =
        (0..CANDIDATES).map(|sample| Request { sample, ..request.clone() }).collect();
    let note = format!("writing SQL, {CANDIDATES} candidates");
    let replies = context.ask_all(FIRST, &note, &requests, |_, text| with_text(text))?;
    let total = replies.len() as f32;
    let (mut candidates, mut abstained) = (Vec::new(), None);
    for (reply, text) in replies {
        match super::or_abstain(context, reply.likeliest()) {
            Ok(sql) => candidates.push((candidate(context, &sql)?, text)),
            Err(error) => abstained = Some(error),
        }
    }
    let trials: Vec<Trial> = candidates.iter().map(|(trial, _)| trial.clone()).collect();
    if let Some(error) = abstained.filter(|_| 2.0 * trials.len() as f32 <= total) {
        return Err(error);
    }
    let voters = trials.len() as f32;
    let (winner, agreement) = vote::by_result(context, "adaptive.vote", trials);
    let chosen = candidates.into_iter().find(|(trial, _)| trial.sql == winner.sql);
    let (_, reply) = chosen.expect("the winner is a candidate");
    let doubts = checks::Text::of(context, &winner.sql)?.with_result(context, &winner)?;
    note_doubts(context, &winner, &doubts);
    Ok((Written { reply, trial: winner, doubts }, Some(agreement * voters / total)))
}

/// What the first prompt may get.
enum Replied {
    One(SqlReply),
    /// Readings, each a sentence and its query.
    Several(Vec<(String, String)>),
}

impl Replied {
    /// When candidates vote, they also decide between readings.
    fn likeliest(self) -> SqlReply {
        match self {
            Self::One(reply) => reply,
            Self::Several(mut readings) => SqlReply::Sql(readings.swap_remove(0).1),
        }
    }
}

fn with_text(text: &str) -> Result<(Replied, String), String> {
    let replied = match reply::readings(text)? {
        Some(readings) => Replied::Several(readings),
        None => Replied::One(reply::sql(text)?),
    };
    Ok((replied, text.to_owned()))
}

/// Try one of several candidates; objections count only if it is elected.
fn candidate(context: &Context<'_>, sql: &str) -> Result<Trial, Error> {
    let trial = context.trial(sql)?;
    step(context, "adaptive.trial", trial.verdict(), sql);
    Ok(trial)
}

/// Check a query and try it: under the limits of an answer if its text raises no objection and rows
/// are wanted.
fn tried(context: &Context<'_>, sql: &str) -> Result<(Trial, Vec<Doubt>), Error> {
    let mut text = checks::Text::default();
    let trial = context.trial_at(sql, |query| {
        text = checks::Text::of(context, query.sql())?;
        Ok(text.stake())
    })?;
    step(context, "adaptive.trial", trial.verdict(), sql);
    let doubts = text.with_result(context, &trial)?;
    Ok((trial, doubts))
}

/// Ask again in the same conversation, with what the checks found; at most
/// `text2sql.max_refinements` times. Produces: the best trial, and how sure it is.
fn reconsidered(
    context: &Context<'_>,
    request: Request,
    draft: Written,
) -> Result<(Trial, f32), Error> {
    let mut messages = request.messages;
    messages.push(Message::new(Role::Assistant, draft.reply));
    let (mut best, mut current) = (draft.trial.clone(), draft.trial);
    let mut standing = draft.doubts;
    let mut kept = 1.0;
    for _ in 0..context.settings().max_refinements.max(1) {
        let stable_prefix = messages.len();
        messages.push(Message::new(Role::User, prompt(&current, &standing)));
        let request = Request {
            step: CHECK.to_owned(),
            messages: messages.clone(),
            stable_prefix,
            ..Request::default()
        };
        let asked = context.ask("looking into what the checks found", &request, |text| {
            reply::statement(text).map(|sql| (sql, text.to_owned()))
        });
        let Some((sql, reply)) = super::or_stand(context, &best, asked)? else { break };
        step(context, CHECK, difference(context, &current.sql, &sql), &sql);
        if reply::squeezed(&sql) == reply::squeezed(&current.sql) {
            // the model insists; if the query runs, the objection was only a doubt
            let stands = if current.is_fine() { 1.0 } else { OF_STANDING_DOUBT };
            return Ok((best, UNDOUBTED * kept * stands));
        }
        messages.push(Message::new(Role::Assistant, reply));
        let (later, doubts) = tried(context, &sql)?;
        let agrees = vote::same_result(&best, &later);
        kept = if agrees { 1.0 } else { OF_MENDED };
        standing = doubts;
        note_doubts(context, &later, &standing);
        current = later.clone();
        best = best.or_later(later);
        if agrees || standing.is_empty() {
            break;
        }
    }
    Ok((best, confidence(kept, &standing)))
}

fn confidence(kept: f32, doubts: &[Doubt]) -> f32 {
    UNDOUBTED * kept * OF_STANDING_DOUBT.powi(doubts.len().min(3) as i32)
}

fn prompt(trial: &Trial, doubts: &[Doubt]) -> String {
    let notes: Vec<String> = doubts.iter().map(|doubt| format!("- {}", doubt.evidence)).collect();
    let values = [("result", &*trial.observation), ("notes", &data("notes", &notes.join("\n")))];
    fill(include_str!("../../prompt/adaptive_check.md"), &values)
}

fn refuse_below(context: &Context<'_>, confidence: f32) -> Result<(), Error> {
    let least = context.settings().min_confidence;
    if f64::from(confidence) >= least {
        return Ok(());
    }
    Err(Error::NotUnderstood {
        reason: format!(
            "The query that was found is right with a confidence of {confidence:.2}, and \
             text2sql.min_confidence is {least}."
        ),
        words: Vec::new(),
        suggestion: None,
    })
}

fn note_doubts(context: &Context<'_>, trial: &Trial, doubts: &[Doubt]) {
    let note = match doubts {
        [] => "nothing speaks against it".to_owned(),
        some => some
            .iter()
            .map(|d| format!("{}: {}", d.check, d.evidence))
            .collect::<Vec<_>>()
            .join("; "),
    };
    step(context, "adaptive.checks", note, &trial.sql);
}

fn step(context: &Context<'_>, name: &str, note: String, sql: &str) {
    let sql = Some(sql.to_owned());
    context.step(Step { name: name.to_owned(), note, sql, ..Step::default() });
}
