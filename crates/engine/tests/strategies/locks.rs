//! A lock that another connection takes while a model writes the query.

use rusqlite::{Connection, OpenFlags};
use text2sql_sqlite::SqliteDatabase;

use super::support::{Case, SHOP, Scripted, sql};

const COUNT: &str = "SELECT count(*) FROM customers";

#[test]
fn no_model_is_asked_to_mend_a_lock() {
    let connect = || {
        let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_URI;
        let uri = "file:no_model_is_asked_to_mend_a_lock?mode=memory&cache=shared";
        Connection::open_with_flags(uri, flags).expect("a shared cache")
    };
    for strategy in ["zero_shot", "adaptive", "gsr", "mag", "interactive"] {
        let (other, connection) = (connect(), connect());
        other.execute_batch(SHOP).expect("the schema");
        let database = SqliteDatabase::new(connection);
        let model = Scripted::new(|_| {
            let lock = "BEGIN; CREATE TABLE later(id)";
            if other.is_autocommit() {
                other.execute_batch(lock).expect("a lock of the schema");
            }
            match strategy {
                "interactive" => format!("Action: ExecuteSQL(\"{COUNT}\") [END]"),
                _ => sql(COUNT),
            }
        });
        let (question, hint, settings) = ("How many customers are there?", None, &[][..]);
        let case = Case { database: &database, strategy, question, hint, settings };
        let run = case.run(&model);
        assert_eq!(run.sqlstate(), "55P03", "{strategy}");
        let last = run.sent.last().expect("a request");
        assert!(!last.messages.iter().any(|m| m.content.contains("locked")), "{strategy}");
        drop(database);
        other.execute_batch("ROLLBACK").expect("no lock");
    }
}
