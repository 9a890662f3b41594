//! Strategies turn a question into checked SQL. They combine the stages of the engine and own none
//! of them.

mod adaptive;
mod again;
mod builtin;
mod clarify;
mod concealed;
mod converse;
pub mod gsr;
mod interactive;
mod logistic;
pub mod mag;
pub mod name;
mod vote;
mod zero_shot;

use crate::chat::Request;
use crate::context::Context;
use crate::error::Error;
use crate::guard::{Checked, draft};
use crate::prompt::one_line;
use crate::prompt::reply::SqlReply;
use crate::refine::{RunOutcome, Trial};
use crate::verified;

pub(crate) use builtin::{says_unit, told_unit};
use name::{AUTO, Strategy};

/// Answer with the strategy that the question or the settings name, unless somebody vouched for
/// the answer.
pub fn answer(context: &Context<'_>) -> Result<Checked, Error> {
    let strategy = chosen(context)?;
    context.engine.store.admit()?;
    if let Some(query) = verified::verified(context)? {
        return Ok(query);
    }
    concealed::refuse(context)?;
    context.set_strategy(strategy.name());
    if let Some(query) = context.again(strategy)? {
        return Ok(query);
    }
    match by(strategy, context) {
        Err(Error::Model { message, hint }) if asked(context) == AUTO => {
            fall_back(context, message, hint)
        }
        Err(error) => Err(out_of_time(context, error)),
        Ok(query) => {
            if strategy != Strategy::Builtin {
                context.tell_of_former()?;
            }
            Ok(query)
        }
    }
}

/// Answer without the model that failed, if the setting allows it. If `builtin` cannot answer
/// either, the error is the server's.
fn fall_back(context: &Context<'_>, message: String, hint: String) -> Result<Checked, Error> {
    if !context.settings().fallback {
        let on = context.database().dialect().set_command("fallback", "on");
        return Err(Error::Model { message, hint: format!("{hint} Or answer without it: {on}") });
    }
    context.set_strategy(Strategy::Builtin.name());
    let query = builtin::answer(context).map_err(|error| match error {
        Error::Cancelled => error,
        _ => Error::Model { message: message.clone(), hint },
    })?;
    let notice = format!("the model server failed and builtin answered: {message}");
    context.engine.store.notice(&notice);
    context.was_told(notice);
    Ok(query)
}

/// Make a refusal that may be due to lack of time say so.
fn out_of_time(context: &Context<'_>, error: Error) -> Error {
    match error {
        Error::NotUnderstood { reason, words, suggestion }
            if !words.is_empty() && context.values_out_of_time() =>
        {
            let ms = context.settings().value_search_timeout.as_millis();
            let index = context.database().dialect().index_values_command();
            let reason = format!(
                "{reason} The time to look for stored values ({ms} ms) was over before all were \
                 looked at; an index finds them: {index}"
            );
            Error::NotUnderstood { reason, words, suggestion }
        }
        other => other,
    }
}

fn by(strategy: Strategy, context: &Context<'_>) -> Result<Checked, Error> {
    match strategy {
        Strategy::Adaptive => adaptive::answer(context),
        Strategy::Builtin => builtin::answer(context),
        Strategy::Gsr => gsr::answer(context),
        Strategy::Mag => mag::answer(context),
        Strategy::Interactive => interactive::answer(context),
        Strategy::ZeroShot => zero_shot::answer(context),
    }
}

/// What the question's strategy would send first; empty if no model is asked.
pub fn first(context: &Context<'_>) -> Result<Vec<Request>, Error> {
    if verified::verified(context)?.is_some() {
        return Ok(Vec::new());
    }
    concealed::refuse(context)?;
    match chosen(context)? {
        Strategy::Adaptive => Ok(vec![adaptive::first(context)?]),
        Strategy::Builtin => Ok(Vec::new()),
        Strategy::Gsr => Ok(vec![gsr::first(context)?]),
        Strategy::Mag => mag::first(context),
        Strategy::Interactive => Ok(vec![interactive::first(context)?]),
        Strategy::ZeroShot => Ok(vec![zero_shot::first(context)?]),
    }
}

/// The statement, or an error with the model's reason for there being none.
fn or_abstain(context: &Context<'_>, reply: SqlReply) -> Result<String, Error> {
    match reply {
        SqlReply::Sql(sql) => declined(context, &sql).map_or(Ok(sql), Err),
        SqlReply::CannotAnswer(reason) => {
            Err(no_answer(format!("The model says: {}", one_line(&reason, 400))))
        }
    }
}

/// The error of a query that only says that it finds nothing, as `WHERE false` does: a model that
/// writes it does not answer.
fn declined(context: &Context<'_>, sql: &str) -> Option<Error> {
    let nothing = draft::shape::finds_nothing(context.database().dialect(), sql);
    let reason = || "The model wrote a query that finds nothing by its own words.".to_owned();
    nothing.then(|| no_answer(reason()))
}

fn no_answer(reason: String) -> Error {
    Error::NotUnderstood { reason, words: Vec::new(), suggestion: None }
}

/// The answer from a trial, with a warning if it did not fare well.
fn settle(context: &Context<'_>, trial: Trial) -> Result<Checked, Error> {
    match trial.outcome {
        RunOutcome::Empty => context.warn_of_rows("the query returns no rows"),
        RunOutcome::AllNull => context.warn_of_rows("a column of the result holds only NULL"),
        RunOutcome::Stopped => context.warn_of_rows("the query ran into a limit when it was tried"),
        RunOutcome::Rows | RunOutcome::Failed => {}
    }
    trial.into_checked()
}

/// For a step that only adds knowledge: an unreadable reply is a warning, not a failure.
fn bearable<T>(
    context: &Context<'_>,
    what: &str,
    result: Result<T, Error>,
) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Error::UnusableReply { message, .. }) => {
            context.warn(format!("{what} gave nothing: {message}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// For a repair that failed, through an unreadable reply or a spent budget: a query that runs is
/// kept, with a warning.
fn or_stand<T>(
    context: &Context<'_>,
    best: &Trial,
    result: Result<T, Error>,
) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error @ (Error::UnusableReply { .. } | Error::BudgetExhausted { .. }))
            if best.checked.is_some() =>
        {
            context.warn(format!("{error}; the query before it stands"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The strategy that the question or the settings name.
fn asked<'a>(context: &'a Context<'_>) -> &'a str {
    context.question.strategy.as_deref().unwrap_or(&context.settings().strategy)
}

/// The strategy asked for; `auto` is adaptive with a model, else builtin.
fn chosen(context: &Context<'_>) -> Result<Strategy, Error> {
    let asked = asked(context);
    if asked == AUTO {
        let model = context.engine.model.is_some();
        return Ok(if model { Strategy::Adaptive } else { Strategy::Builtin });
    }
    Strategy::named(asked).ok_or_else(|| Error::UnknownName {
        what: "strategy",
        given: asked.to_owned(),
        known: Strategy::names().map(str::to_owned).collect(),
    })
}
