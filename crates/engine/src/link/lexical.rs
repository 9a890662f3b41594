//! The lexical index: words of table names, column names and comments, and the soft-lexical
//! ranking of columns and tables for a phrase.
//!
//! A question's word meets a name's word by [`form_likeness`]; typing mistakes are looked for
//! only where no name has the word itself or a short form of it.

mod ranking;

use std::collections::HashMap;

use serde::Serialize;

use crate::catalog::{Catalog, Column, ColumnId, TableId};
use crate::text::{
    Word, dice, form_likeness, identifier_words, is_abbreviation, is_compound_of, trigrams,
};

/// A candidate with its score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scored<T> {
    /// The candidate.
    pub item: T,
    /// Score in 0..=1.
    pub score: f32,
}

/// Position of a word in the index's vocabulary.
type WordId = u32;

/// Words in table names that say nothing about the content.
const TABLE_NOISE: &[&str] = &["dim", "fact", "ref", "tb", "tbl", "the", "of", "and"];

/// Words in column names that hold the others together.
const NAME_NOISE: &[&str] = &["a", "and", "for", "in", "of", "the", "to"];

/// Words that run together with a short form of the table's name, as in `eid`.
const SUFFIXES: &[&str] = &["id", "no", "num", "name", "code", "key", "title", "desc"];

/// How much more a table name's last word says than each of the others.
const HEAD_WEIGHT: f32 = 1.25;

/// Likeness of a mistyped word, times how many trigrams it shares.
const TYPO_LIKENESS: f32 = 0.9;

/// Likeness of a name's word that several question words make up (`fname` for first name).
const COMPOUND_LIKENESS: f32 = 0.9;

#[derive(Debug)]
struct Entry {
    word: Word,
    trigrams: Vec<[char; 3]>,
    idf: f32,
    columns: Vec<ColumnId>,
    tables: Vec<TableId>,
    comments: Vec<ColumnId>,
}

/// The words of a name.
#[derive(Debug, Default)]
struct Name {
    /// All words.
    all: Vec<WordId>,
    /// A column's words that do not just repeat its table's name; never empty unless `all` is.
    own: Vec<WordId>,
}

impl Name {
    /// Share of the words that were said, in 0..=1. The last counts more: order items are items,
    /// item returns are none.
    fn coverage(&self, said: impl Fn(&WordId) -> bool) -> f32 {
        let Some((head, others)) = self.all.split_last() else { return 0.0 };
        let weight = others.len() as f32 + HEAD_WEIGHT;
        let others = others.iter().filter(|w| said(w)).count() as f32;
        (others + if said(head) { HEAD_WEIGHT } else { 0.0 }) / weight
    }
}

/// The words of a catalog's names and comments.
#[derive(Debug, Default)]
pub struct LexicalIndex {
    vocabulary: Vec<Entry>,
    by_stem: HashMap<String, Vec<WordId>>,
    tables: Vec<Name>,
    columns: Vec<Vec<Name>>,
}

/// Name words that a question's word, or several together, may mean.
#[derive(Debug, Clone, Default)]
pub struct WordMatches(HashMap<WordId, f32>);

impl WordMatches {
    /// No name has the word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl LexicalIndex {
    /// Index a catalog.
    pub fn new(catalog: &Catalog) -> Self {
        let mut index = Self::default();
        for table in catalog.table_ids() {
            index.add_table(catalog, table);
        }
        let total = catalog.tables.iter().map(|t| t.columns.len()).sum::<usize>() as f32;
        for entry in &mut index.vocabulary {
            entry.columns.dedup();
            let used = (entry.columns.len() + entry.tables.len()).max(1) as f32;
            entry.idf = (1.0 + total / used).ln();
        }
        index
    }

    fn add_table(&mut self, catalog: &Catalog, id: TableId) {
        let table = catalog.table(id);
        let words = identifier_words(&table.name);
        let telling = |w: &&String| !TABLE_NOISE.contains(&w.as_str());
        let mut name = Name::default();
        for word in words.iter().filter(telling) {
            let word = self.word(word);
            self.vocabulary[word as usize].tables.push(id);
            name.all.push(word);
        }
        name.own = name.all.clone();
        let mut names = Vec::with_capacity(table.columns.len());
        for column in catalog.column_ids(id) {
            names.push(self.column_name(catalog, column, &name));
        }
        self.tables.push(name);
        self.columns.push(names);
    }

