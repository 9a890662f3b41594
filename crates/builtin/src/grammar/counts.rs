//! Counts of related rows: "customers with more than 10 orders", "ordered at least three times".

use crate::chart::Gap;
use crate::form::{Condition, Op, Set};
use crate::item::{Amount, Head, Item, Made, Meaning, Rows};
use crate::lexicon::LEXICON;

use super::{Grammar, Priced};

impl Grammar<'_> {
    /// Amounts of rows, and rows that have so many.
    pub(super) fn counts(&self, left: &Meaning, gap: Gap, right: &Meaning, out: &mut Vec<Item>) {
        match (left, right) {
            (Meaning::Amount(a), Meaning::Rows(r))
                if r.head == Head::Noun && countable(a) && (!gap.relates || gap.of) =>
            {
                out.add("counted", 2, Meaning::Counted(a.clone(), r.clone()));
            }
            (Meaning::Number(n, None), Meaning::Rows(r))
                if r.head == Head::Noun && !gap.any && r.via.is_none() =>
            {
                let amount = Amount {
                    op: Op::Equal,
                    number: n.clone(),
                    upper: None,
                    unit: None,
                    nouns: None,
                    loose: false,
                };
                out.add("counted", 12, Meaning::Counted(amount, r.clone()));
            }
            (Meaning::Rows(verb), Meaning::Amount(a))
                if verb.head == Head::Verb && times(&a.unit) =>
            {
                out.add("times", 2, Meaning::Counted(a.clone(), verb.clone()));
            }
            (Meaning::Rows(verb), Meaning::Number(n, unit))
                if verb.head == Head::Verb && times(unit) =>
            {
                let amount = Amount {
                    op: Op::Equal,
                    number: n.clone(),
                    upper: None,
                    unit: None,
                    nouns: None,
                    loose: false,
                };
                out.add("times", 4, Meaning::Counted(amount, verb.clone()));
            }
            _ => self.counted(left, gap, right, out),
        }
    }

    /// Rows, verbs and columns beside a number of rows.
    fn counted(&self, left: &Meaning, gap: Gap, right: &Meaning, out: &mut Vec<Item>) {
        match (left, right) {
            (Meaning::Rows(r), Meaning::Counted(a, counted)) if r.head == Head::Noun => {
                for (set, cost) in self.with_count(&r.set, a, counted) {
                    out.rows("rows counted", cost, Rows { set, ..r.clone() });
                }
            }
            (Meaning::Rows(verb), Meaning::Counted(a, counted))
                if verb.head == Head::Verb
                // "placed more than 10 orders": the verb adds nothing to its own rows
                && verb.set.table == counted.set.table && verb.set.conditions.is_empty() =>
            {
                out.add("verb counted", 0, Meaning::Counted(a.clone(), counted.clone()));
            }
            (Meaning::Columns(c), Meaning::Counted(a, counted))
                if c.of.is_none() && a.upper.is_none() =>
            {
                // "cities with more than 3 customers"
                let [column] = c.columns[..] else { return };
                let same = counted.set.table == column.table;
                if !self.world.is_numeric(column)
                    && counted.via.is_none()
                    && (same || self.has_one(counted.set.table, column.table))
                {
                    let mut frame = crate::form::Frame::new(crate::form::Core::Values(
                        column,
                        Set::all(column.table),
                    ));
                    frame.having = Some((
                        crate::form::Measure::count(counted.set.clone()),
                        a.op,
                        a.number.clone(),
                    ));
                    out.frame("values counted", if same { 2 } else { 30 }, frame);
                }
            }
            (Meaning::Counted(a, counted), Meaning::Rows(more))
                if more.head != Head::Noun || gap.relates =>
            {
                for (set, cost) in self.attach(&counted.set, more, false) {
                    let counted = Rows { set, ..counted.clone() };
                    out.add("counted rows", cost + 2, Meaning::Counted(a.clone(), counted));
                }
            }
            (Meaning::Counted(a, counted), Meaning::Period(p)) => {
                for (set, cost) in self.in_period(&counted.set, p) {
                    let counted = Rows { set, ..counted.clone() };
                    out.add("counted period", cost, Meaning::Counted(a.clone(), counted));
                }
            }
            (Meaning::Rows(r), Meaning::Amount(a))
                if r.head == Head::Noun && a.nouns.is_none() && a.unit.is_none() => {}
            _ => {}
        }
    }

    /// Rows of a set that have so many related rows.
    pub(super) fn with_count(
        &self,
        set: &Set,
        amount: &Amount,
        counted: &Rows,
    ) -> Vec<Priced<Set>> {
        if counted.set.table == set.table || counted.via.is_some() {
            return Vec::new();
        }
        let paths = self.world.paths(set.table, counted.set.table);
        let many = paths.iter().filter(|(path, _)| !path.iter().all(|&s| self.world.is_to_one(s)));
        let counted_set = |path: &[crate::form::Step], op, n: &String| {
            Condition::Count(path.to_vec(), counted.set.clone(), op, n.clone())
        };
        many.map(|(path, cost)| {
            let first = set.clone().and(counted_set(path, amount.op, &amount.number));
            let upper = amount.upper.iter().map(|n| counted_set(path, Op::LessOrEqual, n));
            (upper.fold(first, Set::and), *cost)
        })
        .collect()
    }
}

/// Whether an amount may be of rows: it has no unit and no adjective of another kind.
fn countable(amount: &Amount) -> bool {
    amount.unit.is_none() && amount.nouns.is_none()
}

fn times(unit: &Option<String>) -> bool {
    unit.as_ref().and_then(|u| LEXICON.unit(u)).is_some_and(|u| u.family == "times")
}
