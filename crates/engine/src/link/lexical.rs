//! The lexical index: words of table names, column names and comments, and the soft-lexical
//! ranking of columns and tables for a phrase.
//!
//! A question's word matches a name's word as a form of it; typing mistakes are considered only
//! if no name has the word itself or a short form of it. Columns of the same name share its words,
//! so a question costs what it matches, not the size of the catalog.

mod best;
mod coverage;
mod meaning;
mod ranking;
mod vocabulary;

pub use coverage::Covered;
pub use ranking::{Ranker, Wording};

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use serde::Serialize;

use crate::catalog::{Catalog, Column, ColumnId, TableId};
use crate::text::{Word, identifier_words, is_abbreviation};

use meaning::Meanings;
use vocabulary::{Builder, Vocabulary, WordId};

/// A candidate with its score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scored<T> {
    /// The candidate.
    pub item: T,
    /// Score in 0..=1.
    pub score: f32,
}

/// Position of a column among all columns of the catalog, in its order.
type Place = u32;

/// Position of a column name among the different ones.
type NameId = u32;

/// Words in table names that say nothing about the content.
const TABLE_NOISE: &[&str] = &["dim", "fact", "ref", "tb", "tbl", "the", "of", "and"];

/// Words in column names that only connect the others.
const NAME_NOISE: &[&str] = &["a", "and", "for", "in", "of", "the", "to"];

/// Words that run together with a short form of the table's name, as in `eid`.
const SUFFIXES: &[&str] = &["id", "no", "num", "name", "code", "key", "title", "desc"];

/// Words that only look like such a short form: `paid` in payments is not a `pa` id.
const WHOLE: &[&str] = &["paid", "prepaid", "unpaid", "valid", "void"];

/// Weight of a table name's last word, relative to each of the others.
const HEAD_WEIGHT: f32 = 1.25;

/// Words of a column that identifies the rows of its table.
const IDENTIFIERS: &[&str] = &["code", "id", "key", "name", "no", "num", "number", "title"];

/// No place: a column that no longer exists.
const GONE: Place = Place::MAX;

/// An index is rebuilt once less than this share of its words and names is in use.
const LEAST_USED: f32 = 0.75;

/// Likeness of a name's word that several question words make up (`fname` for first name).
const COMPOUND_LIKENESS: f32 = 0.9;

/// Where a word of the vocabulary occurs.
#[derive(Debug, Default)]
struct Entry {
    /// ln(1 + columns / columns and tables whose name has the word).
    idf: f32,
    names: Vec<NameId>,
    tables: Vec<TableId>,
    comments: Vec<Place>,
}

impl Entry {
    /// Whether a name has the word; else only comments do.
    fn is_named(&self) -> bool {
        !self.names.is_empty() || !self.tables.is_empty()
    }

    /// Whether it occurs at all; a word of an earlier catalog may not.
    fn is_used(&self) -> bool {
        self.is_named() || !self.comments.is_empty()
    }
}

/// The words of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Name {
    /// All words.
    all: Box<[WordId]>,
    /// A column's words that do not just repeat its table's name; never empty unless `all` is.
    own: Box<[WordId]>,
}

impl Name {
    /// Share of the words that were said, in 0..=1. The last counts more: order items are items,
    /// item returns are not.
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
    vocabulary: Vocabulary,
    entries: Vec<Entry>,
    tables: Vec<Name>,
    names: Vec<Name>,
    /// The columns of each name.
    named: Vec<Vec<Place>>,
    /// Whether each name has only [`IDENTIFIERS`] besides its table's words.
    identifying: Vec<bool>,
    /// Each column with its name.
    columns: Vec<(ColumnId, NameId)>,
    /// The place of each table's first column.
    first: Vec<Place>,
    meanings: OnceCell<Meanings>,
}

/// Name words that a question's word, or several together, may mean.
#[derive(Debug, Clone, Default)]
pub struct WordMatches(HashMap<WordId, f32>);

