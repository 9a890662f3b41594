//! The meanings that the hint and the glossary give to words: "blond refers to
//! hair_code = 7", "profit = price - cost", "TSC means total sales count".
//!
//! A meaning is read as an SQL expression over columns of the catalog, or else as synonyms. Anything
//! that fits neither is ignored: hints are data, not instructions.

use std::cell::RefCell;
use std::collections::BTreeSet;

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, Ident, UnaryOperator, Value,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::catalog::{Catalog, ColumnId, KeyId, TableId};
use crate::context::Context;
use crate::dialect::DatePart;
use crate::strategy::builtin::facts::{Facts, only};
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Expression, Formula, Operand, Pattern, Target,
};
use crate::text::identifier_words;

use super::tokens::{Token, TokenKind, tokenize};

/// Longest definition that is read, in bytes.
const MAX_BYTES: usize = 600;
/// Most words that other words may stand for.
const MAX_WORDS: usize = 12;
/// Joins a term and its meaning; the first that occurs.
const JOINS: &[&str] =
    &[" refers to ", " refer to ", " stands for ", " stand for ", " means ", " mean ", " = ", ": "];

/// What a term stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// A column, of any of these tables.
    Columns(Vec<ColumnId>),
    /// A table.
    Table(TableId),
    /// Conditions, all of which hold, and the keys that they name.
    Conditions(Vec<Condition>, Vec<KeyId>),
    /// A computation.
    Computed(Expression),
}

/// A term of the hint or the glossary and what it stands for, in words.
pub type Term = (String, String);

/// A term and what it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Stems of its words.
    pub term: Vec<String>,
    /// What it stands for.
    pub meaning: Meaning,
}

/// The question in the words that the definitions use, and those definitions of its words that
/// are more than other words.
pub fn apply(context: &Context<'_>, asked: &str, defined: &[Term]) -> (String, Vec<Definition>) {
    let mut text = asked.to_owned();
    let mut definitions = Vec::new();
    for (term, meaning) in defined.iter().filter(|(_, meaning)| meaning.len() <= MAX_BYTES) {
        let Some((start, end)) = occurs(&text, term) else { continue };
        let meaning = meaning.trim().trim_end_matches(['.', ';']);
        let near = RefCell::new(tables_said(context, asked));
        let reader = Expressions { context, catalog: &context.catalog, name: term, near };
        if let Some(meaning) = reader.meaning(meaning) {
            let term = stems(&tokenize(term));
            definitions.push(Definition { term, meaning });
        } else if is_wording(meaning) && occurs(meaning, term).is_none() {
            text.replace_range(start..end, meaning);
        }
    }
    (text, definitions)
}

/// Pairs of term and meaning in a hint: one a line, a sentence, or between semicolons.
pub fn split(hint: &str) -> Vec<Term> {
    let mut pairs = Vec::new();
    for part in hint.split([';', '\n']).flat_map(|part| part.split(". ")) {
        let join = JOINS.iter().filter_map(|j| Some((part.find(j)?, j))).min_by_key(|(at, _)| *at);
        let Some((at, join)) = join else { continue };
        let (term, meaning) = (part[..at].trim(), part[at + join.len()..].trim());
        // "AR (activity ratio) = …" names it twice
        match term.split_once('(').map(|(short, long)| (short, long.trim_end_matches(')'))) {
            Some((short, long)) if !short.trim().is_empty() => {
                pairs.extend([short, long].map(|t| (t.trim().to_owned(), meaning.to_owned())));
            }
            _ => pairs.push((term.trim_matches(['"', '\'']).to_owned(), meaning.to_owned())),
        }
    }
    pairs.retain(|(term, meaning)| !term.is_empty() && !meaning.is_empty());
    pairs
}

fn stems(tokens: &[Token]) -> Vec<String> {
    tokens.iter().map(|t| t.stem.clone()).collect()
}

/// Where a text says a term, in bytes, whole words in any form.
fn occurs(text: &str, term: &str) -> Option<(usize, usize)> {
    let (tokens, wanted) = (tokenize(text), stems(&tokenize(term)));
    let at = tokens.windows(wanted.len().max(1)).position(|w| stems(w) == wanted)?;
    Some((tokens[at].start, tokens[at + wanted.len() - 1].end))
}

/// Tables whose whole name the question says.
fn tables_said(context: &Context<'_>, question: &str) -> BTreeSet<TableId> {
    let (said, facts) = (stems(&tokenize(question)), Facts::of(&context.catalog));
    let named = |t: &TableId| facts.table_stems(*t).iter().all(|word| said.contains(word));
    context.scope.tables(&context.catalog).into_iter().filter(named).collect()
}

/// Plain words, not many: no formula that could not be read.
fn is_wording(meaning: &str) -> bool {
    let tokens = tokenize(meaning);
    let plain = |t: &Token| matches!(t.kind, TokenKind::Word | TokenKind::Number(_));
    let symbols = meaning.contains(['(', '=', '+', '*', '/', '<', '>', '_']);
    (1..=MAX_WORDS).contains(&tokens.len()) && tokens.iter().all(plain) && !symbols
}

