//! Dumps by `pg_dump`: as a text, and into the attached databases of a SQLite connection, a schema
//! each. Tables, columns, comments and rows are read, and nothing else.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rusqlite::{Connection, params_from_iter};
use text2sql_engine::dialect::Dialect;

use crate::dataset::Dataset;

/// A dump's text; one that ends in `.xz` is unpacked by `xz`.
pub fn text(file: &Path) -> Result<Vec<u8>> {
    if file.extension().is_none_or(|ending| ending != "xz") {
        return std::fs::read(file).with_context(|| format!("reading {}", file.display()));
    }
    let output = Command::new("xz").arg("-dc").arg(file).output().context("running xz")?;
    let messages = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "xz failed on {}: {messages}", file.display());
    Ok(output.stdout)
}

/// A table of a dump.
#[derive(Debug, Default, PartialEq)]
pub struct DumpTable {
    /// Names and types.
    pub columns: Vec<(String, String)>,
    /// Comments by column, that of the table under no name.
    comments: BTreeMap<String, String>,
    /// The columns of its rows, and these as COPY writes them.
    copied: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
}

/// The tables of a dump by schema and name.
pub type Tables = BTreeMap<(String, String), DumpTable>;

/// The tables of a benchmark's database that is published as a dump.
pub fn of(dataset: &Dataset, db: &str) -> Result<Tables> {
    let file = dataset.dump_file(db).with_context(|| format!("no dump of {db}"))?;
    Ok(tables(&String::from_utf8_lossy(&text(&file)?)))
}

/// The tables of a dump's text.
pub fn tables(text: &str) -> Tables {
    let mut tables = Tables::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("CREATE TABLE ") {
            let Some((name, _)) = qualified(rest) else { continue };
            let body = lines.by_ref().take_while(|line| !line.starts_with(");"));
            let columns = body.filter_map(column).collect();
            tables.entry(name).or_default().columns = columns;
        } else if let Some(rest) = line.strip_prefix("COMMENT ON ") {
            // a comment ends where the quotes are closed
            let mut whole = rest.to_owned();
            while whole.matches('\'').count() % 2 == 1 {
                let Some(more) = lines.next() else { break };
                whole.push('\n');
                whole.push_str(more);
            }
            comment(&whole, &mut tables);
        } else if let Some(rest) = line.strip_prefix("COPY ") {
            let Some((name, rest)) = qualified(rest) else { continue };
            let list = rest.trim_start().strip_prefix('(').and_then(|r| r.rsplit_once(") FROM "));
            let rows = lines.by_ref().take_while(|line| *line != "\\.").map(row).collect();
            let table = tables.entry(name).or_default();
            table.copied = list.map(|(names, _)| identifiers(names)).unwrap_or_default();
            table.rows = rows;
        }
    }
    tables
}

/// An identifier at the start of a text, unquoted, and what follows.
fn identifier(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(|c: char| !(c.is_alphanumeric() || "_$".contains(c)));
        let end = end.unwrap_or(text.len());
        return (end > 0).then(|| (text[..end].to_owned(), &text[end..]));
    };
    let mut from = 0;
    loop {
        let end = from + quoted[from..].find('"')?;
        if !quoted[end + 1..].starts_with('"') {
            return Some((quoted[..end].replace("\"\"", "\""), &quoted[end + 1..]));
        }
        from = end + 2;
    }
}

fn qualified(text: &str) -> Option<((String, String), &str)> {
    let (schema, rest) = identifier(text)?;
    let (name, rest) = identifier(rest.strip_prefix('.')?)?;
    Some(((schema, name), rest))
}

fn identifiers(list: &str) -> Vec<String> {
    let mut rest = list;
    let mut names = Vec::new();
    while let Some((name, after)) = identifier(rest.trim_start_matches([',', ' '])) {
        names.push(name);
        rest = after;
    }
    names
}

/// A line of CREATE TABLE: a name and a type without its constraints.
fn column(line: &str) -> Option<(String, String)> {
    let line = line.trim().trim_end_matches(',');
    let (name, rest) = identifier(line)?;
    let ends = [" NOT NULL", " DEFAULT ", " GENERATED ", " COLLATE "];
    let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
    (name != "CONSTRAINT").then(|| (name, rest[..end].trim().to_owned()))
}

