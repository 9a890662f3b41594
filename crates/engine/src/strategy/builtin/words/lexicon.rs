//! Function words: the English that asks, counts, compares, groups, orders and negates.
//! The words themselves are data, in `lexicon.txt`.

mod parse;
mod synonyms;

use std::collections::{HashMap, HashSet};

use once_cell::sync::Lazy;
use serde::Deserialize;

use crate::dialect::DatePart;
use crate::link::is_usual_word;
use crate::strategy::builtin::form::query::{Aggregate, Comparison, Direction, Pattern};
use crate::text::stem;

use synonyms::Synonyms;

/// What a function word or phrase does; `lexicon.txt` has the words of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Key {
    Ask,
    /// Asks to change something.
    Modify,
    Who,
    Where,
    When,
    Age,
    Count,
    HowMuch,
    Aggregate(Aggregate),
    Distinct,
    /// each, for every: what follows groups.
    Each,
    OrderBy,
    Ascending,
    Descending,
    Alphabetic,
    Superlative(Direction),
    Frequent(Direction),
    /// top, first: a limit with a direction.
    Top,
    /// An adjective in its superlative: position in the lexicon's adjectives.
    Extreme(usize),
    /// An adjective compared: position in the lexicon's adjectives.
    Compared(usize),
    Compare(Comparison),
    /// "or more", "or less", after a number.
    OrBeyond(Comparison),
    /// between … and.
    Between,
    And,
    Or,
    Both,
    Either,
    Not,
    Only,
    /// that, who, whose, with, having, where: a condition follows.
    Clause,
    Preposition,
    Is,
    Named,
    Like(Pattern),
    /// after, since, before, until.
    Time(Comparison),
    Null,
    /// any, all after a comparison.
    Any,
    /// all information, details of everything.
    Everything,
    /// A part of a whole, in hundredths.
    Percentage,
    /// A part of a whole.
    Proportion,
    Ratio,
    Difference,
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

/// What a column holds, as a noun after its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// score, size, amount.
    Number,
    /// date, time.
    Time,
    /// name.
    Text,
}

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
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

impl Key {
    /// Whether it says how rows are ordered.
    pub fn sorts(self) -> bool {
        matches!(self, Self::OrderBy | Self::Ascending | Self::Descending | Self::Alphabetic)
    }

    /// Whether it bounds what comes after it: "more than", "before".
    pub fn bounds(self) -> bool {
        matches!(self, Self::Compare(_) | Self::Time(_))
    }

    /// Whether it says which rows come first: "the most", "the oldest", "most common".
    pub fn ranks(self) -> bool {
        matches!(self, Self::Superlative(_) | Self::Extreme(_) | Self::Frequent(_))
    }
}

/// A group of words, as `lexicon.txt` explains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Words {
    Kept,
    Aside,
    Birth,
    Start,
    End,
    Origin,
    Destination,
    Leaving,
    Arriving,
    Places,
    Sales,
    Revenue,
    OtherAmounts,
    Negating,
    Irregular,
    Flags,
    Deeds,
    Doers,
    Kinds,
    Names,
    Particles,
    People,
    Personal,
    Relating,
    Determining,
    Placing,
    Making,
    Subjects,
    Naming,
    Light,
    Whole,
    Help,
    Planned,
    Attributive,
    Heads,
    Possessive,
    Called,
    Rows,
    Times,
    Helping,
    Asking,
    Closing,
    Counts,
    Rates,
    Bounds,
    Pieces,
    FirstName,
    LastName,
    Months,
    Announcing,
    Weekdays,
    Sharing,
    Occurring,
    Frequency,
    Connective,
    Identifiers,
    Dividing,
    Labels,
    Dated,
    Portions,
    Descriptions,
    Doing,
    Ending,
    Requests,
    Courtesies,
    Opening,
    Beginning,
    Trailing,
    Pointing,
    Counted,
    Amounts,
    Charges,
    Totals,
    Worths,
    Quantities,
    Ages,
    Inhabitants,
    Years,
    Titles,
    Classes,
    Valuing,
    Selling,
    Often,
    Denying,
    Lacking,
    AmountOf,
    Calendar,
    OfAge,
    Summing,
    Generic,
    Numbering,
    Moments,
    Lots,
    UnitPrices,
}

impl Words {
    /// All of them.
    pub fn all(self) -> &'static [&'static str] {
        LEXICON.groups.get(&self).map_or(&[], |words| words)
    }

    /// Their stems.
    pub fn stems(self) -> Vec<String> {
        self.all().iter().map(|word| stem(word)).collect()
    }

    /// Whether a word is one of them.
    pub fn has(self, word: &str) -> bool {
        self.all().contains(&word)
    }
}

/// A unit of measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// What it measures.
    pub dimension: Dimension,
    /// How many of the dimension's first unit it is.
    pub factor: f64,
    /// The sign of the currency, of money.
    pub currency: &'static str,
}

/// Shortest word that a prefix may negate.
const MIN_NEGATED: usize = 4;

