//! Questions for people, times and places: "who manages the Paris store", "when was the first order".

use crate::chart::Gap;
use crate::form::{Aggregate, Core, Frame, Measure, Set};
use crate::item::{Columns, Head, Item, Meaning, Measures, Rows};
use crate::lexicon::Class;
use crate::sql::date_columns;

use super::Grammar;

impl Grammar<'_> {
    /// Words that ask for people, times and places.
    pub(super) fn who(&self, class: Class, gap: Gap, right: &Meaning, out: &mut Vec<Item>) {
        match class {
            Class::Who | Class::Everyone => self.people(gap, right, out),
            Class::When => self.time(right, out),
            Class::Where => self.place(right, out),
            _ => {}
        }
    }

    fn people(&self, gap: Gap, right: &Meaning, out: &mut Vec<Item>) {
        let frame = |set: Set| Meaning::Frame(Frame::new(Core::Rows(set, Vec::new())));
        match right {
            Meaning::Rows(rows) if self.world.is_people(rows.set.table) && (rows.head == Head::Noun || rows.head == Head::Clause) => {
                let denied = rows.set.conditions.is_empty() && rows.via.is_none();
                if !denied {
                    out.push(Item::new("who", 0, frame(rows.set.clone())));
                }
            }
            Meaning::Rows(rows) => {
                for (table, cost) in self.people_near(rows.set.table) {
                    for (set, path) in self.attach(&Set::all(table), rows, false) {
                        let verb = if rows.head == Head::Verb { 0 } else { 16 };
                        out.push(Item::new("who of", cost + path + verb, frame(set)));
                    }
                }
            }
            Meaning::Counted(amount, counted) => {
                for (table, cost) in self.people_near(counted.set.table) {
                    for (set, path) in self.with_count(&Set::all(table), amount, counted) {
                        out.push(Item::new("who counted", cost + path, frame(set)));
                    }
                }
            }
            Meaning::After(Class::Not, denied) => {
                let Meaning::Rows(denied) = &**denied else { return };
                for (table, cost) in self.people_near(denied.set.table) {
                    for (set, path) in self.without(&Set::all(table), denied) {
                        out.push(Item::new("who not", cost + path, frame(set)));
                    }
                }
            }
            Meaning::Frame(f) => {
                let Core::Rows(set, _) = &f.core else { return };
                if self.world.is_people(set.table) {
                    out.push(Item::new("who", 0, right.clone()));
                }
            }
            Meaning::Ranking(ranking) if ranking.limit.is_some() => self.people_ranked(ranking, out),
            _ => {}
        }
        let _ = gap;
    }

    /// Tables of people near a table, each with a cost.
    fn people_near(&self, table: text2sql_engine::catalog::TableId) -> Vec<(text2sql_engine::catalog::TableId, i32)> {
        if self.world.is_people(table) {
            return Vec::new();
        }
        let mut found: Vec<(text2sql_engine::catalog::TableId, i32)> = Vec::new();
        for &id in self.world.catalog.joins().keys_from(table) {
            let ends = self.world.catalog.ends(id);
            if self.world.is_people(ends.to) && !found.iter().any(|(t, _)| *t == ends.to) {
                found.push((ends.to, 0));
            }
        }
        if found.is_empty() {
            for other in self.world.catalog.table_ids().take(200) {
                if self.world.is_people(other) && self.has_one(table, other) {
                    found.push((other, 10));
                }
            }
        }
        found
    }

    fn people_ranked(&self, ranking: &crate::form::Ranking, out: &mut Vec<Item>) {
        let of = match &ranking.by {
            crate::form::By::Measure(measure) => measure.set.table,
            crate::form::By::Column(column) => column.table,
        };
        if self.world.is_people(of) {
            if let crate::form::By::Column(_) = &ranking.by {
                let frame = Frame { ranking: Some(ranking.clone()), ..Frame::new(Core::Rows(Set::all(of), Vec::new())) };
                out.push(Item::new("who most", 0, Meaning::Frame(frame)));
            }
            return;
        }
        for (table, cost) in self.people_near(of) {
            let frame = Frame { ranking: Some(ranking.clone()), ..Frame::new(Core::Rows(Set::all(table), Vec::new())) };
            let column = matches!(ranking.by, crate::form::By::Column(_));
            if !column {
                out.push(Item::new("who most", cost, Meaning::Frame(frame)));
            }
        }
    }

    fn time(&self, right: &Meaning, out: &mut Vec<Item>) {
        match right {
            Meaning::Columns(columns) => {
                let [column] = columns.columns[..] else { return };
                if self.world.is_date(column) || self.world.is_year(column) {
                    out.push(Item::new("when", 0, right.clone()));
                }
            }
            Meaning::Rows(rows) if rows.head != Head::Value => {
                for (path, column, cost) in date_columns(self.world, rows.set.table).into_iter().take(2) {
                    if path.is_empty() && !rows.set.conditions.is_empty() {
                        let columns = Columns { columns: vec![column], of: Some(rows.set.clone()) };
                        out.push(Item::new("when rows", cost + 6, Meaning::Columns(columns)));
                    }
                }
            }
            Meaning::Frame(frame) => {
                // "when was the newest order": the date that decides
                let Some(ranking) = &frame.ranking else { return };
                if let (Core::Rows(set, _), crate::form::By::Column(column)) = (&frame.core, &ranking.by) {
                    if ranking.limit == Some(1) && self.world.is_date(*column) {
                        let aggregate = if ranking.descending { Aggregate::Max } else { Aggregate::Min };
                        let measure = Measure { set: set.clone(), ..Measure::of(aggregate, *column) };
                        out.push(Item::new("when extreme", 0, Meaning::Measure(measure)));
                    }
                }
            }
            Meaning::Picked(..) => {}
            Meaning::After(Class::Top | Class::Bottom, rows) => {
                let _ = rows;
            }
            _ => {}
        }
        let _ = Measures::Open(true);
    }

    fn place(&self, right: &Meaning, out: &mut Vec<Item>) {
        match right {
            Meaning::Columns(columns) if columns.columns.iter().all(|c| self.world.name(*c).has("addresses") || self.world.name(*c).has("places")) => {
                out.push(Item::new("where", 0, right.clone()));
            }
            Meaning::Rows(rows) if rows.head != Head::Clause && !rows.set.conditions.is_empty() => {
                let places: Vec<_> = self.world.columns(rows.set.table).filter(|&c| self.world.name(c).has("addresses") && !self.world.is_key(c)).collect();
                if let Some(&first) = places.first() {
                    let column = places.iter().copied().find(|&c| self.world.name(c).words.iter().any(|w| matches!(&*w.text, "city" | "town"))).unwrap_or(first);
                    let columns = Columns { columns: vec![column], of: Some(rows.set.clone()) };
                    out.push(Item::new("where rows", 8, Meaning::Columns(columns)));
                }
            }
            _ => {}
        }
    }
}

impl Grammar<'_> {
    /// Rows as people who are meant by "who" without a noun.
    pub(super) fn is_person(&self, rows: &Rows) -> bool {
        self.world.is_people(rows.set.table)
    }
}
