//! Files that plant the library's own tables in every form, and calls of every function with
//! arguments that no honest user gives: nothing of the file runs when the user asks, and what the
//! library writes calls no function that the file names.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use text2sql_sqlite::register;

/// The library's tables with their columns.
const OWN: &[(&str, &str)] = &[
    ("text2sql_description", "table_name, column_name, description, values_withheld"),
    ("text2sql_verified_question", "key, question, sql"),
    ("text2sql_glossary", "term, meaning"),
    ("text2sql_summary", "table_name, fingerprint, summary"),
    ("text2sql_value_source", "id, table_name, column_name"),
    ("text2sql_value_entry", "id, source, key, value, place"),
    ("text2sql_value_change", "table_name, place"),
    ("text2sql_value", "key"),
    ("text2sql_settings", "name, value"),
    ("text2sql_notices", "notice"),
    ("ask", "ask"),
];

/// Statements by which the file makes each: `{t}` is its name, `{c}` its columns, `{1}` the first of them.
const FORMS: &[&str] = &[
    "CREATE TABLE {t}({c})",
    "CREATE TABLE {t}({c}, extra AS (spy({1})))",
    "CREATE TABLE {t}({c}, extra AS (spy({1})) STORED)",
    "CREATE TABLE {t}({c}, extra DEFAULT (spy('default')))",
    "CREATE TABLE {t}({c}, CHECK (spy({1}) OR 1))",
    "CREATE TABLE {t}({c}); CREATE INDEX i_{t} ON {t}(spy({1}))",
    "CREATE TABLE {t}({c}); CREATE INDEX i_{t} ON {t}({1}) WHERE spy({1})",
    "CREATE TABLE {t}({c}, PRIMARY KEY ({c})) WITHOUT ROWID",
    "CREATE TABLE {t}({any}) STRICT",
    "CREATE TABLE {t}({1}, other)",
    "CREATE TABLE {t}({generated})",
    "CREATE VIEW {t} AS SELECT {spied} FROM orders",
    "CREATE VIEW {t} AS SELECT *, text2sql('orders') AS {1} FROM ask('orders')",
    "CREATE VIRTUAL TABLE {t} USING fts5({c})",
    "CREATE VIEW v_{t} AS SELECT {spied} FROM orders;
     CREATE VIRTUAL TABLE {t} USING fts5({c}, content='v_{t}')",
    "CREATE TABLE {t}({c});
     CREATE TRIGGER i_{t} BEFORE INSERT ON {t} BEGIN SELECT spy(1); INSERT INTO harm VALUES (1); END;
     CREATE TRIGGER u_{t} AFTER UPDATE ON {t} BEGIN SELECT spy(1); INSERT INTO harm VALUES (1); END;
     CREATE TRIGGER d_{t} AFTER DELETE ON {t} BEGIN SELECT spy(1); INSERT INTO harm VALUES (1); END",
    "CREATE TABLE {t}({c});
     CREATE TRIGGER i_{t} AFTER INSERT ON {t} BEGIN SELECT text2sql('How many orders?'); END",
    "CREATE TABLE {t}({c} REFERENCES orders ON DELETE CASCADE)",
    "CREATE TABLE {t}({c} COLLATE nobodys)",
];

const ASKING: &[&str] = &[
    "SELECT text2sql('How many orders are there?')",
    "SELECT group_concat(ask) FROM ask('total per city')",
    "SELECT text2sql_explain('Which city has the most orders?', '{\"execute\": true}')",
    "SELECT group_concat(value) FROM text2sql_search_values('Paris')",
    "SELECT group_concat(column_name) FROM text2sql_search_columns('total')",
    "SELECT group_concat(content) FROM text2sql_preview('total per city')",
    "SELECT group_concat(run) FROM text2sql_run('SELECT * FROM orders')",
    "SELECT ok FROM text2sql_check('SELECT * FROM orders')",
    "SELECT ask_summary('How many orders are there?')",
    "SELECT ask_table('answer', 'How many orders are there?')",
    "SELECT group_concat(notice) FROM text2sql_notices()",
    "SELECT count(*) FROM text2sql_ledger(), text2sql_settings()",
];

