//! Labels: `text2sql_label` checks what it is given, and no label does nothing silently.

use rusqlite::Connection;
use text2sql_sqlite::register;

const STAFF: &str = "
    CREATE TABLE staff(id INTEGER PRIMARY KEY, name TEXT, income TEXT, password TEXT);
    INSERT INTO staff VALUES (1, 'Gudrun', 'fortyseven', 'opensesame');
    CREATE TABLE town(name TEXT); INSERT INTO town VALUES ('Ulmington');
    CREATE TABLE text2sql_description(table_name, column_name, description, values_withheld);";

fn connect(sql: &str) -> Connection {
    let db = Connection::open_in_memory().expect("a database in memory");
    register(&db).expect("the functions");
    db.execute_batch(sql).expect("the schema");
    db
}

/// Which of the values are found, in this order.
fn found(db: &Connection) -> Vec<&'static str> {
    let sql = "SELECT count(*) FROM text2sql_search_values(?1)";
    let count =
        |value: &&str| db.query_row(sql, [value], |row| row.get::<_, i64>(0)).expect(sql) > 0;
    ["Gudrun", "fortyseven", "opensesame", "Ulmington"].into_iter().filter(count).collect()
}

fn notices(db: &Connection) -> String {
    let sql = "SELECT coalesce(group_concat(notice, char(10)), '') FROM text2sql_notices";
    db.query_row(sql, [], |row| row.get(0)).expect(sql)
}

fn label(db: &Connection, arguments: &str) -> Result<Option<String>, String> {
    let sql = format!("SELECT text2sql_label({arguments})");
    db.query_row(&sql, [], |row| row.get(0)).map_err(|error| error.to_string())
}

#[test]
fn a_label_holds_from_the_next_question_on_until_it_is_removed() {
    let fresh = STAFF.replace("CREATE TABLE text2sql_description", "CREATE TABLE other");
    let db = connect(&fresh);
    assert_eq!(found(&db), ["Gudrun", "fortyseven", "Ulmington"]);
    assert_eq!(label(&db, "'staff', 'income', 'no_values'"), Ok(Some("no_values".to_owned())));
    assert_eq!(found(&db), ["Gudrun", "Ulmington"]);
    label(&db, "'main.Staff.PASSWORD', 'values'").expect("a column");
    assert_eq!(found(&db), ["Gudrun", "opensesame", "Ulmington"]);
    label(&db, "'staff', 'no_values'").expect("a table");
    assert_eq!(found(&db), ["Ulmington"], "the stricter one holds");
    assert_eq!(label(&db, "'staff', NULL"), Ok(None));
    assert_eq!(label(&db, "'staff.income', NULL"), Ok(None));
    label(&db, "'staff', 'password', NULL").expect("removed");
    assert_eq!(found(&db), ["Gudrun", "fortyseven", "Ulmington"]);
    label(&db, "'staff', 'values'").expect("a table");
    assert_eq!(found(&db), ["Gudrun", "fortyseven", "opensesame", "Ulmington"]);
    assert_eq!(notices(&db), "");
}

#[test]
fn a_label_that_cannot_be_given_is_an_error() {
    let db = connect(STAFF);
    let check = |arguments: &str, parts: &[&str]| {
        let error = label(&db, arguments).expect_err(arguments);
        assert!(parts.iter().all(|part| error.contains(part)), "{arguments}: {error}");
    };
    check("'staf', 'no_values'", &["\"staf\" does not exist", "\"staff\""]);
    check("'staff.incom', 'no_values'", &["column \"incom\" does not exist", "\"income\""]);
    check("'staff', 'incom', 'no_values'", &["column \"incom\" does not exist", "\"income\""]);
    check("'main.staf', 'income', 'values'", &["table \"main.staf\" does not exist", "\"staff\""]);
    check("'staff', 'income', 'hidden'", &["label \"hidden\"", "\"no_values\"", "\"values\""]);
    check("'staff', 'true'", &["label \"true\"", "\"no_values\"", "\"values\""]);
    check("NULL, 'no_values'", &["names no table"]);
    assert_eq!(found(&db), ["Gudrun", "fortyseven", "Ulmington"]);
}

