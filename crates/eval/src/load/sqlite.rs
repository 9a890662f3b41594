//! A SQLite file copied into an empty PostgreSQL database.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use postgres::Client;
use text2sql_engine::dialect::Dialect;

use super::types::{Target, choose};
use crate::database::Database;
use crate::database::sqlite::Sqlite;
use crate::value::{Row, Value};

/// Reading one table of a benchmark takes seconds at most.
const READ_LIMIT: Duration = Duration::from_secs(600);

fn quoted(name: &str) -> String {
    Dialect::Postgres.identifier(name)
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

/// Copy tables, then keys: primary and unique ones first, then foreign ones.
pub fn copy(file: &Path, client: &mut Client) -> Result<()> {
    let mut source = Source(Sqlite::open(file, READ_LIMIT)?);
    let tables = source.tables()?;
    let mut plans = BTreeMap::new();
    for table in &tables {
        plans.insert(table.to_lowercase(), plan_table(&mut source, table)?);
    }
    for table in &tables {
        for key in source.foreign_keys(table)? {
            align(&mut plans, table, &key);
        }
    }
    for table in &tables {
        let plan = &plans[&table.to_lowercase()];
        copy_table(&mut source, client, table, plan).with_context(|| format!("table {table}"))?;
    }
    for table in &tables {
        for key in source.unique_keys(table)? {
            add_unique(client, table, &key);
        }
    }
    for table in &tables {
        for key in source.foreign_keys(table)? {
            add_foreign(client, table, &key);
        }
    }
    Ok(())
}

/// The PostgreSQL type of a column.
struct ColumnPlan {
    name: String,
    target: Target,
    /// Every value is a whole number, perhaps written as text.
    whole: bool,
}

fn plan_table(source: &mut Source, table: &str) -> Result<Vec<ColumnPlan>> {
    let columns = source.columns(table)?;
    let rows = source.all(table)?;
    let plan = |(place, (name, declared)): (usize, (String, String))| {
        let values = rows.iter().map(move |row| &row[place]);
        let whole = values.clone().all(is_whole);
        ColumnPlan { name, target: choose(&declared, values), whole }
    };
    Ok(columns.into_iter().enumerate().map(plan).collect())
}

/// NULL, or a number that round-trips as text.
fn is_whole(value: &Value) -> bool {
    match value {
        Value::Null | Value::Int(_) => true,
        Value::Text(text) => text.parse::<i64>().is_ok_and(|n| n.to_string() == *text),
        _ => false,
    }
}

/// SQLite joins text '1' to number 1; in PostgreSQL both sides of a key need the same type.
fn align(plans: &mut BTreeMap<String, Vec<ColumnPlan>>, table: &str, key: &ForeignKey) {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    for (from, to) in key.columns.iter().zip(&key.references) {
        let (table, other) = (table.to_lowercase(), key.table.to_lowercase());
        let find = |plans: &BTreeMap<String, Vec<ColumnPlan>>, table: &str, name: &str| {
            let columns = plans.get(table)?;
            let place = columns.iter().position(|c| same(&c.name, name))?;
            Some((place, columns[place].target, columns[place].whole))
        };
        let (Some(child), Some(parent)) = (find(plans, &table, from), find(plans, &other, to))
        else {
            continue;
        };
        let mut set = |table: &str, place: usize, target: Target| {
            if let Some(columns) = plans.get_mut(table) {
                columns[place].target = target;
            }
        };
        match (child.1, parent.1) {
            (a, b) if a == b => {}
            (Target::Text, Target::BigInt) if child.2 => set(&table, child.0, Target::BigInt),
            (Target::BigInt, Target::Text) if parent.2 => set(&other, parent.0, Target::BigInt),
            (Target::BigInt, Target::Text) => set(&table, child.0, Target::Text),
            _ => {}
        }
    }
}

/// The file's schema.
struct Source(Sqlite);

struct UniqueKey {
    columns: Vec<String>,
    primary: bool,
}

struct ForeignKey {
    columns: Vec<String>,
    table: String,
    references: Vec<String>,
}

fn text(value: &Value) -> String {
    value.display()
}

impl Source {
    fn rows(&mut self, sql: &str) -> Result<Vec<Row>> {
        Ok(self.0.query(sql).map_err(|e| anyhow!(e))?.rows)
    }

    /// `pragma_NAME('argument')`; SQLite takes no parameter through this connection.
    fn pragma(&mut self, name: &str, argument: &str, columns: &str) -> Result<Vec<Row>> {
        let argument = Dialect::Sqlite.string(argument);
        self.rows(&format!("SELECT {columns} FROM pragma_{name}({argument})"))
    }

    fn tables(&mut self) -> Result<Vec<String>> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' \
                   AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid";
        Ok(self.rows(sql)?.iter().map(|row| text(&row[0])).collect())
    }

    /// All rows of a table.
    fn all(&mut self, table: &str) -> Result<Vec<Row>> {
        self.rows(&format!("SELECT * FROM {}", Dialect::Sqlite.identifier(table)))
    }

    /// Columns with their declared types.
    fn columns(&mut self, table: &str) -> Result<Vec<(String, String)>> {
        let rows = self.pragma("table_info", table, "name, type")?;
        Ok(rows.iter().map(|row| (text(&row[0]), text(&row[1]))).collect())
    }

    fn unique_keys(&mut self, table: &str) -> Result<Vec<UniqueKey>> {
        let mut primary = self.pragma("table_info", table, "pk, name")?;
        primary.retain(|row| row[0] != Value::Int(0));
        primary.sort_by_key(|row| row[0].number().map_or(0, |n| n as i64));
        let mut keys = Vec::new();
        if !primary.is_empty() {
            let columns = primary.iter().map(|row| text(&row[1])).collect();
            keys.push(UniqueKey { columns, primary: true });
        }
        let indexes = self.pragma("index_list", table, "name, \"unique\", origin, partial")?;
        for index in indexes {
            if index[1] == Value::Int(1) && text(&index[2]) != "pk" && index[3] == Value::Int(0) {
                let rows = self.pragma("index_info", &text(&index[0]), "name")?;
                // an index on an expression has no column name
                if rows.iter().all(|row| !row[0].is_null()) {
                    let columns = rows.iter().map(|row| text(&row[0])).collect();
                    keys.push(UniqueKey { columns, primary: false });
                }
            }
        }
        Ok(keys)
    }

    fn foreign_keys(&mut self, table: &str) -> Result<Vec<ForeignKey>> {
        let rows = self.pragma("foreign_key_list", table, "id, \"table\", \"from\", \"to\"")?;
        let mut keys: Vec<(Value, ForeignKey)> = Vec::new();
        for row in rows {
            if keys.last().is_none_or(|(id, _)| *id != row[0]) {
                let (columns, references) = (Vec::new(), Vec::new());
                let key = ForeignKey { columns, table: text(&row[1]), references };
                keys.push((row[0].clone(), key));
            }
            let (_, key) = keys.last_mut().expect("pushed above");
            key.columns.push(text(&row[2]));
            if !row[3].is_null() {
                key.references.push(text(&row[3]));
            }
        }
        Ok(keys.into_iter().map(|(_, key)| key).collect())
    }
}

