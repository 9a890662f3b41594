//! BIRD: a JSON list of `question_id`, `db_id`, `question`, `evidence`, `SQL`, `difficulty`,
//! and Mini-Dev, which is the same in three SQL dialects.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::item::{Item, question_file};
use crate::flavour::Flavour;

#[derive(Deserialize)]
struct Raw {
    question_id: Option<u64>,
    db_id: String,
    question: String,
    #[serde(default)]
    evidence: String,
    #[serde(rename = "SQL", alias = "query")]
    sql: String,
    difficulty: Option<String>,
}

/// The questions and the dialect of their gold SQL (Mini-Dev says it in the file's name).
pub fn read(folder: &Path, questions: Option<&str>) -> Result<(Vec<Item>, Flavour)> {
    let names = ["dev.json", "mini_dev_sqlite.json", "mini_dev_postgresql.json", "train.json"];
    let file = question_file(folder, questions, &names)?;
    let text = fs::read_to_string(&file)?;
    let raw = parse(&text).with_context(|| format!("reading {}", file.display()))?;
    let postgres = file.file_name().is_some_and(|n| n.to_string_lossy().contains("postgres"));
    let flavour = if postgres { Flavour::Postgres } else { Flavour::Sqlite };
    let item = |(place, raw): (usize, Raw)| Item {
        id: raw.question_id.unwrap_or(place as u64).to_string(),
        db: raw.db_id,
        question: raw.question.trim().to_owned(),
        evidence: Some(raw.evidence.trim().to_owned()).filter(|e| !e.is_empty()),
        gold: Some(raw.sql),
        needs: None,
        difficulty: raw.difficulty,
        category: None,
    };
    Ok((raw.into_iter().enumerate().map(item).collect(), flavour))
}

/// A JSON list, or JSON lines as in later editions of Mini-Dev.
fn parse(text: &str) -> Result<Vec<Raw>> {
    if text.trim_start().starts_with('[') {
        return Ok(serde_json::from_str(text)?);
    }
    text.lines().filter(|l| !l.trim().is_empty()).map(|l| Ok(serde_json::from_str(l)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_and_json_lines_read_the_same() {
        let one = r#"{"question_id": 7, "db_id": "d", "question": "q?", "SQL": "SELECT 1"}"#;
        for text in [format!("[{one}]"), format!("{one}\n")] {
            let raw = parse(&text).expect("readable");
            assert_eq!((raw[0].question_id, raw[0].sql.as_str()), (Some(7), "SELECT 1"));
        }
    }
}
