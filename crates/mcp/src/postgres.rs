//! PostgreSQL: the functions of the extension, called with the caller's own login.

use std::env;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Error, Row};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::sync::CancellationToken;

use crate::backend::{Backend, Failure, Pending};
use crate::tools::{Argument, Call, Kind, Tool};

/// Sessions at a time; further calls wait.
const SESSIONS: usize = 8;

/// Sessions of one login, opened on demand.
pub struct Postgres {
    config: Config,
    tls: MakeRustlsConnect,
    settings: Vec<(String, String)>,
    idle: Mutex<Vec<Client>>,
    turns: Semaphore,
}

impl Postgres {
    /// The database of a connection string, completed from PGHOST, PGPORT, PGUSER, PGPASSWORD and
    /// PGDATABASE. `settings` are set in each session, named without `text2sql.`.
    ///
    /// Errors: the string is malformed, the login fails, or the extension is missing.
    pub async fn connect(url: &str, settings: Vec<(String, String)>) -> anyhow::Result<Self> {
        let mut config: Config = url.parse().context("not a connection string of PostgreSQL")?;
        complete(&mut config)?;
        config.application_name("text2sql-mcp");
        let (tls, _) = MakeRustlsConnect::with_native_certs()
            .map_err(|errors| anyhow::anyhow!("no certificates of this system: {errors:?}"))?;
        let (idle, turns) = (Mutex::default(), Semaphore::new(SESSIONS));
        let this = Self { config, tls, settings, idle, turns };
        let first = this.session().await?;
        let installed = "SELECT count(*) FROM pg_catalog.pg_extension WHERE extname = 'text2sql'";
        if first.query_one(installed, &[]).await?.get::<_, i64>(0) == 0 {
            anyhow::bail!("this database has no text2sql\nHINT: CREATE EXTENSION text2sql;");
        }
        this.give_back(first);
        Ok(this)
    }

    /// An idle session, or a new one.
    async fn session(&self) -> anyhow::Result<Client> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some(client) = idle() {
            if !client.is_closed() {
                return Ok(client);
            }
        }
        let (client, connection) =
            self.config.connect(self.tls.clone()).await.context("cannot connect to PostgreSQL")?;
        tokio::spawn(connection);
        for (name, value) in &self.settings {
            let set = "SELECT pg_catalog.set_config('text2sql.' || $1::text, $2::text, false)";
            client.execute(set, &[name, value]).await.with_context(|| format!("--set {name}"))?;
        }
        Ok(client)
    }

    fn give_back(&self, client: Client) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(client);
    }

    /// The rows of a statement, each as one JSON text.
    async fn rows(
        &self,
        sql: &str,
        arguments: &[Argument],
        cancelled: &CancellationToken,
    ) -> Result<Vec<Value>, Failure> {
        let _turn = self.turns.acquire().await.map_err(|_| Failure::new("the server ends"))?;
        let client = self.session().await.map_err(|error| Failure::new(format!("{error:#}")))?;
        let found = self.query(&client, sql, arguments, cancelled).await?;
        self.give_back(client);
        let rows = found.map_err(|error| failure(&error))?;
        rows.iter().map(|row| parsed(row.try_get(0))).collect()
    }

    /// Run a statement. Errors: it was cancelled, and the session cannot be used again.
    async fn query(
        &self,
        client: &Client,
        sql: &str,
        arguments: &[Argument],
        cancelled: &CancellationToken,
    ) -> Result<Result<Vec<Row>, Error>, Failure> {
        let parameters: Vec<&(dyn ToSql + Sync)> = arguments.iter().map(parameter).collect();
        let query = client.query(sql, &parameters);
        tokio::pin!(query);
        tokio::select! {
            found = &mut query => Ok(found),
            () = cancelled.cancelled() => {
                let ended = client.cancel_token().cancel_query(self.tls.clone()).await;
                ended.map_err(|_| Failure::new("cancelled"))?;
                Ok(query.await)
            }
        }
    }

    async fn answer(
        &self,
        tool: &'static Tool,
        arguments: Vec<Option<Argument>>,
        execute: bool,
        cancelled: &CancellationToken,
    ) -> Result<Value, Failure> {
        let (mut call, given) = call("text2sql.answer", tool, arguments);
        call.pop(); // the bracket
        let comma = if given.is_empty() { "" } else { ", " };
        let sql = format!("SELECT to_json(t)::text FROM {call}{comma}execute => {execute}) t");
        let mut found = self.rows(&sql, &given, cancelled).await?;
        let Some(Value::Object(mut answer)) = found.pop() else {
            return Err(Failure::new("there is no question"));
        };
        if let Some(Value::String(reason)) = answer.get("reason") {
            let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
            let suggestion = text("suggestion").map(|other| format!("Ask instead: {other}"));
            let (message, code) = (reason.clone(), text("sqlstate"));
            return Err(Failure { message, code, detail: None, hint: suggestion });
        }
        answer.retain(|_, value| !value.is_null());
        Ok(Value::Object(answer))
    }
}

