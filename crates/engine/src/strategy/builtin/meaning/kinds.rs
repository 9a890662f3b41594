//! Things that are kinds of others: gymnasts are people, so their names, heights and ages are stored
//! with the people.

use crate::catalog::{Catalog, ForeignKey, TableId};
use crate::strategy::builtin::words::lexicon;
use crate::text::identifier_words;

/// The tables whose rows the rows of a table are as well: those that a unique key of it refers to,
/// and the people that a table refers to which is called by a noun for some of them.
pub fn kinds_of(catalog: &Catalog, table: TableId) -> Vec<TableId> {
    let last_word = |t| identifier_words(&catalog.table(t).name).pop().unwrap_or_default();
    let own = catalog.table(table);
    // who heads a department is no department
    let one_each = |k: &ForeignKey| {
        own.primary_key == k.from_columns
            || own.is_unique_over(&k.from_columns) && !catalog.is_role(k)
    };
    let anybody = |k: &ForeignKey| matches!(&*last_word(k.to), "people" | "person" | "persons");
    let some_of_them = lexicon::is_person(&last_word(table));
    // what identifies a professor is the number of an employee
    let identity = |k: &ForeignKey| {
        own.primary_key.is_empty() && k.from_columns == [0] && lexicon::is_person(&last_word(k.to))
    };
    let keys = catalog.joins().keys_from(table).iter().map(|&k| &catalog.keys[k]);
    keys.filter(|k| k.to != table && (one_each(k) || some_of_them && (anybody(k) || identity(k))))
        .map(|k| k.to)
        .collect()
}

/// Whether each row of one table is a row of the other, or the other way round.
pub fn are_one(catalog: &Catalog, one: TableId, other: TableId) -> bool {
    kinds_of(catalog, one).contains(&other) || kinds_of(catalog, other).contains(&one)
}
