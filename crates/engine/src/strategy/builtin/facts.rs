//! What the schema says of its tables and columns: what names a row, what is a person, which date says
//! when a row happened.

use elsa::sync::FrozenMap;
use once_cell::race::OnceBox;
use once_cell::sync::OnceCell;
use std::collections::BTreeSet;

use crate::catalog::{Catalog, ColumnId, ForeignKey, KeyId, TableId};
use crate::text::{identifier_words, stem};

use super::words::lexicon::{self, LEXICON, Words};

/// What is known of each table, found out at the first question that asks, and kept with the catalog.
pub struct Known {
    /// Of most tables nothing is ever asked.
    tables: Box<[OnceBox<TableFacts>]>,
    /// The words of columns' names, once for all columns of a name.
    names: FrozenMap<Box<str>, Box<Name>>,
}

#[derive(Default)]
struct TableFacts {
    name: OnceCell<Box<Name>>,
    kinds: OnceCell<Box<[TableId]>>,
    display: OnceCell<Box<[ColumnId]>>,
    called: OnceCell<Option<Box<[ColumnId]>>>,
    event_dates: OnceCell<Box<[ColumnId]>>,
    people: OnceCell<bool>,
    example: OnceCell<String>,
}

/// The words of a name, and their stems.
struct Name {
    words: Box<[String]>,
    stems: Box<[String]>,
}

impl Name {
    fn of(name: &str) -> Self {
        let words: Box<[String]> = identifier_words(name).into();
        Self { stems: words.iter().map(|word| stem(word)).collect(), words }
    }
}

/// The facts of one catalog.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    catalog: &'a Catalog,
    known: &'a Known,
    /// Columns of text that hold nothing but numbers, where the data was asked.
    numerals: &'a BTreeSet<ColumnId>,
}

impl<'a> Facts<'a> {
    /// Those of a catalog.
    pub fn of(catalog: &'a Catalog) -> Self {
        let known = catalog.facts(|catalog| Known {
            tables: catalog.table_ids().map(|_| OnceBox::new()).collect(),
            names: FrozenMap::default(),
        });
        Self { catalog, known, numerals: const { &BTreeSet::new() } }
    }

    /// The same, where these columns of text are known to hold nothing but numbers.
    pub fn with_numerals(self, numerals: &'a BTreeSet<ColumnId>) -> Self {
        Self { numerals, ..self }
    }

