//! "Each": what has nothing of what is counted, and what is averaged over itself.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::catalog::TableId;
use crate::strategy::builtin::passes::read::Reader;
use crate::strategy::builtin::words::lexicon::Key;

use super::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Operand, Query, Target,
};

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
        // "which sponsor gave the least"
        let least = query.order.first().filter(|(e, direction)| {
            *direction == Direction::Ascending && e.aggregate == Some(Aggregate::Sum)
        });
        let groups = if least.is_some() { &query.group } else { &self.each };
        let counted = least.map(|(e, _)| e).or(counted);
        let Some(counted) = counted.map(|e| e.target.table()) else { return };
        let each = groups.iter().map(Target::table).find(|t| *t != counted);
        let Some(each) = each else { return };
        let (one, many) = (self.catalog.table_label(each), self.catalog.table_label(counted));
        self.note(format!("{one} without {many} are not shown"));
    }

    /// "the region with the fewest technicians", "customers with fewer than 2 orders": who has none has
    /// fewer than anybody else.
    pub fn keep_those_with_none(&mut self, query: &mut Query) {
        for condition in &mut query.filters {
            if let Condition::In { query: inner, negated: false, .. } = condition {
                self.keep_those_with_none(inner);
            }
        }
        let counted = counts_none(query).map(|e| e.target.table());
        let grouped: BTreeSet<TableId> = query.group.iter().map(Target::table).collect();
        let (Some(counted), Some(&all), 1) = (counted, grouped.first(), grouped.len()) else {
            return;
        };
        // "who registered for some courses but the fewest"
        let thing = |i: usize| self.table_rather(self.next_solid(i + 1)) == Some(counted);
        let some = self.places().any(|i| self.is(i, Key::Any) && thing(i));
        if all == counted || some || !self.has_many(all, counted) {
            return;
        }
        let ends = BTreeSet::from([all, counted]);
        let way = self.catalog.joins().steiner_tree(&ends).unwrap_or_default().tables;
        let own = |c: &Condition| c.tables().len() == 1 && c.tables().is_subset(&way);
        if !query.filters.iter().all(own) {
            let (all, none) = (self.catalog.table_label(all), self.catalog.table_label(counted));
            self.refuse(format!("It is unclear whether {all} without {none} are meant as well."));
        }
        query.all_of = Some(all);
    }
}

/// The number of rows by which a query ranks or compares groups, where that may be zero.
fn counts_none(query: &Query) -> Option<&Expression> {
    let fewest = query
        .order
        .first()
        .filter(|(_, direction)| *direction == Direction::Ascending && query.limit.is_some());
    let fewer = query.having.iter().find_map(|c| match c {
        Condition::Compare(e, operator, Operand::Number(digits)) => {
            let none = match operator.side() {
                Some(side) => side == Ordering::Less,
                None => (*operator == Comparison::Equal) == (digits == "0"),
            };
            none.then_some(e)
        }
        _ => None,
    });
    fewest.map(|(e, _)| e).or(fewer).filter(|e| e.aggregate == Some(Aggregate::Count))
}
