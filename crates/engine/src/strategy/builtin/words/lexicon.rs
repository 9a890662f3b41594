//! Function words: the English that asks, counts, compares, groups, orders and negates.
//! The words themselves are data, in `lexicon.txt`.

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;

use crate::dialect::DatePart;
use crate::strategy::builtin::form::query::{Aggregate, Comparison, Pattern};
use crate::text::stem;

/// What a function word or phrase does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Asks for something: show, list, what, which.
    Ask,
    /// Asks to change something.
    Modify,
    /// Asks for a person.
    Who,
    /// Asks for a place.
    Where,
    /// Asks for a time.
    When,
    /// how many, number of.
    Count,
    /// how much.
    HowMuch,
    /// average, total, minimum.
    Aggregate(Aggregate),
    /// different, distinct.
    Distinct,
    /// each, for every: what follows groups.
    Each,
    /// sorted by.
    OrderBy,
    /// ascending.
    Ascending,
    /// descending.
    Descending,
    /// alphabetically.
    Alphabetic,
    /// most, highest (true), least, lowest (false).
    Superlative(bool),
    /// most common (true), rarest (false).
    Frequent(bool),
    /// top, first: a limit with a direction.
    Top,
    /// An adjective in its superlative: position in the lexicon's adjectives, and whether it is the
    /// adjective's own direction.
    Extreme(usize),
    /// An adjective compared: position in the lexicon's adjectives.
    Compared(usize),
    /// more than, at least.
    Compare(Comparison),
    /// "or more" (true), "or less" (false), behind a number.
    OrBeyond(bool),
    /// between … and.
    Between,
    /// and, as well as.
    And,
    /// or.
    Or,
    /// both.
    Both,
    /// either.
    Either,
    /// not, never, without, no.
    Not,
    /// only.
    Only,
    /// that, who, whose, with, having, where: a condition follows.
    Clause,
    /// in, on, from, of: a place or part follows.
    Preposition,
    /// is, are, equals.
    Is,
    /// named, called.
    Named,
    /// containing, including the word.
    Like(Pattern),
    /// after, since, before: dates.
    After,
    /// since.
    Since,
    /// before.
    Before,
    /// until.
    Until,
    /// null, missing, unknown.
    Null,
    /// any, all behind a comparison.
    Any,
    /// all information, details of everything.
    Everything,
    /// percentage (true), share: a part of a whole.
    Share(bool),
    /// ratio of … to ….
    Ratio,
    /// difference between … and ….
    Difference,
    /// days between … and ….
    Days,
    /// monthly, by day of the week: a part of a date.
    Part(DatePart),
}

/// An adjective with the nouns it measures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adjective {
    /// Stems of nouns whose larger value is more of it.
    pub direct: Vec<String>,
    /// Stems of nouns whose smaller value is more of it.
    pub inverse: Vec<String>,
}

/// What a column holds, as a noun behind its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// score, size, amount.
    Number,
    /// date, time.
    Time,
    /// name.
    Text,
}

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// seconds, hours.
    Time,
    /// metres, miles.
    Length,
    /// grams, tons.
    Weight,
    /// euros, cents.
    Money,
    /// percent.
    Share,
}

impl Dimension {
    /// Whether a number says nothing where its unit is not known: amounts of money are in the
    /// currency of the database.
    pub fn has_scale(self) -> bool {
        !matches!(self, Self::Money | Self::Share)
    }
}

/// A unit of measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// What it measures.
    pub dimension: Dimension,
    /// How many of the dimension's first unit it is.
    pub factor: f64,
}

/// The words of `lexicon.txt`, ready to be looked up.
#[derive(Debug, Default)]
struct Lexicon {
    /// Phrases by their first word.
    phrases: HashMap<String, Vec<(Vec<String>, Key)>>,
    fillers: HashSet<String>,
    relating: HashSet<String>,
    placing: HashSet<String>,
    pointing: HashSet<String>,
    courtesies: HashSet<String>,
    help: HashSet<String>,
    measures: HashMap<String, Measure>,
    adjectives: Vec<Adjective>,
    /// `(word, code, words of the column's name)`.
    codes: Vec<(String, String, Vec<String>)>,
    /// Stems of nouns by verb.
    verbs: HashMap<String, Vec<String>>,
    /// Words for the same in two.
    instead: HashMap<String, String>,
    /// Nouns that say of what kind a column is.
    kinds: HashMap<String, Kind>,
    /// Nouns for people.
    people: HashSet<String>,
    /// Groups of stems that mean the same.
    same: Vec<Vec<String>>,
}

