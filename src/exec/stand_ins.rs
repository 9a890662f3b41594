//! Functions, operators and casts of ordinary roles that a query would use in place of PostgreSQL's own.
//! They have its name, or lie between the same types, and PostgreSQL's own takes their arguments too. It may
//! take them as any type (`anyenum`, `anyarray`, `record`).

use pgrx::PgList;
use pgrx::pg_catalog::pg_proc::PgProc;
use pgrx::pg_sys::{self, FuncExpr, Node, Oid};

use crate::pg::encoding;

/// Objects below are PostgreSQL's own.
pub const FIRST_USER_OID: u32 = pg_sys::FirstNormalObjectId;

/// The parameters of a function, as a call sees them.
struct Signature {
    types: Vec<Oid>,
    defaults: usize,
    /// The type of the elements that any number of further arguments have, or InvalidOid.
    variadic: Oid,
}

impl Signature {
    fn of(function: &PgProc) -> Self {
        Self {
            types: function.proargtypes(),
            defaults: function.pronargdefaults(),
            variadic: function.provariadic().unwrap_or(pg_sys::InvalidOid),
        }
    }

    unsafe fn of_row(form: &pg_sys::FormData_pg_proc) -> Self {
        // SAFETY: a row of pg_proc has as many types as it has arguments.
        let types = unsafe { form.proargtypes.values.as_slice(form.pronargs as usize) };
        Self {
            types: types.to_vec(),
            defaults: form.pronargdefaults as usize,
            variadic: form.provariadic,
        }
    }

    fn least(&self) -> usize {
        self.types.len().saturating_sub(self.defaults)
    }

    fn most(&self) -> usize {
        if self.variadic == pg_sys::InvalidOid { self.types.len() } else { usize::MAX }
    }

    /// The types that the argument at a place may have; none where defaults or nothing stand there.
    fn at(&self, place: usize) -> Vec<Oid> {
        let last = self.types.len().saturating_sub(1);
        if self.variadic != pg_sys::InvalidOid && place >= last {
            return vec![self.types[last], self.variadic];
        }
        self.types.get(place).copied().into_iter().collect()
    }

    /// Whether a call could mean either.
    fn meets(&self, own: &Self) -> bool {
        let places = 0..self.types.len().max(own.types.len());
        self.least() <= own.most()
            && own.least() <= self.most()
            && places.into_iter().all(|place| {
                let (given, declared) = (self.at(place), own.at(place));
                let fits = |&given: &Oid| declared.iter().any(|&declared| takes(declared, given));
                given.is_empty() || declared.is_empty() || given.iter().any(fits)
            })
    }
}

/// Whether PostgreSQL itself has a function of this name that takes the same arguments.
pub fn is_function(name: &str, function: &PgProc) -> bool {
    let called = Signature::of(function);
    any_named(pg_sys::SysCacheIdentifier::PROCNAMEARGSNSP, name, |tuple| {
        // SAFETY: the cache holds rows of pg_proc.
        unsafe {
            let form = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_proc>();
            form.pronamespace.to_u32() == pg_sys::PG_CATALOG_NAMESPACE
                && called.meets(&Signature::of_row(form))
        }
    })
}

/// Whether PostgreSQL itself has an operator of this name that takes the same operands.
pub fn is_operator(name: &str, left: Oid, right: Oid) -> bool {
    any_named(pg_sys::SysCacheIdentifier::OPERNAMENSP, name, |tuple| {
        // SAFETY: the cache holds rows of pg_operator.
        let form = unsafe { &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_operator>() };
        form.oprnamespace.to_u32() == pg_sys::PG_CATALOG_NAMESPACE
            && takes(form.oprleft, left)
            && takes(form.oprright, right)
    })
}

/// Whether a call is a cast from or to text, which PostgreSQL itself does with the type's input and
/// output functions.
///
/// # Safety
/// A call of an analysed query.
pub unsafe fn is_cast(call: &FuncExpr) -> bool {
    // SAFETY: by the caller's contract; system cache look-ups.
    unsafe {
        let arguments = PgList::<Node>::from_pg(call.args);
        let Some(value) = arguments.get_ptr(0) else { return false };
        let (from, to) = (pg_sys::exprType(value), call.funcresulttype);
        if !is_text(from) && !is_text(to) {
            return false;
        }
        let explicit = pg_sys::CoercionContext::COERCION_EXPLICIT;
        let mut function = pg_sys::InvalidOid;
        let path = pg_sys::find_coercion_pathway(to, from, explicit, &raw mut function);
        path == pg_sys::CoercionPathType::COERCION_PATH_FUNC && function == call.funcid
    }
}

/// Whether the type, or that of its elements, is one of PostgreSQL's for text.
unsafe fn is_text(type_id: Oid) -> bool {
    // SAFETY: system cache look-ups of a type of the query.
    unsafe {
        let element = pg_sys::get_element_type(type_id);
        let of = if element == pg_sys::InvalidOid { type_id } else { element };
        is_plain(of) && pg_sys::TypeCategory(of) as u8 == pg_sys::TYPCATEGORY_STRING
    }
}

/// Whether an argument of PostgreSQL's own of type `declared` may be one of type `given`. Of plain
/// types only the number counts: which of several PostgreSQL prefers depends on the whole call.
fn takes(declared: Oid, given: Oid) -> bool {
    let implicit = pg_sys::CoercionContext::COERCION_IMPLICIT;
    // SAFETY: system cache look-ups of types that exist.
    is_plain(given)
        || declared != pg_sys::InvalidOid
            && unsafe {
                pg_sys::can_coerce_type(1, &raw const given, &raw const declared, implicit)
            }
}

/// Whether a row that a cache has under a name is as `wanted`.
fn any_named(
    cache: pg_sys::SysCacheIdentifier::Type,
    name: &str,
    wanted: impl Fn(pg_sys::HeapTuple) -> bool,
) -> bool {
    let Ok(name) = encoding::to_server(name) else { return false };
    // SAFETY: a list look-up in the system cache by its first key, a name; released after it was
    // read.
    unsafe {
        let none = pg_sys::Datum::null();
        let key = pg_sys::Datum::from(name.as_ptr());
        let list = pg_sys::SearchSysCacheList(cache as i32, 1, key, none, none);
        let mut members = (*list).members.as_slice((*list).n_members as usize).iter();
        let found = members.any(|&member| wanted(&raw mut (*member).tuple));
        pg_sys::ReleaseCatCacheList(list);
        found
    }
}

/// Whether a type, or no type, is PostgreSQL's own, a domain over such a type or an array of one.
fn is_plain(mut type_id: Oid) -> bool {
    // SAFETY: system cache look-ups of a type that exists.
    unsafe {
        while type_id.to_u32() >= FIRST_USER_OID {
            let base = pg_sys::getBaseType(type_id);
            type_id = if base == type_id { pg_sys::get_element_type(base) } else { base };
            if type_id == pg_sys::InvalidOid {
                return false; // a type of somebody's, and no array
            }
        }
    }
    true
}
