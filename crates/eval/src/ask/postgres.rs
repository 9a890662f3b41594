//! The PostgreSQL extension, asked by SQL.

use anyhow::{Result, bail};
use postgres::Client;

use super::{Asker, Failure, Reply};
use crate::database::postgres::connect;

const EXPLAIN: &str = "SELECT text2sql.explain(question => $1, hint => $2, strategy => $3)::text";

/// A session with the extension.
pub struct Extension {
    client: Client,
    strategy: String,
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
        Ok(Self { client, strategy: strategy.to_owned() })
    }
}

impl Asker for Extension {
    fn ask(&mut self, question: &str, hint: Option<&str>) -> Result<Reply> {
        let answer = self.client.query_one(EXPLAIN, &[&question, &hint, &self.strategy]);
        match answer {
            Ok(row) => Ok(serde_json::from_str(row.try_get(0)?)?),
            // an error of the question; one of the connection has no SQLSTATE
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
