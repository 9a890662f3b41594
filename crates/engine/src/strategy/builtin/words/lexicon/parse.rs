//! Reading `lexicon.txt`.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::text::stem;

use super::synonyms::Synonyms;
use super::{Adjective, Key, Lexicon, Measure};

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
            } else if let Some(group) = head.strip_prefix("group ").and_then(named) {
                // the lexicon lives as long as the program
                let words = list(rest).map(|word| &*word.leak());
                lexicon.groups.entry(group).or_default().extend(words);
            } else if let Some(group) = head.strip_prefix("verbs ").and_then(named) {
                let forms = list(rest).flat_map(|verb| forms(&verb)).map(|word| &*word.leak());
                lexicon.groups.entry(group).or_default().extend(forms);
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
            } else if let Some(kind) = head.strip_prefix("nouns.").and_then(named) {
                lexicon.kinds.extend(list(rest).map(|noun| (noun, kind)));
            } else if head == "filler" {
                lexicon.fillers.extend(list(rest));
            } else if head == "courtesy" {
                lexicon.courtesies.extend(list(rest));
                lexicon.fillers.extend(list(rest));
            } else if let Some(what) = head.strip_prefix("follow.") {
                let words = |phrase: String| phrase.split(' ').map(str::to_owned).collect();
                let mut phrases: Vec<Vec<String>> = list(rest).map(words).collect();
                phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
                lexicon.following.insert(what.to_owned(), phrases);
            } else if let Some(dimension) = head.strip_prefix("unit ").and_then(named) {
                let measures = list(rest).filter_map(|pair| {
                    let (word, factor) = pair.split_once(' ')?;
                    let factor = factor.parse().ok()?;
                    Some((word.to_owned(), Measure { dimension, factor }))
                });
                lexicon.measures.extend(measures);
            } else {
                let key = named(head).ok_or_else(|| line.clone())?;
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
        let is_noun =
            |word: &&str| !self.phrases.contains_key(*word) && !self.fillers.contains(*word);
        let groups = text.lines().filter(|line| !line.starts_with('#'));
        self.synonyms = Synonyms::new(groups.map(|group| group.split(' ').filter(is_noun)));
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

/// What a name in the file stands for: `between`, or `compare.less` with what it is applied to.
fn named<T: DeserializeOwned>(name: &str) -> Option<T> {
    let value = match name.split_once('.') {
        Some((variant, of)) => json!({ variant: of }),
        None => json!(name),
    };
    serde_json::from_value(value).ok()
}

/// Pairs of a word and its value.
fn numbers(text: &str) -> impl Iterator<Item = (String, u32)> + '_ {
    list(text).filter_map(|pair| {
        let (word, value) = pair.split_once(' ')?;
        Some((word.to_owned(), value.parse().ok()?))
    })
}

/// A verb and its regular forms: carry, carries, carried, carrying; both "stared" and "starred" of star.
fn forms(verb: &str) -> Vec<String> {
    let last = verb.chars().next_back().unwrap_or_default();
    let vowel = |c: Option<char>| c.is_some_and(|c| "aeiou".contains(c));
    let before = vowel(verb.chars().rev().nth(1));
    let stem = match last {
        'e' => &verb[..verb.len() - 1],
        'y' if !before => &verb[..verb.len() - 1],
        _ => verb,
    };
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| verb.ends_with(end));
    let mut forms = vec![verb.to_owned()];
    match last {
        'y' if !before => forms.extend([format!("{stem}ies"), format!("{stem}ied")]),
        _ if hisses => forms.extend([format!("{verb}es"), format!("{stem}ed")]),
        _ => forms.extend([format!("{verb}s"), format!("{stem}ed")]),
    }
    let whole = if last == 'y' { verb } else { stem };
    forms.push(format!("{whole}ing"));
    if before && !vowel(Some(last)) {
        forms.extend([format!("{verb}{last}ed"), format!("{verb}{last}ing")]);
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::forms;

    #[test]
    fn verbs_have_their_regular_forms() {
        assert_eq!(forms("carry"), ["carry", "carries", "carried", "carrying"]);
        assert_eq!(forms("teach"), ["teach", "teaches", "teached", "teaching"]);
        assert_eq!(forms("live"), ["live", "lives", "lived", "living"]);
        assert_eq!(forms("star"), ["star", "stars", "stared", "staring", "starred", "starring"]);
    }
}
