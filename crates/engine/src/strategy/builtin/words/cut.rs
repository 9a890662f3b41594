//! A question cut into units: by the best segmentation, and again in other words where some of its
//! words fit nothing.

use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::facts::Facts;

use super::calendar::{self, Day};
use super::definitions::Definition;
use super::evidence::{Finder, Unit, UnitKind};
use super::rewording::{REWORDINGS, reword};
use super::tokens::Token;

/// Most words of a question that are read: each pass goes over all of them, some over all pairs.
const MOST_WORDS: usize = 500;

/// Cut a question into units.
///
/// Requires: tokens of one question. Produces: units that cover all tokens in order.
pub fn units(
    context: &Context<'_>,
    question: &str,
    tokens: &[Token],
    definitions: &[Definition],
) -> Result<Vec<Unit>, Error> {
    let (what, length, unit, limit) = ("question", tokens.len(), "words", MOST_WORDS);
    if length > limit {
        return Err(Error::TooLong { what, length, unit, limit });
    }
    let mut tokens = tokens.to_vec();
    let mut units = cut(context, question, &tokens, definitions)?;
    let unknown = |units: &[Unit]| units.iter().filter(|u| u.kind == UnitKind::Unknown).count();
    for rewording in REWORDINGS {
        let names = context.catalog.lexical();
        let Some(other) = reword(&tokens, &units, names, rewording) else { continue };
        let again = cut(context, question, &other, definitions)?;
        if unknown(&again) < unknown(&units) {
            (tokens, units) = (other, again);
        }
    }
    Ok(units)
}

fn cut(
    context: &Context<'_>,
    question: &str,
    tokens: &[Token],
    definitions: &[Definition],
) -> Result<Vec<Unit>, Error> {
    let mut finder = Finder {
        catalog: &context.catalog,
        facts: Facts::of(&context.catalog),
        scope: &context.scope,
        index: context.catalog.lexical(),
        named: &context.named,
        question,
        tokens,
        matches: Vec::new(),
        values: Vec::new(),
        alike: Vec::new(),
        defined: Vec::new(),
        today: None,
    };
    if calendar::is_relative(tokens) {
        finder.today = Day::parse(&context.database().today()?);
    }
    finder.matches = tokens.iter().map(|t| finder.word_matches(t)).collect();
    finder.values = finder.stored_values(context)?;
    finder.add_synonyms();
    finder.defined = definitions.iter().flat_map(|d| finder.said(d)).collect();
    Ok(finder.segment())
}
