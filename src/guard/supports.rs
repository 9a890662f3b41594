//! Functions that PostgreSQL calls by itself for values of a type or for an operator. They read, write and
//! compare values, or estimate how many rows match. No node of a query names them, and the gate does
//! not see them called.

use std::collections::HashSet;

use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, Node, NodeTag, Oid, Query, SysCacheIdentifier as Cache};

use crate::exec::judged;
use crate::exec::judged::{Call, Owner};
use crate::exec::policy;
use crate::exec::policy::Caller;
use crate::exec::stand_ins::FIRST_USER_OID;
use crate::pg::types;

/// Columns of pg_aggregate, which pgrx's bindings leave out: functions, types of states, an operator.
const AGGREGATE_FUNCTIONS: std::ops::RangeInclusive<i16> = 4..=10;
const AGGREGATE_OPERATOR: i16 = 16;
const AGGREGATE_STATES: [i16; 2] = [17, 19];
/// The column of pg_partitioned_table for the operator classes of the key.
const PARTITION_CLASSES: i16 = 6;

/// Operators and functions of a type that compare its values, from PostgreSQL's cache.
const COMPARING: u32 = pg_sys::TYPECACHE_EQ_OPR
    | pg_sys::TYPECACHE_LT_OPR
    | pg_sys::TYPECACHE_GT_OPR
    | pg_sys::TYPECACHE_CMP_PROC
    | pg_sys::TYPECACHE_HASH_PROC
    | pg_sys::TYPECACHE_HASH_EXTENDED_PROC;

/// Whether PostgreSQL calls only what may be called for what a node has: values of its type, its operator,
/// its aggregate.
///
/// # Safety
/// `node` is of an analysed tree, inside the sandbox.
pub unsafe fn judge_node(node: *mut Node) -> Result<(), String> {
    // SAFETY: casts are to what the tags say.
    unsafe {
        match (*node).type_ {
            NodeTag::T_RangeTblFunction => {
                judge_types((*node.cast::<pg_sys::RangeTblFunction>()).funccoltypes)
            }
            NodeTag::T_TableFunc => judge_types((*node.cast::<pg_sys::TableFunc>()).coltypes),
            NodeTag::T_RowCompareExpr => {
                let operators = (*node.cast::<pg_sys::RowCompareExpr>()).opnos;
                PgList::<Oid>::from_pg(operators).iter_oid().try_for_each(judge_operator)
            }
            _ => {
                if let Some(aggregate) = aggregate_of(node) {
                    judge_aggregate(aggregate)?;
                }
                if let Some(operator) = operator_of(node) {
                    judge_operator(operator)?;
                }
                if has_type(node) { judge_type(pg_sys::exprType(node)) } else { Ok(()) }
            }
        }
    }
}

/// Whether the query sorts, groups and frames its rows by what may be called.
///
/// # Safety
/// A query of an analysed tree, inside the sandbox.
pub unsafe fn judge_clauses(query: *mut Query) -> Result<(), String> {
    // SAFETY: lists of the query's nodes.
    unsafe {
        let mut lists = vec![(*query).sortClause, (*query).groupClause, (*query).distinctClause];
        for window in PgList::<pg_sys::WindowClause>::from_pg((*query).windowClause).iter_ptr() {
            lists.extend([(*window).partitionClause, (*window).orderClause]);
            for function in [(*window).startInRangeFunc, (*window).endInRangeFunc] {
                judge_function(function)?;
            }
        }
        for list in lists {
            for clause in PgList::<pg_sys::SortGroupClause>::from_pg(list).iter_ptr() {
                judge_operator((*clause).eqop)?;
                judge_operator((*clause).sortop)?;
            }
        }
        let entries = PgList::<pg_sys::RangeTblEntry>::from_pg((*query).rtable);
        let tables = entries.iter_ptr().filter(|entry| {
            (**entry).rtekind == pg_sys::RTEKind::RTE_RELATION
                && (**entry).relkind as u8 == pg_sys::RELKIND_PARTITIONED_TABLE
        });
        tables.map(|entry| (*entry).relid).try_for_each(judge_partition_key)
    }
}

/// Whether PostgreSQL calls only what may be called for values of a type, its elements, bounds and fields.
unsafe fn judge_type(type_id: Oid) -> Result<(), String> {
    if type_id.to_u32() < FIRST_USER_OID {
        return Ok(());
    }
    // SAFETY: a type of the tree.
    judged::functions_of(Owner::Type(type_id), || Ok(by_server(unsafe { of_types(type_id) })))
        .map_err(|reason| format!("type {} may not be used: {reason}", types::name_of(type_id)))
}

unsafe fn judge_types(list: *mut pg_sys::List) -> Result<(), String> {
    // SAFETY: a list of the OIDs of types.
    unsafe { PgList::<Oid>::from_pg(list).iter_oid().try_for_each(|type_id| judge_type(type_id)) }
}

/// The functions of a type and of its parts.
unsafe fn of_types(type_id: Oid) -> Vec<Oid> {
    let (mut functions, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![type_id]);
    while let Some(type_id) = open.pop() {
        if type_id.to_u32() >= FIRST_USER_OID && seen.insert(type_id) {
            // SAFETY: a type that exists.
            functions.extend(unsafe { of_type(type_id, &mut open) });
        }
    }
    functions
}

