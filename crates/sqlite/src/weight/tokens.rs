//! SQL cut into tokens as SQLite cuts it, as far as weighing needs it.

/// A piece of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A keyword or a bare name, in lower case.
    Word(String),
    /// A quoted name, in lower case.
    Quoted(String),
    /// A string, in lower case: SQLite takes it for a name where only names can be.
    Text(String),
    /// A number or a parameter.
    Value,
    /// Anything else, one character at a time.
    Sign(char),
}

/// Cut `sql`; comments and blanks are left out.
pub fn tokens(sql: &str) -> Vec<Token> {
    let mut rest = sql;
    let mut found = Vec::new();
    while let Some(c) = rest.chars().next() {
        let (token, length) = next(rest, c);
        found.extend(token);
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

/// The token at the beginning of `rest`, and its bytes.
fn next(rest: &str, c: char) -> (Option<Token>, usize) {
    let until = |end: &str, from: usize| {
        let found = rest.get(from..).and_then(|text| text.find(end));
        found.map_or(rest.len(), |at| from + at + end.len())
    };
    match c {
        _ if c.is_ascii_whitespace() => (None, c.len_utf8()),
        '-' if rest.starts_with("--") => (None, until("\n", 2)),
        '/' if rest.starts_with("/*") => (None, until("*/", 2)),
        '[' => {
            let end = until("]", 1);
            (Some(Token::Quoted(inside(rest, end).to_ascii_lowercase())), end)
        }
        '"' | '\'' | '`' => quoted(rest, c),
        '0'..='9' | '?' | ':' | '@' | '$' | '#' => {
            let end = rest.char_indices().skip(1).find(|&(_, c)| !is_part_of_word(c) && c != '.');
            (Some(Token::Value), end.map_or(rest.len(), |(at, _)| at))
        }
        _ if is_part_of_word(c) => {
            let end = rest.find(|c| !is_part_of_word(c)).unwrap_or(rest.len());
            (Some(Token::Word(rest[..end].to_ascii_lowercase())), end)
        }
        _ => (Some(Token::Sign(c)), c.len_utf8()),
    }
}

fn is_part_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

fn inside(text: &str, end: usize) -> &str {
    text.get(1..end.saturating_sub(1)).unwrap_or_default()
}

/// A quoted text; the quote doubled stands for itself.
fn quoted(rest: &str, quote: char) -> (Option<Token>, usize) {
    let kind = if quote == '\'' { Token::Text } else { Token::Quoted };
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            text.push(c);
        } else if chars.next_if(|&(_, c)| c == quote).is_some() {
            text.push(quote);
        } else {
            return (Some(kind(text.to_ascii_lowercase())), at + 1);
        }
    }
    (Some(kind(text.to_ascii_lowercase())), rest.len())
}
