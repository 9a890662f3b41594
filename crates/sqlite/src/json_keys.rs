//! Secrets inside JSON: an object with a key such as `password`, as text or in SQLite's binary form.

use text2sql_engine::catalog::TypeClass;
use text2sql_engine::catalog::secrets;

/// Bytes of a value that are looked into.
const LOOKED_AT: usize = 64 << 10;
/// Nesting that is looked into.
const DEEPEST: usize = 64;

/// The kind of secret that a text holds if it is JSON. A text may be cut, or JSON5: only keys and what
/// is around them are read.
pub fn in_text(text: &[u8]) -> Option<&'static str> {
    let text = &text[..text.len().min(LOOKED_AT)];
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if !matches!(first, b'{' | b'[') {
        return None;
    }
    let mut at = 0;
    while at < text.len() {
        let quote = text[at];
        if quote != b'"' && quote != b'\'' {
            let word = text[at..].iter().take_while(|byte| is_part_of_word(**byte)).count();
            if word > 0
                && let Some(kind) = of_key(text, at, at + word, at + word)
            {
                return Some(kind); // JSON5 has keys without quotes
            }
            at += word.max(1);
            continue;
        }
        let mut end = at + 1;
        while end < text.len() && text[end] != quote {
            end += if text[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(text.len());
        if let Some(kind) = of_key(text, at + 1, end, end + 1) {
            return Some(kind);
        }
        at = end + 1;
    }
    None
}

fn is_part_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// The kind that the bytes from `start` to `end` name, if a colon follows at `after`.
fn of_key(text: &[u8], start: usize, end: usize, after: usize) -> Option<&'static str> {
    let next = text.get(after..)?.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if *next == b':' { named(&text[start..end]) } else { None }
}

fn named(key: &[u8]) -> Option<&'static str> {
    let key = String::from_utf8_lossy(key);
    // an escape may stand for any letter
    let plain = serde_json::from_str::<String>(&format!("\"{key}\"")).unwrap_or(key.into_owned());
    secrets::of_column(&plain, None, TypeClass::Text)
}

/// Returns the kind of secret that a key in a JSONB blob (<https://sqlite.org/jsonb.html>) names, if any.
pub fn in_blob(blob: &[u8]) -> Option<&'static str> {
    let (kind, start, end) = element(blob, 0)?;
    let is_whole = matches!(kind, ARRAY | OBJECT) && end == blob.len();
    if is_whole && blob.len() <= LOOKED_AT { inside(blob, kind, start, end, 0) } else { None }
}

const ARRAY: u8 = 11;
const OBJECT: u8 = 12;

/// Type, beginning and end of the element at a place.
fn element(blob: &[u8], at: usize) -> Option<(u8, usize, usize)> {
    let head = *blob.get(at)?;
    let wide = match head >> 4 {
        12 => 1,
        13 => 2,
        14 => 4,
        15 => 8,
        size => return Some((head & 15, at + 1, at + 1 + usize::from(size))),
    };
    let size = blob.get(at + 1..at + 1 + wide)?;
    let size = size.iter().fold(0_u64, |size, byte| size << 8 | u64::from(*byte));
    let start = at + 1 + wide;
    Some((head & 15, start, start.checked_add(usize::try_from(size).ok()?)?))
}

fn inside(blob: &[u8], of: u8, start: usize, end: usize, depth: usize) -> Option<&'static str> {
    let (mut at, mut is_key) = (start, of == OBJECT);
    while at < end && depth < DEEPEST {
        let (kind, start, end) = element(blob, at)?;
        let found = match kind {
            ARRAY | OBJECT => inside(blob, kind, start, end, depth + 1),
            _ if is_key => named(blob.get(start..end)?),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        is_key = of == OBJECT && !is_key;
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_however_it_is_written() {
        for json in [
            r#"{"password": "x"}"#,
            r#" [1, {"a": {"userPassword" : null}}]"#,
            r#"{"pass\u0077ord": 1}"#,
            "{password: 'x'}",
            "{'api_key': 'x'}",
            r#"{"a": "cut", "password": "never ends"#,
        ] {
            assert!(in_text(json.as_bytes()).is_some(), "{json}");
        }
        for other in [
            "password: x",
            r#"{"colour": "password"}"#,
            r#"["password", "b"]"#,
            r#"{"a": "\"password\": 1"}"#,
            r#"{"password_changed_at": 1}"#,
            "",
            "{",
            "[\"",
        ] {
            assert!(in_text(other.as_bytes()).is_none(), "{other}");
        }
        assert!(in_blob(b"\xac\x87password\x00").is_some());
        assert!(in_blob(b"\xcb\x0b\xac\x87password\x00").is_some());
        for other in [
            &b"\xac\x87password"[..],
            b"\xac\x87passwor",
            b"\xbb\x87password\x17a",
            b"\xcc\x0b\x17a\x87password",
            b"\xfc\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\xac",
            b"",
        ] {
            assert!(in_blob(other).is_none(), "{other:?}");
        }
    }
}