impl WordMatches {
    /// No name has the word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same words, with their likeness multiplied by the factor.
    pub fn scaled(self, by: f32) -> Self {
        Self(self.0.into_iter().map(|(word, likeness)| (word, likeness * by)).collect())
    }
}

/// An index being made.
#[derive(Default)]
struct Making<'a> {
    words: Builder<'a>,
    index: LexicalIndex,
    known: HashMap<Name, NameId>,
    /// Columns that were read, by their address: the same few come again in table after table.
    read: HashMap<*const Column, Read>,
}

/// A column's words.
struct Read {
    spoken: Rc<[String]>,
    comment: Rc<[WordId]>,
}

impl<'a> Making<'a> {
    /// To build one from `before`, reusing its words and names.
    fn after(before: &'a LexicalIndex) -> Self {
        let words = Builder::after(&before.vocabulary);
        let mut index = LexicalIndex {
            names: before.names.clone(),
            named: vec![Vec::new(); before.names.len()],
            identifying: before.identifying.clone(),
            ..LexicalIndex::default()
        };
        index.entries.resize_with(words.len(), Entry::default);
        Self { words, index, ..Self::default() }
    }

    /// Add a table that reads the same as one of `before`; `moved` gives the former place of a
    /// column.
    fn take_over(&mut self, before: &LexicalIndex, old: TableId, id: TableId, moved: &mut [Place]) {
        self.begin_table(id, before.table_name(old));
        let first = before.first[old.0 as usize] as usize;
        let columns = before.columns[first..].iter().zip(&mut moved[first..]);
        for (&(column, name), moved) in columns.take_while(|((c, _), _)| c.table == old) {
            *moved = self.push_column(ColumnId { table: id, ..column }, name);
        }
        self.index.tables.push(before.table_name(old).clone());
    }

    /// The comments of tables that were taken over.
    fn take_over_comments(&mut self, before: &LexicalIndex, moved: &[Place]) {
        for (entry, old) in self.index.entries.iter_mut().zip(&before.entries) {
            let places = old.comments.iter().map(|&place| moved[place as usize]);
            entry.comments.extend(places.filter(|&place| place != GONE));
            entry.comments.sort_unstable();
        }
    }

    fn begin_table(&mut self, id: TableId, name: &Name) {
        for &word in &name.all {
            self.entry(word).tables.push(id);
        }
        self.index.first.push(self.index.columns.len() as Place);
    }

    fn push_column(&mut self, id: ColumnId, name: NameId) -> Place {
        let place = self.index.columns.len() as Place;
        self.index.named[name as usize].push(place);
        self.index.columns.push((id, name));
        place
    }

    fn add_table(&mut self, catalog: &Catalog, id: TableId) {
        let table = catalog.table(id);
        let words = identifier_words(&table.name);
        let telling = words.iter().filter(|w| !TABLE_NOISE.contains(&w.as_str()));
        let all: Box<[WordId]> = telling.map(|w| self.word(w)).collect();
        let name = Name { own: all.clone(), all };
        self.begin_table(id, &name);
        for column in catalog.column_ids(id) {
            self.add_column(catalog, column, &name);
        }
        self.index.tables.push(name);
    }

    fn add_column(&mut self, catalog: &Catalog, id: ColumnId, table: &Name) {
        let column = &catalog.table(id.table).columns[id.column as usize];
        let address = Arc::as_ptr(column);
        let known = self.read.get(&address).map(|read| Rc::clone(&read.spoken));
        let spoken = known.unwrap_or_else(|| spoken_words(column).into());
        let words = self.split_suffixes(&spoken, table);
        let telling = |w: &&String| words.len() == 1 || !NAME_NOISE.contains(&w.as_str());
        let all: Box<[WordId]> = words.iter().filter(telling).map(|w| self.word(w)).collect();
        let mut own: Box<[WordId]> =
            all.iter().copied().filter(|&w| !self.repeats(w, table)).collect();
        if own.is_empty() {
            own.clone_from(&all);
        }
        let name = self.name(Name { all, own });
        let place = self.push_column(id, name);
        let comment = match self.read.get(&address) {
            Some(read) => Rc::clone(&read.comment),
            None => self.read_comment(column, spoken),
        };
        for &word in &*comment {
            let comments = &mut self.entry(word).comments;
            if comments.last() != Some(&place) {
                comments.push(place);
            }
        }
    }

