//! Flags: columns that are true or false. Some are not boolean but text or numbers that only mean
//! yes and no, each in its own spelling.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{ColumnId, TypeClass};
use crate::context::Context;
use crate::error::Error;
use crate::strategy::builtin::form::query::{Comparison, Condition, Expression, Operand};
use crate::strategy::builtin::meaning::resolve::Meanings;
use crate::strategy::builtin::words::lexicon::Key;
use crate::text::{fold, identifier_words};

use super::read::Reader;
use super::states::is_state;

/// How columns spell no and yes.
const SPELLINGS: &[[&str; 2]] = &[["n", "y"], ["no", "yes"], ["f", "t"], ["false", "true"]];
/// The spelling of numbers, which may as well count something.
const DIGITS: [&str; 2] = ["0", "1"];
/// Words of names that say that a column is true or not.
const SAYING: &[&str] = &["is", "has", "can", "if", "yn", "flag"];

/// The columns named that spell no and yes, with how they do.
#[derive(Debug, Default)]
pub struct Flags {
    /// Those that say nothing else.
    pairs: BTreeMap<ColumnId, [String; 2]>,
    /// The "no" of those that say more.
    none: BTreeMap<ColumnId, String>,
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
    identifier_words(name).iter().any(|w| SAYING.contains(&&**w) || is_state(w))
}

impl Reader<'_> {
    /// The word that negates the flag at `at`: "were not paid", "have not been paid", "do not have".
    pub fn negation(&self, at: usize) -> Option<usize> {
        let helps =
            |i: &usize| matches!(self.key(*i), Some(Key::Is | Key::Clause)) || self.is_thin(*i);
        let before = (self.sentence_start(at)..at).rev().find(|i| !helps(i))?;
        (self.key(before) == Some(Key::Not) && !self.used[before]).then_some(before)
    }

    /// That a flag is true, or not; None of what is no flag.
    pub fn flag(&self, column: ColumnId, negated: bool) -> Option<Condition> {
        if self.catalog.column(column).class == TypeClass::Boolean {
            return Some(Condition::Flag(column, negated));
        }
        let [no, yes] = self.flags.pairs.get(&column)?;
        let value = if negated { no } else { yes }.clone();
        Some(self.is_value(column, value))
    }

    /// That a row has none of what the column holds: the value that says so, or no value.
    pub fn has_none(&self, column: ColumnId) -> Condition {
        match self.flags.none.get(&column) {
            Some(no) => self.is_value(column, no.clone()),
            None => Condition::Null(column, false),
        }
    }

    fn is_value(&self, column: ColumnId, value: String) -> Condition {
        let operand = if self.catalog.column(column).class.is_numeric() {
            Operand::Number(value)
        } else {
            Operand::Text(value)
        };
        Condition::Compare(Expression::column(column), Comparison::Equal, operand)
    }
}
