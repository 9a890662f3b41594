//! The table-valued functions: one virtual table implementation over a table of functions.
//!
//! A function's parameters are hidden columns after its own: SQLite turns
//! `SELECT value FROM ask('…')` into an equality on the first of them.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::sync::Arc;

use rusqlite::types::{Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor,
};
use rusqlite::{Connection, Result, ffi};
use serde_json::json;
use text2sql_engine::ask;
use text2sql_engine::chat::Message;
use text2sql_engine::conversation::Turn;
use text2sql_engine::dialect::Dialect;
use text2sql_engine::engine::Engine;
use text2sql_engine::error::Error;
use text2sql_engine::guard::draft::titled;
use text2sql_engine::guard::{self, Checked};
use text2sql_engine::ports::Database;
use text2sql_engine::rows::distinct;
use text2sql_engine::scope::Scope;
use text2sql_engine::settings::{Limits, Settings};
use text2sql_engine::tools::{FoundColumn, FoundPath, FoundValue};

use super::host::{Call, Host, report};
use super::{guarded, json};
use crate::execute::Table;
use crate::ledger::Dated;

/// Candidates that the searches return where the call does not say how many.
const DEFAULT_K: usize = 10;

/// The rows of a result.
#[derive(Default)]
struct Values {
    rows: Vec<Vec<Value>>,
    /// The rows are the first of more: the error in which reading on ends.
    cut: Option<String>,
}

impl FromIterator<Vec<Value>> for Values {
    fn from_iter<I: IntoIterator<Item = Vec<Value>>>(rows: I) -> Self {
        Self { rows: rows.into_iter().collect(), cut: None }
    }
}

/// A table-valued function.
struct Function {
    name: &'static CStr,
    columns: &'static [&'static str],
    parameters: &'static [&'static str],
    /// How many leading parameters must be given.
    required: usize,
    /// What its first column was called once: a hidden column after the parameters. To go with
    /// the version after the first.
    formerly: Option<&'static str>,
    rows: fn(&Call<'_>, &Arguments) -> Result<Values, Error>,
}

const FUNCTIONS: &[Function] = &[
    Function {
        name: c"ask",
        columns: &["ask"],
        parameters: &["question", "options"],
        required: 1,
        formerly: Some("value"),
        rows: ask,
    },
    Function {
        name: c"text2sql_search_columns",
        columns: &["table_name", "column_name", "data_type", "description", "statistics", "score"],
        parameters: &["phrase", "k"],
        required: 1,
        formerly: None,
        rows: search_columns,
    },
    Function {
        name: c"text2sql_search_values",
        columns: &["value", "table_name", "column_name", "score"],
        parameters: &["phrase", "tables", "k"],
        required: 1,
        formerly: None,
        rows: search_values,
    },
    Function {
        name: c"text2sql_join_path",
        columns: &[
            "start_column",
            "end_column",
            "alternative",
            "tables",
            "conditions",
            "keys",
            "weight",
            "inferred",
        ],
        parameters: &["start", "\"end\""],
        required: 2,
        formerly: None,
        rows: join_path,
    },
    Function {
        name: c"text2sql_run",
        columns: &["run"],
        parameters: &["sql"],
        required: 1,
        formerly: Some("value"),
        rows: run,
    },
    Function {
        name: c"text2sql_check",
        columns: &["ok", "sqlstate", "reason", "tables", "columns"],
        parameters: &["sql"],
        required: 1,
        formerly: None,
        rows: check,
    },
    Function {
        name: c"text2sql_preview",
        columns: &["step", "role", "content"],
        parameters: &["question", "options"],
        required: 1,
        formerly: None,
        rows: preview,
    },
    Function {
        name: c"text2sql_conversation",
        columns: &["turn", "question", "read_as", "sql", "columns", "strategy"],
        parameters: &[],
        required: 0,
        formerly: None,
        rows: conversation,
    },
    Function {
        name: c"text2sql_ledger",
        columns: &["at", "model", "step", "requests", "bytes", "names", "comments", "\"values\""],
        parameters: &[],
        required: 0,
        formerly: None,
        rows: ledger,
    },
    Function {
        name: c"text2sql_summarize_tables",
        columns: &["table_name", "summary"],
        parameters: &["tables"],
        required: 0,
        formerly: None,
        rows: summarize_tables,
    },
    Function {
        name: c"text2sql_settings",
        columns: &["name", "value", "source", "description"],
        parameters: &[],
        required: 0,
        formerly: None,
        rows: settings,
    },
    Function {
        name: c"text2sql_notices",
        columns: &["notice"],
        parameters: &[],
        required: 0,
        formerly: None,
        rows: notices,
    },
];

