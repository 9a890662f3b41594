//! PostgreSQL, read-only sessions.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result};
use postgres::types::Type;
use postgres::{Client, Config, NoTls, SimpleQueryMessage};

use super::connection::Database;
use crate::value::{Table, Value};

/// A connection string for a database.
pub fn config(base: &str, database: &str) -> Result<Config> {
    let mut config =
        Config::from_str(base).with_context(|| format!("reading connection string \"{base}\""))?;
    config.dbname(database).application_name("text2sql-eval");
    Ok(config)
}

/// Connect, with a hint if that fails.
pub fn connect(base: &str, database: &str) -> Result<Client> {
    config(base, database)?
        .connect(NoTls)
        .with_context(|| format!("connecting to database {database}"))
}

/// A session that may only read.
pub struct Postgres {
    client: Client,
}

impl Postgres {
    /// Connect; each query may run for `limit`.
    pub fn open(base: &str, database: &str, limit: Duration) -> Result<Self> {
        let mut client = connect(base, database)?;
        let setup = format!(
            "SET default_transaction_read_only = on; SET statement_timeout = {}; \
             SET bytea_output = hex; SET datestyle = iso; SET client_min_messages = error",
            limit.as_millis()
        );
        client.batch_execute(&setup)?;
        Ok(Self { client })
    }

    fn rows(&mut self, sql: &str) -> Result<Table, postgres::Error> {
        // the extended protocol gives types, the simple one a text for every type
        let statement = self.client.prepare(sql)?;
        let types: Vec<Type> = statement.columns().iter().map(|c| c.type_().clone()).collect();
        let columns = statement.columns().iter().map(|c| c.name().to_owned()).collect();
        let mut table = Table { columns, rows: Vec::new() };
        for message in self.client.simple_query(sql)? {
            if let SimpleQueryMessage::Row(row) = message {
                let value = |(place, kind)| row.get(place).map_or(Value::Null, |t| value(kind, t));
                table.rows.push(types.iter().enumerate().map(value).collect());
            }
        }
        Ok(table)
    }
}

/// A value as Python's driver gives it to the scorers; dates and the like stay text.
pub fn value(kind: &Type, text: &str) -> Value {
    let or_text = |value: Option<Value>| value.unwrap_or_else(|| Value::Text(text.to_owned()));
    match *kind {
        Type::BOOL => Value::Bool(text == "t"),
        Type::INT2 | Type::INT4 | Type::INT8 | Type::OID => {
            or_text(text.parse().ok().map(Value::Int))
        }
        Type::FLOAT4 | Type::FLOAT8 => or_text(text.parse().ok().map(Value::Real)),
        Type::NUMERIC => Value::decimal(text),
        Type::BYTEA => or_text(text.strip_prefix("\\x").and_then(bytes).map(Value::Blob)),
        _ => Value::Text(text.to_owned()),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(pair).collect()
}

/// One line that says why a statement failed.
pub fn reason(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(server) => format!("{} ({})", server.message(), server.code().code()),
        None => error.to_string(),
    }
}

impl Database for Postgres {
    fn query(&mut self, sql: &str) -> Result<Table, String> {
        self.rows(sql).map_err(|error| reason(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_as_the_scorers_driver_gives_them() {
        let check = |kind: Type, text: &str, expect: Value| assert_eq!(value(&kind, text), expect);
        check(Type::BOOL, "t", Value::Bool(true));
        check(Type::NUMERIC, "12.50", Value::Decimal("12.5".into()));
        check(Type::INT8, "-7", Value::Int(-7));
        check(Type::BYTEA, "\\x00ff", Value::Blob(vec![0, 255]));
        check(Type::DATE, "2020-01-02", Value::Text("2020-01-02".into()));
    }
}
