//! Catalogs that sessions share: who has read a large one keeps it in a file of the data directory, and
//! the next session of the same role, search path and settings takes it from there.
//!
//! Its own rights at that moment decide what a session sees, not those of who wrote: [`pages`] says
//! of each part of PostgreSQL's catalogs, roles and memberships among them, whether it is as it was.
//! What changed is read again, as after any other change. Nothing of the data is in a file.

mod files;
mod pages;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use pgrx::pg_sys::{self, Oid};
use serde::{Deserialize, Serialize};
use text2sql_engine::catalog::Column;
use text2sql_engine::link::LexicalIndex;
use text2sql_engine::settings::Settings;
use text2sql_engine::stored::{Reader, Writer};

use super::columns::Texts;
use super::read::Source;
use super::{Key, Snapshot, layouts};
pub use pages::Pages;

/// Catalogs of which more than this share changed are read as a whole.
const MUCH: usize = 4;
/// A file is written anew when so many tables had to be read again.
const MANY: usize = 50;

/// What a file is about: it begins with that.
#[derive(Serialize)]
struct Head<'a> {
    name: &'static str,
    /// Only what the same code has written is read.
    build: &'static str,
    system: u64,
    database: Oid,
    key: &'a Key,
}

/// What follows the pages and words, as it is written.
#[derive(Serialize)]
struct Written<'a> {
    columns: Vec<&'a Column>,
    /// The columns of each table, by their places in `columns`.
    tables: Vec<Vec<u32>>,
    sources: &'a [Rc<Source>],
}

/// The same as it is read.
#[derive(Deserialize)]
struct Read {
    columns: Vec<Column>,
    tables: Vec<Vec<u32>>,
    sources: Vec<Source>,
}

/// A catalog that another session has read.
pub struct Found {
    /// Its tables.
    pub sources: Vec<Rc<Source>>,
    /// Their words.
    pub words: LexicalIndex,
    /// The relations that may have changed since.
    pub changed: HashSet<Oid>,
    /// The pages to be noted with what it is once those were read again, if there are many.
    pub pages: Option<Pages>,
}

/// The file of this role, search path and settings, if there is one and it is not too old.
pub fn find(key: &Key, settings: &Settings) -> Option<Found> {
    if !is_possible(settings) {
        return None;
    }
    let head = head(key)?;
    let mut file = Reader::new(files::read(database(), &head)?, head.len());
    let pages: Pages = file.value()?;
    let mut changed = pages.changed()?;
    let words = LexicalIndex::read(&mut file)?;
    let read: Read = file.value()?;
    let sources = sources(read.sources, read.columns, &read.tables)?;
    let of_types =
        |source: &&Rc<Source>| source.own_types.iter().any(|own| changed.types.contains(own));
    let of_types: Vec<Oid> = sources.iter().filter(of_types).map(|source| source.oid).collect();
    changed.relations.extend(of_types);
    let again = sources.iter().filter(|source| changed.relations.contains(&source.oid)).count();
    if again > sources.len() / MUCH {
        return None;
    }
    let mut found = Found { sources, words, changed: changed.relations, pages: None };
    if again > MANY {
        // what changes between the two looks is among what is read again, and counts as changed
        found.pages = Pages::now(0);
        found.changed.extend(pages.changed()?.relations);
    }
    Some(found)
}

/// The pages to be noted with a catalog that is read from now on; None if it will not be shared.
pub fn begin(settings: &Settings) -> Option<Pages> {
    Pages::now(settings.share_catalog_from.filter(|_| is_possible(settings))?)
}

/// Keep a catalog that was read since `pages` were seen, for other sessions. That it cannot be kept
/// is no error: a data directory may be full.
pub fn keep(key: &Key, pages: &Pages, snapshot: &Snapshot, settings: &Settings) {
    let large = settings.share_catalog_from.is_some_and(|least| snapshot.sources.len() >= least);
    let Some(words) = snapshot.catalog.known_words().filter(|_| large && is_possible(settings))
    else {
        return;
    };
    // what other extensions know of tables is in their own catalogs, which are not watched
    if !layouts::are_only_own().unwrap_or_default() {
        return;
    }
    let write = || {
        let head = head(key)?;
        let mut content = Writer::new(head.clone());
        content.value(pages)?;
        words.write(&mut content)?;
        content.value(&written(snapshot))?;
        files::write(database(), &head, &content.finish()).ok()
    };
    _ = write();
}

/// Whether the session has nothing of its own that others do not see: changes, temporary tables.
fn is_possible(settings: &Settings) -> bool {
    let (mut temporary, mut toast) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    // SAFETY: plain reads of the session's state.
    let changes = unsafe {
        pg_sys::GetTempNamespaceState(&raw mut temporary, &raw mut toast);
        pg_sys::GetTopTransactionIdIfAny() != pg_sys::InvalidTransactionId
    };
    settings.share_catalog_from.is_some() && temporary == pg_sys::InvalidOid && !changes
}

fn database() -> Oid {
    // SAFETY: a plain read of the session's state.
    unsafe { pg_sys::MyDatabaseId }
}

fn head(key: &Key) -> Option<Vec<u8>> {
    // SAFETY: a number that the server has from its start.
    let system = unsafe { pg_sys::GetSystemIdentifier() };
    let (name, build) = ("text2sql catalog", env!("TEXT2SQL_BUILD"));
    postcard::to_stdvec(&Head { name, build, system, database: database(), key }).ok()
}

fn written(snapshot: &Snapshot) -> Written<'_> {
    let (mut columns, mut places) = (Vec::new(), HashMap::new());
    let mut place = |column| {
        *places.entry(Arc::as_ptr(column)).or_insert_with(|| {
            columns.push(&**column);
            columns.len() as u32 - 1
        })
    };
    let tables = snapshot.sources.iter().map(|source| &source.table.columns);
    let tables = tables.map(|all| all.iter().map(&mut place).collect()).collect();
    Written { columns, tables, sources: &snapshot.sources }
}

/// The sources with their columns; None if they do not fit together.
fn sources(
    sources: Vec<Source>,
    columns: Vec<Column>,
    tables: &[Vec<u32>],
) -> Option<Vec<Rc<Source>>> {
    let texts = Texts::default();
    let shared = |column: Column| {
        let (name, data_type) = (texts.of(&column.name), texts.of(&column.data_type));
        Arc::new(Column { name, data_type, ..column })
    };
    let columns: Vec<Arc<Column>> = columns.into_iter().map(shared).collect();
    let with_columns = |(mut source, places): (Source, &Vec<u32>)| {
        let table = Arc::get_mut(&mut source.table)?;
        table.columns.reserve_exact(places.len());
        for &place in places {
            table.columns.push(columns.get(place as usize)?.clone());
        }
        source.is_sound().then(|| Rc::new(source))
    };
    let mut all: Vec<_> =
        sources.into_iter().zip(tables).map(with_columns).collect::<Option<_>>()?;
    // they were collected in place of the larger ones
    all.shrink_to_fit();
    (all.len() == tables.len()).then_some(all)
}
