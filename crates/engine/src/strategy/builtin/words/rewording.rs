//! Words that fit nothing as written: mistyped function words ("mininum", "whcih"), synonyms
//! ("wage"), and one word for what a schema may say in two ("surname").

use crate::catalog::Catalog;
use crate::link::WordMatches;
use crate::text::{Word, stem};

use super::evidence::{Finder, Unit, UnitKind};
use super::lexicon::{self, Words};
use super::participles::{is_participle, negated};
use super::tokens::{Token, TokenKind};

/// How like a name a word is that means the same.
const SYNONYM: f32 = 0.85;

/// Shortest word that is taken for a mistyped one: of shorter ones too many are words themselves.
const LEAST_LETTERS: usize = 5;

/// Shortest stem of a verb that such a noun is looked for of.
const LEAST_VERB: usize = 4;

/// The tokens with mistyped function words put right, where they fitted nothing; None where there
/// is no such word.
pub fn correct(_: &Catalog, tokens: &[Token], units: &[Unit]) -> Option<Vec<Token>> {
    let meant = |token: &Token| {
        let slips = |(word, carries): &(&str, bool)| is_slip(&token.text, word, *carries);
        let plain = token.kind == TokenKind::Word && !token.capital;
        let words = lexicon::function_words().filter(|_| plain).filter(slips);
        words.min().map(|(word, _)| vec![word.to_owned()])
    };
    reword(tokens, units, meant)
}

/// The tokens with the words that say the same as one that fitted nothing; None where there is
/// no such word.
pub fn paraphrase(_: &Catalog, tokens: &[Token], units: &[Unit]) -> Option<Vec<Token>> {
    reword(tokens, units, |token| lexicon::in_other_words(&token.text))
}

/// The tokens with "not" before what a prefix negates, where the whole word fitted nothing; None
/// where there is no such word.
pub fn split_negated(_: &Catalog, tokens: &[Token], units: &[Unit]) -> Option<Vec<Token>> {
    let unknown =
        |t: &Token| units.iter().any(|u| u.kind == UnitKind::Unknown && u.folded == t.text);
    let mut found = false;
    let mut split = Vec::with_capacity(tokens.len() + 1);
    for token in tokens {
        let rest = negated(&token.text).filter(|_| token.kind == TokenKind::Word);
        let Some(rest) = rest.filter(|_| unknown(token)) else {
            split.push(token.clone());
            continue;
        };
        found = true;
        let not = Token { text: "not".to_owned(), stem: "not".to_owned(), ..token.clone() };
        // where folding changed no length, the rest begins after the prefix
        let plain = token.end - token.start == token.text.len();
        let start = if plain { token.end - rest.len() } else { token.start };
        split.push(not);
        split.push(Token { text: rest.to_owned(), stem: stem(rest), start, ..token.clone() });
    }
    found.then_some(split)
}

/// The tokens with other words for those that fitted nothing.
fn reword(
    tokens: &[Token],
    units: &[Unit],
    meant: impl Fn(&Token) -> Option<Vec<String>>,
) -> Option<Vec<Token>> {
    let unknown =
        |t: &Token| units.iter().any(|u| u.kind == UnitKind::Unknown && u.folded == t.text);
    let mut found = false;
    let mut reworded = Vec::with_capacity(tokens.len());
    for token in tokens {
        let Some(words) = Some(token).filter(|t| unknown(t)).and_then(&meant) else {
            reworded.push(token.clone());
            continue;
        };
        found = true;
        let other = |word: String| Token { stem: stem(&word), text: word, ..token.clone() };
        reworded.extend(words.into_iter().map(other));
    }
    found.then_some(reworded)
}

impl Finder<'_> {
    /// Words that fit no name and no value may mean the same as one that does.
    pub fn add_synonyms(&mut self) {
        for at in 0..self.tokens.len() {
            let stored = self.values.iter().any(|(first, last, _)| (*first..*last).contains(&at));
            if !self.matches[at].is_empty() || stored {
                continue;
            }
            let token = &self.tokens[at];
            let plain = lexicon::phrases(&[&*token.text]).next().is_none();
            let done = || is_participle(&token.text) && plain && !lexicon::is_filler(&token.text);
            let deed = || Some(&token.stem).filter(|_| done()).and_then(|verb| self.deed(verb));
            let noun = || Some(&token.stem).filter(|_| !done()).and_then(|noun| self.noun(noun));
            if let Some(found) = self.synonym(&token.stem).or_else(noun).or_else(deed) {
                self.matches[at] = found;
            }
        }
    }

    /// Words of names that mean the same as one of this stem.
    pub fn synonym(&self, stem: &str) -> Option<WordMatches> {
        self.first_known(lexicon::same(stem).iter().map(String::as_str))
    }

    /// Words of names that mean the same as a noun of this stem.
    fn noun(&self, stem: &str) -> Option<WordMatches> {
        self.first_known(lexicon::synonyms(stem).into_iter())
    }

    fn first_known<'s>(&self, stems: impl Iterator<Item = &'s str>) -> Option<WordMatches> {
        let word = |stem: &str| Word { text: stem.to_owned(), stem: stem.to_owned() };
        let mut others = stems.map(|s| self.index.matches(&word(s)).scaled(SYNONYM));
        others.find(|m| !m.is_empty())
    }

    /// What the names call a deed by the verb of this stem: "rented" is a rental, "shipped" a shipment.
    fn deed(&self, verb: &str) -> Option<WordMatches> {
        let called = |ending: &&str| {
            let noun = format!("{verb}{ending}");
            Word { stem: stem(&noun), text: noun }
        };
        let long = verb.len() >= LEAST_VERB;
        let mut nouns =
            Words::Deeds.all().iter().map(called).filter(|noun| long && noun.stem != verb);
        let noun = nouns.find(|noun| self.index.knows(noun))?;
        Some(self.index.matches(&noun).scaled(SYNONYM))
    }
}

/// Whether `written` is `word` with two letters swapped, or with one left out, too many or
/// another, but for the first and last. Of words that do not carry a meaning (`carries`) only
/// doubled letters are lost: "scored" is not "stored".
fn is_slip(written: &str, word: &str, carries: bool) -> bool {
    let (a, b) = (written.as_bytes(), word.as_bytes());
    if a == b || a.len() < LEAST_LETTERS || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let before = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest = a.len().min(b.len()) - before;
    let behind = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| x == y).count();
    if before == 0 || behind == 0 {
        return false;
    }
    match (&a[before..a.len() - behind], &b[before..b.len() - behind]) {
        ([x, y], [z, w]) => x == w && y == z,
        ([_], [_]) => carries && b.len() > LEAST_LETTERS,
        ([one], []) | ([], [one]) => {
            let doubled = b[before - 1] == *one;
            b.len() > LEAST_LETTERS && (carries || doubled)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_other_words() {
        for (written, word) in [("mininum", "minimum"), ("equls", "equals"), ("avergae", "average")]
        {
            assert!(is_slip(written, word, true), "{written}");
        }
        assert!(
            is_slip("whcih", "which", false) && is_slip("coresponding", "corresponding", false)
        );
        assert!(!is_slip("scored", "stored", false) && !is_slip("exiting", "existing", false));
        assert!(!is_slip("closes", "closest", true) && !is_slip("bordered", "ordered", true));
        assert!(!is_slip("form", "from", true));
    }
}
