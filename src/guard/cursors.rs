//! Protects the caller's cursors: nothing in the sandbox can fetch from them or close them,
//! although any plpgsql function may name them.

use pgrx::PgMemoryContexts;
use pgrx::pg_sys;

/// The function behind the view pg_cursors.
const PG_CURSOR: u32 = 2511;

/// Cursors marked as running, which keeps others away, until this is dropped.
#[must_use]
pub struct Kept(Vec<pg_sys::Portal>);

impl Kept {
    /// Mark all open cursors.
    pub fn all() -> Self {
        let mut memory = PgMemoryContexts::new("text2sql cursors");
        // SAFETY: the names live in that context; a cursor marked as running is not dropped.
        let open: Vec<_> = unsafe { memory.switch_to(|_| open_cursors()) };
        for &portal in &open {
            // SAFETY: an open cursor.
            unsafe { (*portal).status = pg_sys::PortalStatus::PORTAL_ACTIVE };
        }
        Self(open)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for &portal in &self.0 {
            // SAFETY: kept since `all`.
            unsafe { (*portal).status = pg_sys::PortalStatus::PORTAL_READY };
        }
    }
}

/// Names of the cursors that could be fetched from; only this function gives them.
unsafe fn open_cursors() -> Vec<pg_sys::Portal> {
    // SAFETY: a call of a function without arguments as the executor makes it, in the current
    // memory context.
    unsafe {
        let mut function = pg_sys::FmgrInfo::default();
        pg_sys::fmgr_info(pg_sys::Oid::from(PG_CURSOR), &raw mut function);
        let context = pg_sys::CreateStandaloneExprContext();
        let mut result = pg_sys::ReturnSetInfo {
            type_: pg_sys::NodeTag::T_ReturnSetInfo,
            econtext: context,
            allowedModes: pg_sys::SetFunctionReturnMode::SFRM_Materialize as i32,
            ..Default::default()
        };
        let mut call = pg_sys::FunctionCallInfoBaseData {
            flinfo: &raw mut function,
            resultinfo: (&raw mut result).cast(),
            ..Default::default()
        };
        pg_sys::pg_cursor(&raw mut call);
        let slot =
            pg_sys::MakeSingleTupleTableSlot(result.setDesc, &raw const pg_sys::TTSOpsMinimalTuple);
        let mut open = Vec::new();
        while pg_sys::tuplestore_gettupleslot(result.setResult, true, false, slot) {
            pg_sys::slot_getsomeattrs_int(slot, 1);
            let name = pg_sys::text_to_cstring((*(*slot).tts_values).cast_mut_ptr());
            let portal = pg_sys::GetPortalByName(name);
            if !portal.is_null() && (*portal).status == pg_sys::PortalStatus::PORTAL_READY {
                open.push(portal);
            }
        }
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::tuplestore_end(result.setResult);
        pg_sys::FreeExprContext(context, true);
        open
    }
}
