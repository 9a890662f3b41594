//! What stored values say a column is, whatever its type. Flags: columns that are true or false; some
//! are not boolean but text or numbers that only mean yes and no, each in its own spelling. Numerals:
//! text that holds nothing but numbers.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{ColumnId, TableId};
use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::facts::{Facts, related};
use crate::strategy::builtin::words::lexicon::is_person;
use crate::strategy::builtin::words::{Key, Unit, UnitKind, Words, is_state};
use crate::text::{fold, stem};

use super::resolve::Meanings;

/// How columns spell no and yes.
const SPELLINGS: &[[&str; 2]] = &[["n", "y"], ["no", "yes"], ["f", "t"], ["false", "true"]];

/// The spelling of numbers, which may as well count something.
const DIGITS: [&str; 2] = ["0", "1"];

/// The columns named that spell no and yes, with how they do.
#[derive(Debug, Default)]
pub struct Flags {
    /// Those that say nothing else.
    pub pairs: BTreeMap<ColumnId, [String; 2]>,
    /// The "no" of those that say more.
    pub none: BTreeMap<ColumnId, String>,
    /// Columns of text in which every known value is a number.
    pub numerals: BTreeSet<ColumnId>,
}

/// The flags among the columns that a question names.
pub fn spelled(context: &Context<'_>, units: &[Unit], meanings: &Meanings) -> Result<Flags, Error> {
    let facts = Facts::of(&context.catalog);
    let named: BTreeSet<ColumnId> = meanings.columns.iter().flatten().copied().collect();
    // "full-time employees", "which shows are explicit", "union members": a word that tells how things are
    let adjective = |id: ColumnId| {
        let is = |i: usize| i > 0 && units[i - 1].key() == Some(Key::Is);
        let thing = |i: usize| {
            let value = units.get(i + 1).is_some_and(|unit| unit.kind == UnitKind::Value);
            value || meanings.tables.get(i + 1) == Some(&Some(id.table))
        };
        let are = |i: usize| units[i].folded.split(' ').next_back().is_some_and(is_person);
        (0..units.len()).any(|i| meanings.columns[i] == Some(id) && (is(i) || thing(i) || are(i)))
    };
    let mut flags = Flags::default();
    for id in named {
        if !facts.has_text(id) && !facts.has_numbers(id) {
            continue;
        }
        // a school is no free school meals
        let said = |word: &&String| {
            let mut words = units.iter().flat_map(|unit| unit.folded.split(' '));
            words.any(|said| related(&stem(said), &stem(word)))
        };
        let tells = |word: &&String| word.len() > 2 && !Words::Flags.has(word);
        if facts.words(id).iter().filter(tells).filter(|w| !said(w)).count() > 1 {
            continue;
        }
        let statistics = context.database().statistics(id.table)?;
        let known = &statistics.columns[id.column as usize];
        // `is_new`, `returned`, `available`
        let is_flag = |word: &String| Words::Flags.has(word) || is_state(word);
        let said = facts.words(id).iter().any(is_flag) || adjective(id);
        let spellings = SPELLINGS.iter().chain(Some(&DIGITS).filter(|_| said));
        let stored = |word: &str| known.common.iter().map(|(v, _)| v).find(|v| fold(v) == word);
        let both = |[no, yes]: &[&str; 2]| Some([stored(no)?.clone(), stored(yes)?.clone()]);
        if let Some(pair) = spellings.filter_map(both).next()
            && known.common.len() == 2
        {
            flags.pairs.insert(id, pair);
        // NO is a code
        } else if let Some(no) = stored("no").filter(|no| *no != "NO").or_else(|| stored("none")) {
            flags.none.insert(id, no.clone());
        }
    }
    if units.iter().any(measures) {
        flags.numerals = numerals(context, meanings)?;
    }
    Ok(flags)
}

/// Whether a unit asks for the size or the order of something.
fn measures(unit: &Unit) -> bool {
    use Key::{Aggregate, Between, Compare, Compared, Extreme, HowMuch, OrBeyond, Superlative};
    match unit.key() {
        Some(Aggregate(_) | Between | Compare(_) | Compared(_) | Extreme(_)) => true,
        Some(HowMuch | OrBeyond(_) | Superlative(_) | Key::Top) => true,
        Some(key) => key.sorts() && key != Key::Alphabetic,
        None => false,
    }
}

/// The columns of text, in the tables that a question speaks of, whose known values are all numbers.
fn numerals(context: &Context<'_>, meanings: &Meanings) -> Result<BTreeSet<ColumnId>, Error> {
    let (catalog, facts) = (&context.catalog, Facts::of(&context.catalog));
    let columns = meanings.columns.iter().flatten().map(|c| c.table);
    let tables: BTreeSet<TableId> = columns.chain(meanings.named.iter().copied()).collect();
    let mut numerals = BTreeSet::new();
    for table in tables {
        let textual = |c| facts.has_text(c) && !facts.temporal(c) && !facts.is_key(c);
        let ids: Vec<ColumnId> = catalog.column_ids(table).filter(|&c| textual(c)).collect();
        if ids.is_empty() {
            continue;
        }
        let statistics = context.database().statistics(table)?;
        numerals.extend(ids.into_iter().filter(|id| {
            let known = &statistics.columns[id.column as usize];
            let mut values = known.common.iter().map(|(value, _)| value).chain(&known.min);
            let enough = known.common.len() + usize::from(known.min.is_some()) > 1;
            enough && values.all(|value| is_number(value))
        }));
    }
    Ok(numerals)
}

/// Whether a text is a number as every database reads it.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, rest].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}
