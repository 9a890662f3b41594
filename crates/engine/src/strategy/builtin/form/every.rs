//! "Each": what has nothing of what is counted, and what is averaged over itself.

use crate::catalog::TableId;
use crate::strategy::builtin::passes::read::{Group, Reader};

use super::query::{Aggregate, Expression, Query};

impl Reader<'_> {
    /// "the average yield per harvest", where the yield is the harvest's own: the average itself, not
    /// one for each.
    pub fn drop_own_groups(&mut self) {
        let computed: Vec<&Expression> =
            self.query.select.iter().filter(|e| e.aggregate.is_some()).collect();
        let averaged = |table: TableId| {
            let own = |e: &&Expression| {
                let of = e.target.column().map(|c| c.table);
                e.aggregate == Some(Aggregate::Avg) && of == Some(table)
            };
            !computed.is_empty() && computed.iter().all(own)
        };
        let idle = |group: &Group| matches!(group, Group::Rows(table) if averaged(*table));
        let idle: Vec<Group> = self.groups.iter().copied().filter(idle).collect();
        self.groups.retain(|group| !idle.contains(group));
        self.each.retain(|group| !idle.contains(group));
    }

    /// "How many loans has each member made?": of those who have made any. The join leaves out the
    /// others, in every wording alike, and a note says so.
    pub fn tell_of_none(&mut self, query: &Query) {
        let counted = query.select.iter().find(|e| e.aggregate == Some(Aggregate::Count));
        let Some(counted) = counted.map(|e| e.target.table()) else { return };
        let each = self.each.iter().find_map(|group| match group {
            Group::Rows(table) => Some(*table).filter(|t| *t != counted),
            _ => None,
        });
        let Some(each) = each else { return };
        let (one, many) = (self.catalog.table_label(each), self.catalog.table_label(counted));
        self.note(format!("{one} without {many} are not shown"));
    }
}
