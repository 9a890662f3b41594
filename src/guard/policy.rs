//! Which functions a generated query may call. The lists are data: `functions.txt`.

use std::collections::HashMap;
use std::sync::OnceLock;

use pgrx::pg_catalog::pg_proc::{PgProc, ProVolatile};
use pgrx::pg_sys::{self, Oid};

use crate::encoding;

/// Objects below are PostgreSQL's own.
const FIRST_USER_OID: u32 = pg_sys::FirstNormalObjectId;

const RULES: &str = include_str!("functions.txt");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Allow,
    /// Allow if the function belongs to an extension.
    Extension,
    /// Allow inside views, policies and functions of the database.
    Written,
    Deny,
}

/// The place of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// In the text of the generated query.
    Query,
    /// In a view, a row policy or a function that the query uses.
    Object,
}

/// `section → [(action, pattern)]`.
fn rules(section: &str) -> &'static [(Action, &'static str)] {
    static RULES_BY_SECTION: OnceLock<HashMap<&str, Vec<(Action, &str)>>> = OnceLock::new();
    RULES_BY_SECTION.get_or_init(parse_rules).get(section).map_or(&[], Vec::as_slice)
}

fn parse_rules() -> HashMap<&'static str, Vec<(Action, &'static str)>> {
    let mut sections: HashMap<_, Vec<_>> = HashMap::new();
    let mut section = "";
    for line in RULES.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = name;
        } else if let Some((word, pattern)) =
            line.split_once(' ').filter(|_| !line.starts_with('#'))
        {
            let action = match word {
                "allow" => Action::Allow,
                "extension" => Action::Extension,
                "written" => Action::Written,
                _ => Action::Deny,
            };
            sections.entry(section).or_default().push((action, pattern));
        }
    }
    sections
}

/// Whether `name` matches `pattern`, in which each `*` matches any characters.
fn matches(pattern: &str, name: &str) -> bool {
    // most rules begin with another letter
    if !pattern.starts_with('*') && pattern.bytes().next() != name.bytes().next() {
        return false;
    }
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|tail| {
            rest.is_empty()
                || (0..=tail.len())
                    .filter(|&i| tail.is_char_boundary(i))
                    .any(|i| matches(rest, &tail[i..]))
        }),
    }
}

fn rule(section: &str, name: &str) -> Option<Action> {
    rules(section).iter().find(|(_, pattern)| matches(pattern, name)).map(|(action, _)| *action)
}

/// Whether a generated query may call the function; if not, why.
pub fn judge(function: Oid, caller: Caller) -> Result<(), String> {
    let Some(facts) = PgProc::new(function) else {
        return Err("a function that the query calls does not exist any more".to_owned());
    };
    let volatile = matches!(facts.provolatile(), ProVolatile::Volatile);
    if function.to_u32() < FIRST_USER_OID && is_own(pg_sys::get_func_namespace, function) {
        return match rule("pg_catalog", &name(function)) {
            Some(Action::Allow) => Ok(()),
            Some(Action::Written) if caller == Caller::Object => Ok(()),
            Some(_) => Err(refusal(function, "it reaches beyond the tables that are asked about")),
            None if volatile => Err(refusal(function, "it is volatile")),
            None => Ok(()),
        };
    }
    match rule("elsewhere", &name(function)) {
        Some(Action::Deny) => {
            return Err(refusal(function, "it reaches beyond the tables that are asked about"));
        }
        Some(_) if is_trusted(facts.proowner()) && belongs_to_extension(function) => return Ok(()),
        _ => {}
    }
    if volatile {
        return Err(refusal(function, "it is volatile"));
    }
    if facts.proconfig().is_some_and(|settings| settings.iter().any(|s| asks_for_debug(s))) {
        return Err(refusal(function, "it asks for debugging messages"));
    }
    let hijacks = !is_trusted(facts.proowner())
        && facts.proargtypes().into_iter().all(is_plain)
        && exists_in_catalog(&name(function), &Callable::of(&facts));
    if hijacks {
        return Err(refusal(function, "it stands in for PostgreSQL's own function of that name"));
    }
    Ok(())
}

/// Whether a setting of a function makes PostgreSQL log debugging messages: after each it checks
/// for interrupts, even where an error would leave a subtransaction half begun.
fn asks_for_debug(setting: &str) -> bool {
    setting
        .to_ascii_lowercase()
        .split_once('=')
        .is_some_and(|(name, value)| name.ends_with("_min_messages") && value.starts_with("debug"))
}

