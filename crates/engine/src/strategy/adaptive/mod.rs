//! Strategy `adaptive`: one good prompt, then only what it takes.
//!
//! The first reply is tried out and looked at by checks that cost no call ([`checks`]). Where one
//! of them speaks, the model is asked a second time, with exactly that evidence; where none does,
//! the first query is the answer. `text2sql.effort` says how far this may go.

mod checks;
mod words;

use self::checks::Doubt;
use super::{vote, zero_shot};
use crate::chat::{Message, Request, Role};
use crate::context::Context;
use crate::error::Error;
use crate::guard::Checked;
use crate::prompt::reply::{self, SqlReply};
use crate::prompt::{data, fill};
use crate::refine::{Outcome, Trial, difference};
use crate::report::Step;
use crate::settings::Effort;

const FIRST: &str = "adaptive.sql";
const CHECK: &str = "adaptive.check";

/// Candidates at high effort.
const CANDIDATES: u32 = 3;

/// The confidence of a query that no check doubts, and what each thing that speaks against a
/// query leaves of it. Set by hand, not fitted: nothing but scripted models was at hand.
const UNDOUBTED: f32 = 0.9;
const OF_STANDING_DOUBT: f32 = 0.7;
const OF_MENDED: f32 = 0.85;
const OF_NOTHING_FOUND: f32 = 0.75;

/// The first request; its candidates differ by their sample alone.
pub fn first(context: &Context<'_>) -> Result<Request, Error> {
    zero_shot::request(context, FIRST)
}

/// Ask, look, and ask again where there is a reason to.
pub fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    let request = first(context)?;
    let (draft, agreement) = match context.settings().effort {
        Effort::High => elected(context, &request)?,
        Effort::Low | Effort::Medium => (single(context, &request)?, None),
    };
    let doubts = checks::doubts(context, &draft.trial)?;
    note_doubts(context, &draft.trial, &doubts);
    let settled = doubts.is_empty() || context.settings().effort == Effort::Low;
    let (trial, confidence) = match settled {
        true => (draft.trial, confidence(1.0, &doubts)),
        false => reconsidered(context, request, draft, &doubts)?,
    };
    let found = if trial.outcome >= Outcome::Stopped { 1.0 } else { OF_NOTHING_FOUND };
    let confidence = confidence * found * agreement.unwrap_or(1.0);
    if trial.checked.is_some() {
        context.set_confidence(confidence);
        refuse_below(context, confidence)?;
    }
    super::settle(context, trial)
}

/// A query that the model wrote, with the reply that it stands in.
struct Written {
    reply: String,
    trial: Trial,
}

fn single(context: &Context<'_>, request: &Request) -> Result<Written, Error> {
    let (reply, text) = context.ask("writing SQL", request, with_text)?;
    written(context, super::or_abstain(reply)?, text)
}

/// Several candidates, asked for at the same time, vote by their results.
fn elected(context: &Context<'_>, request: &Request) -> Result<(Written, Option<f32>), Error> {
    let requests: Vec<Request> =
        (0..CANDIDATES).map(|sample| Request { sample, ..request.clone() }).collect();
    let note = format!("writing SQL, {CANDIDATES} candidates");
    let replies = context.ask_all(FIRST, &note, &requests, |_, text| with_text(text))?;
    let total = replies.len() as f32;
    let (mut candidates, mut abstained) = (Vec::new(), None);
    for (reply, text) in replies {
        match super::or_abstain(reply) {
            Ok(sql) => candidates.push(written(context, sql, text)?),
            Err(error) => abstained = Some(error),
        }
    }
    let trials: Vec<Trial> = candidates.iter().map(|c| c.trial.clone()).collect();
    if let Some(error) = abstained.filter(|_| 2.0 * trials.len() as f32 <= total) {
        return Err(error);
    }
    let voters = trials.len() as f32;
    let (winner, agreement) = vote::by_result(context, "adaptive.vote", trials);
    let chosen = candidates.into_iter().find(|c| c.trial.sql == winner.sql);
    Ok((chosen.expect("the winner is a candidate"), Some(agreement * voters / total)))
}

fn with_text(text: &str) -> Result<(SqlReply, String), String> {
    reply::sql(text).map(|sql| (sql, text.to_owned()))
}

fn written(context: &Context<'_>, sql: String, reply: String) -> Result<Written, Error> {
    let trial = context.trial(&sql)?;
    step(context, "adaptive.trial", trial.verdict(), &sql);
    Ok(Written { reply, trial })
}

/// Ask again in the same conversation, with what the checks found; at most
/// `text2sql.max_refinements` times. Produces: the best trial, and how sure it is.
fn reconsidered(
    context: &Context<'_>,
    request: Request,
    draft: Written,
    doubts: &[Doubt],
) -> Result<(Trial, f32), Error> {
    let mut messages = request.messages;
    messages.push(Message::new(Role::Assistant, draft.reply));
    let (mut best, mut current) = (draft.trial.clone(), draft.trial);
    let mut standing = doubts.to_vec();
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
            // the model stands by it; where the query runs, a doubt was no more than that
            let stands = if current.is_fine() { 1.0 } else { OF_STANDING_DOUBT };
            return Ok((best, UNDOUBTED * kept * stands));
        }
        messages.push(Message::new(Role::Assistant, reply));
        let later = context.trial(&sql)?;
        step(context, "adaptive.trial", later.verdict(), &sql);
        let agrees = vote::same_result(&best, &later);
        kept = if agrees { 1.0 } else { OF_MENDED };
        standing = checks::doubts(context, &later)?;
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
