//! The command `recall`.

use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::arguments::{BenchmarkArgs, SelectionArgs, settings};
use crate::dataset::{Dataset, Selection};
use crate::plan::{Connect, Plan};
use crate::print::say;
use crate::recall::Embedder;
use crate::record::RunHeader;
use crate::reply::Engine;

#[derive(Debug, Args)]
pub(super) struct RecallArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Also search for the external knowledge that comes with a question.
    #[arg(long)]
    evidence: bool,
    /// Also rank by an embedding model, served here in OpenAI's format.
    #[arg(long, requires = "embedding_model")]
    base_url: Option<String>,
    /// The server's name for it.
    #[arg(long, requires = "base_url")]
    embedding_model: Option<String>,
    /// Instead of rankings, measure which tables, columns and stored values of the gold query the
    /// first prompt of this strategy shows, however the question spells the values.
    #[arg(long, value_name = "STRATEGY")]
    prompt: Option<String>,
    /// Where prompts are made.
    #[arg(long, value_enum, default_value_t = Engine::InProcess, requires = "prompt")]
    engine: Engine,
    /// PostgreSQL connection string without a database, for --engine postgres.
    #[arg(long, env = "TEXT2SQL_EVAL_POSTGRES")]
    postgres: Option<String>,
    /// The database made by `load --into`.
    #[arg(long, requires = "prompt")]
    into: Option<String>,
    /// A setting of the extension, e.g. --set max_schema_tokens=1000 (repeatable).
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "prompt")]
    settings: Vec<String>,
    /// Print each thing that is not shown.
    #[arg(long, requires = "prompt")]
    misses: bool,
}

impl RecallArgs {
    pub(super) fn execute(mut self) -> Result<()> {
        let dataset = self.benchmark.read()?.into_one(self.into.take())?;
        let selection = self.selection.clone().into_selection(None);
        if let Some(strategy) = self.prompt.take() {
            return self.prompts(dataset, selection, strategy);
        }
        let embedder = self.base_url.as_deref().zip(self.embedding_model.as_deref());
        let embedder = embedder.map(|(url, name)| Embedder::new(url, name)).transpose()?;
        say(&crate::recall::measure(&dataset, &selection, self.evidence, embedder.as_ref())?)
    }

    fn prompts(self, dataset: Dataset, selection: Selection, strategy: String) -> Result<()> {
        let header = RunHeader {
            dataset: self.benchmark.dataset,
            questions: self.benchmark.questions,
            variant: None,
            into: dataset.into.clone(),
            engine: self.engine,
            strategy,
            settings: settings(&self.settings)?,
            oracle: None,
            evidence: self.evidence,
            readings: false,
            keep_distinct: false,
            selection,
        };
        let plan = Plan {
            dataset,
            header,
            timeout: Duration::from_secs(5),
            workers: 1,
            ves: 0,
            connect: Connect { postgres: self.postgres, ..Connect::default() },
        };
        let mut misses = |line: &str| {
            if self.misses {
                println!("{line}");
            }
        };
        say(&crate::recall::prompt::measure(&plan, &mut misses)?)
    }
}
