//! The command line.

mod arguments;
mod recall;
mod run;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};

use self::arguments::BenchmarkArgs;
use self::recall::RecallArgs;
use self::run::RunArgs;
use crate::dataset::{Selection, Split};
use crate::print::say;
use crate::record::{Record, Run, Verdict};
use crate::report::{html, markdown};

/// Ask the questions of published benchmarks through text2sql and score the answers as the
/// benchmarks' authors do.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask questions, score the answers, print the figures.
    Run(RunArgs),
    /// Print the figures of runs; two runs are also compared question by question.
    Report(ReportArgs),
    /// Run a strategy in full and with steps left out, as in its paper's tables.
    Ablate(AblateArgs),
    /// Load the databases of a benchmark into PostgreSQL.
    Load(LoadArgs),
    /// How many of the gold queries' columns the rankers find for the questions.
    Recall(RecallArgs),
    /// Drop the keys of SQLite databases: how many are inferred from names and data?
    Keys(KeysArgs),
    /// Fit the confidence of builtin or adaptive to runs with --readings.
    Fit(FitArgs),
    /// Answer questions with the SQLite extension; started by `run --engine sqlite`.
    #[command(hide = true)]
    HostSqlite,
    /// Print a run's records, one per line: by default the wrong answers.
    List(ListArgs),
}

#[derive(Debug, Args)]
struct AblateArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Folder for the runs; interrupted ones are resumed.
    #[arg(long)]
    runs: PathBuf,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// Files of runs.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Print one table only, with a line per run: accuracy and cost.
    #[arg(long)]
    table: bool,
    /// Write a page with plots and every failure to this file.
    #[arg(long)]
    html: Option<PathBuf>,
}

impl ReportArgs {
    fn execute(self) -> Result<()> {
        let runs: Result<Vec<Run>> = self.runs.iter().map(|file| Run::read(file)).collect();
        let runs = runs?;
        if self.table {
            say(&markdown::side_by_side(&runs))?;
        } else {
            for run in &runs {
                say(&markdown::of(run))?;
            }
            if let [first, second] = runs.as_slice() {
                say(&markdown::comparison(first, second))?;
            }
        }
        if let Some(file) = self.html {
            std::fs::write(&file, html::of(&runs)?)
                .with_context(|| format!("writing {}", file.display()))?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
struct LoadArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// PostgreSQL connection string of a role that may create databases.
    #[arg(long, env = "TEXT2SQL_EVAL_POSTGRES")]
    postgres: String,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    db: Vec<String>,
    /// Load all into this database, each as a schema.
    #[arg(long, value_name = "NAME")]
    into: Option<String>,
    /// Load again what already exists.
    #[arg(long)]
    fresh: bool,
    /// SQL to run in every database afterwards, e.g. CREATE SERVER for a model.
    #[arg(long)]
    init: Option<PathBuf>,
}

impl LoadArgs {
    fn execute(self) -> Result<()> {
        let dataset = self.benchmark.read()?;
        let wanted = crate::load::Wanted {
            only: &self.db,
            into: self.into.as_deref(),
            fresh: self.fresh,
            init: self.init.as_deref(),
        };
        crate::load::load(&dataset, &self.postgres, &wanted)
    }
}

#[derive(Debug, Args)]
struct KeysArgs {
    #[command(flatten)]
    benchmark: BenchmarkArgs,
    /// Only one half of the databases.
    #[arg(long)]
    split: Option<Split>,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    db: Vec<String>,
    /// Print each key that is missed or not declared.
    #[arg(long)]
    misses: bool,
}

impl KeysArgs {
    fn execute(self) -> Result<()> {
        let dataset = self.benchmark.read()?;
        let selection = Selection { split: self.split, databases: self.db, ..Selection::default() };
        let mut misses = |line: &str| {
            if self.misses {
                println!("{line}");
            }
        };
        say(&crate::keys::measure(&dataset, &selection, &mut misses)?)
    }
}

#[derive(Debug, Args)]
struct FitArgs {
    /// Files of runs with --readings.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Penalty on the square of a weight.
    #[arg(long, default_value_t = 4.0)]
    ridge: f64,
    /// A weight to set by hand, e.g. --fix rivals=-0.7 (repeatable).
    #[arg(long = "fix", value_name = "NAME=WEIGHT")]
    fixed: Vec<String>,
}

impl FitArgs {
    fn execute(self) -> Result<()> {
        let fixed = self.fixed.iter().map(|pair| {
            let (name, weight) = pair.split_once('=').context("--fix takes NAME=WEIGHT")?;
            Ok((name.to_owned(), weight.parse()?))
        });
        let fixed: Result<_> = fixed.collect();
        let runs: Result<Vec<Run>> = self.runs.iter().map(|file| Run::read(file)).collect();
        say(&crate::fit::fit(&runs?, self.ridge, &fixed?)?)
    }
}

#[derive(Debug, Args)]
struct ListArgs {
    /// The file of a run.
    run: PathBuf,
    /// Only these verdicts: right, wrong, abstained, failed, gold_failed.
    #[arg(long, value_delimiter = ',', default_value = "wrong")]
    verdict: Vec<String>,
    /// Only this query form.
    #[arg(long)]
    form: Option<String>,
    /// Only this difficulty.
    #[arg(long)]
    difficulty: Option<String>,
    /// Only this cause.
    #[arg(long)]
    cause: Option<String>,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    db: Vec<String>,
}

impl Cli {
    /// Execute the command.
    pub fn execute(self) -> Result<()> {
        match self.command {
            Command::Run(args) => args.execute(),
            Command::Report(args) => args.execute(),
            Command::Ablate(args) => crate::ablate::ablate(args.run.plan()?, &args.runs),
            Command::Load(args) => args.execute(),
            Command::Recall(args) => args.execute(),
            Command::Keys(args) => args.execute(),
            Command::Fit(args) => args.execute(),
            Command::HostSqlite => crate::ask::sqlite::host(),
            Command::List(args) => args.execute(),
        }
    }
}

impl ListArgs {
    fn execute(self) -> Result<()> {
        let run = Run::read(&self.run)?;
        let name = |verdict: Verdict| {
            serde_json::to_value(verdict).ok().and_then(|v| v.as_str().map(str::to_owned))
        };
        let matches =
            |wanted: &Option<String>, have: &str| wanted.as_deref().is_none_or(|w| w == have);
        let wanted = |r: &&Record| {
            name(r.verdict).is_some_and(|v| self.verdict.contains(&v))
                && matches(&self.form, &r.form)
                && matches(&self.difficulty, &r.difficulty)
                && matches(&self.cause, r.cause.as_deref().unwrap_or_default())
                && (self.db.is_empty() || self.db.contains(&r.db))
        };
        for record in run.records.iter().filter(wanted) {
            say(&serde_json::to_string(record)?)?;
        }
        Ok(())
    }
}
