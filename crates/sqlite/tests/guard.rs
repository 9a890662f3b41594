//! The guard against what a model may return: the corpora in tests/guard.

use std::time::Duration;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use text2sql_engine::error::{QueryError, QueryErrorKind};
use text2sql_engine::guard;
use text2sql_engine::ports::Database;
use text2sql_engine::settings::Limits;
use text2sql_sqlite::{SqliteDatabase, register};

const SCHEMA: &str = "
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price NUMERIC);
    INSERT INTO item VALUES (1, 'apple', 1.5), (2, 'bread', 3);
    CREATE VIEW cheap AS SELECT id, name FROM item WHERE price < 2;
    CREATE VIEW spy AS SELECT host_secret() AS secret;
    CREATE VIRTUAL TABLE note USING fts5(title, body);
    INSERT INTO note VALUES ('a fox', 'red'), ('a sky', 'blue');
    CREATE VIRTUAL TABLE area USING rtree(id, x0, x1);
    INSERT INTO area VALUES (1, 0, 1);
    ATTACH ':memory:' AS other;
    CREATE TABLE other.sale(item_id INTEGER, amount INTEGER);
    INSERT INTO other.sale VALUES (1, 5);";

fn open() -> SqliteDatabase {
    let connection = Connection::open_in_memory().expect("a database in memory");
    // deterministic and innocuous: even such a function is not the query's to call
    let flags = FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection
        .create_scalar_function("host_secret", 0, flags, |_| Ok("secret"))
        .expect("the host's function");
    register(&connection).expect("the extension's functions");
    connection.execute_batch(SCHEMA).expect("the schema");
    SqliteDatabase::new(connection)
}

fn limits() -> Limits {
    Limits { rows: 100, bytes: 1 << 20, time: Duration::from_secs(2), cost: None }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|l| !l.is_empty() && !l.starts_with('#') && !l.starts_with("-- "))
}

/// Everything that an attack could have changed.
fn state(db: &SqliteDatabase) -> String {
    let sql = "SELECT (SELECT group_concat(name || coalesce(sql, '')) FROM sqlite_schema)
            || (SELECT count(*) FROM temp.sqlite_schema) || (SELECT group_concat(price) FROM item)
            || (SELECT group_concat(name) FROM pragma_database_list WHERE name <> 'temp')
            || (SELECT writable_schema FROM pragma_writable_schema)";
    let state: String =
        db.connection().query_row(sql, [], |r| r.get(0)).expect("the state can be read");
    format!("{state} {}", db.connection().is_autocommit())
}

#[test]
fn nothing_but_a_plain_query_runs_and_nothing_changes() {
    let dir = tempfile::tempdir().expect("a directory");
    let db = open();
    db.catalog().expect("catalog");
    let before = state(&db);
    for line in lines(include_str!("guard/refused.tsv")) {
        let (sqlstate, sql) = line.split_once('\t').expect("SQLSTATE, tab, statement");
        let sql = sql.replace("{dir}", &dir.path().display().to_string());
        let error = guard::check(&db, None, &sql).expect_err(&sql);
        assert_eq!((error.kind, &*error.sqlstate), (QueryErrorKind::Refused, sqlstate), "{sql}");
        assert_eq!(state(&db), before, "{sql}");
    }
    let files = std::fs::read_dir(dir.path()).expect("the directory").count();
    assert_eq!(files, 0, "an attack wrote a file");
}

#[test]
fn ordinary_queries_run() {
    let db = open();
    db.catalog().expect("catalog");
    for sql in lines(include_str!("guard/allowed.sql")) {
        let run = |sql| db.run(&guard::check(&db, None, sql)?, &limits());
        run(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
}

#[test]
fn statements_without_end_or_measure_are_stopped() {
    let db = open();
    db.catalog().expect("catalog");
    let short = Limits { time: Duration::from_millis(300), ..limits() };
    let check = |sql: &str, states: &[&str]| {
        let result =
            guard::check(&db, None, sql).and_then(|query| db.run(&query, &short).map(drop));
        let QueryError { sqlstate, .. } = result.expect_err(&sql[..sql.len().min(80)]);
        assert!(states.contains(&&*sqlstate), "{sqlstate} for {}", &sql[..sql.len().min(80)]);
    };
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)";
    check(&format!("{many} SELECT count(*) FROM n AS a, n AS b"), &["57014"]);
    check(&format!("{many} SELECT * FROM n AS a, n AS b ORDER BY random()"), &["57014"]);
    check(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT max(i) FROM n",
        &["57014"],
    );
    check("SELECT hex(zeroblob(1000000000))", &["54000"]);
    check("SELECT replace(hex(zeroblob(100000)), '00', hex(zeroblob(100000)))", &["54000"]);
    check(&format!("{many} SELECT group_concat(hex(zeroblob(1000))) FROM n"), &["54000", "57014"]);
    check(&format!("{many} SELECT hex(zeroblob(10000)) FROM n"), &["54000"]);
    check(&format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000)), &["54001", "42601"]);
    check(&format!("SELECT 1{}", " + 1".repeat(60_000)), &["54001"]);
    check(&format!("SELECT '{}'", "x".repeat(1 << 20)), &["54000"]);
    let mut tables = "WITH c0 AS (SELECT 1 AS x)".to_owned();
    let mut expressions = tables.clone();
    for (last, i) in (0..30).zip(1..) {
        tables += &format!(", c{i} AS (SELECT a.x FROM c{last} AS a, c{last} AS b)");
        expressions += &format!(", c{i} AS (SELECT x + x AS x FROM c{last})");
    }
    check(&format!("{tables} SELECT x FROM c30"), &["54001"]);
    check(&format!("{expressions} SELECT x FROM c30"), &["54001"]);
}

#[test]
fn a_query_sees_what_the_caller_sees() {
    let db = open();
    db.connection().execute_batch("BEGIN; INSERT INTO item VALUES (3, 'new', 9)").expect("insert");
    db.catalog().expect("catalog");
    let query = guard::check(&db, None, "SELECT count(*) FROM item").expect("allowed");
    assert_eq!(db.run(&query, &limits()).expect("runs").rows[0][0].as_deref(), Some("3"));
    db.connection().execute_batch("ROLLBACK").expect("the caller's transaction still stands");
}

#[test]
fn a_virtual_tables_name_lets_no_function_in() {
    let db = open();
    let schema = "CREATE VIRTUAL TABLE pragma USING fts5(x); INSERT INTO pragma VALUES ('apple');";
    db.connection().execute_batch(schema).expect("a virtual table");
    db.catalog().expect("catalog");
    let refusal = guard::check(&db, None, "SELECT name FROM pragma_database_list");
    assert_eq!(refusal.map(|_| ()).map_err(|e| e.kind), Err(QueryErrorKind::Refused));
    let query = guard::check(&db, None, "SELECT x FROM pragma WHERE pragma MATCH 'apple'");
    let rows = db.run(&query.expect("its own rows"), &limits()).expect("runs").rows;
    assert_eq!(rows[0][0].as_deref(), Some("apple"));
}
