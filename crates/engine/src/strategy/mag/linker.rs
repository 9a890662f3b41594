//! The soft schema linker: table summaries, matched values, entities with their columns, and
//! the schema in which those columns have their details (MAG-SQL, section 3.1).

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{ColumnId, TableId};
use crate::chat::Request;
use crate::context::Context;
use crate::error::Error;
use crate::link::{Ranker, search};
use crate::prompt::mag::{self as prompt, Entity, SoftSchema};
use crate::report::{Link, Step};

/// Tables summarized in one request.
const BATCH: usize = 20;
/// Best-ranked columns that stand in for those that no entity has.
const RANKED: usize = 24;

/// Columns found for the words of an entity.
const SEARCHED: usize = 3;

/// Summaries by table.
pub type Summaries = BTreeMap<TableId, String>;

/// Stored summaries of these tables, and the tables that have none for their present form.
pub fn stored(
    context: &Context<'_>,
    tables: &[TableId],
) -> Result<(Summaries, Vec<TableId>), Error> {
    let mut found = Summaries::new();
    let mut missing = Vec::new();
    for &table in tables {
        let fingerprint = context.catalog.table(table).fingerprint();
        match context.engine.store.stored_summary(table, fingerprint)? {
            Some(summary) => {
                found.insert(table, summary);
            }
            None => missing.push(table),
        }
    }
    Ok((found, missing))
}

/// The requests that summarize tables, with the tables of each.
pub fn requests(
    context: &Context<'_>,
    tables: &[TableId],
) -> Result<Vec<(Request, Vec<TableId>)>, Error> {
    let batches = tables.chunks(BATCH);
    batches.map(|batch| Ok((prompt::summaries(context, batch)?, batch.to_vec()))).collect()
}

/// Keep fresh summaries for later questions.
pub fn store(context: &Context<'_>, fresh: &Summaries) -> Result<(), Error> {
    for (&table, summary) in fresh {
        let fingerprint = context.catalog.table(table).fingerprint();
        context.engine.store.store_summary(table, fingerprint, summary)?;
    }
    Ok(())
}

/// Columns that do not exist are reported; an entity of which none is left gets those that its
/// words find. One that was given no columns stays without: no column holds it.
pub fn completed(context: &Context<'_>, mut entities: Vec<Entity>) -> Result<Vec<Entity>, Error> {
    let lost = |e: &&Entity| e.columns.is_empty() && !e.invented.is_empty();
    let words: Vec<String> = entities.iter().filter(lost).map(|e| e.words.clone()).collect();
    context.phrases().ask(&words)?;
    for entity in &mut entities {
        if !entity.invented.is_empty() {
            let names = entity.invented.join(", ");
            context.warn(format!("linking named columns that do not exist: {names}"));
        }
        if lost(&&*entity) {
            entity.columns = searched(context, &entity.words)?;
        }
        for (rank, &column) in entity.columns.iter().enumerate() {
            context.link(Link {
                words: entity.words.clone(),
                kind: "column",
                target: context.column_sql(column),
                score: 1.0 / (rank + 1) as f32,
            });
        }
    }
    Ok(entities)
}

/// The columns that a phrase names.
fn searched(context: &Context<'_>, words: &str) -> Result<Vec<ColumnId>, Error> {
    let near = context.phrases().near(words)?;
    let allowed = |table| context.scope.contains(table);
    let ranker = Ranker::best(near.as_deref());
    let found = search::columns(
        &context.catalog,
        ranker,
        words,
        SEARCHED,
        context.ranking().table_ids(),
        allowed,
    );
    Ok(found.columns.into_iter().map(|s| s.item).collect())
}

fn ranked(context: &Context<'_>, words: &str) -> Result<Vec<ColumnId>, Error> {
    let near = context.phrases().near(words)?;
    let ranker = Ranker::best(near.as_deref());
    let ranked = context.catalog.lexical().columns(ranker, words, RANKED).into_iter();
    Ok(ranked.map(|s| s.item).filter(|c| context.scope.contains(c.table)).collect())
}

/// The soft schema: everything stays, the entities' columns have their details. Without
/// entities the best-ranked columns for the question take their place.
pub fn soft_schema(
    context: &Context<'_>,
    summaries: &Summaries,
    matched: String,
    entities: Option<Vec<Entity>>,
) -> Result<SoftSchema, Error> {
    let chosen: BTreeSet<ColumnId> = match &entities {
        Some(entities) => entities.iter().flat_map(|e| e.columns.iter().copied()).collect(),
        None => ranked(context, &context.focus())?.into_iter().collect(),
    };
    let names: Vec<String> = chosen.iter().map(|&c| context.column_sql(c)).collect();
    context.step(Step {
        name: "mag.soft_schema".to_owned(),
        note: format!("details of {}", names.join(", ")),
        ..Step::default()
    });
    Ok(SoftSchema { schema: prompt::soft_schema(context, &chosen, summaries)?, matched })
}
