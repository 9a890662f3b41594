//! The type `text2sql.role_name`: a role by its number, shown by its name, as `regrole` is. A dump
//! that names a role which the cluster lacks can be restored: a trigger skips what is the role's.

use std::cell::RefCell;
use std::ffi::{CStr, CString};

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::pg::encoding;
use crate::pg::error::tell;

/// Nobody: a role that was dropped before the dump.
const NOBODY: &str = "-";
/// The number of a role that a restored row names and that does not exist.
const MISSING: u32 = u32::MAX;

/// A role's name, as it is or in quotes. In a COPY, one that does not exist gives a warning.
#[pg_extern(
    schema = "text2sql",
    requires = ["role_name_shell"],
    sql = r#"
    CREATE FUNCTION text2sql.role_name_in(name cstring) RETURNS text2sql.role_name
    STABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn role_name_in(name: &CStr) -> pg_sys::Oid {
    let text = encoding::from_server(name.to_bytes());
    if text == NOBODY {
        return pg_sys::InvalidOid;
    }
    let plain = match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => text.to_ascii_lowercase(),
    };
    let role = encoding::shown(&plain);
    // SAFETY: looks a name up.
    let found = unsafe { pg_sys::get_role_oid(role.as_ptr(), true) };
    if found != pg_sys::InvalidOid {
        return found;
    }
    let message = format!("role \"{plain}\" does not exist");
    let code = PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT;
    if !in_copy() {
        tell(PgLogLevel::ERROR, code, message, "SELECT rolname FROM pg_roles;");
    } else if is_news(&plain) {
        let message = format!("{message}: what is the role's is not restored");
        let hint = format!("CREATE ROLE {}; before it is restored.", quoted(&role));
        tell(PgLogLevel::WARNING, code, message, &hint);
    }
    pg_sys::Oid::from(MISSING)
}

/// The role's name, in quotes where it needs them.
#[pg_extern(
    schema = "text2sql",
    requires = [role_name_in],
    sql = r#"
    CREATE FUNCTION text2sql.role_name_out(role text2sql.role_name) RETURNS cstring
    STABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#
)]
fn role_name_out(role: pg_sys::Oid) -> CString {
    // SAFETY: gives a palloc'd copy of the name, or null.
    let name = unsafe { pg_sys::GetUserNameFromId(role, true) };
    if name.is_null() {
        return CString::new(NOBODY).unwrap_or_default();
    }
    // SAFETY: gives the name itself or a palloc'd copy in quotes.
    unsafe { CStr::from_ptr(pg_sys::quote_identifier(name)).to_owned() }
}

/// An identifier of the database, in its encoding as it is shown.
fn quoted(name: &CStr) -> String {
    // SAFETY: gives the name itself or a palloc'd copy in quotes.
    unsafe { encoding::c_text(pg_sys::quote_identifier(name.as_ptr())) }
}

/// Whether the session runs a COPY, as a restore does.
fn in_copy() -> bool {
    // SAFETY: the text of the client's statement, or null.
    let text = unsafe {
        match pg_sys::debug_query_string {
            text if text.is_null() => return false,
            text => CStr::from_ptr(text).to_bytes(),
        }
    };
    let first = text.trim_ascii_start().get(..4);
    first.is_some_and(|word| word.eq_ignore_ascii_case(b"copy"))
}

/// Whether a statement has not named a role before.
fn is_news(role: &str) -> bool {
    thread_local! {
        static NAMED: RefCell<(i64, Vec<String>)> = const { RefCell::new((0, Vec::new())) };
    }
    // SAFETY: reads the session's state.
    let now = unsafe { pg_sys::GetCurrentStatementStartTimestamp() };
    NAMED.with_borrow_mut(|(statement, roles)| {
        if *statement != now {
            *statement = now;
            roles.clear();
        }
        let news = !roles.iter().any(|known| known == role);
        if news {
            roles.push(role.to_owned());
        }
        news
    })
}
