//! Tokens of a question: words, numbers, quoted strings, punctuation, each with its place.

use crate::text::{fold, stem};

use super::lexicon::LEXICON;

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub enum TokenKind {
    /// A word.
    Word,
    /// A number, as digits.
    Number(String),
    /// Text in quotes, without them.
    Quoted(String),
    /// `,`.
    Comma,
    /// `.`, `?`, `!` or `;`: the end of a sentence.
    Stop,
}

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Folded text.
    pub text: String,
    /// Stem of the folded text.
    pub stem: String,
    /// Written with a capital although no sentence begins here.
    pub capital: bool,
    /// Said by a word that only may mean the same.
    pub alike: bool,
    /// Place in the question, in bytes.
    pub start: usize,
    /// End in the question, in bytes.
    pub end: usize,
}

/// Signs of comparison, each a word; longer ones first.
const SIGNS: &[&str] = &[">=", "<=", "<>", "!=", ">", "<", "="];

/// Split a question. Contractions are undone (`don't` → do not), possessives dropped.
pub fn tokenize(question: &str) -> Vec<Token> {
    let mut scanner = Scanner { text: question, at: 0, tokens: Vec::new() };
    while scanner.step() {}
    scanner.tokens
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
}

impl Scanner<'_> {
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(c) = rest.chars().next() else { return false };
        if let Some((inner, end)) = self.quoted(rest) {
            self.push(TokenKind::Quoted(inner), self.at, end);
        } else if c.is_ascii_digit() || self.is_minus(rest) {
            self.number(rest);
        } else if c.is_alphanumeric() {
            self.word(rest);
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.push(TokenKind::Word, self.at, self.at + sign.len());
        } else {
            let end = self.at + c.len_utf8();
            match c {
                ',' | '(' | ')' | ':' => self.push(TokenKind::Comma, self.at, end),
                '.' | '?' | '!' | ';' => self.push(TokenKind::Stop, self.at, end),
                _ => self.at = end,
            }
        }
        true
    }

    /// A quoted string that begins here: its content and where it ends.
    fn quoted(&self, rest: &str) -> Option<(String, usize)> {
        let open = rest.chars().next()?;
        let close = match open {
            '"' => '"',
            '\'' | '`' => '\'',
            '“' => '”',
            '‘' => '’',
            _ => return None,
        };
        let after_word = self.text[..self.at].ends_with(char::is_alphanumeric);
        if after_word && open != '"' && open != '“' {
            return None; // an apostrophe
        }
        let body = &rest[open.len_utf8()..];
        let inside = |i: usize| body[i + close.len_utf8()..].starts_with(char::is_alphanumeric);
        let mut ends = body.match_indices(close).map(|(i, _)| i);
        let length = ends.find(|&i| close == '"' || !inside(i))?;
        let end = self.at + open.len_utf8() + length + close.len_utf8();
        Some((body[..length].trim().to_owned(), end))
    }

    /// A minus sign with its number after a blank.
    fn is_minus(&self, rest: &str) -> bool {
        let before = &self.text[..self.at];
        let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        (before.is_empty() || before.ends_with(char::is_whitespace))
            && rest.strip_prefix('-').is_some_and(digit)
    }

    fn number(&mut self, rest: &str) {
        let bytes = rest.as_bytes();
        let digits = |i: usize| bytes[i..].iter().take_while(|b| b.is_ascii_digit()).count();
        // 1,000
        let grouped = |i: usize| bytes[i] == b',' && digits(i + 1) == 3;
        let decimal = |i: usize| bytes[i] == b'.' && digits(i + 1) > 0 && !rest[..i].contains('.');
        let ends = |&i: &usize| !(bytes[i].is_ascii_digit() || grouped(i) || decimal(i));
        let digits = usize::from(bytes[0] == b'-')..bytes.len();
        let length = digits.clone().find(ends).unwrap_or(digits.end);
        // 3rd, 2019-05-01, 12:30, A4-like codes: a word that begins with digits
        let tail = &rest[length..];
        let joined = tail.strip_prefix(['-', ':', '/']);
        if joined.is_some_and(|next| next.starts_with(char::is_alphanumeric))
            || tail.starts_with(char::is_alphabetic)
        {
            return self.word(rest);
        }
        let digits = rest[..length].replace(',', "");
        // "50 million"
        let behind = tail.trim_start();
        let word = &behind[..word_length(behind)];
        let times = LEXICON.numbers.get(&*fold(word)).filter(|times| **times >= 1000);
        let (digits, left) = match times.zip(digits.parse::<f64>().ok()) {
            Some((&times, number)) => {
                ((number * f64::from(times)).to_string(), &behind[word.len()..])
            }
            None => (digits, tail),
        };
        self.push(TokenKind::Number(digits), self.at, self.text.len() - left.len());
    }

    fn word(&mut self, rest: &str) {
        let length = word_length(rest);
        let (start, end) = (self.at, self.at + length);
        let word = &rest[..length];
        let lower = fold(word).replace('’', "'");
        if let Some(positive) = lower.strip_suffix("n't") {
            let positive = match positive {
                "ca" => "can",
                "wo" => "will",
                other => other,
            };
            let split = end - 3;
            self.push_text(TokenKind::Word, positive, start, split);
            self.push_text(TokenKind::Word, "not", split, end);
        } else {
            let bare = lower.split('\'').next().unwrap_or_default().to_owned();
            let possessive = ["'s", "’s"].iter().find(|s| word.ends_with(**s));
            let owner = end - possessive.map_or(0, |s| s.len());
            self.push_text(TokenKind::Word, &bare, start, owner);
        }
        self.at = end;
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.push_text(kind, &fold(&self.text[start..end]), start, end);
        self.at = end;
    }

    fn push_text(&mut self, kind: TokenKind, text: &str, start: usize, end: usize) {
        let begins = self.tokens.last().is_none_or(|t| t.kind == TokenKind::Stop);
        let written = &self.text[start..end];
        let shouted = written.chars().filter(|c| c.is_uppercase()).count() > 1;
        let capital = written.starts_with(char::is_uppercase) && (!begins || shouted);
        let (text, stem) = (text.to_owned(), stem(text));
        self.tokens.push(Token { kind, text, stem, capital, alike: false, start, end });
    }
}

