//! Descriptions of tables and columns, in the table `text2sql_description` of the database that
//! they are about, or of temp if that cannot be written.

use std::sync::Arc;

use rusqlite::{Result, params};
use text2sql_engine::catalog::secrets::Values;
use text2sql_engine::catalog::{Catalog, Table, TableId};

use crate::handle::Handle;
use crate::own_tables::{DESCRIPTION, Found, look};
use crate::text::in_database;
use crate::text::text_of;
use crate::write::write_by;

/// Add the stored descriptions to the tables. Those in temp are about the tables that bare names
/// reach.
///
/// Descriptions in a file that the host does not trust are ignored, except that values stay
/// withheld.
pub fn apply(handle: &Handle, tables: &mut [Table], databases: &[String]) -> Result<()> {
    let connection = handle.connection();
    for database_name in databases {
        let counts = handle.counts(database_name, &DESCRIPTION)?;
        if look(connection, database_name, &DESCRIPTION)? != Found::Own {
            continue;
        }
        let sql = format!(
            "SELECT table_name, column_name, CASE WHEN ?1 THEN description END,
                    coalesce(CAST(values_withheld AS INTEGER), 0) FROM {}",
            in_database(database_name, DESCRIPTION.name)
        );
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([counts])?;
        while let Some(row) = rows.next()? {
            let text = |at| row.get_ref(at).map(text_of);
            let (Some(name), column) = (text(0)?, text(1)?.unwrap_or_default()) else { continue };
            let about = |t: &&mut Table| {
                let here = t.schema == *database_name || database_name == "temp" && t.visible;
                here && t.name.eq_ignore_ascii_case(&name)
            };
            let Some(table) = tables.iter_mut().find(about) else { continue };
            if column.is_empty() {
                table.comment = text(2)?;
            } else if let Some(column) =
                table.columns.iter_mut().find(|c| c.name.eq_ignore_ascii_case(&column))
            {
                let column = Arc::make_mut(column);
                column.comment = text(2)?.map(String::into_boxed_str);
                column.values = match row.get::<_, i64>(3)? {
                    1.. => Values::Labelled,
                    0 => Values::Shown,
                    // an untrusted file can withhold values but not release them
                    ..0 if !counts => Values::Shown,
                    ..0 => Values::Released,
                };
            }
        }
    }
    Ok(())
}

/// Store descriptions of `table`: columns ('' for the table itself) with their texts.
pub fn store(
    handle: &Handle,
    catalog: &Catalog,
    table: TableId,
    texts: &[(String, Option<String>)],
) -> Result<()> {
    let (table, connection) = (catalog.table(table), handle.connection());
    let read_only = connection.is_readonly(table.schema.as_str())?;
    let place = if read_only { "temp" } else { table.schema.as_str() };
    let name = in_database(place, DESCRIPTION.name);
    let named = |sql: &str| sql.replace("{table}", &name);
    let create = named(include_str!("sql/create_description.sql"));
    handle.making(place, &DESCRIPTION, || connection.execute_batch(&create))?;
    let mut statement = connection.prepare(&named(include_str!("sql/describe.sql")))?;
    for (column, text) in texts {
        write_by(&mut statement, params![table.name, column, text])?;
    }
    Ok(())
}

/// The descriptions in a BIRD `database_description` file: CSV with the columns
/// original_column_name, column_name, column_description, data_format, value_description, of
/// which all but the first may be missing.
///
/// Errors: what is wrong with the text.
pub fn read_csv(text: &str) -> std::result::Result<Vec<(String, Option<String>)>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header: Vec<String> =
        reader.headers().map_err(|e| e.to_string())?.iter().map(|h| h.trim().to_owned()).collect();
    let place = |name: &str| header.iter().position(|h| h.eq_ignore_ascii_case(name));
    let original = place("original_column_name")
        .ok_or("the first line names no column original_column_name")?;
    let mut found = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| e.to_string())?;
        let field = |place: Option<usize>| {
            let words = place.and_then(|p| record.get(p)).unwrap_or_default();
            words.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let column = field(Some(original));
        let called = field(place("column_name"));
        let mut parts = Vec::new();
        if !called.is_empty() && !called.eq_ignore_ascii_case(&column) {
            parts.push(called);
        }
        parts.push(field(place("column_description")));
        parts.push(field(place("value_description")));
        parts.retain(|part| !part.is_empty());
        parts.dedup();
        if !column.is_empty() && !parts.is_empty() {
            found.push((column, Some(parts.join("; "))));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bird_descriptions_are_read_as_they_come() {
        let check = |csv: &str, expect: &[(&str, &str)]| {
            let read = read_csv(csv).expect(csv);
            let read: Vec<(&str, &str)> =
                read.iter().map(|(c, t)| (&**c, t.as_deref().unwrap_or_default())).collect();
            assert_eq!(read, expect);
        };
        check(
            "\u{feff}original_column_name,column_name,column_description,data_format,value_description\n\
             A11,average salary,mean of the district,integer,\n\
             sex , ,,,\"F: female\nM: male\"\nid,id,,integer,\n",
            &[("A11", "average salary; mean of the district"), ("sex", "F: female M: male")],
        );
        check("original_column_name\nx\n", &[]);
        assert!(read_csv("a,b\n1,2\n").is_err());
    }
}