impl Backend for Postgres {
    fn system(&self) -> &'static str {
        "PostgreSQL"
    }

    fn call<'a>(
        &'a self,
        tool: &'static Tool,
        arguments: Vec<Option<Argument>>,
        cancelled: CancellationToken,
    ) -> Pending<'a, Value> {
        Box::pin(async move {
            let (name, one) = match tool.postgres {
                Call::Answer { execute } => {
                    return self.answer(tool, arguments, execute, &cancelled).await;
                }
                Call::Rows(name) | Call::Objects(name) => (name, false),
                Call::Scalar(name) => (name, true),
            };
            let (call, given) = call(name, tool, arguments);
            let sql = match tool.postgres {
                Call::Rows(_) => format!("SELECT to_json(t)::text FROM {call} t"),
                Call::Scalar(_) => format!("SELECT to_json({call})::text"),
                Call::Objects(_) | Call::Answer { .. } => format!("SELECT t::text FROM {call} t"),
            };
            let mut rows = self.rows(&sql, &given, &cancelled).await?;
            Ok(if one { rows.pop().unwrap_or_default() } else { json!({ "rows": rows }) })
        })
    }

    fn tables(&self) -> Pending<'_, Value> {
        self.read(include_str!("tables.sql"))
    }

    fn glossary(&self) -> Pending<'_, Value> {
        self.read("SELECT to_json(t)::text FROM text2sql.glossary t ORDER BY term")
    }

    fn verified_questions(&self) -> Pending<'_, Value> {
        self.read(
            "SELECT to_json(t)::text FROM (SELECT question, sql FROM text2sql.verified_question) t",
        )
    }
}

impl Postgres {
    fn read(&self, sql: &'static str) -> Pending<'_, Value> {
        Box::pin(
            async move { Ok(Value::Array(self.rows(sql, &[], &CancellationToken::new()).await?)) },
        )
    }
}

/// The call of a function with the arguments that are given, by name: `f(a => $1::text)`.
fn call(
    function: &str,
    tool: &'static Tool,
    arguments: Vec<Option<Argument>>,
) -> (String, Vec<Argument>) {
    let (mut named, mut given) = (Vec::new(), Vec::new());
    for (parameter, argument) in tool.parameters.iter().zip(arguments) {
        let Some(argument) = argument else { continue };
        given.push(argument);
        let form = match (parameter.kind, parameter.name) {
            (Kind::Text, _) => "text",
            (Kind::Integer, _) => "integer",
            (Kind::Names, "tables") => "text[]::regclass[]",
            (Kind::Names, _) => "text[]",
        };
        named.push(format!("{} => ${}::{form}", parameter.name, given.len()));
    }
    (format!("{function}({})", named.join(", ")), given)
}

fn parameter(argument: &Argument) -> &(dyn ToSql + Sync) {
    match argument {
        Argument::Text(text) => text,
        Argument::Names(names) => names,
        Argument::Integer(number) => number,
    }
}

fn parsed(text: Result<Option<String>, Error>) -> Result<Value, Failure> {
    match text.map_err(|error| failure(&error))? {
        Some(text) => serde_json::from_str(&text).map_err(|error| Failure::new(error.to_string())),
        None => Ok(Value::Null),
    }
}

fn failure(error: &Error) -> Failure {
    match error.as_db_error() {
        Some(error) => Failure {
            message: error.message().to_owned(),
            code: Some(error.code().code().to_owned()),
            detail: error.detail().map(str::to_owned),
            hint: error.hint().map(str::to_owned),
        },
        None => Failure::new(format!("the connection to PostgreSQL failed: {error}")),
    }
}

/// Complete a connection string from the environment, as libpq does.
fn complete(config: &mut Config) -> anyhow::Result<()> {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host(variable("PGHOST").as_deref().unwrap_or("/var/run/postgresql"));
    }
    if let (Some(port), true) = (variable("PGPORT"), config.get_ports().is_empty()) {
        config.port(port.parse().context("PGPORT")?);
    }
    if config.get_user().is_none() {
        let user = variable("PGUSER").or_else(|| variable("USER")).context("no user is named")?;
        config.user(user);
    }
    if let (Some(name), None) = (variable("PGDATABASE"), config.get_dbname()) {
        config.dbname(name);
    }
    if let (Some(password), None) = (variable("PGPASSWORD"), config.get_password()) {
        config.password(password);
    }
    Ok(())
}
