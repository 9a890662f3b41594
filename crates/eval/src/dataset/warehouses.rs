//! Schemas of real warehouses: `questions.json` says which tables and columns a question needs, and
//! `<db>.sql`, or `<db>.sql.xz`, is a dump. There is no gold SQL, so only prompts are measured.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::item::{Item, Needs, question_file};

#[derive(Deserialize)]
struct Raw {
    id: String,
    db: String,
    question: String,
    #[serde(flatten)]
    needs: Needs,
}

/// The questions, in the published order.
pub fn read(folder: &Path, questions: Option<&str>) -> Result<Vec<Item>> {
    let file = question_file(folder, questions, &["questions.json"])?;
    let text = fs::read_to_string(&file)?;
    let raw: Vec<Raw> =
        serde_json::from_str(&text).with_context(|| format!("reading {}", file.display()))?;
    let item = |raw: Raw| Item {
        id: raw.id,
        db: raw.db,
        question: raw.question.trim().to_owned(),
        evidence: None,
        gold: None,
        needs: Some(raw.needs),
        difficulty: None,
        category: None,
    };
    Ok(raw.into_iter().map(item).collect())
}