/// Reads expressions over a catalog.
struct Expressions<'a> {
    context: &'a Context<'a>,
    catalog: &'a Catalog,
    /// What a computation is called.
    name: &'a str,
    /// Tables that the question names, and those of the columns read so far: of several columns
    /// of a name, theirs is meant.
    near: RefCell<BTreeSet<TableId>>,
}

impl Expressions<'_> {
    fn meaning(&self, text: &str) -> Option<Meaning> {
        let bare = text.trim_matches(['`', '"']);
        if let Some(columns) = Some(self.columns(None, bare)).filter(|c| !c.is_empty()) {
            return Some(Meaning::Columns(columns));
        }
        if let [table] = self.catalog.tables_named(None, bare).as_slice() {
            return self.context.scope.contains(*table).then_some(Meaning::Table(*table));
        }
        // "colour = 'Blue' where eye_id = colour.id" says two conditions
        let text = self.quoted(text).replace(" where ", " AND ");
        let mut parser = Parser::new(&GenericDialect {}).try_with_sql(&text).ok()?;
        let expression = parser.parse_expr().ok()?;
        (parser.peek_token() == sqlparser::tokenizer::Token::EOF).then(|| self.read(&expression))?
    }

    /// The text with columns of several words, as in "unit price", written as identifiers.
    fn quoted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // where no two words stand side by side, no name of several is said
        if !text.is_ascii() || !text.contains(' ') {
            return text;
        }
        for name in self.catalog.column_names() {
            let words = identifier_words(name);
            let phrase = words.join(" ");
            let bare = |text: &str, at: usize| {
                let edge =
                    |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "()+-*/".contains(c));
                edge(text[..at].chars().next_back())
                    && edge(text[at + phrase.len()..].chars().next())
            };
            let said = |text: &str| {
                let at = text.to_ascii_lowercase().find(&phrase)?;
                (words.len() > 1 && bare(text, at)).then_some(at)
            };
            while let Some(at) = said(&text) {
                text.replace_range(at..at + phrase.len(), &format!("`{name}`"));
            }
        }
        text
    }

    fn read(&self, expr: &Expr) -> Option<Meaning> {
        if let Some(column) = self.column(expr) {
            return Some(Meaning::Columns(vec![column]));
        }
        let mut keys = Vec::new();
        if let Some(conditions) = self.conditions(expr, &mut keys) {
            return Some(Meaning::Conditions(conditions, keys));
        }
        let formula = self.formula(expr)?;
        Some(Meaning::Computed(match formula {
            Formula::Term(expression, conditions) if conditions.is_empty() => expression,
            other => {
                let name = identifier_words(self.name).join("_");
                Expression::plain(Target::Formula(Box::new(other), name))
            }
        }))
    }

    /// The columns of a name, those of tables before those of views.
    fn columns(&self, table: Option<&str>, name: &str) -> Vec<ColumnId> {
        let mut tables = match table {
            Some(table) => self.catalog.tables_named(None, table),
            // the different names are far fewer than the columns
            None if !self.catalog.column_names().any(|n| n.eq_ignore_ascii_case(name)) => {
                return Vec::new();
            }
            None => self.catalog.table_ids().collect(),
        };
        tables.retain(|t| self.context.scope.contains(*t));
        tables.sort_unstable();
        tables.into_iter().filter_map(|t| self.catalog.column_named(t, name)).collect()
    }

    fn column(&self, expr: &Expr) -> Option<ColumnId> {
        let found = match expr {
            Expr::Identifier(Ident { value, .. }) => self.columns(None, value),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., table, column] => self.columns(Some(&table.value), &column.value),
                _ => return None,
            },
            Expr::Nested(inner) => return self.column(inner),
            _ => return None,
        };
        let near = |c: &ColumnId| self.near.borrow().contains(&c.table);
        let found = || found.iter().copied();
        let column = only(found()).or_else(|| only(found().filter(near)))?;
        self.near.borrow_mut().insert(column.table);
        Some(column)
    }

    /// The conditions that an expression is, joined by AND; keys that it equates are collected.
    fn conditions(&self, expr: &Expr, keys: &mut Vec<KeyId>) -> Option<Vec<Condition>> {
        match expr {
            Expr::Nested(inner) => self.conditions(inner, keys),
            Expr::BinaryOp { left, op: op @ (BinaryOperator::And | BinaryOperator::Or), right } => {
                let mut parts = self.conditions(left, keys)?;
                parts.extend(self.conditions(right, keys)?);
                let all = *op == BinaryOperator::And;
                Some(if all { parts } else { vec![Condition::Any(parts)] })
            }
            Expr::BinaryOp { left, op: BinaryOperator::Eq, right }
                if self.key(left, right).is_some() =>
            {
                keys.extend(self.key(left, right));
                Some(Vec::new())
            }
            _ => Some(vec![self.condition(expr)?]),
        }
    }

    /// The key by which two columns are equal.
    fn key(&self, left: &Expr, right: &Expr) -> Option<KeyId> {
        let (one, other) = (self.column(left)?, self.column(right)?);
        let equates = |pair| pair == (one, other) || pair == (other, one);
        let mut keys = self.catalog.joins().keys_at(one.table).into_iter();
        keys.find(|&k| self.catalog.key(k).column_pairs().any(equates))
    }

    fn condition(&self, expr: &Expr) -> Option<Condition> {
        Some(match expr {
            Expr::BinaryOp { left, op, right } => {
                Condition::compare(self.column(left)?, Comparison::by(op)?, operand(right)?)
            }
            Expr::IsNull(of) => Condition::missing(self.column(of)?),
            Expr::IsNotNull(of) => Condition::present(self.column(of)?),
            Expr::IsTrue(of) => Condition::IsTrue { column: self.column(of)?, negated: false },
            Expr::IsFalse(of) => Condition::IsTrue { column: self.column(of)?, negated: true },
            Expr::Between { expr, negated: false, low, high } => {
                Condition::Between(self.column(expr)?, operand(low)?, operand(high)?)
            }
            Expr::InList { expr, list, negated: false } => {
                let column = self.column(expr)?;
                let one = |value: &Expr| Some(Condition::equal(column, operand(value)?));
                Condition::Any(list.iter().map(one).collect::<Option<_>>()?)
            }
            Expr::Like { negated, expr, pattern, .. }
            | Expr::ILike { negated, expr, pattern, .. } => {
                let Operand::Text(pattern) = operand(pattern)? else { return None };
                let (pattern, text) = like(&pattern)?;
                let (column, negated) = (self.column(expr)?, *negated);
                Condition::Like { column, pattern, text, negated }
            }
            _ => return None,
        })
    }

    fn formula(&self, expr: &Expr) -> Option<Formula> {
        use BinaryOperator::{Divide, Minus, Multiply, Plus};
        if let Some(column) = self.column(expr) {
            return Some(Formula::of(Expression::column(column)));
        }
        let temporal = |c: &ColumnId| self.catalog.column(*c).class.is_temporal();
        match expr {
            Expr::Nested(inner) => self.formula(inner),
            Expr::BinaryOp { left, op: op @ (Plus | Minus | Multiply | Divide), right } => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let date = |side: &Formula| match side {
                    Formula::Term(e, _) if *op == Minus => e.target.column().filter(temporal),
                    _ => None,
                };
                Some(match (date(&left), date(&right)) {
                    (Some(to), Some(from)) => Formula::Days(from, to),
                    _ => Formula::binary(left, op.clone(), right),
                })
            }
            Expr::Function(function) => self.function(function),
            _ => {
                let Operand::Number(digits) = operand(expr)? else { return None };
                Some(Formula::Number(digits))
            }
        }
    }

    fn function(&self, function: &Function) -> Option<Formula> {
        let name = function.name.to_string().to_ascii_lowercase();
        let FunctionArguments::List(list) = &function.args else { return None };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = list.args.as_slice() else {
            return None;
        };
        if name == "year" {
            let target = Target::Part(self.column(argument)?, DatePart::Year);
            return Some(Formula::of(Expression::plain(target)));
        }
        let aggregate: Aggregate = serde_json::from_value(name.as_str().into()).ok()?;
        let target = match self.formula(argument)? {
            Formula::Term(Expression { aggregate: None, target, .. }, _) => target,
            other => Target::Formula(Box::new(other), name),
        };
        let distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        Some(Formula::of(Expression { distinct, ..Expression::aggregate(aggregate, target) }))
    }
}

