//! A question cut into units: by the best segmentation, and again in other words where some of its
//! words fit nothing as written: mistyped function words ("mininum", "whcih"), synonyms ("wage"), and
//! one word for what a schema may say in two ("surname").

use std::rc::Rc;

use strsim::{levenshtein, osa_distance};

use crate::context::Context;
use crate::error::Error;
use crate::link::{LexicalIndex, Named, WordMatches};
use crate::strategy::builtin::facts::Facts;
use crate::text::{Word, stem};

use super::calendar::{self, Day};
use super::definitions::Definition;
use super::evidence::{Finder, Unit, UnitKind};
use super::lexicon::{self, LEXICON, Words, is_participle, negated};
use super::naming::is_agent;
use super::stored::{plural, singular};
use super::tokens::{Token, TokenKind};

/// Most words of a question that are read: each pass goes over all of them, some over all pairs.
const MOST_WORDS: usize = 500;

/// How like a name a word is that means the same.
pub const SYNONYM: f32 = 0.85;

/// Shortest word that is taken for a mistyped one: of shorter ones too many are words themselves.
const LEAST_LETTERS: usize = 5;

/// Shortest stem of a verb that such a noun is looked for of.
const LEAST_VERB: usize = 4;

/// Cut a question into units.
///
/// Requires: tokens of one question. Produces: units that cover all tokens in order.
pub fn units(
    context: &Context<'_>,
    question: &str,
    tokens: &[Token],
    definitions: &[Definition],
) -> Result<Vec<Unit>, Error> {
    let (what, length, unit, limit) = ("question", tokens.len(), "words", MOST_WORDS);
    if length > limit {
        return Err(Error::TooLong { what, length, unit, limit });
    }
    let mut tokens = tokens.to_vec();
    let mut units = cut(context, question, &tokens, definitions)?;
    let names = context.catalog.lexical();
    for rewording in REWORDINGS {
        let unfit = unfit_words(&units);
        let other = |t: &Token| unfit.contains(&&*t.text).then(|| rewording(t, names)).flatten();
        let reworded = tokens.iter().flat_map(|t| other(t).unwrap_or_else(|| vec![t.clone()]));
        let reworded: Vec<Token> = reworded.collect();
        if reworded != tokens {
            let again = cut(context, question, &reworded, definitions)?;
            if unfit_words(&again).len() < unfit.len() {
                (tokens, units) = (reworded, again);
            }
        }
    }
    Ok(units)
}

fn unfit_words(units: &[Unit]) -> Vec<&str> {
    units.iter().filter(|u| u.kind == UnitKind::Unknown).map(|u| &*u.folded).collect()
}

fn cut(
    context: &Context<'_>,
    question: &str,
    tokens: &[Token],
    definitions: &[Definition],
) -> Result<Vec<Unit>, Error> {
    let mut finder = Finder {
        catalog: &context.catalog,
        facts: Facts::of(&context.catalog),
        scope: &context.scope,
        index: context.catalog.lexical(),
        named: context.memos.get_or_init(Rc::<Named>::default),
        question,
        tokens,
        matches: Vec::new(),
        values: Vec::new(),
        alike: Vec::new(),
        defined: Vec::new(),
        today: None,
    };
    if calendar::is_relative(tokens) {
        finder.today = Day::parse(&context.database().today()?);
    }
    finder.matches = tokens.iter().map(|t| finder.word_matches(t)).collect();
    finder.values = finder.stored_values(context)?;
    finder.add_synonyms();
    finder.defined = definitions.iter().flat_map(|d| finder.said(d)).collect();
    Ok(finder.segment())
}

/// What is said by a token that fitted nothing, in other tokens.
type Rewording = fn(&Token, &LexicalIndex) -> Option<Vec<Token>>;

/// All of them, in the order in which they are tried.
const REWORDINGS: [Rewording; 4] = [corrected, paraphrased, split_negated, likened];

/// A mistyped function word, put right; "spring" is a word, and no mistyped "string".
fn corrected(token: &Token, _: &LexicalIndex) -> Option<Vec<Token>> {
    let word = token.kind == TokenKind::Word && !lexicon::is_english(&token.text);
    let plain = word && !token.capital;
    let words = lexicon::function_words().filter(|word| plain && is_slip(&token.text, word));
    Some(vec![saying(token, words.min()?)])
}

/// One word that others say as well.
fn paraphrased(token: &Token, _: &LexicalIndex) -> Option<Vec<Token>> {
    let others = LEXICON.in_other_words.get(&*token.text)?;
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
            if let Some(found) = self.synonym(&token.stem).filter(|_| !is_agent(&token.text)) {
                self.matches[at] = found;
            } else if done() {
                self.matches[at] = self.deed(&token.stem).unwrap_or_default();
            } else {
                // a kennel is a doghouse, but no dog
                let mut named = LEXICON.synonyms.of(&token.stem);
                named.retain(|stem| self.index.names(stem));
                if let Some(found) = self.first_known(named) {
                    self.matches[at] = found;
                    self.alike.push(at);
                }
            }
        }
    }

    /// Words of names that mean the same as one of this stem.
    pub fn synonym(&self, stem: &str) -> Option<WordMatches> {
        self.first_known(LEXICON.same.of(stem))
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
        let known = |noun: &Word| noun.stem != verb && self.index.knows(noun);
        let noun = Words::Deeds.all().iter().map(called).find(|noun| long && known(noun))?;
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
