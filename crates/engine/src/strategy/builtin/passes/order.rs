//! The steps from the units of a question to its query form: passes over the units, then rewrites of the
//! form. Each names those that it needs: whose findings it reads, and to which it leaves their words.

use crate::strategy::builtin::form::finish::rank_before_aggregating;
use crate::strategy::builtin::form::query::Query;

use super::read::{Reader, Reading};

/// A step: its name, those that come before it, and what it does.
#[cfg_attr(not(test), expect(dead_code, reason = "the test reads its name and its needs"))]
struct Step(&'static str, &'static [&'static str], Run);

enum Run {
    Pass(fn(&mut Reader<'_>)),
    Rewrite(fn(&mut Reader<'_>, &mut Query)),
}

const fn pass(
    name: &'static str,
    after: &'static [&'static str],
    run: fn(&mut Reader<'_>),
) -> Step {
    Step(name, after, Run::Pass(run))
}

const fn rewrite(
    name: &'static str,
    after: &'static [&'static str],
    run: fn(&mut Reader<'_>, &mut Query),
) -> Step {
    Step(name, after, Run::Rewrite(run))
}

/// All of them, as they run.
const STEPS: &[Step] = &[
    pass("orders", &[], |r| r.read_orders()),
    pass("parts", &[], |r| r.read_parts()),
    pass("conditions", &["parts"], |r| r.read_conditions()),
    pass("states", &[], |r| r.read_states()),
    pass("stock", &["conditions"], |r| r.read_stock()),
    pass("roles", &["conditions"], |r| r.read_roles()),
    pass("ratios", &["conditions"], |r| r.read_ratios()),
    pass("superlatives", &["conditions"], |r| r.read_superlatives()),
    pass("groups", &["ratios", "superlatives"], |r| r.read_groups()),
    pass("absences", &["groups"], |r| r.read_absences()),
    pass("select", &["orders", "states", "stock", "roles", "absences"], |r| r.read_select()),
    pass("asked", &["select"], |r| r.read_asked()),
    pass("own groups", &["asked"], |r| r.drop_own_groups()),
    pass("default", &["own groups"], |r| r.default_select()),
    pass("subqueries", &["asked"], |r| r.narrow_subqueries()),
    pass("alternatives", &["subqueries"], |r| r.join_alternatives()),
    pass("open alternative", &["alternatives"], |r| r.refuse_open_alternative()),
    rewrite("combined", &["default", "open alternative"], |r, q| r.combine_filters(q)),
    rewrite("distinct", &["default"], |r, q| r.tell_apart(q)),
    rewrite("fewest tables", &["combined"], |r, q| r.drop_tables(q)),
    rewrite("references", &["fewest tables"], |r, q| r.name_references(q)),
    rewrite("said tables", &["fewest tables"], |r, q| r.pass_through_said(q)),
    rewrite("keys of verbs", &["said tables"], |r, q| r.join_by_verbs(q)),
    rewrite("keys of kinds", &["said tables"], |r, q| r.join_by_kinds(q)),
    rewrite("all in order", &[], |r, q| r.order_all(q)),
    rewrite("order", &["references", "all in order"], |r, q| r.order_as_said(q)),
    rewrite("first of each", &["order"], |r, q| r.rank_within(q)),
    rewrite("owners", &["order"], |r, q| r.rank_owner(q)),
    rewrite("named owners", &["order"], |r, q| r.rank_named(q)),
    rewrite("compared groups", &["combined"], |r, q| r.group_compared(q)),
    rewrite("group", &["first of each", "named owners", "compared groups"], |r, q| r.group(q)),
    rewrite("counted groups", &["group"], |r, q| r.count_groups(q)),
    rewrite("first of all", &["group"], |_, q| rank_before_aggregating(q)),
    rewrite("exclusions", &["counted groups", "first of all"], |r, q| r.exclude_absent(q)),
    rewrite("intersection", &["exclusions"], |r, q| r.intersect(q)),
    rewrite("scattered", &["intersection"], |r, q| r.separate_alternatives(q)),
    rewrite("union", &["intersection"], |r, q| r.unite(q)),
    rewrite("which dates", &["scattered"], |r, q| r.doubt_dates(q)),
    rewrite("which way", &["scattered", "union"], |r, q| r.doubt_ways(q)),
    rewrite("which keys", &["scattered", "union"], |r, q| r.choose_keys(q)),
    rewrite("once", &["group"], |r, q| r.show_once(q)),
    rewrite("left out", &["once"], |r, q| r.tell_of_none(q)),
    rewrite("refusals", &["which keys", "once"], |r, q| r.refuse_broken(q)),
];

impl Reader<'_> {
    /// Take every step, and account for the words.
    pub fn read(mut self) -> Reading {
        for Step(_, _, run) in STEPS {
            match run {
                Run::Pass(pass) => pass(&mut self),
                Run::Rewrite(rewrite) => {
                    let mut query = std::mem::take(&mut self.query);
                    rewrite(&mut self, &mut query);
                    self.query = query;
                }
            }
        }
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_precedes_one_that_it_needs() {
        for (at, Step(name, after, _)) in STEPS.iter().enumerate() {
            let is_before = |needed: &&str| STEPS[..at].iter().any(|step| step.0 == *needed);
            assert!(after.iter().all(is_before), "{name}");
        }
    }
}
