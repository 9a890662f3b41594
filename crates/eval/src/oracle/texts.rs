//! Texts of prompts: their tagged parts, and keys made of them.

/// The contents of all tags of one name.
pub fn block<'a>(prompt: &'a str, tag: &str) -> Option<&'a str> {
    let (_, inside) = prompt.split_once(&format!("<{tag}>\n"))?;
    Some(inside.split_once(&format!("\n</{tag}>"))?.0)
}

/// Text on one line with single blanks, as a key.
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
