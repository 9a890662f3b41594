//! Names that a query makes from OIDs and types: `16402::regclass` is the name of a table, and
//! `(NULL::t).*` has the names of its columns, whether or not the caller may know them. A constant in a
//! generated query must name one of its tables; `tableoid::regclass` names the table of a row.

use std::collections::HashSet;

use pgrx::pg_sys::{self, Node, NodeTag, Oid};
use pgrx::{IntoDatum, PgList, direct_function_call, is_a};

use crate::catalog::Snapshot;
use crate::pg::types;

const NAMING: [Oid; 4] =
    [pg_sys::REGCLASSOID, pg_sys::REGTYPEOID, pg_sys::REGNAMESPACEOID, pg_sys::REGROLEOID];

/// Why a query may not use rows of a type.
pub const UNKNOWN_COLUMNS: &str =
    "the query uses the row type of a table of which not all columns may be read";

/// Whether values of the type, of its elements, bounds or fields are shown as names.
fn is_naming(type_id: Oid) -> bool {
    consists(type_id, |base, _| NAMING.contains(&base))
}

/// Whether the type, its elements, bounds or fields are rows of a relation of which the caller may not
/// know all columns.
pub fn names_unknown_columns(type_id: Oid, snapshot: &Snapshot) -> bool {
    // PostgreSQL's own are public
    type_id.to_u32() >= pg_sys::FirstNormalObjectId
        && consists(type_id, |_, row_of| {
            row_of != pg_sys::InvalidOid && !are_columns_known(row_of, snapshot)
        })
}

/// Whether the caller may know all columns of a relation. A composite type is always known, since
/// access to it cannot be denied.
pub fn are_columns_known(relation: Oid, snapshot: &Snapshot) -> bool {
    // SAFETY: a system cache look-up.
    let kind = unsafe { pg_sys::get_rel_relkind(relation) } as u8;
    if kind == pg_sys::RELKIND_COMPOSITE_TYPE || relation.to_u32() < pg_sys::FirstNormalObjectId {
        return true;
    }
    let table = root_of(relation).and_then(|root| snapshot.table(root));
    table.is_some_and(|table| {
        let root = snapshot.oid(table);
        types::live_columns(root).all(|(number, _)| snapshot.column(table, number).is_some())
    })
}

/// Whether `is` holds for a type, its elements, bounds or fields, given its base type and the relation that
/// its rows are of. Each type is looked at once, however many fields of fields have it.
fn consists(type_id: Oid, is: impl Fn(Oid, Oid) -> bool) -> bool {
    let (mut seen, mut open) = (HashSet::new(), vec![type_id]);
    while let Some(type_id) = open.pop() {
        if type_id == pg_sys::InvalidOid || !seen.insert(type_id) {
            continue;
        }
        // SAFETY: system cache look-ups of a type of the query.
        let (base, row_of) = unsafe {
            let base = pg_sys::getBaseType(type_id);
            open.extend([pg_sys::get_element_type(base), pg_sys::get_range_subtype(base)]);
            #[cfg(not(feature = "pg13"))]
            open.push(pg_sys::get_multirange_range(base));
            (base, pg_sys::get_typ_typrelid(base))
        };
        if is(base, row_of) {
            return true;
        }
        open.extend(types::live_columns(row_of).map(|(_, data_type)| data_type));
    }
    false
}

