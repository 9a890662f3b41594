//! Words that fit nothing as written: mistyped function words ("mininum", "whcih"), synonyms
//! ("wage"), and one word for what a schema may say in two ("surname").

use strsim::{levenshtein, osa_distance};

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

/// What is said by a token that fitted nothing, in other tokens.
type Rewording = fn(&Token) -> Option<Vec<Token>>;

/// All of them, in the order in which they are tried.
pub const REWORDINGS: [Rewording; 3] = [corrected, paraphrased, split_negated];

/// The tokens of a question with others for those that fitted nothing; None where none are others.
pub fn reword(tokens: &[Token], units: &[Unit], rewording: Rewording) -> Option<Vec<Token>> {
    let unknown =
        |t: &Token| units.iter().any(|u| u.kind == UnitKind::Unknown && u.folded == t.text);
    let others = |t: &Token| Some(t).filter(|t| unknown(t)).and_then(rewording);
    let reworded = tokens.iter().flat_map(|t| others(t).unwrap_or_else(|| vec![t.clone()]));
    Some(reworded.collect()).filter(|reworded| reworded != tokens)
}

/// A mistyped function word, put right.
fn corrected(token: &Token) -> Option<Vec<Token>> {
    let plain = token.kind == TokenKind::Word && !token.capital;
    let words = lexicon::function_words().filter(|_| plain);
    let meant = words.filter(|(word, carries)| is_slip(&token.text, word, *carries)).min();
    Some(vec![saying(token, meant?.0)])
}

/// One word that others say as well.
fn paraphrased(token: &Token) -> Option<Vec<Token>> {
    let others = lexicon::in_other_words(&token.text)?;
    Some(others.split(' ').map(|word| saying(token, word)).collect())
}

/// "not" before what a prefix negates.
fn split_negated(token: &Token) -> Option<Vec<Token>> {
    let rest = negated(&token.text).filter(|_| token.kind == TokenKind::Word)?;
    // where folding changed no length, the rest begins after the prefix
    let plain = token.end - token.start == token.text.len();
    let start = if plain { token.end - rest.len() } else { token.start };
    Some(vec![saying(token, "not"), Token { start, ..saying(token, rest) }])
}

/// Another word in the place of a token.
fn saying(token: &Token, word: &str) -> Token {
    Token { text: word.to_owned(), stem: stem(word), ..token.clone() }
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
            let others = || match done() {
                true => self.deed(&token.stem),
                false => self.first_known(lexicon::synonyms(&token.stem)),
            };
            if let Some(found) = self.synonym(&token.stem).or_else(others) {
                self.matches[at] = found;
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
/// another, but for the first and last. Of words that do not carry a meaning (`carries`) only
/// doubled letters are lost: "scored" is not "stored".
fn is_slip(written: &str, word: &str, carries: bool) -> bool {
    let ends = |text: &str| (text.chars().next(), text.chars().next_back());
    let near = ends(written) == ends(word) && osa_distance(written, word) == 1;
    if !near || written.len() < LEAST_LETTERS {
        return false;
    }
    let swapped = levenshtein(written, word) > 1;
    let once = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.dedup();
        letters
    };
    swapped || word.len() > LEAST_LETTERS && (carries || once(written) == once(word))
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
