//! Reading `lexicon.txt`.

use std::iter::repeat;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::text::stem;

use super::synonyms::Synonyms;
use super::{Adjective, Key, Lexicon, Measure};

impl Lexicon {
    /// Read the file; the error is a line, or a name in one, that fits no form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lexicon = Self::default();
        let lines = logical_lines(text);
        let same = lines.iter().filter_map(|line| line.strip_prefix("same:"));
        lexicon.same = Synonyms::new(same.flat_map(|l| l.split(',')).map(str::split_whitespace));
        for line in lines.iter().filter(|line| !line.starts_with("same:")) {
            let (head, rest) = line.split_once(':').ok_or_else(|| line.clone())?;
            let (form, of) = head.split_once([' ', '.']).unwrap_or((head, ""));
            match form {
                _ if head.contains(" / ") => lexicon.add_adjective(head, rest),
                "coded" => {
                    let columns: Vec<String> = words(of);
                    let codes = pairs(rest).map(|(word, code)| (word, (code, columns.clone())));
                    lexicon.codes.extend(codes);
                }
                "verb" => lexicon.verbs.extend(by_word(of, rest)),
                "size" => lexicon.sizes.extend(by_word(of, rest)),
                "group" | "verbs" => {
                    let forms = list(rest).flat_map(|word| match form {
                        "verbs" => forms(&word),
                        _ => vec![word],
                    });
                    // the lexicon lives as long as the program
                    let words = forms.map(|word| &*word.leak());
                    lexicon.groups.entry(named(of)?).or_default().extend(words);
                }
                "number" => lexicon.numbers.extend(pairs(rest)),
                "ordinal" => lexicon.ordinals.extend(pairs(rest)),
                "instead" => lexicon.instead.extend(pairs(rest)),
                "nouns" => lexicon.kinds.extend(list(rest).zip(repeat(named(of)?))),
                "span" => lexicon.spans.extend(list(rest).zip(repeat(named(of)?))),
                "filler" => lexicon.fillers.extend(list(rest)),
                "unit" => {
                    let dimension = named(of)?;
                    let measure = |(word, factor)| (word, Measure { dimension, factor });
                    lexicon.measures.extend(pairs(rest).map(measure));
                }
                _ => {
                    let key = named(head)?;
                    list(rest).for_each(|phrase| lexicon.add(&phrase, key));
                }
            }
        }
        Ok(lexicon)
    }

    fn add(&mut self, phrase: &str, key: Key) {
        let words = words(phrase);
        self.phrases.entry(words[0].clone()).or_default().push((words, key));
    }

    /// Nouns that mean the same, a group a line, but for those that are function words besides.
    pub fn add_synonyms(&mut self, text: &str) {
        let is_noun =
            |word: &&str| !self.phrases.contains_key(*word) && !self.fillers.contains(*word);
        let groups = text.lines().filter(|line| !line.starts_with('#'));
        self.synonyms = Synonyms::new(groups.map(|group| group.split(' ').filter(is_noun)));
    }

    fn add_adjective(&mut self, head: &str, nouns: &str) {
        let at = self.adjectives.len();
        let (more, most) = head.split_once('/').unwrap_or((head, ""));
        let (direct, inverse) = nouns.split_once('|').unwrap_or((nouns, ""));
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

/// What a name in the file stands for: `between`, or `compare.less` with what it is applied to.
fn named<T: DeserializeOwned>(name: &str) -> Result<T, String> {
    let value = match name.split_once('.') {
        Some((variant, of)) => json!({ variant: of }),
        None => json!(name),
    };
    serde_json::from_value(value).map_err(|_| name.to_owned())
}

/// Pairs of a word and its value.
fn pairs<T: FromStr>(text: &str) -> impl Iterator<Item = (String, T)> + '_ {
    list(text).filter_map(|pair| {
        let (word, value) = pair.split_once(' ')?;
        Some((word.to_owned(), value.parse().ok()?))
    })
}

/// The stems of these nouns, for each word.
fn by_word(of: &str, nouns: &str) -> impl Iterator<Item = (String, Vec<String>)> {
    words(of).into_iter().map(|word| (word, stems(nouns)))
}

fn stems(nouns: &str) -> Vec<String> {
    list(nouns).map(|noun| stem(&noun)).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
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