/// A literal; text in double quotes too, for people write it so.
fn operand(expr: &Expr) -> Option<Operand> {
    use Value::{DoubleQuotedString, SingleQuotedString};
    Some(match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => Operand::Number(digits.to_string()),
            SingleQuotedString(text) | DoubleQuotedString(text) => Operand::Text(text.clone()),
            _ => return None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match operand(expr)? {
            Operand::Number(digits) => Operand::Number(format!("-{digits}")),
            _ => return None,
        },
        Expr::Identifier(Ident { value, quote_style: Some('"'), .. }) => {
            Operand::Text(value.clone())
        }
        _ => return None,
    })
}

/// A pattern with `%` at an end only.
fn like(pattern: &str) -> Option<(Pattern, String)> {
    let part = pattern.trim_matches('%');
    let kind = match (pattern.starts_with('%'), pattern.ends_with('%')) {
        (true, true) => Pattern::Contains,
        (false, true) => Pattern::StartsWith,
        (true, false) => Pattern::EndsWith,
        (false, false) => return None,
    };
    (!part.contains(['%', '_'])).then(|| (kind, part.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_cut_into_terms_and_meanings() {
        let pairs = split("blond refers to hair = 7; AR (Activity Ratio) = a / b. Match exactly");
        let expect = [("blond", "hair = 7"), ("AR", "a / b"), ("Activity Ratio", "a / b")];
        assert_eq!(pairs, expect.map(|(t, m)| (t.to_owned(), m.to_owned())));
        assert!(split("always use exact matching").is_empty());
    }

    #[test]
    fn only_plain_words_are_other_words() {
        assert!(is_wording("total sales count"));
        assert!(!is_wording("(total - cost) / cost"));
        assert!(!is_wording(""));
    }
}
