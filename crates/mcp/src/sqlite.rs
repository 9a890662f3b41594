//! SQLite: the functions of text2sql, linked in and registered on one connection to a file.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, InterruptHandle, OpenFlags, Row, params_from_iter};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::backend::{Backend, Failure, Pending};
use crate::tools::{Argument, Call, Tool};

/// A file, opened for reading.
pub struct Sqlite {
    connection: Arc<Mutex<Connection>>,
    interrupt: InterruptHandle,
}

impl Sqlite {
    /// Open a file and register the functions. `settings` are those of `text2sql_config()`.
    ///
    /// Errors: the file is no database, or a setting is refused.
    pub fn open(path: &Path, settings: &[(String, String)]) -> anyhow::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let name = path.display();
        let connection = Connection::open_with_flags(path, flags)
            .with_context(|| format!("cannot open {name}"))?;
        connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
            .with_context(|| format!("{name} is no database of SQLite"))?;
        text2sql_sqlite::register(&connection)?;
        for (setting, value) in settings {
            let set = "SELECT text2sql_config(?1, ?2)";
            connection
                .query_row(set, [setting, value], |_| Ok(()))
                .with_context(|| format!("--set {setting}"))?;
        }
        let interrupt = connection.get_interrupt_handle();
        Ok(Self { connection: Arc::new(Mutex::new(connection)), interrupt })
    }

    /// Do `work` on the connection, in a thread of its own. A cancelled token interrupts it.
    async fn work<T: Send + 'static>(
        &self,
        cancelled: CancellationToken,
        work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (connection, token) = (Arc::clone(&self.connection), cancelled.clone());
        let mut task = tokio::task::spawn_blocking(move || {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            if token.is_cancelled() {
                return Err(Failure::new("cancelled"));
            }
            work(&connection)
        });
        let done = tokio::select! {
            done = &mut task => done,
            () = cancelled.cancelled() => {
                // only the call that holds the connection is running
                self.interrupt.interrupt();
                task.await
            }
        };
        done.unwrap_or_else(|error| Err(Failure::new(error.to_string())))
    }
}

impl Backend for Sqlite {
    fn system(&self) -> &'static str {
        "SQLite"
    }

    fn call<'a>(
        &'a self,
        tool: &'static Tool,
        arguments: Vec<Option<Argument>>,
        cancelled: CancellationToken,
    ) -> Pending<'a, Value> {
        Box::pin(self.work(cancelled, move |connection| run(connection, tool, arguments)))
    }

    fn tables(&self) -> Pending<'_, Value> {
        // the guard decides what may be asked about
        let sql = "SELECT name AS \"table\" FROM main.sqlite_schema \
                   WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                   AND (SELECT ok FROM text2sql_check( \
                       'SELECT 1 FROM \"' || replace(name, '\"', '\"\"') || '\"')) \
                   ORDER BY name LIMIT 1000";
        let listed =
            move |connection: &Connection| Ok(Value::Array(rows(connection, sql, Vec::new())?));
        Box::pin(self.work(CancellationToken::new(), listed))
    }

    fn glossary(&self) -> Pending<'_, Value> {
        self.read("text2sql_glossary", "SELECT * FROM main.text2sql_glossary ORDER BY term")
    }

    fn verified_questions(&self) -> Pending<'_, Value> {
        let sql = "SELECT question, sql FROM main.text2sql_verified_question";
        self.read("text2sql_verified_question", sql)
    }
}

impl Sqlite {
    /// The rows of a table of the file, none where there is no such table.
    fn read(&self, table: &'static str, sql: &'static str) -> Pending<'_, Value> {
        Box::pin(self.work(CancellationToken::new(), move |connection| {
            let known = connection.table_exists(Some("main"), table).map_err(|e| failure(&e))?;
            Ok(Value::Array(if known { rows(connection, sql, Vec::new())? } else { Vec::new() }))
        }))
    }
}

fn run(
    connection: &Connection,
    tool: &'static Tool,
    arguments: Vec<Option<Argument>>,
) -> Result<Value, Failure> {
    match tool.sqlite {
        Call::Answer { execute } => answer(connection, tool, arguments, execute),
        Call::Scalar(name) if tool.parameters[0].name == "question" => {
            scalar(connection, name, question(tool, arguments))
        }
        Call::Scalar(name) => scalar(connection, name, positional(arguments)),
        Call::Rows(name) => {
            let (sql, values) = call("*", name, positional(arguments));
            Ok(json!({ "rows": rows(connection, &sql, values)? }))
        }
        Call::Objects(name) => objects(connection, name, positional(arguments)),
    }
}

