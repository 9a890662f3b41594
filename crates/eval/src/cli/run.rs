//! The command `run`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;

use super::arguments::{BenchmarkArgs, SelectionArgs, settings};
use crate::dataset::variant::{self, Variant};
use crate::oracle::Serving;
use crate::oracle_kind::{Oracle, Protocol};
use crate::plan::{Connect, Plan};
use crate::print::say;
use crate::record::RunHeader;
use crate::reply::Engine;
use crate::report::markdown;
use crate::run::run;

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Ask variants of the questions, made by general rules.
    #[arg(long)]
    variant: Option<Variant>,
    /// Where questions are answered.
    #[arg(long, value_enum, default_value_t = Engine::InProcess)]
    engine: Engine,
    /// The strategy.
    #[arg(long, default_value = "builtin")]
    strategy: String,
    /// Ask a model that knows the gold SQL, to see what the strategy itself loses, repairs and
    /// costs.
    #[arg(long, value_enum)]
    oracle: Option<Oracle>,
    /// The protocol of that model.
    #[arg(long, value_enum, default_value_t)]
    protocol: Protocol,
    /// A setting of the extension, e.g. --set server=openai (repeatable).
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Give the external knowledge that comes with a question.
    #[arg(long)]
    evidence: bool,
    /// Score every reading of a question, answered or not, as input for `fit`.
    #[arg(long)]
    readings: bool,
    /// Let DISTINCT count (Spider's scorer removes it by default).
    #[arg(long)]
    keep_distinct: bool,
    /// Ask at most this many questions.
    #[arg(long)]
    limit: Option<usize>,
    /// Keep the run in this file (JSON lines); an interrupted run is resumed.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Ask the database named by --db one question of your own and print the reply.
    #[arg(long)]
    question: Option<String>,
    /// Questions answered concurrently.
    #[arg(long, default_value_t = default_workers())]
    workers: usize,
    /// Seconds that a gold or predicted query may take.
    #[arg(long, default_value_t = 5.0)]
    timeout: f64,
    /// Repetitions for R-VES (BIRD's scorer makes 100); 0 for none.
    #[arg(long, default_value_t = 0)]
    ves: usize,
    /// The SQLite extension's file, for --engine sqlite.
    #[arg(long)]
    extension: Option<PathBuf>,
    /// PostgreSQL connection string without a database, for --engine postgres.
    #[arg(long, env = "TEXT2SQL_EVAL_POSTGRES")]
    postgres: Option<String>,
    /// The one database that `load --into` made of all.
    #[arg(long)]
    into: Option<String>,
}

fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl RunArgs {
    pub(super) fn execute(mut self) -> Result<()> {
        let own = self.question.take();
        let out = self.out.take();
        let mut plan = self.plan()?;
        if let Some(question) = own {
            return ask_one(&mut plan, question);
        }
        let run = run(&plan, out.as_deref())?;
        say(&markdown::of(&run))?;
        Ok(())
    }

    pub(super) fn plan(self) -> Result<Plan> {
        let mut dataset = self.benchmark.read()?.into_one(self.into)?;
        if let Some(variant) = self.variant {
            variant::apply(variant, &mut dataset)?;
        }
        let header = RunHeader {
            dataset: self.benchmark.dataset,
            questions: self.benchmark.questions,
            variant: self.variant,
            into: dataset.into.clone(),
            engine: self.engine,
            strategy: self.strategy,
            settings: settings(&self.settings)?,
            oracle: self.oracle.map(|oracle| (oracle, self.protocol)),
            evidence: self.evidence,
            readings: self.readings,
            keep_distinct: self.keep_distinct,
            selection: self.selection.into_selection(self.limit),
        };
        let serve = |oracle| Serving::start(oracle, self.protocol, &dataset);
        let oracle = self.oracle.map(serve).transpose().context("serving the oracle")?;
        let oracle = oracle.map(Arc::new);
        Ok(Plan {
            dataset,
            header,
            timeout: Duration::from_secs_f64(self.timeout),
            workers: self.workers,
            ves: self.ves,
            connect: Connect { extension: self.extension, postgres: self.postgres, oracle },
        })
    }
}

/// Ask a question that is not in a benchmark and print the reply.
fn ask_one(plan: &mut Plan, question: String) -> Result<()> {
    let [db] = plan.header.selection.databases.as_slice() else {
        return Err(anyhow!("--question wants one database: --db NAME"));
    };
    let mut asker = crate::ask::open(plan, db)?;
    let reply = asker.ask(&question, None)?;
    match (&reply.sql, &reply.error) {
        (Some(sql), _) => println!("{sql}"),
        (None, Some(error)) => {
            println!("{}: {}", error.sqlstate, error.message);
            error.detail.iter().for_each(|detail| println!("{detail}"));
        }
        (None, None) => println!("no answer"),
    }
    Ok(())
}
