//! A second sentence that says what to show of the things asked for in the first: "Which pupils
//! play chess? Give me their ages."

use crate::catalog::ColumnId;
use crate::strategy::builtin::form::query::Expression;

use super::read::Reader;

impl Reader<'_> {
    /// "Which pupils play chess? Give me their ages.": a command after a question says what to
    /// show of the things that it asked for.
    pub fn restates(&self, start: usize) -> bool {
        let command = matches!(
            self.word(start),
            "give me" | "give" | "return" | "show" | "list" | "find" | "tell me" | "show me"
        );
        let things = matches!(self.word(0), "which" | "what" | "who" | "find" | "in");
        start > 0 && command && things && self.query.select.iter().all(|e| !e.is_aggregate())
    }

    /// "the easiness scores … Show the scores.": a name that may say what was asked for before says it.
    pub fn keep_meaning(&mut self, sentence: std::ops::Range<usize>, before: &[Expression]) {
        let asked: Vec<ColumnId> = before.iter().filter_map(|e| e.target.column()).collect();
        for at in sentence {
            let Some(column) = self.column(at) else { continue };
            let may_say = |c: &&ColumnId| {
                self.units[at].columns.iter().any(|found| found.item == **c && found.score >= 0.5)
            };
            let meant = asked.iter().find(may_say).filter(|_| !asked.contains(&column)).copied();
            let shown = self.query.select.iter_mut().find(|e| **e == Expression::column(column));
            if let (Some(meant), Some(shown)) = (meant, shown) {
                *shown = Expression::column(meant);
            }
        }
    }
}