    fn table(&self, table: TableId) -> &'a TableFacts {
        self.known.tables[table.0 as usize].get_or_init(Box::default)
    }

    fn name(&self, table: TableId) -> &'a Name {
        self.table(table).name.get_or_init(|| Name::of(self.catalog.table_name(table)).into())
    }

    fn column(&self, column: ColumnId) -> &'a Name {
        let (name, known) = (self.catalog.column_name(column), &self.known.names);
        known.get(name).unwrap_or_else(|| known.insert(name.into(), Name::of(name).into()))
    }

    /// The words of a table's name.
    pub fn table_words(&self, table: TableId) -> &'a [String] {
        &self.name(table).words
    }

    /// The stems of the words of a table's name.
    pub fn table_stems(&self, table: TableId) -> &'a [String] {
        &self.name(table).stems
    }

    /// The words of a column's name.
    pub fn words(&self, column: ColumnId) -> &'a [String] {
        &self.column(column).words
    }

    /// The stems of the words of a column's name.
    pub fn stems(&self, column: ColumnId) -> &'a [String] {
        &self.column(column).stems
    }

    /// The tables whose rows the rows of a table are as well: those that a unique key of it refers to,
    /// and the people that a table refers to which is called by a noun for some of them. Gymnasts are
    /// people, so their names, heights and ages are stored with the people.
    pub fn kinds(&self, table: TableId) -> &'a [TableId] {
        self.table(table).kinds.get_or_init(|| {
            let last_word = |t| self.table_words(t).last().map_or("", String::as_str);
            let own = self.catalog.table(table);
            // who heads a department is no department
            let one_each = |k: &ForeignKey| {
                own.primary_key == k.from_columns
                    || own.is_unique_over(&k.from_columns) && !self.catalog.is_role(k)
            };
            let anybody =
                |k: &ForeignKey| matches!(last_word(k.to), "people" | "person" | "persons");
            let some_of_them = lexicon::is_person(last_word(table));
            // what identifies a professor is the number of an employee
            let identity = |k: &ForeignKey| {
                let first = own.primary_key.is_empty() && k.from_columns == [0];
                first && lexicon::is_person(last_word(k.to))
            };
            let is_kind =
                |k: &&ForeignKey| one_each(k) || some_of_them && (anybody(k) || identity(k));
            self.keys_from(table).filter(|k| k.to != table).filter(is_kind).map(|k| k.to).collect()
        })
    }

    /// Whether each row of one table is a row of the other, or the other way round.
    pub fn are_one(&self, one: TableId, other: TableId) -> bool {
        self.kinds(one).contains(&other) || self.kinds(other).contains(&one)
    }

    /// Whether a column holds numbers.
    pub fn numeric(&self, column: ColumnId) -> bool {
        (self.has_numbers(column) || self.numerals.contains(&column)) && !self.tells_rows(column)
    }

    /// Whether a column tells rows apart or refers to them, by a key or by its name.
    pub fn tells_rows(&self, column: ColumnId) -> bool {
        self.is_key(column) || self.is_id(column)
    }

    /// Whether a column is called the number of a row, whether a key says of which or not.
    pub fn is_id(&self, column: ColumnId) -> bool {
        self.words(column).last().is_some_and(|word| word == "id")
    }

    /// Whether a column's type is text, whatever its name says.
    pub fn has_text(&self, column: ColumnId) -> bool {
        self.catalog.column_class(column).is_textual()
    }

    /// Whether a column's type is that of numbers.
    pub fn has_numbers(&self, column: ColumnId) -> bool {
        self.catalog.column_class(column).is_numeric()
    }

    /// Whether a column's type is that of dates or times.
    pub fn has_dates(&self, column: ColumnId) -> bool {
        self.catalog.column_class(column).is_temporal()
    }

    /// Whether a column may be empty.
    pub fn optional(&self, column: ColumnId) -> bool {
        self.catalog.column(column).nullable
    }

    /// Whether no two rows have the same in a column.
    pub fn unique(&self, column: ColumnId) -> bool {
        self.catalog.table(column.table).is_unique_over(&[column.column])
    }

    /// Whether a column holds dates or times, by its type or its name.
    pub fn temporal(&self, column: ColumnId) -> bool {
        self.has_dates(column) || self.says(column, Words::Dated)
    }

    /// Whether a column is a key or points to one.
    pub fn is_key(&self, column: ColumnId) -> bool {
        self.catalog.table(column.table).primary_key == [column.column] || self.is_foreign(column)
    }

    /// Whether a column points to another table.
    pub fn is_foreign(&self, column: ColumnId) -> bool {
        self.key_of(column).is_some()
    }

    /// The table that a column points to.
    pub fn refers_to(&self, column: ColumnId) -> Option<TableId> {
        self.key_of(column).map(|key| self.catalog.key(key).to)
    }

    /// The key that a column alone is to another row.
    pub fn key_of(&self, column: ColumnId) -> Option<KeyId> {
        let mut keys = self.catalog.joins().keys_from(column.table).iter().copied();
        keys.find(|&k| self.catalog.key(k).from_columns == [column.column])
    }

    /// Whether a column holds numbers or times: what is compared, ranked or averaged.
    pub fn measures(&self, column: ColumnId) -> bool {
        self.numeric(column) || self.temporal(column)
    }

    /// The keys by which a table refers to others.
    pub fn keys_from(&self, table: TableId) -> impl Iterator<Item = &'a ForeignKey> + use<'a> {
        let catalog = self.catalog;
        catalog.joins().keys_from(table).iter().map(|&k| catalog.key(k))
    }

    /// Whether a column is called as whoever does something is: "director", "directed by".
    pub fn says_who(&self, column: ColumnId) -> bool {
        let does = |word: &String| Words::Doers.all().iter().any(|end| word.ends_with(end));
        let who = |word: &String| word == "by" || does(word) || lexicon::is_person(word);
        self.words(column).iter().any(who)
    }

    /// Whether the column's name has one of these words.
    pub fn column_says(&self, column: ColumnId, words: &[&str]) -> bool {
        self.words(column).iter().any(|word| words.contains(&word.as_str()))
    }

    /// Whether the column's name has one of the words of a group.
    pub fn says(&self, column: ColumnId, words: Words) -> bool {
        self.column_says(column, words.all())
    }

    /// Whether a column holds one half of the name of a person: `first_name`, `fname`, `LName`.
    fn is_name_half(&self, column: ColumnId, half: Words) -> bool {
        let initial = |word: &String| word.len() == 1 && half.all()[0].starts_with(&**word);
        let name = |word: &String| word.ends_with("name") || word == "nm";
        let words = self.words(column);
        words.iter().any(|w| half.has(w) || initial(w)) && words.iter().any(name)
    }

    /// The columns that stand for a row of the table when people speak of it: its name, first
    /// and last name or title; else what identifies it.
    pub fn display(&self, table: TableId) -> Vec<ColumnId> {
        self.table(table).display.get_or_init(|| self.find_display(table)).to_vec()
    }

    fn find_display(&self, table: TableId) -> Box<[ColumnId]> {
        let find = |wanted: &dyn Fn(&ColumnId) -> bool| self.catalog.column_ids(table).find(wanted);
        let says = |words: &[&str]| find(&|c| self.column_says(*c, words) && !self.is_foreign(*c));
        let exact = |word| find(&|c| self.catalog.column_name(*c).eq_ignore_ascii_case(word));
        let half = |which| find(&|c| self.is_name_half(*c, which) && !self.is_foreign(*c));
        if let (Some(first), Some(last)) = (half(Words::FirstName), half(Words::LastName)) {
            return [first, last].into();
        }
        // `proj_name` beside the key `proj_id`
        let key = || self.sole_key(table);
        let own_words = key().map_or(&[][..], |key| self.words(key));
        let prefix = own_words.split_last().map_or(&[][..], |(_, prefix)| prefix);
        let own = |nouns: &[&str]| {
            find(&|c| {
                let ([.., owner, _], [before @ .., noun]) = (self.stems(*c), self.words(*c)) else {
                    return false;
                };
                let of_rows = self.table_stems(table).last() == Some(owner) || before == prefix;
                nouns.contains(&&**noun) && of_rows
            })
        };
        // the number on the door, where the key is another
        let own_number = || own(Words::Identifiers.all()).filter(|c| !self.is_key_part(*c));
        // of accidents each has a report of its own; "company name" of invoices is somebody's
        let people = self.is_people(table);
        let happened = !self.event_dates(table).is_empty() && !people;
        // the title of somebody is that of a post
        let called = &["name", "nm", "title"][..if people { 2 } else { 3 }];
        let told_apart = |c: &ColumnId| self.catalog.table(table).is_unique_over(&[c.column]);
        let unique = |c: &ColumnId| told_apart(c) && self.has_text(*c) && !self.is_key_part(*c);
        exact("name")
            .or_else(|| exact("title").filter(|_| !people))
            .or_else(|| own(called))
            .or_else(|| own_number().filter(|_| happened))
            .or_else(|| says(called).filter(|c| !self.names_another(*c)))
            .or_else(|| says(Words::Labels.all()))
            .or_else(|| find(&|c| self.stems(*c) == self.table_stems(table)))
            .or_else(|| says(&["company"]).filter(|_| self.kinds(table).is_empty()))
            .or_else(|| says(Words::Descriptions.all()).filter(|_| !happened))
            .or_else(own_number)
            .or_else(|| find(&unique))
            .or_else(key)
            .or_else(|| find(&|_| true))
            .into_iter()
            .collect()
    }

    /// "ship name" of orders: what happens has no name, and this one is of something else. People who
    /// were hired on a day did not happen.
    fn names_another(&self, column: ColumnId) -> bool {
        let dated = |c| self.has_dates(c) && !self.is_birth_date(c);
        self.words(column).len() > 1
            && self.catalog.column_ids(column.table).any(dated)
            && !self.is_people(column.table)
            && !Words::Whole.has(&self.words(column)[0])
            && self.keys_from(column.table).any(|k| k.to != column.table)
    }

    /// [`Self::display`], and where that is only a key, what those are called that the thing is a
    /// kind of: a gymnast by the name of the person.
    pub fn display_kind(&self, table: TableId) -> Vec<ColumnId> {
        let named = |t: &TableId| !self.display(*t).iter().all(|&c| self.is_key(c));
        let kinds = self.kinds(table).iter().copied();
        self.display(std::iter::once(table).chain(kinds).find(named).unwrap_or(table))
    }

    /// What the thing is called where its "name" is asked for: [`Self::display_kind`], and where
    /// that is only a key, what describes it.
    pub fn called(&self, table: TableId) -> Option<Vec<ColumnId>> {
        self.table(table)
            .called
            .get_or_init(|| {
                let shown = self.display_kind(table);
                if !shown.iter().all(|&c| self.is_key(c)) {
                    return Some(shown.into());
                }
                let described = |c: &ColumnId| self.column_says(*c, &["details", "description"]);
                Some([self.catalog.column_ids(table).find(described)?].into())
            })
            .as_ref()
            .map(|called| called.to_vec())
    }

    /// Whether the column's name has a word of one of these stems.
    pub fn says_stem(&self, column: ColumnId, stems: &[String]) -> bool {
        self.stems(column).iter().any(|word| stems.contains(word))
    }

    /// Whether a column is what a verb or a unit measures: the price that something costs.
    pub fn is_measure_by(&self, column: ColumnId, word: &str) -> bool {
        LEXICON.measured_by.get(word).is_some_and(|nouns| self.says_stem(column, nouns))
    }

    /// The only column of a table that measures something: the stars of a rating.
    pub fn sole_measure(&self, table: TableId) -> Option<ColumnId> {
        let flag = |c| self.words(c).first().is_some_and(|word| Words::Flags.has(word));
        let other = |c| self.temporal(c) || flag(c);
        only(self.catalog.column_ids(table).filter(|&c| self.numeric(c) && !other(c)))
    }

    /// The only column of a table that holds dates or times.
    pub fn sole_date(&self, table: TableId) -> Option<ColumnId> {
        only(self.catalog.column_ids(table).filter(|&c| self.has_dates(c)))
    }

    /// Whether a column says on which day somebody was born.
    pub fn is_birth_date(&self, column: ColumnId) -> bool {
        self.is_calendar(column) && self.says(column, Words::Birth)
    }

    /// Whether a column holds whole dates rather than year numbers.
    pub fn is_calendar(&self, column: ColumnId) -> bool {
        let as_text = !self.has_numbers(column) && self.temporal(column);
        self.has_dates(column) || as_text && !self.column_says(column, &["year"])
    }

    /// The only column that says when a row of the table happened: nobody comes first by being born.
    pub fn event_date(&self, table: TableId) -> Option<ColumnId> {
        only(self.event_dates(table)).filter(|&date| !self.says(date, Words::Birth))
    }

    /// The columns that may say when a row of the table happened; several where nothing tells
    /// them apart: departure and arrival.
    pub fn event_dates(&self, table: TableId) -> Vec<ColumnId> {
        self.table(table).event_dates.get_or_init(|| self.find_event_dates(table).into()).to_vec()
    }

    fn find_event_dates(&self, table: TableId) -> Vec<ColumnId> {
        let dated = |c| self.has_dates(c) || self.column_says(c, &["date", "year"]);
        let is_date = |c: &ColumnId| dated(*c) && !self.is_key(*c);
        let mut dates: Vec<ColumnId> = self.catalog.column_ids(table).filter(is_date).collect();
        let prefer = |dates: &mut Vec<ColumnId>, wanted: &dyn Fn(&ColumnId) -> bool| {
            if dates.iter().any(wanted) {
                dates.retain(wanted);
            }
        };
        // dates before year numbers
        prefer(&mut dates, &|c| self.is_calendar(*c));
        // what has an end lasts: being "in June" is not beginning then
        let begins = |c: &ColumnId| self.says(*c, Words::Start);
        let ends = |c: &ColumnId| self.says(*c, Words::End);
        if dates.iter().any(begins) && dates.iter().any(ends) {
            dates.retain(|c| begins(c) || ends(c));
            return dates;
        }
        // ordered_at of orders, sale_date of sales
        let own = self.table_stems(table);
        let kin = |c: &ColumnId| self.stems(*c).iter().any(|w| own.iter().any(|o| related(o, w)));
        prefer(&mut dates, &kin);
        for words in [Words::Kept, Words::Aside] {
            prefer(&mut dates, &|c| !self.says(*c, words));
        }
        // what each row has from the beginning before what comes later, or never
        prefer(&mut dates, &|c| !self.optional(*c));
        dates
    }

    /// Whether a table's rows are people: by its name, or by what only people have.
    pub fn is_people(&self, table: TableId) -> bool {
        *self.table(table).people.get_or_init(|| {
            let named = self.table_words(table).last().is_some_and(|w| lexicon::is_person(w));
            let half = |c, half| self.is_name_half(c, half);
            let named_so = |c| half(c, Words::FirstName) || half(c, Words::LastName);
            let own = |c| self.says(c, Words::Personal) || named_so(c);
            // what only links people with something is nobody
            (named || self.catalog.column_ids(table).any(own)) && !links(self.catalog, table)
        })
    }

    /// A question about a table that has an answer, as a command, once one was found.
    pub fn example(&self, table: TableId) -> &'a OnceCell<String> {
        &self.table(table).example
    }

    /// The people that a table's rows are, or that they are joined with by the fewest keys.
    pub fn nearest_people(&self, table: TableId) -> Option<TableId> {
        let start = BTreeSet::from([table]);
        let mut people =
            self.catalog.joins().by_distance(&start).filter(|(t, _)| self.is_people(*t));
        let (nearest, far) = people.next()?;
        people.next().is_none_or(|(_, other)| far < other).then_some(nearest)
    }

    /// Whether the column stands for the row rather than for a property that many rows share.
    pub fn identifies(&self, column: ColumnId) -> bool {
        self.display(column.table).contains(&column)
            || self.called(column.table).is_some_and(|called| called.contains(&column))
            || self.catalog.table(column.table).primary_key == [column.column]
    }

    /// The column that is a table's primary key.
    pub fn sole_key(&self, table: TableId) -> Option<ColumnId> {
        only(self.key_columns(table))
    }

    /// The columns of a table's primary key.
    pub fn key_columns(&self, table: TableId) -> Vec<ColumnId> {
        let key = &self.catalog.table(table).primary_key;
        key.iter().map(|&column| ColumnId { table, column }).collect()
    }

    /// The columns that hold the same as `column` where their tables are joined.
    pub fn same_by_key(&self, column: ColumnId) -> impl Iterator<Item = ColumnId> + '_ {
        let catalog = self.catalog;
        let keys = catalog.joins().keys_at(column.table).into_iter();
        let pairs = keys.flat_map(move |k| catalog.key(k).column_pairs());
        let ends = pairs.flat_map(|(from, to)| [(from, to), (to, from)]);
        ends.filter(move |(own, _)| *own == column).map(|(_, other)| other)
    }

    /// The table whose rows a column tells apart together with others, whose own it is not: the last
    /// of several columns of its key, and none that refers to another table.
    pub fn told_apart_by(&self, column: ColumnId) -> Option<TableId> {
        let ends = self.keys_from(column.table).filter(|k| k.from_columns.len() > 1);
        let referred = ends.flat_map(|k| k.column_pairs()).find(|(from, _)| *from == column);
        let own = referred.map_or(column, |(_, to)| to);
        let key = &self.catalog.table(own.table).primary_key;
        let last = key.len() > 1 && key.last() == Some(&own.column);
        let refers = |c: &u16| {
            let column = ColumnId { table: own.table, column: *c };
            self.keys_from(own.table).any(|k| k.column_pairs().any(|(from, _)| from == column))
        };
        (last && !self.temporal(own) && !key.iter().any(refers)).then_some(own.table)
    }

    pub fn is_key_part(&self, column: ColumnId) -> bool {
        self.catalog.table(column.table).primary_key.contains(&column.column)
            || self.keys_from(column.table).any(|k| k.from_columns.contains(&column.column))
    }

    /// Whether a column is called by several things: it holds how many there are.
    pub fn says_several(&self, column: ColumnId) -> bool {
        let Name { words, stems } = self.column(column);
        words.iter().zip(stems).any(|(word, stem)| word.ends_with('s') && stem != word)
    }
}

/// The only one, where there are no others.
pub fn only<T>(items: impl IntoIterator<Item = T>) -> Option<T> {
    let mut items = items.into_iter();
    items.next().filter(|_| items.next().is_none())
}

/// "ship" and "shipment": one stem begins the other.
pub fn related(one: &str, other: &str) -> bool {
    let shorter = one.len().min(other.len());
    shorter >= 3 && (one.starts_with(other) || other.starts_with(one))
}

/// Whether a table does nothing but link others: its primary key, or all of it, refers to them.
pub fn links(catalog: &Catalog, table: TableId) -> bool {
    let keys = catalog.joins().keys_from(table).iter().map(|&k| catalog.key(k));
    let (ends, columns): (BTreeSet<TableId>, Vec<&[u16]>) =
        keys.map(|k| (k.to, &*k.from_columns)).unzip();
    let own = catalog.table(table);
    let all: Vec<u16> = catalog.column_ids(table).map(|c| c.column).collect();
    let identity = if own.primary_key.is_empty() { &all } else { &own.primary_key };
    ends.len() > 1 && identity.iter().all(|c| columns.concat().contains(c))
}
