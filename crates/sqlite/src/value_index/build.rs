//! Building the index of values: all of it or nothing, and nothing of the caller's.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rusqlite::types::{Type, Value, ValueRef};
use rusqlite::{Connection, Error, Result, Statement, ffi, params};
use text2sql_engine::catalog::{Catalog, ColumnId, Table, TableId, TableKind};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::link::value_key;
use text2sql_engine::ports::Database;

use super::{has_trigrams, padded};
use crate::catalog::in_database;
use crate::database::SqliteDatabase;
use crate::execute::is_interrupt;
use crate::own_tables::{Found, VALUE_INDEX, look, not_ours};
use crate::values::is_searchable;

/// Longest value indexed, in bytes.
const INDEXED_BYTES: usize = 200;
/// Values after which the one who waits is told.
const PROGRESS: u64 = 100_000;

/// Whether changes of a table are to be noted from now on, by triggers on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// As it is.
    Unchanged,
    /// Yes.
    On,
    /// No more.
    Off,
}

/// Index the values of the searchable columns of `tables`; how many were written. A table whose
/// changes are noted is brought up to date, any other is read anew.
///
/// An error, an interrupt or the end of the process leaves the index as it was.
pub fn build(database: &SqliteDatabase, tables: &[TableId], following: Following) -> Result<u64> {
    let connection = database.connection();
    let mut places: BTreeMap<String, Vec<TableId>> = BTreeMap::new();
    let catalog = database.catalog().map_err(|e| Error::UserFunctionError(e.into()))?;
    for &id in tables {
        let table = catalog.table(id);
        if catalog.column_ids(id).any(|column| is_searchable(&catalog, column)) {
            places.entry(place(connection, table)?).or_default().push(id);
        }
    }
    let Some(first) = places.keys().next().cloned() else { return Ok(0) };
    let counters = CallersCounters::of(connection);
    let undo = Undo::new(connection)?;
    connection.execute_batch("SAVEPOINT text2sql_index_values")?;
    let built = places.iter().try_fold(0, |count, (place, tables)| {
        Build { database, connection, catalog: &catalog, undo: &undo, place, following }
            .run(tables)
            .map(|added| count + added)
    });
    let done = built.and_then(|count| counters.put_back(&first).map(|()| count));
    match done {
        Ok(count) => {
            connection.execute_batch("RELEASE text2sql_index_values")?;
            counters.put_back_rowid();
            Ok(count)
        }
        Err(error) => {
            undo.run();
            counters.put_back_rowid();
            Err(error)
        }
    }
}

/// The database in which the values of a table are indexed.
fn place(connection: &Connection, table: &Table) -> Result<String> {
    let read_only = connection.is_readonly(table.schema.as_str())?;
    Ok(if read_only { "temp".to_owned() } else { table.schema.clone() })
}

/// Takes back what the savepoint holds. An interrupted connection neither prepares nor runs a
/// ROLLBACK while a statement runs, and our caller's does. But an interrupted statement that
/// writes makes SQLite undo the whole transaction, so one is kept ready.
struct Undo<'c> {
    connection: &'c Connection,
    writes: RefCell<Statement<'c>>,
}

impl<'c> Undo<'c> {
    fn new(connection: &'c Connection) -> Result<Self> {
        let writes = RefCell::new(Self::prepare(connection)?);
        Ok(Self { connection, writes })
    }

    /// It never gets as far as to make the table.
    fn prepare(connection: &'c Connection) -> Result<Statement<'c>> {
        connection.prepare("CREATE TABLE temp.text2sql_never(x)")
    }

    /// CREATE INDEX outdates what is prepared.
    fn renew(&self) -> Result<()> {
        self.writes.replace(Self::prepare(self.connection)?);
        Ok(())
    }

    fn run(&self) {
        let back = "ROLLBACK TO text2sql_index_values; RELEASE text2sql_index_values";
        if self.connection.execute_batch(back).is_err_and(|error| is_interrupt(&error)) {
            let _ = self.writes.borrow_mut().execute([]);
        }
    }
}

/// What `last_insert_rowid()` and `changes()` tell the caller.
struct CallersCounters<'c> {
    connection: &'c Connection,
    rowid: i64,
    changes: u64,
}

impl<'c> CallersCounters<'c> {
    fn of(connection: &'c Connection) -> Self {
        let (rowid, changes) = (connection.last_insert_rowid(), connection.changes());
        Self { connection, rowid, changes }
    }

