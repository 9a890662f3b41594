//! Changes since the catalog was read. PostgreSQL reports which relations changed, and little more.

use std::cell::RefCell;
use std::collections::HashSet;

use pgrx::pg_guard;
use pgrx::pg_sys::{self, Oid};

/// More changes than this are no longer distinguished.
const MANY: usize = 5_000;

/// Changed relations and kinds of objects.
#[derive(Default)]
pub struct Changes {
    /// Anything may have changed: a schema, a role, or more than was noted.
    pub all: bool,
    /// Relations of any kind: created, dropped, altered, analysed, with other rights or policies.
    pub relations: HashSet<Oid>,
    /// Types, by their hash values in the type cache.
    pub types: HashSet<u32>,
    /// An enum's labels.
    pub enums: bool,
    /// Statistics of columns, by their hash values in the cache: a second ANALYZE that counts the
    /// same number of rows does not change the relation.
    pub statistics: HashSet<u32>,
}

impl Changes {
    fn all() -> Self {
        Self { all: true, ..Self::default() }
    }

    fn forget_details_if_many(&mut self) {
        if self.relations.len().max(self.types.len()).max(self.statistics.len()) > MANY {
            *self = Self::all();
        }
    }
}

thread_local! {
    static CHANGES: RefCell<Changes> = RefCell::default();
}

/// Returns the changes since the last call, in this session and in others that have committed.
pub fn take() -> Changes {
    // SAFETY: processes what other sessions committed; may call the callbacks below.
    unsafe { pg_sys::AcceptInvalidationMessages() };
    CHANGES.take()
}

/// Do `work`, which drops what the session has cached: nothing has changed.
pub fn unnoticed(work: impl FnOnce()) {
    let before = CHANGES.take();
    work();
    CHANGES.set(before);
}

/// Ask PostgreSQL to report changes. Called once, from `_PG_init`.
pub fn register() {
    use pg_sys::SysCacheIdentifier as Cache;
    let none = pg_sys::Datum::null();
    // Columns, keys, rights on tables and policies come as changes of relations.
    // SAFETY: called from _PG_init; the callbacks only take notes.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(relation_changed), none);
        pg_sys::CacheRegisterSyscacheCallback(Cache::TYPEOID as i32, Some(type_changed), none);
        pg_sys::CacheRegisterSyscacheCallback(Cache::ENUMOID as i32, Some(enum_changed), none);
        let statistics = Cache::STATRELATTINH as i32;
        pg_sys::CacheRegisterSyscacheCallback(statistics, Some(statistics_changed), none);
        for cache in [Cache::NAMESPACEOID, Cache::AUTHOID, Cache::AUTHMEMMEMROLE] {
            pg_sys::CacheRegisterSyscacheCallback(cache as i32, Some(anything_changed), none);
        }
    }
}

fn note(work: impl FnOnce(&mut Changes)) {
    CHANGES.with_borrow_mut(|changes| {
        if !changes.all {
            work(changes);
            changes.forget_details_if_many();
        }
    });
}

#[pg_guard]
unsafe extern "C-unwind" fn relation_changed(_arg: pg_sys::Datum, relation: Oid) {
    note(|changes| match relation {
        pg_sys::InvalidOid => *changes = Changes::all(),
        relation => {
            changes.relations.insert(relation);
        }
    });
}

#[pg_guard]
unsafe extern "C-unwind" fn type_changed(_arg: pg_sys::Datum, _cache: i32, hash: u32) {
    note(|changes| match hash {
        0 => *changes = Changes::all(),
        hash => {
            changes.types.insert(hash);
        }
    });
}

#[pg_guard]
unsafe extern "C-unwind" fn enum_changed(_arg: pg_sys::Datum, _cache: i32, _hash: u32) {
    note(|changes| changes.enums = true);
}

#[pg_guard]
unsafe extern "C-unwind" fn statistics_changed(_arg: pg_sys::Datum, _cache: i32, hash: u32) {
    note(|changes| match hash {
        0 => *changes = Changes::all(),
        hash => {
            changes.statistics.insert(hash);
        }
    });
}

#[pg_guard]
unsafe extern "C-unwind" fn anything_changed(_arg: pg_sys::Datum, _cache: i32, _hash: u32) {
    note(|changes| *changes = Changes::all());
}
