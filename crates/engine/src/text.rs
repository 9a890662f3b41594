//! Words: how questions and names are split, folded and stemmed. One home for all linking.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case, without accents, compatibility forms unified.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// The Snowball English stem of a folded word.
pub fn stem(word: &str) -> String {
    Stemmer::create(Algorithm::English).stem(word).into_owned()
}

/// The folded words of an identifier: split at anything that is not a letter or digit, at a
/// change to upper case (`customerName`, `HTTPServer`), and between letters and digits.
pub fn identifier_words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let previous = i.checked_sub(1).map(|p| chars[p]);
        let next = chars.get(i + 1).copied();
        let boundary = previous.is_some_and(|p| {
            (c.is_uppercase() && p.is_lowercase())
                || (c.is_uppercase() && p.is_uppercase() && next.is_some_and(char::is_lowercase))
                || (c.is_ascii_digit() != p.is_ascii_digit() && p.is_alphanumeric())
        });
        if (boundary || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(fold(&std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(fold(&word));
    }
    words
}

/// Dice coefficient of the character trigrams of two folded words, in 0..=1; both are padded
/// with two blanks before and one after, as pg_trgm does.
pub fn trigram_dice(a: &str, b: &str) -> f32 {
    let (ta, tb) = (trigrams(a), trigrams(b));
    if ta.is_empty() || tb.is_empty() {
        return 0.0;
    }
    let shared = ta.iter().filter(|t| tb.contains(t)).count();
    2.0 * shared as f32 / (ta.len() + tb.len()) as f32
}

fn trigrams(word: &str) -> Vec<[char; 3]> {
    let padded: Vec<char> = [' ', ' '].into_iter().chain(word.chars()).chain([' ']).collect();
    let mut all: Vec<[char; 3]> = padded.windows(3).map(|w| [w[0], w[1], w[2]]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_split_where_people_see_words() {
        let check = |name: &str, expect: &[&str]| assert_eq!(identifier_words(name), expect);
        check("customer_name", &["customer", "name"]);
        check("customerName", &["customer", "name"]);
        check("HTTPServer2", &["http", "server", "2"]);
        check("Größe (cm)", &["große", "cm"]);
        check("", &[]);
    }

    #[test]
    fn folding_drops_case_and_accents() {
        assert_eq!(fold("Crème Brûlée"), "creme brulee");
    }

    #[test]
    fn trigrams_forgive_typos() {
        assert_eq!(trigram_dice("avenue", "avenue"), 1.0);
        assert!(trigram_dice("avenue", "avenu") > 0.7);
        assert!(trigram_dice("avenue", "street") < 0.2);
    }
}
