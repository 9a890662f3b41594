//! A question of a benchmark, and the file of its questions.

use serde::Deserialize;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// One question with its gold SQL.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Unique in the dataset: the authors' identifier, or file and position.
    pub id: String,
    /// The database it asks.
    pub db: String,
    /// The question.
    pub question: String,
    /// External knowledge that comes with the question.
    pub evidence: Option<String>,
    /// Gold SQL as published; sql-eval's braces and alternatives are not expanded yet. None if the
    /// right response is not to answer.
    pub gold: Option<String>,
    /// The tables and columns that the question needs, where these are published instead of SQL.
    pub needs: Option<Needs>,
    /// The authors' difficulty, if published.
    pub difficulty: Option<String>,
    /// The authors' category, if any.
    pub category: Option<String>,
}

/// The tables and columns that a question needs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Needs {
    /// Tables as `schema.table`; of each list one is enough.
    pub tables: Vec<Vec<String>>,
    /// Names of columns of these tables.
    pub columns: Vec<String>,
}

/// The first of `names` that is a file in `folder`, unless one is asked for.
pub fn question_file(folder: &Path, asked: Option<&str>, names: &[&str]) -> Result<PathBuf> {
    if let Some(name) = asked {
        let file = folder.join(name);
        if !file.is_file() {
            bail!("{} is not a file", file.display());
        }
        return Ok(file);
    }
    let found = names.iter().map(|name| folder.join(name)).find(|file| file.is_file());
    found.with_context(|| format!("none of {} in {}", names.join(", "), folder.display()))
}