    /// The words of a column's comment, kept beside those of its name.
    fn read_comment(&mut self, column: &Arc<Column>, spoken: Rc<[String]>) -> Rc<[WordId]> {
        let words = column.comment.iter().flat_map(|comment| identifier_words(comment));
        let comment: Rc<[WordId]> = words.map(|word| self.word(&word)).collect();
        let read = Read { spoken, comment: Rc::clone(&comment) };
        self.read.insert(Arc::as_ptr(column), read);
        comment
    }

    fn name(&mut self, name: Name) -> NameId {
        if let Some(&known) = self.known.get(&name) {
            return known;
        }
        let id = self.index.names.len() as NameId;
        let identifies = |&w: &WordId| IDENTIFIERS.contains(&&*self.words.word(w).text);
        self.index.identifying.push(name.own.iter().all(identifies));
        self.index.names.push(name.clone());
        self.index.named.push(Vec::new());
        self.known.insert(name, id);
        id
    }

    /// `eid` in a table of employees is the employee's id: a short form of a table's word that
    /// runs into one of [`SUFFIXES`] is two words.
    fn split_suffixes(&self, words: &[String], table: &Name) -> Vec<String> {
        let of_table = |part: &str| {
            table.all.iter().any(|&t| {
                let t = &self.words.word(t).text;
                t.starts_with(part) || is_abbreviation(part, t)
            })
        };
        let split = |word: &String| {
            SUFFIXES.iter().filter(|_| !WHOLE.contains(&&**word)).find_map(|suffix| {
                // fname is a first name, even in a table of faculties
                let least = if suffix.len() > 2 { 3 } else { 1 };
                let part = word.strip_suffix(suffix).filter(|p| p.len() >= least && of_table(p))?;
                Some(vec![part.to_owned(), (*suffix).to_owned()])
            })
        };
        words.iter().flat_map(|w| split(w).unwrap_or_else(|| vec![w.clone()])).collect()
    }

    /// Whether a column's word says no more than its table's name.
    fn repeats(&self, word: WordId, table: &Name) -> bool {
        let word = self.words.word(word);
        table.all.iter().any(|&t| {
            let t = self.words.word(t);
            t.stem == word.stem
                || t.text.starts_with(&word.text)
                || is_abbreviation(&word.text, &t.text)
        })
    }

    fn word(&mut self, text: &str) -> WordId {
        let id = self.words.place(text);
        self.index.entries.resize_with(self.words.len(), Entry::default);
        id
    }

    fn entry(&mut self, word: WordId) -> &mut Entry {
        &mut self.index.entries[word as usize]
    }

    fn finish(self) -> LexicalIndex {
        let mut index = LexicalIndex { vocabulary: self.words.finish(), ..self.index };
        for (id, (name, columns)) in (0..).zip(index.names.iter().zip(&index.named)) {
            for &word in name.all.iter().filter(|_| !columns.is_empty()) {
                let names = &mut index.entries[word as usize].names;
                if names.last() != Some(&id) {
                    names.push(id);
                }
            }
        }
        let total = index.columns.len() as f32;
        for entry in &mut index.entries {
            let columns = entry.names.iter().map(|&n| index.named[n as usize].len()).sum::<usize>();
            let used = (columns + entry.tables.len()).max(1) as f32;
            entry.idf = (1.0 + total / used).ln();
            entry.names.shrink_to_fit();
            entry.tables.shrink_to_fit();
            entry.comments.shrink_to_fit();
        }
        index
    }
}

impl LexicalIndex {
    /// Index a catalog.
    pub fn new(catalog: &Catalog) -> Self {
        let mut making = Making::default();
        for table in catalog.table_ids() {
            making.add_table(catalog, table);
        }
        making.finish()
    }

