//! defog sql-eval: CSV files with `question`, `query`, `db_name`, `query_category` and, in some
//! files, `instructions` and `full_instructions`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::item::Item;
use crate::flavour::Flavour;
use crate::sql;

/// The questions of one CSV file, or of every CSV file in the folder, in the files' order of
/// names. Identifiers are the file's stem and the row.
pub fn read(folder: &Path, questions: Option<&str>) -> Result<Vec<Item>> {
    let files = match questions {
        Some(name) => vec![folder.join(name)],
        None => csv_files(folder)?,
    };
    if files.is_empty() {
        bail!("no CSV file in {}", folder.display());
    }
    let mut items = Vec::new();
    for file in files {
        read_file(&file, &mut items).with_context(|| format!("reading {}", file.display()))?;
    }
    Ok(items)
}

fn csv_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "csv") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_file(file: &Path, items: &mut Vec<Item>) -> Result<()> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut reader = csv::Reader::from_path(file)?;
    let headers = reader.headers()?.clone();
    let place = |name: &str| headers.iter().position(|h| h == name);
    let need = |name: &str| place(name).with_context(|| format!("no column {name}"));
    let (question, query, db) = (need("question")?, need("query")?, need("db_name")?);
    let (category, instructions) = (place("query_category"), place("instructions"));
    for (row, record) in reader.records().enumerate() {
        let record = record?;
        let field = |at: usize| record.get(at).unwrap_or_default().trim().to_owned();
        let optional = |at: Option<usize>| at.map(field).filter(|text| !text.is_empty());
        let gold = field(query);
        items.push(Item {
            id: format!("{stem}:{row}"),
            db: field(db),
            question: field(question),
            evidence: optional(instructions),
            // idk.csv: the gold query selects an apology and reads no table
            gold: sql::reads_a_table(&gold, Flavour::Postgres).then_some(gold),
            needs: None,
            difficulty: None,
            category: optional(category),
        });
    }
    Ok(())
}
