//! `CREATE VIRTUAL TABLE temp.x USING ask_table('question' [, 'options'])`: the answer as a table
//! with the columns of the generated query, run anew at each scan.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::vtab::{
    Context, CreateVTab, Filters, IndexInfo, Module, VTab, VTabConnection, VTabCursor, VTabKind,
};
use rusqlite::{Connection, Result, ffi};
use text2sql_engine::ask;
use text2sql_engine::dialect::Dialect;
use text2sql_engine::error::Error;
use text2sql_engine::guard;
use text2sql_engine::ports::Database;

use super::host::{Call, Host, report};
use super::{guarded, user};

/// Make the module known.
pub fn register(connection: &Connection, host: &Arc<Host>) -> Result<()> {
    const MODULE: Module<'_, AskTable> = Module::read_only_module();
    connection.create_module(c"ask_table", &MODULE, Some(Arc::clone(host)))
}

#[repr(C)]
struct AskTable {
    base: ffi::sqlite3_vtab,
    host: Arc<Host>,
    db: *mut ffi::sqlite3,
    sql: String,
}

/// The text of an argument, which SQLite passes as it stands in the statement.
fn argument(raw: &[u8]) -> Result<String> {
    let text = std::str::from_utf8(raw).map_err(|e| user(e.to_string()))?.trim();
    let inner = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
    inner.map(|t| t.replace("''", "'")).ok_or_else(|| {
        user(format!(
            "text2sql: the argument {text} is not a string\n\
             HINT: CREATE VIRTUAL TABLE temp.answer USING ask_table('…');"
        ))
    })
}

/// SQL that answers `arguments`: asked once, known afterwards.
fn answer(call: Call<'_>, host: &Host, arguments: &[String]) -> Result<String, Error> {
    let key = arguments.join("\0");
    if let Some(sql) = host.asked().get(&key) {
        return Ok(sql.clone());
    }
    let question = arguments.first().map_or("", String::as_str);
    let options = arguments.get(1).map(String::as_str);
    let answer = call.engine(question, options, ask::text2sql)?;
    let sql = answer.query.sql().to_owned();
    host.asked().insert(key, sql.clone());
    Ok(sql)
}

/// The declaration of a table with the query's columns; a repeated name gets `:1`, `:2`, ….
fn declaration(columns: &[(String, String)]) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut names: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    for (column, declared) in columns {
        let (mut name, mut repeated) = (column.clone(), 0);
        while names.iter().any(|n| n.eq_ignore_ascii_case(&name)) {
            repeated += 1;
            name = format!("{column}:{repeated}");
        }
        // a quoted type has the affinity of its text and no further syntax
        let declared =
            if declared.is_empty() { String::new() } else { format!(" {}", quoted(declared)) };
        parts.push(format!("{}{declared}", quoted(&name)));
        names.push(name);
    }
    format!("CREATE TABLE x({})", parts.join(", "))
}

// SAFETY: repr(C) with the base first.
unsafe impl<'v> VTab<'v> for AskTable {
    type Aux = Arc<Host>;
    type Cursor = Cursor<'v>;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&Self::Aux>,
        _module: &[u8],
        database: &[u8],
        table: &[u8],
        arguments: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        guarded(|| {
            let host = Arc::clone(aux.ok_or_else(|| user("no host"))?);
            if database != b"temp" {
                // stored in a file it would be asked anew by everyone who opens the file
                let name = Dialect::Sqlite.identifier(&String::from_utf8_lossy(table));
                return Err(user(format!(
                    "text2sql: ask_table makes temporary tables only\n\
                     HINT: CREATE VIRTUAL TABLE temp.{name} USING ask_table('…');"
                )));
            }
            let arguments: Vec<String> =
                arguments.iter().map(|raw| argument(raw)).collect::<Result<_>>()?;
            // SAFETY: the handle outlives the virtual table, which belongs to it.
            let db = unsafe { db.handle() };
            // SAFETY: the connection is open and runs the statement that made this call.
            let sql =
                answer(unsafe { host.call(db) }?, &host, &arguments).map_err(|e| report(&e))?;
            // SAFETY: as above.
            let call = unsafe { host.call(db) }?;
            let columns = call.database.columns_of(&sql).map_err(|e| report(&Error::Query(e)))?;
            let declared = CString::new(declaration(&columns)).map_err(|e| user(e.to_string()))?;
            let base = ffi::sqlite3_vtab::default();
            Ok((Cow::Owned(declared), Self { base, host, db, sql }))
        })
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        info.set_estimated_cost(1e6);
        Ok(true)
    }

    fn open(&'v mut self) -> Result<Cursor<'v>> {
        let base = ffi::sqlite3_vtab_cursor::default();
        Ok(Cursor { base, table: self, rows: Vec::new(), at: 0, lifetime: PhantomData })
    }
}

impl CreateVTab<'_> for AskTable {
    const KIND: VTabKind = VTabKind::Default;
}

#[repr(C)]
struct Cursor<'v> {
    base: ffi::sqlite3_vtab_cursor,
    table: *const AskTable,
    rows: Vec<Vec<Value>>,
    at: usize,
    lifetime: PhantomData<&'v AskTable>,
}

/// Run the table's query through the guard, as it is now.
fn rows(call: &Call<'_>, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
    call.database.catalog()?;
    let query = guard::check(&call.database, None, sql)?;
    Ok(call.database.fetch(&query, &call.settings()?.answer_limits())?.rows)
}

// SAFETY: repr(C) with the base first.
unsafe impl VTabCursor for Cursor<'_> {
    fn filter(&mut self, _: c_int, _: Option<&str>, _: &Filters<'_>) -> Result<()> {
        // SAFETY: SQLite closes a table's cursors before the table.
        let table = unsafe { &*self.table };
        self.at = 0;
        self.rows = guarded(|| {
            // SAFETY: the table's connection is open and runs this statement.
            let call = unsafe { table.host.call(table.db) }?;
            rows(&call, &table.sql).map_err(|e| report(&e))
        })?;
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.rows.len()
    }

    fn column(&self, context: &mut Context, index: c_int) -> Result<()> {
        let value = self.rows.get(self.at).and_then(|row| row.get(index as usize));
        context.set_result(value.unwrap_or(&Value::Null))
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.at as i64)
    }
}