    fn column_name(&mut self, catalog: &Catalog, id: ColumnId, table: &Name) -> Name {
        let column = catalog.column(id);
        let mut name = Name::default();
        let words = self.split_suffixes(spoken_words(column), table);
        for word in words.iter().filter(|w| words.len() == 1 || !NAME_NOISE.contains(&w.as_str())) {
            let word = self.word(word);
            self.vocabulary[word as usize].columns.push(id);
            name.all.push(word);
        }
        name.own = name.all.iter().copied().filter(|&w| !self.repeats(w, table)).collect();
        if name.own.is_empty() {
            name.own.clone_from(&name.all);
        }
        for word in column.comment.iter().flat_map(|c| identifier_words(c)) {
            let word = self.word(&word);
            let comments = &mut self.vocabulary[word as usize].comments;
            if comments.last() != Some(&id) {
                comments.push(id);
            }
        }
        name
    }

    /// `eid` in a table of employees is the employee's id: a short form of a table's word that
    /// runs into one of [`SUFFIXES`] is two words.
    fn split_suffixes(&self, words: Vec<String>, table: &Name) -> Vec<String> {
        let of_table = |part: &str| {
            table.all.iter().any(|&t| {
                let t = &self.entry(t).word.text;
                t.starts_with(part) || is_abbreviation(part, t)
            })
        };
        let split = |word: &String| {
            SUFFIXES.iter().find_map(|suffix| {
                // fname is a first name, also in a table of faculties
                let least = if suffix.len() > 2 { 3 } else { 1 };
                let part = word.strip_suffix(suffix).filter(|p| p.len() >= least && of_table(p))?;
                Some(vec![part.to_owned(), (*suffix).to_owned()])
            })
        };
        words.into_iter().flat_map(|w| split(&w).unwrap_or_else(|| vec![w])).collect()
    }

    /// Whether a column's word says no more than its table's name.
    fn repeats(&self, word: WordId, table: &Name) -> bool {
        let word = &self.entry(word).word;
        table.all.iter().any(|&t| {
            let t = &self.entry(t).word;
            t.stem == word.stem
                || t.text.starts_with(&word.text)
                || is_abbreviation(&word.text, &t.text)
        })
    }

    fn word(&mut self, text: &str) -> WordId {
        let word = Word::new(text);
        let same = self.by_stem.entry(word.stem.clone()).or_default();
        if let Some(&id) = same.iter().find(|&&id| self.vocabulary[id as usize].word == word) {
            return id;
        }
        let id = self.vocabulary.len() as WordId;
        same.push(id);
        let (columns, tables, comments) = (Vec::new(), Vec::new(), Vec::new());
        let trigrams = trigrams(&word.text);
        self.vocabulary.push(Entry { word, trigrams, idf: 0.0, columns, tables, comments });
        id
    }

    fn entry(&self, word: WordId) -> &Entry {
        &self.vocabulary[word as usize]
    }

    fn table_name(&self, table: TableId) -> &Name {
        &self.tables[table.0 as usize]
    }

    fn name(&self, column: ColumnId) -> &Name {
        &self.columns[column.table.0 as usize][column.column as usize]
    }

    /// Name words that `word` may mean. Typing mistakes count only where nothing else does.
    pub fn matches(&self, word: &Word) -> WordMatches {
        let words = || (0..).zip(&self.vocabulary);
        let found: HashMap<WordId, f32> =
            words().filter_map(|(id, e)| Some((id, form_likeness(word, &e.word)?))).collect();
        if !found.is_empty() || word.text.len() < 4 {
            return WordMatches(found);
        }
        let own = trigrams(&word.text);
        let typo = |(id, e): (WordId, &Entry)| {
            let likeness = TYPO_LIKENESS * dice(&own, &e.trigrams);
            (likeness >= 0.55).then_some((id, likeness))
        };
        WordMatches(words().filter_map(typo).collect())
    }

