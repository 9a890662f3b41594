//! Values of a column between reading and writing, in a tuple store: in memory up to `work_mem`, in
//! a temporary file beyond, because a column may have more than fit.

use pgrx::{IntoDatum, pg_sys};

use text2sql_engine::catalog::secrets::Looks;

use super::MAX_VALUE_BYTES;
use crate::cancel::deferred;
use crate::encoding::Text;
use crate::spi;

/// Distinct values. Statements read them as the table `found (value)`.
pub struct Found {
    rows: *mut pg_sys::Tuplestorestate,
    table: spi::Table,
    /// How many there are.
    pub count: usize,
    /// Bytes of all of them.
    pub bytes: usize,
    /// Values that are too long, which are not kept.
    pub long: usize,
    /// Whether they look like secrets.
    pub looks: Looks,
}

impl Found {
    /// An empty store. What is added inside a subtransaction outlives it.
    pub fn new() -> Self {
        let mut table = spi::Table::default();
        // SAFETY: both live in the memory of the calling function, the store until it is dropped.
        let rows = unsafe {
            let shape = pg_sys::CreateTemplateTupleDesc(1);
            pg_sys::TupleDescInitEntry(shape, 1, c"value".as_ptr(), pg_sys::TEXTOID, -1, 0);
            table.md.tupdesc = shape;
            pg_sys::tuplestore_begin_heap(false, false, pg_sys::work_mem)
        };
        table.md.name = c"found".as_ptr().cast_mut();
        table.md.enrtype = pg_sys::EphemeralNameRelationType::ENR_NAMED_TUPLESTORE;
        table.reldata = rows.cast();
        Self { rows, table, count: 0, bytes: 0, long: 0, looks: Looks::default() }
    }

    /// Add a value, unless no question would mention it.
    pub fn add(&mut self, value: &str) {
        self.looks.see(value);
        if value.len() > MAX_VALUE_BYTES {
            self.long += 1;
            return;
        }
        if value.trim().is_empty() {
            return;
        }
        self.count += 1;
        self.bytes += value.len();
        let mut datum = Text::from(value).into_datum().unwrap_or(pg_sys::Datum::null());
        // SAFETY: a text that is not NULL, as the shape has it; it is copied.
        unsafe {
            pg_sys::tuplestore_putvalues(
                self.rows,
                self.table.md.tupdesc,
                &raw mut datum,
                [false].as_mut_ptr(),
            );
        }
    }

    /// The table `found`, once all values are added.
    pub fn table(&mut self) -> &mut spi::Table {
        self.table.md.enrtuples = self.count as f64;
        &mut self.table
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        // SAFETY: made in `new`, read by no statement that still runs. A temporary file that cannot
        // be removed is a line in the log.
        deferred(|| unsafe { pg_sys::tuplestore_end(self.rows) });
    }
}
