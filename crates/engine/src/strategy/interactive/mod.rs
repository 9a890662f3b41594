//! Strategy `interactive`: Interactive-T2S. The model explores the database with four tools, round
//! after round, and the last query that it ran is the answer. `docs/strategies.md` says where this
//! departs from the paper.

mod observe;
mod session;

use self::session::Session;
use super::{endings, vote};
use crate::chat::Request;
use crate::context::{Context, Strategy};
use crate::error::Error;
use crate::guard::Checked;
use crate::prompt::interactive::{self as prompt, Protocol};
use crate::tools::Toolbox;

/// The strategy.
pub struct Interactive;

impl Strategy for Interactive {
    fn name(&self) -> &'static str {
        "interactive"
    }

    fn first(&self, context: &Context<'_>) -> Result<Vec<Request>, Error> {
        Ok(vec![first(context)?])
    }

    fn answer(&self, context: &Context<'_>) -> Result<Checked, Error> {
        answer(context)
    }
}

/// The first request of each sample.
fn first(context: &Context<'_>) -> Result<Request, Error> {
    let protocol = match context.engine.model {
        Some(model) if model.native_tools() => Protocol::Native,
        _ => Protocol::Text,
    };
    prompt::opening(context, protocol)
}

/// Rounds of all samples side by side, then the vote.
fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    let model = context.model()?;
    let offered = model.native_tools();
    let tools = Toolbox::outward(context);
    let mut sessions = begin(context)?;
    let limit = match rounds(context, &tools, &mut sessions) {
        // the model has shown that it takes none
        Err(Error::Model { .. }) if offered && !model.native_tools() => {
            context.warn(format!(
                "model {} takes no tools; it was asked to write its actions as text",
                model.name()
            ));
            sessions = begin(context)?;
            rounds(context, &tools, &mut sessions)?
        }
        limit => limit?,
    };
    let mut candidates = Vec::new();
    for session in &mut sessions {
        let chosen = if session.finished { session.last.take() } else { session.best.take() };
        candidates.extend(chosen);
    }
    if candidates.is_empty() {
        return Err(limit.unwrap_or_else(|| no_query(&sessions)));
    }
    if let Some(limit) = limit {
        context.warn(format!("{limit}; the best query so far is the answer"));
    }
    let total = candidates.len();
    let (winner, agreement) = vote::by_result(context, "interactive.vote", candidates);
    if total > 1 {
        context.set_confidence(agreement);
    }
    match endings::declined(context, &winner.sql) {
        Some(error) => Err(error),
        None => endings::settle(context, winner),
    }
}

/// A conversation for each sample.
fn begin(context: &Context<'_>) -> Result<Vec<Session>, Error> {
    let opening = first(context)?;
    Ok((0..context.settings().samples).map(|sample| Session::new(&opening, sample)).collect())
}

/// Let every session act until it is finished or a limit is reached, which is returned.
fn rounds(
    context: &Context<'_>,
    tools: &Toolbox<'_>,
    sessions: &mut [Session],
) -> Result<Option<Error>, Error> {
    let max = context.settings().max_rounds;
    for round in 1..=max {
        let mut open: Vec<&mut Session> = sessions.iter_mut().filter(|s| !s.finished).collect();
        let Some(first) = open.first() else { return Ok(None) };
        let note = match first.last_action.as_str() {
            "" => format!("round {round}"),
            action => format!("round {round}, after {action}"),
        };
        let requests: Vec<Request> = open.iter().map(|s| s.request()).collect();
        let replies = match context.complete("interactive", &note, &requests) {
            Ok(replies) => replies,
            Err(limit @ Error::BudgetExhausted { .. }) => return Ok(Some(limit)),
            Err(error) => return Err(error),
        };
        for (session, reply) in open.iter_mut().zip(&replies) {
            session.step(context, tools, reply)?;
        }
    }
    if sessions.iter().all(|s| s.finished) {
        return Ok(None);
    }
    let limit = u64::from(max);
    Ok(Some(Error::BudgetExhausted { limit, unit: "rounds", setting: "max_rounds" }))
}

/// No sample ran a query.
fn no_query(sessions: &[Session]) -> Error {
    let last = sessions.iter().find_map(|s| s.failure.clone());
    let last = last.map(|f| format!(" The last one failed: {f}.")).unwrap_or_default();
    Error::NotUnderstood {
        reason: format!("The model ended without a query that runs.{last}"),
        words: Vec::new(),
        suggestion: None,
    }
}
