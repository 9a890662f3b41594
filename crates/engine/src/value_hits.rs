//! The hits of a search for stored values: those that may be shown, each once, the best of each phrase. Adapters find
//! candidates.

use crate::catalog::{Catalog, ColumnId};
use crate::ports::{ValueHit, ValueQuery};

/// The hits of one search so far.
pub struct ValueHits<'a> {
    catalog: &'a Catalog,
    query: &'a ValueQuery<'a>,
    hits: Vec<ValueHit>,
}

impl<'a> ValueHits<'a> {
    /// Returns no hits.
    pub fn new(catalog: &'a Catalog, query: &'a ValueQuery<'a>) -> Self {
        Self { catalog, query, hits: Vec::new() }
    }

    /// Whether the search includes a column.
    pub fn includes(&self, column: ColumnId) -> bool {
        self.query.columns.is_empty() || self.query.columns.contains(&column)
    }

    /// Whether a value of a column may be shown.
    pub fn may_show(&self, column: ColumnId, value: &str) -> bool {
        self.catalog.column(column).values.let_out(value)
    }

    /// Adds a value of a column that the search includes, for each phrase with its similarity, if it may be shown.
    ///
    /// Returns whether it was added. Whether it may be shown takes longest to decide, so it is decided last.
    pub fn add(&mut self, column: ColumnId, value: &str, phrases: &[(usize, f32)]) -> bool {
        if phrases.is_empty() || !self.includes(column) || !self.may_show(column, value) {
            return false;
        }
        let hit = |&(phrase, similarity): &(usize, f32)| {
            let value = value.to_owned();
            ValueHit { phrase, column, value, similarity }
        };
        self.hits.extend(phrases.iter().map(hit));
        true
    }

    /// Returns how many values are equal to a phrase.
    pub fn equal_to(&self, phrase: usize) -> usize {
        self.hits.iter().filter(|hit| hit.phrase == phrase && hit.similarity == 1.0).count()
    }

    /// Returns the hits by phrase, best first, as many of each as the query wants.
    pub fn ranked(mut self) -> Vec<ValueHit> {
        let by_similarity = |a: &ValueHit, b: &ValueHit| b.similarity.total_cmp(&a.similarity);
        self.hits.sort_by(|a, b| {
            let key = |hit: &ValueHit| (hit.phrase, hit.column);
            key(a)
                .cmp(&key(b))
                .then_with(|| a.value.cmp(&b.value))
                .then_with(|| by_similarity(a, b))
        });
        self.hits
            .dedup_by(|b, a| (a.phrase, a.column) == (b.phrase, b.column) && a.value == b.value);
        // stable: of equally similar ones by column and value
        self.hits.sort_by(|a, b| a.phrase.cmp(&b.phrase).then_with(|| by_similarity(a, b)));
        let mut counts = vec![0; self.query.phrases.len()];
        self.hits.retain(|hit| {
            counts[hit.phrase] += 1;
            counts[hit.phrase] <= self.query.limit
        });
        self.hits
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::catalog::secrets::Values;
    use crate::catalog::{Column, Table, TableId, TypeClass};

    const OPEN: ColumnId = ColumnId { table: TableId(0), column: 0 };
    const WITHHELD: ColumnId = ColumnId { table: TableId(0), column: 1 };

    fn ranked(
        columns: &[ColumnId],
        add: impl FnOnce(&mut ValueHits<'_>),
    ) -> Vec<(usize, String, f32)> {
        let column = |name: &str, values| {
            Arc::new(Column { values, ..Column::new(name, "text", TypeClass::Text) })
        };
        let of_table = vec![column("name", Values::Shown), column("note", Values::Labelled)];
        let table = Table { columns: of_table, ..Table::new("main", "parcel") };
        let catalog = Catalog::new(vec![table], Vec::new());
        let phrases = ["one".to_owned(), "two".to_owned()];
        let near = || Vec::new();
        let query = ValueQuery {
            phrases: &phrases,
            columns,
            near: &near,
            limit: 2,
            fuzzy: true,
            budget: Duration::from_secs(1),
        };
        let mut hits = ValueHits::new(&catalog, &query);
        add(&mut hits);
        let found = hits.ranked().into_iter();
        found.map(|hit| (hit.phrase, hit.value, hit.similarity)).collect()
    }

    #[test]
    fn the_best_of_each_phrase_come_first() {
        let found = ranked(&[], |hits| {
            hits.add(OPEN, "b", &[(0, 0.5), (1, 0.9)]);
            hits.add(OPEN, "a", &[(0, 0.5)]);
            hits.add(OPEN, "c", &[(0, 1.0)]);
        });
        let wanted = [(0, "c".to_owned(), 1.0), (0, "a".to_owned(), 0.5), (1, "b".to_owned(), 0.9)];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_value_found_twice_has_its_best_similarity() {
        let found = ranked(&[], |hits| {
            hits.add(OPEN, "a", &[(0, 0.5)]);
            hits.add(OPEN, "a", &[(0, 1.0)]);
            assert_eq!(hits.equal_to(0), 1);
        });
        assert_eq!(found, [(0, "a".to_owned(), 1.0)]);
    }

    #[test]
    fn withheld_values_and_other_columns_are_left_out() {
        let found = ranked(&[], |hits| assert!(!hits.add(WITHHELD, "a", &[(0, 1.0)])));
        assert_eq!(found, []);
        let found = ranked(&[WITHHELD], |hits| assert!(!hits.add(OPEN, "a", &[(0, 1.0)])));
        assert_eq!(found, []);
    }
}
