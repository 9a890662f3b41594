//! The keys of relations: read from PostgreSQL's rows themselves, like their columns.

use std::collections::HashMap;
use std::ffi::CStr;

use pgrx::FromDatum;
use pgrx::pg_sys::{self, Oid};
use serde::{Deserialize, Serialize};

use crate::pg::encoding;
use crate::pg::heap_scan::{Index, each_of, place, value};
use crate::pg::spi;

/// The index of pg_index by table.
const UNIQUE_OF: Oid = Oid::from_u32(pg_sys::IndexIndrelidIndexId);
/// The catalog pg_constraint, which pgrx does not name, its index by relation, and the columns that are
/// read.
const CONSTRAINTS: Oid = Oid::from_u32(2606);
const CONSTRAINTS_OF: Oid = Oid::from_u32(2665);
const CONSTRAINT: [&CStr; 7] =
    [c"contype", c"conparentid", c"conrelid", c"conname", c"conkey", c"confrelid", c"confkey"];
/// The `contype` of a foreign key.
const FOREIGN: u8 = b'f';

/// A foreign key as the catalog has it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignKeyRow {
    /// The constraint's name.
    pub name: Box<str>,
    /// The referenced relation.
    pub to: Oid,
    /// Referencing columns with those that they refer to, by number.
    pub columns: Box<[(i16, i16)]>,
}

/// A primary or other unique key.
pub struct UniqueKey {
    /// The index that enforces it.
    index: Oid,
    /// Whether it is the primary key.
    pub is_primary: bool,
    /// Its columns, by number.
    pub columns: Box<[i16]>,
}

/// The keys of a relation.
#[derive(Default)]
pub struct Keys {
    /// The primary key first, then in the order of their indexes.
    pub unique: Vec<UniqueKey>,
    /// By name.
    pub foreign: Vec<ForeignKeyRow>,
}

/// The keys of `only` these relations, or of all.
pub fn read(only: Option<&[Oid]>) -> HashMap<Oid, Keys> {
    let mut found: HashMap<Oid, Keys> = HashMap::new();
    spi::as_of_now(|| {
        // SAFETY: catalogs that there always are, with these indexes.
        unsafe {
            let catalog = pg_sys::IndexRelationId;
            let of_table = Index { oid: UNIQUE_OF, column: place(catalog, c"indrelid") };
            let open = [c"indpred", c"indexprs"].map(|column| place(catalog, column));
            each_of(catalog, of_table, only, |row, shape| {
                add_unique(row, shape, open, &mut found);
            });
            let columns = CONSTRAINT.map(|column| place(CONSTRAINTS, column));
            let of_relation = Index { oid: CONSTRAINTS_OF, column: columns[2] };
            each_of(CONSTRAINTS, of_relation, only, |row, shape| {
                add_foreign(row, shape, columns, &mut found);
            });
        }
    });
    for keys in found.values_mut() {
        keys.unique.sort_unstable_by_key(|key| (!key.is_primary, key.index.to_u32()));
        keys.foreign.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    }
    found
}

/// `open` are the columns that are NULL unless the index is partial or on expressions, which says
/// nothing about the columns as a whole.
///
/// # Safety
/// `row` is one of pg_index, which has this shape.
unsafe fn add_unique(
    row: pg_sys::HeapTuple,
    shape: pg_sys::TupleDesc,
    open: [i16; 2],
    found: &mut HashMap<Oid, Keys>,
) {
    // SAFETY: the fixed part of a row of pg_index, which ends with as many numbers of columns as the
    // index has.
    let (index, columns) = unsafe {
        let index = &*pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_index>();
        (index, index.indkey.values.as_slice(index.indnatts as usize))
    };
    // SAFETY: by the caller's contract.
    let is_whole = || open.iter().all(|&column| unsafe { value(row, shape, column).1 });
    if index.indisunique && index.indisvalid && is_whole() {
        found.entry(index.indrelid).or_default().unique.push(UniqueKey {
            index: index.indexrelid,
            is_primary: index.indisprimary,
            columns: columns[..index.indnkeyatts as usize].into(),
        });
    }
}

/// # Safety
/// `row` is one of pg_constraint, which has this shape and [`CONSTRAINT`] as these columns.
unsafe fn add_foreign(
    row: pg_sys::HeapTuple,
    shape: pg_sys::TupleDesc,
    columns: [i16; 7],
    found: &mut HashMap<Oid, Keys>,
) {
    // SAFETY: by the caller's contract.
    let at = |place: usize| unsafe { value(row, shape, columns[place]) };
    let oid = |place| Oid::from(at(place).0.value() as u32);
    // not one that was cloned for a partition
    if at(0).0.value() as u8 != FOREIGN || oid(1) != pg_sys::InvalidOid {
        return;
    }
    let numbers = |place| {
        let (list, is_null) = at(place);
        // SAFETY: an array of numbers, which is copied.
        unsafe { Vec::<i16>::from_datum(list, is_null) }.unwrap_or_default()
    };
    // SAFETY: the name is a C string and never NULL.
    let name = unsafe { CStr::from_ptr(at(3).0.cast_mut_ptr()) };
    found.entry(oid(2)).or_default().foreign.push(ForeignKeyRow {
        name: encoding::read(name.to_bytes()).into(),
        to: oid(5),
        columns: numbers(4).into_iter().zip(numbers(6)).collect(),
    });
}
