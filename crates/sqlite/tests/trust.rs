//! Trust is of a file as it was when the user gave it, not of the name under which it is attached.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ffi};
use tempfile::TempDir;
use text2sql_sqlite::register;

const SHOP: &str = "CREATE TABLE orders(id INTEGER PRIMARY KEY, total REAL);
    INSERT INTO orders VALUES (1, 10.5), (2, 4.5);";
const QUESTION: &str = "SELECT text2sql('How many orders are there?')";

fn connect(path: &Path) -> Connection {
    let db = Connection::open(path).expect("a file");
    register(&db).expect("the functions");
    db
}

/// A file whose verified question answers `n`, and that describes its table so.
fn file(folder: &TempDir, name: &str, n: u32) -> PathBuf {
    let path = folder.path().canonicalize().expect("a folder").join(name);
    let planted = format!(
        "CREATE TABLE text2sql_verified_question(key TEXT PRIMARY KEY, question TEXT NOT NULL, sql TEXT NOT NULL);
         INSERT INTO text2sql_verified_question VALUES
             ('how many orders are there', 'How many orders are there?', 'SELECT {n} AS n');
         CREATE TABLE text2sql_description(table_name, column_name, description, values_withheld);
         INSERT INTO text2sql_description VALUES ('orders', 'total', 'described by {n}', 0);"
    );
    let db = Connection::open(&path).expect("a file");
    db.execute_batch(&(SHOP.to_owned() + &planted)).expect("its contents");
    path
}

fn one(db: &Connection, sql: &str) -> String {
    db.query_row(sql, [], |row| row.get(0)).expect(sql)
}

fn trust(db: &Connection, what: &str) {
    db.query_row("SELECT text2sql_config('trust', ?1)", [what], |_| Ok(())).expect("trust");
}

fn attach(db: &Connection, path: &Path) {
    let path = path.to_str().expect("a name");
    db.execute("ATTACH ?1 AS x", [path]).expect("attached");
}

/// How the column orders.total of a database is described, if that counts.
fn described(db: &Connection) -> Option<String> {
    let sql = "SELECT max(description) FROM text2sql_search_columns('total', 50)
               WHERE column_name = 'total'";
    db.query_row(sql, [], |row| row.get(0)).expect(sql)
}

fn notices(db: &Connection) -> String {
    let sql = "SELECT coalesce(group_concat(notice, char(10)), '') FROM text2sql_notices";
    one(db, sql)
}

/// Put the contents of one database in the place of another's, as `.restore` does.
fn restore(from: &Path, into: &Connection, name: &std::ffi::CStr) {
    let from = Connection::open(from).expect("a backup");
    // SAFETY: both connections are open and are not used meanwhile.
    unsafe {
        let main = c"main".as_ptr();
        let copy = ffi::sqlite3_backup_init(into.handle(), name.as_ptr(), from.handle(), main);
        assert!(!copy.is_null(), "it can be restored");
        assert_eq!(ffi::sqlite3_backup_step(copy, -1), ffi::SQLITE_DONE);
        assert_eq!(ffi::sqlite3_backup_finish(copy), ffi::SQLITE_OK);
    }
}

#[test]
fn another_file_of_the_same_name_is_not_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (good, evil) = (file(&folder, "good.db", 42), file(&folder, "evil.db", 666));
    let db = connect(Path::new(":memory:"));
    attach(&db, &good);
    assert_eq!(described(&db), None, "nobody trusts it yet");
    trust(&db, "x");
    assert_eq!(described(&db).as_deref(), Some("described by 42"));
    db.execute_batch("DETACH x").expect("detached");
    attach(&db, &evil);
    assert_eq!(described(&db), None);
    assert!(notices(&db).contains("no longer trusted"), "{}", notices(&db));
    assert!(notices(&db).contains("SELECT text2sql_config('trust', 'x');"), "{}", notices(&db));
    db.execute_batch("DETACH x").expect("detached");
    attach(&db, &good);
    assert_eq!(described(&db).as_deref(), Some("described by 42"), "it is that file again");
    // nor is what another file became under the same path
    db.execute_batch("DETACH x").expect("detached");
    std::fs::rename(&evil, &good).expect("renamed");
    attach(&db, &good);
    assert_eq!(described(&db), None);
    trust(&db, "x");
    assert_eq!(described(&db).as_deref(), Some("described by 666"), "the user says so");
    // a path is such a file too
    let third = file(&folder, "third.db", 3);
    trust(&db, good.to_str().expect("a name"));
    assert_eq!(described(&db).as_deref(), Some("described by 666"));
    db.execute_batch("DETACH x").expect("detached");
    std::fs::rename(&third, &good).expect("renamed");
    attach(&db, &good);
    assert_eq!(described(&db), None);
}