    /// Name words that `words` make up together, as `stuid` does of student id.
    pub fn compounds(&self, words: &[&str]) -> WordMatches {
        let first = words.first().and_then(|w| w.chars().next());
        let fits = |entry: &Entry| {
            entry.word.text.chars().next() == first && is_compound_of(&entry.word.text, words)
        };
        let ids = (0..).zip(&self.vocabulary).filter(|(_, e)| fits(e));
        WordMatches(ids.map(|(id, _)| (id, COMPOUND_LIKENESS)).collect())
    }

    /// Columns whose name every element of `phrase` helps to say; the table's words may help.
    /// Score: mean likeness × coverage of the column's own words.
    /// `whole`: the table's words do not help.
    pub fn columns_named(&self, phrase: &[&WordMatches], whole: bool) -> Vec<Scored<ColumnId>> {
        let mut candidates: Vec<ColumnId> = phrase
            .iter()
            .flat_map(|m| m.0.keys())
            .flat_map(|&w| self.entry(w).columns.iter().copied())
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut scored: Vec<Scored<ColumnId>> = candidates
            .into_iter()
            .filter_map(|item| {
                let score = self.column_score(item, phrase, whole)?;
                Some(Scored { item, score })
            })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
        scored
    }

    fn column_score(&self, column: ColumnId, phrase: &[&WordMatches], whole: bool) -> Option<f32> {
        let (name, table) = (self.name(column), self.table_name(column.table));
        let mut likeness = 0.0;
        let mut covered = vec![false; name.own.len()];
        for matches in phrase {
            let best_own = best(matches, &name.own);
            let helped = best(matches, &name.all).max(best(matches, &table.all));
            let sim = if whole { best_own } else { best_own.max(helped) };
            if sim == 0.0 {
                return None;
            }
            likeness += sim;
            for (i, word) in name.own.iter().enumerate() {
                covered[i] |= matches.0.get(word).is_some_and(|s| *s >= best_own);
            }
        }
        let hit = covered.iter().filter(|c| **c).count();
        if hit == 0 {
            return None;
        }
        let coverage = hit as f32 / covered.len() as f32;
        // of two columns said in full, the one whose table's words were said too
        let whole = name.all.iter().filter(|w| phrase.iter().any(|m| m.0.contains_key(w))).count();
        let said = phrase.iter().any(|m| best(m, &table.all) > 0.9);
        let bonus = 0.1 * whole as f32 / name.all.len() as f32 - if said { 0.1 } else { 0.13 };
        Some(likeness / phrase.len() as f32 * (0.4 + 0.6 * coverage) + bonus)
    }

    /// Tables whose name every element of `phrase` helps to say.
    pub fn tables_named(&self, phrase: &[&WordMatches]) -> Vec<Scored<TableId>> {
        let Some(first) = phrase.first() else { return Vec::new() };
        let mut candidates: Vec<TableId> =
            first.0.keys().flat_map(|&w| self.entry(w).tables.iter().copied()).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut scored: Vec<Scored<TableId>> = candidates
            .into_iter()
            .filter_map(|item| {
                let name = self.table_name(item);
                let sims: Vec<f32> = phrase.iter().map(|m| best(m, &name.all)).collect();
                if sims.contains(&0.0) {
                    return None;
                }
                let said = |w: &WordId| phrase.iter().any(|m| m.0.contains_key(w));
                let coverage = name.coverage(said);
                let mean = sims.iter().sum::<f32>() / sims.len() as f32;
                Some(Scored { item, score: mean * (0.4 + 0.6 * coverage) })
            })
            .collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.item.cmp(&b.item)));
        scored
    }
}

/// A column's words as people say them: what was `opened_on` has an opening date, `LName` is a
/// last name as `lname` is.
fn spoken_words(column: &Column) -> Vec<String> {
    let mut words = identifier_words(&column.name);
    if let [initial, name] = words.as_slice()
        && matches!(initial.as_str(), "f" | "l" | "m")
        && name == "name"
    {
        words = vec![words.concat()];
    }
    if let [_, .., last] = words.as_mut_slice()
        && column.class.is_temporal()
        && ["at", "on"].contains(&last.as_str())
    {
        *last = "date".to_owned();
    }
    words
}

fn best(matches: &WordMatches, name: &[WordId]) -> f32 {
    name.iter().filter_map(|w| matches.0.get(w)).fold(0.0, |a, b| a.max(*b))
}