/// Why an expression may not have the type that it has; None if it may.
///
/// # Safety
/// `node` is a node of an analysed query that was not rewritten yet.
pub unsafe fn row_refusal(node: *mut Node, snapshot: &Snapshot) -> Option<String> {
    // SAFETY: casts are to what the tags say.
    let types = unsafe {
        match (*node).type_ {
            NodeTag::T_Const
            | NodeTag::T_RowExpr
            | NodeTag::T_CoerceViaIO
            | NodeTag::T_CoerceToDomain
            | NodeTag::T_RelabelType
            | NodeTag::T_ConvertRowtypeExpr
            | NodeTag::T_ArrayExpr
            | NodeTag::T_ArrayCoerceExpr => vec![pg_sys::exprType(node)],
            // a row as a whole is judged by its columns
            NodeTag::T_Var if (*node.cast::<pg_sys::Var>()).varattno > 0 => {
                vec![(*node.cast::<pg_sys::Var>()).vartype]
            }
            NodeTag::T_RangeTblFunction => {
                let types = (*node.cast::<pg_sys::RangeTblFunction>()).funccoltypes;
                PgList::<Oid>::from_pg(types).iter_oid().collect()
            }
            NodeTag::T_TableFunc => {
                let types = (*node.cast::<pg_sys::TableFunc>()).coltypes;
                PgList::<Oid>::from_pg(types).iter_oid().collect()
            }
            #[cfg(any(feature = "pg17", feature = "pg18"))]
            NodeTag::T_JsonExpr => {
                let returning = (*node.cast::<pg_sys::JsonExpr>()).returning;
                if returning.is_null() { Vec::new() } else { vec![(*returning).typid] }
            }
            _ => return None,
        }
    };
    let unknown = types.into_iter().any(|type_id| names_unknown_columns(type_id, snapshot));
    unknown.then(|| UNKNOWN_COLUMNS.to_owned())
}

/// Why an expression may not make the name that it makes; None if it may.
///
/// # Safety
/// `node` is a node of an analysed query that was not rewritten yet.
pub unsafe fn refusal(node: *mut Node, snapshot: &Snapshot) -> Option<String> {
    // SAFETY: casts are to what the tags say.
    unsafe {
        let made = match (*node).type_ {
            NodeTag::T_Const => {
                let constant = &*node.cast::<pg_sys::Const>();
                if constant.constisnull || is_known(constant, snapshot) {
                    return None;
                }
                constant.consttype
            }
            NodeTag::T_RelabelType => {
                let cast = &*node.cast::<pg_sys::RelabelType>();
                if is_naming(pg_sys::exprType(cast.arg.cast())) || is_tableoid(cast.arg.cast()) {
                    return None;
                }
                cast.resulttype
            }
            NodeTag::T_CoerceViaIO => (*node.cast::<pg_sys::CoerceViaIO>()).resulttype,
            NodeTag::T_FuncExpr => named_by_function(&*node.cast::<pg_sys::FuncExpr>()),
            NodeTag::T_RangeTblFunction => {
                let types = (*node.cast::<pg_sys::RangeTblFunction>()).funccoltypes;
                naming_one(types)
            }
            NodeTag::T_TableFunc => naming_one((*node.cast::<pg_sys::TableFunc>()).coltypes),
            #[cfg(any(feature = "pg17", feature = "pg18"))]
            NodeTag::T_JsonExpr => {
                let returning = (*node.cast::<pg_sys::JsonExpr>()).returning;
                if returning.is_null() { pg_sys::InvalidOid } else { (*returning).typid }
            }
            _ => return None,
        };
        is_naming(made).then(|| {
            let name = types::name_of(made);
            format!("{name} may name what is not among the tables that may be read")
        })
    }
}

unsafe fn is_tableoid(node: *mut Node) -> bool {
    // SAFETY: the cast is to what the tag says.
    unsafe {
        is_a(node, NodeTag::T_Var)
            && i32::from((*node.cast::<pg_sys::Var>()).varattno) == pg_sys::TableOidAttributeNumber
    }
}

/// The argument from which a function of PostgreSQL makes a name, if none was one already.
unsafe fn named_by_function(call: &pg_sys::FuncExpr) -> Oid {
    // SAFETY: the arguments of a call of the query; system cache look-ups.
    unsafe {
        let arguments = PgList::<Node>::from_pg(call.args);
        let given = arguments.iter_ptr().any(|argument| is_given(argument));
        let own = pg_sys::get_func_namespace(call.funcid).to_u32() == pg_sys::PG_CATALOG_NAMESPACE;
        let name = pg_sys::get_func_name(call.funcid);
        let of_value = !name.is_null() && std::ffi::CStr::from_ptr(name) == c"pg_typeof";
        if own && !given && !of_value { call.funcresulttype } else { pg_sys::InvalidOid }
    }
}