#[test]
fn rows_written_by_hand_withhold_or_say_why_not() {
    // what is found, and what the notices say
    let check = |rows: &str, left: &[&str], notice: &str| {
        let db = connect(STAFF);
        let insert = "INSERT INTO text2sql_description(table_name, column_name, values_withheld)";
        db.execute_batch(&format!("{insert} VALUES {rows}")).expect(rows);
        assert_eq!(found(&db), left, "{rows}");
        let notice_text = notices(&db);
        let notice_text =
            notice_text.lines().filter(|line| !line.contains("the file is not trusted"));
        let notice_text = notice_text.collect::<Vec<_>>().join("\n");
        assert!(
            notice_text.contains(notice) && notice_text.is_empty() == notice.is_empty(),
            "{rows}: {notice_text}"
        );
    };
    let names = &["Gudrun", "Ulmington"][..];
    let only_town = &["Ulmington"][..];
    check("('staff', 'income', 1)", names, "");
    check("('staff', NULL, 1)", only_town, "");
    check("('staff', '', '1')", only_town, "");
    check("('main.staff', 'income', 1)", names, "");
    check("('staff', 'income', 1), ('staff', 'income', 0)", names, "");
    check("('staff', 'income', 'true')", names, "staff.income is 'true'");
    check("('staff', 'income', 'no_values')", names, "staff.income is 'no_values'");
    check("('staff', 'income', x'01')", names, "neither 1, 0 nor -1");
    // what is misspelt is withheld with more than was meant
    check("('staff', 'incme', 1)", only_town, "no column incme");
    check("('person', 'income', 1)", names, "no table person");
    check("('person', '', 1)", &["Gudrun", "fortyseven", "Ulmington"], "no table person");
    check("('staff', 'incme', 0)", &["Gudrun", "fortyseven", "Ulmington"], "");
}

#[test]
fn a_renamed_column_or_table_stays_withheld() {
    let db = connect(STAFF);
    label(&db, "'staff', 'income', 'no_values'").expect("a label");
    db.execute_batch("ALTER TABLE staff RENAME TO people").expect("renamed");
    assert_eq!(found(&db), ["Gudrun", "Ulmington"]);
    assert!(notices(&db).contains("no table staff"), "{}", notices(&db));
    db.execute_batch(
        "ALTER TABLE people RENAME TO staff; ALTER TABLE staff RENAME COLUMN income TO earned",
    )
    .expect("renamed");
    assert_eq!(found(&db), ["Ulmington"]);
    assert!(notices(&db).contains("no column income"), "{}", notices(&db));
    label(&db, "'staff', 'earned', 'no_values'").expect("a label");
    db.execute_batch("DELETE FROM text2sql_description WHERE column_name = 'income'")
        .expect("gone");
    assert_eq!(found(&db), ["Gudrun", "Ulmington"]);
}

#[test]
fn a_label_reaches_what_it_names_whatever_hides_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("shop.db");
    Connection::open(&path).expect("a file").execute_batch(STAFF).expect("its contents");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let db = Connection::open_with_flags(&path, flags).expect("the file");
    register(&db).expect("the functions");
    db.execute_batch("CREATE TEMP TABLE staff(income TEXT)").expect("another table");
    label(&db, "'main.staff', 'income', 'no_values'").expect("a label");
    label(&db, "'main.staff', 'password', 'values'").expect("a label");
    assert_eq!(found(&db), ["Gudrun", "opensesame", "Ulmington"]);
    // a file that is not trusted releases nothing: the label is the connection's
    let db = Connection::open(&path).expect("the file");
    register(&db).expect("the functions");
    label(&db, "'staff', 'password', 'values'").expect("a label");
    assert_eq!(found(&db), ["Gudrun", "fortyseven", "opensesame", "Ulmington"]);
    label(&db, "'staff', 'password', 'no_values'").expect("a label");
    assert_eq!(found(&db), ["Gudrun", "fortyseven", "Ulmington"]);
}
