//! What a reader should know of the joins of an answer, whichever strategy wrote it: where each
//! is known from, what else would join the same tables, and aggregates that count rows twice.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, ForeignKey};
use crate::context::Context;
use crate::guard::draft::{self, Draft};
use crate::report::Link;

impl Context<'_> {
    /// Put into the report what there is to say of the joins of `sql`.
    pub(crate) fn review(&self, sql: &str) {
        let dialect = self.database().dialect();
        let named = draft::read(&self.catalog, dialect, sql);
        for warning in counted_twice(&self.catalog, &named) {
            self.warn(warning);
        }
        for key in used_keys(&self.catalog, &named) {
            let target = format!("{} ({})", self.catalog.join_sql(dialect, key), key.label());
            let score = 1.0 / key.kind.weight();
            self.link(Link { words: String::new(), kind: "join", target, score });
            for other in self.catalog.joins().keys_between(key.from, key.to) {
                let other = &self.catalog.keys[other];
                if other.kind == key.kind && !says(&named, other) {
                    let (from, to) = (self.table_sql(key.from), self.table_sql(key.to));
                    let way = self.catalog.join_sql(dialect, other);
                    self.warn(format!("{from} and {to} could also be joined on {way}"));
                }
            }
        }
    }
}

/// The keys that a draft joins on, in the catalog's order.
fn used_keys<'a>(catalog: &'a Catalog, named: &Draft) -> Vec<&'a ForeignKey> {
    let from = named.tables.iter().flat_map(|&table| catalog.joins().keys_from(table));
    let places: BTreeSet<usize> = from.copied().collect();
    places.into_iter().map(|k| &catalog.keys[k]).filter(|key| says(named, key)).collect()
}

fn says(named: &Draft, key: &ForeignKey) -> bool {
    let equalities = key.equalities();
    !equalities.is_empty() && equalities.iter().all(|pair| named.joins.contains(pair))
}

/// One line an aggregate that counts rows more than once.
pub(crate) fn counted_twice(catalog: &Catalog, named: &Draft) -> Vec<String> {
    let line = |found: &draft::Repeated| {
        let (table, by) = (catalog.table_label(found.table), catalog.table_label(found.by));
        let aggregate = crate::prompt::one_line(&found.aggregate, 100);
        format!(
            "{aggregate} counts a row of {table} once for each row of {by} that is joined to it"
        )
    };
    named.repeated.iter().map(line).collect()
}
