//! The names that one of PostgreSQL's set-returning functions without arguments gives: those behind
//! the views pg_cursors and pg_prepared_statements, where alone these names stand.

use std::ffi::c_char;

use pgrx::PgMemoryContexts;
use pgrx::pg_sys;

/// See the first column of each row, a text.
///
/// # Safety
/// `function` has the OID `oid`, takes nothing and gives its rows as a tuple store.
pub unsafe fn each(
    oid: u32,
    function: unsafe fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum,
    see: impl FnMut(*mut c_char),
) {
    let mut memory = PgMemoryContexts::new("text2sql names");
    // SAFETY: by the caller's contract; the rows live in that context.
    unsafe { memory.switch_to(|_| rows(oid, function, see)) }
}

unsafe fn rows(
    oid: u32,
    function: unsafe fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum,
    mut see: impl FnMut(*mut c_char),
) {
    // SAFETY: a call of a function without arguments as the executor makes it, in the current
    // memory context.
    unsafe {
        let mut info = pg_sys::FmgrInfo::default();
        pg_sys::fmgr_info(pg_sys::Oid::from(oid), &raw mut info);
        let context = pg_sys::CreateStandaloneExprContext();
        let mut result = pg_sys::ReturnSetInfo {
            type_: pg_sys::NodeTag::T_ReturnSetInfo,
            econtext: context,
            allowedModes: pg_sys::SetFunctionReturnMode::SFRM_Materialize as i32,
            ..Default::default()
        };
        let mut call = pg_sys::FunctionCallInfoBaseData {
            flinfo: &raw mut info,
            resultinfo: (&raw mut result).cast(),
            ..Default::default()
        };
        function(&raw mut call);
        let slot =
            pg_sys::MakeSingleTupleTableSlot(result.setDesc, &raw const pg_sys::TTSOpsMinimalTuple);
        while pg_sys::tuplestore_gettupleslot(result.setResult, true, false, slot) {
            pg_sys::slot_getsomeattrs_int(slot, 1);
            see(pg_sys::text_to_cstring((*(*slot).tts_values).cast_mut_ptr()));
        }
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::tuplestore_end(result.setResult);
        pg_sys::FreeExprContext(context, true);
    }
}
