//! Reading `lexicon.txt`.

use std::collections::HashMap;

use crate::dialect::DatePart;
use crate::strategy::builtin::form::query::{Aggregate, Comparison, Direction, Pattern};
use crate::text::stem;

use super::{Adjective, Dimension, Key, Kind, Lexicon, Measure, Share, Words};

impl Lexicon {
    /// Read the file; the error is the line that fits no form.
    pub fn parse(text: &str) -> Result<Self, String> {
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
            } else if head == "size" {
                let (words, nouns) = rest.split_once('|').ok_or_else(|| line.clone())?;
                let nouns: Vec<String> = list(nouns).map(|noun| stem(&noun)).collect();
                lexicon.sizes.extend(list(words).map(|word| (word, nouns.clone())));
            } else if let Some(group) = head.strip_prefix("group ").and_then(group) {
                // the lexicon lives as long as the program
                let words = list(rest).map(|word| &*word.leak()).collect();
                lexicon.groups.insert(group, words);
            } else if head == "number" {
                lexicon.numbers.extend(numbers(rest));
            } else if head == "ordinal" {
                lexicon.ordinals.extend(numbers(rest));
            } else if head == "same" {
                list(rest).for_each(|group| add_group(&mut lexicon.same, group.split(' ')));
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
            } else if let Some(what) = head.strip_prefix("follow.") {
                let words = |phrase: String| phrase.split(' ').map(str::to_owned).collect();
                let mut phrases: Vec<Vec<String>> = list(rest).map(words).collect();
                phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
                lexicon.following.insert(what.to_owned(), phrases);
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

    /// Nouns that mean the same, a group a line, but for those that are function words besides.
    pub fn add_synonyms(&mut self, text: &str) {
        for group in text.lines().filter(|line| !line.starts_with('#')) {
            let nouns = group
                .split(' ')
                .filter(|word| !self.phrases.contains_key(*word) && !self.fillers.contains(*word));
            let nouns: Vec<&str> = nouns.collect();
            add_group(&mut self.synonyms, nouns.into_iter());
        }
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

/// Each word's stem with the others.
fn add_group<'t>(groups: &mut HashMap<String, Vec<String>>, words: impl Iterator<Item = &'t str>) {
    let stems: Vec<String> = words.map(stem).collect();
    for one in &stems {
        let known = groups.entry(one.clone()).or_default();
        let others = stems.iter().filter(|other| *other != one && !known.contains(other));
        let others: Vec<String> = others.cloned().collect();
        known.extend(others);
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
        "superlative.most" => Key::Superlative(Direction::Descending),
        "superlative.least" => Key::Superlative(Direction::Ascending),
        "frequent.most" => Key::Frequent(Direction::Descending),
        "frequent.least" => Key::Frequent(Direction::Ascending),
        "top" => Key::Top,
        "compare.greater" => Key::Compare(Comparison::Greater),
        "compare.less" => Key::Compare(Comparison::Less),
        "compare.greaterorequal" => Key::Compare(Comparison::GreaterOrEqual),
        "compare.lessorequal" => Key::Compare(Comparison::LessOrEqual),
        "compare.equal" => Key::Compare(Comparison::Equal),
        "compare.notequal" => Key::Compare(Comparison::NotEqual),
        "orbeyond.more" => Key::OrBeyond(Comparison::GreaterOrEqual),
        "orbeyond.less" => Key::OrBeyond(Comparison::LessOrEqual),
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
        "share.percent" => Key::Share(Share::Percent),
        "share.part" => Key::Share(Share::Part),
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

/// Pairs of a word and its value.
fn numbers(text: &str) -> impl Iterator<Item = (String, u32)> + '_ {
    list(text).filter_map(|pair| {
        let (word, value) = pair.split_once(' ')?;
        Some((word.to_owned(), value.parse().ok()?))
    })
}

fn group(name: &str) -> Option<Words> {
    Some(match name {
        "kept" => Words::Kept,
        "aside" => Words::Aside,
        "birth" => Words::Birth,
        "start" => Words::Start,
        "end" => Words::End,
        "origin" => Words::Origin,
        "destination" => Words::Destination,
        "leaving" => Words::Leaving,
        "arriving" => Words::Arriving,
        "places" => Words::Places,
        "sales" => Words::Sales,
        "revenue" => Words::Revenue,
        "otheramounts" => Words::OtherAmounts,
        "negating" => Words::Negating,
        "irregular" => Words::Irregular,
        "flags" => Words::Flags,
        "deeds" => Words::Deeds,
        "kinds" => Words::Kinds,
        "names" => Words::Names,
        "particles" => Words::Particles,
        _ => return None,
    })
}
