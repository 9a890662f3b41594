//! Words that fit nothing as written: mistyped function words ("mininum", "whcih"), synonyms
//! ("wage"), and one word for what a schema may say in two ("surname").

use strsim::{levenshtein, osa_distance};

use crate::link::{LexicalIndex, WordMatches};
use crate::text::{Word, stem};

use super::evidence::{Finder, Unit, UnitKind};
use super::lexicon::{self, Words};
use super::naming::is_agent;
use super::participles::{is_participle, negated};
use super::stored::{plural, singular};
use super::tokens::{Token, TokenKind};

/// How like a name a word is that means the same.
pub const SYNONYM: f32 = 0.85;

/// Shortest word that is taken for a mistyped one: of shorter ones too many are words themselves.
const LEAST_LETTERS: usize = 5;

/// Shortest stem of a verb that such a noun is looked for of.
const LEAST_VERB: usize = 4;

/// What is said by a token that fitted nothing, in other tokens.
type Rewording = fn(&Token, &LexicalIndex) -> Option<Vec<Token>>;

/// All of them, in the order in which they are tried.
pub const REWORDINGS: [Rewording; 4] = [corrected, paraphrased, split_negated, likened];

/// The tokens of a question with others for those that fitted nothing; None where none are others.
pub fn reword(
    tokens: &[Token],
    units: &[Unit],
    names: &LexicalIndex,
    rewording: Rewording,
) -> Option<Vec<Token>> {
    let unknown =
        |t: &Token| units.iter().any(|u| u.kind == UnitKind::Unknown && u.folded == t.text);
    let others = |t: &Token| Some(t).filter(|t| unknown(t)).and_then(|t| rewording(t, names));
    let reworded = tokens.iter().flat_map(|t| others(t).unwrap_or_else(|| vec![t.clone()]));
    Some(reworded.collect()).filter(|reworded| reworded != tokens)
}

/// A mistyped function word, put right; "spring" is a word, and no mistyped "string".
fn corrected(token: &Token, _: &LexicalIndex) -> Option<Vec<Token>> {
    let word = token.kind == TokenKind::Word && !lexicon::is_english(&token.text);
    let plain = word && !token.capital;
    let words = lexicon::function_words().filter(|word| plain && is_slip(&token.text, word));
    Some(vec![saying(token, words.min()?)])
}

/// One word that others say as well.
fn paraphrased(token: &Token, _: &LexicalIndex) -> Option<Vec<Token>> {
    let others = lexicon::in_other_words(&token.text)?;
    Some(others.split(' ').map(|word| saying(token, word)).collect())
}

/// "not" before what a prefix negates.
fn split_negated(token: &Token, _: &LexicalIndex) -> Option<Vec<Token>> {
    let rest = negated(&token.text).filter(|_| token.kind == TokenKind::Word)?;
    // where folding changed no length, the rest begins after the prefix
    let plain = token.end - token.start == token.text.len();
    let start = if plain { token.end - rest.len() } else { token.start };
    Some(vec![saying(token, "not"), Token { start, ..saying(token, rest) }])
}

/// The one noun of the names that this one may stand for: the schema tells which.
fn likened(token: &Token, names: &LexicalIndex) -> Option<Vec<Token>> {
    let one = singular(&token.text);
    // what a sentence begins with in the singular is rather a verb
    let is_noun = token.kind == TokenKind::Word && (token.start > 0 || one != token.text);
    let mut named = lexicon::near(&one).filter(|noun| is_noun && names.names(&stem(noun)));
    let (noun, None) = (named.next()?, named.next()) else { return None };
    let noun = if one == token.text { noun.to_owned() } else { plural(noun.to_owned()) };
    Some(vec![Token { alike: true, ..saying(token, &noun) }])
}

/// Another word in the place of a token.
fn saying(token: &Token, word: &str) -> Token {
    Token { text: word.to_owned(), stem: stem(word), ..token.clone() }
}

impl Finder<'_> {
    /// Words that fit no name and no value may mean the same as one that does.
    pub fn add_synonyms(&mut self) {
        for at in 0..self.tokens.len() {
            let stored = self.values.iter().any(|((first, last), _)| (*first..*last).contains(&at));
            if !self.matches[at].is_empty() || stored {
                continue;
            }
            let token = &self.tokens[at];
            let plain = !lexicon::is_key(&token.text) && !lexicon::is_filler(&token.text);
            let done = || is_participle(&token.text) && plain;
            // purchasers are no sales
            if let Some(found) = self.synonym(&token.stem).filter(|_| !is_agent(token)) {
                self.matches[at] = found;
            } else if done() {
                self.matches[at] = self.deed(&token.stem).unwrap_or_default();
            } else if let Some(found) = self.first_known(lexicon::synonyms(&token.stem)) {
                self.matches[at] = found;
                self.alike.push(at);
            }
        }
    }

    /// Words of names that mean the same as one of this stem.
    pub fn synonym(&self, stem: &str) -> Option<WordMatches> {
        self.first_known(lexicon::same(stem))
    }

    fn first_known(&self, stems: Vec<&str>) -> Option<WordMatches> {
        let word = |stem: &str| Word { text: stem.to_owned(), stem: stem.to_owned() };
        let mut others = stems.into_iter().map(|s| self.index.matches(&word(s)).scaled(SYNONYM));
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

/// Whether `written` is `word` mistyped: with two letters swapped, or with one left out, too many or
/// another, but for the first and last.
fn is_slip(written: &str, word: &str) -> bool {
    let ends = |text: &str| (text.chars().next(), text.chars().next_back());
    let near = ends(written) == ends(word) && osa_distance(written, word) == 1;
    let swapped = levenshtein(written, word) > 1;
    near && written.len() >= LEAST_LETTERS && (swapped || word.len() > LEAST_LETTERS)
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokenize;
    use super::*;

    #[test]
    fn slips_are_told_from_other_words() {
        let said = |text: &str| {
            let corrected = corrected(&tokenize(text)[0], &LexicalIndex::default());
            corrected.map_or_else(|| text.to_owned(), |tokens| tokens[0].text.clone())
        };
        for (written, word) in [
            ("mininum", "minimum"),
            ("equls", "equals"),
            ("avergae", "average"),
            ("whcih", "which"),
            ("coresponding", "corresponding"),
        ] {
            assert_eq!(said(written), word);
        }
        for word in ["scored", "exiting", "closes", "bordered", "form", "spring"] {
            assert_eq!(said(word), word);
        }
    }
}