/// Whether an argument has a name already. A row of NULLs, which `json_populate_record` takes for
/// its type, has none.
unsafe fn is_given(argument: *mut Node) -> bool {
    // SAFETY: the cast is to what the tag says.
    unsafe {
        let is_null =
            is_a(argument, NodeTag::T_Const) && (*argument.cast::<pg_sys::Const>()).constisnull;
        !is_null && is_naming(pg_sys::exprType(argument))
    }
}

/// The first type of a list whose values are shown as names.
unsafe fn naming_one(types: *mut pg_sys::List) -> Oid {
    // SAFETY: a list of OIDs of types.
    let types = unsafe { PgList::<Oid>::from_pg(types) };
    types.iter_oid().find(|t| is_naming(*t)).unwrap_or(pg_sys::InvalidOid)
}

/// Whether a constant names something that the caller may know: one of the tables, its index or
/// partition, or a type that is not another table's row type.
unsafe fn is_known(constant: &pg_sys::Const, snapshot: &Snapshot) -> bool {
    // SAFETY: system cache look-ups; a value of such a type is an OID.
    unsafe {
        match pg_sys::getBaseType(constant.consttype) {
            pg_sys::REGCLASSOID => is_table(oid_of(constant), snapshot),
            pg_sys::REGTYPEOID => {
                let element = pg_sys::get_element_type(oid_of(constant));
                let element =
                    if element == pg_sys::InvalidOid { oid_of(constant) } else { element };
                let row_of = pg_sys::get_typ_typrelid(element);
                row_of == pg_sys::InvalidOid || is_table(row_of, snapshot)
            }
            _ => false,
        }
    }
}

fn oid_of(constant: &pg_sys::Const) -> Oid {
    Oid::from(constant.constvalue.value() as u32)
}

/// Whether a relation is one of the tables, or an index, sequence or partition of one.
unsafe fn is_table(relation: Oid, snapshot: &Snapshot) -> bool {
    // SAFETY: system cache look-ups.
    unsafe {
        let of = match pg_sys::get_rel_relkind(relation) as u8 {
            pg_sys::RELKIND_INDEX | pg_sys::RELKIND_PARTITIONED_INDEX => {
                pg_sys::IndexGetRelation(relation, true)
            }
            pg_sys::RELKIND_SEQUENCE => match table_of_sequence(relation) {
                Some(table) => table,
                None => return true, // nobody's
            },
            _ => relation,
        };
        root_of(of).is_some_and(|root| snapshot.table(root).is_some())
    }
}

/// The relation that stands for one in catalogs: a partition's root.
pub fn root_of(relation: Oid) -> Option<Oid> {
    // SAFETY: system cache look-ups.
    unsafe {
        match pg_sys::get_rel_relispartition(relation) {
            true => direct_function_call(pg_sys::pg_partition_root, &[relation.into_datum()]),
            false => Some(relation),
        }
    }
}

/// The table that owns a sequence.
unsafe fn table_of_sequence(sequence: Oid) -> Option<Oid> {
    let (mut table, mut column) = (pg_sys::InvalidOid, 0);
    let kinds =
        [pg_sys::DependencyType::DEPENDENCY_AUTO, pg_sys::DependencyType::DEPENDENCY_INTERNAL];
    // SAFETY: catalog look-ups, for the two ways to be owned.
    let owned = |kind: &pg_sys::DependencyType::Type| unsafe {
        pg_sys::sequenceIsOwned(sequence, *kind as _, &raw mut table, &raw mut column)
    };
    kinds.iter().any(owned).then_some(table)
}