fn comment(text: &str, tables: &mut Tables) {
    let place = |text: &str| -> Option<((String, String), String, String)> {
        let (of_column, rest) = match text.strip_prefix("COLUMN ") {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix("TABLE ")?),
        };
        let (name, rest) = qualified(rest)?;
        let (column, rest) = match of_column {
            true => identifier(rest.strip_prefix('.')?)?,
            false => (String::new(), rest),
        };
        let text = rest.trim_start().strip_prefix("IS '")?.strip_suffix("';")?;
        Some((name, column, text.replace("''", "'")))
    };
    if let Some((name, column, text)) = place(text) {
        tables.entry(name).or_default().comments.insert(column, text);
    }
}

/// A line of COPY's text format.
fn row(line: &str) -> Vec<Option<String>> {
    let field = |field: &str| {
        if field == "\\N" {
            return None;
        }
        let mut text = String::with_capacity(field.len());
        let mut letters = field.chars();
        while let Some(letter) = letters.next() {
            match (letter, letter == '\\') {
                (_, true) => text.extend(letters.next().map(|escaped| match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                })),
                (letter, false) => text.push(letter),
            }
        }
        Some(text)
    };
    line.split('\t').map(field).collect()
}

/// A connection with these tables: those of `public` in its main database, every other schema in one
/// of its own, all in memory.
pub fn in_sqlite(tables: &Tables) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    let quote = |name: &str| Dialect::Sqlite.identifier(name);
    let mut attached: Vec<&str> = Vec::new();
    // SQLite reserves these names
    let allowed = tables.iter().filter(|((_, name), _)| !name.starts_with("sqlite_"));
    for ((schema, name), table) in allowed {
        let database = if schema == "public" { "main" } else { schema };
        if !attached.contains(&database) {
            if database != "main" {
                connection
                    .execute(&format!("ATTACH ':memory:' AS {}", quote(database)), [])
                    .with_context(|| format!("attaching {database}"))?;
            }
            attached.push(database);
        }
        let in_database = format!("{}.{}", quote(database), quote(name));
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|(name, of)| format!("{} {}", quote(name), type_name(of)))
            .collect();
        connection.execute(&format!("CREATE TABLE {in_database} ({})", columns.join(", ")), [])?;
        for row in &table.rows {
            let names: Vec<String> = table.copied.iter().map(|name| quote(name)).collect();
            let places = vec!["?"; names.len()].join(", ");
            let sql = format!("INSERT INTO {in_database} ({}) VALUES ({places})", names.join(", "));
            connection.execute(&sql, params_from_iter(row))?;
        }
        describe(&connection, &quote(database), name, table)?;
    }
    Ok(connection)
}

/// A type as SQLite takes it: in quotes, whatever it is made of.
fn type_name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The comments, where the SQLite extension reads them.
fn describe(connection: &Connection, database: &str, name: &str, table: &DumpTable) -> Result<()> {
    if table.comments.is_empty() {
        return Ok(());
    }
    let described = format!("{database}.text2sql_description");
    connection.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS {described}(table_name TEXT NOT NULL COLLATE NOCASE, \
         column_name TEXT NOT NULL DEFAULT '' COLLATE NOCASE, description TEXT, \
         values_withheld INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (table_name, column_name)) \
         WITHOUT ROWID"
    ))?;
    let insert = format!("INSERT OR REPLACE INTO {described} VALUES (?, ?, ?, 0)");
    for (column, text) in &table.comments {
        connection.execute(&insert, [name, column, text])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_comments_and_rows_of_a_dump_are_read() {
        let dump = "CREATE TABLE s.\"Boats_2020\" (\n    id bigint NOT NULL,\n    \"Hull Type\" \
                    character varying(20) DEFAULT 'x'::character varying,\n    tags text[]\n);\n\
                    COMMENT ON COLUMN s.\"Boats_2020\".id IS 'It''s\nlong';\n\
                    COMMENT ON TABLE s.\"Boats_2020\" IS 'boats';\n\
                    COPY s.\"Boats_2020\" (id, \"Hull Type\", tags) FROM stdin;\n\
                    1\ta\\tb\t\\N\n\\.\n";
        let all = tables(dump);
        let table = &all[&("s".to_owned(), "Boats_2020".to_owned())];
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["id", "Hull Type", "tags"]);
        assert_eq!(table.columns[1].1, "character varying(20)");
        assert_eq!(table.comments["id"], "It's\nlong");
        let connection = in_sqlite(&all).expect("loaded");
        let row: (i64, String, Option<String>) = connection
            .query_row("SELECT id, \"Hull Type\", tags FROM s.\"Boats_2020\"", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .expect("one row");
        assert_eq!(row, (1, "a\tb".to_owned(), None));
    }
}
