//! The way of a question: question → link → generate → guard → execute → refine → answer.
//!
//! A strategy owns the middle; it composes the stages of [`crate::link`], [`crate::guard`] and
//! [`crate::execute`]. What it returns has passed the guard.

use crate::answer::Answer;
use crate::chat::Request;
use crate::context::Context;
use crate::engine::{Engine, Question};
use crate::error::{Error, QueryError};
use crate::guard::Checked;
use crate::report::Report;
use crate::settings::Limits;
use crate::strategy;

/// Turn a question into SQL that the guard let through. The answer itself is not run; a
/// strategy may run candidates read-only to judge them.
pub fn text2sql(engine: &Engine<'_>, question: &Question) -> Result<Answer, Error> {
    let context = Context::open(engine, question)?;
    match strategy::answer(&context) {
        Ok(query) => Ok(context.finish(query)),
        Err(error) => {
            context.fail(&error);
            Err(error)
        }
    }
}

/// Turn a question into SQL and run it under the limits of an answer. `run` executes the checked
/// query and keeps the rows in the form that its caller hands on.
pub fn ask<R>(
    engine: &Engine<'_>,
    question: &Question,
    run: impl FnOnce(&Checked, &Limits) -> Result<R, QueryError>,
) -> Result<(Answer, R), Error> {
    let answer = text2sql(engine, question)?;
    let rows = run(&answer.query, &engine.settings.answer_limits())?;
    Ok((answer, rows))
}

/// What would be sent to the model first, byte for byte, without sending it. Empty for a
/// strategy that asks no model.
pub fn preview(engine: &Engine<'_>, question: &Question) -> Result<Vec<Request>, Error> {
    let context = Context::open(engine, question)?;
    context.phrases.send_nothing();
    let requests = strategy::first(&context)?;
    // where columns are ranked by vectors, the prompt depends on what comes back
    Ok(context.phrases.unsent().map_or(requests, |request| vec![request]))
}

/// One sentence a table about what it holds, for the named tables or all in scope; asked for
/// where there is none for the table's present columns, and stored.
///
/// Produces: pairs of table and sentence, and how many of them are new.
pub fn summarize_tables(
    engine: &Engine<'_>,
    tables: Option<Vec<String>>,
) -> Result<(Vec<(String, String)>, usize), Error> {
    let text = "What does each table hold?".to_owned();
    let question = Question { text, tables, ..Question::default() };
    let context = Context::open(engine, &question)?;
    let ids = context.scope.tables(&context.catalog);
    let (summaries, new) = strategy::mag::summarize(&context, &ids)?;
    let named = summaries.into_iter().map(|(t, s)| (context.catalog.table_label(t), s));
    Ok((named.collect(), new))
}

/// The report of a question, also when it could not be answered: then it holds the error.
/// Only a cancelled question has none.
pub fn explain(engine: &Engine<'_>, question: &Question) -> Result<Report, Error> {
    let context = Context::open(engine, question)?;
    match strategy::answer(&context) {
        Ok(query) => Ok(context.finish(query).report),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) => Ok(context.fail(&error)),
    }
}