fn copy_table(
    source: &mut Source,
    client: &mut Client,
    table: &str,
    plan: &[ColumnPlan],
) -> Result<()> {
    let definition = |c: &ColumnPlan| format!("{} {}", quoted(&c.name), c.target.name());
    let definitions: Vec<String> = plan.iter().map(definition).collect();
    let targets: Vec<Target> = plan.iter().map(|c| c.target).collect();
    let create = format!("CREATE TABLE {} ({})", quoted(table), definitions.join(", "));
    client.batch_execute(&create)?;
    let rows = source.all(table)?;
    let mut writer = client.copy_in(&format!("COPY {} FROM STDIN", quoted(table)))?;
    for row in &rows {
        writer.write_all(copy_line(row, &targets).as_bytes())?;
    }
    writer.finish()?;
    Ok(())
}

/// One line of COPY's text format.
fn copy_line(row: &[Value], targets: &[Target]) -> String {
    let field = |(value, target): (&Value, &Target)| match target.copy_text(value) {
        None => "\\N".to_owned(),
        Some(text) => text
            .replace('\\', "\\\\")
            .replace('\t', "\\t")
            .replace('\n', "\\n")
            .replace('\r', "\\r"),
    };
    let fields: Vec<String> = row.iter().zip(targets).map(field).collect();
    format!("{}\n", fields.join("\t"))
}

/// A key that the data violates is left out; SQLite accepts such data.
fn add_unique(client: &mut Client, table: &str, key: &UniqueKey) {
    let kind = if key.primary { "PRIMARY KEY" } else { "UNIQUE" };
    let sql = format!("ALTER TABLE {} ADD {kind} ({})", quoted(table), list(&key.columns));
    let _ = client.batch_execute(&sql);
}

/// A foreign key violated by rows is declared NOT VALID, so it still shows how tables join. One
/// whose target is not unique, or of another type, is left out.
fn add_foreign(client: &mut Client, table: &str, key: &ForeignKey) {
    let target = if key.references.is_empty() {
        quoted(&key.table)
    } else {
        format!("{} ({})", quoted(&key.table), list(&key.references))
    };
    let sql = format!(
        "ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {target}",
        quoted(table),
        list(&key.columns)
    );
    if client.batch_execute(&sql).is_err() {
        let _ = client.batch_execute(&format!("{sql} NOT VALID"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_lines_keep_every_value_inert() {
        let row = [Value::Text("a\tb\\n\n".into()), Value::Null, Value::Int(1)];
        let line = copy_line(&row, &[Target::Text, Target::Text, Target::Boolean]);
        assert_eq!(line, "a\\tb\\\\n\\n\t\\N\t1\n");
    }
}
