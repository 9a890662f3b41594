//! Partitions in plans: which of them a query reads, and partitionwise planning if some are on
//! other servers.

use std::collections::HashSet;

use pgrx::PgList;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::pg_sys::{self, NodeTag, Oid, Plan, PlannedStmt, Query, RTEKind, RangeTblEntry};
use text2sql_engine::catalog::TableId;

use crate::catalog::Snapshot;
use crate::exec::relations;
use crate::pg::spi;

unsafe extern "C-unwind" {
    // pg_inherits.h; pgrx leaves it out of its bindings
    fn find_all_inheritors(
        parent: Oid,
        lock: pg_sys::LOCKMODE,
        parents: *mut *mut pg_sys::List,
    ) -> *mut pg_sys::List;
}

/// A partitioned table with this many rows, or this many partitions, is large.
const LARGE_ROWS: f64 = 1e6;
const MANY_PARTS: usize = 100;

/// Whether reading all of a table is worth a notice.
pub fn is_large(snapshot: &Snapshot, table: TableId) -> bool {
    let (parts, rows) = (snapshot.parts(table), snapshot.catalog.table(table).rows);
    parts >= MANY_PARTS || parts > 1 && rows.is_some_and(|rows| rows >= LARGE_ROWS)
}

/// The large tables of which a plan reads all partitions, with their number.
///
/// # Safety
/// `plan` is what the planner gave; the tables are those of its query.
pub unsafe fn read_whole(
    plan: *mut PlannedStmt,
    snapshot: &Snapshot,
    tables: &[TableId],
) -> Vec<(TableId, usize)> {
    // SAFETY: by the caller's contract.
    let Some(scanned) = (unsafe { scanned(plan) }) else { return Vec::new() };
    let whole = |&table: &TableId| {
        // SAFETY: a table of the snapshot; its partitions are looked up without locks.
        let parts = unsafe { holders(snapshot.oid(table)) };
        parts.iter().all(|part| scanned.contains(part)).then_some((table, parts.len()))
    };
    tables.iter().filter(|&&table| is_large(snapshot, table)).filter_map(whole).collect()
}

/// The tables that hold the rows of one.
unsafe fn holders(table: Oid) -> Vec<Oid> {
    // SAFETY: a list of OIDs, looked up in the catalog.
    unsafe {
        let no_lock = pg_sys::NoLock as pg_sys::LOCKMODE;
        let all =
            pg_guard_ffi_boundary(|| find_all_inheritors(table, no_lock, std::ptr::null_mut()));
        let all = PgList::<Oid>::from_pg(all);
        let holds =
            |&oid: &Oid| pg_sys::get_rel_relkind(oid) as u8 != pg_sys::RELKIND_PARTITIONED_TABLE;
        all.iter_oid().filter(holds).collect()
    }
}

/// The relations that a plan scans; None if it prunes partitions only at run time.
unsafe fn scanned(plan: *mut PlannedStmt) -> Option<HashSet<Oid>> {
    // SAFETY: a plan and its range table, which its nodes point into.
    unsafe {
        let entries = PgList::<RangeTblEntry>::from_pg((*plan).rtable);
        let mut nodes = vec![(*plan).planTree];
        nodes.extend(PgList::<Plan>::from_pg((*plan).subplans).iter_ptr());
        let mut found = HashSet::new();
        while let Some(node) = nodes.pop() {
            if node.is_null() {
                continue;
            }
            let mut scan = |place: u32| {
                let entry = (place as usize).checked_sub(1).and_then(|at| entries.get_ptr(at));
                found.extend(entry.map(|entry| (*entry).relid));
            };
            nodes.extend([(*node).lefttree, (*node).righttree]);
            match (*node).type_ {
                NodeTag::T_Append => {
                    let append = node.cast::<pg_sys::Append>();
                    if prunes_append(append) {
                        return None;
                    }
                    nodes.extend(PgList::<Plan>::from_pg((*append).appendplans).iter_ptr());
                }
                NodeTag::T_MergeAppend => {
                    let append = node.cast::<pg_sys::MergeAppend>();
                    if prunes_merge(append) {
                        return None;
                    }
                    nodes.extend(PgList::<Plan>::from_pg((*append).mergeplans).iter_ptr());
                }
                NodeTag::T_SubqueryScan => {
                    nodes.push((*node.cast::<pg_sys::SubqueryScan>()).subplan)
                }
                NodeTag::T_ForeignScan => {
                    // a join or an aggregate on the other server has several
                    let relations = (*node.cast::<pg_sys::ForeignScan>()).fs_relids;
                    let mut place = -1;
                    loop {
                        place = pg_sys::bms_next_member(relations, place);
                        if place < 0 {
                            break;
                        }
                        scan(place as u32);
                    }
                }
                NodeTag::T_SeqScan
                | NodeTag::T_SampleScan
                | NodeTag::T_IndexScan
                | NodeTag::T_IndexOnlyScan
                | NodeTag::T_BitmapHeapScan
                | NodeTag::T_CustomScan => scan(scan_of(node)),
                _ => {}
            }
        }
        Some(found)
    }
}