/// The SQL of an answer, then the rows of that SQL, so that a model is asked once.
fn answer(
    connection: &Connection,
    tool: &'static Tool,
    arguments: Vec<Option<Argument>>,
    execute: bool,
) -> Result<Value, Failure> {
    let sql = scalar(connection, "text2sql", question(tool, arguments))?;
    let mut answer = Map::from_iter([("sql".to_owned(), sql.clone())]);
    let notices = rows(connection, "SELECT notice FROM text2sql_notices", Vec::new())?;
    if let (true, Some(sql)) = (execute, sql.as_str()) {
        let Value::Object(found) =
            objects(connection, "text2sql_run", vec![sql.to_owned().into()])?
        else {
            return Err(Failure::new("there are no rows"));
        };
        answer.extend(found);
    }
    if !notices.is_empty() {
        let lines = notices.iter().map(|row| row["notice"].clone()).collect();
        answer.insert("notices".to_owned(), Value::Array(lines));
    }
    Ok(Value::Object(answer))
}

/// A question and its options as the functions take them.
fn question(tool: &'static Tool, arguments: Vec<Option<Argument>>) -> Vec<Sql> {
    let mut named = tool.parameters.iter().zip(arguments).filter_map(|(p, a)| Some((p.name, a?)));
    let question = named.next().map_or(Sql::Null, |(_, argument)| value(argument));
    let options: Map<String, Value> =
        named.map(|(name, argument)| (name.to_owned(), as_json(argument))).collect();
    vec![question, Value::Object(options).to_string().into()]
}

/// Arguments by position, up to the last that is given.
fn positional(mut arguments: Vec<Option<Argument>>) -> Vec<Sql> {
    while arguments.last().is_some_and(Option::is_none) {
        arguments.pop();
    }
    arguments.into_iter().map(|argument| argument.map_or(Sql::Null, value)).collect()
}

fn as_json(argument: Argument) -> Value {
    match argument {
        Argument::Text(text) => text.into(),
        Argument::Names(names) => names.into(),
        Argument::Integer(number) => number.into(),
    }
}

fn value(argument: Argument) -> Sql {
    match argument {
        Argument::Text(text) => text.into(),
        Argument::Names(names) => json!(names).to_string().into(),
        Argument::Integer(number) => i64::from(number).into(),
    }
}

fn call(columns: &str, function: &str, values: Vec<Sql>) -> (String, Vec<Sql>) {
    let places: Vec<String> = (1..=values.len()).map(|place| format!("?{place}")).collect();
    (format!("SELECT {columns} FROM {function}({})", places.join(", ")), values)
}

fn scalar(connection: &Connection, function: &str, values: Vec<Sql>) -> Result<Value, Failure> {
    let places: Vec<String> = (1..=values.len()).map(|place| format!("?{place}")).collect();
    let sql = format!("SELECT {function}({})", places.join(", "));
    let text: Option<String> = connection
        .query_row(&sql, params_from_iter(values), |row| row.get(0))
        .map_err(|error| failure(&error))?;
    let text = text.unwrap_or_default();
    // a report is JSON, SQL and sentences are text
    Ok(match text.starts_with('{') {
        true => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        false => Value::String(text),
    })
}

/// Rows of one column with a JSON object each. Those before a limit was reached are returned, with its message.
fn objects(connection: &Connection, function: &str, values: Vec<Sql>) -> Result<Value, Failure> {
    let (sql, values) = call("*", function, values);
    let mut statement = connection.prepare(&sql).map_err(|error| failure(&error))?;
    let mut found = statement.query(params_from_iter(values)).map_err(|error| failure(&error))?;
    let mut rows = Vec::new();
    loop {
        match found.next() {
            Ok(Some(row)) => {
                let text: String = row.get(0).map_err(|error| failure(&error))?;
                rows.push(serde_json::from_str(&text).unwrap_or(Value::String(text)));
            }
            Ok(None) => return Ok(json!({ "rows": rows })),
            Err(error) if !rows.is_empty() => {
                return Ok(json!({ "rows": rows, "truncated": failure(&error).text() }));
            }
            Err(error) => return Err(failure(&error)),
        }
    }
}

fn rows(connection: &Connection, sql: &str, values: Vec<Sql>) -> Result<Vec<Value>, Failure> {
    let mut statement = connection.prepare(sql).map_err(|error| failure(&error))?;
    let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let object = |row: &Row<'_>| {
        let field = |(at, name): (usize, &String)| Ok((name.clone(), cell(row.get_ref(at)?)));
        names.iter().enumerate().map(field).collect::<rusqlite::Result<Map<_, _>>>()
    };
    let found = statement.query_map(params_from_iter(values), object).map_err(|e| failure(&e))?;
    found.map(|row| row.map(Value::Object).map_err(|error| failure(&error))).collect()
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => json!({ "bytes": bytes.len() }),
    }
}

/// The parts of an error's text: the message, then the lines `DETAIL:` and `HINT:`.
fn failure(error: &rusqlite::Error) -> Failure {
    let text = match error {
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        other => other.to_string(),
    };
    let mut failure = Failure::default();
    let mut part = &mut failure.message;
    for line in text.lines() {
        let line = if let Some(rest) = line.strip_prefix("DETAIL:") {
            part = failure.detail.insert(String::new());
            rest.trim_start()
        } else if let Some(rest) = line.strip_prefix("HINT:") {
            part = failure.hint.insert(String::new());
            rest.trim_start()
        } else {
            line
        };
        if !part.is_empty() {
            part.push('\n');
        }
        part.push_str(line);
    }
    failure
}