/// The words of `lexicon.txt`, ready to be looked up.
#[derive(Debug, Default)]
pub struct Lexicon {
    /// Phrases by their first word.
    phrases: HashMap<&'static str, Vec<(Vec<&'static str>, Key)>>,
    fillers: HashSet<&'static str>,
    groups: HashMap<Words, Vec<&'static str>>,
    /// Number words.
    pub numbers: HashMap<&'static str, u32>,
    /// Ordinals, from the second.
    pub ordinals: HashMap<&'static str, u32>,
    /// Units of measure.
    pub units: HashMap<&'static str, Measure>,
    /// The adjectives that a key is the place of.
    pub adjectives: Vec<Adjective>,
    /// The code that stored values use for a word, and the words of the columns that do.
    pub codes: HashMap<&'static str, (String, Vec<&'static str>)>,
    /// Stems of the nouns that a verb or a unit measures: cost is a price, kilograms are a weight.
    pub measured_by: HashMap<&'static str, Vec<String>>,
    /// Stems of the nouns that make a thing itself "the largest", "the highest".
    pub sizes: HashMap<&'static str, Vec<String>>,
    /// The words that say in several what one word says.
    pub in_other_words: HashMap<&'static str, String>,
    /// The kinds of columns that nouns say their names are of: "score", "date".
    pub kinds: HashMap<&'static str, Kind>,
    /// The parts of a date that words of time name.
    pub parts: HashMap<&'static str, DatePart>,
    /// Stems of words that mean the same.
    pub same: Synonyms,
    /// Stems of nouns that mean the same, of `synonyms.txt`.
    pub synonyms: Synonyms,
}

/// The lexicon.
pub static LEXICON: Lazy<Lexicon> = Lazy::new(|| {
    let mut lexicon = Lexicon::parse(include_str!("lexicon.txt")).unwrap_or_else(|line| {
        unreachable!("lexicon.txt is part of the program and tested: {line}")
    });
    lexicon.add_synonyms(include_str!("synonyms.txt"));
    lexicon
});

/// The words that are function words by themselves.
pub fn function_words() -> impl Iterator<Item = &'static str> {
    let phrases = LEXICON.phrases.values().flatten();
    let keys = phrases.filter(|(phrase, _)| phrase.len() == 1).map(|(phrase, _)| phrase[0]);
    keys.chain(LEXICON.fillers.iter().copied())
}

/// Whether a word is a noun for people.
pub fn is_person(word: &str) -> bool {
    Words::People.has(word) || Words::People.has(word.strip_suffix('s').unwrap_or(word))
}

/// What a prefix negates: "paid" of "unpaid".
pub fn negated(word: &str) -> Option<&str> {
    let rest = Words::Negating.all().iter().find_map(|prefix| word.strip_prefix(prefix))?;
    (rest.len() >= MIN_NEGATED).then_some(rest)
}

/// Whether a word has the form of a participle: closed, departing, paid.
pub fn is_participle(word: &str) -> bool {
    let regular = word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"));
    regular && !word.ends_with("eed") || Words::Irregular.has(word)
}

/// Whether a word has the form of one that tells how things are: closed, active, available.
pub fn is_state(word: &str) -> bool {
    let ending = |e: &&str| word.len() > e.len() + 2 && word.ends_with(*e);
    is_participle(word) || ["able", "ible", "ive"].iter().any(ending)
}

/// Nouns that a noun in the singular may stand for, of `near.txt`.
pub fn near(noun: &str) -> impl Iterator<Item = &'static str> {
    let mut lines = include_str!("near.txt").lines().filter_map(|line| line.split_once(": "));
    let nouns = lines.find(|(said, _)| *said == noun);
    nouns.into_iter().flat_map(|(_, nouns)| nouns.split(' '))
}

/// Whether a word is known to be English, as far as words are known here.
pub fn is_english(word: &str) -> bool {
    is_usual_word(word) || !LEXICON.synonyms.of(&stem(word)).is_empty()
}

/// Every phrase that starts at the words, with its length in words.
pub fn phrases<'a>(words: &'a [&'a str]) -> impl Iterator<Item = (Key, usize)> + 'a {
    let known = words.first().and_then(|w| LEXICON.phrases.get(*w));
    let said = known.into_iter().flatten().filter(|(phrase, _)| words.starts_with(phrase));
    said.map(|(phrase, key)| (*key, phrase.len()))
}

/// Whether a word begins a phrase by itself.
pub fn is_key(word: &str) -> bool {
    phrases(&[word]).next().is_some()
}

/// Whether a word carries no content of its own.
pub fn is_filler(word: &str) -> bool {
    LEXICON.fillers.contains(word)
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
    fn nouns_mean_the_same_both_ways_and_function_words_mean_nothing_else() {
        assert!(LEXICON.synonyms.of("vocalist").contains(&"singer"));
        assert!(LEXICON.synonyms.of("singer").contains(&"vocalist"));
        assert_eq!(LEXICON.synonyms.of("maximum"), [""; 0]);
    }

    #[test]
    fn phrases_are_found_in_the_order_of_their_words() {
        let check = |text: &str, expect: Option<(Key, usize)>| {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(phrases(&words).max_by_key(|(_, length)| *length), expect, "{text}");
        };
        check("how many ships", Some((Key::Count, 2)));
        check("more than 3", Some((Key::Compare(Comparison::Greater), 2)));
        check("no more than 3", Some((Key::Compare(Comparison::LessOrEqual), 3)));
        check("older than 20", Some((Key::Compared(0), 2)));
        check("in descending order of age", Some((Key::Descending, 4)));
        check("ship", None);
    }

    #[test]
    fn prefixes_negate_and_participles_are_told() {
        assert_eq!(negated("unpaid"), Some("paid"));
        assert_eq!(negated("inactive"), Some("active"));
        assert_eq!(negated("until"), None);
        assert!(is_participle("closed") && is_participle("paid") && is_participle("departing"));
        assert!(!is_participle("speed") && !is_participle("red") && !is_participle("price"));
    }
}