/// Make the functions known.
pub fn register(connection: &Connection, host: &Arc<Host>) -> Result<()> {
    const MODULE: Module<'_, FunctionTable> = Module::eponymous_only_module();
    for function in FUNCTIONS {
        let aux = (function, Arc::clone(host));
        connection.create_module(function.name, &MODULE, Some(aux))?;
    }
    Ok(())
}

/// The arguments of a call; None for NULL and what was left out.
pub struct Arguments(Vec<Option<Value>>);

impl Arguments {
    fn text(&self, index: usize) -> Option<String> {
        let value = self.0.get(index)?.as_ref()?;
        crate::text::text_of(ValueRef::from(value))
    }

    /// Names given as one text or as a JSON array of them.
    fn names(&self, index: usize) -> Option<Vec<String>> {
        let text = self.text(index)?;
        Some(serde_json::from_str(&text).unwrap_or_else(|_| vec![text]))
    }

    fn count(&self, index: usize) -> Result<usize, Error> {
        match self.text(index) {
            None => Ok(DEFAULT_K),
            Some(text) => text.parse().map_err(|_| Error::InvalidArgument {
                message: format!("k is \"{text}\""),
                hint: "It takes a whole number from 0.".to_owned(),
            }),
        }
    }
}

fn ask(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(question) = arguments.text(0) else { return Ok(Values::default()) };
    let options = arguments.text(1);
    call.engine(&question, options.as_deref(), |engine, question| {
        let fetch = |query: &Checked, limits: &Limits| call.database.fetch(query, limits);
        let (answer, table) = ask::ask(engine, question, fetch)?;
        Ok(json_rows(call, &answer.query, &table, engine.settings))
    })
}

/// Rows for the user.
fn json_rows(call: &Call<'_>, query: &Checked, table: &Table, settings: &Settings) -> Values {
    let names = table.columns.iter().map(|column| column.name.clone()).collect();
    let names = distinct(titled(Dialect::Sqlite, query.sql(), names).iter().map(String::as_str));
    let rows: Values = table.rows.iter().map(|row| vec![text(json::row(&names, row))]).collect();
    Values { cut: call.cut(table, settings), ..rows }
}

fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

/// Texts as a JSON array.
fn list(texts: &[String]) -> Value {
    text(json!(texts).to_string())
}

fn search_columns(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(phrase) = arguments.text(0) else { return Ok(Values::default()) };
    let k = arguments.count(1)?;
    let found = call.tools(|tools| tools.search_columns(&phrase, k))?;
    let row = |c: FoundColumn| {
        vec![
            text(c.table),
            text(c.column),
            text(c.data_type),
            c.description.map_or(Value::Null, Value::Text),
            text(c.statistics),
            Value::Real(f64::from(c.score)),
        ]
    };
    Ok(found.into_iter().map(row).collect())
}

fn search_values(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(value) = arguments.text(0) else { return Ok(Values::default()) };
    let (tables, k) = (arguments.names(1).unwrap_or_default(), arguments.count(2)?);
    let found = call.tools(|tools| tools.search_values(&value, &tables, &[], k))?;
    let row = |v: FoundValue| {
        vec![text(v.value), text(v.table), text(v.column), Value::Real(f64::from(v.score))]
    };
    Ok(found.into_iter().map(row).collect())
}

fn join_path(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let (Some(start), Some(end)) = (arguments.names(0), arguments.names(1)) else {
        return Ok(Values::default());
    };
    let paths = call.tools(|tools| tools.join_path(&start, &end))?;
    let row = |p: FoundPath| {
        let (tables, conditions, keys) = (list(&p.tables), list(&p.conditions), list(&p.keys));
        let alternative = Value::Integer(p.alternative as i64);
        let inferred = Value::Integer(p.inferred.into());
        let weight = Value::Real(p.weight.into());
        vec![text(p.start), text(p.end), alternative, tables, conditions, keys, weight, inferred]
    };
    Ok(paths.into_iter().filter(|p| !p.unconnected).map(row).collect())
}

