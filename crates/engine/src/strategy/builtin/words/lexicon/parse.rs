//! Reading `lexicon.txt`.

use std::iter::repeat;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::text::stem;

use super::super::stored::plural;
use super::synonyms::Synonyms;
use super::{Adjective, Key, Lexicon, Measure};

impl Lexicon {
    /// Read the file; the error is a line, or a name in one, that fits no form.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        // lines go on where they are indented; the lexicon lives as long as the program
        let text: &'static str = text.replace("\n    ", " ").leak();
        let mut lexicon = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (head, rest) = line.split_once(':').ok_or(line)?;
            let (form, of) = head.split_once([' ', '.']).unwrap_or((head, ""));
            match form {
                _ if head.contains(" / ") => lexicon.add_adjective(head, rest),
                "coded" => {
                    let columns: Vec<&str> = of.split(' ').collect();
                    let codes = pairs(rest).map(|(word, code)| (word, (code, columns.clone())));
                    lexicon.codes.extend(codes);
                }
                "verb" => lexicon.measured_by.extend(of.split(' ').zip(repeat(stems(rest)))),
                "size" => lexicon.sizes.extend(of.split(' ').zip(repeat(stems(rest)))),
                "group" => lexicon.groups.entry(named(of)?).or_default().extend(list(rest)),
                "verbs" => {
                    let forms = list(rest).flat_map(forms).map(|form| &*form.leak());
                    lexicon.groups.entry(named(of)?).or_default().extend(forms);
                }
                "number" => lexicon.numbers.extend(pairs(rest)),
                "ordinal" => lexicon.ordinals.extend(pairs(rest)),
                "instead" => lexicon.in_other_words.extend(pairs(rest)),
                "nouns" => lexicon.kinds.extend(list(rest).zip(repeat(named(of)?))),
                "span" => lexicon.parts.extend(list(rest).zip(repeat(named(of)?))),
                "filler" => lexicon.fillers.extend(list(rest)),
                "same" => lexicon.same = Synonyms::new(rest.split(',').map(str::split_whitespace)),
                "unit" => {
                    let (dimension, currency) = of.split_once(' ').unwrap_or((of, ""));
                    let dimension = named(dimension)?;
                    let measure = |(word, factor)| (word, Measure { dimension, factor, currency });
                    lexicon.units.extend(pairs(rest).map(measure));
                }
                _ => {
                    let key = named(head)?;
                    list(rest).for_each(|phrase| lexicon.add(phrase.split(' ').collect(), key));
                }
            }
        }
        Ok(lexicon)
    }

    fn add(&mut self, phrase: Vec<&'static str>, key: Key) {
        self.phrases.entry(phrase[0]).or_default().push((phrase, key));
    }

    /// Nouns that mean the same, a group a line, but for those that are function words besides.
    pub fn add_synonyms(&mut self, text: &str) {
        let is_noun = |w: &&str| !self.phrases.contains_key(*w) && !self.fillers.contains(*w);
        let groups = text.lines().filter(|line| !line.starts_with('#'));
        self.synonyms = Synonyms::new(groups.map(|group| group.split(' ').filter(is_noun)));
    }

    fn add_adjective(&mut self, head: &'static str, nouns: &'static str) {
        let at = self.adjectives.len();
        let (more, most) = head.split_once('/').unwrap_or((head, ""));
        let (direct, inverse) = nouns.split_once('|').unwrap_or((nouns, ""));
        self.adjectives.push(Adjective { direct: stems(direct), inverse: stems(inverse) });
        list(most).for_each(|phrase| self.add(phrase.split(' ').collect(), Key::Extreme(at)));
        list(more).for_each(|phrase| {
            let words: Vec<&str> = phrase.split(' ').collect();
            self.add([&words[..], &["than"]].concat(), Key::Compared(at));
            self.add(words, Key::Compared(at));
        });
    }
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// What a name in the file stands for: `between`, or `compare.less` with what it is applied to.
fn named<T: DeserializeOwned>(name: &str) -> Result<T, &str> {
    let value = match name.split_once('.') {
        Some((variant, of)) => json!({ variant: of }),
        None => json!(name),
    };
    serde_json::from_value(value).map_err(|_| name)
}

/// Pairs of a word and its value.
fn pairs<T: FromStr>(text: &str) -> impl Iterator<Item = (&str, T)> {
    list(text).filter_map(|pair| {
        let (word, value) = pair.split_once(' ')?;
        Some((word, value.parse().ok()?))
    })
}

fn stems(nouns: &str) -> Vec<String> {
    list(nouns).map(stem).collect()
}

/// A verb and its regular forms: carry, carries, carried, carrying; both "stared" and "starred" of star.
fn forms(verb: &str) -> Vec<String> {
    let (third, bare) = (plural(verb.to_owned()), verb.strip_suffix('e').unwrap_or(verb));
    let past = match third.strip_suffix("ies") {
        Some(stem) => format!("{stem}ied"),
        None => format!("{bare}ed"),
    };
    let mut forms = vec![verb.to_owned(), third, past, format!("{bare}ing")];
    let mut vowels = verb.chars().rev().map(|c| "aeiou".contains(c));
    if (vowels.next(), vowels.next()) == (Some(false), Some(true)) {
        let doubled = format!("{verb}{}", &verb[verb.len() - 1..]);
        forms.extend([format!("{doubled}ed"), format!("{doubled}ing")]);
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