    /// Index the successor of the catalog that this is the index of; unchanged parts are taken
    /// over.
    pub fn after(&self, before: &Catalog, catalog: &Catalog) -> Self {
        let mut making = Making::after(self);
        let mut moved = vec![GONE; self.columns.len()];
        for (id, old) in catalog.table_ids().zip(catalog.same_words(before)) {
            match old {
                Some(old) => making.take_over(self, old, id, &mut moved),
                None => making.add_table(catalog, id),
            }
        }
        making.take_over_comments(self, &moved);
        let index = making.finish();
        if index.is_mostly_used() { index } else { Self::new(catalog) }
    }

    /// Whether most of its words and names are still in use.
    fn is_mostly_used(&self) -> bool {
        let words = self.entries.iter().filter(|e| e.is_used()).count();
        let names = self.named.iter().filter(|columns| !columns.is_empty()).count();
        let share = |used: usize, all: usize| used as f32 >= LEAST_USED * all as f32;
        share(words, self.entries.len()) && share(names, self.names.len())
    }

    fn entry(&self, word: WordId) -> &Entry {
        &self.entries[word as usize]
    }

    fn table_name(&self, table: TableId) -> &Name {
        &self.tables[table.0 as usize]
    }

    fn place(&self, column: ColumnId) -> Place {
        self.first[column.table.0 as usize] + Place::from(column.column)
    }

    fn name(&self, column: ColumnId) -> &Name {
        let (_, name) = self.columns[self.place(column) as usize];
        &self.names[name as usize]
    }

    /// The columns of these names, in the catalog's order.
    fn columns_of(&self, names: impl IntoIterator<Item = NameId>) -> Vec<ColumnId> {
        let mut names: Vec<NameId> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        let places = names.iter().flat_map(|&n| &self.named[n as usize]);
        let mut columns: Vec<ColumnId> =
            places.map(|&place| self.columns[place as usize].0).collect();
        columns.sort_unstable();
        columns
    }

    /// Name words that `word` may mean. Typing mistakes count only if nothing else matches.
    pub fn matches(&self, word: &Word) -> WordMatches {
        let mut found = self.vocabulary.forms(word);
        found.retain(|&id, _| self.entry(id).is_used());
        if found.is_empty() && word.text.len() >= 4 {
            found = self.vocabulary.typos(word);
            found.retain(|&id, _| self.entry(id).is_used());
        }
        WordMatches(found)
    }

    /// Whether a name has a form of `word`, typing mistakes aside.
    pub fn knows(&self, word: &Word) -> bool {
        !self.vocabulary.forms(word).is_empty()
    }

    /// The tables whose names have a word of this stem, or may have.
    pub fn tables_with(&self, stem: &str) -> Vec<TableId> {
        // those words are not in the lists
        if TABLE_NOISE.contains(&stem) {
            return (0..self.tables.len() as u32).map(TableId).collect();
        }
        let words = self.vocabulary.with_stem(stem).iter();
        words.flat_map(|&word| &self.entry(word).tables).copied().collect()
    }

    /// Name words that `words` make up together, as `stuid` does of student id.
    pub fn compounds(&self, words: &[&str]) -> WordMatches {
        let ids = self.vocabulary.compounds(words).filter(|&id| self.entry(id).is_used());
        WordMatches(ids.map(|id| (id, COMPOUND_LIKENESS)).collect())
    }

    /// Columns whose name every element of `phrase` helps to say; the table's words may help.
    /// Score: mean likeness × coverage of the column's own words.
    /// `whole`: the table's words do not help.
    pub fn columns_named(&self, phrase: &[&WordMatches], whole: bool) -> Vec<Scored<ColumnId>> {
        let words = phrase.iter().flat_map(|m| m.0.keys());
        let names = words.flat_map(|&w| self.entry(w).names.iter().copied());
        let mut scored: Vec<Scored<ColumnId>> = self
            .columns_of(names)
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
        // of two columns named in full, the one whose table was named too
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

/// A column's words as people say them: `opened_on` is an opening date, `LName` a last name like
/// `lname`.
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

#[cfg(test)]
mod tests;