fn run(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(sql) = arguments.text(0) else { return Ok(Values::default()) };
    call.engine("", None, |engine, _| {
        engine.database.catalog()?;
        let query = guard::check(engine.database, Some(&scope(engine)?), &sql)?;
        let table = call.database.fetch(&query, &engine.settings.answer_limits())?;
        Ok(json_rows(call, &query, &table, engine.settings))
    })
}

/// The tables that the settings leave to queries.
fn scope(engine: &Engine<'_>) -> Result<Scope, Error> {
    Scope::new(&*engine.database.catalog()?, &engine.settings.schemas, None)
}

fn preview(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(question) = arguments.text(0) else { return Ok(Values::default()) };
    let options = arguments.text(1);
    let requests = call.engine(&question, options.as_deref(), ask::preview)?;
    let row = |step: &str, message: Message| {
        let role = json!(message.role);
        vec![text(step), text(role.as_str().unwrap_or_default()), text(message.content)]
    };
    let rows = requests.into_iter().flat_map(|request| {
        let messages = request.messages.into_iter();
        messages.map(|message| row(&request.step, message)).collect::<Vec<_>>()
    });
    Ok(rows.collect())
}

fn conversation(call: &Call<'_>, _: &Arguments) -> Result<Values, Error> {
    let row = |(place, turn): (i64, Turn)| {
        let read_as = turn.reading.map_or(Value::Null, |reading| text(reading.carried));
        let (question, columns) = (text(turn.question), list(&turn.columns));
        vec![Value::Integer(place), question, read_as, text(turn.sql), columns, text(turn.strategy)]
    };
    Ok((1..).zip(call.database.turns()).map(row).collect())
}

fn ledger(call: &Call<'_>, _: &Arguments) -> Result<Values, Error> {
    let integer = |n: usize| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX));
    let row = |Dated { at, entry }: Dated| {
        let (names, comments) = (list(&entry.names), list(&entry.comments));
        let (requests, bytes) = (integer(entry.requests), integer(entry.bytes));
        let (model, step) = (text(entry.model), text(entry.step));
        vec![Value::Real(at), model, step, requests, bytes, names, comments, list(&entry.values)]
    };
    Ok(call.database.ledger().entries().into_iter().map(row).collect())
}

fn summarize_tables(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    call.database.keep_summaries()?;
    let tables = arguments.names(0);
    let (summaries, _) =
        call.engine("", None, |engine, _| ask::summarize_tables(engine, tables))?;
    Ok(summaries.into_iter().map(|(table, summary)| vec![text(table), text(summary)]).collect())
}

fn check(call: &Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(sql) = arguments.text(0) else { return Ok(Values::default()) };
    let catalog = call.database.catalog()?;
    let row = match guard::check(&call.database, None, &sql) {
        Ok(query) => {
            let verdict = query.verdict();
            let tables: Vec<_> = verdict.tables.iter().map(|&t| catalog.table_label(t)).collect();
            let columns: Vec<_> =
                verdict.columns.iter().map(|&c| catalog.column_label(c)).collect();
            vec![Value::Integer(1), Value::Null, Value::Null, list(&tables), list(&columns)]
        }
        Err(error) => vec![
            Value::Integer(0),
            text(error.sqlstate),
            text(error.message),
            Value::Null,
            Value::Null,
        ],
    };
    Ok(Values::from_iter([row]))
}

fn settings(call: &Call<'_>, _: &Arguments) -> Result<Values, Error> {
    let row = |row: super::config::Row| {
        let value = row.value.map_or(Value::Null, Value::Text);
        vec![text(row.name), value, text(row.source), text(row.doc)]
    };
    Ok(call.host.config().rows().into_iter().map(row).collect())
}

fn notices(call: &Call<'_>, _: &Arguments) -> Result<Values, Error> {
    Ok(call.database.handle().notices().into_iter().map(|notice| vec![text(notice)]).collect())
}

/// A function as SQLite's virtual table.
#[repr(C)]
struct FunctionTable {
    base: ffi::sqlite3_vtab,
    function: &'static Function,
    host: Arc<Host>,
    db: *mut ffi::sqlite3,
}

