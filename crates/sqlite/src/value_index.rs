//! The index of stored values: an FTS5 trigram table `text2sql_value` in the database that the
//! values are in; of one that cannot be written, in temp. It is built on request and is as old
//! as that: what it finds is looked up before it counts.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Result, ToSql, params};
use text2sql_engine::catalog::{Catalog, ColumnId, Table, TableId};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::link::value_key;

use crate::catalog::in_database;
use crate::values::is_searchable;

const TABLE: &str = "text2sql_value";
/// Longest value indexed, in bytes.
const INDEXED_BYTES: usize = 200;

/// Where the values of a database are indexed.
fn place(connection: &Connection, table: &Table) -> Result<String> {
    let read_only = connection.is_readonly(table.schema.as_str())?;
    Ok(in_database(if read_only { "temp" } else { &table.schema }, TABLE))
}

/// Index the values of the searchable columns of `tables` anew; how many there are.
pub fn build(connection: &Connection, catalog: &Catalog, tables: &[TableId]) -> Result<u64> {
    let mut count = 0;
    for &id in tables {
        let table = catalog.table(id);
        let columns: Vec<ColumnId> =
            catalog.column_ids(id).filter(|&c| is_searchable(catalog, c)).collect();
        if columns.is_empty() {
            continue;
        }
        let index = place(connection, table)?;
        let create = include_str!("sql/create_value_index.sql").replace("{table}", &index);
        connection.execute_batch(&create)?;
        let forget = format!("DELETE FROM {index} WHERE table_name = ?1");
        connection.execute(&forget, [&table.name])?;
        for column in columns {
            count += add(connection, catalog, column, &index)?;
        }
    }
    Ok(count)
}

/// Add the distinct values of a column to an index; how many.
fn add(connection: &Connection, catalog: &Catalog, id: ColumnId, index: &str) -> Result<u64> {
    let (table, column) = (catalog.table(id.table), &catalog.column(id).name);
    let (name, from) =
        (Dialect::Sqlite.identifier(column), in_database(&table.schema, &table.name));
    let select = |place: &str| {
        format!(
            "SELECT {name}, {place} FROM {from}
             WHERE typeof({name}) = 'text' AND length({name}) <= {INDEXED_BYTES}
             GROUP BY {name} COLLATE BINARY"
        )
    };
    // views and tables WITHOUT ROWID have none
    let values = connection.prepare(&select("min(rowid)"));
    let mut values = values.or_else(|_| connection.prepare(&select("NULL")))?;
    let insert = format!(
        "INSERT INTO {index}(key, value, table_name, column_name, place) VALUES (?1, ?2, ?3, ?4, ?5)"
    );
    let mut insert = connection.prepare(&insert)?;
    let (mut rows, mut count) = (values.query([])?, 0);
    while let Some(row) = rows.next()? {
        let (value, place): (String, Value) = (row.get(0)?, row.get(1)?);
        if !catalog.column(id).values.let_out(&value) {
            continue;
        }
        insert.execute(params![padded(&value_key(&value)), value, table.name, column, place])?;
        count += 1;
    }
    Ok(count)
}

/// A key as it is indexed: trigrams then tell how its words begin and end.
fn padded(key: &str) -> String {
    format!(" {key} ")
}

/// What is looked for one after the other, until something is found: an FTS5 expression over
/// keys, and the order in which its matches are taken.
fn tiers(key: &str) -> Vec<(String, &'static str)> {
    const SHORTEST: &str = "length(key)";
    // the trigram tokenizer finds nothing shorter
    let long = |text: &&str| text.chars().count() >= 3;
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let words: Vec<&str> = key.split(' ').filter(long).collect();
    let trigrams = || {
        let chars: Vec<char> = padded(key).chars().collect();
        let trigram = |t: &[char]| quoted(&t.iter().collect::<String>());
        chars.windows(3).map(trigram).collect::<Vec<_>>().join(" OR ")
    };
    // one mistake leaves one half of a word whole
    let halves = |word: &&str| {
        let chars: Vec<char> = word.chars().collect();
        let (first, second) = chars.split_at(chars.len() / 2);
        let half = |chars: &[char]| quoted(&chars.iter().collect::<String>());
        match first.len() < 3 {
            true => quoted(word),
            false => format!("({} OR {})", half(first), half(second)),
        }
    };
    let all =
        |each: &dyn Fn(&&str) -> String| words.iter().map(each).collect::<Vec<_>>().join(" AND ");
    let tiers = [
        (if long(&key) { quoted(key) } else { String::new() }, SHORTEST),
        (all(&|word| quoted(word)), SHORTEST),
        (all(&halves), SHORTEST),
        (trigrams(), "rank"),
    ];
    tiers.into_iter().filter(|(expression, _)| !expression.is_empty()).collect()
}

/// Stored values that may be meant by `phrase`, from all indexes, until the connection's
/// deadline: those that hold it, else all its words in any order, else all of them with one
/// mistake each, else those that share most trigrams with it. Case, accents and plural do not
/// count.
pub fn search(
    connection: &Connection,
    catalog: &Catalog,
    phrase: &str,
) -> Result<Vec<(ColumnId, String)>> {
    let mut databases: Vec<&str> = catalog.tables.iter().map(|t| t.schema.as_str()).collect();
    databases.push("temp");
    databases.sort_unstable();
    databases.dedup();
    for (expression, order) in tiers(&value_key(phrase)) {
        let mut found = Vec::new();
        for &database in &databases {
            matching(connection, catalog, database, (&expression, order), &mut found)?;
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Add what a database's index, where it has one, holds for an expression.
fn matching(
    connection: &Connection,
    catalog: &Catalog,
    database: &str,
    (expression, order): (&str, &str),
    found: &mut Vec<(ColumnId, String)>,
) -> Result<()> {
    let sql = include_str!("sql/search_value_index.sql")
        .replace("{table}", &in_database(database, TABLE))
        .replace("{order}", order);
    let Ok(mut statement) = connection.prepare(&sql) else { return Ok(()) }; // not built here
    let rows = statement.query_map([expression], |r| {
        Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?, r.get::<_, String>(2)?, r.get(3)?))
    })?;
    // an error is the deadline: what was found so far is kept
    for (value, table, column, place) in rows.map_while(Result::ok) {
        let schema = (database != "temp").then_some(database);
        let tables = catalog.tables_named(schema, &table);
        let column = tables.iter().find_map(|&t| catalog.column_named(t, &column));
        if let Some(column) = column.filter(|&c| is_searchable(catalog, c))
            && is_stored(connection, catalog, column, &value, &place)
        {
            found.push((column, value));
        }
    }
    Ok(())
}

/// Whether the value is still there: in the row where it was, else in any.
fn is_stored(
    connection: &Connection,
    catalog: &Catalog,
    column: ColumnId,
    value: &str,
    place: &Value,
) -> bool {
    let table = catalog.table(column.table);
    let name = Dialect::Sqlite.identifier(&catalog.column(column).name);
    let from = in_database(&table.schema, &table.name);
    let there = |condition: &str, values: &[&dyn ToSql]| {
        let sql = format!("SELECT 1 FROM {from} WHERE {name} = ?1 {condition} LIMIT 1");
        let found = connection.query_row(&sql, values, |_| Ok(())).optional();
        matches!(found, Ok(Some(())))
    };
    *place != Value::Null && there("AND rowid = ?2", &[&value, place]) || there("", &[&value])
}
