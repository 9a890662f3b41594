//! Arguments that several commands have.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;

use crate::dataset::{Dataset, Kind, Selection, Split};

/// A benchmark on disk.
#[derive(Debug, Args)]
pub struct BenchmarkArgs {
    /// Which benchmark the folder holds.
    #[arg(long)]
    pub dataset: Kind,
    /// The folder as its authors publish it.
    #[arg(long)]
    pub folder: PathBuf,
    /// File of questions in the folder, instead of the default.
    #[arg(long)]
    pub questions: Option<String>,
}

impl BenchmarkArgs {
    pub fn read(&self) -> Result<Dataset> {
        Dataset::read(self.dataset, &self.folder, self.questions.as_deref())
    }
}

/// Which of its questions to ask.
#[derive(Debug, Clone, Args)]
pub struct SelectionArgs {
    /// Only one half of the databases.
    #[arg(long)]
    pub split: Option<Split>,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    pub db: Vec<String>,
    /// Ask a random sample of this many questions, chosen by --seed.
    #[arg(long)]
    pub sample: Option<usize>,
    /// Chooses the sample.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl SelectionArgs {
    pub fn into_selection(self, limit: Option<usize>) -> Selection {
        let Self { split, db: databases, sample, seed } = self;
        Selection { split, databases, sample, seed, limit }
    }
}

/// Pairs of NAME=VALUE.
pub fn settings(pairs: &[String]) -> Result<Vec<(String, String)>> {
    // a question that a dataset contains twice is asked twice
    let alone = ("cache".to_owned(), "off".to_owned());
    let pair = |pair: &String| {
        let found = pair.split_once('=');
        let (name, value) =
            found.ok_or_else(|| anyhow!("--set takes NAME=VALUE, not \"{pair}\""))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    std::iter::once(Ok(alone)).chain(pairs.iter().map(pair)).collect()
}
