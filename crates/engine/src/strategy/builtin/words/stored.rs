//! Stored values: which spans of the question may be values, and one search in the data for all.

use std::collections::BTreeSet;

use crate::catalog::{ColumnId, TableId};
use crate::context::Context;
use crate::error::Error;
use crate::link::{Ranker, Scored};
use crate::ports::ValueQuery;
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;
use crate::text::{fold, stem};

use super::evidence::{Finder, Span, StoredValue, VALUE_TOKENS, word_text};
use super::lexicon::{self, LEXICON, Words, is_participle};
use super::tokens::{Token, TokenKind};

/// In a larger database values are looked for only in the tables that fit the question best.
const VALUE_TABLES: usize = 60;

/// What is looked for in the data.
struct Sought {
    span: Span,
    phrase: String,
    form: Form,
}

/// In what form a span is looked for.
enum Form {
    Said,
    /// In the singular.
    Singular,
    /// As the participle of a verb, in a table that the question names.
    Past,
    /// As the code of a word, in columns whose names have one of these words.
    Code(&'static [&'static str]),
}

impl Finder<'_> {
    /// Look all plausible spans up as stored values, in one search.
    pub fn stored_values(&self, context: &Context<'_>) -> Result<Vec<(Span, StoredValue)>, Error> {
        let sought = self.sought();
        if sought.is_empty() {
            return Ok(Vec::new());
        }
        let phrases: Vec<String> = sought.iter().map(|s| s.phrase.clone()).collect();
        let query = ValueQuery {
            phrases: &phrases,
            columns: &self.value_columns(),
            near: &|| context.ranking().table_ids().to_vec(),
            limit: 20,
            fuzzy: false,
            budget: context.settings().value_search_timeout,
        };
        let hits = context.find_values(&query)?;
        let found = hits.into_iter().filter_map(|hit| {
            let of = &sought[hit.phrase];
            let value = StoredValue { column: hit.column, text: hit.value };
            self.is_meant(of, &value).then_some((of.span, value))
        });
        let mut values: Vec<_> = found.chain(self.labels(&sought)).collect();
        // a phrase and its singular find the same value
        let mut seen = BTreeSet::new();
        values.retain(|(span, value)| seen.insert((*span, value.column, value.text.clone())));
        let stored = |value: &StoredValue| !self.is_derived(value.column.table);
        let in_tables = values.iter().filter(|(_, value)| stored(value));
        let in_tables: Vec<Span> = in_tables.map(|(span, _)| *span).collect();
        values.retain(|(span, value)| stored(value) || !in_tables.contains(span));
        Ok(values)
    }

    /// The columns where values are looked for; empty for all.
    fn value_columns(&self) -> Vec<ColumnId> {
        let found = self.scope.tables(self.catalog).into_iter().filter(|t| self.is_found(*t));
        let mut tables: Vec<TableId> = found.take(VALUE_TABLES + 1).collect();
        if tables.len() > VALUE_TABLES {
            let about = self.named.about(self.question, || {
                let ranker = Ranker::LexicalAndVectors;
                let ranked = self.index.tables(ranker, self.question, VALUE_TABLES);
                ranked.iter().map(|ranked| ranked.item).collect()
            });
            tables = about.iter().copied().filter(|t| self.is_found(*t)).collect();
            tables.sort_unstable();
        }
        let all = tables.len() == self.catalog.tables.len();
        tables.iter().filter(|_| !all).flat_map(|t| self.catalog.column_ids(*t)).collect()
    }

    /// Labels of enum columns among the phrases: the catalog knows them all.
    fn labels(&self, sought: &[Sought]) -> Vec<(Span, StoredValue)> {
        let mut found = Vec::new();
        let in_scope = |c: &&ColumnId| self.is_found(c.table);
        for &column in self.catalog.labelled_columns().iter().filter(in_scope) {
            for label in &self.catalog.column(column).labels {
                let code = |s: &Sought| matches!(s.form, Form::Code(_));
                let said = |s: &&Sought| !code(s) && fold(&s.phrase) == fold(label);
                let value = StoredValue { column, text: label.clone() };
                found.extend(sought.iter().find(said).map(|s| (s.span, value)));
            }
        }
        found
    }

    /// The spans that may be values, as they are said and in the singular, and the codes of words.
    fn sought(&self) -> Vec<Sought> {
        let n = self.tokens.len();
        let ends = |first: usize| first + 1..=(first + VALUE_TOKENS).min(n);
        let spans = (0..n).flat_map(|first| ends(first).map(move |last| (first, last)));
        let spans: Vec<_> = spans.filter(|&(first, last)| self.may_be_value(first, last)).collect();
        let phrase = |&(first, last): &Span| self.phrase(first, last);
        let said = spans.iter().map(|span| (*span, phrase(span), Form::Said));
        let singular = spans.iter().map(|span| (*span, singular(&phrase(span)), Form::Singular));
        // what somebody performs is "performed"
        let verb = |&i: &usize| Words::Relating.has(self.word(i)) && !is_participle(self.word(i));
        let past = |at: usize| {
            let same = |form: &&&str| form.ends_with("ed") && stem(form) == self.tokens[at].stem;
            Words::Relating.all().iter().find(same)
        };
        let as_done = |at| Some(((at, at + 1), past(at)?.to_string(), Form::Past));
        let done = (0..n).filter(verb).filter_map(as_done);
        let codes = (0..n).filter_map(|at| {
            let (code, columns) = LEXICON.codes.get(self.word(at))?;
            Some(((at, at + 1), code.clone(), Form::Code(columns)))
        });
        let all = said.chain(singular).chain(done).chain(codes);
        all.map(|(span, phrase, form)| Sought { span, phrase, form }).collect()
    }

    /// Whether a stored value that was found may be what was looked for.
    fn is_meant(&self, sought: &Sought, found: &StoredValue) -> bool {
        let (first, last) = sought.span;
        // the singular of a name is a value only where it is spelled so
        let name = last == first + 1 && !self.matches[first].is_empty();
        match sought.form {
            Form::Code(columns) => self.facts.column_says(found.column, columns),
            Form::Past => (0..self.tokens.len()).any(|at| {
                let named = |t: &Scored<TableId>| t.item == found.column.table;
                self.tables_of(at).iter().any(|t| named(t) && t.score >= TABLE_CERTAIN)
            }),
            Form::Singular if name && found.text != sought.phrase => false,
            Form::Said | Form::Singular => !self.is_accident(first, last, &found.text),
        }
    }

    fn may_be_value(&self, first: usize, last: usize) -> bool {
        let span = &self.tokens[first..last];
        // an abbreviation's dot may stand inside: Comp. Sci.
        let plain =
            |t: &Token| word_text(t).is_some() || t.kind == TokenKind::Stop && t.text == ".";
        if span.len() == 1 && matches!(span[0].kind, TokenKind::Quoted(_)) {
            return true;
        }
        let edge = |t: &Token| t.capital || !lexicon::is_filler(&t.text);
        // "on time", "no show", "in progress"
        let opens = |t: &Token| edge(t) || span.len() > 1 && Words::Particles.has(&t.text);
        let edges =
            span[0].kind != TokenKind::Stop && opens(&span[0]) && edge(&span[span.len() - 1]);
        let one_word_key = span.len() == 1 && !span[0].capital && lexicon::is_key(&span[0].text);
        span.iter().all(plain) && edges && !one_word_key && !self.is_table_word(first, last)
    }
}