const WRITING: &[&str] = &[
    "SELECT text2sql_comment('orders.total', 'Price')",
    "SELECT text2sql_comment_columns('orders', 'original_column_name,column_description\ntotal,x\n')",
    "SELECT text2sql_label('orders', 'city', 'no_values')",
    "SELECT text2sql_label('orders', 'values')",
    "SELECT text2sql_label('orders', NULL)",
    "SELECT text2sql_remember('How many?', 'SELECT count(*) FROM orders')",
    "SELECT text2sql_index_values('orders', 'follow')",
    "SELECT text2sql_index_values()",
    "SELECT text2sql_index_values('orders', 'unfollow')",
];

/// How often the function that schemas name was called.
fn add_spy(db: &Connection) -> Arc<AtomicUsize> {
    let calls = Arc::new(AtomicUsize::new(0));
    let (spied, flags) = (Arc::clone(&calls), FunctionFlags::SQLITE_DETERMINISTIC);
    let spy = move |_: &rusqlite::functions::Context<'_>| {
        spied.fetch_add(1, Ordering::Relaxed);
        Ok(1)
    };
    db.create_scalar_function("spy", 1, flags, spy).expect("a function of the host");
    calls
}

fn plant(folder: &Path, number: usize, form: &str) -> PathBuf {
    let path = folder.join(format!("{number}.db"));
    let db = Connection::open(&path).expect("a file");
    add_spy(&db);
    db.execute_batch(
        "CREATE TABLE orders(id INTEGER PRIMARY KEY, total REAL, city TEXT);
         INSERT INTO orders VALUES (1, 10.5, 'Paris'), (2, 4.5, 'Rome'); CREATE TABLE harm(x);",
    )
    .expect("the user's tables");
    for (name, columns) in OWN {
        let list: Vec<&str> = columns.split(", ").collect();
        let each =
            |form: &str| list.iter().map(|c| form.replace('?', c)).collect::<Vec<_>>().join(", ");
        let sql = form
            .replace("{t}", name)
            .replace("{c}", columns)
            .replace("{1}", list[0])
            .replace("{any}", &each("? ANY"))
            .replace("{generated}", &format!("base, {}", each("? AS (spy(base))")))
            .replace("{spied}", &each("spy(total) AS ?"));
        // not every form fits every table; what cannot be made harms nobody
        if db.execute_batch(&sql).is_ok() {
            let values = ["'orders'", "'how many orders are there'", "1", "x'ff00'", "NULL"];
            for value in values {
                let values = vec![value; list.len()].join(", ");
                db.execute_batch(&format!("INSERT INTO {name}({columns}) VALUES ({values})")).ok();
            }
        }
    }
    db.execute_batch("DELETE FROM harm").expect("it is empty");
    path
}

fn call(db: &Connection, sql: &str) -> Result<String, String> {
    let text = |row: &rusqlite::Row<'_>| row.get_ref(0).map(|value| format!("{value:?}"));
    let outcome = db.query_row(sql, [], text).map_err(|error| error.to_string());
    let message = outcome.as_ref().err().map(String::as_str).unwrap_or_default();
    assert!(!message.contains("internal error"), "{sql}: {message}");
    assert!(db.is_autocommit(), "{sql}");
    outcome
}

fn count(db: &Connection, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    db.query_row(&sql, [], |row| row.get(0)).expect("a count")
}

#[test]
fn no_form_of_the_own_tables_runs_when_the_user_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, form) in FORMS.iter().enumerate() {
        let path = plant(folder.path(), number, form);
        let before = std::fs::read(&path).expect("the file");
        for trust in ["", "main"] {
            let db = Connection::open(&path).expect("the file");
            let calls = add_spy(&db);
            register(&db).expect("the functions");
            let set = format!("SELECT text2sql_config('trust', '{trust}')");
            call(&db, &set).unwrap_or_else(|error| panic!("{form}: {error}"));
            for sql in ASKING {
                let outcome = call(&db, sql);
                assert_eq!(calls.load(Ordering::Relaxed), 0, "{form}: {sql}: {outcome:?}");
            }
            let answer = call(&db, "SELECT text2sql('How many orders are there?')");
            assert!(answer.is_ok() || !trust.is_empty(), "{form}: {answer:?}");
            assert_eq!((count(&db, "harm"), db.total_changes()), (0, 0), "{form}");
        }
        assert_eq!(std::fs::read(&path).expect("the file"), before, "{form}");
    }
}