/// Calls that PostgreSQL makes of functions that are not its own, each once.
fn by_server(functions: impl IntoIterator<Item = Oid>) -> Vec<Call> {
    let others = functions.into_iter().filter(|f| f.to_u32() >= FIRST_USER_OID);
    let calls: HashSet<Call> = others.map(|function| (function, Caller::Server)).collect();
    calls.into_iter().collect()
}

/// The functions of a type, without those of its parts, which `parts` gets.
unsafe fn of_type(type_id: Oid, parts: &mut Vec<Oid>) -> Vec<Oid> {
    let mut functions = Vec::new();
    // SAFETY: cache look-ups; a row is read before it is released, an entry of a type stays.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(Cache::TYPEOID as i32, Datum::from(type_id));
        if tuple.is_null() {
            return functions;
        }
        let form = *pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_type>();
        pg_sys::ReleaseSysCache(tuple);
        functions.extend([form.typinput, form.typoutput, form.typreceive, form.typsend]);
        functions.extend([form.typmodin, form.typmodout, form.typanalyze]);
        parts.extend([form.typelem, form.typbasetype]);
        parts.extend(types::live_columns(form.typrelid).map(|(_, data_type)| data_type));
        if !form.typisdefined || form.typtype as u8 == pg_sys::TYPTYPE_PSEUDO {
            return functions;
        }
        let is_range = form.typtype as u8 == pg_sys::TYPTYPE_RANGE;
        let range = if is_range { pg_sys::TYPECACHE_RANGE_INFO } else { 0 };
        let families = pg_sys::TYPECACHE_BTREE_OPFAMILY | pg_sys::TYPECACHE_HASH_OPFAMILY;
        let entry = &*pg_sys::lookup_type_cache(type_id, (COMPARING | families | range) as i32);
        functions.extend([entry.cmp_proc, entry.hash_proc, entry.hash_extended_proc]);
        let operators = [entry.eq_opr, entry.lt_opr, entry.gt_opr];
        functions.extend(operators.map(|operator| pg_sys::get_opcode(operator)));
        functions.extend(of_family(entry.btree_opf).chain(of_family(entry.hash_opf)));
        if is_range {
            functions.extend([entry.rng_canonical_finfo.fn_oid, entry.rng_subdiff_finfo.fn_oid]);
            functions.push(entry.rng_cmp_proc_finfo.fn_oid);
            parts.push(pg_sys::get_range_subtype(type_id));
        }
        #[cfg(not(feature = "pg13"))]
        parts.push(pg_sys::get_multirange_range(type_id));
    }
    functions
}

/// Whether PostgreSQL calls only what may be called for an operator.
fn judge_operator(operator: Oid) -> Result<(), String> {
    if operator.to_u32() < FIRST_USER_OID {
        return Ok(());
    }
    judged::functions_of(Owner::Operator(operator), || {
        policy::judge_operator(operator)?;
        Ok(by_server(of_operator(operator)))
    })
}

/// An operator's functions: its own, those that estimate, and what its families have for sorting, hashing
/// and indexes.
fn of_operator(operator: Oid) -> Vec<Oid> {
    let families = rows(Cache::AMOPOPID, operator, |tuple| {
        // SAFETY: a row of pg_amop.
        unsafe { (*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_amop>()).amopfamily }
    });
    // SAFETY: system cache look-ups.
    let own = unsafe {
        [pg_sys::get_opcode(operator), pg_sys::get_oprrest(operator), pg_sys::get_oprjoin(operator)]
    };
    own.into_iter().chain(families.into_iter().flat_map(of_family)).collect()
}

/// Whether a family of operators has only functions that may be called.
pub fn judge_family(family: Oid) -> Result<(), String> {
    if family.to_u32() < FIRST_USER_OID {
        return Ok(());
    }
    judged::functions_of(Owner::Family(family), || Ok(by_server(of_family(family))))
}

/// The functions of a family that is not PostgreSQL's own.
fn of_family(family: Oid) -> impl Iterator<Item = Oid> {
    let is_own = family.to_u32() < FIRST_USER_OID;
    let functions = match is_own {
        true => Vec::new(),
        // SAFETY: rows of pg_amproc.
        false => rows(Cache::AMPROCNUM, family, |tuple| unsafe {
            (*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_amproc>()).amproc
        }),
    };
    functions.into_iter()
}

/// Whether the functions of an aggregate may be called, also for its states.
fn judge_aggregate(aggregate: Oid) -> Result<(), String> {
    if aggregate.to_u32() < FIRST_USER_OID {
        return Ok(());
    }
    judged::functions_of(Owner::Aggregate(aggregate), || {
        let oid = |number| {
            let read = |datum: Datum| Oid::from(datum.value() as u32);
            attribute(Cache::AGGFNOID, aggregate, number, read).unwrap_or(pg_sys::InvalidOid)
        };
        let operator = oid(AGGREGATE_OPERATOR);
        if operator != pg_sys::InvalidOid {
            policy::judge_operator(operator)?;
        }
        // SAFETY: types of the catalog.
        let states = AGGREGATE_STATES.map(|number| unsafe { of_types(oid(number)) });
        let mut calls = by_server(states.into_iter().flatten().chain(of_operator(operator)));
        let functions = AGGREGATE_FUNCTIONS.map(oid).filter(|&f| f != pg_sys::InvalidOid);
        calls.extend(functions.map(|function| (function, Caller::Object)));
        Ok(calls)
    })
}

