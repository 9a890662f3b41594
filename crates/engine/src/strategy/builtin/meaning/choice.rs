//! Readings that the words fit equally, or of which none is likely enough: the asker's choice, by
//! hints under which this strategy reads the question so.

use std::rc::Rc;
use std::time::Duration;

use super::confidence::LEAST;
use super::readings::{Candidate, Other, Unanswered};
use crate::context::Context;
use crate::engine::{Engine, Question};
use crate::error::Error;
use crate::execute::RunMode;
use crate::link::Named;
use crate::settings::{Ambiguity, Settings};
use crate::strategy::builtin::{Read, followed_or_alone};
use crate::strategy::clarify::{self, Way};

/// Whether the likeliest reading is the answer although others, which the words fit as well, give
/// other results. Best first.
///
/// Errors: the asker has to choose.
pub fn settles(context: &Context<'_>, read: &Read) -> Result<bool, Error> {
    let Read { chosen: likeliest, others, .. } = read;
    let Some(rival) = others.first() else { return Ok(false) };
    let unlikely = likeliest.confidence() < LEAST;
    // a name of the likeliest reading means two columns equally, and this is the other
    let tied = likeliest.signs.get("rivals") > 0.0 && rival.signs.get("behind") == 0.0;
    // what is not likely enough is refused anyway
    let refuse = context.settings().ambiguity == Ambiguity::Refuse;
    if rival.other.is_none() || !(tied || unlikely && !refuse) {
        return Ok(false);
    }
    clarify::settle(context, &ways(context, read)?, None)
}

/// The likeliest readings, each by the hint that chooses it and with what the question is then
/// answered by; none where the likeliest itself cannot be chosen.
fn ways(context: &Context<'_>, read: &Read) -> Result<Vec<Way>, Error> {
    let candidates = || std::iter::once(&read.chosen).chain(&read.others);
    let given = context.question.hint.as_deref().unwrap_or_default().trim();
    let plain = candidates().find_map(|c| c.other.as_ref()?.hint_against());
    let close = |c: &&Candidate| c.confidence() >= read.chosen.confidence() / 2.0;
    let mut ways = Vec::new();
    for (place, candidate) in candidates().take(clarify::MAX_READINGS).filter(close).enumerate() {
        let chosen = candidate.other.as_ref().map(Other::hint).or_else(|| plain.clone());
        let hint = |chosen| if given.is_empty() { chosen } else { format!("{given}; {chosen}") };
        let Some(hint) = chosen.clone().map(hint) else { continue };
        let sql = match context.settings().ambiguity {
            // without a choice no hint is tried, which is asked under this setting
            Ambiguity::Refuse => Some(candidate.sql.clone()),
            Ambiguity::Ask | Ambiguity::Likeliest => hinted(context, &hint)?,
        };
        match sql {
            Some(sql) if place > 0 || sql == candidate.sql => {
                let sentence = format!("{}.", chosen.unwrap_or_default());
                let (score, mode) = (candidate.confidence(), RunMode::Doubtful);
                let dry_run = context.dry_run_at(&sql, |_| Ok(mode))?;
                ways.push(Way { sentence, hint, score, dry_run });
            }
            _ if place == 0 => return Ok(Vec::new()),
            _ => {}
        }
    }
    Ok(ways)
}

/// What the question is answered by under another hint, without asking back; None where it is not.
fn hinted(context: &Context<'_>, hint: &str) -> Result<Option<String>, Error> {
    let (ambiguity, dry_run_timeout) = (Ambiguity::Refuse, Duration::ZERO);
    let settings = Settings { ambiguity, dry_run_timeout, ..context.settings().clone() };
    let engine = Engine { settings: &settings, ..context.engine };
    let question = Question { hint: Some(hint.to_owned()), ..context.question.clone() };
    let opened = Context::open(&engine, &question).map_err(Unanswered::from);
    let answer = opened.and_then(|hinted| {
        hinted.memos.put(Rc::clone(context.memos.get_or_init(Rc::<Named>::default)));
        followed_or_alone(&hinted)
    });
    match answer {
        Ok(query) => Ok(Some(query.sql().to_owned())),
        Err(_) => context.engine.cancel.check().map(|()| None),
    }
}
