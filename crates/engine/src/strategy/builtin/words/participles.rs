//! Words by their form: participles ("closed"), words that tell a state ("available"), and those that
//! a prefix negates ("unpaid").

use super::lexicon::Words;

/// Shortest word that a prefix may negate.
const MIN_NEGATED: usize = 4;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_negate_and_participles_are_told() {
        assert_eq!(negated("unpaid"), Some("paid"));
        assert_eq!(negated("inactive"), Some("active"));
        assert_eq!(negated("until"), None);
        assert!(is_participle("closed") && is_participle("paid") && is_participle("departing"));
        assert!(!is_participle("speed") && !is_participle("red") && !is_participle("price"));
    }
}