static LEXICON: Lazy<Lexicon> = Lazy::new(|| {
    Lexicon::parse(include_str!("lexicon.txt")).unwrap_or_else(|line| {
        unreachable!("lexicon.txt is part of the program and tested: {line}")
    })
});

impl Lexicon {
    /// Read the file; the error is the line that fits no form.
    fn parse(text: &str) -> Result<Self, String> {
        let mut lexicon = Self::default();
        for line in logical_lines(text) {
            let (head, rest) = line.split_once(':').ok_or_else(|| line.clone())?;
            if let Some((more, most)) = head.split_once(" / ") {
                lexicon.add_adjective(more, most, rest);
            } else if let Some(columns) = head.strip_prefix("coded ") {
                lexicon.add_codes(columns, rest);
            } else if let Some(verbs) = head.strip_prefix("verb ") {
                let nouns: Vec<String> = list(rest).map(|noun| stem(&noun)).collect();
                let forms = verbs.split(' ').map(|verb| (verb.to_owned(), nouns.clone()));
                lexicon.verbs.extend(forms);
            } else if head == "same" {
                lexicon.same.extend(list(rest).map(|group| group.split(' ').map(stem).collect()));
            } else if head == "instead" {
                let pairs = list(rest).filter_map(|pair| {
                    let (word, words) = pair.split_once(' ')?;
                    Some((word.to_owned(), words.to_owned()))
                });
                lexicon.instead.extend(pairs);
            } else if let Some(kind) = head.strip_prefix("nouns.").and_then(kind) {
                lexicon.kinds.extend(list(rest).map(|noun| (noun, kind)));
            } else if head == "people" {
                lexicon.people.extend(list(rest));
            } else if head == "filler" {
                lexicon.fillers.extend(list(rest));
            } else if head == "relates" {
                lexicon.relating.extend(list(rest));
            } else if head == "places" {
                lexicon.placing.extend(list(rest));
            } else if head == "points" {
                lexicon.pointing.extend(list(rest));
            } else if head == "courtesy" {
                lexicon.courtesies.extend(list(rest));
                lexicon.fillers.extend(list(rest));
            } else if head == "help" {
                lexicon.help.extend(list(rest));
            } else if let Some(dimension) = head.strip_prefix("unit ").and_then(dimension) {
                let measures = list(rest).filter_map(|pair| {
                    let (word, factor) = pair.split_once(' ')?;
                    let factor = factor.parse().ok()?;
                    Some((word.to_owned(), Measure { dimension, factor }))
                });
                lexicon.measures.extend(measures);
            } else {
                let key = key(head).ok_or_else(|| line.clone())?;
                list(rest).for_each(|phrase| lexicon.add(&phrase, key));
            }
        }
        Ok(lexicon)
    }

    fn add(&mut self, phrase: &str, key: Key) {
        let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
        self.phrases.entry(words[0].clone()).or_default().push((words, key));
    }

    fn add_codes(&mut self, columns: &str, rest: &str) {
        let columns: Vec<String> = columns.split(' ').map(str::to_owned).collect();
        let pairs = list(rest).filter_map(|p| {
            let (word, code) = p.split_once(' ')?;
            Some((word.to_owned(), code.to_owned(), columns.clone()))
        });
        self.codes.extend(pairs);
    }

    fn add_adjective(&mut self, more: &str, most: &str, nouns: &str) {
        let at = self.adjectives.len();
        let (direct, inverse) = nouns.split_once('|').unwrap_or((nouns, ""));
        let stems = |part: &str| list(part).map(|noun| stem(&noun)).collect();
        self.adjectives.push(Adjective { direct: stems(direct), inverse: stems(inverse) });
        list(most).for_each(|phrase| self.add(&phrase, Key::Extreme(at)));
        list(more).for_each(|phrase| {
            self.add(&format!("{phrase} than"), Key::Compared(at));
            self.add(&phrase, Key::Compared(at));
        });
    }
}

/// Lines with their continuations, without comments and blank lines.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        match lines.last_mut() {
            Some(last) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn list(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty())
}

