//! Comparisons with aggregates and other rows: "above the average price", "more than the average".

use crate::chart::Gap;
use crate::form::{Aggregate, Condition, Op, Set};
use crate::item::{Columns, Head, Item, Meaning, Rows};
use crate::lexicon::Class;

use super::Grammar;

impl Grammar<'_> {
    /// "above average", "more than the average salary".
    pub(super) fn comparison_word(&self, class: Class, _: Gap, right: &Meaning, out: &mut Vec<Item>) {
        let op = match class {
            Class::Greater => Op::Greater,
            Class::Less => Op::Less,
            Class::AtLeast => Op::GreaterOrEqual,
            Class::AtMost => Op::LessOrEqual,
            _ => return,
        };
        match right {
            Meaning::Word(Class::Average) => out.push(Item::new("bound", 0, Meaning::Bound(op, Aggregate::Average, None))),
            Meaning::Measure(measure) if measure.ratio.is_none() && measure.set.conditions.is_empty() => {
                if let crate::form::Quantity::Column(column) = measure.quantity {
                    if measure.aggregate != Aggregate::Sum {
                        out.push(Item::new("bound", 0, Meaning::Bound(op, measure.aggregate, Some(column))));
                    }
                }
            }
            _ => {}
        }
    }

    /// A bound beside a column or rows.
    pub(super) fn comparison(&self, left: &Meaning, _: Gap, right: &Meaning, out: &mut Vec<Item>) {
        let (Meaning::Columns(_) | Meaning::Rows(_), Meaning::Bound(op, aggregate, of)) = (left, right) else { return };
        match left {
            Meaning::Columns(Columns { columns, of: base }) => {
                let [column] = columns[..] else { return };
                if of.is_some_and(|of| of != column) || !self.world.is_numeric(column) {
                    return;
                }
                let base = base.clone().unwrap_or_else(|| Set::all(column.table));
                let set = base.and(Condition::ToAggregate(column, *op, *aggregate, column, Set::all(column.table)));
                out.push(Item::rows("column bound", 0, set, Head::Clause));
            }
            Meaning::Rows(rows) if rows.head == Head::Noun => {
                let columns: Vec<_> = match of {
                    Some(column) => vec![*column],
                    None => self.world.columns(rows.set.table).filter(|&c| self.world.is_numeric(c) && self.world.name(c).has("money")).collect(),
                };
                let [column] = columns[..] else { return };
                if column.table == rows.set.table {
                    let condition = Condition::ToAggregate(column, *op, *aggregate, column, Set::all(column.table));
                    let set = rows.set.clone().and(condition);
                    out.push(Item::new("rows bound", 4, Meaning::Rows(Rows { set, ..rows.clone() })));
                }
            }
            _ => {}
        }
    }
}
