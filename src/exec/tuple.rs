//! One row of a running query: as text, as JSON, or unchanged into a tuple store.

use pgrx::direct_function_call;
use pgrx::pg_sys;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;

use crate::pg::encoding;
use crate::pg::encoding::Text;

unsafe extern "C-unwind" {
    // heaptoast.h; pgrx leaves it out of its bindings
    fn toast_flatten_tuple(tuple: pg_sys::HeapTuple, shape: pg_sys::TupleDesc)
    -> pg_sys::HeapTuple;
}

/// One row, as fetched.
pub struct Tuple {
    /// The row.
    pub tuple: pg_sys::HeapTuple,
    /// Its columns.
    pub shape: pg_sys::TupleDesc,
}

impl Tuple {
    /// Size of the row in bytes, as PostgreSQL stores it.
    pub fn stored_bytes(&self) -> usize {
        // SAFETY: a valid tuple.
        unsafe { (*self.tuple).t_len as usize }
    }

    /// Put the row into `store`, which outlives the tables it was read from.
    ///
    /// # Safety
    /// The rows of the store have the same types as those of the query.
    pub unsafe fn put_into(&self, store: *mut pg_sys::Tuplestorestate) -> usize {
        // SAFETY: by the caller's contract; the store copies the row.
        unsafe {
            let external =
                (*(*self.tuple).t_data).t_infomask & pg_sys::HEAP_HASEXTERNAL as u16 != 0;
            let tuple = match external {
                true => pg_guard_ffi_boundary(|| toast_flatten_tuple(self.tuple, self.shape)),
                false => self.tuple,
            };
            pg_sys::tuplestore_puttuple(store, tuple);
            (*tuple).t_len as usize
        }
    }

    /// The row's values in PostgreSQL's text form.
    pub fn texts(&self) -> Vec<Option<String>> {
        // SAFETY: SPI numbers columns from 1; the text is copied and freed.
        unsafe {
            (1..=(*self.shape).natts)
                .map(|i| {
                    let value = pg_sys::SPI_getvalue(self.tuple, self.shape, i);
                    if value.is_null() {
                        return None;
                    }
                    let text = encoding::c_text(value);
                    pg_sys::pfree(value.cast());
                    Some(text)
                })
                .collect()
        }
    }

    /// The row as PostgreSQL's own JSON text, its columns under distinct names.
    pub fn json(&self) -> String {
        // SAFETY: the row as a composite value of its own shape; both copies are freed.
        unsafe {
            let shape = pg_sys::BlessTupleDesc(self.shape);
            let row = pg_sys::heap_copy_tuple_as_datum(self.tuple, shape);
            let json = direct_function_call::<Text>(pg_sys::row_to_json, &[Some(row)]);
            pg_sys::pfree(row.cast_mut_ptr());
            json.unwrap_or_default().0
        }
    }
}
