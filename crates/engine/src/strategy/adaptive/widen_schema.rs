//! A second look before a question is declined: tables that the first prompt did not show, found by
//! what the model says it misses and by the keys of those that it saw.

use std::collections::BTreeSet;

use super::model_reply::{Dialogue, ModelReply};
use crate::catalog::TableId;
use crate::context::Context;
use crate::error::Error;
use crate::evidence::Ranking;
use crate::link::Ranker;
use crate::prompt::{data, fill, schema};

const STEP: &str = "adaptive.wider";
/// Tables that are shown at most.
const TABLES: usize = 12;

/// Ask again with tables that may hold what the model misses, if there are any.
///
/// Produces: the later reply, or the first where there is nothing more to show.
pub(super) fn look(
    context: &Context<'_>,
    dialogue: &mut Dialogue,
    reply: ModelReply,
) -> Result<ModelReply, Error> {
    let Some(missing) = reply.misses(context) else { return Ok(reply) };
    let schema = not_shown(context, &missing)?;
    if schema.is_empty() {
        return Ok(reply);
    }
    dialogue.replied(&reply.text);
    let prompt = fill(include_str!("../../prompt/adaptive_wider.md"), &[("schema", &schema)]);
    let note = (STEP, "looking for what the model misses");
    match dialogue.ask(context, note, prompt, ModelReply::read) {
        Ok(later) => Ok(later),
        Err(error @ (Error::UnusableReply { .. } | Error::BudgetExhausted { .. })) => {
            context.warn(format!("{error}; the reply before it stands"));
            Ok(reply)
        }
        Err(error) => Err(error),
    }
}

/// The tables that the first prompt did not show and that fit what is missed, as data; empty
/// without any.
pub(super) fn not_shown(context: &Context<'_>, missing: &str) -> Result<String, Error> {
    let shown: BTreeSet<TableId> = schema::shown_tables(context)?.into_iter().collect();
    let joins = context.catalog.joins();
    let fresh = |table: &TableId| context.scope.contains(*table) && !shown.contains(table);
    let near: BTreeSet<TableId> =
        shown.iter().flat_map(|&table| joins.joined(table)).filter(fresh).collect();
    let sought = if missing.is_empty() { &*context.question.text } else { missing };
    let ranker = Ranker::LexicalAndVectors;
    let ranking = Ranking::new(&context.catalog, &context.scope, ranker, sought);
    let ranked: Vec<TableId> = ranking.table_ids().iter().copied().filter(fresh).collect();
    // what belongs to the shown tables first
    let (mut tables, others): (Vec<TableId>, Vec<TableId>) =
        ranked.into_iter().partition(|table| near.contains(table));
    tables.extend(others);
    tables.extend(near.iter().filter(|table| !tables.contains(table)).copied().collect::<Vec<_>>());
    tables.truncate(TABLES);
    if tables.is_empty() {
        return Ok(String::new());
    }
    Ok(data("schema", &schema::also(context, &tables, &ranking)?))
}