// SAFETY: repr(C) with the base first.
unsafe impl<'v> VTab<'v> for FunctionTable {
    type Aux = (&'static Function, Arc<Host>);
    type Cursor = Cursor<'v>;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&Self::Aux>,
        _module: &[u8],
        _database: &[u8],
        _table: &[u8],
        _arguments: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        let (function, host) = aux.ok_or_else(|| super::user("no function"))?;
        db.config(VTabConfig::DirectOnly)?;
        let hidden = function.parameters.iter().map(|p| format!(", {p} HIDDEN"));
        let columns = function.columns.join(", ");
        let alias = function.formerly.map(|name| format!(", {name} HIDDEN")).unwrap_or_default();
        let sql = format!("CREATE TABLE x({columns}{}{alias})", hidden.collect::<String>());
        let sql = CString::new(sql).map_err(|e| super::user(e.to_string()))?;
        // SAFETY: the handle outlives the virtual table, which belongs to it.
        let db = unsafe { db.handle() };
        let host = Arc::clone(host);
        let base = ffi::sqlite3_vtab::default();
        Ok((Cow::Owned(sql), Self { base, function, host, db }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let first = self.function.columns.len() as c_int;
        let mut given: Vec<(c_int, usize)> = Vec::new();
        for (i, constraint) in info.constraints().enumerate() {
            let parameter = constraint.column() - first;
            let equal = constraint.operator() == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ;
            if !(0..self.function.parameters.len() as c_int).contains(&parameter) || !equal {
                continue;
            }
            if !constraint.is_usable() {
                return Ok(false); // the argument comes from a table that must come first
            }
            given.push((parameter, i));
        }
        given.sort_unstable();
        given.dedup_by_key(|(parameter, _)| *parameter);
        let mut mask = 0;
        for (position, (parameter, constraint)) in given.into_iter().enumerate() {
            let mut usage = info.constraint_usage(constraint);
            usage.set_argv_index(position as c_int + 1);
            usage.set_omit(true);
            mask |= 1 << parameter;
        }
        info.set_idx_num(mask);
        info.set_estimated_cost(1e6);
        info.set_estimated_rows(100);
        Ok(true)
    }

    fn open(&'v mut self) -> Result<Cursor<'v>> {
        let (arguments, rows) = (Arguments(Vec::new()), Values::default());
        let base = ffi::sqlite3_vtab_cursor::default();
        Ok(Cursor { base, table: self, arguments, rows, at: 0, lifetime: PhantomData })
    }
}

#[repr(C)]
struct Cursor<'v> {
    base: ffi::sqlite3_vtab_cursor,
    table: *const FunctionTable,
    arguments: Arguments,
    rows: Values,
    at: usize,
    lifetime: PhantomData<&'v FunctionTable>,
}

// SAFETY: repr(C) with the base first.
unsafe impl VTabCursor for Cursor<'_> {
    fn filter(&mut self, mask: c_int, _: Option<&str>, values: &Filters<'_>) -> Result<()> {
        // SAFETY: SQLite closes a table's cursors before the table.
        let table = unsafe { &*self.table };
        let mut values = values.iter();
        let arguments = (0..table.function.parameters.len()).map(|parameter| {
            let given = if mask & (1 << parameter) != 0 { values.next() } else { None };
            given.map(Value::try_from).and_then(Result::ok).filter(|v| *v != Value::Null)
        });
        self.arguments = Arguments(arguments.collect());
        self.at = 0;
        let required = (1 << table.function.required) - 1;
        if mask & required != required {
            let name = table.function.name.to_string_lossy();
            let list = table.function.parameters.join(", ");
            return Err(super::user(format!("text2sql: {name}({list}) lacks an argument")));
        }
        self.rows = guarded(|| {
            // SAFETY: the table's connection is open and runs this statement.
            let call = unsafe { table.host.call(table.db) }?;
            (table.function.rows)(&call, &self.arguments).map_err(|e| report(&e))
        })?;
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        self.at += 1;
        match &self.rows.cut {
            Some(message) if self.eof() => Err(super::user(message.clone())),
            _ => Ok(()),
        }
    }

    fn eof(&self) -> bool {
        self.at >= self.rows.rows.len()
    }

    fn column(&self, context: &mut Context, index: c_int) -> Result<()> {
        let row = self.rows.rows.get(self.at).map_or(&[][..], Vec::as_slice);
        let parameters = row.len()..row.len() + self.arguments.0.len();
        let value = match index as usize {
            parameter if parameters.contains(&parameter) => {
                self.arguments.0[parameter - row.len()].as_ref()
            }
            // the first column by its former name
            index if index >= parameters.end => row.first(),
            index => row.get(index),
        };
        context.set_result(value.unwrap_or(&Value::Null))
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.at as i64)
    }
}
