//! Text of others (names, values, a model's words) in messages that a terminal or a log shows: it must not
//! move the cursor, hide what follows or turn its order round. What is returned as data stays as it is.

use std::borrow::Cow;

/// The text with a replacement character for each control character but line breaks and tabs, and for each
/// that changes the direction of what follows. No other character moves.
pub fn printable(text: &str) -> Cow<'_, str> {
    match text.contains(disguises) {
        true => Cow::Owned(text.replace(disguises, "\u{FFFD}")),
        false => Cow::Borrowed(text),
    }
}

fn disguises(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_controls_a_terminal() {
        for (text, shown) in [
            ("Łódź\n\tשלום", "Łódź\n\tשלום"),
            ("\u{1b}[2Jgone\r", "\u{FFFD}[2Jgone\u{FFFD}"),
            ("\u{9b}31m\u{7}\u{8}\u{7f}", "\u{FFFD}31m\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("a\u{202e}b\u{2066}c", "a\u{FFFD}b\u{FFFD}c"),
        ] {
            assert_eq!(printable(text), shown);
            assert_eq!(shown.chars().count(), text.chars().count());
        }
    }
}