/// The key a line of `lexicon.txt` begins with.
fn key(name: &str) -> Option<Key> {
    Some(match name {
        "ask" => Key::Ask,
        "modify" => Key::Modify,
        "who" => Key::Who,
        "where" => Key::Where,
        "when" => Key::When,
        "count" => Key::Count,
        "howmuch" => Key::HowMuch,
        "aggregate.avg" => Key::Aggregate(Aggregate::Avg),
        "aggregate.sum" => Key::Aggregate(Aggregate::Sum),
        "aggregate.max" => Key::Aggregate(Aggregate::Max),
        "aggregate.min" => Key::Aggregate(Aggregate::Min),
        "distinct" => Key::Distinct,
        "each" => Key::Each,
        "orderby" => Key::OrderBy,
        "ascending" => Key::Ascending,
        "descending" => Key::Descending,
        "alphabetic" => Key::Alphabetic,
        "superlative.most" => Key::Superlative(true),
        "superlative.least" => Key::Superlative(false),
        "frequent.most" => Key::Frequent(true),
        "frequent.least" => Key::Frequent(false),
        "top" => Key::Top,
        "compare.greater" => Key::Compare(Comparison::Greater),
        "compare.less" => Key::Compare(Comparison::Less),
        "compare.greaterorequal" => Key::Compare(Comparison::GreaterOrEqual),
        "compare.lessorequal" => Key::Compare(Comparison::LessOrEqual),
        "compare.equal" => Key::Compare(Comparison::Equal),
        "compare.notequal" => Key::Compare(Comparison::NotEqual),
        "orbeyond.more" => Key::OrBeyond(true),
        "orbeyond.less" => Key::OrBeyond(false),
        "between" => Key::Between,
        "and" => Key::And,
        "or" => Key::Or,
        "both" => Key::Both,
        "either" => Key::Either,
        "not" => Key::Not,
        "only" => Key::Only,
        "clause" => Key::Clause,
        "preposition" => Key::Preposition,
        "is" => Key::Is,
        "named" => Key::Named,
        "like.contains" => Key::Like(Pattern::Contains),
        "like.starts" => Key::Like(Pattern::StartsWith),
        "like.ends" => Key::Like(Pattern::EndsWith),
        "after" => Key::After,
        "since" => Key::Since,
        "before" => Key::Before,
        "until" => Key::Until,
        "null" => Key::Null,
        "any" => Key::Any,
        "everything" => Key::Everything,
        "share.percent" => Key::Share(true),
        "share.part" => Key::Share(false),
        "ratio" => Key::Ratio,
        "difference" => Key::Difference,
        "days" => Key::Days,
        "part.year" => Key::Part(DatePart::Year),
        "part.quarter" => Key::Part(DatePart::Quarter),
        "part.month" => Key::Part(DatePart::Month),
        "part.week" => Key::Part(DatePart::Week),
        "part.day" => Key::Part(DatePart::Day),
        "part.hour" => Key::Part(DatePart::Hour),
        "part.weekday" => Key::Part(DatePart::Weekday),
        "part.monthofyear" => Key::Part(DatePart::MonthOfYear),
        _ => return None,
    })
}

fn dimension(name: &str) -> Option<Dimension> {
    Some(match name {
        "time" => Dimension::Time,
        "length" => Dimension::Length,
        "weight" => Dimension::Weight,
        "money" => Dimension::Money,
        "share" => Dimension::Share,
        _ => return None,
    })
}

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "number" => Kind::Number,
        "time" => Kind::Time,
        "text" => Kind::Text,
        _ => return None,
    })
}

/// The kind of column that a noun says its name is of: "score", "date".
pub fn kind_of(noun: &str) -> Option<Kind> {
    LEXICON.kinds.get(noun).copied()
}

/// The words that say in several what one word says.
pub fn in_other_words(word: &str) -> Option<Vec<String>> {
    Some(LEXICON.instead.get(word)?.split(' ').map(str::to_owned).collect())
}

/// The words that are function words by themselves, and whether they carry a meaning.
pub fn function_words() -> impl Iterator<Item = (&'static str, bool)> {
    let single = |(phrase, _): &&(Vec<String>, Key)| phrase.len() == 1;
    let keys = LEXICON.phrases.values().flatten().filter(single).map(|(phrase, _)| &*phrase[0]);
    let fillers = LEXICON.fillers.iter().map(|word| (&**word, false));
    keys.map(|word| (word, true)).chain(fillers)
}

/// Whether a word is a verb that says no more than that two things belong together.
pub fn is_relating(word: &str) -> bool {
    LEXICON.relating.contains(word)
}

/// Whether a word is a verb that says where something is.
pub fn is_placing(word: &str) -> bool {
    LEXICON.placing.contains(word)
}

/// Whether a word before a thing only points to it: "the given year".
pub fn is_pointing(word: &str) -> bool {
    LEXICON.pointing.contains(word)
}

/// Whether a word is only polite.
pub fn is_courtesy(word: &str) -> bool {
    LEXICON.courtesies.contains(word)
}

