//! Rows of a table as they are stored, without a query: PostgreSQL's own way into its catalogs, and
//! by far the fastest where there are a hundred thousand.

use pgrx::pg_sys::{self, Oid};

/// An index of a catalog, with the column of the table that it begins with.
#[derive(Clone, Copy)]
pub struct Index {
    /// The index.
    pub oid: Oid,
    /// The column, of type oid.
    pub column: i16,
}

/// See each row of an open table that the active snapshot has.
///
/// # Safety
/// The relation is a table, open and locked; `see` keeps no row.
pub unsafe fn each(relation: pg_sys::Relation, see: impl FnMut(pg_sys::HeapTuple)) {
    // SAFETY: by the caller's contract.
    unsafe { scan(relation, None, see) }
}

/// The same of those in which the column of an index is `key`.
///
/// # Safety
/// As for [`each`]; the index is one of the relation.
pub unsafe fn each_with(
    relation: pg_sys::Relation,
    index: Index,
    key: Oid,
    see: impl FnMut(pg_sys::HeapTuple),
) {
    // SAFETY: by the caller's contract; the scan key is filled by PostgreSQL.
    unsafe {
        let mut scan_key: pg_sys::ScanKeyData = std::mem::zeroed();
        let equal = pg_sys::BTEqualStrategyNumber as u16;
        let compare = Oid::from(pg_sys::F_OIDEQ);
        pg_sys::ScanKeyInit(&raw mut scan_key, index.column, equal, compare, key.into());
        scan(relation, Some((index.oid, &raw mut scan_key)), see);
    }
}

unsafe fn scan(
    relation: pg_sys::Relation,
    by: Option<(Oid, pg_sys::ScanKey)>,
    mut see: impl FnMut(pg_sys::HeapTuple),
) {
    let (index, key) = by.unwrap_or((pg_sys::InvalidOid, std::ptr::null_mut()));
    let keys = i32::from(by.is_some());
    // SAFETY: by the caller's contract; a row is not looked at once the next is fetched.
    unsafe {
        let snapshot = pg_sys::GetActiveSnapshot();
        let scan = pg_sys::systable_beginscan(relation, index, keys > 0, snapshot, keys, key);
        loop {
            let row = pg_sys::systable_getnext(scan);
            if row.is_null() {
                break;
            }
            see(row);
        }
        pg_sys::systable_endscan(scan);
    }
}