/// Whether a generated query may use the operator; if not, why. Its function is judged separately.
pub fn judge_operator(operator: Oid) -> Result<(), String> {
    if operator.to_u32() < FIRST_USER_OID {
        return Ok(());
    }
    // SAFETY: system cache look-ups; the form is read before the tuple is released.
    unsafe {
        let key = pg_sys::Datum::from(operator);
        let cache = pg_sys::SysCacheIdentifier::OPEROID as i32;
        let tuple = pg_sys::SearchSysCache1(cache, key);
        if tuple.is_null() {
            return Err("an operator of the query does not exist any more".to_owned());
        }
        let form = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_operator>();
        let name = encoding::c_text(form.oprname.data.as_ptr());
        let (left, right, owner) = (form.oprleft, form.oprright, form.oprowner);
        let (commutator, negator) = (form.oprcom, form.oprnegate);
        pg_sys::ReleaseSysCache(tuple);
        let stands_in = !is_trusted(owner)
            && [left, right].into_iter().all(is_plain)
            && operator_exists_in_catalog(&name);
        if stands_in {
            return Err(format!(
                "operator {name} of an ordinary role may not stand in for PostgreSQL's own"
            ));
        }
        // the planner's estimates call the functions of these as well
        for related in [commutator, negator, pg_sys::get_commutator(negator)] {
            let function = pg_sys::get_opcode(related);
            if function != pg_sys::InvalidOid {
                judge(function, Caller::Object)?;
            }
        }
    }
    Ok(())
}

fn is_own(namespace_of: unsafe fn(Oid) -> Oid, object: Oid) -> bool {
    // SAFETY: a system cache look-up.
    unsafe { namespace_of(object) }.to_u32() == pg_sys::PG_CATALOG_NAMESPACE
}

fn name(function: Oid) -> String {
    // SAFETY: a system cache look-up; the name is copied.
    unsafe {
        let name = pg_sys::get_func_name(function);
        if name.is_null() { String::new() } else { encoding::c_text(name) }
    }
}

/// How many arguments a function can be called with.
struct Callable {
    least: usize,
    most: usize,
}

impl Callable {
    fn of(facts: &PgProc) -> Self {
        let variadic = facts.provariadic().is_some_and(|element| element != pg_sys::InvalidOid);
        Self::with(facts.pronargs(), facts.pronargdefaults(), variadic)
    }

    fn with(arguments: usize, defaults: usize, variadic: bool) -> Self {
        let most = if variadic { usize::MAX } else { arguments };
        Self { least: arguments - defaults.min(arguments), most }
    }

    /// Whether a call could mean either.
    fn meets(&self, other: &Self) -> bool {
        self.least <= other.most && other.least <= self.most
    }
}

/// Whether PostgreSQL itself has a function of this name that takes as many arguments.
fn exists_in_catalog(name: &str, called: &Callable) -> bool {
    any_named(pg_sys::SysCacheIdentifier::PROCNAMEARGSNSP, name, |tuple| {
        // SAFETY: the cache holds rows of pg_proc.
        let form = unsafe { &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_proc>() };
        let (arguments, defaults) = (form.pronargs as usize, form.pronargdefaults as usize);
        let variadic = form.provariadic != pg_sys::InvalidOid;
        form.pronamespace.to_u32() == pg_sys::PG_CATALOG_NAMESPACE
            && Callable::with(arguments, defaults, variadic).meets(called)
    })
}

/// Whether PostgreSQL itself has an operator of this name.
fn operator_exists_in_catalog(name: &str) -> bool {
    any_named(pg_sys::SysCacheIdentifier::OPERNAMENSP, name, |tuple| {
        // SAFETY: the cache holds rows of pg_operator.
        let form = unsafe { &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_operator>() };
        form.oprnamespace.to_u32() == pg_sys::PG_CATALOG_NAMESPACE
    })
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

/// Whether only a superuser can have made the object, or can change it. An extension may belong to
/// an ordinary role, which can add its own functions; those made by its script belong to the
/// superuser.
pub(super) fn is_trusted(owner: Oid) -> bool {
    // SAFETY: a catalog look-up.
    unsafe { pg_sys::superuser_arg(owner) }
}

fn belongs_to_extension(function: Oid) -> bool {
    // SAFETY: a catalog look-up.
    unsafe {
        let extension = pg_sys::getExtensionOfObject(pg_sys::ProcedureRelationId, function);
        extension != pg_sys::InvalidOid
    }
}

fn refusal(function: Oid, reason: &str) -> String {
    // SAFETY: gives a palloc'd C string for any OID.
    let signature = unsafe { encoding::c_text(pg_sys::format_procedure(function)) };
    format!("function {signature} may not be called: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_a_rule() {
        let lines = RULES.lines().filter(|l| !l.is_empty() && !l.starts_with(['#', '[']));
        let parsed: usize = parse_rules().values().map(Vec::len).sum();
        assert_eq!(lines.count(), parsed);
        assert!(RULES.lines().all(|l| {
            l.is_empty()
                || ["#", "[", "allow ", "deny ", "extension ", "written "]
                    .iter()
                    .any(|s| l.starts_with(s))
        }));
    }

    #[test]
    fn the_first_matching_rule_decides() {
        let check =
            |name: &str, expect: Option<Action>| assert_eq!(rule("pg_catalog", name), expect);
        check("random", Some(Action::Allow));
        check("pg_typeof", Some(Action::Allow));
        check("pg_sleep", Some(Action::Deny));
        check("table_to_xml", Some(Action::Deny));
        check("query_to_xml_and_xmlschema", Some(Action::Deny));
        check("lower", None);
        check("ts_stat", Some(Action::Deny));
    }
}
