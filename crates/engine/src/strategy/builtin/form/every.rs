//! "Each": whether what has nothing of what is counted is shown as well.

use std::collections::BTreeSet;

use crate::strategy::builtin::passes::read::{Group, Reader};
use crate::text::capitalized;

use super::query::{Aggregate, Expression, Query, Target};

impl Reader<'_> {
    /// "How many loans has each member made?": who has made none has made 0. What is counted for or in
    /// each, or under conditions, is broken down: the join leaves out what has none, and a note says so.
    pub fn keep_every(&mut self, query: &mut Query) {
        let counted = query.select.iter().find(|e| e.aggregate == Some(Aggregate::Count));
        let Some(counted) = counted.map(|e| e.target.table()) else { return };
        let each = self.each.iter().find_map(|group| match group {
            Group::Rows(table) => Some(*table).filter(|t| *t != counted),
            _ => None,
        });
        let Some(each) = each else { return };
        let own = |e: &Expression| match e.aggregate {
            None => e.tables() == [each],
            aggregate => aggregate == Some(Aggregate::Count) && e.target == Target::Rows(counted),
        };
        let grouped: Vec<Target> =
            self.facts.key_columns(each).into_iter().map(Target::Column).collect();
        let plain = Query {
            select: Vec::new(),
            order: Vec::new(),
            tables: BTreeSet::new(),
            group: Vec::new(),
            ..query.clone()
        };
        let alone = plain == Query::default() && query.select.iter().all(own);
        let two = query.needed_tables() == BTreeSet::from([each, counted]);
        if alone && two && query.group == grouped && self.each_has() {
            query.every = Some(each);
            return;
        }
        let (one, many) = (self.catalog.table_label(each), self.catalog.table_label(counted));
        self.note(format!("{} without {many} are not shown.", capitalized(&one)));
    }

    /// "does each customer have", "has every member made", "each faculty has".
    fn each_has(&self) -> bool {
        let does = |i: usize| {
            let word = self.word(i);
            matches!(word, "do" | "does" | "did" | "has" | "have" | "had")
        };
        self.places().any(|i| {
            let each = matches!(self.word(i), "each" | "every");
            each && (does(i.wrapping_sub(1)) || does(self.next_solid(i + 1) + 1))
        })
    }
}
