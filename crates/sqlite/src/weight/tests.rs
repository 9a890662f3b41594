//! Doubling is refused however it is written; what people write is not.

use super::*;

fn excess(sql: &str) -> Option<&'static str> {
    Definitions::default().excess(sql).map(|excess| excess.what)
}

/// A chain of steps: `{i}` is a step's number, `{last}` that of the one before.
fn chain(first: &str, step: &str, last: &str, steps: usize) -> String {
    let mut sql = first.to_owned();
    for i in 1..=steps {
        sql += &step.replace("{i}", &i.to_string()).replace("{last}", &(i - 1).to_string());
    }
    sql + &last.replace("{last}", &steps.to_string())
}

#[test]
fn tables_that_double_are_too_much() {
    let first = "WITH c0 AS (SELECT 1 AS x)";
    for step in [
        ", c{i} AS (SELECT a.x FROM c{last} AS a, c{last} AS b)",
        ", c{i}(x) AS NOT MATERIALIZED (SELECT a.x FROM c{last} AS a JOIN c{last})",
        ", \"c{i}\" AS MATERIALIZED (SELECT x FROM [C{last}] UNION ALL SELECT x FROM `c{last}`)",
        ", 'c{i}' AS (SELECT x FROM 'c{last}' /* ) */ WHERE x IN c{last})",
        ", c{i} AS (SELECT x FROM (c{last} AS a CROSS JOIN c{last}) -- FROM\n)",
        ", c{i} AS (SELECT x FROM c{last} AS \"where\", c{last} AS window)",
        ", c{i} AS (SELECT (SELECT x FROM c{last}) AS x WHERE EXISTS (SELECT 1 FROM (c{last})))",
        ", c{i} AS (SELECT x FROM (SELECT * FROM c{last}) WHERE x IS DISTINCT FROM 1 OR x IN (SELECT x FROM c{last}))",
        ", c{i} AS (WITH d AS (SELECT x FROM c{last}) SELECT d.x FROM d, d AS e)",
        ", c{i} AS (SELECT a.x FROM main.c{last} AS a LEFT JOIN c{last} AS b ON a.x = b.x, c{last})",
    ] {
        let sql = chain(first, step, " SELECT x FROM c{last}", 12);
        assert!(excess(&sql).is_some(), "{sql}");
        assert_eq!(excess(&chain(first, step, " SELECT x FROM c{last}", 4)), None, "{step}");
    }
    let nested = "SELECT * FROM (".repeat(11) + "t" + &") AS a, (SELECT 1)".repeat(11);
    assert_eq!(excess(&nested), None);
    let mut same = "SELECT 1 AS x".to_owned();
    for _ in 0..12 {
        same = format!("WITH c AS ({same}) SELECT a.x FROM c AS a, c AS b");
    }
    assert!(excess(&same).is_some(), "each c is the one inside it");
}

#[test]
fn expressions_that_double_are_too_much() {
    let first = "WITH c0 AS (SELECT x, x AS y FROM t)";
    for step in [
        ", c{i} AS (SELECT x + x AS x FROM c{last})",
        ", c{i} AS (SELECT (x) || x x FROM c{last})",
        ", c{i}(x) AS (SELECT c{last}.x * c{last}.x FROM c{last})",
        ", c{i} AS (SELECT x + y AS x, y + x AS y FROM c{last})",
        ", c{i} AS (SELECT 1 AS x, \"x:1\" + \"x:1\" AS x FROM c{last})",
        ", c{i} AS (SELECT CASE x WHEN 1 THEN x END AS x FROM (SELECT * FROM c{last}))",
        ", c{i} AS (SELECT max(x, x) AS x FROM c{last} AS a, (SELECT 1 AS z))",
        ", c{i} AS (SELECT (SELECT x + x) AS x FROM c{last})",
        ", c{i} AS (SELECT a.[x] LIKE a.'x' AS x FROM c{last} AS a)",
    ] {
        let sql = chain(first, step, " SELECT x FROM c{last}", 25);
        assert!(excess(&sql).is_some(), "{sql}");
        assert_eq!(excess(&chain(first, step, " SELECT x FROM c{last}", 5)), None, "{step}");
    }
}

#[test]
fn what_people_write_is_not_too_much() {
    let wide: Vec<String> = (0..60).map(|n| format!("column{n}")).collect();
    let wide = wide.join(", ");
    let steps = format!(
        ", c{{i}} AS (SELECT {wide}, coalesce(amount, 0) AS amount, CASE WHEN status = 'open' THEN \
         amount ELSE 0 END AS open{{i}} FROM c{{last}} LEFT JOIN other USING (id) \
         WHERE amount > 0 GROUP BY {wide} ORDER BY id DESC)"
    );
    let sql = chain(
        &format!("WITH c0 AS (SELECT {wide}, amount, status FROM t)"),
        &steps,
        " SELECT * FROM c{last}",
        30,
    );
    assert_eq!(excess(&sql), None);
    let joins: String = (0..60).map(|n| format!(" JOIN t{n} ON t{n}.id = a.id")).collect();
    assert_eq!(excess(&format!("SELECT * FROM a{joins}")), None);
    let list = vec!["1"; 10_000].join(", ");
    assert_eq!(excess(&format!("SELECT * FROM a WHERE id IN ({list})")), None);
    let recursive = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i + i FROM n";
    assert_eq!(excess(recursive), None);
}

#[test]
fn nonsense_is_weighed_too() {
    for sql in [
        "",
        "(",
        ")",
        ")))) SELECT",
        "'",
        "WITH",
        "AS (",
        ") AS (",
        "SELECT",
        "SELECT ,",
        "[",
        "/*",
        "é\u{0}(.",
        "x'",
    ] {
        assert_eq!(excess(sql), None, "{sql}");
    }
    assert!(excess(&"(".repeat(20_000)).is_some());
    let mut many = "WITH c0 AS (SELECT 1)".to_owned();
    (1..10_000).for_each(|i| many += &format!(", c{i} AS (SELECT * FROM c{})", i - 1));
    assert!(excess(&(many + " SELECT * FROM c9999")).is_some());
}

#[test]
fn views_are_written_out() {
    let view = |n: usize| {
        let sql =
            format!("CREATE VIEW v{n} AS SELECT a.x FROM v{m} AS a, V{m} AS b", m = n.max(1) - 1);
        (format!("v{n}"), vec![sql])
    };
    let mut views: HashMap<String, Vec<String>> = (0..20).map(view).collect();
    views.insert(
        "f".to_owned(),
        vec!["CREATE VIRTUAL TABLE f USING fts5(x, content='v19')".to_owned()],
    );
    let views = Definitions { bodies: views, ..Definitions::default() };
    assert_eq!(views.excess("SELECT * FROM v5"), None);
    assert!(
        views.excess("SELECT * FROM V19").is_some()
            && views.excess("SELECT 1 FROM main.f").is_some()
    );
    let excessive = views.excessive();
    assert!(excessive.contains("v19") && excessive.contains("f") && !excessive.contains("v5"));
}
