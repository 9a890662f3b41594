//! The table-valued functions: one virtual table implementation over a table of functions.
//!
//! A function's parameters are hidden columns after its own: SQLite turns
//! `SELECT value FROM ask('…')` into an equality on the first of them.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::{Value, ValueRef};
use rusqlite::vtab::{
    Context, Filters, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection,
    VTabCursor,
};
use rusqlite::{Connection, Result, ffi};
use serde_json::json;
use text2sql_engine::answer::Rows;
use text2sql_engine::ask;
use text2sql_engine::catalog::{Catalog, ColumnId, TableId};
use text2sql_engine::error::Error;
use text2sql_engine::guard;
use text2sql_engine::ports::{Database, ValueQuery};

use super::guarded;
use super::host::{Call, Host, report};

/// Candidates that the searches return where the call does not say how many.
const DEFAULT_K: usize = 10;

/// The rows of a result.
type Values = Vec<Vec<Value>>;

/// A table-valued function.
struct Function {
    name: &'static CStr,
    columns: &'static [&'static str],
    parameters: &'static [&'static str],
    /// How many leading parameters must be given.
    required: usize,
    rows: fn(Call<'_>, &Arguments) -> Result<Values, Error>,
}

const FUNCTIONS: &[Function] = &[
    Function {
        name: c"ask",
        columns: &["value"],
        parameters: &["question", "options"],
        required: 1,
        rows: ask,
    },
    Function {
        name: c"text2sql_search_columns",
        columns: &["table_name", "column_name", "type", "description", "statistics", "score"],
        parameters: &["phrase", "k"],
        required: 1,
        rows: search_columns,
    },
    Function {
        name: c"text2sql_search_values",
        columns: &["value", "table_name", "column_name", "score"],
        parameters: &["phrase", "tables", "k"],
        required: 1,
        rows: search_values,
    },
    Function {
        name: c"text2sql_join_path",
        columns: &["path", "step", "condition", "kind"],
        parameters: &["start", "\"end\""],
        required: 2,
        rows: join_path,
    },
    Function {
        name: c"text2sql_run",
        columns: &["value"],
        parameters: &["sql"],
        required: 1,
        rows: run,
    },
    Function {
        name: c"text2sql_check",
        columns: &["ok", "sqlstate", "reason", "tables", "columns"],
        parameters: &["sql"],
        required: 1,
        rows: check,
    },
    Function {
        name: c"text2sql_settings",
        columns: &["name", "value", "source", "description"],
        parameters: &[],
        required: 0,
        rows: settings,
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
        crate::execute::text_of(ValueRef::from(value))
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

fn ask(call: Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(question) = arguments.text(0) else { return Ok(Vec::new()) };
    let options = arguments.text(1);
    let (_, rows) =
        call.engine(&question, options.as_deref(), |_, engine, q| ask::ask(engine, q))?;
    Ok(json_rows(&rows))
}

fn json_rows(rows: &Rows) -> Values {
    (0..rows.rows.len()).map(|i| vec![Value::Text(rows.json(i))]).collect()
}

fn search_columns(call: Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(phrase) = arguments.text(0) else { return Ok(Vec::new()) };
    let catalog = call.database.catalog()?;
    let found = catalog.lexical().columns(&catalog, &phrase, arguments.count(1)?);
    let mut rows = Vec::with_capacity(found.len());
    for hit in found {
        let (id, column) = (hit.item, catalog.column(hit.item));
        let known = call.database.statistics(id.table)?;
        let known = &known.columns[id.column as usize];
        let common: Vec<&str> = known.common.iter().take(10).map(|(v, _)| v.as_str()).collect();
        let statistics = json!({
            "distinct": known.distinct, "null_share": known.null_share,
            "min": known.min, "max": known.max, "common": common,
        });
        rows.push(vec![
            text(catalog.table_label(id.table)),
            text(column.name.clone()),
            text(column.data_type.clone()),
            column.comment.clone().map_or(Value::Null, Value::Text),
            text(statistics.to_string()),
            Value::Real(f64::from(hit.score)),
        ]);
    }
    Ok(rows)
}

fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

fn search_values(call: Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(phrase) = arguments.text(0) else { return Ok(Vec::new()) };
    let catalog = call.database.catalog()?;
    let columns: Vec<ColumnId> = match arguments.names(1) {
        None => Vec::new(),
        Some(names) => {
            let tables = names.iter().map(|name| place(&catalog, name));
            let tables = tables.collect::<Result<Vec<_>, _>>()?;
            tables.into_iter().flat_map(|t| catalog.column_ids(t)).collect()
        }
    };
    let query = ValueQuery {
        phrases: &[phrase],
        columns: &columns,
        limit: arguments.count(2)?,
        fuzzy: true,
        budget: call.settings()?.probe_timeout.max(Duration::from_millis(1)),
    };
    let hits = call.database.find_values(&query)?;
    let row = |hit: text2sql_engine::ports::ValueHit| {
        vec![
            text(hit.value),
            text(catalog.table_label(hit.column.table)),
            text(catalog.column(hit.column).name.clone()),
            Value::Real(f64::from(hit.similarity)),
        ]
    };
    Ok(hits.into_iter().map(row).collect())
}

/// The table that `table`, `schema.table`, `table.column` or `schema.table.column` is or is in.
fn place(catalog: &Catalog, name: &str) -> Result<TableId, Error> {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let is = |id: &TableId| {
        let (label, table) = (catalog.table_label(*id), catalog.table(*id));
        let whole = format!("{}.{}", table.schema, table.name);
        let column = |c: &text2sql_engine::catalog::Column| {
            same(name, &format!("{label}.{}", c.name)) || same(name, &format!("{whole}.{}", c.name))
        };
        same(name, &label) || same(name, &whole) || table.columns.iter().any(column)
    };
    catalog.table_ids().find(is).ok_or_else(|| Error::UnknownName {
        what: "table",
        given: name.to_owned(),
        known: catalog.table_ids().take(50).map(|t| catalog.table_label(t)).collect(),
    })
}

fn join_path(call: Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    /// Shortest paths told; more than one is a tie.
    const PATHS: usize = 5;
    let (Some(start), Some(end)) = (arguments.names(0), arguments.names(1)) else {
        return Ok(Vec::new());
    };
    let catalog = call.database.catalog()?;
    let places = |names: &[String]| -> Result<Vec<TableId>, Error> {
        names.iter().map(|name| place(&catalog, name)).collect()
    };
    let (start, end) = (places(&start)?, places(&end)?);
    let paths = match (&start[..], &end[..]) {
        (&[from], &[to]) => catalog.joins().shortest_paths(from, to, PATHS),
        _ => {
            let terminals = start.into_iter().chain(end).collect();
            catalog.joins().steiner_tree(&terminals).into_iter().map(|tree| tree.keys).collect()
        }
    };
    let mut rows = Vec::new();
    for (p, path) in paths.iter().enumerate() {
        for (s, &key) in path.iter().enumerate() {
            let key = &catalog.keys[key];
            let equal =
                |(a, b)| format!("{} = {}", catalog.column_label(a), catalog.column_label(b));
            let condition: Vec<String> = key.column_pairs().map(equal).collect();
            let kind = serde_json::to_value(key.kind).unwrap_or_default();
            rows.push(vec![
                Value::Integer(p as i64 + 1),
                Value::Integer(s as i64 + 1),
                text(condition.join(" AND ")),
                text(kind.as_str().unwrap_or_default()),
            ]);
        }
    }
    Ok(rows)
}

fn run(call: Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(sql) = arguments.text(0) else { return Ok(Vec::new()) };
    call.database.catalog()?;
    let query = guard::check(&call.database, None, &sql)?;
    let rows = call.database.run(&query, &call.settings()?.answer_limits())?;
    Ok(json_rows(&rows))
}

fn check(call: Call<'_>, arguments: &Arguments) -> Result<Values, Error> {
    let Some(sql) = arguments.text(0) else { return Ok(Vec::new()) };
    let catalog = call.database.catalog()?;
    let row = match guard::check(&call.database, None, &sql) {
        Ok(query) => {
            let verdict = query.verdict();
            let tables: Vec<_> = verdict.tables.iter().map(|&t| catalog.table_label(t)).collect();
            let columns: Vec<_> =
                verdict.columns.iter().map(|&c| catalog.column_label(c)).collect();
            let lists = [json!(tables), json!(columns)].map(|list| text(list.to_string()));
            let [tables, columns] = lists;
            vec![Value::Integer(1), Value::Null, Value::Null, tables, columns]
        }
        Err(error) => vec![
            Value::Integer(0),
            text(error.sqlstate),
            text(error.message),
            Value::Null,
            Value::Null,
        ],
    };
    Ok(vec![row])
}

fn settings(call: Call<'_>, _: &Arguments) -> Result<Values, Error> {
    let row = |row: super::config::Row| {
        let value = row.value.map_or(Value::Null, Value::Text);
        vec![text(row.name), value, text(row.source), text(row.doc)]
    };
    Ok(call.host.config().rows().into_iter().map(row).collect())
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
        let sql = format!("CREATE TABLE x({columns}{})", hidden.collect::<String>());
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
            if parameter < 0 || !equal {
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
        let (arguments, rows) = (Arguments(Vec::new()), Vec::new());
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
            (table.function.rows)(call, &self.arguments).map_err(|e| report(&e))
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
        let row = self.rows.get(self.at).map_or(&[][..], Vec::as_slice);
        let index = index as usize;
        let argument = || self.arguments.0.get(index.wrapping_sub(row.len()))?.as_ref();
        context.set_result(row.get(index).or_else(argument).unwrap_or(&Value::Null))
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.at as i64)
    }
}
