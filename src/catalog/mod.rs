//! The catalog as the caller may read it, kept for the session. Only what changes is read again.

mod columns;
pub mod comment_versions;
mod foreign_keys;
mod inferred;
pub mod invalidation;
mod keys;
mod labels;
mod layouts;
mod lineage;
mod read;
mod rules;
pub mod security_labels;
mod shared;
mod sources;
pub mod table_set;
mod views;

use std::cell::RefCell;
use std::collections::HashSet;
use std::mem;
use std::rc::Rc;
use std::sync::Arc;

use pgrx::pg_sys::{self, Oid};
use serde::Serialize;
use text2sql_engine::catalog::{Catalog, ColumnId, KeyKind, Stored, Table, TableId, TypeClass};
use text2sql_engine::error::Error;
use text2sql_engine::id_map::IdMap;
use text2sql_engine::settings::Settings;

use crate::exec::relations;
use crate::pg::{discard, error, search_path};
use crate::stats::cache::StatisticsCache;
use crate::store::{memory, summaries};
use crate::values::index::IndexedColumns;
use comment_versions::Described;
use invalidation::Changes;
pub use labels::Labels;
use read::Source;
use sources::{ByOid, Sources};

/// The catalog with what only this adapter needs to know of it.
pub struct Snapshot {
    /// What the engine sees.
    pub catalog: Arc<Catalog>,
    /// The tables by their relations.
    by_oid: ByOid,
    /// The source of each table.
    sources: Sources,
    /// Statistics read so far.
    pub statistics: RefCell<StatisticsCache>,
    /// The columns of the index of values, once they were needed.
    pub indexed: RefCell<Option<Rc<IndexedColumns>>>,
    /// What the data says about undeclared keys.
    inferred: inferred::Known,
}

impl Snapshot {
    /// The table of a relation, if the caller may read it.
    pub fn table(&self, relation: Oid) -> Option<TableId> {
        self.by_oid.get(relation)
    }

    /// The column of a table by PostgreSQL's column number, if the caller may read it.
    pub fn column(&self, table: TableId, number: i16) -> Option<ColumnId> {
        let column = self.sources.of(table).place(number)?;
        Some(ColumnId { table, column })
    }

    /// A relation that the caller named.
    ///
    /// Errors: it is not among those that the caller may read.
    pub fn readable(&self, relation: Oid) -> Result<TableId, Error> {
        self.table(relation).ok_or_else(|| Error::InvalidArgument {
            message: "a relation of the list is not among the tables that you may read".to_owned(),
            hint: "SELECT tablename FROM pg_tables WHERE has_table_privilege(\
                   schemaname || '.' || tablename, 'SELECT');"
                .to_owned(),
        })
    }

    /// Whether the adapter may look into a table's rows for what a question may mean.
    pub fn may_look_into(&self, table: TableId) -> bool {
        self.sources.of(table).looked_into
    }

    /// Whether everybody who may read a table sees the same rows in every session.
    pub fn shows_the_same(&self, table: TableId) -> bool {
        !self.sources.of(table).fleeting
    }

    /// How many tables hold the rows of one that has partitions or children; else 0.
    pub fn parts(&self, table: TableId) -> usize {
        self.sources.of(table).parts
    }

    /// Forget what was read from rows that the next call may not see.
    fn begin_call(&self) {
        self.statistics.borrow_mut().begin_call();
    }

    /// A table's OID.
    pub fn oid(&self, table: TableId) -> Oid {
        self.sources.oid(table)
    }

    /// A snapshot of `sources`, sorted by schema and name. `before` is its predecessor: what was
    /// derived from unchanged tables is taken over, but nothing that was read from the data of
    /// `changed` ones.
    fn of(
        sources: Vec<Rc<Source>>,
        before: Option<(&Snapshot, &HashSet<Oid>)>,
        settings: &Settings,
    ) -> Self {
        let by_oid: ByOid =
            sources.iter().zip(0..).map(|(source, i)| (source.oid, TableId(i))).collect();
        let mut tables: Vec<_> = sources.iter().map(|source| Arc::clone(&source.table)).collect();
        let mut keys = foreign_keys::keys(&sources, &by_oid, &tables);
        let (statistics, inferred) = known_before(before, &by_oid);
        keys.extend(inferred.keys(&sources, &mut tables, &keys, settings));
        keys.shrink_to_fit();
        let catalog = Arc::new(match before {
            Some((snapshot, _)) => snapshot.catalog.after(tables, keys),
            None => Catalog::new(tables, keys),
        });
        let (sources, indexed) = (sources.into(), RefCell::default());
        Self { catalog, by_oid, sources, statistics, indexed, inferred }
    }

