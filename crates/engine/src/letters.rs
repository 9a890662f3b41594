//! Which letters a text has: what lacks one of a word's need not be compared with it.

/// The letters of a text, one bit each; other bytes share six bits.
pub type Letters = u32;

/// Those of a text, whatever their case.
pub fn letters(text: &str) -> Letters {
    let bit = |byte: u8| match byte.to_ascii_lowercase() {
        letter @ b'a'..=b'z' => u32::from(letter - b'a'),
        other => 26 + u32::from(other % 6),
    };
    text.bytes().fold(0, |all, byte| all | 1 << bit(byte))
}

/// Whether a text may have all letters of another; where this is false, it surely lacks one.
pub fn may_have(text: Letters, other: Letters) -> bool {
    other & !text == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_word_has_its_letters() {
        let check = |text: &str, word: &str| may_have(letters(text), letters(word));
        assert!(check("WiFi_Zone", "wifizone") && check("größe", "öß") && check("", ""));
        assert!(!check("WiFi_Zone", "wired") && !check("abc", "ab1"));
    }
}