/// Length of the word at the start: letters and digits, apostrophes inside, and hyphens,
/// slashes or colons where a digit stands in the word (codes, dates, times).
fn word_length(rest: &str) -> usize {
    let whole = rest.split(char::is_whitespace).next().unwrap_or_default();
    let has_digit = whole.bytes().any(|b| b.is_ascii_digit());
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        let next_is_word = chars.peek().is_some_and(|(_, n)| n.is_alphanumeric());
        let joins = match c {
            '\'' | '’' | '_' => next_is_word,
            '-' | '/' | ':' => next_is_word && has_digit,
            '@' | '.' => next_is_word && rest[..i].contains('@') | (c == '@'),
            _ => c.is_alphanumeric(),
        };
        if !joins {
            break;
        }
        end = i + c.len_utf8();
    }
    end.max(rest.chars().next().map_or(0, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expect: &[&str]) {
        let text = |t: &Token| match &t.kind {
            TokenKind::Number(said) | TokenKind::Quoted(said) => said.clone(),
            _ => t.text.clone(),
        };
        let texts: Vec<String> = tokenize(question).iter().map(text).collect();
        assert_eq!(texts, expect, "{question}");
    }

    #[test]
    fn words_numbers_quotes_and_contractions() {
        check(
            "Who doesn't live in 'New York'?",
            &["who", "does", "not", "live", "in", "New York", "?"],
        );
        check("the student's age > 1,000.5.", &["the", "student", "age", ">", "1000.5", "."]);
        check(
            "flights of CIS-220 on 2019-05-01",
            &["flights", "of", "cis-220", "on", "2019-05-01"],
        );
        check("\"O'Hara\" and it's", &["O'Hara", "and", "it"]);
        check("price>=10, not < 5", &["price", ">=", "10", ",", "not", "<", "5"]);
        check("", &[]);
        check("((", &["(", "("]);
        check("students' names", &["students", "names"]);
        check("over 1.5 million or 3 more", &["over", "1500000", "or", "3", "more"]);
    }

    #[test]
    fn any_text_is_tokenized_without_panic() {
        for text in ["'", "’’", "1.", "1,", "é'é", "日本語 'x", "a\u{301}'s", "1-", "@.@"]
        {
            let _ = tokenize(text);
        }
    }
}
