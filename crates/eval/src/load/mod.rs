//! Benchmark databases into PostgreSQL: dumps as they are, SQLite files with their types mapped,
//! names quoted and keys kept where the data allows.

pub mod describe;
mod sqlite;
mod types;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use postgres::Client;
use text2sql_engine::dialect::Dialect;

use crate::database::postgres::{config, connect, reason};
use crate::dataset::Dataset;

/// Load the databases named, or all that the questions ask, each into a database of its own.
/// A database that is there already is left alone unless `fresh`. `init` is SQL to run in every
/// one, such as CREATE SERVER.
pub fn load(
    dataset: &Dataset,
    base: &str,
    only: &[String],
    fresh: bool,
    init: Option<&Path>,
) -> Result<()> {
    let mut server = connect(base, "postgres")?;
    let mut names = dataset.databases();
    names.retain(|name| only.is_empty() || only.contains(name));
    let bar = ProgressBar::new(names.len() as u64);
    for db in names {
        let target = dataset.postgres_name(&db);
        load_one(dataset, &mut server, base, &db, &target, fresh)
            .with_context(|| format!("loading {db} into {target}"))?;
        if let Some(file) = init {
            restore(base, &target, file)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

fn load_one(
    dataset: &Dataset,
    server: &mut Client,
    base: &str,
    db: &str,
    target: &str,
    fresh: bool,
) -> Result<()> {
    let quoted = Dialect::Postgres.identifier(target);
    let there = server.query_opt("SELECT FROM pg_database WHERE datname = $1", &[&target])?;
    if there.is_some() && !fresh {
        install(&mut connect(base, target)?, target);
        return Ok(());
    }
    // Built under another name: what bears the right name is whole.
    let draft = Dialect::Postgres.identifier(&format!("{target}_new"));
    server.batch_execute(&format!("DROP DATABASE IF EXISTS {draft}"))?;
    server.batch_execute(&format!("CREATE DATABASE {draft} TEMPLATE template0 ENCODING 'UTF8'"))?;
    fill(dataset, base, db, &format!("{target}_new"))?;
    server.batch_execute(&format!("DROP DATABASE IF EXISTS {quoted}"))?;
    server.batch_execute(&format!("ALTER DATABASE {draft} RENAME TO {quoted}"))?;
    Ok(())
}

fn fill(dataset: &Dataset, base: &str, db: &str, target: &str) -> Result<()> {
    match dataset.dump_file(db) {
        Some(dump) => restore(base, target, &dump)?,
        None => sqlite::copy(&dataset.sqlite_file(db)?, &mut connect(base, target)?)?,
    }
    let mut client = connect(base, target)?;
    describe::comment(dataset, db, &mut client)?;
    client.batch_execute("ANALYZE")?;
    install(&mut client, target);
    Ok(())
}

/// The extension itself; a server without it can still run gold queries.
fn install(client: &mut Client, target: &str) {
    let create = "SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS text2sql";
    if let Err(error) = client.batch_execute(create) {
        eprintln!("{target} without the extension: {}", reason(&error));
    }
}

/// Feed a dump to psql, which knows COPY and everything else that stands in dumps. Statements
/// about roles of the authors' server fail and are passed over.
fn restore(base: &str, target: &str, dump: &Path) -> Result<()> {
    let config = config(base, target)?;
    let mut psql = Command::new("psql");
    psql.args(["-X", "-q", "-o", "/dev/null", "-d", target, "-f"]).arg(dump);
    if let Some(user) = config.get_user() {
        psql.args(["-U", user]);
    }
    match config.get_hosts().first() {
        Some(postgres::config::Host::Tcp(host)) => psql.args(["-h", host]),
        Some(postgres::config::Host::Unix(folder)) => psql.arg("-h").arg(folder),
        None => &mut psql,
    };
    if let Some(port) = config.get_ports().first() {
        psql.args(["-p", &port.to_string()]);
    }
    if let Some(password) = config.get_password() {
        psql.env("PGPASSWORD", String::from_utf8_lossy(password).as_ref());
    }
    psql.env("PGOPTIONS", "-c client_min_messages=warning");
    let output = psql.output().context("running psql")?;
    let messages = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "psql failed on {}: {messages}", dump.display());
    if !messages.trim().is_empty() {
        eprintln!("{}: {}", dump.display(), messages.lines().next().unwrap_or_default());
    }
    Ok(())
}
