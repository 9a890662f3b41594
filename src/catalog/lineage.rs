//! What the columns of a view are made of: the stored columns that their expressions read, seen
//! through joins, subqueries, WITH and set operations. Columns that only select rows (WHERE, ON,
//! HAVING) are not included.

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, c_void};
use std::mem;

use pgrx::pg_sys::{self, Node, NodeTag, Oid, Query, RangeTblEntry};
use pgrx::{PgList, PgMemoryContexts, is_a, pg_guard};

/// The number of a row as a whole.
pub const WHOLE_ROW: i16 = 0;
/// The number for a table of which no column is read but whose rows are counted: `count(*)`.
pub const TABLE: i16 = i16::MIN;

/// Columns by relation and number.
pub type Origins = HashSet<(Oid, i16)>;

/// What each column of a view, by number, is made of; `rule` is `pg_rewrite.ev_action`.
pub fn columns(rule: &str) -> HashMap<i16, Origins> {
    let Ok(rule) = CString::new(rule) else { return HashMap::new() };
    // SAFETY: a rule of the catalog is a list of queries; memory used to read it is freed at once.
    unsafe {
        PgMemoryContexts::new("text2sql view").switch_to(|_| {
            let queries = PgList::<Query>::from_pg(pg_sys::stringToNode(rule.as_ptr()).cast());
            let Some(query) = queries.get_ptr(0) else { return HashMap::new() };
            let number = |target: *mut pg_sys::TargetEntry| (*target).resno;
            outputs(query).into_iter().map(number).map(|n| (n, origins(query, n))).collect()
        })
    }
}

unsafe fn origins(query: *mut Query, number: i16) -> Origins {
    let mut walk = Walk::default();
    // SAFETY: a query of a rule.
    unsafe { walk.output(query, number) };
    walk.found
}

/// The columns that a query gives.
unsafe fn outputs(query: *mut Query) -> Vec<*mut pg_sys::TargetEntry> {
    // SAFETY: a query of a rule.
    unsafe {
        let targets = PgList::<pg_sys::TargetEntry>::from_pg((*query).targetList);
        targets.iter_ptr().filter(|target| !(**target).resjunk).collect()
    }
}

#[derive(Default)]
struct Walk {
    /// The queries around the current place, outermost first.
    levels: Vec<*mut Query>,
    found: Origins,
    /// Places already visited, because WITH RECURSIVE leads back to itself.
    seen: HashSet<(*const c_void, i16)>,
}

impl Walk {
    /// A column that a query gives, or all of them.
    unsafe fn output(&mut self, query: *mut Query, number: i16) {
        if !self.seen.insert((query.cast_const().cast(), number)) {
            return;
        }
        self.levels.push(query);
        // SAFETY: a query of the rule and its parts.
        unsafe {
            if (*query).setOperations.is_null() {
                let wanted =
                    |t: &*mut pg_sys::TargetEntry| number == WHOLE_ROW || (**t).resno == number;
                for target in outputs(query).into_iter().filter(wanted) {
                    self.expression((*target).expr.cast());
                }
            } else {
                for entry in PgList::<RangeTblEntry>::from_pg((*query).rtable).iter_ptr() {
                    if (*entry).rtekind == pg_sys::RTEKind::RTE_SUBQUERY {
                        self.output((*entry).subquery, number);
                    }
                }
            }
        }
        self.levels.pop();
    }

    unsafe fn expression(&mut self, node: *mut Node) {
        // SAFETY: a node of the rule; the walk outlives it.
        unsafe { walker(node, (&raw mut *self).cast()) };
    }

    unsafe fn variable(&mut self, var: &pg_sys::Var) {
        let Some(depth) = self.levels.len().checked_sub(1 + var.varlevelsup as usize) else {
            return;
        };
        let outer = self.levels[..=depth].to_vec();
        let inner = mem::replace(&mut self.levels, outer);
        // SAFETY: entries of a query of the rule.
        unsafe {
            let entries = PgList::<RangeTblEntry>::from_pg((*self.levels[depth]).rtable);
            let entry = (var.varno as usize).checked_sub(1).and_then(|at| entries.get_ptr(at));
            if let Some(entry) = entry {
                self.column(entry, var.varattno);
            }
        }
        self.levels = inner;
    }