/// Whether a whole question asks what can be asked.
pub fn is_help(question: &str) -> bool {
    LEXICON.help.contains(question)
}

/// The unit of measure that a word is.
pub fn unit(word: &str) -> Option<Measure> {
    LEXICON.measures.get(word).copied()
}

/// The adjective of a key.
pub fn adjective(at: usize) -> &'static Adjective {
    &LEXICON.adjectives[at]
}

/// Stems of the nouns that a verb or a unit measures: cost is a price, kilograms are a weight.
pub fn measured_by(verb: &str) -> Option<&'static Vec<String>> {
    LEXICON.verbs.get(verb)
}

/// The part of a date that a word of time names.
pub fn part(word: &str) -> Option<DatePart> {
    Some(match word {
        "year" | "years" => DatePart::Year,
        "quarter" | "quarters" => DatePart::Quarter,
        "month" | "months" => DatePart::Month,
        "week" | "weeks" => DatePart::Week,
        "day" | "days" => DatePart::Day,
        _ => return None,
    })
}

/// The code that stored values use for a word, and the words of the columns that do.
pub fn code(word: &str) -> Option<(&'static str, &'static [String])> {
    let found = LEXICON.codes.iter().find(|(w, _, _)| w == word)?;
    Some((&found.1, &found.2))
}

/// Whether a word is a noun for people.
pub fn is_person(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    LEXICON.people.contains(word) || LEXICON.people.contains(one)
}

/// Stems of words that mean the same as a stem.
pub fn same(stem: &str) -> impl Iterator<Item = &'static str> {
    let group = LEXICON.same.iter().find(|group| group.iter().any(|word| word == stem));
    let stem = stem.to_owned();
    group.into_iter().flatten().map(String::as_str).filter(move |word| *word != stem)
}

/// Number words that questions use.
const NUMBERS: &[(&str, u32)] = &[
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("fifteen", 15),
    ("twenty", 20),
    ("thirty", 30),
    ("fifty", 50),
    ("hundred", 100),
    ("single", 1),
    ("once", 1),
    ("twice", 2),
];

/// Ordinal words, for "the second highest".
const ORDINALS: &[(&str, u32)] = &[
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("2nd", 2),
    ("3rd", 3),
    ("4th", 4),
    ("5th", 5),
];

/// Every phrase that starts at the words, with its length in words.
pub fn phrases<'a>(words: &'a [&'a str]) -> impl Iterator<Item = (Key, usize)> + 'a {
    let known = words.first().and_then(|w| LEXICON.phrases.get(*w));
    known.into_iter().flatten().filter_map(move |(phrase, key)| {
        let fits = phrase.len() <= words.len() && phrase.iter().zip(words).all(|(a, b)| a == b);
        fits.then_some((*key, phrase.len()))
    })
}

/// Whether a word without content of its own often begins the name of a state: "on hold".
pub fn is_particle(word: &str) -> bool {
    matches!(word, "in" | "no" | "not" | "off" | "on" | "out" | "over" | "under")
}

/// Whether a word carries no content of its own.
pub fn is_filler(word: &str) -> bool {
    LEXICON.fillers.contains(word)
}

/// The value of a number word.
pub fn number_word(word: &str) -> Option<u32> {
    NUMBERS.iter().find(|(w, _)| *w == word).map(|(_, n)| *n)
}

/// The value of an ordinal word.
pub fn ordinal(word: &str) -> Option<u32> {
    ORDINALS.iter().find(|(w, _)| *w == word).map(|(_, n)| *n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_to_its_last_line() {
        let lexicon = Lexicon::parse(include_str!("lexicon.txt")).expect("every line has a form");
        assert!(lexicon.phrases.values().map(Vec::len).sum::<usize>() > 300);
        assert!(lexicon.adjectives.len() > 30 && lexicon.fillers.contains("the"));
    }

    #[test]
    fn phrases_are_found_in_the_order_of_their_words() {
        let check = |text: &str, expect: Option<(Key, usize)>| {
            let words: Vec<&str> = text.split(' ').collect();
            let longest = phrases(&words).max_by_key(|(_, length)| *length);
            assert_eq!(longest, expect, "{text}");
        };
        check("how many ships", Some((Key::Count, 2)));
        check("more than 3", Some((Key::Compare(Comparison::Greater), 2)));
        check("no more than 3", Some((Key::Compare(Comparison::LessOrEqual), 3)));
        check("older than 20", Some((Key::Compared(0), 2)));
        check("in descending order of age", Some((Key::Descending, 4)));
        check("ship", None);
    }
}
