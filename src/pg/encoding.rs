//! Conversion of text between UTF-8, which Rust and models use, and the database's encoding, by
//! PostgreSQL's own functions. In a UTF8 database nothing is converted.

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ops::Deref;
use std::panic::AssertUnwindSafe;

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{Datum, UnboxDatum};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{FromDatum, IntoDatum, PgTryBuilder, pg_sys};

const UTF8: c_int = pg_sys::pg_enc::PG_UTF8 as c_int;
const SQL_ASCII: c_int = pg_sys::pg_enc::PG_SQL_ASCII as c_int;

/// Whether the database uses UTF-8.
pub fn is_utf8() -> bool {
    // SAFETY: reads a setting of the backend.
    unsafe { pg_sys::GetDatabaseEncoding() == UTF8 }
}

/// Returns text from the database. Raises PostgreSQL's error if it is not valid, which an SQL_ASCII
/// database does not prevent.
pub fn from_server(bytes: &[u8]) -> String {
    read(bytes).into_owned()
}

/// Returns text from the database as [`from_server`] does, without a copy where none is needed.
pub fn read(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.is_ascii() || is_utf8() {
        return String::from_utf8_lossy(bytes);
    }
    // SAFETY: gives the same bytes, checked, or a palloc'd C string.
    unsafe {
        let source = bytes.as_ptr().cast::<c_char>();
        let converted = pg_sys::pg_server_to_any(source, bytes.len() as c_int, UTF8);
        if converted.cast_const() == source {
            return String::from_utf8_lossy(bytes);
        }
        let text = CStr::from_ptr(converted).to_string_lossy().into_owned();
        pg_sys::pfree(converted.cast());
        Cow::Owned(text)
    }
}

/// Returns text from the database, or `None` for bytes of an SQL_ASCII database that are not UTF-8.
pub fn read_if_valid(bytes: &[u8]) -> Option<Cow<'_, str>> {
    // SAFETY: reads a setting of the backend.
    let unchecked = unsafe { pg_sys::GetDatabaseEncoding() == SQL_ASCII };
    if unchecked { std::str::from_utf8(bytes).ok().map(Cow::Borrowed) } else { Some(read(bytes)) }
}

/// A C string of the database: a name, a setting, a value.
///
/// # Safety
/// `text` is a C string.
pub unsafe fn c_text(text: *const c_char) -> String {
    // SAFETY: by the caller's contract.
    from_server(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// Text for the database, or PostgreSQL's message if it cannot be converted.
pub fn to_server(text: &str) -> Result<CString, String> {
    let nul = |_| "the text holds a NUL character".to_owned();
    if text.is_ascii() || is_utf8() {
        return CString::new(text).map_err(nul);
    }
    let source = CString::new(text).map_err(nul)?;
    PgTryBuilder::new(AssertUnwindSafe(|| {
        // SAFETY: as above; an error is raised if a character has no equivalent.
        unsafe {
            let length = source.as_bytes().len() as c_int;
            let converted = pg_sys::pg_any_to_server(source.as_ptr(), length, UTF8);
            let owned = CStr::from_ptr(converted).to_owned();
            if converted.cast_const() != source.as_ptr() {
                pg_sys::pfree(converted.cast());
            }
            Ok(owned)
        }
    }))
    .catch_others(|_| {
        // SAFETY: a static C string.
        let name = unsafe { CStr::from_ptr(pg_sys::GetDatabaseEncodingName()) };
        Err(format!("a character has no equivalent in encoding {}", name.to_string_lossy()))
    })
    .execute()
}

/// A text as PostgreSQL reads it in a statement, in quotes.
pub fn literal(text: &str) -> String {
    // SAFETY: gives a palloc'd copy in quotes.
    unsafe { c_text(pg_sys::quote_literal_cstr(shown(text).as_ptr())) }
}

/// Text for the database that only people read: `?` replaces what the encoding lacks.
pub fn shown(text: &str) -> CString {
    to_server(text).unwrap_or_else(|_| {
        let mut bytes = Vec::with_capacity(text.len());
        for c in text.chars().filter(|&c| c != '\0') {
            let one = to_server(c.encode_utf8(&mut [0; 4]));
            bytes.extend_from_slice(one.as_deref().map_or(b"?", CStr::to_bytes));
        }
        CString::new(bytes).unwrap_or_default()
    })
}

/// Text as an argument, result or column: in the database's encoding there, UTF-8 here.
#[derive(Debug, Clone, Default)]
pub struct Text(pub String);

/// Several, as an array.
pub fn texts(all: impl IntoIterator<Item = impl Into<String>>) -> Vec<Text> {
    all.into_iter().map(|text| Text(text.into())).collect()
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl FromDatum for Text {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        typoid: pg_sys::Oid,
    ) -> Option<Self> {
        // SAFETY: by the caller's contract, a text or NULL.
        let bytes: Option<&[u8]> =
            unsafe { FromDatum::from_polymorphic_datum(datum, is_null, typoid) };
        bytes.map(|bytes| Self(from_server(bytes)))
    }
}

impl IntoDatum for Text {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        match is_utf8() {
            true => self.0.into_datum(),
            false => shown(&self.0).to_bytes().into_datum(),
        }
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::TEXTOID
    }

    fn is_compatible_with(other: pg_sys::Oid) -> bool {
        String::is_compatible_with(other)
    }
}

// SAFETY: as `String` is, from the bytes of a text.
unsafe impl UnboxDatum for Text {
    type As<'src> = Text;

    unsafe fn unbox<'src>(datum: Datum<'src>) -> Self::As<'src>
    where
        Self: 'src,
    {
        // SAFETY: by the caller's contract, a text that is not NULL.
        unsafe { Self::from_datum(datum.sans_lifetime(), false) }.unwrap_or_default()
    }
}

// SAFETY: a text argument.
unsafe impl<'fcx> ArgAbi<'fcx> for Text {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: by the caller's contract.
        unsafe { arg.unbox_arg_using_from_datum() }.unwrap_or_default()
    }
}

// SAFETY: a text result.
unsafe impl BoxRet for Text {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        match self.into_datum() {
            // SAFETY: by the caller's contract.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}

// SAFETY: the type's name is PostgreSQL's.
unsafe impl SqlTranslatable for Text {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Text);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("TEXT"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("TEXT")));
}
