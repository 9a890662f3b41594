//! Groups: "per country", "by month and store", "each customer".

use crate::chart::Gap;
use crate::form::{Core, Dimension, Frame, Measure, Quantity, Set};
use crate::item::{Head, Item, Meaning, Rows};
use crate::lexicon::Class;

use super::Grammar;

impl Grammar<'_> {
    /// Words that begin groups.
    pub(super) fn grouping_word(&self, class: Class, _: Gap, right: &Meaning, out: &mut Vec<Item>) {
        let each = match class {
            Class::Each => true,
            Class::Dimension => false,
            _ => return,
        };
        match right {
            Meaning::Rows(rows) if rows.head == Head::Noun && rows.set.conditions.is_empty() => {
                out.push(Item::new("each rows", 0, Meaning::Dimensions(vec![Dimension::Rows(rows.set.table)])));
                if each {
                    out.push(Item::new("each", 10, Meaning::After(Class::Each, std::rc::Rc::new(right.clone()))));
                }
            }
            Meaning::Rows(rows) if rows.head == Head::Value => {
                if let [crate::form::Condition::Flag(column, true)] = rows.set.conditions[..] {
                    out.push(Item::new("by flag", 6, Meaning::Dimensions(vec![Dimension::Column(column)])));
                }
            }
            Meaning::Columns(columns) if columns.of.is_none() => {
                let [column] = columns.columns[..] else { return };
                let numeric = self.world.is_numeric(column);
                if self.world.is_date(column) {
                    return;
                }
                out.push(Item::new("each value", if numeric { 14 } else { 0 }, Meaning::Dimensions(vec![Dimension::Column(column)])));
            }
            Meaning::Word(Class::Part(part)) => {
                out.push(Item::new("each part", 0, Meaning::Dimensions(vec![Dimension::Part(part.part(), None)])));
            }
            Meaning::Dimensions(_) => out.push(Item::new("each", 2, right.clone())),
            _ => {}
        }
    }

    /// Groups beside what is grouped.
    pub(super) fn grouping(&self, left: &Meaning, gap: Gap, right: &Meaning, out: &mut Vec<Item>) {
        match (left, right) {
            (Meaning::Measure(m), Meaning::Dimensions(d)) | (Meaning::Dimensions(d), Meaning::Measure(m)) => {
                out.push(Item::new("grouped", 0, Meaning::Frame(grouped(m, d))));
            }
            (Meaning::Frame(f), Meaning::Dimensions(d)) if f.dimensions.is_empty() || !gap.any => self.frame_grouped(f, d, 0, out),
            (Meaning::Dimensions(d), Meaning::Frame(f)) if f.dimensions.is_empty() => self.frame_grouped(f, d, 2, out),
            (Meaning::AverageOf(m), Meaning::Dimensions(d)) => self.average_grouped(m, d, out),
            (Meaning::Rows(r), Meaning::Dimensions(d)) if r.head == Head::Noun && r.via.is_none() => {
                let measure = Measure::count(r.set.clone());
                out.push(Item::new("rows grouped", 14, Meaning::Frame(grouped(&measure, d))));
            }
            (Meaning::Columns(c), Meaning::Dimensions(d)) => {
                let ([column], [Dimension::Rows(table)]) = (&c.columns[..], &d[..]) else { return };
                if column.table == *table || self.has_one(column.table, *table) {
                    let set = c.of.clone().unwrap_or_else(|| Set::all(column.table));
                    let mut columns = if column.table == *table { self.world.display(*table) } else { Vec::new() };
                    columns.push(*column);
                    let mut frame = Frame::new(Core::Rows(set, columns));
                    if column.table != *table {
                        frame.dimensions = d.clone();
                    }
                    let unique = column.table == *table;
                    out.push(Item::new("column of each", if unique { 6 } else { 24 }, Meaning::Frame(frame)));
                }
            }
            (Meaning::Dimensions(a), Meaning::After(Class::And, b)) => self.more_dimensions(a, b, out),
            (Meaning::Dimensions(a), Meaning::Dimensions(b)) => {
                out.push(Item::new("dimensions", 2, Meaning::Dimensions([&**a, b].concat())));
            }
            (Meaning::Rows(verb), Meaning::Dimensions(d)) if verb.head == Head::Verb && !gap.any => {
                let _ = d;
            }
            _ => {}
        }
    }

    /// Whether each row of the first table has one of the second.
    pub(super) fn has_one(&self, from: text2sql_engine::catalog::TableId, to: text2sql_engine::catalog::TableId) -> bool {
        self.world.paths(from, to).iter().any(|(path, _)| path.iter().all(|&s| self.world.is_to_one(s)))
    }

    fn more_dimensions(&self, dimensions: &[Dimension], next: &Meaning, out: &mut Vec<Item>) {
        let more = match next {
            Meaning::Rows(Rows { set, head: Head::Noun, .. }) if set.conditions.is_empty() => vec![Dimension::Rows(set.table)],
            Meaning::Columns(c) if c.of.is_none() && c.columns.len() == 1 => vec![Dimension::Column(c.columns[0])],
            Meaning::Word(Class::Part(part)) => vec![Dimension::Part(part.part(), None)],
            Meaning::Dimensions(d) => d.clone(),
            _ => return,
        };
        out.push(Item::new("dimensions", 0, Meaning::Dimensions([dimensions, &more].concat())));
    }

    fn frame_grouped(&self, frame: &Frame, dimensions: &[Dimension], more: i32, out: &mut Vec<Item>) {
        if frame.ranking.is_some() && !matches!(frame.core, Core::Measures(_)) {
            return;
        }
        match &frame.core {
            Core::Measures(_) => {
                let mut next = frame.clone();
                next.dimensions.extend(dimensions.iter().cloned());
                out.push(Item::new("frame grouped", more, Meaning::Frame(next)));
            }
            Core::Rows(set, columns) if columns.is_empty() => {
                let measure = Measure::count(set.clone());
                out.push(Item::new("frame grouped", more + 16, Meaning::Frame(grouped(&measure, dimensions))));
            }
            _ => {}
        }
    }

    /// "average number of items per order": one average of the groups.
    fn average_grouped(&self, measure: &Measure, dimensions: &[Dimension], out: &mut Vec<Item>) {
        let [Dimension::Rows(table)] = dimensions else { return };
        let rows = Rows { set: Set::all(*table), head: Head::Noun, via: None, column: None };
        for (measure, cost) in self.per(measure, &rows) {
            out.push(Item::new("average per", cost, Meaning::Measure(measure)));
        }
        let _ = Quantity::Rows;
    }
}

/// A measure of groups.
pub(super) fn grouped(measure: &Measure, dimensions: &[Dimension]) -> Frame {
    let core = Core::Measures(vec![measure.clone()]);
    Frame { dimensions: dimensions.to_vec(), ..Frame::new(core) }
}
