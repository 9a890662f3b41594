//! Verbs that only say that two things belong together: "the courses that Ada taught", "how many
//! credits does the department offer". The join expresses the same.

use crate::catalog::{Catalog, TableId};
use crate::strategy::builtin::passes::read::Reader;
use crate::strategy::builtin::words::evidence::Unit;
use crate::strategy::builtin::words::lexicon::{Key, Words};

use super::query::Query;

/// Whether an unknown word is such a verb, by what it is or by where it stands.
pub fn relates(units: &[Unit], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| &units[i]);
    // "the work", "in stock", "the average holding"
    let noun = before.is_some_and(|u| match u.key() {
        Some(Key::Aggregate(_) | Key::Distinct) => true,
        // "which living artists"
        Some(Key::Ask) => units[at].folded.ends_with("ing"),
        Some(Key::Preposition) if u.folded != "to" => true,
        _ => Words::Determining.has(&u.folded),
    });
    !noun && Words::Relating.has(&units[at].folded)
}

/// Whether the tables of a query belong together, and in one way only.
pub fn is_one_way(catalog: &Catalog, query: &Query) -> bool {
    query.needed_tables().len() > 1 && rival_ways(catalog, query).is_none()
}

/// Two tables of a query that are joined through others, where another way is as short.
fn rival_ways(catalog: &Catalog, query: &Query) -> Option<(TableId, TableId)> {
    let needed = query.needed_tables();
    let tree = catalog.joins().steiner_tree(&needed)?;
    let keys = || tree.keys.iter().map(|&k| catalog.key(k));
    // where three meet, the third decides
    let open = |t: &&TableId| keys().filter(|k| k.from == **t || k.to == **t).count() == 2;
    tree.tables.difference(&needed).find(open)?;
    let pairs = needed.iter().flat_map(|a| needed.range(..a).map(move |b| (*a, *b)));
    let mut pairs = pairs.filter(|(a, b)| catalog.joins().shortest_paths(*a, *b, 2).len() > 1);
    pairs.next()
}

/// A table of the way that nobody named and that those beside it only share: a student and a course
/// of one department are not the student's course.
fn shared(catalog: &Catalog, query: &Query) -> Option<TableId> {
    let needed = query.needed_tables();
    let tree = catalog.joins().steiner_tree(&needed)?;
    let keys = || tree.keys.iter().map(|&k| catalog.key(k));
    let referred = |t: &&TableId| keys().filter(|k| k.to == **t).count() > 1;
    tree.tables.difference(&needed).find(referred).copied()
}

impl Reader<'_> {
    /// "drivers in a race" by their results or by their laps: what connects them is not said.
    pub fn doubt_ways(&mut self, query: &Query) {
        for level in query.levels() {
            if let Some((a, b)) = rival_ways(self.catalog, level) {
                let (a, b) = (self.catalog.table_label(a), self.catalog.table_label(b));
                self.doubt(format!("{a} and {b} can be joined in several ways."));
            }
            if let Some(table) = shared(self.catalog, level) {
                let table = self.catalog.table_label(table);
                self.doubt(format!("The tables are related only through {table}."));
            }
        }
    }
}
