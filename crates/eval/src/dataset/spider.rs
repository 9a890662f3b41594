//! Spider: a JSON list of `db_id`, `question`, `query`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::item::{Item, question_file};

#[derive(Deserialize)]
struct Raw {
    db_id: String,
    question: String,
    query: String,
}

/// The questions; identifiers are positions in the file.
pub fn read(folder: &Path, questions: Option<&str>) -> Result<Vec<Item>> {
    let names = ["dev.json", "train.json", "train_spider.json", "test.json"];
    let file = question_file(folder, questions, &names)?;
    let text = fs::read_to_string(&file)?;
    let raw: Vec<Raw> =
        serde_json::from_str(&text).with_context(|| format!("reading {}", file.display()))?;
    let item = |(place, raw): (usize, Raw)| Item {
        id: place.to_string(),
        db: raw.db_id,
        question: raw.question.trim().to_owned(),
        evidence: None,
        gold: Some(raw.query),
        needs: None,
        difficulty: None,
        category: None,
    };
    Ok(raw.into_iter().enumerate().map(item).collect())
}