    /// SQLite lets nobody set `changes()`: a statement deletes as many rows.
    fn put_back(&self, place: &str) -> Result<()> {
        let schema = Dialect::Sqlite.identifier(place);
        let count = include_str!("../sql/count_changes.sql").replace("{schema}", &schema);
        self.connection.execute(&count, [self.changes as i64])?;
        let changes = in_database(place, "text2sql_value_change");
        let delete = format!("DELETE FROM {changes} WHERE table_name = ''");
        self.connection.execute(&delete, []).map(|_| ())
    }

    fn put_back_rowid(&self) {
        // SAFETY: the handle is alive.
        unsafe { ffi::sqlite3_set_last_insert_rowid(self.connection.handle(), self.rowid) }
    }
}

/// The work in one database.
struct Build<'a, 'c> {
    database: &'a SqliteDatabase,
    connection: &'a Connection,
    catalog: &'a Catalog,
    undo: &'a Undo<'c>,
    place: &'a str,
    following: Following,
}

impl Build<'_, '_> {
    /// SQL with the names of this database.
    fn sql(&self, sql: &str) -> String {
        sql.replace("{schema}", &Dialect::Sqlite.identifier(self.place))
    }

    fn own(&self, name: &str) -> String {
        in_database(self.place, name)
    }

    fn run(&self, tables: &[TableId]) -> Result<u64> {
        self.make_tables()?;
        self.forget_what_is_gone()?;
        let (mut followed, mut anew) = (Vec::new(), Vec::new());
        for &table in tables {
            let list = if self.is_followed(table)? { &mut followed } else { &mut anew };
            list.push(table);
        }
        let mut count = 0;
        for &table in &followed {
            count += self.bring_up_to_date(table)?;
        }
        if !anew.is_empty() {
            let drop_keys = format!("DROP INDEX IF EXISTS {}", self.own("text2sql_value_key"));
            self.connection.execute_batch(&drop_keys)?;
            for &table in &anew {
                count += self.read_anew(table)?;
            }
            self.database.progress("indexing the keys of the values");
            self.connection
                .execute_batch(&self.sql(include_str!("../sql/index_value_keys.sql")))?;
            self.undo.renew()?;
        }
        for &table in tables {
            self.follow(table)?;
        }
        Ok(count)
    }

    /// Make the tables of the index, in the place of an older form of it.
    fn make_tables(&self) -> Result<()> {
        for table in &VALUE_INDEX {
            if look(self.connection, self.place, table)? == Found::Other {
                let message = format!("text2sql: {}", not_ours(self.place, table));
                return Err(Error::UserFunctionError(message.into()));
            }
        }
        if !has_trigrams(self.connection, self.place)? {
            let older = format!("DROP TABLE IF EXISTS {}", self.own("text2sql_value"));
            self.connection.execute_batch(&older)?;
        }
        self.connection.execute_batch(&self.sql(include_str!("../sql/create_value_index.sql")))
    }

    /// Columns that are no more, or are withheld now, leave the index.
    fn forget_what_is_gone(&self) -> Result<()> {
        let sources = self.own("text2sql_value_source");
        let sql = format!("SELECT id, table_name, column_name FROM {sources}");
        let mut statement = self.connection.prepare(&sql)?;
        let all = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        let all: Vec<(i64, String, String)> = all.collect::<Result<_>>()?;
        for (id, table, column) in all {
            if super::column_called(self.catalog, self.place, &table, &column).is_none() {
                self.forget(id)?;
                self.connection.execute(&format!("DELETE FROM {sources} WHERE id = ?1"), [id])?;
            }
        }
        Ok(())
    }

    /// Take the entries of a source out.
    fn forget(&self, source: i64) -> Result<()> {
        let (trigrams, entries) = (self.own("text2sql_value"), self.own("text2sql_value_entry"));
        let there = format!("SELECT 1 FROM {entries} WHERE source = ?1");
        if self.connection.prepare(&there)?.exists([source])? {
            let forget = format!(
                "INSERT INTO {trigrams}(text2sql_value, rowid, key)
                 SELECT 'delete', id, key FROM {entries} WHERE source = ?1"
            );
            self.connection.execute(&forget, [source])?;
            let forget = format!("DELETE FROM {entries} WHERE source = ?1");
            self.connection.execute(&forget, [source])?;
        }
        Ok(())
    }