#[test]
fn a_restored_backup_is_not_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (good, evil) = (file(&folder, "good.db", 42), file(&folder, "evil.db", 666));
    let db = connect(&good);
    trust(&db, "main");
    assert_eq!(one(&db, QUESTION), "SELECT 42 AS n");
    restore(&evil, &db, c"main");
    assert_eq!(one(&db, QUESTION), "SELECT count(*) FROM orders");
    assert_eq!(described(&db), None);
    db.execute_batch("INSERT INTO orders(total) VALUES (3)").expect("a change");
    assert_eq!(one(&db, QUESTION), "SELECT count(*) FROM orders");
    trust(&db, "main");
    assert_eq!(one(&db, QUESTION), "SELECT 666 AS n", "the user says so");
    // into memory, which is nobody's file
    let db = connect(Path::new(":memory:"));
    restore(&evil, &db, c"main");
    assert_eq!(one(&db, QUESTION), "SELECT count(*) FROM orders");
    assert!(notices(&db).contains("is not used"), "{}", notices(&db));
}

#[test]
fn tables_made_here_are_not_those_of_another_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().canonicalize().expect("a folder").join("plain.db");
    Connection::open(&plain).expect("a file").execute_batch(SHOP).expect("its contents");
    let evil = file(&folder, "evil.db", 666);
    let db = connect(Path::new(":memory:"));
    attach(&db, &plain);
    one(&db, "SELECT text2sql_comment('orders.total', 'made here')");
    assert_eq!(described(&db).as_deref(), Some("made here"));
    db.execute_batch("DETACH x").expect("detached");
    attach(&db, &evil);
    assert_eq!(described(&db), None);
    restore(&plain, &db, c"x");
    assert_eq!(described(&db), None, "only this connection's are known");
    let db = connect(&plain);
    one(&db, "SELECT text2sql_remember('How many orders are there?', 'SELECT 42 AS n')");
    assert_eq!(one(&db, QUESTION), "SELECT 42 AS n");
    restore(&evil, &db, c"main");
    assert_eq!(one(&db, QUESTION), "SELECT count(*) FROM orders");
}

#[test]
fn what_the_user_changes_stays_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = file(&folder, "good.db", 42);
    let db = connect(&good);
    trust(&db, "main");
    let still = |what: &str| {
        assert_eq!(one(&db, QUESTION), "SELECT 42 AS n", "{what}");
        assert_eq!(notices(&db), "", "{what}");
    };
    still("at first");
    db.execute_batch("INSERT INTO text2sql_description VALUES ('orders', '', 'Sales', 0)")
        .expect("a description");
    still("rows of its own tables");
    db.execute_batch("CREATE TABLE town(name TEXT); INSERT INTO town VALUES ('Ulm')").expect("DDL");
    still("other tables");
    one(&db, "SELECT text2sql_comment('town', 'Towns')");
    db.query_row("SELECT text2sql_index_values()", [], |_| Ok(())).expect("an index");
    one(&db, "SELECT text2sql_remember('How are we?', 'SELECT 1 AS well')");
    still("what the functions write");
    db.execute_batch("VACUUM").expect("VACUUM");
    still("pages");
    let another = Connection::open(&good).expect("the file");
    another
        .execute_batch("UPDATE text2sql_verified_question SET question = 'How many orders?'")
        .expect("ok");
    still("another connection");
    db.execute_batch("BEGIN; DELETE FROM text2sql_description; ROLLBACK").expect("a transaction");
    still("a rollback");
}

#[test]
fn a_file_never_lifts_a_label_of_the_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a folder").join("shop.db");
    let planted = "CREATE TABLE staff(name TEXT, income TEXT);
        INSERT INTO staff VALUES ('Gudrun', 'fortyseven');
        CREATE TABLE text2sql_description(table_name, column_name, description, values_withheld);
        INSERT INTO text2sql_description VALUES ('staff', 'income', NULL, 0),
            ('STAFF', 'INCOME', 'theirs', -1), ('staff', '', 'theirs', -1), ('staff', 'name', NULL, 1);";
    Connection::open(&path).expect("a file").execute_batch(planted).expect("its contents");
    let db = connect(&path);
    db.execute_batch(
        "CREATE TEMP TABLE text2sql_description(table_name, column_name, description, values_withheld);
         INSERT INTO temp.text2sql_description VALUES ('staff', 'income', 'mine', 1);",
    )
    .expect("labels of the user");
    let found = |phrase: &str| {
        let sql = "SELECT count(*) FROM text2sql_search_values(?1)";
        db.query_row(sql, [phrase], |row| row.get::<_, i64>(0)).expect(sql)
    };
    let comment = || {
        let sql = "SELECT description FROM text2sql_search_columns('income')
                   WHERE column_name = 'income'";
        one(&db, sql)
    };
    for trusted in ["", "main"] {
        trust(&db, trusted);
        assert_eq!((found("fortyseven"), found("gudrun")), (0, 0), "{trusted}");
        assert_eq!(comment(), "mine", "{trusted}");
    }
}
