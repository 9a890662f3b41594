//! Rankings: "top 10 customers by revenue", "the five longest tracks", "which store has the most orders".

use text2sql_engine::catalog::{ColumnId, TableId};

use crate::chart::Gap;
use crate::form::{Aggregate, By, Core, Dimension, Frame, Measure, Quantity, Ranking, Set};
use crate::item::{Columns, Head, Item, Made, Meaning, Measures, Rows, Superlative};
use crate::lexicon::Class;

use super::Grammar;

impl Grammar<'_> {
    /// Words that order.
    pub(super) fn ranking_word(
        &self,
        class: Class,
        gap: Gap,
        right: &Meaning,
        out: &mut Vec<Item>,
    ) {
        match class {
            Class::Highest | Class::Lowest if matches!(right, Meaning::Rows(_)) => {
                // "largest store": by whatever follows
                if let Meaning::Rows(rows @ Rows { head: Head::Noun, .. }) = right {
                    let superlative = Superlative {
                        measures: Measures::Open(class == Class::Highest),
                        limit: None,
                    };
                    out.add("picked", 6, Meaning::Picked(superlative, rows.clone(), None));
                }
            }
            Class::Most | Class::Highest | Class::Least | Class::Lowest => {
                let descending = matches!(class, Class::Most | Class::Highest);
                self.most(descending, gap, right, out);
            }
            Class::OrderBy => self.order_by(right, out),
            Class::Dimension if matches!(right, Meaning::Columns(_) | Meaning::Measure(_)) => {
                out.add("by", 0, Meaning::After(Class::Dimension, std::rc::Rc::new(right.clone())));
            }
            Class::Descending | Class::Ascending => {
                if let Meaning::Columns(Columns { columns, of: None, .. }) = right {
                    if let [column] = columns[..] {
                        let ranking = order(By::Column(column), class == Class::Descending, None);
                        out.ranking("order", 0, ranking);
                    }
                }
                if let Meaning::Measure(measure) = right {
                    let ranking =
                        order(By::Measure(measure.clone()), class == Class::Descending, None);
                    out.ranking("order", 0, ranking);
                }
            }
            Class::Top | Class::Bottom => {
                if let Meaning::Rows(rows @ Rows { head: Head::Noun, .. }) = right {
                    let superlative =
                        Superlative { measures: Measures::Open(class == Class::Top), limit: None };
                    out.add("picked", 6, Meaning::Picked(superlative, rows.clone(), None));
                }
            }
            Class::Alphabetic => {
                if let Meaning::Columns(Columns { columns, of: None, .. }) = right {
                    if let [column] = columns[..] {
                        out.ranking("order", 0, order(By::Column(column), false, None));
                    }
                }
            }
            Class::Part(part) => self.part_word(part, right, out),
            Class::Rank => match right {
                Meaning::Rows(rows) if rows.head == Head::Noun => {
                    let superlative =
                        Superlative { measures: Measures::Open(true), limit: Some(u32::MAX) };
                    out.add("rank", 0, Meaning::Picked(superlative, rows.clone(), None));
                }
                Meaning::Columns(columns) => {
                    out.add(
                        "rank",
                        0,
                        Meaning::After(
                            Class::Rank,
                            std::rc::Rc::new(Meaning::Columns(columns.clone())),
                        ),
                    );
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// "the most orders", "the highest price", "the most revenue".
    fn most(&self, descending: bool, gap: Gap, right: &Meaning, out: &mut Vec<Item>) {
        let limit = Some(1);
        match right {
            Meaning::Rows(rows)
                if rows.head == Head::Noun && rows.via.is_none() && !gap.relates =>
            {
                let by = By::Measure(Measure::count(rows.set.clone()));
                out.ranking("most rows", 0, order(by, descending, limit));
                let superlative = Superlative { measures: Measures::Open(descending), limit: None };
                out.add("picked", 6, Meaning::Picked(superlative, rows.clone(), None));
            }
            Meaning::Measure(measure) => {
                let by = By::Measure(measure.clone());
                out.ranking("most of", 0, order(by, descending, limit));
            }
            Meaning::Columns(columns) => {
                let [column] = columns.columns[..] else { return };
                if columns.of.is_some() || !self.is_comparable(column) {
                    return;
                }
                out.ranking("most of column", 0, order(By::Column(column), descending, limit));
                if self.world.is_numeric(column) && !self.world.name(column).has("rates") {
                    let by = By::Measure(Measure::of(Aggregate::Sum, column));
                    out.ranking("most in total", 12, order(by, descending, limit));
                }
            }
            _ => {}
        }
    }

    fn is_comparable(&self, column: ColumnId) -> bool {
        self.world.is_numeric(column) || self.world.is_date(column) || self.world.is_year(column)
    }

    /// "sorted by price", "by revenue".
    fn order_by(&self, right: &Meaning, out: &mut Vec<Item>) {
        let by = match right {
            Meaning::Columns(Columns { columns, of: None, .. }) if columns.len() == 1 => {
                By::Column(columns[0])
            }
            Meaning::Measure(measure) => By::Measure(measure.clone()),
            Meaning::Ranking(ranking) => {
                out.ranking("order", 0, ranking.clone());
                return;
            }
            _ => return,
        };
        // without a word for the direction, texts and dates ascend, and so do numbers
        let ranking = order(by, false, None);
        out.ranking("order by", 0, ranking);
    }

    /// "which month had the most orders", "monthly revenue".
    fn part_word(&self, part: crate::lexicon::PartName, right: &Meaning, out: &mut Vec<Item>) {
        match right {
            Meaning::Ranking(ranking)
                if ranking.limit.is_some() && matches!(ranking.by, By::Measure(_)) =>
            {
                let frame =
                    Frame { ranking: Some(ranking.clone()), ..Frame::new(Core::Part(part.part())) };
                out.frame("part ranked", 0, frame);
            }
            Meaning::Period(_) => {
                out.add(
                    "part period",
                    0,
                    Meaning::After(Class::Part(part), std::rc::Rc::new(right.clone())),
                );
            }
            Meaning::Measure(measure) => {
                let dimension = [Dimension::Part(part.part(), None)];
                out.frame("part measure", 8, super::grouping::grouped(measure, &dimension));
            }
            _ => {}
        }
    }

    /// Directions after an order: "sorted by price descending".
    pub(super) fn trailing_word(&self, left: &Meaning, _: Gap, class: Class, out: &mut Vec<Item>) {
        match (left, class) {
            (Meaning::After(Class::Dimension, by), Class::Descending | Class::Ascending) => {
                let by = match &**by {
                    Meaning::Columns(Columns { columns, of: None, .. }) if columns.len() == 1 => {
                        By::Column(columns[0])
                    }
                    Meaning::Measure(measure) => By::Measure(measure.clone()),
                    _ => return,
                };
                out.ranking("order by", 0, order(by, class == Class::Descending, None));
            }
            (Meaning::Rows(rows), Class::Most | Class::Least | Class::Frequent | Class::Rare)
                if rows.head == Head::Verb =>
            {
                let descending = matches!(class, Class::Most | Class::Frequent);
                let measure = match (&self.metrics.revenue, &self.metrics.sales) {
                    (Some(revenue), Some(sales))
                        if *sales == rows.set.table
                            && matches!(class, Class::Most | Class::Least) =>
                    {
                        Measure { set: rows.set.clone(), ..revenue.clone() }
                    }
                    _ => Measure::count(rows.set.clone()),
                };
                out.ranking("deeds most", 2, order(By::Measure(measure), descending, Some(1)));
            }
            (Meaning::Measure(measure), Class::Most | Class::Least) => {
                let ranking = order(By::Measure(measure.clone()), class == Class::Most, Some(1));
                out.ranking("measure most", 4, ranking);
            }
            (Meaning::Rows(rows), Class::HowMany)
                if rows.head == Head::Noun && rows.via.is_none() =>
            {
                out.measure("count", 4, Measure::count(rows.set.clone()));
            }
            (Meaning::Rows(rows), Class::Worth)
                if rows.head == Head::Noun && rows.set.conditions.is_empty() =>
            {
                let whole = self.metrics.total.as_ref().filter(|m| m.set.table == rows.set.table);
                let Some(revenue) = whole.or(self.metrics.revenue.as_ref()) else { return };
                let step = self
                    .world
                    .paths(revenue.set.table, rows.set.table)
                    .iter()
                    .any(|(p, _)| p.len() == 1 && p[0].forward);
                if step || revenue.set.table == rows.set.table {
                    out.add("worth", 2, Meaning::Each(revenue.clone(), rows.set.table));
                }
            }
            (Meaning::Ranking(ranking), Class::Descending | Class::Ascending)
                if ranking.limit.is_none() =>
            {
                let ranking = Ranking { descending: class == Class::Descending, ..ranking.clone() };
                out.ranking("direction", -4, ranking);
            }
            (Meaning::Frame(frame), Class::Descending | Class::Ascending)
                if frame.ranking.as_ref().is_some_and(|r| r.limit.is_none()) =>
            {
                let ranking = frame
                    .ranking
                    .clone()
                    .map(|r| Ranking { descending: class == Class::Descending, ..r });
                out.frame("direction", 0, Frame { ranking, ..frame.clone() });
            }
            (Meaning::Rows(rows), Class::Alphabetic) if rows.head == Head::Noun => {
                let Some(&name) = self.world.names(rows.set.table).last() else { return };
                let mut frame = Frame::new(Core::Rows(rows.set.clone(), Vec::new()));
                frame.ranking = Some(order(By::Column(name), false, None));
                out.frame("alphabetic", 0, frame);
            }
            (Meaning::Columns(columns), Class::Alphabetic) => {
                let Some(&column) = columns.columns.first() else { return };
                let set = columns.of.clone().unwrap_or_else(|| Set::all(column.table));
                let mut frame = self.columns_frame(&columns.columns, set);
                frame.ranking = Some(order(By::Column(column), false, None));
                out.frame("alphabetic", 0, frame);
            }
            (Meaning::Ranking(ranking), Class::Top | Class::Bottom)
                if matches!(ranking.by, By::Column(_)) && ranking.limit == Some(1) =>
            {
                // "highest salary first"
                out.ranking("first", 2, Ranking { limit: None, ..ranking.clone() });
            }
            (_, Class::Not | Class::Null | Class::When | Class::Where) => {}
            _ => {}
        }
    }

    /// Superlatives and orders beside what they pick from.
    pub(super) fn ranking(&self, left: &Meaning, gap: Gap, right: &Meaning, out: &mut Vec<Item>) {
        match (left, right) {
            (Meaning::Superlative(s), Meaning::Rows(r)) if r.head == Head::Noun && !gap.relates => {
                self.pick(s, r, 0, out);
            }
            (Meaning::Superlative(s), Meaning::Columns(c)) => self.pick_values(s, c, out),
            (Meaning::Superlative(s), Meaning::Rows(r)) if r.head == Head::Verb => {
                // "most frequently prescribed", "last repaired"
                let ranking = match s.measures {
                    Measures::Frequency(descending) => Some(order(
                        By::Measure(Measure::count(r.set.clone())),
                        descending,
                        s.limit.or(Some(1)),
                    )),
                    Measures::Time(_) => {
                        self.pick(s, &Rows { head: Head::Noun, ..r.clone() }, 0, out);
                        None
                    }
                    _ => None,
                };
                out.extend(
                    ranking.map(|ranking| Item::new("most deeds", 0, Meaning::Ranking(ranking))),
                );
            }
            (Meaning::Rows(r), Meaning::Superlative(s))
                if r.head == Head::Verb && matches!(s.measures, Measures::Frequency(_)) =>
            {
                let Measures::Frequency(descending) = s.measures else { return };
                let ranking = order(
                    By::Measure(Measure::count(r.set.clone())),
                    descending,
                    s.limit.or(Some(1)),
                );
                out.ranking("deeds most", 0, ranking);
            }
            (Meaning::Superlative(a), Meaning::Superlative(b))
                if matches!(a.measures, Measures::Open(true)) && b.limit.is_none() =>
            {
                // "top 5 most expensive"
                out.add(
                    "top most",
                    0,
                    Meaning::Superlative(Superlative { limit: a.limit, ..b.clone() }),
                );
            }
            (Meaning::Rows(r), Meaning::Superlative(s))
                if r.head == Head::Noun && !matches!(s.measures, Measures::Open(_)) =>
            {
                self.pick(s, r, 6, out)
            }
            (Meaning::Picked(s, r, p), Meaning::After(Class::Dimension, by)) => {
                self.picked_by(s, r, p.as_ref(), by, out)
            }
            (Meaning::Picked(s, r, None), Meaning::Period(p)) => {
                out.add("picked period", 2, Meaning::Picked(s.clone(), r.clone(), Some(p.clone())));
            }
            (Meaning::Picked(s, r, None), more) => self.picked_more(s, r, more, out),
            (Meaning::After(Class::Top, n), Meaning::Frame(f)) => self.nth_frame(n, f, out),
            (Meaning::After(Class::Rank, columns), Meaning::After(Class::Dimension, by)) => {
                let (Meaning::Columns(columns), Meaning::Measure(by)) = (&**columns, &**by) else {
                    return;
                };
                self.rank_values(columns, &order(By::Measure(by.clone()), true, None), out);
            }
            (Meaning::Rows(Rows { via: Some(key), set, .. }), Meaning::Ranking(ranking)) => {
                // "approved the most leaves": by the key that the verb names
                let By::Measure(measure) = &ranking.by else { return };
                if set.conditions.is_empty()
                    && self.world.catalog.ends(*key).from == measure.set.table
                {
                    let ranking = Ranking { via: Some(*key), ..ranking.clone() };
                    let frame = Frame {
                        ranking: Some(ranking),
                        ..Frame::new(Core::Rows(set.clone(), Vec::new()))
                    };
                    out.frame("role most", 0, frame);
                }
            }
            (Meaning::Rows(r), Meaning::After(Class::Dimension, by)) if r.head == Head::Noun => {
                // "projects by budget"
                let Meaning::Columns(Columns { columns, of: None, .. }) = &**by else { return };
                let [column] = columns[..] else { return };
                if column.table == r.set.table && self.world.is_numeric(column) {
                    let frame = Frame {
                        ranking: Some(order(By::Column(column), false, None)),
                        ..Frame::new(Core::Rows(r.set.clone(), Vec::new()))
                    };
                    out.frame("listed by", 6, frame);
                }
            }
            (Meaning::Rows(r), Meaning::Ranking(ranking)) if r.head == Head::Noun => {
                self.rank_rows(r, ranking, gap, out)
            }
            (Meaning::Counted(a, r), Meaning::Ranking(ranking))
                if a.op == crate::form::Op::Equal && ranking.limit == Some(1) =>
            {
                // "5 customers with the highest credit limit"
                let ranking = Ranking { limit: a.number.parse().ok(), ..ranking.clone() };
                self.rank_rows(r, &ranking, gap, out);
            }
            (Meaning::Columns(c), Meaning::Ranking(ranking)) => self.rank_values(c, ranking, out),
            (Meaning::Ranking(ranking), Meaning::Rows(r)) => {
                self.ranking_rows(ranking, gap, r, out)
            }
            (Meaning::Frame(f), Meaning::Ranking(ranking)) if f.ranking.is_none() => {
                self.rank_frame(f, ranking, out)
            }
            (Meaning::After(Class::Part(part), _), Meaning::Ranking(ranking)) => {
                let Meaning::After(_, period) = left else { return };
                let (Meaning::Period(period), By::Measure(measure)) = (&**period, &ranking.by)
                else {
                    return;
                };
                for (set, cost) in self.in_period(&measure.set, period) {
                    let by = By::Measure(Measure { set, ..measure.clone() });
                    let frame = Frame {
                        ranking: Some(Ranking { by, ..ranking.clone() }),
                        ..Frame::new(Core::Part(part.part()))
                    };
                    out.frame("part of period", cost, frame);
                }
            }
            _ => {}
        }
    }

    /// Rows picked by a superlative.
    fn pick(&self, superlative: &Superlative, rows: &Rows, more: i32, out: &mut Vec<Item>) {
        let table = rows.set.table;
        let limit = superlative.limit.or(Some(1));
        let frame = |ranking| Frame {
            ranking: Some(ranking),
            ..Frame::new(Core::Rows(rows.set.clone(), Vec::new()))
        };
        let mut push = |cost, by, descending| {
            let frame = frame(order(by, descending, limit));
            out.frame("superlative", cost + more, frame);
        };
        match &superlative.measures {
            Measures::Open(_) => {
                out.add("picked", 0, Meaning::Picked(superlative.clone(), rows.clone(), None));
            }
            Measures::Nouns(nouns) => {
                for (column, descending, cost) in self.by_nouns(table, nouns).into_iter().take(2) {
                    push(cost, By::Column(column), descending);
                }
                for (measure, cost) in self.rated(table, nouns) {
                    push(cost, By::Measure(measure), true);
                }
            }
            Measures::Time(descending) => {
                for (_, column, cost) in
                    crate::sql::date_columns(self.world, table).into_iter().take(1)
                {
                    push(cost + 2, By::Column(column), *descending);
                }
            }
            Measures::Frequency(descending) => {
                for (measure, cost) in self.activity(table) {
                    push(cost, By::Measure(measure), *descending);
                }
            }
            Measures::Sales(descending) => {
                let units = self.metrics.units.iter().chain(&self.metrics.revenue).next();
                if let Some(measure) =
                    units.filter(|m| m.set.table == table || self.has_one(m.set.table, table))
                {
                    push(6, By::Measure(measure.clone()), *descending);
                }
            }
        }
    }

    /// The average rating of things that are rated by rows of another table.
    fn rated(&self, table: TableId, nouns: &crate::item::Nouns) -> Vec<(Measure, i32)> {
        let mut found = Vec::new();
        if !nouns.more.iter().any(|n| n == "rate") || !self.by_nouns(table, nouns).is_empty() {
            return found;
        }
        for id in self.world.catalog.joins().keys_at(table) {
            let ends = self.world.catalog.ends(id);
            if ends.to == table && ends.from != table {
                for (column, _, cost) in self.by_nouns(ends.from, nouns).into_iter().take(1) {
                    found.push((Measure::of(Aggregate::Average, column), cost + 12));
                }
            }
        }
        found
    }

    /// How often rows occur: by the only table whose rows refer to them.
    pub(super) fn activity(&self, table: TableId) -> Vec<(Measure, i32)> {
        let keys = self.world.catalog.joins().keys_at(table);
        let referring = keys
            .into_iter()
            .map(|k| self.world.catalog.ends(k))
            .filter(|e| e.to == table && e.from != table && !self.world.is_derived(e.from));
        let mut tables: Vec<TableId> = referring.map(|e| e.from).collect();
        tables.sort_unstable();
        tables.dedup();
        let cost = if tables.len() == 1 { 16 } else { 60 };
        tables.into_iter().map(|t| (Measure::count(Set::all(t)), cost)).collect()
    }

    /// "the most common city", "the highest price".
    fn pick_values(&self, superlative: &Superlative, columns: &Columns, out: &mut Vec<Item>) {
        let [column] = columns.columns[..] else { return };
        let set = columns.of.clone().unwrap_or_else(|| Set::all(column.table));
        if let Measures::Frequency(descending) = superlative.measures {
            let measure = Measure::count(set.clone());
            let ranking = order(By::Measure(measure), descending, superlative.limit.or(Some(1)));
            let frame = Frame { ranking: Some(ranking), ..Frame::new(Core::Values(column, set)) };
            out.frame("frequent value", 2, frame);
        }
    }

    fn picked_by(
        &self,
        superlative: &Superlative,
        rows: &Rows,
        period: Option<&crate::calendar::Period>,
        by: &Meaning,
        out: &mut Vec<Item>,
    ) {
        let Measures::Open(descending) = superlative.measures else { return };
        let limit = superlative.limit;
        let by = match by {
            Meaning::Columns(Columns { columns, of: None, .. }) if columns.len() == 1 => {
                By::Column(columns[0])
            }
            Meaning::Measure(measure) => By::Measure(measure.clone()),
            _ => return,
        };
        for mut ranking in self.bys(rows.set.table, &by) {
            (ranking.0.descending, ranking.0.limit) =
                (descending, limit.or(Some(1)).filter(|&limit| limit != u32::MAX));
            let mut rows = rows.clone();
            if let Some(period) = period {
                let set =
                    if let By::Measure(measure) = &ranking.0.by { &measure.set } else { &rows.set };
                let Some((set, cost)) = self.in_period(set, period).into_iter().next() else {
                    continue;
                };
                ranking.1 += cost;
                match &mut ranking.0.by {
                    By::Measure(measure) => measure.set = set,
                    By::Column(_) => rows.set = set,
                }
            }
            let frame = Frame {
                ranking: Some(ranking.0),
                ..Frame::new(Core::Rows(rows.set.clone(), Vec::new()))
            };
            out.frame("picked by", ranking.1, frame);
        }
    }

    /// What rows of a table may be ranked by.
    fn bys(&self, table: TableId, by: &By) -> Vec<(Ranking, i32)> {
        match by {
            By::Column(column) if column.table == table => vec![(order(by.clone(), true, None), 0)],
            By::Column(column) => {
                let mut found = Vec::new();
                if self.has_one(table, column.table) {
                    found.push((order(by.clone(), true, None), 24));
                }
                if self.has_one(column.table, table) && self.world.is_numeric(*column) {
                    let rate = self.world.name(*column).has("rates");
                    let aggregate = if rate { Aggregate::Average } else { Aggregate::Sum };
                    found.push((
                        order(By::Measure(Measure::of(aggregate, *column)), true, None),
                        10,
                    ));
                }
                found
            }
            By::Measure(measure) => {
                let countable = matches!(measure.quantity, Quantity::Rows);
                let near = self
                    .world
                    .paths(measure.set.table, table)
                    .first()
                    .is_some_and(|(_, cost)| *cost < crate::world::CHASM);
                let fits = self.has_one(measure.set.table, table) || countable && near;
                let cost = self
                    .world
                    .paths(measure.set.table, table)
                    .first()
                    .map_or(0, |(_, cost)| *cost / 2);
                if fits && measure.set.table != table {
                    vec![(order(by.clone(), true, None), cost)]
                } else {
                    Vec::new()
                }
            }
        }
    }

    fn picked_more(
        &self,
        superlative: &Superlative,
        rows: &Rows,
        more: &Meaning,
        out: &mut Vec<Item>,
    ) {
        let Meaning::Rows(condition) = more else { return };
        if condition.head != Head::Noun {
            for (set, cost) in self.attach(&rows.set, condition, false) {
                let rows = Rows { set, ..rows.clone() };
                out.add("picked rows", cost, Meaning::Picked(superlative.clone(), rows, None));
            }
        }
    }

    fn nth_frame(&self, nth: &Meaning, frame: &Frame, out: &mut Vec<Item>) {
        let Meaning::Number(nth, _) = nth else { return };
        let (Ok(nth), Some(ranking)) = (nth.parse::<u32>(), &frame.ranking) else { return };
        if ranking.limit == Some(1) && ranking.skipped == 0 {
            let ranking = Some(Ranking { skipped: nth - 1, ..ranking.clone() });
            out.frame("nth", 0, Frame { ranking, ..frame.clone() });
        }
    }

    /// "stores with the most orders", "products sorted by price".
    fn rank_rows(&self, rows: &Rows, ranking: &Ranking, _: Gap, out: &mut Vec<Item>) {
        let found: Vec<(Ranking, i32)> = match &ranking.by {
            By::Column(column) if column.table != rows.set.table && ranking.limit.is_none() => {
                if self.has_one(rows.set.table, column.table) {
                    vec![(ranking.clone(), 14)]
                } else {
                    Vec::new()
                }
            }
            by => self.bys(rows.set.table, by),
        };
        for (by, cost) in found {
            let ranking = Ranking { by: by.by, ..ranking.clone() };
            let frame = Frame {
                ranking: Some(ranking),
                ..Frame::new(Core::Rows(rows.set.clone(), Vec::new()))
            };
            out.frame("ranked rows", cost, frame);
        }
    }

    /// "which city has the most customers", "which carrier ships the most".
    fn rank_values(&self, columns: &Columns, ranking: &Ranking, out: &mut Vec<Item>) {
        let [column] = columns.columns[..] else { return self.rank_columns(columns, ranking, out) };
        let set = columns.of.clone().unwrap_or_else(|| Set::all(column.table));
        match &ranking.by {
            By::Measure(measure) if columns.of.is_none() => {
                let same = measure.set.table == column.table;
                let cost = self
                    .world
                    .paths(measure.set.table, column.table)
                    .first()
                    .map_or(0, |(_, c)| *c / 2);
                if same || self.has_one(measure.set.table, column.table) {
                    let frame = Frame {
                        ranking: Some(ranking.clone()),
                        ..Frame::new(Core::Values(column, set))
                    };
                    out.frame("ranked values", if same { 0 } else { cost }, frame);
                }
            }
            By::Column(_) => self.rank_columns(columns, ranking, out),
            By::Measure(_) => {}
        }
    }

    /// "name and price of the products sorted by price", "the name of the customer with the most orders".
    fn rank_columns(&self, columns: &Columns, ranking: &Ranking, out: &mut Vec<Item>) {
        let Some(&first) = columns.columns.first() else { return };
        let set = columns.of.clone().unwrap_or_else(|| Set::all(first.table));
        for (by, cost) in self.bys(set.table, &ranking.by) {
            let ranking = Ranking { by: by.by, ..ranking.clone() };
            let frame = Frame {
                ranking: Some(ranking),
                ..Frame::new(Core::Rows(set.clone(), columns.columns.clone()))
            };
            out.frame("ranked columns", cost + 2, frame);
        }
    }

    /// "the most orders in Berlin", "the highest price of tents".
    fn ranking_rows(&self, ranking: &Ranking, gap: Gap, rows: &Rows, out: &mut Vec<Item>) {
        if let By::Measure(measure) = &ranking.by {
            for (set, cost) in self.attach(&measure.set, rows, false) {
                let by = By::Measure(Measure { set, ..measure.clone() });
                out.ranking("ranking of", cost + 2, Ranking { by, ..ranking.clone() });
            }
        }
        if rows.head == Head::Noun && rows.via.is_none() && !gap.of && gap.any {
            // "who has the highest salary of …" is read elsewhere
        }
        if rows.head == Head::Noun && !gap.any && ranking.limit == Some(1) {
            // "highest salary employee"
            for (by, cost) in self.bys(rows.set.table, &ranking.by) {
                let ranking = Ranking { by: by.by, ..ranking.clone() };
                let frame = Frame {
                    ranking: Some(ranking),
                    ..Frame::new(Core::Rows(rows.set.clone(), Vec::new()))
                };
                out.frame("ranking rows", cost + 10, frame);
            }
        }
    }

    fn rank_frame(&self, frame: &Frame, ranking: &Ranking, out: &mut Vec<Item>) {
        match (&frame.core, &ranking.by) {
            (Core::Rows(set, _), by) => {
                for (by, cost) in self.bys(set.table, by) {
                    let ranking = Some(Ranking { by: by.by, ..ranking.clone() });
                    out.frame("frame ranked", cost, Frame { ranking, ..frame.clone() });
                }
            }
            (Core::Values(column, _), By::Column(by)) if by == column => {
                out.frame(
                    "frame ranked",
                    0,
                    Frame { ranking: Some(ranking.clone()), ..frame.clone() },
                );
            }
            (Core::Measures(measures), By::Measure(by))
                if !frame.dimensions.is_empty()
                    && measures[0].quantity == by.quantity
                    && measures[0].aggregate == by.aggregate =>
            {
                let ranking = Ranking { by: By::Measure(measures[0].clone()), ..ranking.clone() };
                out.frame("frame ranked", 0, Frame { ranking: Some(ranking), ..frame.clone() });
            }
            (Core::Measures(_), By::Column(by))
                if frame.dimensions.contains(&Dimension::Column(*by)) =>
            {
                out.frame(
                    "frame ranked",
                    0,
                    Frame { ranking: Some(ranking.clone()), ..frame.clone() },
                );
            }
            _ => {}
        }
    }
}

/// An order.
pub(super) fn order(by: By, descending: bool, limit: Option<u32>) -> Ranking {
    let limit = limit.filter(|&limit| limit != u32::MAX);
    Ranking { by, descending, limit, skipped: 0, shown: false, via: None }
}
