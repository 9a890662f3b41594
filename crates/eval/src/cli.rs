//! The command line.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::{Args, Parser, Subcommand};

use crate::ask::reply::Engine;
use crate::dataset::variant::{self, Variant};
use crate::dataset::{Dataset, Kind, Selection, Split};
use crate::oracle::{Oracle, Protocol, Serving};
use crate::plan::{Connect, Plan};
use crate::print::say;
use crate::recall::Embedder;
use crate::record::{Record, Run, RunHeader, Verdict};
use crate::report::{html, markdown};
use crate::run::run;

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
    /// Run a strategy as it is and with its steps left out, as in its paper's tables.
    Ablate(AblateArgs),
    /// Load the databases of a benchmark into PostgreSQL.
    Load(LoadArgs),
    /// How many of the columns of the gold queries the rankers find for the questions.
    Recall(RecallArgs),
    /// Drop the keys of SQLite databases: how many are inferred from names and data?
    Keys(KeysArgs),
    /// Fit the builtin strategy's confidence to a run with --readings.
    Fit(FitArgs),
    /// Answer questions with the SQLite extension; started by `run --engine sqlite`.
    #[command(hide = true)]
    HostSqlite,
    /// Print one record a line of a run: by default the wrong answers.
    List(ListArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Which benchmark the folder holds.
    #[arg(long)]
    dataset: Kind,
    /// The folder as its authors publish it.
    #[arg(long)]
    folder: PathBuf,
    /// File of questions in the folder, where the default is not meant.
    #[arg(long)]
    questions: Option<String>,
    /// Ask variants of the questions, made by general rules.
    #[arg(long)]
    variant: Option<Variant>,
    /// Where questions are answered.
    #[arg(long, value_enum, default_value_t = Engine::InProcess)]
    engine: Engine,
    /// Strategy.
    #[arg(long, default_value = "builtin")]
    strategy: String,
    /// Ask a model that knows the gold SQL: what the strategy loses, mends and costs by itself.
    #[arg(long, value_enum)]
    oracle: Option<Oracle>,
    /// How that model is spoken to.
    #[arg(long, value_enum, default_value_t)]
    protocol: Protocol,
    /// A setting of the extension, e.g. --set server=openai (repeatable).
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Give the external knowledge that comes with a question.
    #[arg(long)]
    evidence: bool,
    /// Score every reading of a question, answered or not: what `fit` learns from.
    #[arg(long)]
    readings: bool,
    /// Let DISTINCT count (Spider's scorer takes it away by default).
    #[arg(long)]
    keep_distinct: bool,
    /// Only one half of the databases.
    #[arg(long)]
    split: Option<Split>,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    db: Vec<String>,
    /// A random sample of so many questions, chosen by --seed.
    #[arg(long)]
    sample: Option<usize>,
    /// Chooses the sample.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// At most the first so many questions.
    #[arg(long)]
    limit: Option<usize>,
    /// Keep the run in this file (JSON lines); an interrupted run goes on from it.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Ask one question of your own of the database named by --db and print the record.
    #[arg(long)]
    question: Option<String>,
    /// Questions answered at a time.
    #[arg(long, default_value_t = default_workers())]
    workers: usize,
    /// Seconds one gold or predicted query may take.
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

#[derive(Debug, Args)]
struct AblateArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Folder for the runs; interrupted ones go on from there.
    #[arg(long)]
    runs: PathBuf,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// Files of runs.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Only one table, a line a run: accuracy and what it costs.
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
    /// Which benchmark the folder holds.
    #[arg(long)]
    dataset: Kind,
    /// The folder as its authors publish it.
    #[arg(long)]
    folder: PathBuf,
    /// PostgreSQL connection string of a role that may create databases.
    #[arg(long, env = "TEXT2SQL_EVAL_POSTGRES")]
    postgres: String,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    db: Vec<String>,
    /// Load all into this one database, each as a schema of it.
    #[arg(long, value_name = "NAME")]
    into: Option<String>,
    /// Load again what is there already.
    #[arg(long)]
    fresh: bool,
    /// SQL to run in every database afterwards, e.g. CREATE SERVER for a model.
    #[arg(long)]
    init: Option<PathBuf>,
}

