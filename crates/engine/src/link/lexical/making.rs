//! Making the index of a catalog, and that of a catalog that follows another.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::vocabulary::Builder;
use super::{Entry, LexicalIndex, Name, NameId, Place, WordId, parts};
use crate::catalog::{Catalog, Column, ColumnId, Table, TableId};
use crate::text::{identifier_words, is_abbreviation};

/// Words in table names that say nothing about the content.
pub(super) const TABLE_NOISE: &[&str] = &["dim", "fact", "ref", "tb", "tbl", "the", "of", "and"];

/// Words in column names that only connect the others.
const NAME_NOISE: &[&str] = &["a", "and", "for", "in", "of", "the", "to"];

/// Words that run together with a short form of the table's name, as in `eid`.
const SUFFIXES: &[&str] = &["id", "no", "num", "name", "code", "key", "title", "desc"];

/// Words that only look like such a short form: `paid` in payments is not a `pa` id.
const WHOLE: &[&str] = &["paid", "prepaid", "unpaid", "valid", "void"];

/// Words of a column that identifies the rows of its table.
const IDENTIFIERS: &[&str] = &["code", "id", "key", "name", "no", "num", "number", "title"];

/// No place: a column that no longer exists.
const GONE: Place = Place::MAX;

/// An index is rebuilt once less than this share of its words and names is in use.
const LEAST_USED: f32 = 0.75;

/// An index being made.
#[derive(Default)]
struct Making<'a> {
    words: Builder<'a>,
    index: LexicalIndex,
    known: HashMap<Name, NameId>,
    /// Words that were looked at for words that they run together.
    looked_at: HashSet<String>,
    /// Columns that were read, by their address: the same few come again in table after table.
    read: HashMap<*const Column, Read>,
}

/// A column's words: of its name as it is and as people say it, and of its comment.
#[derive(Clone)]
struct Read {
    name: Rc<[String]>,
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
            parts: before.parts.clone(),
            ..LexicalIndex::default()
        };
        index.entries.resize_with(words.len(), Entry::default);
        for (entry, old) in index.entries.iter_mut().zip(&before.entries) {
            entry.wholes.clone_from(&old.wholes);
        }
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

    /// The comments of tables that were taken over, `tables` of them, and of their columns.
    fn take_over_comments(
        &mut self,
        before: &LexicalIndex,
        moved: &[Place],
        tables: &HashMap<TableId, TableId>,
    ) {
        for (entry, old) in self.index.entries.iter_mut().zip(&before.entries) {
            let places = old.comments.iter().map(|&place| moved[place as usize]);
            entry.comments.extend(places.filter(|&place| place != GONE));
            entry.comments.sort_unstable();
            entry.told.extend(old.told.iter().filter_map(|table| tables.get(table)));
            entry.told.sort_unstable();
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
        let tells = |w: &&String| !TABLE_NOISE.contains(&w.as_str());
        let any = words.iter().any(|w| tells(&w));
        let telling = words.iter().filter(|w| !any || tells(w));
        let all: Box<[WordId]> = telling.map(|w| self.word(w)).collect();
        let name = Name { own: all.clone(), all };
        self.begin_table(id, &name);
        let prefix = self.index.prefixes.get(&table.schema).cloned();
        words.iter().for_each(|word| self.take_apart(word, prefix.as_deref()));
        let read: Vec<Read> = table.columns.iter().map(|column| self.read(column)).collect();
        let prefix = parts::shared_prefix(read.iter().filter_map(|read| read.name.first()));
        for word in read.iter().flat_map(|read| &*read.name) {
            self.take_apart(word, prefix.as_deref());
        }
        for (column, read) in catalog.column_ids(id).zip(&read) {
            self.add_column(column, read, &name);
        }
        for word in table.comment.iter().flat_map(|comment| identifier_words(comment)) {
            let word = self.word(&word);
            let told = &mut self.entry(word).told;
            if told.last() != Some(&id) {
                told.push(id);
            }
        }
        self.index.tables.push(name);
    }

    /// Note what a word of a name runs together.
    fn take_apart(&mut self, word: &str, prefix: Option<&str>) {
        if !self.looked_at.insert(word.to_owned()) {
            return;
        }
        let parts = parts::of(word, prefix);
        if parts.is_empty() {
            return;
        }
        let whole = self.word(word);
        let parts: Box<[WordId]> = parts.into_iter().map(|part| self.word(part)).collect();
        if self.index.parts.contains_key(&whole) {
            return; // known from before
        }
        for &part in &parts {
            self.entry(part).wholes.push(whole);
        }
        self.index.parts.insert(whole, parts);
    }

    fn read(&mut self, column: &Arc<Column>) -> Read {
        let address = Arc::as_ptr(column);
        if let Some(known) = self.read.get(&address) {
            return known.clone();
        }
        let comment = column.comment.iter().flat_map(|comment| identifier_words(comment));
        let comment = comment.map(|word| self.word(&word)).collect();
        let name: Rc<[String]> = identifier_words(&column.name).into();
        let spoken = spoken_words(column, &name).into();
        let read = Read { name, spoken, comment };
        self.read.insert(address, read.clone());
        read
    }

    fn add_column(&mut self, id: ColumnId, read: &Read, table: &Name) {
        let words = self.split_suffixes(&read.spoken, table);
        let telling = |w: &&String| words.len() == 1 || !NAME_NOISE.contains(&w.as_str());
        let all: Box<[WordId]> = words.iter().filter(telling).map(|w| self.word(w)).collect();
        let mut own: Box<[WordId]> =
            all.iter().copied().filter(|&w| !self.repeats(w, table)).collect();
        if own.is_empty() {
            own.clone_from(&all);
        }
        let name = self.name(Name { all, own });
        let place = self.push_column(id, name);
        for &word in &*read.comment {
            let comments = &mut self.entry(word).comments;
            if comments.last() != Some(&place) {
                comments.push(place);
            }
        }
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
            entry.told.shrink_to_fit();
        }
        index
    }
}

