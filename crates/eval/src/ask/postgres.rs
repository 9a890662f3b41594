//! The PostgreSQL extension, asked by SQL.

use anyhow::{Result, bail};
use postgres::Client;
use text2sql_engine::dialect::Dialect;

use super::asker::Asker;
use crate::database::postgres::connect;
use crate::reply::{Failure, Reply};

const EXPLAIN: &str = "SELECT text2sql.explain(question => $1, hint => $2, strategy => $3)::text";
const PREVIEW: &str = "SELECT string_agg(content, E'\\n') \
                       FROM text2sql.preview(question => $1, hint => $2, strategy => $3)";

/// A session with the extension.
pub struct Extension {
    client: Client,
    strategy: String,
    /// A server for this session only.
    server: Option<String>,
}

impl Extension {
    /// Connect and set the extension's settings for the session.
    pub fn open(
        base: &str,
        database: &str,
        strategy: &str,
        settings: &[(String, String)],
    ) -> Result<Self> {
        let mut client = connect(base, database)?;
        let installed =
            client.query_opt("SELECT FROM pg_extension WHERE extname = 'text2sql'", &[])?;
        if installed.is_none() {
            bail!(
                "the extension is not installed in database {database}: CREATE EXTENSION text2sql;"
            );
        }
        for (name, value) in settings {
            let name = format!("text2sql.{name}");
            client.execute("SELECT set_config($1, $2, false)", &[&name, value])?;
        }
        Ok(Self { client, strategy: strategy.to_owned(), server: None })
    }

    /// Use a model with these options, through a server that is dropped with the session.
    pub fn use_server(&mut self, options: &[(String, String)]) -> Result<()> {
        let pid: i32 = self.client.query_one("SELECT pg_backend_pid()", &[])?.try_get(0)?;
        let server = Dialect::Postgres.identifier(&format!("eval_{pid}"));
        let option = |(name, value): &(String, String)| {
            format!("{name} {}", Dialect::Postgres.string(value))
        };
        let options: Vec<String> = options.iter().map(option).collect();
        // a killed run may have left one
        self.client.batch_execute(&format!(
            "DROP SERVER IF EXISTS {server}; \
             CREATE SERVER {server} FOREIGN DATA WRAPPER text2sql OPTIONS ({}); \
             SET text2sql.server = {server}",
            options.join(", ")
        ))?;
        self.server = Some(server);
        Ok(())
    }
}

impl Drop for Extension {
    fn drop(&mut self) {
        if let Some(server) = &self.server {
            let _ = self.client.batch_execute(&format!("DROP SERVER IF EXISTS {server}"));
        }
    }
}

impl Asker for Extension {
    fn summarize_tables(&mut self) -> Result<()> {
        self.client.query("SELECT FROM text2sql.summarize_tables()", &[])?;
        Ok(())
    }

    fn preview(&mut self, question: &str, hint: Option<&str>) -> Result<String> {
        let row = self.client.query_one(PREVIEW, &[&question, &hint, &self.strategy])?;
        Ok(row.try_get::<_, Option<String>>(0)?.unwrap_or_default())
    }

    fn ask(&mut self, question: &str, hint: Option<&str>) -> Result<Reply> {
        let answer = self.client.query_one(EXPLAIN, &[&question, &hint, &self.strategy]);
        match answer {
            Ok(row) => Ok(serde_json::from_str(row.try_get(0)?)?),
            // an error about the question; a connection error has no SQLSTATE
            Err(error) => match error.as_db_error() {
                Some(server) if !self.client.is_closed() => Ok(Reply {
                    error: Some(Failure {
                        sqlstate: server.code().code().to_owned(),
                        message: server.message().to_owned(),
                        detail: server.detail().map(str::to_owned),
                    }),
                    ..Reply::default()
                }),
                _ => Err(error.into()),
            },
        }
    }
}