/// Whether the operator classes of a table's partition key have only functions that may be called.
pub fn judge_partition_key(table: Oid) -> Result<(), String> {
    // SAFETY: an oidvector, which has as many values as it says.
    let classes = attribute(Cache::PARTRELID, table, PARTITION_CLASSES, |datum| unsafe {
        let classes = &*datum.cast_mut_ptr::<pg_sys::oidvector>();
        classes.values.as_slice(classes.dim1 as usize).to_vec()
    });
    // SAFETY: system cache look-ups.
    let families =
        classes.into_iter().flatten().map(|class| unsafe { pg_sys::get_opclass_family(class) });
    families.into_iter().try_for_each(judge_family)
}

/// Whether PostgreSQL may call a function by itself; no function is none.
pub fn judge_function(function: Oid) -> Result<(), String> {
    match function.to_u32() < FIRST_USER_OID {
        true => Ok(()),
        false => judged::function(function, Caller::Server),
    }
}

/// The rows that a cache has under an OID as their first key.
fn rows<R>(cache: Cache::Type, oid: Oid, read: impl Fn(pg_sys::HeapTuple) -> R) -> Vec<R> {
    let none = Datum::null();
    // SAFETY: a list look-up in the system cache; released after it was read.
    unsafe {
        let list = pg_sys::SearchSysCacheList(cache as i32, 1, Datum::from(oid), none, none);
        let members = (*list).members.as_slice((*list).n_members as usize);
        let found = members.iter().map(|&member| read(&raw mut (*member).tuple)).collect();
        pg_sys::ReleaseCatCacheList(list);
        found
    }
}

/// An attribute of the row that a cache has under an OID, if it is there.
fn attribute<R>(
    cache: Cache::Type,
    oid: Oid,
    number: i16,
    read: impl FnOnce(Datum) -> R,
) -> Option<R> {
    let mut null = false;
    // SAFETY: a system cache look-up; the row is released after it was read.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(cache as i32, Datum::from(oid));
        if tuple.is_null() {
            return None;
        }
        let datum = pg_sys::SysCacheGetAttr(cache as i32, tuple, number, &raw mut null);
        let found = (!null).then(|| read(datum));
        pg_sys::ReleaseSysCache(tuple);
        found
    }
}

/// The operator of an expression, if it has one.
unsafe fn operator_of(node: *mut Node) -> Option<Oid> {
    // SAFETY: the cast is to what the tag says.
    unsafe {
        match (*node).type_ {
            NodeTag::T_OpExpr | NodeTag::T_DistinctExpr | NodeTag::T_NullIfExpr => {
                Some((*node.cast::<pg_sys::OpExpr>()).opno)
            }
            NodeTag::T_ScalarArrayOpExpr => Some((*node.cast::<pg_sys::ScalarArrayOpExpr>()).opno),
            _ => None,
        }
    }
}

/// The aggregate that a node calls, if it calls one.
unsafe fn aggregate_of(node: *mut Node) -> Option<Oid> {
    // SAFETY: casts are to what the tags say.
    unsafe {
        match (*node).type_ {
            NodeTag::T_Aggref => Some((*node.cast::<pg_sys::Aggref>()).aggfnoid),
            NodeTag::T_WindowFunc => {
                let call = &*node.cast::<pg_sys::WindowFunc>();
                call.winagg.then_some(call.winfnoid)
            }
            _ => None,
        }
    }
}

/// Whether the node is an expression that may bring a type with it.
unsafe fn has_type(node: *mut Node) -> bool {
    // SAFETY: a node of the tree.
    let tag = unsafe { (*node).type_ };
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    if tag == NodeTag::T_JsonExpr {
        return true;
    }
    matches!(
        tag,
        NodeTag::T_Var
            | NodeTag::T_Const
            | NodeTag::T_Param
            | NodeTag::T_Aggref
            | NodeTag::T_WindowFunc
            | NodeTag::T_SubscriptingRef
            | NodeTag::T_FuncExpr
            | NodeTag::T_OpExpr
            | NodeTag::T_NullIfExpr
            | NodeTag::T_FieldSelect
            | NodeTag::T_RelabelType
            | NodeTag::T_CoerceViaIO
            | NodeTag::T_ArrayCoerceExpr
            | NodeTag::T_ConvertRowtypeExpr
            | NodeTag::T_CaseExpr
            | NodeTag::T_ArrayExpr
            | NodeTag::T_RowExpr
            | NodeTag::T_CoalesceExpr
            | NodeTag::T_MinMaxExpr
            | NodeTag::T_CoerceToDomain
    )
}
