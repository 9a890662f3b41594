//! Passes over the units: each adds the parts of the query that it understands, with the units that ask for
//! them, and leaves the rest to the others. Then rewrites of the form. Each step names those that it needs:
//! whose findings it reads, and to which it leaves their words.

pub(super) mod absences;
pub(super) mod accounting;
pub(super) mod asked;
pub(super) mod compared;
pub(super) mod conditions;
pub(super) mod counting;
pub(super) mod groups;
pub(super) mod lists;
pub(super) mod measures;
pub(super) mod misnamed;
pub(super) mod numbers;
pub(super) mod orders;
pub(super) mod parts;
pub(super) mod periods;
pub(super) mod ranking;
pub(super) mod ratios;
pub(super) mod read;
pub(super) mod roles;
pub(super) mod select;
pub(super) mod span;
pub(super) mod states;
pub(super) mod trade;

pub(super) use conditions::Left;
pub(super) use numbers::Bound;
pub(super) use parts::{Effect, LIKE, Parts};
pub(super) use ranking::Ranked;
pub(super) use read::{Absent, Claim, Filter, PendingOrder, Reader, Reading, Role};
pub(super) use select::Sentence;
pub(super) use span::{Found, Span, bare};

use super::form::finish::rank_before_aggregating;
use super::form::query::Query;

use Run::{Each, Pass, Rewrite};

/// A step: its name, those that come before it, and what it does.
#[cfg_attr(not(test), expect(dead_code, reason = "the test reads its name and its needs"))]
struct Step(&'static str, &'static [&'static str], Run);

enum Run {
    Pass(fn(&mut Reader<'_>)),
    /// A pass that looks at one unit after the other.
    Each(fn(&mut Reader<'_>, usize)),
    Rewrite(fn(&mut Reader<'_>, &mut Query)),
}

/// All of them, as they run.
const STEPS: &[Step] = &[
    Step("orders", &[], Pass(|r| r.read_orders())),
    Step("parts", &[], Each(|r, at| r.read_part(at))),
    Step("conditions", &["parts"], Each(|r, at| r.read_condition(at))),
    Step("states", &[], Each(|r, at| r.read_state(at))),
    Step("stock", &["conditions"], Each(|r, at| r.read_stock(at))),
    Step("roles", &["conditions"], Each(|r, at| r.read_kin(at))),
    Step("ways", &["roles"], Pass(|r| r.read_ways())),
    Step("ratios", &["conditions"], Each(|r, at| r.read_formula(at))),
    Step("superlatives", &["conditions"], Each(|r, at| r.read_superlative(at))),
    Step("groups", &["ratios", "superlatives"], Each(|r, at| r.read_group(at))),
    Step("absences", &["groups"], Each(|r, at| r.read_absence(at))),
    Step(
        "select",
        &["orders", "states", "stock", "ways", "absences"],
        Each(|r, at| r.read_sentence(at)),
    ),
    Step("asked", &["select"], Each(|r, at| r.read_asked(at))),
    Step("own groups", &["asked"], Pass(|r| r.drop_own_groups())),
    Step("default", &["own groups"], Pass(|r| r.default_select())),
    Step("subqueries", &["asked"], Pass(|r| r.narrow_subqueries())),
    Step("alternatives", &["subqueries"], Pass(|r| r.join_alternatives())),
    Step("open alternative", &["alternatives"], Pass(|r| r.refuse_open_alternative())),
    Step("combined", &["default", "open alternative"], Rewrite(|r, q| r.combine_filters(q))),
    Step("distinct", &["default"], Rewrite(|r, q| r.tell_apart(q))),
    Step("mentioned", &["combined"], Rewrite(|r, q| r.drop_mentioned(q))),
    Step("fewest tables", &["mentioned"], Rewrite(|r, q| r.share_keys(q))),
    Step("said tables", &["fewest tables"], Rewrite(|r, q| r.pass_through_said(q))),
    Step("keys of verbs", &["said tables"], Rewrite(|r, q| r.join_by_verbs(q))),
    Step("keys of kinds", &["said tables"], Rewrite(|r, q| r.join_by_kinds(q))),
    Step("all in order", &[], Rewrite(|r, q| r.order_all(q))),
    Step("order", &["fewest tables", "all in order"], Rewrite(|r, q| r.order_as_said(q))),
    Step("first of each", &["order"], Rewrite(|r, q| r.rank_within(q))),
    Step("owners", &["order"], Rewrite(|r, q| r.rank_owner(q))),
    Step("named owners", &["order"], Rewrite(|r, q| r.rank_named(q))),
    Step("compared groups", &["combined"], Rewrite(|r, q| r.group_compared(q))),
    Step(
        "group",
        &["first of each", "named owners", "compared groups"],
        Rewrite(|r, q| r.group(q)),
    ),
    Step("counted groups", &["group"], Rewrite(|r, q| r.count_groups(q))),
    Step(
        "those with none",
        &["counted groups", "named owners"],
        Rewrite(|r, q| r.keep_those_with_none(q)),
    ),
    Step("first of all", &["group"], Rewrite(|_, q| rank_before_aggregating(q))),
    Step("references", &["first of all"], Rewrite(|r, q| r.name_references(q))),
    Step("exclusions", &["counted groups", "first of all"], Rewrite(|r, q| r.exclude_absent(q))),
    Step("intersection", &["exclusions"], Rewrite(|r, q| r.intersect(q))),
    Step("scattered", &["intersection"], Rewrite(|r, q| r.separate_alternatives(q))),
    Step("union", &["intersection"], Rewrite(|r, q| r.unite(q))),
    Step("which dates", &["scattered"], Rewrite(|r, q| r.doubt_dates(q))),
    Step("which way", &["scattered", "union"], Rewrite(|r, q| r.doubt_ways(q))),
    Step("which keys", &["scattered", "union"], Rewrite(|r, q| r.choose_keys(q))),
    Step("beside", &["which keys"], Rewrite(|r, q| r.keep_those_beside(q))),
    Step("once", &["group"], Rewrite(|r, q| r.show_once(q))),
    Step("left out", &["once"], Rewrite(|r, q| r.tell_of_none(q))),
    Step("refusals", &["which keys", "once"], Rewrite(|r, q| r.refuse_broken(q))),
];

impl Reader<'_> {
    /// Take every step, and account for the words.
    pub fn read(mut self) -> Reading {
        for Step(_, _, run) in STEPS {
            match run {
                Pass(pass) => pass(&mut self),
                Each(pass) => self.places().for_each(|at| pass(&mut self, at)),
                Rewrite(rewrite) => {
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
