//! The standard output.

use std::io::Write as _;

use anyhow::Result;

/// Print, and say so where nobody reads any more.
pub fn say(text: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}
