//! Reading a draft that does not parse: names and values found word by word.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Tokenizer, Word};

use super::meaning::{Draft, Literal, bare_pattern, table_called};
use super::parsed::parser_dialect;
use crate::catalog::{Catalog, ColumnId, TableId};
use crate::dialect::Dialect;

/// Read what can be read: tables after FROM, JOIN and commas, `alias.column` and `column` of
/// those tables, values after a column and an operator.
pub(super) fn read(catalog: &Catalog, dialect: Dialect, sql: &str) -> Draft {
    let mut spanned = Vec::new();
    // an unterminated string ends the tokens early; what came before it still counts
    let _ =
        Tokenizer::new(parser_dialect(dialect), sql).tokenize_with_location_into_buf(&mut spanned);
    let tokens: Vec<Token> = spanned
        .into_iter()
        .map(|t| t.token)
        .filter(|t| !matches!(t, Token::Whitespace(_)))
        .collect();
    let mut draft = Draft::default();
    let aliases = tables(catalog, &tokens, &mut draft);
    columns(catalog, &tokens, &aliases, &mut draft);
    draft
}

/// The statement with `…` for each string that `may_stay` does not contain; None if it cannot be
/// tokenized.
pub fn without_texts(
    dialect: Dialect,
    sql: &str,
    may_stay: impl Fn(&str) -> bool,
) -> Option<String> {
    let tokens = Tokenizer::new(parser_dialect(dialect), sql).tokenize().ok()?;
    let shown = |token: &Token| match token {
        Token::Word(_) | Token::Number(..) | Token::Whitespace(_) => token.to_string(),
        Token::SingleQuotedString(text) if may_stay(text) => token.to_string(),
        // a text in whatever quotes, and no sign
        other if other.to_string().contains(char::is_alphanumeric) => "'…'".to_owned(),
        sign => sign.to_string(),
    };
    Some(tokens.iter().map(shown).collect())
}

/// The strings of the statement; none if it cannot be tokenized.
pub fn texts(dialect: Dialect, sql: &str) -> Vec<String> {
    let tokens = Tokenizer::new(parser_dialect(dialect), sql).tokenize().unwrap_or_default();
    let text = |token: Token| match token {
        Token::SingleQuotedString(text)
        | Token::EscapedStringLiteral(text)
        | Token::UnicodeStringLiteral(text)
        | Token::NationalStringLiteral(text) => Some(text),
        Token::DollarQuotedString(text) => Some(text.value),
        _ => None,
    };
    tokens.into_iter().filter_map(text).collect()
}

fn word(token: Option<&Token>) -> Option<&Word> {
    match token {
        Some(Token::Word(word)) => Some(word),
        _ => None,
    }
}

fn tables(catalog: &Catalog, tokens: &[Token], draft: &mut Draft) -> Vec<(String, TableId)> {
    let mut aliases = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let after_from = match token {
            Token::Word(w) => matches!(w.keyword, Keyword::FROM | Keyword::JOIN | Keyword::INTO),
            Token::Comma => true,
            _ => false,
        };
        let Some(first) = word(tokens.get(i + 1)).filter(|_| after_from) else { continue };
        let (table, end) = match (tokens.get(i + 2), word(tokens.get(i + 3))) {
            (Some(Token::Period), Some(second)) => {
                match table_called(catalog, Some(&first.value), &second.value) {
                    Some(table) => (Some(table), i + 4),
                    None => (None, i + 4),
                }
            }
            _ => (table_called(catalog, None, &first.value), i + 2),
        };
        let Some(table) = table else {
            if !matches!(token, Token::Comma) && first.keyword == Keyword::NoKeyword {
                draft.unknown_tables.insert(first.value.clone());
            }
            continue;
        };
        draft.tables.insert(table);
        aliases.push((catalog.table(table).name.clone(), table));
        let as_word = word(tokens.get(end)).is_some_and(|w| w.keyword == Keyword::AS);
        if let Some(alias) = word(tokens.get(end + usize::from(as_word)))
            && alias.keyword == Keyword::NoKeyword
        {
            aliases.push((alias.value.clone(), table));
        }
    }
    aliases
}

fn columns(catalog: &Catalog, tokens: &[Token], aliases: &[(String, TableId)], draft: &mut Draft) {
    let alias = |name: &str| aliases.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
    let mut last: Option<ColumnId> = None;
    for (i, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(w) => {
                let qualifier = (i >= 2 && tokens[i - 1] == Token::Period)
                    .then(|| word(tokens.get(i - 2)))
                    .flatten();
                let found = match qualifier.and_then(|q| alias(&q.value)) {
                    Some((_, table)) => {
                        let found = catalog.column_named(*table, &w.value);
                        if found.is_none() {
                            let label =
                                format!("{}.{}", qualifier.map_or("", |q| &q.value), w.value);
                            draft.unknown_columns.insert(label);
                        }
                        found
                    }
                    None => aliases.iter().find_map(|(_, t)| catalog.column_named(*t, &w.value)),
                };
                if let Some(column) = found {
                    draft.columns.insert(column);
                    last = Some(column);
                } else if matches!(w.keyword, Keyword::AND | Keyword::OR | Keyword::WHERE) {
                    last = None;
                }
            }
            Token::SingleQuotedString(value) => {
                let whole = bare_pattern(value) == value;
                let value = bare_pattern(value).to_owned();
                draft.literals.push(Literal { column: last, value, whole });
            }
            _ => {}
        }
    }
}