    /// A snapshot of what another session has stored. All of it is made for a moment if keys may be
    /// inferred; of what the data says nothing is stored, but what was known `before` stays known.
    fn taken_over(
        stored: Stored,
        sources: sources::Stored,
        before: Option<(&Snapshot, &HashSet<Oid>)>,
        settings: &Settings,
    ) -> Self {
        let by_oid: ByOid = sources.relations().collect();
        let (statistics, inferred) = known_before(before, &by_oid);
        let (mut likely, mut keys) = (IdMap::default(), Vec::new());
        if stored.may_infer() {
            let (mut tables, known) = stored.all();
            keys = inferred.keys(&sources.all(&tables), &mut tables, &known, settings);
            let with_key = |(table, at): (&Arc<Table>, u32)| Some((TableId(at), table.likely_key?));
            likely = tables.iter().zip(0..).filter_map(with_key).collect();
        }
        let catalog = Arc::new(stored.catalog(likely, keys));
        let sources = Sources::stored(sources, Arc::clone(&catalog));
        let indexed = RefCell::default();
        Self { catalog, by_oid, sources, statistics, indexed, inferred }
    }

    /// The same with what was stored of it in place of what it is made of, which takes more memory.
    fn as_stored(&self, stored: Stored, sources: sources::Stored) -> Self {
        let likely = |id| Some((id, self.catalog.table(id).likely_key?));
        let likely = self.catalog.table_ids().filter_map(likely).collect();
        let inferred = self.catalog.keys_that(|key| key.kind == KeyKind::Inferred).cloned();
        let catalog = Arc::new(stored.catalog(likely, inferred.collect()));
        Self {
            by_oid: self.by_oid.clone(),
            sources: Sources::stored(sources, Arc::clone(&catalog)),
            catalog,
            statistics: RefCell::new(self.statistics.borrow().moved(Some)),
            indexed: self.indexed.clone(),
            inferred: self.inferred.clone(),
        }
    }

    /// The tables with columns whose values may be searched, the smallest first.
    pub fn searchable_tables(&self) -> Vec<TableId> {
        self.sources.searchable()
    }
}

/// What a snapshot knew of the data, but nothing that was read from the data of changed tables.
fn known_before(
    before: Option<(&Snapshot, &HashSet<Oid>)>,
    by_oid: &ByOid,
) -> (RefCell<StatisticsCache>, inferred::Known) {
    let Some((snapshot, changed)) = before else { return Default::default() };
    let unchanged = |oid: &Oid| !changed.contains(oid);
    let place = |t| Some(snapshot.oid(t)).filter(unchanged).and_then(|oid| by_oid.get(oid));
    let statistics = snapshot.statistics.borrow().moved(place);
    (RefCell::new(statistics), snapshot.inferred.without(changed))
}

/// What a snapshot depends on as a whole; under another key everything is read again.
#[derive(PartialEq, Serialize)]
struct Key {
    role: Oid,
    search_path: Vec<Oid>,
    /// Whether all foreign tables are let in.
    foreign_tables: bool,
    /// Whether what looks like a secret counts as labelled.
    withhold_secrets: bool,
}

impl Key {
    fn now(settings: &Settings) -> Self {
        Self {
            // SAFETY: a plain read of the session's state.
            role: unsafe { pg_sys::GetUserId() },
            search_path: search_path::schemas(),
            foreign_tables: settings.foreign_tables,
            withhold_secrets: settings.withhold_secrets,
        }
    }

    /// The relations, or all, that the caller may read.
    fn sources(
        &self,
        relations: Option<&HashSet<Oid>>,
        labels: &Labels,
    ) -> Result<Vec<Rc<Source>>, Error> {
        let foreign = (!self.foreign_tables).then_some(&*labels.foreign);
        let schemas = search_path::visible(&self.search_path);
        read::sources(relations, &schemas, labels, foreign, self.withhold_secrets)
    }

    /// Let foreign tables be reached, through views and functions too.
    fn let_in(&self, labels: &Labels) {
        relations::let_in((!self.foreign_tables).then(|| Rc::clone(&labels.foreign)));
    }
}

struct Kept {
    key: Key,
    described: Described,
    labels: Labels,
    snapshot: Rc<Snapshot>,
    /// The pages that it was read from, until it is kept for other sessions.
    pages: Option<shared::Pages>,
    /// How much of the snapshot was made when memory was last given back; None for nothing.
    given_back: Option<usize>,
}

