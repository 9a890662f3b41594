//! Several readings of one question: each is run, and what its query and the model make likely
//! decides; if that does not, the model sees the results; only then is the asker asked.

use super::evidence::accounted_for;
use super::model_reply::{Dialogue, ModelReply, Replied};
use super::written::{Written, try_doubtful};
use super::{checks, widen_schema};
use crate::context::Context;
use crate::error::Error;
use crate::prompt::reply::{Reading, SqlReply, Sureness};
use crate::prompt::{data, fill, one_line};
use crate::refine::DryRun;
use crate::settings::{Ambiguity, Effort};
use crate::strategy::clarify::{self, Way};
use crate::strategy::vote;

const STEP: &str = "adaptive.decide";
/// Characters of the sentence that says how a question is read.
const SENTENCE_CHARACTERS: usize = 200;
/// How many times as likely as the next a reading must be to be answered without asking back.
const CLEARLY: f32 = 1.5;
/// The weight of the first reading beside the others, where the model gives no figures.
const FIRST_OF_EQUALS: f32 = 1.2;
/// How much more the model's judgement weighs than how much of the question a query accounts for:
/// that tips a balance.
const ACCOUNTED_FOR: f32 = 2.0;

/// The reading that is answered.
///
/// Errors: [`Error::Ambiguous`] if the asker has to choose.
pub(super) fn choose(
    context: &Context<'_>,
    mut dialogue: Dialogue,
    readings: &[Reading],
) -> Result<Written, Error> {
    let mut ways = ways(context, readings)?;
    let settings = context.settings();
    let asks = settings.ambiguity == Ambiguity::Ask && settings.effort != Effort::Low;
    let mut margin = CLEARLY;
    let mut sureness = None;
    let asked = asks && clarify::undecided(&ways, Some(margin));
    if let Some((sql, own)) =
        asked.then(|| decide(context, &mut dialogue, &ways)).transpose()?.flatten()
    {
        let dry_run = try_doubtful(context, &sql)?;
        let place = ways.iter().position(|way| vote::same_result(&way.dry_run, &dry_run));
        let Some(place) = place else { return written(context, dialogue, dry_run, 1.0) };
        ways[..=place].rotate_right(1);
        (margin, sureness) = (0.0, own);
    }
    clarify::settle(context, &ways, Some(margin))?;
    let score = ways.first().map_or(1.0, |way| way.score);
    let mut dry_runs = ways.into_iter().map(|way| way.dry_run);
    let first = dry_runs.next().expect("several");
    let dry_run =
        if first.checked.is_some() { first } else { dry_runs.fold(first, DryRun::or_later) };
    Ok(Written { sureness, ..written(context, dialogue, dry_run, score)? })
}

/// Each reading tried out, the likeliest first: what the model finds likely, more where its query
/// accounts for more of the question's words.
fn ways(context: &Context<'_>, readings: &[Reading]) -> Result<Vec<Way>, Error> {
    let given = context.question.hint.as_deref().unwrap_or_default().trim();
    let readings = &readings[..readings.len().min(clarify::MAX_READINGS)];
    let mut ways = Vec::new();
    // without figures the model's order counts, but decides nothing
    let mut equal = FIRST_OF_EQUALS;
    for reading in readings {
        let sentence = one_line(&reading.sentence, SENTENCE_CHARACTERS);
        let hint = format!("{given} {sentence}").trim().to_owned();
        let dry_run = try_doubtful(context, &reading.sql)?;
        let named = context.draft(&dry_run.sql);
        let likely = reading.likely.unwrap_or(equal);
        let score = likely * (ACCOUNTED_FOR + accounted_for(context, &named));
        equal = 1.0;
        ways.push(Way { sentence, hint, score, dry_run });
    }
    let total: f32 = ways.iter().map(|way| way.score).sum();
    ways.iter_mut().for_each(|way| way.score /= total.max(f32::MIN_POSITIVE));
    ways.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(ways)
}

/// Show the model the readings' results, and tables that it has not seen: its query, if it decides
/// now, and how sure it is.
fn decide(
    context: &Context<'_>,
    dialogue: &mut Dialogue,
    ways: &[Way],
) -> Result<Option<(String, Option<Sureness>)>, Error> {
    let result = |way: &Way| format!("{}\n{}", data("reading", &way.sentence), way.dry_run.text());
    let results: Vec<String> = ways.iter().map(result).collect();
    let sentences: Vec<&str> = ways.iter().map(|way| way.sentence.as_str()).collect();
    let values = [
        ("results", &*results.join("\n")),
        ("schema", &*widen_schema::not_shown(context, &sentences.join(" "))?),
    ];
    let prompt = fill(include_str!("../../prompt/adaptive_decide.md"), &values);
    let reply =
        match dialogue.ask(context, (STEP, "whether the results decide"), prompt, ModelReply::read)
        {
            Ok(reply) => reply,
            Err(Error::UnusableReply { .. } | Error::BudgetExhausted { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
    dialogue.replied(&reply.text);
    Ok(match reply.replied {
        Replied::One(SqlReply::Sql(sql)) => Some((sql, reply.sureness)),
        Replied::One(SqlReply::CannotAnswer(_)) | Replied::Several(_) => None,
    })
}

/// A reading's query with what speaks against it.
fn written(
    context: &Context<'_>,
    dialogue: Dialogue,
    dry_run: DryRun,
    agreement: f32,
) -> Result<Written, Error> {
    let objections = checks::Text::of(context, &dry_run.sql)?.with_result(context, &dry_run)?;
    Ok(Written { agreement, ..Written::new(dialogue, dry_run, objections, None) })
}
