//! Value retrieval: stored text values that share a long substring with the question (MAG-SQL,
//! section 3.1.3). The database's index proposes, the longest common substring ranks; the data
//! is never scanned for a question.

use std::collections::BTreeSet;

use crate::context::Context;
use crate::error::Error;
use crate::link::Substrings;
use crate::ports::ValueHit;
use crate::prompt::samples;
use crate::prompt::schema::one_value;
use crate::report::Link;

/// Phrases looked for at once.
const PHRASES: usize = 20;
/// Values handed on, in all and of one column.
const VALUES: usize = 15;
const OF_COLUMN: usize = 4;
/// Share of a value that must occur in the question in one piece, unless the index found the
/// value to resemble a phrase as a whole.
const SHARE: f32 = 0.6;
const RESEMBLES: f32 = 0.7;

/// Matched values, one `table.column = 'value'` a line, best first.
pub fn matched(context: &Context<'_>) -> Result<String, Error> {
    let focus = context.focus();
    let phrases = candidates(&focus);
    let hits = samples::similar_values(context, &phrases, &[])?;
    let mut ranked = ranked(&focus, hits);
    let mut per_column = std::collections::HashMap::new();
    let mut seen = BTreeSet::new();
    ranked.retain(|(_, hit)| {
        let count: &mut usize = per_column.entry(hit.column).or_default();
        let fresh = seen.insert((hit.column, hit.value.clone())) && *count < OF_COLUMN;
        *count += usize::from(fresh);
        fresh
    });
    let dialect = context.database().dialect();
    let mut lines = Vec::new();
    for (score, hit) in ranked.into_iter().take(VALUES) {
        context.disclosure.column(hit.column);
        context.disclosure.values(hit.column);
        let column = context.column_sql(hit.column);
        let target = format!("{column} = {}", dialect.string(&hit.value));
        let words = phrases.get(hit.phrase).cloned().unwrap_or_default();
        context.link(Link { words, kind: "value", target, score });
        lines.push(format!("{column} = {}", dialect.string(&one_value(&hit.value))));
    }
    Ok(lines.join("\n"))
}

/// Phrases of the question that may be stored: those of [`samples::phrases`] and pairs of the
/// words next to one another.
fn candidates(focus: &str) -> Vec<String> {
    let mut phrases = samples::phrases(focus);
    phrases.truncate(PHRASES * 2 / 3);
    let bare = |w: &&str| w.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let words: Vec<&str> = focus.split_whitespace().collect();
    let pairs = words.windows(2).filter(|w| w.iter().all(|w| w.len() > 3));
    for pair in pairs {
        let phrase = pair.iter().map(bare).collect::<Vec<_>>().join(" ");
        if phrases.len() < PHRASES && !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    phrases
}

/// Hits by the share of the value found in the question in one piece, and its length.
fn ranked(focus: &str, hits: Vec<ValueHit>) -> Vec<(f32, ValueHit)> {
    let question = Substrings::new(focus);
    let mut ranked: Vec<(f32, usize, ValueHit)> = hits
        .into_iter()
        .map(|hit| {
            let common = question.longest_common(hit.value.trim());
            let length = hit.value.trim().chars().count().max(1);
            (common as f32 / length as f32, common, hit)
        })
        .filter(|(share, common, hit)| {
            (*share >= SHARE && *common >= 2) || hit.similarity >= RESEMBLES
        })
        .collect();
    // the longest piece first: "Fresno County Office" says more than "Office"
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.total_cmp(&a.0)).then(a.2.value.cmp(&b.2.value)));
    ranked.into_iter().map(|(share, _, hit)| (share.min(1.0), hit)).collect()
}
