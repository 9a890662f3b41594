//! Ranking every column or table of a catalog for a phrase.
//!
//! A catalog may have 10⁵ columns: the likeness of each vocabulary word to the phrase is worked
//! out once, into one flat table, and a name costs a few look-ups in it.

use std::collections::HashMap;

use super::{LexicalIndex, Scored, WordId};
use crate::catalog::{Catalog, ColumnId, TableId};
use crate::text::{Word, identifier_words};

/// A word in more comments than this, and than there are tables, says nothing ("the", "of").
const COMMON_COMMENTS: usize = 1_000;

/// A phrase against the vocabulary.
struct Phrase {
    /// Words of the phrase.
    words: usize,
    /// Words of the phrase that some name or comment has; at least 1.
    told: f32,
    /// Likeness of each vocabulary word (row) to each word of the phrase.
    likeness: Vec<f32>,
    /// The largest of each row.
    best: Vec<f32>,
    /// Columns whose name has a word like one of the phrase, in the catalog's order.
    named: Vec<ColumnId>,
    /// Columns whose comment has words of the phrase, and how many; in the catalog's order.
    noted: Vec<(ColumnId, u32)>,
}

impl Phrase {
    fn new(index: &LexicalIndex, phrase: &str) -> Self {
        let matches: Vec<_> =
            identifier_words(phrase).iter().map(|w| index.matches(&Word::new(w))).collect();
        let (words, vocabulary) = (matches.len(), index.vocabulary.len());
        let mut likeness = vec![0.0; words * vocabulary];
        let mut best = vec![0.0f32; vocabulary];
        let mut named: Vec<ColumnId> = Vec::new();
        let mut noted: Vec<ColumnId> = Vec::new();
        for (i, found) in matches.iter().enumerate() {
            let mut columns: Vec<ColumnId> = Vec::new();
            let common = index.columns.len().max(COMMON_COMMENTS);
            for (&word, &like) in &found.0 {
                likeness[word as usize * words + i] = like;
                if best[word as usize] == 0.0 {
                    named.extend(&index.entry(word).columns);
                }
                best[word as usize] = best[word as usize].max(like);
                let comments = &index.entry(word).comments;
                if comments.len() <= common {
                    columns.extend(comments);
                }
            }
            columns.sort_unstable();
            columns.dedup();
            noted.extend(columns);
        }
        named.sort_unstable();
        named.dedup();
        noted.sort_unstable();
        let runs = noted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32));
        let noted = runs.collect();
        let told = matches.iter().filter(|m| !m.is_empty()).count().max(1) as f32;
        Self { words, told, likeness, best, named, noted }
    }

    /// The idf-weighted share of a name that the phrase says.
    fn share(&self, index: &LexicalIndex, name: &[WordId]) -> f32 {
        let (mut said, mut all) = (0.0, 0.0);
        for &word in name {
            let idf = index.entry(word).idf;
            said += idf * self.best[word as usize];
            all += idf;
        }
        if all > 0.0 { said / all } else { 0.0 }
    }

    /// For each word of the phrase its best likeness among a name's words, into `row`.
    fn row(&self, name: &[WordId], row: &mut Vec<f32>) {
        row.clear();
        row.resize(self.words, 0.0);
        for &word in name.iter().filter(|w| self.best[**w as usize] > 0.0) {
            let from = word as usize * self.words;
            for (best, like) in row.iter_mut().zip(&self.likeness[from..from + self.words]) {
                *best = best.max(*like);
            }
        }
    }

    /// The share of the phrase's words that the column's comment has.
    fn comment_share(&self, column: ColumnId) -> f32 {
        let place = self.noted.binary_search_by_key(&column, |(c, _)| *c);
        let noted = place.map_or(0, |i| self.noted[i].1);
        noted as f32 / self.words.max(1) as f32
    }
}

impl LexicalIndex {
    /// The `k` columns that fit `phrase` best, best first: idf-weighted coverage of the column's
    /// words (and half its table's) by the phrase, and of the phrase by the column.
    pub fn columns(&self, _: &Catalog, phrase: &str, k: usize) -> Vec<Scored<ColumnId>> {
        self.ranked_columns(&Phrase::new(self, phrase), k)
    }

    /// [`Self::columns`] and [`Self::tables`] of one phrase, which is looked up once.
    pub fn columns_and_tables(
        &self,
        catalog: &Catalog,
        phrase: &str,
        k: usize,
    ) -> (Vec<Scored<ColumnId>>, Vec<Scored<TableId>>) {
        let phrase = Phrase::new(self, phrase);
        (self.ranked_columns(&phrase, k), self.ranked_tables(catalog, &phrase, k))
    }

    fn ranked_columns(&self, phrase: &Phrase, k: usize) -> Vec<Scored<ColumnId>> {
        let mut candidates = phrase.named.clone();
        candidates.extend(phrase.noted.iter().map(|(column, _)| *column));
        candidates.sort_unstable();
        candidates.dedup();
        let mut scored = Vec::with_capacity(candidates.len());
        let (mut of_table, mut of_column) = (Vec::new(), Vec::new());
        for columns in candidates.chunk_by(|a, b| a.table == b.table) {
            let table = &self.table_name(columns[0].table).all;
            let table_part = phrase.share(self, table);
            phrase.row(table, &mut of_table);
            for &item in columns {
                let name = &self.name(item).all;
                let (own, noted) = (phrase.share(self, name), phrase.comment_share(item));
                phrase.row(name, &mut of_column);
                let both = of_column.iter().zip(&of_table).map(|(c, t)| c.max(0.6 * t));
                let of_phrase = both.sum::<f32>() / phrase.told;
                let score = 0.4 * own + 0.15 * table_part + 0.35 * of_phrase + 0.1 * noted;
                scored.push(Scored { item, score: score.min(1.0) });
            }
        }
        top(scored, k)
    }

    /// The `k` tables that fit `phrase` best, best first, by their names and their columns'.
    pub fn tables(&self, catalog: &Catalog, phrase: &str, k: usize) -> Vec<Scored<TableId>> {
        self.ranked_tables(catalog, &Phrase::new(self, phrase), k)
    }

    fn ranked_tables(&self, catalog: &Catalog, phrase: &Phrase, k: usize) -> Vec<Scored<TableId>> {
        let mut best_columns: HashMap<TableId, f32> = HashMap::new();
        for columns in phrase.named.chunk_by(|a, b| a.table == b.table) {
            let share = |c: &ColumnId| phrase.share(self, &self.name(*c).own);
            let mut shares: Vec<f32> = columns.iter().map(share).collect();
            shares.sort_by(|a, b| b.total_cmp(a));
            best_columns.insert(columns[0].table, shares.iter().take(3).sum::<f32>() / 3.0);
        }
        let mut scored = Vec::new();
        for item in catalog.table_ids() {
            let by_name = phrase.share(self, &self.table_name(item).all);
            let by_columns = best_columns.get(&item).copied().unwrap_or(0.0);
            let score = 0.6 * by_name + 0.4 * by_columns;
            if score > 0.0 {
                scored.push(Scored { item, score });
            }
        }
        top(scored, k)
    }
}

/// The `k` best, best first; ties in the catalog's order.
fn top<T: Copy + Ord>(mut scored: Vec<Scored<T>>, k: usize) -> Vec<Scored<T>> {
    let order =
        |a: &Scored<T>, b: &Scored<T>| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item));
    if k < scored.len() {
        scored.select_nth_unstable_by(k, order);
        scored.truncate(k);
    }
    scored.sort_by(order);
    scored
}
