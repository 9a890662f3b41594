//! Which functions a generated query may call. The lists are data: `functions.txt`.

use std::collections::HashMap;
use std::sync::OnceLock;

use pgrx::pg_catalog::pg_proc::{PgProc, ProVolatile};
use pgrx::pg_sys::{self, Oid};

use super::stand_ins;
use super::stand_ins::FIRST_USER_OID;
use crate::pg::encoding;

/// The languages of functions that a library brings, or PostgreSQL itself: internal and C.
const COMPILED: [u32; 2] = [12, 13];

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    /// In the text of the generated query.
    Query,
    /// In a view, a row policy or a function that the query uses.
    Object,
    /// In PostgreSQL, for a value of a type or for an operator.
    Server,
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
            Some(Action::Written) if caller != Caller::Query => Ok(()),
            Some(_) => Err(refusal(function, "it reaches beyond the tables that are asked about")),
            None if volatile => Err(refusal(function, "it is volatile")),
            None => Ok(()),
        };
    }
    let trusted = is_trusted(facts.proowner());
    // many extensions leave out that theirs are not volatile
    if caller == Caller::Server && trusted && COMPILED.contains(&facts.prolang().to_u32()) {
        return Ok(());
    }
    match rule("elsewhere", &name(function)) {
        Some(Action::Deny) => {
            return Err(refusal(function, "it reaches beyond the tables that are asked about"));
        }
        Some(_) if trusted && belongs_to_extension(function) => return Ok(()),
        _ => {}
    }
    if volatile {
        return Err(refusal(function, "it is volatile"));
    }
    for setting in facts.proconfig().unwrap_or_default() {
        let (name, value) = setting.split_once('=').unwrap_or((&setting, ""));
        if asks_for_debug(name, value) {
            return Err(refusal(function, "it asks for debugging messages"));
        }
        if !trusted && !may_be_set(name) {
            return Err(refusal(function, &format!("it sets {name}")));
        }
    }
    if !trusted && stand_ins::is_function(&name(function), &facts) {
        return Err(refusal(function, "it stands in for PostgreSQL's own function of that name"));
    }
    Ok(())
}

/// Whether a setting of a function makes PostgreSQL log debugging messages: after each it checks
/// for interrupts, even where an error would leave a subtransaction half begun.
fn asks_for_debug(name: &str, value: &str) -> bool {
    let (name, value) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
    name.ends_with("_min_messages") && value.starts_with("debug")
}

/// Whether a function of an ordinary role may have the setting while it runs: others see some, as the
/// name of the application, and some end the session. One that nothing but SQL reads is harmless.
fn may_be_set(name: &str) -> bool {
    match rule("settings", &name.to_ascii_lowercase()) {
        Some(action) => action == Action::Allow,
        None => name.contains('.') && is_placeholder(name),
    }
}

/// Whether no library has defined the setting.
fn is_placeholder(name: &str) -> bool {
    let Ok(name) = encoding::to_server(name) else { return false };
    // SAFETY: a look-up by name; a setting that is not there has no flags.
    unsafe {
        let flags = pg_sys::GetConfigOptionFlags(name.as_ptr(), true);
        let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
        value.is_null() || flags & pg_sys::GUC_CUSTOM_PLACEHOLDER as i32 != 0
    }
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
        let stands_in = !is_trusted(owner) && stand_ins::is_operator(&name, left, right);
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

/// Whether a call may stand for a cast, if it does; if not, why.
///
/// # Safety
/// A call of an analysed query.
pub unsafe fn judge_cast(call: &pg_sys::FuncExpr) -> Result<(), String> {
    if call.funcid.to_u32() < FIRST_USER_OID {
        return Ok(());
    }
    let is_of_ordinary_role =
        PgProc::new(call.funcid).is_some_and(|facts| !is_trusted(facts.proowner()));
    // SAFETY: by the caller's contract.
    match is_of_ordinary_role && unsafe { stand_ins::is_cast(call) } {
        true => Err(refusal(call.funcid, "it stands in for PostgreSQL's own cast")),
        false => Ok(()),
    }
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

/// Whether only a superuser can have made the object, or can change it. An extension may belong to
/// an ordinary role, which can add its own functions; those made by its script belong to the
/// superuser.
pub fn is_trusted(owner: Oid) -> bool {
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
