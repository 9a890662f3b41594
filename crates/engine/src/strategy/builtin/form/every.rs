//! "Each": what has nothing of what is counted, and what is averaged over itself.

use crate::strategy::builtin::passes::read::Reader;

use super::query::{Aggregate, Expression, Query, Target};

impl Reader<'_> {
    /// "the average yield per harvest", where the yield is the harvest's own: the average itself, not
    /// one for each.
    pub fn drop_own_groups(&mut self) {
        let averages = |e: &Expression| {
            let column = e.target.column().filter(|_| e.aggregate == Some(Aggregate::Avg));
            column.map(|c| Target::Rows(c.table))
        };
        let mut computed = self.query.select.iter().filter(|e| e.aggregate.is_some()).map(averages);
        let idle = computed.next().flatten();
        let idle = idle.filter(|own| computed.all(|of| of.as_ref() == Some(own)));
        self.groups.retain(|group| Some(group) != idle.as_ref());
        self.each.retain(|group| Some(group) != idle.as_ref());
    }

    /// "How many loans has each member made?": of those who have made any. The join leaves out the
    /// others, in every wording alike, and a note says so.
    pub fn tell_of_none(&mut self, query: &Query) {
        let counted = query.select.iter().find(|e| e.aggregate == Some(Aggregate::Count));
        let Some(counted) = counted.map(|e| e.target.table()) else { return };
        let each = self.each.iter().find_map(|group| match group {
            Target::Rows(table) => Some(*table).filter(|t| *t != counted),
            _ => None,
        });
        let Some(each) = each else { return };
        let (one, many) = (self.catalog.table_label(each), self.catalog.table_label(counted));
        self.note(format!("{one} without {many} are not shown"));
    }
}
