//! Evidence: what each span of the question may mean — function words, names of tables and
//! columns, stored values, numbers — and the best segmentation of the question into such spans.

use crate::catalog::{Catalog, ColumnId, TableId};
use crate::link::{LexicalIndex, Named, Scored, WordMatches};
use crate::scope::Scope;
use crate::strategy::builtin::facts::Facts;
use crate::text::{Word, stem};

use super::calendar::{self, Day, Period};
use super::definitions::{Definition, Meaning};
use super::lexicon::{self, Key, LEXICON, Words, negated};
use super::tokens::{Token, TokenKind};

/// Longest span looked up as a stored value, in tokens.
pub const VALUE_TOKENS: usize = 6;

/// What a unit is, first of all.
#[derive(Debug, Clone, PartialEq)]
pub enum UnitKind {
    /// A function word or phrase.
    Key(Key),
    /// A name of tables or columns.
    Name,
    /// A stored value.
    Value,
    /// Text in quotes that is stored nowhere that was looked.
    Quoted,
    /// A number, as digits.
    Number(String),
    /// A time expression.
    Period(Period),
    /// A term of the hint or the glossary.
    Defined(Meaning),
    /// Punctuation within a sentence.
    Comma,
    /// The end of a sentence.
    Stop,
    /// A word without content of its own.
    Filler,
    /// A word that fits nothing.
    Unknown,
}

/// A stored value that a span may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredValue {
    /// Where it is stored.
    pub column: ColumnId,
    /// Its exact spelling.
    pub text: String,
}

/// The first token of a span, and the one after the last.
pub type Span = (usize, usize);

/// A span of the question with what it may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// What it is, first of all.
    pub kind: UnitKind,
    /// The words as written.
    pub text: String,
    /// The words, folded.
    pub folded: String,
    /// Tables it may name, best first.
    pub tables: Vec<Scored<TableId>>,
    /// Columns it may name, best first.
    pub columns: Vec<Scored<ColumnId>>,
    /// Stored values it may be.
    pub values: Vec<StoredValue>,
    /// Read through a word that means the same.
    pub alike: bool,
    /// Written with a capital inside a sentence, or in quotes.
    pub proper: bool,
}

impl Unit {
    /// Its key, if it is one.
    pub fn key(&self) -> Option<Key> {
        match self.kind {
            UnitKind::Key(key) => Some(key),
            _ => None,
        }
    }

    /// The score of its best table.
    pub fn table_score(&self) -> f32 {
        self.tables.first().map_or(0.0, |t| t.score)
    }

    /// The score of its best column.
    pub fn column_score(&self) -> f32 {
        self.columns.first().map_or(0.0, |c| c.score)
    }
}

pub struct Finder<'a> {
    pub catalog: &'a Catalog,
    pub facts: Facts<'a>,
    pub scope: &'a Scope,
    pub index: &'a LexicalIndex,
    /// What was found of the question's phrases so far.
    pub named: &'a Named,
    pub question: &'a str,
    pub tokens: &'a [Token],
    pub matches: Vec<WordMatches>,
    pub values: Vec<(Span, StoredValue)>,
    /// The tokens that match only what means the same.
    pub alike: Vec<usize>,
    /// Where terms of the hint or the glossary are said.
    pub defined: Vec<(Span, Meaning)>,
    /// The server's date, where the question speaks of it.
    pub today: Option<Day>,
}

/// A unit with the tokens it covers and what that is worth.
pub struct Candidate {
    pub unit: Unit,
    pub length: usize,
    pub worth: f32,
}