/// The phrase with its last word in the singular: "dogs" of a dog, "puppies", "boxes".
pub fn singular(phrase: &str) -> String {
    let lower = fold(phrase);
    if let Some(one) = lower.strip_suffix("ies").filter(|one| one.len() > 1) {
        return format!("{one}y");
    }
    let sibilant = |one: &&str| ["ss", "x", "z", "ch", "sh"].iter().any(|end| one.ends_with(end));
    if let Some(one) = lower.strip_suffix("es").filter(sibilant) {
        return one.to_owned();
    }
    let plural = |one: &&str| one.len() > 2 && !one.ends_with(['s', 'u', 'i']);
    lower.strip_suffix('s').filter(plural).map_or_else(|| lower.clone(), str::to_owned)
}

/// A noun for several things.
pub fn plural(noun: String) -> String {
    match noun.strip_suffix('y') {
        _ if noun.ends_with('s') => noun,
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with(['x', 'z']) || noun.ends_with("ch") || noun.ends_with("sh") => {
            format!("{noun}es")
        }
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_have_their_singular_and_other_words_themselves() {
        for (plural, one) in [
            ("dogs", "dog"),
            ("Golden Retrievers", "golden retriever"),
            ("puppies", "puppy"),
            ("boxes", "box"),
            ("horses", "horse"),
            ("status", "status"),
            ("glass", "glass"),
            ("gas", "gas"),
        ] {
            assert_eq!(singular(plural), one);
        }
    }
}
