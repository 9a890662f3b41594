//! The example that embeds the engine answers, and lets nothing else through than it says.

use rusqlite::Connection;
use text2sql_engine::guard;

#[path = "../../examples/library.rs"]
#[expect(dead_code, reason = "the example's main() is not called here")]
mod library;

use library::{File, answer};

const SHOP: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), total REAL);
INSERT INTO customers VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', 'Bergen');
INSERT INTO orders VALUES (1, 1, 10.5), (2, 1, 4.5), (3, 2, 7);
";

fn shop() -> Connection {
    let connection = Connection::open_in_memory().expect("SQLite opens in memory");
    connection.execute_batch(SHOP).expect("the test's schema");
    connection
}

#[test]
fn a_question_over_a_key_and_a_stored_value_is_answered() {
    let lines =
        answer(shop(), "How many orders do the customers in oslo have?").expect("an answer");
    assert_eq!(lines[1..], [r#"{"count(*)":2}"#], "{lines:?}");
}

#[test]
fn what_it_does_not_understand_it_refuses() {
    let error = answer(shop(), "How many unicorns are there?").expect_err("no unicorns");
    assert_eq!(error.code(), "22T01");
}

#[test]
fn the_guard_lets_nothing_but_listed_queries_through() {
    let file = File::open(shop()).expect("a file");
    for (sql, sqlstate) in [
        ("DELETE FROM orders", "42501"),
        ("SELECT * FROM orders; DELETE FROM orders", "42501"),
        ("SELECT 1; SELECT 2", "42601"),
        ("SELECT load_extension('x')", "42601"), // as SQLite reports a function
        ("SELECT * FROM sqlite_schema", "42501"),
        ("PRAGMA query_only = off", "42501"),
        ("ATTACH 'x' AS x", "42501"),
        ("SELECT ?", "25006"),
    ] {
        let refused = guard::check(&file, None, sql).expect_err(sql);
        assert_eq!(refused.sqlstate, sqlstate, "{sql}: {refused}");
    }
    assert!(guard::check(&file, None, "SELECT max(total) FROM orders").is_ok());
}