    fn columns(&self, table: TableId) -> Vec<ColumnId> {
        let columns = self.catalog.column_ids(table);
        columns.filter(|&column| is_searchable(self.catalog, column)).collect()
    }

    /// The column's number in the index, if it has one, and whether its changes are noted.
    fn source(&self, column: ColumnId) -> Result<Option<(i64, bool)>> {
        let sql = format!(
            "SELECT id, followed FROM {} WHERE table_name = ?1 AND column_name = ?2",
            self.own("text2sql_value_source")
        );
        let mut statement = self.connection.prepare(&sql)?;
        let table = &self.catalog.table(column.table).name;
        let name = &self.catalog.column(column).name;
        let mut rows = statement.query(params![table, name])?;
        rows.next()?.map(|row| Ok((row.get(0)?, row.get(1)?))).transpose()
    }

    /// Whether all that is searchable of the table is indexed and its changes are noted.
    fn is_followed(&self, table: TableId) -> Result<bool> {
        for column in self.columns(table) {
            if !matches!(self.source(column)?, Some((_, true))) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Index the values of a table that are there now.
    fn read_anew(&self, table: TableId) -> Result<u64> {
        self.forget_changes(table)?;
        let mut count = 0;
        for column in self.columns(table) {
            let source = match self.source(column)? {
                Some((id, _)) => {
                    let sql = "DELETE FROM {} WHERE source = ?1";
                    let sql = sql.replace("{}", &self.own("text2sql_value_entry"));
                    self.connection.execute(&sql, [id])?;
                    id
                }
                None => self.new_source(column)?,
            };
            count += self.add(column, source)?;
        }
        Ok(count)
    }

    fn new_source(&self, column: ColumnId) -> Result<i64> {
        let sql = format!(
            "INSERT INTO {}(table_name, column_name) VALUES (?1, ?2)",
            self.own("text2sql_value_source")
        );
        let table = &self.catalog.table(column.table).name;
        self.connection.execute(&sql, params![table, self.catalog.column(column).name])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Add the distinct values of a column; how many.
    fn add(&self, id: ColumnId, source: i64) -> Result<u64> {
        let (name, from) = self.names(id);
        let label = self.catalog.column_label(id);
        let select = |place: &str| {
            format!(
                "SELECT {name}, {place} FROM {from}
                 WHERE typeof({name}) = 'text' AND length({name}) <= {INDEXED_BYTES}
                 GROUP BY {name} COLLATE BINARY"
            )
        };
        // views and tables WITHOUT ROWID have none
        let values = self.connection.prepare(&select("min(rowid)"));
        let mut values = values.or_else(|_| self.connection.prepare(&select("NULL")))?;
        let mut insert = self.insertion()?;
        let (mut rows, mut count) = (values.query([])?, 0);
        while let Some(row) = rows.next()? {
            let place: Value = row.get(1)?;
            let value = self.text(row.get_ref(0)?, &label, &place)?;
            if !self.catalog.column(id).values.let_out(&value) {
                continue;
            }
            insert.execute(params![source, padded(&value_key(&value)), value, place])?;
            count += 1;
            if count % PROGRESS == 0 {
                self.database.progress(&format!("indexing {label}: {count} values"));
            }
        }
        Ok(count)
    }

    fn insertion(&self) -> Result<Statement<'_>> {
        let entries = self.own("text2sql_value_entry");
        let sql =
            format!("INSERT INTO {entries}(source, key, value, place) VALUES (?1, ?2, ?3, ?4)");
        self.connection.prepare(&sql)
    }

    /// A column's name, and its table's.
    fn names(&self, id: ColumnId) -> (String, String) {
        let (table, column) = (self.catalog.table(id.table), &self.catalog.column(id).name);
        (Dialect::Sqlite.identifier(column), in_database(&table.schema, &table.name))
    }

    /// A stored text; what is no UTF-8 is read lossily, and the place is told.
    fn text(&self, value: ValueRef<'_>, label: &str, place: &Value) -> Result<String> {
        let ValueRef::Text(bytes) = value else {
            let wanted = Type::Text;
            return Err(Error::InvalidColumnType(0, label.to_owned(), wanted));
        };
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                let place = match place {
                    Value::Integer(rowid) => format!(", rowid {rowid}"),
                    _ => String::new(),
                };
                self.database.notice(&format!("a value of {label}{place} is not valid UTF-8"));
                String::from_utf8_lossy(bytes).into_owned()
            }
        })
    }

    /// Add the values of the rows that changed; how many were new.
    fn bring_up_to_date(&self, table: TableId) -> Result<u64> {
        let name = &self.catalog.table(table).name;
        let changes = self.own("text2sql_value_change");
        let mut changed = self
            .connection
            .prepare(&format!("SELECT place FROM {changes} WHERE table_name = ?1"))?;
        let places = changed.query_map([name], |row| row.get(0))?;
        let places: Vec<i64> = places.collect::<Result<_>>()?;
        let mut count = 0;
        for column in self.columns(table) {
            let Some((source, _)) = self.source(column)? else { continue };
            count += self.add_changed(column, source, &places)?;
        }
        self.forget_changes(table)?;
        Ok(count)
    }

    fn add_changed(&self, id: ColumnId, source: i64, places: &[i64]) -> Result<u64> {
        let (name, from) = self.names(id);
        let label = self.catalog.column_label(id);
        let mut read = self.connection.prepare(&format!(
            "SELECT {name} FROM {from} WHERE rowid = ?1
             AND typeof({name}) = 'text' AND length({name}) <= {INDEXED_BYTES}"
        ))?;
        let mut known = self.connection.prepare(&format!(
            "SELECT 1 FROM {} WHERE key = ?1 AND source = ?2 AND value = ?3",
            self.own("text2sql_value_entry")
        ))?;
        let mut insert = self.insertion()?;
        let index =
            format!("INSERT INTO {}(rowid, key) VALUES (?1, ?2)", self.own("text2sql_value"));
        let mut index = self.connection.prepare(&index)?;
        let mut count = 0;
        for &place in places {
            let mut rows = read.query([place])?;
            let Some(row) = rows.next()? else { continue };
            let value = self.text(row.get_ref(0)?, &label, &Value::Integer(place))?;
            let key = padded(&value_key(&value));
            let may_leave = self.catalog.column(id).values.let_out(&value);
            if may_leave && !known.exists(params![key, source, value])? {
                insert.execute(params![source, key, value, place])?;
                index.execute(params![self.connection.last_insert_rowid(), key])?;
                count += 1;
            }
        }
        Ok(count)
    }

    fn forget_changes(&self, table: TableId) -> Result<()> {
        let sql =
            format!("DELETE FROM {} WHERE table_name = ?1", self.own("text2sql_value_change"));
        self.connection.execute(&sql, [&self.catalog.table(table).name]).map(|_| ())
    }

    /// Make or drop the triggers that note changes, as asked.
    fn follow(&self, id: TableId) -> Result<()> {
        let table = self.catalog.table(id);
        let trigger = |event: &str| {
            in_database(&table.schema, &format!("text2sql_follow_{}_{event}", table.name))
        };
        let followed = match self.following {
            Following::Unchanged => return Ok(()),
            Following::Off => {
                for event in ["inserted", "updated"] {
                    let sql = format!("DROP TRIGGER IF EXISTS {}", trigger(event));
                    self.connection.execute_batch(&sql)?;
                }
                false
            }
            Following::On => {
                let rowid =
                    format!("SELECT rowid FROM {}", in_database(&table.schema, &table.name));
                let may = self.place == table.schema && table.kind == TableKind::Table;
                if !may || self.connection.prepare(&rowid).is_err() {
                    let label = self.catalog.table_label(id);
                    self.database.notice(&format!(
                        "{label} cannot be followed: it is no table with rowids in a file that \
                         can be written"
                    ));
                    return Ok(());
                }
                let sql = include_str!("../sql/follow.sql")
                    .replace("{inserted}", &trigger("inserted"))
                    .replace("{updated}", &trigger("updated"))
                    .replace("{table}", &Dialect::Sqlite.identifier(&table.name))
                    .replace("{name}", &Dialect::Sqlite.string(&table.name));
                self.connection.execute_batch(&sql)?;
                true
            }
        };
        let sources = self.own("text2sql_value_source");
        let sql = format!("UPDATE {sources} SET followed = ?1 WHERE table_name = ?2");
        self.connection.execute(&sql, params![followed, table.name]).map(|_| ())
    }
}