impl LoadArgs {
    fn execute(self) -> Result<()> {
        let dataset = Dataset::read(self.dataset, &self.folder, None)?;
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
struct RecallArgs {
    /// Which benchmark the folder holds.
    #[arg(long)]
    dataset: Kind,
    /// The folder as its authors publish it.
    #[arg(long)]
    folder: PathBuf,
    /// File of questions in the folder, where the default is not meant.
    #[arg(long)]
    questions: Option<String>,
    /// Only one half of the databases.
    #[arg(long)]
    split: Option<Split>,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    db: Vec<String>,
    /// Search for the external knowledge that comes with a question, too.
    #[arg(long)]
    evidence: bool,
    /// Rank by an embedding model, too, which is served here in OpenAI's format.
    #[arg(long, requires = "embedding_model")]
    base_url: Option<String>,
    /// What the server calls it.
    #[arg(long, requires = "base_url")]
    embedding_model: Option<String>,
    /// Instead of rankings: what the first prompt of this strategy shows of the tables, columns
    /// and stored values of the gold query, however the question spells the values.
    #[arg(long, value_name = "STRATEGY")]
    prompt: Option<String>,
    /// Where prompts are made.
    #[arg(long, value_enum, default_value_t = Engine::InProcess, requires = "prompt")]
    engine: Engine,
    /// PostgreSQL connection string without a database, for --engine postgres.
    #[arg(long, env = "TEXT2SQL_EVAL_POSTGRES")]
    postgres: Option<String>,
    /// The one database that `load --into` made of all.
    #[arg(long, requires = "prompt")]
    into: Option<String>,
    /// A setting of the extension, e.g. --set max_schema_tokens=1000 (repeatable).
    #[arg(long = "set", value_name = "NAME=VALUE", requires = "prompt")]
    settings: Vec<String>,
    /// A random sample of so many questions, chosen by --seed.
    #[arg(long)]
    sample: Option<usize>,
    /// Chooses the sample.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print what is not shown, a line each.
    #[arg(long, requires = "prompt")]
    misses: bool,
}

impl RecallArgs {
    fn execute(mut self) -> Result<()> {
        let dataset = Dataset::read(self.dataset, &self.folder, self.questions.as_deref())?
            .into_one(self.into.take())?;
        let selection = Selection {
            split: self.split,
            databases: std::mem::take(&mut self.db),
            sample: self.sample,
            seed: self.seed,
            limit: None,
        };
        if let Some(strategy) = self.prompt.take() {
            return self.prompts(dataset, selection, strategy);
        }
        let embedder = self.base_url.as_deref().zip(self.embedding_model.as_deref());
        let embedder = embedder.map(|(url, name)| Embedder::new(url, name)).transpose()?;
        say(&crate::recall::measure(&dataset, &selection, self.evidence, embedder.as_ref())?)
    }

    fn prompts(self, dataset: Dataset, selection: Selection, strategy: String) -> Result<()> {
        let header = RunHeader {
            dataset: self.dataset,
            questions: self.questions,
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

/// Pairs of NAME=VALUE.
fn settings(pairs: &[String]) -> Result<Vec<(String, String)>> {
    // each question is asked for itself, also where a dataset has it twice
    let alone = ("cache".to_owned(), "off".to_owned());
    let pair = |pair: &String| {
        let found = pair.split_once('=');
        let (name, value) =
            found.ok_or_else(|| anyhow!("--set takes NAME=VALUE, not \"{pair}\""))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    std::iter::once(Ok(alone)).chain(pairs.iter().map(pair)).collect()
}

#[derive(Debug, Args)]
struct KeysArgs {
    /// Which benchmark the folder holds.
    #[arg(long)]
    dataset: Kind,
    /// The folder as its authors publish it.
    #[arg(long)]
    folder: PathBuf,
    /// Only one half of the databases.
    #[arg(long)]
    split: Option<Split>,
    /// Only these databases.
    #[arg(long, value_delimiter = ',')]
    db: Vec<String>,
    /// Print what is missed and what is not declared, a line each.
    #[arg(long)]
    misses: bool,
}

impl KeysArgs {
    fn execute(self) -> Result<()> {
        let dataset = Dataset::read(self.dataset, &self.folder, None)?;
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
    /// A weight that is set by hand, e.g. --fix rivals=-0.7 (repeatable).
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
    /// Do what was asked for.
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

impl RunArgs {
    fn execute(mut self) -> Result<()> {
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

    fn plan(self) -> Result<Plan> {
        let mut dataset = Dataset::read(self.dataset, &self.folder, self.questions.as_deref())?
            .into_one(self.into)?;
        if let Some(variant) = self.variant {
            variant::apply(variant, &mut dataset)?;
        }
        let header = RunHeader {
            dataset: self.dataset,
            questions: self.questions,
            variant: self.variant,
            into: dataset.into.clone(),
            engine: self.engine,
            strategy: self.strategy,
            settings: settings(&self.settings)?,
            oracle: self.oracle.map(|oracle| (oracle, self.protocol)),
            evidence: self.evidence,
            readings: self.readings,
            keep_distinct: self.keep_distinct,
            selection: Selection {
                split: self.split,
                databases: self.db,
                sample: self.sample,
                seed: self.seed,
                limit: self.limit,
            },
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

/// Ask a question that is in no benchmark and print the reply.
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
