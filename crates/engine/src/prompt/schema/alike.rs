//! The other members of a shown table's series, on a line below its name.

use std::fmt::Write as _;

use super::Plan;
use crate::catalog::TableId;

/// Bytes of the names of all members; of more, only the first and the last are named.
const NAMES: usize = 240;

impl Plan<'_> {
    /// The line of a table that stands for a series; empty for any other.
    pub(super) fn alike(&self, table: TableId) -> String {
        let series = self.catalog.series().of(table).filter(|_| self.collapsed);
        let Some(series) = series else { return String::new() };
        let scope = &self.context.scope;
        let members: Vec<TableId> =
            series.members.iter().copied().filter(|&t| scope.contains(t)).collect();
        if members.len() < 2 {
            return String::new();
        }
        // members that are shown by themselves need no other line
        let names: Vec<String> = members.iter().map(|&t| self.context.table_sql(t)).collect();
        let total: usize = names.iter().map(|name| name.len() + 2).sum();
        let mut text = format!("  one of {} tables alike: ", members.len());
        if total <= NAMES {
            text.push_str(&names.join(", "));
        } else if series.ordered {
            let _ = write!(text, "{} to {}", names[0], names[names.len() - 1]);
        } else {
            let mut room = NAMES;
            let fit = names.iter().take_while(|name| {
                room = room.saturating_sub(name.len() + 2);
                room > 0
            });
            let fit = fit.count().max(1);
            let _ = write!(text, "{}, … and {} more", names[..fit].join(", "), names.len() - fit);
        }
        text.push_str("; over several of them: UNION ALL\n");
        text
    }

    /// Note in the ledger the members that [`Self::alike`] names.
    pub(super) fn note_alike(&self, table: TableId) {
        if self.alike(table).is_empty() {
            return;
        }
        let series = self.catalog.series().of(table).into_iter().flat_map(|s| &s.members);
        let members = series.filter(|&&member| self.context.scope.contains(member));
        members.for_each(|&member| self.context.disclosure.table(member));
    }
}
