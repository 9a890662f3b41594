//! The standard output.

use std::io::Write as _;

use anyhow::Result;

/// Print; an error if the reader is gone.
pub fn say(text: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}
