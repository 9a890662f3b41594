//! The meaning of a draft in a catalog.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, ColumnId, TableId};

/// The tables, columns and values of a draft.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// It could be parsed; otherwise the rest was found word by word.
    pub parsed: bool,
    /// Tables it names.
    pub tables: BTreeSet<TableId>,
    /// Columns it names, `*` and whole rows expanded.
    pub columns: BTreeSet<ColumnId>,
    /// Values that columns are compared with, in order of appearance.
    pub literals: Vec<Literal>,
    /// Columns that it equates, the smaller first.
    pub joins: BTreeSet<(ColumnId, ColumnId)>,
    /// The joins that must hold: the columns of two relations that it equates, together.
    pub conditions: Vec<Vec<(ColumnId, ColumnId)>>,
    /// Aggregates that count rows more than once.
    pub repeated: BTreeSet<Repeated>,
    /// Columns that are tested for NULL.
    pub null_tests: BTreeSet<ColumnId>,
    /// Tables whose columns an outer join may fill with NULL.
    pub optional: BTreeSet<TableId>,
    /// The stored columns that the result's columns are or are computed from alone.
    pub outputs: Vec<Option<ColumnId>>,
    /// Table names that the catalog does not have.
    pub unknown_tables: BTreeSet<String>,
    /// Column names, as written, that none of its tables has.
    pub unknown_columns: BTreeSet<String>,
}

/// A value in a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The column it is compared with, if that is clear.
    pub column: Option<ColumnId>,
    /// The value without quotes; wildcards of LIKE are removed at both ends.
    pub value: String,
    /// It is the whole value, not a pattern or bound.
    pub whole: bool,
}

/// An aggregate that counts rows more than once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repeated {
    /// As written.
    pub aggregate: String,
    /// The relation whose rows are repeated.
    pub table: TableId,
    /// The joined table that has several rows for one of them.
    pub by: TableId,
}

/// The table that a name means: the one the bare name reaches before others of that name.
pub(super) fn table_called(catalog: &Catalog, schema: Option<&str>, name: &str) -> Option<TableId> {
    let found = catalog.tables_named(schema, name);
    found.iter().copied().find(|&t| catalog.table(t).visible).or(found.first().copied())
}

/// A literal as it would be searched for.
pub(super) fn bare_pattern(value: &str) -> &str {
    value.trim_matches('%')
}
