//! Spans that name tables and columns: whole names, heads that several names share, names run
//! together.

use std::rc::Rc;

use crate::catalog::{ColumnId, TableId, TableKind};
use crate::link::{Scored, WordMatches};
use crate::strategy::builtin::facts::related;
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;
use crate::text::{identifier_words, stem};

use super::evidence::{Candidate, Finder, Unit, UnitKind, word_text};
use super::lexicon::{self, Key, Kind, LEXICON, Words, is_participle};
use super::stored::singular;
use super::tokens::{Token, TokenKind};

/// Longest span taken for a name, in content words.
const NAME_WORDS: usize = 4;
/// Least score of a table that is the owner in "address of the customer": its name, or a synonym of it.
const OWNER: f32 = 0.8;
/// Name candidates kept a span.
const CANDIDATES: usize = 200;

impl Finder<'_> {
    pub fn name(&self, first: usize, last: usize) -> Option<Candidate> {
        let span = &self.tokens[first..last];
        let content: Vec<usize> = (first..last)
            .filter(|&i| last - first == 1 || !Words::Connective.has(&self.tokens[i].text))
            .collect();
        if last - first == 1 && (self.belongs_to_name(first) || self.is_request(first)) {
            return None;
        }
        // "players coached by" are players
        let passive = last - first == 2
            && self.is_table_word(first, first + 1)
            && self.is_plural_owner(first, last)
            && is_participle(self.word(last - 1))
            && self.word(last) == "by";
        if last - first > 1 && (self.is_action(first) || passive) {
            return None;
        }
        let ends = *content.first()? == first && *content.last()? == last - 1;
        let words = span.iter().all(|t| word_text(t).is_some());
        // "pupil ids of pupils" are two names
        let same = |i: usize, j: usize| self.tokens[i].stem == self.tokens[j].stem;
        let twice = |&i: &usize| content.iter().filter(|&&j| same(i, j)).count() > 1;
        if !ends || !words || content.len() > NAME_WORDS || content.iter().any(twice) {
            return None;
        }
        let held = content.len() < span.len();
        if held && self.is_owned(&content) {
            return None;
        }
        let whole = held || self.is_plural_owner(first, last);
        let mut unit = self.unit(UnitKind::Name, first, last);
        self.add_names(&mut unit, &content, whole);
        if held && self.says_number(first) {
            // "the number of invoices" is no invoice_number
            unit.columns.retain(|c| !self.facts.is_key_part(c.item));
        }
        if let Some(key) = self.number_of(&content, &unit) {
            (unit.columns, unit.tables) = (vec![key], Vec::new());
        }
        let best = unit.column_score().max(unit.table_score());
        if best < 0.5 {
            return None;
        }
        // words that hold a name together count with it where the name is said in full
        let said = if self.says_number(content[0]) { 0.95 } else { 0.88 };
        let n = if best >= said { span.len() } else { content.len() } as f32;
        let worth = n * (0.5 + 0.5 * best) + 0.12 * (n - 1.0) + 0.3 * (span.len() as f32 - n);
        Some(Candidate { unit, length: last - first, worth })
    }

    /// "the RAM size", "a snatch score of": a noun that only says of what kind the column before it
    /// is belongs to its name, where the two name nothing else.
    pub fn of_kind(&self, first: usize, last: usize) -> Option<Candidate> {
        let noun = last - 1;
        let kind = *LEXICON.kinds.get(self.word(noun))?;
        if noun == first || self.name(first, last).is_some() {
            return None;
        }
        let mut named = self.name(first, noun)?;
        let whole = named.unit.column_score();
        named.unit.columns.retain(|c| self.is_kind(c.item, kind));
        let column = named.unit.column_score();
        let vague = kind != Kind::Number && column < 0.9;
        if column == 0.0 || column < whole || column < named.unit.table_score() || vague {
            return None;
        }
        // an amount beside the price is another; a name is beside everything
        let beside = self.columns_of(noun);
        let own = |c: ColumnId| beside.iter().any(|b| b.item.table == c.table && b.score >= 0.9);
        if kind != Kind::Text && named.unit.columns.iter().any(|c| own(c.item)) {
            return None;
        }
        named.unit.tables.clear();
        named.unit.text = self.phrase(first, last);
        Some(Candidate { length: named.length + 1, worth: named.worth + 1.1, ..named })
    }

    fn is_kind(&self, column: ColumnId, kind: Kind) -> bool {
        let class = self.catalog.column_class(column);
        let fits = match kind {
            Kind::Number => class.is_numeric(),
            Kind::Time => class.is_temporal(),
            Kind::Text => class.is_textual(),
        };
        fits && !self.facts.is_key_part(column)
    }

    /// "email address of the customer": the last word is the owner, not a part of the name, as it
    /// is in "number of employees".
    fn is_owned(&self, content: &[usize]) -> bool {
        let [first, .., last] = content else { return false };
        !self.says_number(*first) && self.table_score(*last) >= OWNER
    }

    /// "department number", where departments have no such column: what identifies them.
    fn number_of(&self, content: &[usize], unit: &Unit) -> Option<Scored<ColumnId>> {
        let (noun, thing) = content.split_last().filter(|(_, thing)| !thing.is_empty())?;
        if !Words::Identifiers.has(self.word(*noun)) || unit.column_score() >= 0.8 {
            return None;
        }
        let words: Vec<&WordMatches> = thing.iter().map(|&i| &self.matches[i]).collect();
        let table = self.tables_of_all(&words).first().filter(|t| t.score >= 0.99)?.item;
        Some(Scored { item: self.facts.sole_key(table)?, score: 0.9 })
    }

    /// "number of employees" counts, unless it is a column's name.
    fn says_number(&self, at: usize) -> bool {
        matches!(self.word(at), "number" | "amount" | "total" | "count")
    }

    /// "wines scoring": a plural before the column's word is a subject, not part of a name.
    fn is_plural_owner(&self, first: usize, last: usize) -> bool {
        let token = &self.tokens[first];
        last - first > 1 && token.text.ends_with('s') && token.stem != token.text
    }

    /// Add the columns and tables that the tokens name together, best first. `whole`: the words of its
    /// table do not help to name a column.
    fn add_names(&self, unit: &mut Unit, content: &[usize], whole: bool) {
        let matches: Vec<&WordMatches> = content.iter().map(|&i| &self.matches[i]).collect();
        let compound = self.compound(content);
        // what all of the words name, and what they name as one word
        let all = matches.iter().all(|m| !m.is_empty()).then_some(&matches[..]);
        let one = compound.as_ref().map(|compound| [compound]);
        let ways = || all.into_iter().chain(one.iter().map(|one| &one[..]));
        let is_thing = self.things(content);
        let is_deed = self.deeds(content);
        let other = |c: &&Scored<ColumnId>| {
            !is_thing(c.item) && !is_deed(self.facts.words(c.item), self.facts.stems(c.item))
        };
        let columns = self.named.meant(&matches, compound.as_ref(), whole, || {
            let found = ways().flat_map(|words| self.columns_of_all(words, whole).to_vec());
            let mut columns: Vec<_> = found.filter(|c| self.is_found(c.item.table)).collect();
            // those of views count less
            for column in columns.iter_mut().filter(|c| self.is_derived(c.item.table)) {
                column.score *= 0.75;
            }
            columns.sort_by(|a, b| b.score.total_cmp(&a.score));
            columns
        });
        unit.columns = columns.iter().filter(other).take(CANDIDATES).copied().collect();
        unit.tables = ways().flat_map(|words| self.tables_of_all(words).to_vec()).collect();
        unit.tables.sort_by(|a, b| b.score.total_cmp(&a.score));
        // a view is meant only where it is named in full: "total orders" are no order_totals
        let said: Vec<&str> = content.iter().map(|&i| &*self.tokens[i].stem).collect();
        let in_order = |t: TableId| self.facts.table_stems(t).iter().eq(said.iter().copied());
        unit.tables.retain(|t| {
            let named = || t.score >= 0.95 && in_order(t.item);
            let deed = is_deed(self.facts.table_words(t.item), self.facts.table_stems(t.item));
            !deed && self.is_found(t.item) && (!self.is_derived(t.item) || named())
        });
        unit.tables.truncate(CANDIDATES);
    }

    /// The tables that a word names, best first.
    pub fn tables_of(&self, at: usize) -> Rc<[Scored<TableId>]> {
        self.tables_of_all(&[&self.matches[at]])
    }

    /// How well a word names the best of them.
    pub fn table_score(&self, at: usize) -> f32 {
        self.tables_of(at).first().map_or(0.0, |table| table.score)
    }

    /// The columns that a word names without the help of their tables, best first.
    pub fn columns_of(&self, at: usize) -> Rc<[Scored<ColumnId>]> {
        self.columns_of_all(&[&self.matches[at]], true)
    }

    fn columns_of_all(&self, words: &[&WordMatches], whole: bool) -> Rc<[Scored<ColumnId>]> {
        self.named.columns(words, whole, || self.index.columns_named(words, whole))
    }

    fn tables_of_all(&self, words: &[&WordMatches]) -> Rc<[Scored<TableId>]> {
        self.named.tables(words, || self.index.tables_named(words))
    }

    /// "severe allergies", "electric cars" are allergies and cars: a column of theirs is called so only
    /// where its own name says as much.
    fn things(&self, content: &[usize]) -> impl Fn(ColumnId) -> bool + use<'_> {
        let noun = |last: &&usize| {
            let at = **last;
            let thing = self.is_table_word(at, at + 1) || !is_participle(&self.tokens[at].text);
            content.len() > 1 && thing
        };
        let last = content.last().filter(noun);
        let head = last.map(|&last| &self.tokens[last].stem);
        let tables = last.map(|&last| self.tables_of(last));
        let owns = move |table: TableId| {
            let mut tables = tables.iter().flat_map(|tables| tables.iter());
            tables.any(|t| t.item == table && t.score >= TABLE_CERTAIN)
        };
        move |column| {
            head.is_some_and(|head| !self.facts.stems(column).contains(head)) && owns(column.table)
        }
    }

    /// "publisher" is whoever publishes, and no `published_year`; employers are no employees, nor are
    /// purchasers purchases, nor applications applicants: which names, by their words and stems, are not
    /// of whom or of what one word says.
    fn deeds(&self, content: &[usize]) -> impl Fn(&[String], &[String]) -> bool + use<'_> {
        let ends = |word: &str, all: &[&str]| all.iter().any(|end| singular(word).ends_with(end));
        let acts = move |word: &str| ends(word, &["er", "or"]);
        let deed = move |word: &str| ends(word, Words::Deeds.all());
        let doer = move |word: &str| ends(word, Words::Doers.all()) && !deed(word);
        let said = match content {
            [only] => Some(&self.tokens[*only]),
            _ => None,
        };
        let agent = said.is_some_and(|token| is_agent(&token.text));
        let root = move |stem: &str, own: &str| agent && related(stem, own) || stem == own;
        move |words, stems| {
            let Some(said) = said else { return false };
            let same = words.iter().zip(stems).filter(|(_, stem)| root(stem, &said.stem));
            let mut same = same.map(|(word, _)| word).peekable();
            // `organized_by` is the organizer
            let by = words.last().is_some_and(|word| word == "by");
            let done = |word: &String| {
                let other = deed(&said.text) && doer(word) || doer(&said.text) && deed(word);
                let other_word = agent && !acts(word) && lexicon::is_english(&singular(word));
                other || acts(&said.text) && (is_participle(word) || other_word)
            };
            !by && same.peek().is_some() && same.all(done)
        }
    }

    /// Whether a table is the one that its bare name stands for: of live.orders and archive.orders, what the
    /// search path finds first.
    pub fn is_found(&self, table: TableId) -> bool {
        let same = || self.catalog.tables_named(None, self.catalog.table_name(table)).into_iter();
        let first = |t: TableId| self.catalog.is_visible(t) && self.scope.contains(t);
        self.scope.contains(table) && (self.catalog.is_visible(table) || !same().any(first))
    }

    /// A view repeats what its tables hold.
    pub fn is_derived(&self, table: TableId) -> bool {
        matches!(self.catalog.table_kind(table), TableKind::View | TableKind::MaterializedView)
    }

    /// A word whose head stands after a later one: "first" in "first and last names".
    pub fn shared_head(&self, first: usize) -> Option<Candidate> {
        let separates = |i: usize| {
            let joins = |t: &Token| t.kind == TokenKind::Comma || matches!(&*t.text, "and" | "or");
            self.tokens.get(i).is_some_and(joins)
        };
        word_text(&self.tokens[first]).filter(|_| separates(first + 1))?;
        let mut last = first;
        for _ in 0..3 {
            if separates(last + 1) {
                last = (last + 1..).find(|&i| !separates(i))?;
                word_text(self.tokens.get(last)?)?;
            }
        }
        let head = self.tokens.get(last + 1)?;
        let same = head.stem == self.tokens[first].stem;
        if same || lexicon::is_filler(&head.text) || word_text(head).is_none() {
            return None;
        }
        let mut unit = self.unit(UnitKind::Name, first, first + 1);
        self.add_names(&mut unit, &[first, last + 1], true);
        unit.tables.clear();
        (unit.column_score() >= 0.75).then_some(Candidate { unit, length: 1, worth: 1.15 })
    }

    /// "active to date" in quotes, where it is nowhere stored: how a column is called, in several words.
    pub fn quoted_name(&self, at: usize) -> Option<Candidate> {
        let TokenKind::Quoted(text) = &self.tokens[at].kind else { return None };
        let mut unit = self.unit(UnitKind::Name, at, at + 1);
        let said: Vec<String> = identifier_words(text).iter().map(|w| stem(w)).collect();
        let called = |c: &ColumnId| self.facts.stems(*c) == said;
        let tables = self.scope.tables(self.catalog);
        let columns = tables.iter().flat_map(|&t| self.catalog.column_ids(t)).filter(called);
        unit.columns = columns.map(|item| Scored { item, score: 1.0 }).collect();
        let named = said.len() > 1 && unit.values.is_empty() && !unit.columns.is_empty();
        named.then_some(Candidate { unit, length: 1, worth: 1.5 })
    }

    /// Names whose one word is made of all these.
    fn compound(&self, content: &[usize]) -> Option<WordMatches> {
        if !(2..=3).contains(&content.len()) {
            return None;
        }
        let words: Vec<&str> = content.iter().map(|&i| &*self.tokens[i].text).collect();
        // "gender is m" is no genderism
        let is_filler = |word: &&str| lexicon::is_filler(word) && !Words::Names.has(word);
        if words[1..].iter().any(is_filler) {
            return None;
        }
        // "date of birth" is a birthdate, and a family name no fname
        let apart = content.split_last()?.1.iter().any(|&i| self.word(i + 1) == "of");
        let whole = if apart { words.iter().rev().copied().collect() } else { words.concat() };
        if let Some(found) = self.synonym(&stem(&whole)) {
            return Some(found);
        }
        // "list the names" is no lname
        if is_filler(&words[0]) || lexicon::phrases(&words[..1]).any(|(key, _)| key == Key::Ask) {
            return None;
        }
        let found = self.index.compounds(&words);
        (!found.is_empty()).then_some(found)
    }
}

/// Whether a word is whoever does what a verb of its stem says: a purchaser, an investor; no order, and
/// not what somebody delivers.
pub fn is_agent(word: &str) -> bool {
    let one = singular(word);
    let base = one.strip_suffix("er").or_else(|| one.strip_suffix("or")).unwrap_or_default();
    let verb = |verb: &str| lexicon::is_english(verb) && related(&stem(verb), &stem(&one));
    // nobody offs
    base.len() > 4 && (verb(base) || verb(&format!("{base}e")))
}
