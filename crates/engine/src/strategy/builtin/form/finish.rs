//! Assembling the query form from what the passes found: default columns, grouping, exclusions,
//! intersections.

use std::collections::BTreeSet;

use crate::catalog::{ColumnId, KeyId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::passes::read::{Absent, Filter, PendingOrder, Reader, Reading};
use crate::strategy::builtin::words::{Key, UnitKind, Words};
use crate::text::stem;

use super::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Operand, Query, Target,
};
use super::sets::combine;

impl Reader<'_> {
    /// The reading, where all is done.
    pub fn finish(self) -> Reading {
        let roles = self.account(&self.query);
        let columns = |e: &Expression| e.target.column();
        let named = if self.everything { self.query.select.len() } else { self.asked };
        let assumed = self.query.select.iter().skip(named).filter_map(columns).collect();
        let Self { query, reading, flags, .. } = self;
        Reading { query, roles, assumed, numerals: flags.numerals.clone(), ..reading }
    }

    /// Conditions on rows as the query has them; two that must hold for different rows are left.
    pub fn combine_filters(&mut self, query: &mut Query) {
        // "submitted this year" by the day on which they were, whatever became of them since
        let within = |f: &&Filter| matches!(f.condition, Condition::Within(..));
        let dates = self.filters.iter().filter(within).flat_map(|f| f.condition.columns());
        let dates = Vec::from_iter(dates.filter(|c| !self.facts.says(*c, Words::Planned)));
        let mut filters = std::mem::take(&mut self.filters);
        filters.retain(|f| {
            let said = [stem(self.word(f.at))];
            let dated = || dates.iter().any(|c| self.facts.says_stem(*c, &said));
            !(self.is_value(f.at) && dated())
        });
        (query.filters, self.both) = combine(filters);
        // that a value is there says no more where it is compared
        let all = query.filters.clone();
        let plain = |f: &&Condition| !matches!(f, Condition::Any(_) | Condition::IsNull { .. });
        let compared = |c: &ColumnId| all.iter().filter(plain).any(|f| f.columns().contains(c));
        let idle = |f: &Condition, c: &ColumnId| *f == Condition::present(*c) && compared(c);
        query.filters.retain(|f| !f.columns().iter().any(|c| idle(f, c)));
    }

    /// Each once, where that was said or asked for.
    pub fn tell_apart(&self, query: &mut Query) {
        query.distinct = (query.distinct || self.asks_which(query))
            && query.select.iter().all(|e| e.aggregate.is_none());
    }

    /// Order by what was found only now: the first thing shown, or its rows.
    pub fn order_as_said(&self, query: &mut Query) {
        let Some((pending, first)) = self.order_pending.zip(query.select.first()) else { return };
        let rows = matches!(first, Expression { aggregate: None, target: Target::Rows(_), .. });
        let order = match pending {
            // whole rows have no order
            PendingOrder::ByFirst(_) if rows => return,
            PendingOrder::ByFirst(direction) => (first.clone(), direction),
            PendingOrder::ByRows(direction) => (Expression::count(first.target.table()), direction),
        };
        query.order.push(order);
    }

    /// "the longest rivers, ordered from longest to shortest": all of them, by what was said once; and so
    /// are "the best selling products".
    pub fn order_all(&mut self, query: &mut Query) {
        let [(first, _), rest @ ..] = query.order.as_slice() else { return };
        let pending = rest.iter().any(|(other, _)| other == first) || self.order_pending.is_some();
        let ranked = self.ranks_several().filter(|_| self.each.is_empty() && !query.aggregates());
        let several = ranked.is_some() && ranked == self.entity;
        // "the orders of the oldest customers"
        if let Some(others) = ranked.filter(|_| !several && query.limit == Some(1)) {
            let others = self.catalog.table_label(others);
            self.refuse(format!("It is unclear how many of {others} are meant."));
        }
        if query.limit == Some(1) && query.offset == 0 && (pending || several) {
            query.limit = None;
            query.order.truncate(1);
            self.order_pending = None;
            if !pending {
                self.note("all are shown, in order, since the question names no number");
            }
        }
    }

    /// "Which semesters are there?": each once, where rows share what is asked for.
    fn asks_which(&self, query: &Query) -> bool {
        let asked = self.units.first().is_some_and(|u| u.folded == "which");
        let column = self.own_column(1).filter(|_| asked);
        column.is_some_and(|c| query.select == [Expression::column(c)] && !self.facts.identifies(c))
            && query.limit.is_none()
            && query.having.is_empty()
    }

    /// "below the average salary of instructors in Physics": conditions right after a compared
    /// aggregate are about what it aggregates.
    pub fn narrow_subqueries(&mut self) {
        self.stated = self.filters.iter().map(|f| f.at).collect();
        let is_compared =
            |f: &&Filter| matches!(f.condition, Condition::Compare(.., Operand::Query(_)));
        let Some(at) = self.filters.iter().find(is_compared).map(|f| f.at) else { return };
        let ends = |&i: &usize| self.joins(i) || self.is_kind(i, UnitKind::Stop);
        let end = (at..self.units.len()).find(ends).unwrap_or(self.units.len());
        let inner = self.take_filters_between(at, end);
        let outer = self.filters.iter_mut().find(|f| f.at == at).map(|f| &mut f.condition);
        if let Some(Condition::Compare(_, _, Operand::Query(query))) = outer {
            query.filters.extend(inner);
        }
    }

    /// "how many customers have more than 2 orders": the groups that qualify are counted.
    pub fn count_groups(&self, query: &mut Query) {
        let [counted] = query.select.as_slice() else { return };
        let counts = counted.aggregate == Some(Aggregate::Count) && !query.having.is_empty();
        let Some(table) = self.entity.filter(|_| counts && self.groups.is_empty()) else { return };
        // "how many cities have more than 3 airports" counts cities
        let Some(key) = counted.target.column().or(self.facts.sole_key(table)) else { return };
        let inner = Query {
            group: vec![Target::Column(key)],
            having: std::mem::take(&mut query.having),
            filters: std::mem::take(&mut query.filters),
            tables: std::mem::take(&mut query.tables),
            ..Query::of(key)
        };
        query.select = vec![match counted.target {
            Target::Rows(_) => Expression::count(table),
            _ => Expression { distinct: true, ..counted.clone() },
        }];
        query.group.clear();
        query.filters = vec![Condition::among(key, inner)];
    }

    /// What is asked for where nothing was said, and what the question is about.
    pub fn default_select(&mut self) {
        let subject = self.entity.or_else(|| self.subject()).or_else(|| self.filtered().next());
        self.asked = self.query.select.len();
        self.entity = subject;
        let Some(table) = subject else { return };
        let rows = || vec![Expression::plain(Target::Rows(table))];
        if self.everything && self.query.select.iter().all(|e| e.aggregate.is_none()) {
            self.query.select = rows();
        }
        if !self.query.select.is_empty() {
            return;
        }
        let mut grouped = self.groups.iter().filter(|_| !self.ranks_rows_within());
        let grouped = grouped.find(|group| !matches!(group, Target::Rows(_))).cloned();
        let shown = self.facts.display_kind(table);
        // a thing that has a number for a name is shown whole
        let ranked = self.query.order.iter().any(|(e, _)| e.is_aggregate());
        let single = self.groups.is_empty() && self.query.having.is_empty() && !ranked;
        let number = |c: &ColumnId| self.facts.is_key(*c) && !self.facts.has_text(*c);
        // "appointments per doctor": how many, where nothing else is asked of them
        let divided = !self.groups.is_empty() && !self.ranks_rows_within();
        let own = self.groups.contains(&Target::Rows(table));
        let counted = self.says_per() && divided && self.query.order.is_empty() && !own;
        self.query.select = match grouped {
            _ if counted => vec![self.count_alone(table)],
            Some(target) => vec![Expression::plain(target)],
            None if single && shown.iter().all(number) => rows(),
            None => shown.into_iter().map(Expression::column).collect(),
        };
    }

    /// "the lowest salary in departments whose average is above 5000": groups that are compared are
    /// of the subject, where only aggregates are asked for.
    pub fn group_compared(&mut self, query: &Query) {
        let rows = |e: &Expression| matches!(e.target, Target::Rows(_));
        let measured = |e: &Expression| e.is_aggregate() && !rows(e);
        if !query.having.is_empty() && self.groups.is_empty() && query.select.iter().all(measured) {
            self.groups.extend(self.entity.map(Target::Rows));
        }
    }

    /// Group where aggregates stand beside plain columns, or where groups are compared.
    pub fn group(&self, query: &mut Query) {
        let counted = query.order.iter().any(|(e, _)| e.is_aggregate()) || !query.having.is_empty();
        // counts stand beside the groups they are of, unless only the first group is asked for
        let alone = counted && !(query.aggregates() && query.limit.is_none());
        let mut groups = self.said_groups(query, alone);
        let plain: Vec<Target> = plain_targets(query.select.iter());
        let divided = !plain.is_empty() || !groups.is_empty();
        let grouped =
            if query.aggregates() { divided || !query.having.is_empty() } else { counted };
        if !grouped {
            return;
        }
        let counted = query.shown().filter(|e| e.is_aggregate()).flat_map(Expression::tables);
        let compared = query.having.iter().flat_map(Condition::tables);
        let counts: BTreeSet<TableId> = counted.chain(compared).collect();
        // "the details of the student who took the most courses": of one student, whoever shares them
        let clause = |i: usize| matches!(self.key(i), Some(Key::Clause | Key::Who));
        let of_clause = |column: ColumnId| {
            let thing = |i: usize| self.table_rather(i) == Some(column.table) && clause(i + 1);
            let said = |i: usize| self.own_column(i) == Some(column);
            self.places().any(|i| said(i) && (i + 1..self.units.len()).any(thing))
        };
        for column in plain.iter().filter_map(Target::column) {
            // "per class title": one group each title, however many classes have it
            if self.each.contains(&Target::Column(column)) {
                continue;
            }
            let key = self.facts.key_columns(column.table);
            let of_one = self.facts.identifies(column) || of_clause(column);
            // "dogs by label": half of a key is shared
            if !counts.contains(&column.table) && of_one && !key.contains(&column) {
                groups.extend(key.into_iter().map(Target::Column));
            }
        }
        groups.extend(plain_targets(query.shown()));
        let again = |at: &usize| groups[..*at].contains(&groups[*at]);
        let once = (0..groups.len()).filter(|at| !again(at));
        query.group = once.map(|at| groups[at].clone()).collect();
        self.group_by_keys(&mut query.group);
        // a series is read along its time
        if query.order.is_empty() {
            let parts = query.select.iter().filter(|e| matches!(e.target, Target::Part(..)));
            query.order = parts.map(|e| (e.clone(), Direction::Ascending)).collect();
        }
    }

    /// What the groups that were named are by; what they are called is shown beside aggregates,
    /// unless a group stands `alone`.
    fn said_groups(&self, query: &mut Query, alone: bool) -> Vec<Target> {
        let mut groups: Vec<Target> = Vec::new();
        for group in &self.groups {
            if let Target::Rows(table) = *group {
                groups.extend(self.facts.key_columns(table).into_iter().map(Target::Column));
                let named = |e: &Expression| !e.is_aggregate() && e.target.table() == table;
                if !query.select.iter().any(named) && query.aggregates() {
                    let display = self.facts.display(table).into_iter().map(Expression::column);
                    query.select.splice(0..0, display);
                }
                continue;
            }
            // "each target user's name": the user is shown by it
            let called = |column: ColumnId| {
                let thing = self.facts.refers_to(column);
                let shown = query.select.iter().filter_map(Expression::plain_column);
                shown.into_iter().any(|c| Some(c.table) == thing && self.facts.identifies(c))
            };
            let shown = match group.column() {
                Some(column) => !alone && !called(column),
                None => query.aggregates(),
            };
            groups.push(group.clone());
            let plain = Expression::plain(group.clone());
            if shown && !query.select.contains(&plain) {
                query.select.insert(0, plain);
            }
        }
        groups
    }

    /// Leave out columns that a table's key determines: they group no further.
    fn group_by_keys(&self, group: &mut Vec<Target>) {
        let columns: BTreeSet<ColumnId> = group.iter().filter_map(Target::column).collect();
        let is_key = |c: ColumnId| self.catalog.table(c.table).primary_key.contains(&c.column);
        let keyed = |table: TableId| {
            let key = self.facts.key_columns(table);
            !key.is_empty() && key.iter().all(|c| columns.contains(c))
        };
        group.retain(|t| match t {
            Target::Column(c) => !keyed(c.table) || is_key(*c),
            Target::Part(c, _) => !keyed(c.table),
            Target::Rows(_) | Target::Formula(..) => true,
        });
    }

    /// Rows of the subject without rows of other tables.
    pub fn exclude_absent(&mut self, query: &mut Query) {
        for absent in std::mem::take(&mut self.absent) {
            self.exclude(query, absent);
        }
    }

    fn exclude(&mut self, query: &mut Query, absent: Absent) {
        let Absent { subject, of, mut tables, inner } = absent;
        query.tables.retain(|t| !tables.contains(t));
        if let [Condition::Compare(left, operator, right)] = &inner[..]
            && left.tables() == [subject]
        {
            // "not located in Oslo": said of the thing itself
            let negated = Condition::Compare(left.clone(), operator.negated(), right.clone());
            return query.filters.push(negated);
        }
        let ends: BTreeSet<TableId> = tables.iter().copied().chain([subject]).collect();
        tables.retain(|t| !self.is_said_longer(*t, &ends));
        if query.needed_tables().is_empty() {
            query.tables.insert(subject);
        }
        if let Some(column) = of.filter(|c| !self.facts.is_key(*c)) {
            return query.filters.push(self.among(column, column, &tables, inner, true));
        }
        match self.related(subject, &tables, inner, true) {
            Some(absent) => query.filters.push(absent),
            None => self.refuse("It is unclear which related rows must be absent."),
        }
    }

    /// The condition that rows of `subject` have, or `negated` lack, rows of `tables` that meet `inner`.
    pub fn related(
        &self,
        subject: TableId,
        tables: &[TableId],
        inner: Vec<Condition>,
        negated: bool,
    ) -> Option<Condition> {
        let ends = tables.iter().copied().chain([subject]).collect();
        let tree = self.catalog.joins().steiner_tree(&ends)?;
        let ends = |k: &KeyId| [self.catalog.key(*k).from, self.catalog.key(*k).to];
        let keys = tree.keys.iter().filter(|k| ends(k).contains(&subject));
        if let [table] = tables
            && let [way, _, ..] = &self.catalog.joins().shortest_paths(subject, *table, 2)[..]
            && way.len() > 1
        {
            return None;
        }
        // two ways from the subject are no relation of one row
        let keys = self.meant(*only(keys)?);
        // "airports without flights": neither from there nor to it
        if keys.len() > 1 && self.places().any(|at| self.is_unknown(at)) {
            return None;
        }
        let by_key = |key: KeyId| {
            let key = self.catalog.key(key);
            let (from, to) = key.first_pair();
            let (own, other) = if key.from == subject { (from, to) } else { (to, from) };
            // "without a department": the key that would name it is not there
            if negated && inner.is_empty() && tables == [key.to] && own.table == key.from {
                return Condition::missing(own);
            }
            self.among(own, other, tables, inner.clone(), negated)
        };
        let mut parts: Vec<Condition> = keys.into_iter().map(by_key).collect();
        match parts.len() {
            1 => parts.pop(),
            _ if negated => Some(Condition::All(parts)),
            _ => Some(Condition::Any(parts)),
        }
    }

    /// The condition that a column is, or `negated` is not, among those of the rows that meet `filters`.
    fn among(
        &self,
        column: ColumnId,
        those: ColumnId,
        tables: &[TableId],
        mut filters: Vec<Condition>,
        negated: bool,
    ) -> Condition {
        // NOT IN is never true beside a NULL
        if negated && self.facts.optional(those) {
            filters.push(Condition::present(those));
        }
        let tables = tables.iter().copied().collect();
        let query = Box::new(Query { tables, filters, ..Query::of(those) });
        Condition::In { column, query, negated }
    }
}

/// What is not aggregated, beside whole rows.
fn plain_targets<'a>(expressions: impl Iterator<Item = &'a Expression>) -> Vec<Target> {
    let plain = expressions.filter(|e| !e.is_aggregate() && !matches!(e.target, Target::Rows(_)));
    plain.map(|e| e.target.clone()).collect()
}

/// An aggregate over the row that ranks first is taken over the rows with the extreme value:
/// `ORDER BY … LIMIT 1` would sort a single row.
pub fn rank_before_aggregating(query: &mut Query) {
    if !(query.aggregates() && query.group.is_empty() && query.limit == Some(1)) {
        return;
    }
    let [(expression, direction)] = query.order.as_slice() else { return };
    if expression.aggregate.is_some() {
        return;
    }
    let first = Expression::aggregate(direction.first(), expression.target.clone());
    let first = Operand::Query(Box::new(Query::showing(first)));
    query.filters.push(Condition::Compare(expression.clone(), Comparison::Equal, first));
    query.order.clear();
    query.limit = None;
}
