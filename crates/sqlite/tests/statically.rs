//! The library in a program that links SQLite itself. As a loadable extension it links none.
#![cfg(not(feature = "loadable"))]

use rusqlite::Connection;

/// As on iOS, where nothing can be loaded: each connection that is opened has the functions.
#[test]
fn registered_statically_every_connection_has_the_functions() {
    use rusqlite::ffi;

    type Entry = unsafe extern "C" fn(
        *mut ffi::sqlite3,
        *mut *mut std::ffi::c_char,
        *const std::ffi::c_void,
    ) -> std::ffi::c_int;
    type Registered = unsafe extern "C" fn(
        *mut ffi::sqlite3,
        *mut *mut std::ffi::c_char,
        *const ffi::sqlite3_api_routines,
    ) -> std::ffi::c_int;
    // SAFETY: the last argument is a pointer either way, and not looked at.
    let entry =
        unsafe { std::mem::transmute::<Entry, Registered>(text2sql_sqlite::sqlite3_text2sql_init) };
    // SAFETY: an entry point, which lives as long as the process.
    assert_eq!(unsafe { ffi::sqlite3_auto_extension(Some(entry)) }, ffi::SQLITE_OK);
    let db = Connection::open_in_memory().expect("a database in memory");
    // SAFETY: the same; other tests register for themselves.
    unsafe { ffi::sqlite3_cancel_auto_extension(Some(entry)) };
    db.execute_batch("CREATE TABLE gull(id INTEGER); INSERT INTO gull VALUES (1), (2)")
        .expect("the schema");
    let asked = "SELECT ask FROM ask('How many gulls are there?')";
    let answer: String = db.query_row(asked, [], |row| row.get(0)).expect(asked);
    assert_eq!(answer, r#"{"count":2}"#);
}
