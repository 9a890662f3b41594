//! Flags: columns that are true or false. Some are not boolean but text or numbers that only mean
//! yes and no, each in its own spelling.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::ColumnId;
use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::words::lexicon::{self, Words};
use crate::strategy::builtin::words::participles::is_state;
use crate::text::{fold, identifier_words};

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
}

/// The flags among the columns that a question names.
pub fn spelled(context: &Context<'_>, meanings: &Meanings) -> Result<Flags, Error> {
    let catalog = &context.catalog;
    let named: BTreeSet<ColumnId> = meanings.columns.iter().flatten().copied().collect();
    let mut flags = Flags::default();
    for id in named {
        let column = catalog.column(id);
        if !column.class.is_textual() && !column.class.is_numeric() {
            continue;
        }
        let statistics = context.database().statistics(id.table)?;
        let known = &statistics.columns[id.column as usize];
        let said = says_flag(&column.name);
        let spellings = SPELLINGS.iter().chain(Some(&DIGITS).filter(|_| said));
        let stored = |word: &str| known.common.iter().map(|(v, _)| v).find(|v| fold(v) == word);
        let both = |[no, yes]: &[&str; 2]| Some([stored(no)?.clone(), stored(yes)?.clone()]);
        if let Some(pair) = spellings.filter_map(both).next()
            && known.common.len() == 2
        {
            flags.pairs.insert(id, pair);
        } else if let Some(no) = stored("no").or_else(|| stored("none")) {
            flags.none.insert(id, no.clone());
        }
    }
    Ok(flags)
}

/// Whether a column of this name is true or not: `is_new`, `returned`, `available`.
fn says_flag(name: &str) -> bool {
    identifier_words(name)
        .iter()
        .any(|w| lexicon::words(Words::Flags).contains(&&**w) || is_state(w))
}