#[test]
fn what_the_library_writes_calls_no_function_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, form) in FORMS.iter().enumerate() {
        let path = plant(folder.path(), number, form);
        let db = Connection::open(&path).expect("the file");
        let calls = add_spy(&db);
        register(&db).expect("the functions");
        let trust = ["", "all"][number % 2];
        call(&db, &format!("SELECT text2sql_config('trust', '{trust}')")).expect("trust");
        for sql in WRITING {
            let outcome = call(&db, sql);
            assert_eq!(calls.load(Ordering::Relaxed), 0, "{form}: {sql}: {outcome:?}");
        }
        assert_eq!((count(&db, "harm"), count(&db, "orders")), (0, 2), "{form}");
    }
}

#[test]
fn no_argument_crashes_a_function_or_changes_more_than_its_own_tables() {
    const HOSTILE: &[&str] = &[
        "NULL",
        "''",
        "char(0)",
        "x'ff00fe'",
        "CAST(x'ff' AS TEXT)",
        "printf('%.*c', 300000, 'a')",
        "replace(printf('%.*c', 100000, 'a'), 'a', '[')",
        "-1",
        "9223372036854775807",
        "-9e999",
        "zeroblob(100000)",
        "'orders'",
        "'orders.total'",
        "'\"''; DROP TABLE orders; --'",
        "'main.sqlite_schema'",
        "'SELECT * FROM sqlite_schema; DELETE FROM orders'",
        "'{\"tables\": [1, null, {}], \"max_rows\": -1, \"strategy\": []}'",
        "'[' || char(8238) || ']'",
        "randomblob(64)",
    ];
    let db = Connection::open_in_memory().expect("a database in memory");
    register(&db).expect("the functions");
    db.execute_batch(
        "CREATE TABLE orders(id INTEGER PRIMARY KEY, total REAL, city TEXT);
         INSERT INTO orders VALUES (1, 10.5, 'Paris'), (2, 4.5, 'Rome');",
    )
    .expect("the user's tables");
    let names = |sql: &str| -> Vec<(String, i64)> {
        let mut list = db.prepare(sql).expect(sql);
        let rows = list.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect(sql);
        rows.map(|row| row.expect(sql)).collect()
    };
    let scalars = names(
        "SELECT name, narg FROM pragma_function_list
         WHERE name LIKE 'text2sql%' OR name LIKE 'ask%'",
    );
    let tables = names(
        "SELECT name, 0 FROM pragma_module_list
         WHERE (name LIKE 'text2sql%' OR name LIKE 'ask%') AND name <> 'ask_table'",
    );
    assert!(scalars.len() > 15 && tables.len() > 10, "{scalars:?} {tables:?}");
    for value in HOSTILE {
        for (name, width) in &scalars {
            let same = vec![*value; *width as usize].join(", ");
            let _ = call(&db, &format!("SELECT {name}({same})"));
            if *width > 1 {
                let rest = vec![*value; *width as usize - 1].join(", ");
                let _ = call(&db, &format!("SELECT {name}('orders', {rest})"));
            }
        }
        for (name, _) in &tables {
            for width in 0..=3 {
                let same = vec![*value; width].join(", ");
                let _ = call(&db, &format!("SELECT count(*) FROM {name}({same})"));
            }
            let _ = call(&db, &format!("CREATE VIRTUAL TABLE temp.planted USING {name}({value})"));
            let _ = call(&db, "CREATE VIRTUAL TABLE main.planted USING ask_table('', '', '')");
        }
    }
    assert_eq!(count(&db, "orders"), 2);
    let made = names(
        "SELECT name, 0 FROM sqlite_schema
         WHERE tbl_name NOT LIKE 'text2sql~_%' ESCAPE '~' AND tbl_name <> 'orders'",
    );
    assert_eq!(made, []);
    let answer = call(&db, "SELECT ask FROM ask('How many orders are there?')");
    assert!(answer.is_ok(), "{answer:?}");
}
