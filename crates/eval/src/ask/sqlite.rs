//! The SQLite extension, loaded by another process: this program run again as a host. A crash there
//! is an error here, and no process contains SQLite twice.
//!
//! The two speak JSON lines: a [`Setup`], answered by `null` or an error, then one [`Asked`] per
//! line, answered by the extension's report or an error.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use super::asker::Asker;
use crate::reply::{Failure, Reply};

/// Sent to the host first; not as arguments, which anyone can list.
#[derive(Serialize, Deserialize)]
struct Setup {
    database: PathBuf,
    extension: PathBuf,
    strategy: String,
    settings: Vec<(String, String)>,
}

/// A request to the host.
#[derive(Serialize, Deserialize)]
enum Asked {
    Question { question: String, hint: Option<String> },
    SummarizeTables,
}

/// A host process with one database open.
pub struct Loaded {
    host: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Loaded {
    /// Start a host, open the file read-only there and load the extension.
    pub fn open(
        database: &Path,
        extension: &Path,
        strategy: &str,
        settings: &[(String, String)],
    ) -> Result<Self> {
        let mut host = Command::new(std::env::current_exe()?)
            .arg("host-sqlite")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting the host process")?;
        let (Some(questions), Some(answers)) = (host.stdin.take(), host.stdout.take()) else {
            bail!("the host process has no pipes");
        };
        let mut loaded = Self { host, questions, answers: BufReader::new(answers) };
        let extension = extension
            .canonicalize()
            .with_context(|| format!("the extension {}", extension.display()))?;
        let setup = Setup {
            database: database.to_owned(),
            extension,
            strategy: strategy.to_owned(),
            settings: settings.to_vec(),
        };
        match loaded.exchange::<_, Option<String>>(&setup)? {
            None => Ok(loaded),
            Some(error) => Err(anyhow!(error)),
        }
    }

    fn exchange<Q: Serialize, A: for<'a> Deserialize<'a>>(&mut self, line: &Q) -> Result<A> {
        writeln!(self.questions, "{}", serde_json::to_string(line)?)?;
        self.questions.flush()?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            bail!("the host process ended ({})", self.host.wait()?);
        }
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let _ = self.host.kill();
        let _ = self.host.wait();
    }
}

impl Asker for Loaded {
    fn summarize_tables(&mut self) -> Result<()> {
        let answer: Result<serde_json::Value, String> = self.exchange(&Asked::SummarizeTables)?;
        answer.map(|_| ()).map_err(|message| anyhow!(message))
    }

    fn preview(&mut self, _: &str, _: Option<&str>) -> Result<String> {
        bail!("the loaded SQLite extension shows no prompts here: --engine in-process has the same")
    }

    fn ask(&mut self, question: &str, hint: Option<&str>) -> Result<Reply> {
        let (question, hint) = (question.to_owned(), hint.map(str::to_owned));
        let asked = Asked::Question { question, hint };
        let answer: Result<serde_json::Value, String> = self.exchange(&asked)?;
        match answer {
            Ok(report) => Ok(serde_json::from_value(report)?),
            Err(message) => Ok(Reply {
                error: Some(Failure { sqlstate: "HY000".into(), message, detail: None }),
                ..Reply::default()
            }),
        }
    }
}

/// The host's side: answer questions from standard input until it ends.
pub fn host() -> Result<()> {
    let mut lines = std::io::stdin().lock().lines();
    let setup: Setup = match lines.next() {
        Some(line) => serde_json::from_str(&line?)?,
        None => return Ok(()),
    };
    let connection = match open(&setup) {
        Ok(connection) => connection,
        Err(error) => {
            println!("{}", serde_json::to_string(&Some(format!("{error:#}")))?);
            return Ok(());
        }
    };
    println!("null");
    for line in lines {
        let asked: Asked = serde_json::from_str(&line?)?;
        let answer = match asked {
            Asked::Question { question, hint } => {
                explain(&connection, &setup.strategy, &question, hint.as_deref())
            }
            Asked::SummarizeTables => summarize_tables(&connection),
        };
        let answer = answer.map_err(|e| e.to_string());
        println!("{}", serde_json::to_string(&answer)?);
    }
    Ok(())
}

fn open(setup: &Setup) -> Result<Connection> {
    let connection = Connection::open_with_flags(&setup.database, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .with_context(|| format!("opening {}", setup.database.display()))?;
    load(&connection, &setup.extension)
        .with_context(|| format!("loading {}", setup.extension.display()))?;
    for (name, value) in &setup.settings {
        connection
            .query_row("SELECT text2sql_config(?1, ?2)", [name, value], |_| Ok(()))
            .with_context(|| format!("setting {name}"))?;
    }
    Ok(connection)
}

#[expect(unsafe_code, reason = "loading an extension runs its code")]
fn load(connection: &Connection, extension: &Path) -> rusqlite::Result<()> {
    // SAFETY: the library is the one that the user named to be loaded; loading is allowed for
    // this call only, and no SQL has run on the connection that could load another.
    unsafe {
        connection.load_extension_enable()?;
        connection.load_extension(extension, None::<&str>)?;
    }
    connection.load_extension_disable()
}

fn summarize_tables(connection: &Connection) -> Result<serde_json::Value> {
    let sql = "SELECT count(*) FROM text2sql_summarize_tables()";
    connection.query_row(sql, [], |_| Ok(serde_json::Value::Null)).map_err(Into::into)
}

fn explain(
    connection: &Connection,
    strategy: &str,
    question: &str,
    hint: Option<&str>,
) -> Result<serde_json::Value> {
    let options = serde_json::json!({ "strategy": strategy, "hint": hint });
    let report: String = connection.query_row(
        "SELECT text2sql_explain(?1, ?2)",
        [question, &options.to_string()],
        |row| row.get(0),
    )?;
    Ok(serde_json::from_str(&report)?)
}