/// What was read again of a catalog.
struct Anew {
    /// What may have changed.
    changed: HashSet<Oid>,
    /// This, and what depends on it.
    again: HashSet<Oid>,
    /// What these are now.
    read: Vec<Rc<Source>>,
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// Ask PostgreSQL to report changes. Called once, from `_PG_init`.
pub fn register() {
    invalidation::register();
    shared::dropped::register();
}

/// The current catalog: the kept one if nothing it shows has changed.
pub fn snapshot(settings: &Settings) -> Result<Rc<Snapshot>, Error> {
    if discard::happened() {
        KEPT.take();
        summaries::forget();
        memory::forget();
    }
    let (changes, key) = (invalidation::take(), Key::now(settings));
    // an error on the way leaves nothing kept, so that no change is lost
    let next = match KEPT.take().filter(|kept| kept.key == key && !changes.all) {
        Some(kept) => kept.after(&changes, settings)?,
        None => None,
    };
    let next = match next {
        Some(kept) => kept,
        None => Kept::first(key, settings)?,
    };
    next.key.let_in(&next.labels);
    let snapshot = Rc::clone(&next.snapshot);
    snapshot.begin_call();
    KEPT.set(Some(next));
    Ok(snapshot)
}

/// Reading and indexing a catalog fragments the heap. A backend lives long and is one of many, so
/// free memory is returned to the system after each of these.
pub fn give_memory_back() {
    let is_more = |kept: &mut Option<Kept>| {
        kept.as_mut().is_some_and(|kept| {
            let made = Some(kept.snapshot.catalog.derived());
            mem::replace(&mut kept.given_back, made) != made
        })
    };
    if KEPT.with_borrow_mut(is_more) {
        // SAFETY: glibc's own function, which takes its locks and touches nothing that is in use.
        #[cfg(target_env = "gnu")]
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

/// Keep the catalog for other sessions, once all that they need of it is known, and use what was kept as
/// they do.
pub fn share(settings: &Settings) {
    KEPT.with_borrow_mut(|kept| {
        let Some(kept) = kept else { return };
        let may = kept.snapshot.catalog.known_words().is_some() && shared::is_possible(settings);
        let Some(pages) = kept.pages.take_if(|_| may) else { return };
        if let Some((catalog, sources)) = shared::keep(&kept.key, &pages, &kept.snapshot, settings)
        {
            kept.snapshot = Rc::new(kept.snapshot.as_stored(catalog, sources));
            kept.given_back = None;
        }
    });
}

impl Kept {
    /// The catalog as another session has read it, with what changed since, or read anew.
    fn first(key: Key, settings: &Settings) -> Result<Self, Error> {
        // before the pages are looked at: later changes are seen by comparing with these
        let (described, labels) = (Described::read()?, Labels::read()?);
        key.let_in(&labels);
        if let Some(found) = shared::find(&key, settings) {
            return Self::taken_over(key, described, labels, found, None, settings);
        }
        tell(settings, || "catalog: all tables are read".to_owned());
        let pages = shared::begin(settings);
        let sources = key.sources(None, &labels)?;
        let snapshot = Rc::new(Snapshot::of(sources, None, settings));
        Ok(Self { key, described, labels, snapshot, pages, given_back: None })
    }

    /// The catalog that another session has read, with what changed since. `before` is what this one had.
    fn taken_over(
        key: Key,
        described: Described,
        labels: Labels,
        found: shared::Found,
        before: Option<(&Snapshot, &HashSet<Oid>)>,
        settings: &Settings,
    ) -> Result<Self, Error> {
        tell(settings, || "catalog: taken over from another session".to_owned());
        let snapshot = Snapshot::taken_over(found.catalog, found.sources, before, settings);
        let (snapshot, pages) = (Rc::new(snapshot), found.pages);
        let stored = Rc::clone(&snapshot);
        let mut kept = Self { key, described, labels, snapshot, pages, given_back: None };
        if let Some(again) = kept.anew(&found.changed)? {
            kept.put(again, settings);
        }
        if !found.many && Rc::ptr_eq(&kept.snapshot, &stored) {
            // the next session finds it as quickly
            kept.pages = None;
        }
        Ok(kept)
    }

    /// What is kept after `changes` and after comments or labels of relations have changed; None if
    /// the label of a schema has.
    fn after(mut self, changes: &Changes, settings: &Settings) -> Result<Option<Self>, Error> {
        let mut changed = self.relations(changes);
        let Some(said) = self.described.look_again(settings)? else { return Ok(None) };
        changed.extend(said);
        if changed.is_empty() {
            return Ok(Some(self));
        }
        let indexed = &self.snapshot.indexed;
        if indexed.borrow().as_ref().is_some_and(|columns| columns.is_about(&changed)) {
            indexed.take();
        }
        let labels = Labels::read()?;
        changed.extend(labels.differing(&self.labels));
        self.labels = labels;
        self.key.let_in(&self.labels);
        let anew = self.anew(&changed)?;
        let is_own = self.pages.is_none() && !self.snapshot.sources.are_stored();
        if (anew.is_some() || is_own)
            && shared::is_large(&self.snapshot, settings)
            && let Some(found) = shared::find(&self.key, settings)
        {
            let Self { key, described, labels, snapshot, .. } = self;
            let before = Some((&*snapshot, &changed));
            return Self::taken_over(key, described, labels, found, before, settings).map(Some);
        }
        if let Some(anew) = anew {
            self.put(anew, settings);
        }
        Ok(Some(self))
    }

    /// Read `changed` relations again, and those that they hide or no longer hide. None if they are as
    /// they were.
    fn anew(&self, changed: &HashSet<Oid>) -> Result<Option<Anew>, Error> {
        if changed.is_empty() {
            return Ok(None);
        }
        let before = &self.snapshot;
        let schemas = search_path::visible(&self.key.search_path);
        let (mut names, mut again) = (HashSet::new(), changed.clone());
        for (name, parent) in read::changed(changed)? {
            names.insert(name);
            again.insert(parent);
        }
        let named = changed.iter().filter_map(|oid| before.source(*oid));
        names.extend(named.map(|s| s.table.name.clone()));
        // what hid a table may have been a relation of any kind, and may be gone
        let mut touched = before.sources.hidden(&schemas);
        touched.extend(names.iter().flat_map(|name| before.catalog.tables_named(None, name)));
        again.extend(touched.into_iter().map(|table| before.oid(table)));

        let read = self.key.sources(Some(&again), &self.labels)?;
        let same = read.iter().all(|source| before.has(source))
            && again.iter().filter(|oid| before.table(**oid).is_some()).count() == read.len();
        if same && !before.inferred.is_about(changed) {
            // analysed or vacuumed, or something that the catalog does not show
            let unchanged = |&t: &TableId| !changed.contains(&before.oid(t));
            let kept = before.statistics.borrow().moved(|t| Some(t).filter(unchanged));
            before.statistics.replace(kept);
            return Ok(None);
        }
        Ok(Some(Anew { changed: changed.clone(), again, read }))
    }

    /// Put what was read again in the place of what was known.
    fn put(&mut self, Anew { changed, again, read }: Anew, settings: &Settings) {
        let before = Rc::clone(&self.snapshot);
        tell(settings, || format!("catalog: read again: {}", names_of(&read)));
        let old = before.sources.iter().filter(|(_, source)| !again.contains(&source.oid));
        let mut sources: Vec<Rc<Source>> = old.map(|(_, source)| Rc::clone(source)).collect();
        sources.extend(read.into_iter().map(|source| before.same(&source).unwrap_or(source)));
        sources.sort_by(|a, b| a.name().cmp(&b.name()));
        self.snapshot = Rc::new(Snapshot::of(sources, Some((&before, &changed)), settings));
        self.given_back = None;
    }

    /// The relations that `changes` are about.
    fn relations(&self, changes: &Changes) -> HashSet<Oid> {
        let sources = &self.snapshot.sources;
        let typed = || sources.typed().into_iter().map(|table| sources.of(table));
        let mut relations = changes.relations.clone();
        if changes.enums {
            let of_enum = |s: &&Rc<Source>| {
                s.table.columns.iter().any(|column| column.class == TypeClass::Enum)
            };
            relations.extend(typed().filter(of_enum).map(|s| s.oid));
        }
        if !changes.statistics.is_empty() {
            let known = self.snapshot.statistics.borrow();
            let analysed = |s: &&Rc<Source>| {
                read::hashes_of_statistics(s).any(|hash| changes.statistics.contains(&hash))
            };
            let sources = known.tables().map(|table| sources.of(table));
            relations.extend(sources.filter(analysed).map(|s| s.oid));
        }
        if !changes.types.is_empty() {
            let changed = |s: &&Rc<Source>| {
                s.own_types.iter().any(|&t| changes.types.contains(&read::hash_of_type(t)))
            };
            relations.extend(typed().filter(changed).map(|s| s.oid));
        }
        relations
    }
}

fn tell(settings: &Settings, line: impl FnOnce() -> String) {
    if settings.progress {
        error::notice(&line());
    }
}

fn names_of(sources: &[Rc<Source>]) -> String {
    let names: Vec<&str> = sources.iter().map(|s| s.table.name.as_str()).collect();
    match names.len() {
        0 => "none, some are gone".to_owned(),
        1..=10 => names.join(", "),
        many => format!("{many} tables"),
    }
}

impl Snapshot {
    fn source(&self, oid: Oid) -> Option<&Rc<Source>> {
        self.table(oid).map(|table| self.sources.of(table))
    }

    /// Whether this is what was known already.
    fn has(&self, source: &Source) -> bool {
        self.source(source.oid).is_some_and(|known| **known == *source)
    }

    fn same(&self, source: &Source) -> Option<Rc<Source>> {
        self.source(source.oid).filter(|known| ***known == *source).cloned()
    }
}
