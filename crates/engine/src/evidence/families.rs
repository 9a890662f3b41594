//! Tables that belong together: those of a schema, or in a large schema those that keys join. What a
//! question needs lies together, while words such as "name" and "date" fit a table of every schema.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::said::Said;
use crate::catalog::{Catalog, ColumnId, TableId};
use crate::link::{Covered, Wording};
use crate::scope::Scope;

/// Tables of the largest schema that is a family.
const LARGEST: usize = 60;
/// How surely a stored value says the question's words, by [`super::Fit`].
const VALUE: [f32; 4] = [1.0, 0.9, 0.9, 0.5];

/// What the families of `tables` cover of a phrase together, by the names of their tables and
/// columns and the stored values it says: for each of their tables a share in 0..=1. Small
/// families come with all their tables.
pub fn covered(
    catalog: &Catalog,
    scope: &Scope,
    wording: &Wording,
    said: &[Said],
    tables: impl Iterator<Item = TableId>,
) -> HashMap<TableId, f32> {
    let share = |family: &BTreeSet<TableId>, has: &dyn Fn(ColumnId) -> bool| {
        let mut covered = Covered::new(wording);
        family.iter().for_each(|&table| covered.add_table(catalog.lexical(), table));
        for said in said.iter().filter(|said| said.columns.iter().any(|&c| has(c))) {
            covered.add_words(&said.words, VALUE[said.fit as usize]);
        }
        covered.share()
    };
    let mut schemas: BTreeMap<&str, Vec<TableId>> = BTreeMap::new();
    for table in tables {
        schemas.entry(&catalog.table(table).schema).or_default().push(table);
    }
    let mut shares = HashMap::new();
    for (schema, fitting) in schemas {
        let family: BTreeSet<TableId> =
            catalog.tables_of_schema(schema).take(LARGEST + 1).collect();
        if family.len() <= LARGEST {
            let family: BTreeSet<TableId> =
                family.into_iter().filter(|&table| scope.contains(table)).collect();
            let share = share(&family, &|c| catalog.table(c.table).schema == schema);
            shares.extend(family.into_iter().map(|table| (table, share)));
            continue;
        }
        for table in fitting {
            let joined = catalog.joins().joined(table).filter(|&t| scope.contains(t));
            let family: BTreeSet<TableId> = joined.take(LARGEST).chain([table]).collect();
            shares.insert(table, share(&family, &|c| family.contains(&c.table)));
        }
    }
    shares
}