    /// A column of a range table entry, or its whole row.
    unsafe fn column(&mut self, entry: *mut RangeTblEntry, number: i16) {
        if !self.seen.insert((entry.cast_const().cast(), number)) {
            return;
        }
        // SAFETY: an entry of the rule, whose parts are as its kind says.
        unsafe {
            match (*entry).rtekind {
                pg_sys::RTEKind::RTE_RELATION if number >= WHOLE_ROW => {
                    self.found.insert(((*entry).relid, number));
                }
                pg_sys::RTEKind::RTE_RELATION => {} // where and when a row was written
                pg_sys::RTEKind::RTE_SUBQUERY => self.output((*entry).subquery, number),
                pg_sys::RTEKind::RTE_JOIN => self.parts((*entry).joinaliasvars, number),
                pg_sys::RTEKind::RTE_CTE => self.with(entry, number),
                #[cfg(feature = "pg18")]
                pg_sys::RTEKind::RTE_GROUP => self.parts((*entry).groupexprs, number),
                _ => {
                    self.expression((*entry).functions.cast());
                    self.expression((*entry).tablefunc.cast());
                    self.expression((*entry).values_lists.cast());
                }
            }
        }
    }

    /// One of a list of expressions, from 1, or all of them.
    unsafe fn parts(&mut self, list: *mut pg_sys::List, number: i16) {
        // SAFETY: a list of nodes of the rule.
        let parts = unsafe { PgList::<Node>::from_pg(list) };
        for (part, place) in parts.iter_ptr().zip(1..) {
            if number == WHOLE_ROW || number == place {
                // SAFETY: as above.
                unsafe { self.expression(part) };
            }
        }
    }

    /// A column of a WITH query of an enclosing query.
    unsafe fn with(&mut self, entry: *mut RangeTblEntry, number: i16) {
        // SAFETY: an entry of the rule; names are C strings.
        unsafe {
            let up = 1 + (*entry).ctelevelsup as usize;
            let Some(depth) = self.levels.len().checked_sub(up) else { return };
            self.levels.truncate(depth + 1);
            let list = PgList::<pg_sys::CommonTableExpr>::from_pg((*self.levels[depth]).cteList);
            let name = CStr::from_ptr((*entry).ctename);
            let named = list.iter_ptr().find(|with| CStr::from_ptr((**with).ctename) == name);
            if let Some(with) = named {
                self.output((*with).ctequery.cast(), number);
            }
        }
    }

    /// The tables of the current query, which an aggregate without arguments counts.
    unsafe fn counted(&mut self) {
        let Some(&query) = self.levels.last() else { return };
        // SAFETY: a query of the rule.
        unsafe {
            for entry in PgList::<RangeTblEntry>::from_pg((*query).rtable).iter_ptr() {
                if (*entry).rtekind == pg_sys::RTEKind::RTE_RELATION {
                    self.found.insert(((*entry).relid, TABLE));
                }
            }
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn walker(node: *mut Node, context: *mut c_void) -> bool {
    // SAFETY: PostgreSQL's walkers pass nodes of the tree and the context of `expression`.
    unsafe {
        if node.is_null() {
            return false;
        }
        let walk = &mut *context.cast::<Walk>();
        if is_a(node, NodeTag::T_Var) {
            walk.variable(&*node.cast::<pg_sys::Var>());
            return false;
        }
        if is_a(node, NodeTag::T_Query) {
            walk.output(node.cast(), WHOLE_ROW);
            return false;
        }
        let counts = match (*node).type_ {
            NodeTag::T_Aggref => (*node.cast::<pg_sys::Aggref>()).args.is_null(),
            NodeTag::T_WindowFunc => (*node.cast::<pg_sys::WindowFunc>()).args.is_null(),
            _ => false,
        };
        if counts {
            walk.counted();
        }
        pg_sys::expression_tree_walker(node, Some(walker), context)
    }
}
