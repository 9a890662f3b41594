//! Prints the SQL objects of a built PostgreSQL extension, as the script that CREATE EXTENSION runs:
//! `text2sql-schema LIBRARY CONTROL_FILE`. The macros of pgrx leave them in a section of the library.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use object::{Object, ObjectSection};
use pgrx_sql_entity_graph::section::{decode_entities, is_schema_section_name};
use pgrx_sql_entity_graph::{ControlFile, PgrxSql, SqlGraphEntity};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, control] = &arguments[..] else {
        eprintln!("usage: text2sql-schema LIBRARY CONTROL_FILE");
        return ExitCode::FAILURE;
    };
    match script(library.as_ref(), control.as_ref()) {
        Ok(sql) => {
            print!("{sql}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {library}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The script for the extension in this library, which its control file describes.
fn script(library: &Path, control: &Path) -> Result<String, Box<dyn Error>> {
    let data = std::fs::read(library)?;
    let file = object::File::parse(&*data)?;
    let section = file
        .sections()
        .find(|section| section.name().is_ok_and(is_schema_section_name))
        .ok_or("no SQL objects in it; was it stripped, or built with another pgrx?")?;
    let control = ControlFile::from_path_with_cargo_version(control, env!("CARGO_PKG_VERSION"))?;
    let mut entities = vec![SqlGraphEntity::ExtensionRoot(control)];
    entities.extend(decode_entities(section.data()?)?);
    let sql = PgrxSql::build(entities.into_iter(), "text2sql".to_owned(), false)?;
    Ok(pinned(&sql.to_sql()?))
}

/// The script with names looked up among PostgreSQL's own alone. It runs as a superuser, with the
/// extension's schema on the search path, where others may have put a function or an operator that
/// fits better. What is created without a schema goes into the extension's, and a schema of somebody
/// else is never taken for one of the extension's own.
fn pinned(script: &str) -> String {
    let script = script.replace("CREATE SCHEMA IF NOT EXISTS", "CREATE SCHEMA");
    let script = script.replace("CREATE  FUNCTION \"", "CREATE  FUNCTION @extschema@.\"");
    format!("SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);\n{script}")
}
