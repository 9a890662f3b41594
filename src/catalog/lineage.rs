//! What the columns of a view and generated columns are made of: the stored columns that their expressions
//! read, seen through joins, subqueries, WITH and set operations. Columns that only select rows (WHERE, ON,
//! HAVING) are not included.

use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_void};

use pgrx::PgList;
use pgrx::pg_sys::{self, Node, NodeTag, Oid, Query, RangeTblEntry};

use super::rules;
use crate::guard::walk::{self, Next};

/// The number of a row as a whole.
pub const WHOLE_ROW: i16 = 0;
/// The number for a table of which no column is read but whose rows are counted: `count(*)`.
pub const TABLE: i16 = i16::MIN;

/// Columns by relation and number.
pub type Origins = HashSet<(Oid, i16)>;

/// What each column of a view, by number, is made of; `rule` is `pg_rewrite.ev_action`. None where
/// it is too much to be read.
pub fn columns(rule: &str) -> Option<HashMap<i16, Origins>> {
    // SAFETY: reads the tree.
    unsafe {
        rules::with_query(rule, |query| {
            let number = |target: *mut pg_sys::TargetEntry| (*target).resno;
            outputs(query).into_iter().map(number).map(|n| (n, origins(query, n))).collect()
        })
    }
}

/// What a generated column of a relation is made of; `expression` is `pg_attrdef.adbin`. None where it is
/// too much to be read.
pub fn generated(relation: Oid, expression: &str) -> Option<Origins> {
    let mut found = (relation, Origins::new());
    let context: *mut (Oid, Origins) = &raw mut found;
    // SAFETY: reads the tree; what is found outlives the walk.
    unsafe { rules::with_tree(expression, |tree| walk::expression(tree, read, context.cast()))? };
    Some(found.1)
}

unsafe fn read(node: *mut Node, context: *mut c_void) -> Next {
    // SAFETY: nodes of the tree, cast to what their tags say, and the context of `generated`.
    unsafe {
        if (*node).type_ == NodeTag::T_Var {
            let (relation, found) = &mut *context.cast::<(Oid, Origins)>();
            let number = (*node.cast::<pg_sys::Var>()).varattno;
            found.extend((number >= WHOLE_ROW).then_some((*relation, number)));
        }
    }
    Next::Into
}

unsafe fn origins(query: *mut Query, number: i16) -> Origins {
    pgrx::check_for_interrupts!();
    let mut walk = Walk::default();
    // SAFETY: a query of a rule.
    unsafe {
        walk.output(query, number);
        walk.run();
    }
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

/// What is still to be read. One place leads to the next, through as many WITH queries as there are:
/// they stand in a list, for the stack would not hold them.
enum Place {
    Output(*mut Query, i16),
    Column(*mut RangeTblEntry, i16),
}

#[derive(Default)]
struct Walk {
    /// The queries around the current place, outermost first.
    levels: Vec<*mut Query>,
    found: Origins,
    /// Places to read, with the queries around each.
    open: Vec<(Vec<*mut Query>, Place)>,
    /// Places already met, because WITH RECURSIVE leads back to itself.
    seen: HashSet<(*const c_void, i16)>,
}

impl Walk {
    unsafe fn run(&mut self) {
        while let Some((levels, place)) = self.open.pop() {
            self.levels = levels;
            // SAFETY: places of the rule.
            unsafe {
                match place {
                    Place::Output(query, number) => self.read_output(query, number),
                    Place::Column(entry, number) => self.read_column(entry, number),
                }
            }
        }
    }

    /// A column that a query gives, or all of them.
    fn output(&mut self, query: *mut Query, number: i16) {
        if self.seen.insert((query.cast_const().cast(), number)) {
            let levels = [&self.levels[..], &[query]].concat();
            self.open.push((levels, Place::Output(query, number)));
        }
    }

    unsafe fn read_output(&mut self, query: *mut Query, number: i16) {
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
    }

    unsafe fn expression(&mut self, node: *mut Node) {
        // SAFETY: a node of the rule; the walk outlives it.
        unsafe { walk::expression(node, visit, (&raw mut *self).cast()) };
    }

    unsafe fn variable(&mut self, var: &pg_sys::Var) {
        let Some(depth) = self.levels.len().checked_sub(1 + var.varlevelsup as usize) else {
            return;
        };
        // SAFETY: entries of a query of the rule.
        unsafe {
            let entries = PgList::<RangeTblEntry>::from_pg((*self.levels[depth]).rtable);
            let entry = (var.varno as usize).checked_sub(1).and_then(|at| entries.get_ptr(at));
            if let Some(entry) = entry
                && self.seen.insert((entry.cast_const().cast(), var.varattno))
            {
                let levels = self.levels[..=depth].to_vec();
                self.open.push((levels, Place::Column(entry, var.varattno)));
            }
        }
    }

    /// A column of a range table entry, or its whole row.
    unsafe fn read_column(&mut self, entry: *mut RangeTblEntry, number: i16) {
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

unsafe fn visit(node: *mut Node, context: *mut c_void) -> Next {
    // SAFETY: nodes of the tree, cast to what their tags say, and the context of `expression`.
    unsafe {
        let walk = &mut *context.cast::<Walk>();
        let counts = match (*node).type_ {
            NodeTag::T_Var => {
                walk.variable(&*node.cast::<pg_sys::Var>());
                return Next::Past;
            }
            NodeTag::T_Query => {
                walk.output(node.cast(), WHOLE_ROW);
                return Next::Past;
            }
            NodeTag::T_Aggref => (*node.cast::<pg_sys::Aggref>()).args.is_null(),
            NodeTag::T_WindowFunc => (*node.cast::<pg_sys::WindowFunc>()).args.is_null(),
            _ => false,
        };
        if counts {
            walk.counted();
        }
        Next::Into
    }
}
