use super::*;
use crate::catalog::{Column, Table, TableKind, TypeClass};

fn table(schema: &str, name: &str, columns: &[&str]) -> Table {
    let column = |name: &&str| Column {
        name: (*name).into(),
        data_type: "text".into(),
        class: TypeClass::Text,
        nullable: true,
        labels: Box::default(),
        comment: None,
        values_withheld: false,
    };
    Table {
        native_id: 0,
        schema: schema.to_owned(),
        name: name.to_owned(),
        visible: schema == "public",
        kind: TableKind::Table,
        comment: None,
        rows: None,
        columns: columns.iter().map(column).collect(),
        primary_key: Vec::new(),
        unique_keys: Vec::new(),
    }
}

fn shop() -> Catalog {
    Catalog::new(
        vec![
            table("public", "customers", &["id", "name", "country"]),
            table("public", "orders", &["id", "customer_id", "status", "Placed On"]),
            table("sales", "orders", &["id", "channel"]),
        ],
        Vec::new(),
    )
}

/// `expect` lists columns, literals as `column=value`, and unknown names as `?name`, sorted.
fn check(dialect: Dialect, sql: &str, parsed: bool, expect: &[&str]) {
    let catalog = shop();
    let draft = read(&catalog, dialect, sql);
    let label = |c: &ColumnId| catalog.column_label(*c);
    let mut got: Vec<String> = draft.columns.iter().map(label).collect();
    got.extend(
        draft
            .literals
            .iter()
            .map(|l| format!("{}={}", l.column.as_ref().map_or("?".to_owned(), label), l.value)),
    );
    got.extend(draft.unknown_tables.iter().map(|n| format!("?{n}")));
    got.extend(draft.unknown_columns.iter().map(|n| format!("?{n}")));
    got.sort();
    let mut want: Vec<String> = expect.iter().map(|s| (*s).to_owned()).collect();
    want.sort();
    assert_eq!(got, want, "{sql}");
    assert_eq!(draft.parsed, parsed, "{sql}");
}

#[test]
fn names_are_followed_to_the_stored_columns() {
    let pg = |sql: &str, expect: &[&str]| check(Dialect::Postgres, sql, true, expect);
    pg(
        "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.status = 'open'",
        &[
            "customers.name",
            "customers.id",
            "orders.customer_id",
            "orders.status",
            "orders.status=open",
        ],
    );
    pg("SELECT \"Placed On\" FROM orders", &["orders.Placed On"]);
    pg("SELECT channel FROM sales.orders", &["sales.orders.channel"]);
    // common table expressions and subqueries
    pg(
        "WITH x AS (SELECT id AS cid, country land FROM customers) SELECT 1 FROM x WHERE x.land = 'France'",
        &["customers.id", "customers.country", "customers.country=France"],
    );
    pg(
        "SELECT s.n FROM (SELECT name AS n FROM customers) s WHERE lower(s.n) = lower('Ann')",
        &["customers.name", "customers.name=Ann"],
    );
    // correlated: the inner scope comes first
    pg(
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE customer_id = c.id AND id > 5)",
        &["customers.name", "customers.id", "orders.customer_id", "orders.id", "orders.id=5"],
    );
    // each branch of a set operation has its own scope
    pg(
        "SELECT id FROM customers UNION SELECT id FROM orders WHERE status IN ('a', 'b')",
        &["customers.id", "orders.id", "orders.status", "orders.status=a", "orders.status=b"],
    );
}

#[test]
fn stars_whole_rows_and_using_are_expanded() {
    let all = ["customers.id", "customers.name", "customers.country"];
    check(Dialect::Postgres, "SELECT * FROM customers", true, &all);
    check(Dialect::Postgres, "SELECT c.* FROM customers c, orders", true, &all);
    check(Dialect::Postgres, "SELECT to_json(c) FROM customers c", true, &all);
    check(Dialect::Postgres, "SELECT count(*) FROM customers", true, &[]);
    check(
        Dialect::Postgres,
        "SELECT 1 FROM customers JOIN orders USING (id)",
        true,
        &["customers.id", "orders.id"],
    );
}

#[test]
fn what_does_not_exist_is_named() {
    check(
        Dialect::Postgres,
        "SELECT c.nam FROM customers c JOIN clients k ON true",
        true,
        &["?c.nam", "?clients"],
    );
    // an alias is no unknown column
    check(
        Dialect::Postgres,
        "SELECT country, count(*) AS n FROM customers GROUP BY country ORDER BY n",
        true,
        &["customers.country"],
    );
}

#[test]
fn double_quoted_strings_are_values_in_sqlite_only() {
    let sql = "SELECT id FROM customers WHERE country = \"France\"";
    let common = ["customers.id", "customers.country"];
    check(Dialect::Sqlite, sql, true, &[common[0], common[1], "customers.country=France"]);
    check(Dialect::Postgres, sql, true, &[common[0], common[1], "?France"]);
}

#[test]
fn broken_and_foreign_sql_is_read_word_by_word() {
    check(
        Dialect::Postgres,
        "SELECT c.name FROM customers AS c WHERE c.country = 'France' AND (",
        false,
        &["customers.name", "customers.country", "customers.country=France"],
    );
    check(
        Dialect::Postgres,
        "SELECT name FROM customers WHERE name = 'Ann",
        false,
        &["customers.name"],
    );
    check(Dialect::Postgres, "", false, &[]);
    check(Dialect::Postgres, "no SQL at all, sorry", false, &[]);
}

#[test]
fn huge_and_deep_drafts_end_cleanly() {
    let deep = format!("SELECT {}id{} FROM customers", "(".repeat(20_000), ")".repeat(20_000));
    assert!(!read(&shop(), Dialect::Postgres, &deep).parsed);
    let long = format!("SELECT id{} FROM customers", "+1".repeat(9_000));
    assert!(read(&shop(), Dialect::Postgres, &long).parsed);
}
