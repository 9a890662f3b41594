//! Comparisons with aggregates and other rows: "above the average price", "more than the average".

use std::rc::Rc;

use crate::chart::Gap;
use text2sql_engine::dialect::DatePart;

use crate::form::{Aggregate, Condition, Core, Dimension, Measure, Op, Set};
use crate::item::{Columns, Head, Item, Made, Meaning, Rows};
use crate::lexicon::Class;

use super::Grammar;

impl Grammar<'_> {
    /// Comparisons with another row: "earn more than Tom", "more orders than Tom".
    fn than(&self, left: &Meaning, right: &Meaning, out: &mut Vec<Item>) {
        match (left, right) {
            (Meaning::Columns(c), Meaning::Than(op, rows, None)) => {
                let [column] = c.columns[..] else { return };
                if rows.set.table == column.table && self.world.is_numeric(column) {
                    let base = c.of.clone().unwrap_or_else(|| Set::all(column.table));
                    let condition = Condition::ToAggregate(
                        column,
                        *op,
                        Aggregate::Max,
                        column,
                        rows.set.clone(),
                    );
                    out.push(Item::rows("than row", 0, base.and(condition), Head::Clause));
                }
            }
            (
                Meaning::After(class @ (Class::More | Class::Fewer), counted),
                Meaning::After(Class::Than, row),
            ) => {
                let (Meaning::Rows(counted), Meaning::Rows(row)) = (&**counted, &**row) else {
                    return;
                };
                if row.head == Head::Value {
                    let op = if *class == Class::More { Op::Greater } else { Op::Less };
                    out.add("count than", 0, Meaning::CountThan(op, counted.clone(), row.clone()));
                }
            }
            (Meaning::Rows(verb), Meaning::Than(op, row, None)) if verb.head == Head::Verb => {
                out.add("count than", 4, Meaning::CountThan(*op, verb.clone(), row.clone()));
            }
            (Meaning::Rows(verb), Meaning::CountThan(..)) if verb.head == Head::Verb => {
                out.add("verb than", 2, right.clone())
            }
            (Meaning::Rows(rows), Meaning::CountThan(op, counted, row))
                if rows.head == Head::Noun && rows.set.table == row.set.table =>
            {
                for (path, cost) in self.world.paths(rows.set.table, counted.set.table).iter() {
                    let condition =
                        Condition::CountTo(path.clone(), counted.set.clone(), *op, row.set.clone());
                    let set = rows.set.clone().and(condition);
                    out.rows("rows than", *cost, Rows { set, ..rows.clone() });
                }
            }
            (Meaning::Rows(rows), Meaning::Than(op, row, Some(nouns)))
                if rows.head == Head::Noun && rows.set.table == row.set.table =>
            {
                for (column, more, cost) in self.by_nouns(rows.set.table, nouns).into_iter().take(1)
                {
                    let op = if more { *op } else { super::conditions::opposite(*op) };
                    let condition =
                        Condition::ToAggregate(column, op, Aggregate::Max, column, row.set.clone());
                    let set = rows.set.clone().and(condition);
                    out.rows("rows than", cost, Rows { set, ..rows.clone() });
                }
            }
            (Meaning::Comparative(nouns), Meaning::Rows(row)) if row.head == Head::Value => {
                out.add(
                    "comparative than",
                    0,
                    Meaning::Than(Op::Greater, row.clone(), Some(nouns.clone())),
                );
            }
            _ => {}
        }
    }

    /// "more orders in Berlin or in London", "compare revenue in 2022 and 2023": the number of each side.
    pub(super) fn contrast(&self, right: &Meaning, out: &mut Vec<Item>) {
        let measure = match right {
            Meaning::Rows(rows) if rows.head == Head::Noun && rows.via.is_none() => {
                Measure::count(rows.set.clone())
            }
            Meaning::Measure(measure) => measure.clone(),
            Meaning::Frame(frame) => {
                let Core::Measures(measures) = &frame.core else { return };
                let Some(side) = measures.first().and_then(|m| side_of(&m.set)) else { return };
                let mut next = frame.clone();
                next.dimensions.push(side);
                out.frame("contrast", 2, next);
                return;
            }
            _ => return,
        };
        if let Some(side) = side_of(&measure.set) {
            out.frame("contrast", 0, super::grouping::grouped(&measure, &[side]));
        }
    }

    /// "revenue in 2022 and 2023": rows of either.
    fn sides(&self, left: &Meaning, right: &Meaning, out: &mut Vec<Item>) {
        let (Meaning::Measure(measure), Meaning::After(Class::And | Class::Or, next)) =
            (left, right)
        else {
            return;
        };
        match &**next {
            Meaning::Period(period) => {
                if let Some(set) = self.or_period(&measure.set, period) {
                    out.measure("or period", 6, Measure { set, ..measure.clone() });
                }
            }
            Meaning::Rows(rows) if rows.head == Head::Value => {
                if let Some(set) = super::conditions::or_value(&measure.set, &rows.set) {
                    out.measure("or value", 6, Measure { set, ..measure.clone() });
                }
            }
            _ => {}
        }
    }

    /// "above average", "more than the average salary".
    pub(super) fn comparison_word(
        &self,
        class: Class,
        _: Gap,
        right: &Meaning,
        out: &mut Vec<Item>,
    ) {
        if matches!(class, Class::More | Class::Fewer | Class::Compare) {
            self.contrast(right, out);
        }
        if let (Class::More | Class::Fewer, Meaning::Rows(rows)) = (class, right)
            && rows.head == Head::Noun
            && rows.set.conditions.is_empty()
        {
            out.add("more rows", 2, Meaning::After(class, Rc::new(right.clone())));
        }
        let op = match class {
            Class::Greater => Op::Greater,
            Class::Less => Op::Less,
            Class::AtLeast => Op::GreaterOrEqual,
            Class::AtMost => Op::LessOrEqual,
            _ => return,
        };
        match right {
            Meaning::Rows(rows)
                if rows.head == Head::Value && matches!(op, Op::Greater | Op::Less) =>
            {
                out.add("than row", 2, Meaning::Than(op, rows.clone(), None));
            }
            Meaning::Word(Class::Average) => {
                out.add("bound", 0, Meaning::Bound(op, Aggregate::Average, None))
            }
            Meaning::Measure(measure)
                if measure.ratio.is_none() && measure.set.conditions.is_empty() =>
            {
                if let crate::form::Quantity::Column(column) = measure.quantity
                    && measure.aggregate != Aggregate::Sum
                {
                    out.add("bound", 0, Meaning::Bound(op, measure.aggregate, Some(column)));
                }
            }
            _ => {}
        }
    }

    /// A bound beside a column or rows.
    pub(super) fn comparison(&self, left: &Meaning, _: Gap, right: &Meaning, out: &mut Vec<Item>) {
        self.than(left, right, out);
        self.sides(left, right, out);
        let (Meaning::Columns(_) | Meaning::Rows(_), Meaning::Bound(op, aggregate, of)) =
            (left, right)
        else {
            return;
        };
        match left {
            Meaning::Columns(Columns { columns, of: base, .. }) => {
                let [column] = columns[..] else { return };
                if of.is_some_and(|of| of != column) || !self.world.is_numeric(column) {
                    return;
                }
                let base = base.clone().unwrap_or_else(|| Set::all(column.table));
                let set = base.and(Condition::ToAggregate(
                    column,
                    *op,
                    *aggregate,
                    column,
                    Set::all(column.table),
                ));
                out.push(Item::rows("column bound", 0, set, Head::Clause));
            }
            Meaning::Rows(rows) if rows.head == Head::Noun => {
                let columns: Vec<_> = match of {
                    Some(column) => vec![*column],
                    None => self
                        .world
                        .columns(rows.set.table)
                        .filter(|&c| self.world.is_numeric(c) && self.world.name(c).has("money"))
                        .collect(),
                };
                let [column] = columns[..] else { return };
                if column.table == rows.set.table {
                    let condition = Condition::ToAggregate(
                        column,
                        *op,
                        *aggregate,
                        column,
                        Set::all(column.table),
                    );
                    let set = rows.set.clone().and(condition);
                    out.rows("rows bound", 4, Rows { set, ..rows.clone() });
                }
            }
            _ => {}
        }
    }
}

/// The difference between two sides of a set: a column of alternatives, or the year of alternative periods.
fn side_of(set: &Set) -> Option<Dimension> {
    set.conditions.iter().find_map(|condition| match condition {
        Condition::OneOf(column, _) => Some(Dimension::Column(*column)),
        Condition::Any(groups) => match groups.first().map(|g| &g[..]) {
            Some([Condition::Within(column, Some(_), Some(_))]) => {
                Some(Dimension::Part(DatePart::Year, Some(*column)))
            }
            Some([Condition::Compare(column, Op::Equal, _)]) => Some(Dimension::Column(*column)),
            _ => None,
        },
        Condition::Related(path, inner) if path.iter().all(|s| s.forward) => side_of(inner),
        _ => None,
    })
}