impl LexicalIndex {
    /// Index a catalog.
    pub fn new(catalog: &Catalog) -> Self {
        let mut making = Making::default();
        making.index.prefixes = prefixes(catalog);
        for table in catalog.table_ids() {
            making.add_table(catalog, table);
        }
        making.finish()
    }

    /// Index the successor of the catalog that this is the index of; unchanged parts are taken
    /// over.
    pub fn after(&self, before: &Catalog, catalog: &Catalog) -> Self {
        let mut making = Making::after(self);
        making.index.prefixes = prefixes(catalog);
        if making.index.prefixes != self.prefixes {
            return Self::new(catalog);
        }
        let mut moved = vec![GONE; self.columns.len()];
        let mut tables = HashMap::new();
        for (id, old) in catalog.table_ids().zip(catalog.same_words(before)) {
            match old {
                Some(old) => {
                    making.take_over(self, old, id, &mut moved);
                    tables.insert(old, id);
                }
                None => making.add_table(catalog, id),
            }
        }
        making.take_over_comments(self, &moved, &tables);
        let index = making.finish();
        if index.is_mostly_used() { index } else { Self::new(catalog) }
    }

    /// Whether most of its words and names are still in use.
    fn is_mostly_used(&self) -> bool {
        let words = self.entries.iter().filter(|e| e.is_kept()).count();
        let names = self.named.iter().filter(|columns| !columns.is_empty()).count();
        let share = |used: usize, all: usize| used as f32 >= LEAST_USED * all as f32;
        share(words, self.entries.len()) && share(names, self.names.len())
    }
}

/// A column's words as people say them: `opened_on` is an opening date, `LName` a last name like
/// `lname`.
fn spoken_words(column: &Column, name: &[String]) -> Vec<String> {
    let mut words = name.to_vec();
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

/// The prefix that the names of a schema's tables share, for the schemas where they do.
fn prefixes(catalog: &Catalog) -> HashMap<String, String> {
    let of_schema = |tables: &[Arc<Table>]| {
        let first = |table: &Arc<Table>| identifier_words(&table.name).into_iter().next();
        let words: Vec<String> = tables.iter().filter_map(first).collect();
        Some((tables[0].schema.clone(), parts::shared_prefix(words.iter())?))
    };
    catalog.tables.chunk_by(|a, b| a.schema == b.schema).filter_map(of_schema).collect()
}
