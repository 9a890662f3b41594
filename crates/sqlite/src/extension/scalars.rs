//! The scalar functions.

use std::sync::Arc;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};
use text2sql_engine::ask;

use super::host::{Call, Host, report};

type Function = fn(Call<'_>, &Context<'_>) -> Result<Option<String>>;

/// Name, numbers of arguments, and function.
const SCALARS: &[(&str, &[i32], Function)] = &[
    ("text2sql", &[1, 2], text2sql),
    ("text2sql_explain", &[1, 2], explain),
    ("text2sql_config", &[1, 2], config),
];

/// Make the functions known.
pub fn register(connection: &Connection, host: &Arc<Host>) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    for &(name, widths, function) in SCALARS {
        for &width in widths {
            let host = Arc::clone(host);
            connection.create_scalar_function(name, width, flags, move |context| {
                // SAFETY: SQLite calls with the connection that runs the statement; the handle is
                // used during this call only.
                let call = unsafe { host.call(context.get_connection()?.handle()) }?;
                function(call, context)
            })?;
        }
    }
    Ok(())
}

/// An argument as text; None for NULL or where it is left out.
fn argument(context: &Context<'_>, index: usize) -> Result<Option<String>> {
    if index >= context.len() {
        return Ok(None);
    }
    match context.get_raw(index) {
        ValueRef::Null => Ok(None),
        ValueRef::Text(text) => String::from_utf8(text.to_vec())
            .map(Some)
            .map_err(|_| super::user("text2sql: an argument is not valid UTF-8")),
        _ => context
            .get::<rusqlite::types::Value>(index)
            .map(|v| crate::execute::text_of(ValueRef::from(&v))),
    }
}

/// `text2sql(question [, options])`: the SQL.
fn text2sql(call: Call<'_>, context: &Context<'_>) -> Result<Option<String>> {
    let Some(question) = argument(context, 0)? else { return Ok(None) };
    let options = argument(context, 1)?;
    let answer =
        call.engine(&question, options.as_deref(), ask::text2sql).map_err(|e| report(&e))?;
    Ok(Some(answer.query.sql().to_owned()))
}

/// `text2sql_explain(question [, options])`: the report as JSON.
fn explain(call: Call<'_>, context: &Context<'_>) -> Result<Option<String>> {
    let Some(question) = argument(context, 0)? else { return Ok(None) };
    let options = argument(context, 1)?;
    let report_ =
        call.engine(&question, options.as_deref(), ask::explain).map_err(|e| report(&e))?;
    serde_json::to_string_pretty(&report_).map(Some).map_err(|e| super::user(e.to_string()))
}

/// `text2sql_config(name)`: the value in force. `text2sql_config(name, value)`: set it for this
/// connection and return it; NULL takes it back.
fn config(call: Call<'_>, context: &Context<'_>) -> Result<Option<String>> {
    let Some(name) = argument(context, 0)? else { return Ok(None) };
    let mut config = call.host.config();
    if context.len() > 1 {
        config.set(&name, argument(context, 1)?).map_err(|e| report(&e))?;
    }
    config.get(&name).map_err(|e| report(&e))
}