impl Finder<'_> {
    pub fn word_matches(&self, token: &Token) -> WordMatches {
        let named = |word: &str| !lexicon::is_filler(word) || Words::Names.has(word);
        if !word_text(token).is_some_and(named) {
            return WordMatches::default();
        }
        let word = |text: &str, stem: String| Word { text: text.to_owned(), stem };
        let knows = |word: &Word| self.index.knows(word);
        let own = word(&token.text, token.stem.clone());
        // "unverified" is no mistyped "verified"
        let negates = negated(&token.text).is_some_and(|rest| knows(&word(rest, stem(rest))));
        if negates && !knows(&own) {
            return WordMatches::default();
        }
        self.index.matches_in(&own, lexicon::is_english)
    }

    /// A table's own name in small letters: not worth a look at the data.
    pub fn is_table_word(&self, first: usize, last: usize) -> bool {
        last - first == 1 && !self.tokens[first].capital && self.table_score(first) >= 0.99
    }

    pub fn phrase(&self, first: usize, last: usize) -> String {
        match (&self.tokens[first].kind, last - first) {
            (TokenKind::Quoted(text), 1) => text.clone(),
            _ => self.question[self.tokens[first].start..self.tokens[last - 1].end].to_owned(),
        }
    }

    /// The best cut, by dynamic programming over token positions.
    pub fn segment(&self) -> Vec<Unit> {
        let n = self.tokens.len();
        // of the best cut of the tokens before each place: its worth, and the unit that ends there
        let mut best = vec![(f32::NEG_INFINITY, None); n + 1];
        best[0].0 = 0.0;
        for first in 0..n {
            for Candidate { unit, length, worth } in self.candidates(first) {
                let total = best[first].0 + worth;
                if total > best[first + length].0 {
                    best[first + length] = (total, Some((first, unit)));
                }
            }
        }
        let mut units = Vec::new();
        let mut at = n;
        while let Some((first, unit)) = best[at].1.take() {
            units.push(unit);
            at = first;
        }
        units.reverse();
        units
    }

    /// Everything the tokens from `first` on may be. Never empty.
    fn candidates(&self, first: usize) -> Vec<Candidate> {
        let mut all = vec![self.single(first)];
        let words: Vec<&str> = self.tokens[first..].iter().map_while(word_text).collect();
        for (key, length) in lexicon::phrases(&words) {
            let end = first + length;
            let numbered = self.tokens.get(end).is_some_and(is_numeral);
            let timed = || numbered || calendar::period(self.tokens, end, self.today).is_some();
            let is_other = match key {
                // what was ordered in 2023 is in no order
                Key::OrderBy => timed() || length == 1 && self.was_ordered(first),
                Key::Count => self.belongs_to_name(first) || self.are_numbers(first),
                Key::Ask => self.is_noun(first),
                Key::OrBeyond(_) => self.bounds_another(end),
                _ => false,
            };
            // "starts with a": no article ends a phrase
            if is_other || self.is_letter(end - 1) {
                continue;
            }
            let unit = self.unit(UnitKind::Key(key), first, end);
            let each = match key {
                // "details" may be a column; "how many" is nothing else
                Key::Everything => 0.85,
                // "the first name" is no limit, "highest salary first" no name
                Key::Top if !self.is_number(end) && self.word(0) != "when" => {
                    let next = self.tokens.get(end);
                    if next.is_none_or(|t| t.kind == TokenKind::Stop) { 0.97 } else { 0.6 }
                }
                _ => 0.97,
            };
            let worth = each * length as f32 + 0.1 * (length - 1) as f32;
            all.push(Candidate { unit, length, worth });
        }
        if self.counts_alone(first) {
            let unit = self.unit(UnitKind::Key(Key::Count), first, first + 1);
            all.push(Candidate { unit, length: 1, worth: 0.97 });
        }
        all.extend(self.period(first));
        all.extend(self.defined(first));
        all.extend(self.shared_head(first));
        all.extend(self.quoted_name(first));
        for last in first + 1..=self.tokens.len().min(first + VALUE_TOKENS) {
            all.extend(self.name(first, last));
            all.extend(self.of_kind(first, last));
            all.extend(self.value(first, last));
        }
        all
    }

    /// The word at a place; nothing past the end.
    pub fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    pub fn before(&self, at: usize) -> Option<&Token> {
        self.tokens[..at].last()
    }

    pub fn is_number(&self, at: usize) -> bool {
        LEXICON.numbers.contains_key(self.word(at)) || self.tokens.get(at).is_some_and(is_numeral)
    }

    fn single(&self, at: usize) -> Candidate {
        let token = &self.tokens[at];
        let plain = || lexicon::is_filler(&token.text) && !self.is_shouted(at);
        let is_filler = || !self.is_letter(at) && (plain() || self.only_numbers_people(at));
        let (kind, worth) = match &token.kind {
            TokenKind::Comma => (UnitKind::Comma, 0.5),
            TokenKind::Stop => (UnitKind::Stop, 0.5),
            TokenKind::Quoted(_) => (UnitKind::Quoted, 1.0),
            TokenKind::Number(digits) => (UnitKind::Number(digits.clone()), 1.0),
            TokenKind::Word => match LEXICON.numbers.get(&*token.text) {
                Some(n) if !matches!(&*token.text, "one" | "single") || self.counts(at) => {
                    (UnitKind::Number(n.to_string()), 0.98)
                }
                _ if is_filler() => (UnitKind::Filler, 0.3),
                _ => (UnitKind::Unknown, 0.1),
            },
        };
        Candidate { unit: self.unit(kind, at, at + 1), length: 1, worth }
    }

    /// Where the question says a term.
    pub fn said(&self, definition: &Definition) -> Vec<(Span, Meaning)> {
        let stems: Vec<&str> = self.tokens.iter().map(|t| &*t.stem).collect();
        let spans = stems.windows(definition.term.len()).enumerate();
        let said = spans.filter(|(_, words)| *words == definition.term);
        said.map(|(at, words)| ((at, at + words.len()), definition.meaning.clone())).collect()
    }

    /// A term of the hint or the glossary: whoever gave it knows better than the names.
    fn defined(&self, first: usize) -> Option<Candidate> {
        let ((_, last), meaning) = self.defined.iter().find(|((from, _), _)| *from == first)?;
        let mut unit = self.unit(UnitKind::Defined(meaning.clone()), first, *last);
        match meaning {
            Meaning::Columns(columns) => {
                unit.kind = UnitKind::Name;
                unit.columns = columns.iter().map(|&item| Scored { item, score: 1.0 }).collect();
            }
            Meaning::Table(table) => {
                unit.kind = UnitKind::Name;
                unit.tables = vec![Scored { item: *table, score: 1.0 }];
            }
            Meaning::Conditions(..) | Meaning::Computed(_) => {}
        }
        let length = last - first;
        Some(Candidate { unit, length, worth: 1.3 * length as f32 + 0.3 })
    }

    /// A time expression, unless it is stored in exactly these words.
    fn period(&self, first: usize) -> Option<Candidate> {
        let (period, length) = calendar::period(self.tokens, first, self.today)?;
        let unit = self.unit(UnitKind::Period(period), first, first + length);
        let worth = 1.05 * length as f32 + 0.1;
        unit.values.is_empty().then_some(Candidate { unit, length, worth })
    }

    fn value(&self, first: usize, last: usize) -> Option<Candidate> {
        let unit = self.unit(UnitKind::Value, first, last);
        if unit.values.is_empty() || last - first == 1 && is_numeral(&self.tokens[first]) {
            return None;
        }
        let n = (last - first) as f32;
        let spelled = unit.values.iter().any(|v| v.text == unit.text);
        let worth = match (&self.tokens[first].kind, unit.proper) {
            (TokenKind::Quoted(_), _) => 2.0,
            (_, true) => 1.06 * n + 0.12 * (n - 1.0),
            _ if last - first > 1 => 0.9 * n + 0.2 * (n - 1.0),
            // "inspections by inspector": a kind of thing rather than what is stored
            _ if self.before(first).is_some_and(|t| Words::Dividing.has(&t.text)) => 0.5,
            _ if spelled && self.is_of_column(first, &unit.values) => 1.05,
            _ => 0.78 * n + if spelled { 0.12 } else { 0.0 },
        };
        Some(Candidate { unit, length: last - first, worth })
    }

    /// "severe" is a severity: what is stored in a column called by another form of the word is
    /// meant rather than the column.
    fn is_of_column(&self, at: usize, values: &[StoredValue]) -> bool {
        let columns = self.columns_of(at);
        let said = |c: ColumnId| self.facts.words(c).contains(&self.tokens[at].text);
        columns.iter().any(|c| values.iter().any(|v| v.column == c.item) && !said(c.item))
    }

    pub fn unit(&self, kind: UnitKind, first: usize, last: usize) -> Unit {
        let text = self.phrase(first, last);
        let quoted = matches!(self.tokens[first].kind, TokenKind::Quoted(_));
        let here = self.values.iter().filter(|(span, _)| *span == (first, last));
        let folded: Vec<&str> = self.tokens[first..last].iter().map(|t| &*t.text).collect();
        Unit {
            folded: folded.join(" "),
            alike: (first..last).any(|at| self.tokens[at].alike || self.alike.contains(&at)),
            proper: quoted || self.tokens[first..last].iter().any(|t| t.capital),
            kind,
            text,
            tables: Vec::new(),
            columns: Vec::new(),
            values: here.map(|(_, value)| value.clone()).collect(),
        }
    }
}

fn is_numeral(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Number(_))
}

pub fn word_text(token: &Token) -> Option<&str> {
    matches!(token.kind, TokenKind::Word | TokenKind::Number(_)).then_some(&*token.text)
}