/// The place in the range table of what a scan reads.
unsafe fn scan_of(node: *mut Plan) -> u32 {
    // SAFETY: nodes of these kinds begin with a Scan.
    unsafe { (*node.cast::<pg_sys::Scan>()).scanrelid }
}

unsafe fn prunes_append(append: *mut pg_sys::Append) -> bool {
    // SAFETY: a node of a plan.
    unsafe {
        #[cfg(feature = "pg18")]
        return (*append).part_prune_index >= 0;
        #[cfg(not(feature = "pg18"))]
        !(*append).part_prune_info.is_null()
    }
}

unsafe fn prunes_merge(append: *mut pg_sys::MergeAppend) -> bool {
    // SAFETY: a node of a plan.
    unsafe {
        #[cfg(feature = "pg18")]
        return (*append).part_prune_index >= 0;
        #[cfg(not(feature = "pg18"))]
        !(*append).part_prune_info.is_null()
    }
}

/// If a query reads a table with partitions on other servers, turn on partitionwise planning: a
/// join or aggregate within one partition is then left to its server. For local partitions that
/// costs planning time and memory and saves little, so it is off by default. The end of the sandbox
/// restores the settings.
///
/// # Safety
/// `query` is a rewritten query that is about to be planned in the sandbox.
pub unsafe fn plan_by_parts(query: *mut Query) {
    // SAFETY: by the caller's contract.
    if relations::may_reach_foreign_tables() && unsafe { reads_parts_elsewhere(query) } {
        let local = pg_sys::GucAction::GUC_ACTION_LOCAL;
        spi::set_local(c"enable_partitionwise_aggregate", "on", local);
        spi::set_local(c"enable_partitionwise_join", "on", local);
    }
}

unsafe fn reads_parts_elsewhere(query: *mut Query) -> bool {
    // SAFETY: entries of the query's range table; a lookup of each partitioned table's partitions.
    unsafe {
        let entries = PgList::<RangeTblEntry>::from_pg((*query).rtable);
        let ctes = PgList::<pg_sys::CommonTableExpr>::from_pg((*query).cteList);
        ctes.iter_ptr().any(|cte| reads_parts_elsewhere((*cte).ctequery.cast()))
            || entries.iter_ptr().any(|entry| match (*entry).rtekind {
                RTEKind::RTE_SUBQUERY => reads_parts_elsewhere((*entry).subquery),
                RTEKind::RTE_RELATION => {
                    let is = |oid, kind: u8| pg_sys::get_rel_relkind(oid) as u8 == kind;
                    is((*entry).relid, pg_sys::RELKIND_PARTITIONED_TABLE)
                        && holders((*entry).relid)
                            .into_iter()
                            .any(|part| is(part, pg_sys::RELKIND_FOREIGN_TABLE))
                }
                _ => false,
            })
    }
}
