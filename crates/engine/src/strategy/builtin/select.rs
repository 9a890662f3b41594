//! What is asked for: projections, aggregates, grouping, what must not be there — and the query
//! form put together.

use std::collections::BTreeSet;

use crate::catalog::{ColumnId, TableId, TypeClass};

use super::evidence::UnitKind;
use super::lexicon::{self, Key};
use super::query::{
    Aggregate, Comparison, Condition, Expression, Operand, Query, SetOperation, Target,
};
use super::read::{Filter, Group, Reader};

impl Reader<'_> {
    /// "for each city", "per customer".
    pub fn read_groups(&mut self) {
        for at in 0..self.units.len() {
            let each = self.key(at) == Some(Key::Each) || self.varies(at);
            if !each || self.used[at] {
                continue;
            }
            let mut name = self.next_solid(at + 1);
            if self.key(name) == Some(Key::Distinct) {
                name = self.next_solid(name + 1);
            }
            if self.units.get(name).is_none_or(|u| u.kind != UnitKind::Name) {
                continue;
            }
            self.take(at);
            self.take(name.saturating_sub(1));
            self.add_group(name);
            // "for each city and year", "for each combination of"
            let mut next = name + 1;
            while matches!(self.key(next), Some(Key::And)) {
                let more = self.next_solid(next + 1);
                let column = self.column(more).filter(|c| {
                    let measured = self.numeric(*c) && !self.temporal(*c);
                    self.table_rather(more).is_none() && !measured && !self.used[more]
                });
                if column.is_none() || !self.followed_by_end(more + 1) {
                    break;
                }
                self.add_group(more);
                next = more + 1;
            }
        }
    }

    /// "the average age of students with different sex": behind a preposition, what is
    /// different groups.
    fn varies(&self, at: usize) -> bool {
        let before = at.checked_sub(1);
        let apart = before.is_some_and(|i| {
            matches!(self.key(i), Some(Key::Preposition | Key::Clause))
                && self.units[i].folded != "that"
        });
        let aggregated = (self.sentence_start(at)..at)
            .any(|i| matches!(self.key(i), Some(Key::Count | Key::Aggregate(_))));
        self.key(at) == Some(Key::Distinct)
            && apart
            && aggregated
            && self.table_rather(at + 1).is_none()
    }

    fn followed_by_end(&self, at: usize) -> bool {
        self.units.get(at).is_none_or(|u| matches!(u.kind, UnitKind::Stop | UnitKind::Comma))
    }

    fn add_group(&mut self, name: usize) {
        let unit = &self.units[name];
        let rather = self.table_rather(name).filter(|_| unit.table_score() >= unit.column_score());
        let owned = rather.filter(|_| {
            self.column(name + 1).is_none() || self.units[name + 1].kind != UnitKind::Name
        });
        let group = match (owned, self.column(name)) {
            (Some(table), _) => Group::Rows(table),
            (None, Some(column)) if rather.is_none() => Group::Column(column),
            _ => match (self.column(name + 1), self.table_rather(name)) {
                (Some(column), Some(table)) if column.table == table => {
                    self.take(name + 1);
                    Group::Column(column)
                }
                (_, Some(table)) => Group::Rows(table),
                _ => return,
            },
        };
        self.take(name);
        if !self.groups.contains(&group) {
            self.groups.push(group);
        }
    }

    /// "who have no dog", "without any order", "never taken a course".
    pub fn read_absences(&mut self) {
        for at in 0..self.units.len() {
            if self.key(at) != Some(Key::Not) || self.used[at] {
                continue;
            }
            let subject = self.subject();
            let end = (at + 1..self.units.len())
                .find(|&i| self.units[i].kind == UnitKind::Stop)
                .unwrap_or(self.units.len());
            let name = (at + 1..end.min(at + 9)).find(|&i| {
                let table = self.table(i).or_else(|| self.column(i).map(|c| c.table));
                self.units[i].kind == UnitKind::Name
                    && table.is_some()
                    && table != subject
                    && !self.used[i]
            });
            let filtered = self.filters.iter().position(|f| f.at > at && f.at < end);
            let filter_table =
                filtered.and_then(|i| self.filters[i].condition.tables().first().copied());
            match (name, filtered, subject) {
                (Some(name), _, Some(_)) => {
                    let table = self.table(name).or_else(|| self.column(name).map(|c| c.table));
                    let Some(table) = table else { continue };
                    self.take(at);
                    for i in at..=name {
                        if self.units[i].kind != UnitKind::Name || i == name {
                            self.take(i);
                        }
                    }
                    let inner = self.take_filters_between(at, end);
                    self.absent.push((table, inner));
                }
                (None, None, Some(_)) => self.read_missing(at),
                (None, Some(_), Some(subject)) if filter_table != Some(subject) => {
                    self.take(at);
                    let inner = self.take_filters_between(at, end);
                    let Some(table) = filter_table else { continue };
                    self.absent.push((table, inner));
                }
                _ => {}
            }
        }
    }

    /// "with no phone number": the subject's own column is empty.
    fn read_missing(&mut self, at: usize) {
        let name = self.next_solid(at + 1);
        let plain = self.units.get(name).is_some_and(|u| u.kind == UnitKind::Name);
        let Some(column) = self.column(name).filter(|_| plain && !self.used[name]) else { return };
        if Some(column.table) == self.subject() && self.catalog.column(column).nullable {
            self.take(at);
            self.take(name);
            self.filters.push(Filter {
                condition: Condition::Null(column, false),
                or: false,
                and_same: false,
                at,
            });
        }
    }

    fn take_filters_between(&mut self, at: usize, end: usize) -> Vec<Condition> {
        let (inner, outer): (Vec<Filter>, Vec<Filter>) =
            std::mem::take(&mut self.filters).into_iter().partition(|f| f.at > at && f.at < end);
        self.filters = outer;
        combine(inner).0
    }

    /// Everything that is left: what is asked for, then what must take part.
    pub fn read_select(&mut self) {
        let mut start = 0;
        while start < self.units.len() {
            let end = (start..self.units.len())
                .find(|&i| self.units[i].kind == UnitKind::Stop)
                .unwrap_or(self.units.len());
            self.read_sentence(start, end);
            start = end + 1;
        }
    }

    fn read_sentence(&mut self, start: usize, end: usize) {
        let mut state = Sentence::default();
        let mut at = start;
        while at < end {
            at = self.read_unit(at, end, &mut state);
        }
    }

    fn read_unit(&mut self, at: usize, end: usize, state: &mut Sentence) -> usize {
        match self.key(at) {
            Some(Key::Count) if !self.used[at] => {
                return self.read_count(at, end, state);
            }
            Some(Key::Aggregate(a)) if !self.used[at] => {
                state.aggregates.push(a);
                state.pending.push(at);
            }
            Some(Key::Superlative(most)) if !self.used[at] => {
                state.aggregates.push(if most { Aggregate::Max } else { Aggregate::Min });
                state.pending.push(at);
            }
            Some(Key::Extreme(adjective)) if !self.used[at] => {
                let most = !lexicon::adjective(adjective).direct.is_empty();
                state.aggregates.push(if most { Aggregate::Max } else { Aggregate::Min });
                state.pending.push(at);
            }
            Some(Key::Distinct) => {
                state.distinct = true;
                self.take(at);
            }
            Some(Key::Everything) if !state.condition => {
                self.everything = true;
                self.take(at);
            }
            Some(Key::Clause) if state.seen => state.condition = true,
            Some(Key::Ask) if state.seen => {
                // "and what is …" asks for more; "the game which …" sets a condition
                state.condition = !(follows_break(self, at) || self.is_head_ask(at));
            }
            Some(Key::Who | Key::Where | Key::When) if state.seen => {
                state.condition = true;
                self.take(at);
            }
            Some(Key::Only) => self.take(at),
            _ if self.units[at].kind == UnitKind::Name && !self.used[at] => {
                return self.read_name(at, state);
            }
            _ => {}
        }
        at + 1
    }

    /// "how many X", "number of X".
    fn read_count(&mut self, at: usize, end: usize, state: &mut Sentence) -> usize {
        let mut name = self.next_solid(at + 1);
        let mut distinct = false;
        while let Some(key @ (Key::Distinct | Key::Count)) = self.key(name) {
            distinct |= key == Key::Distinct;
            self.take(name);
            name = self.next_solid(name + 1);
        }
        if name >= end || self.units[name].kind != UnitKind::Name {
            // "how many female students", "how many are there": the next table is counted
            let table = (at + 1..end).find(|&i| self.table_rather(i).is_some() && !self.used[i]);
            let counted = table.filter(|&i| self.key(name) != Some(Key::Each) || i > at);
            match counted {
                Some(i) if i <= at + 5 => name = i,
                _ => return self.count_subject(at, state),
            }
        }
        // "number of student ids": the column beside its table
        if self.table_rather(name).is_some()
            && name + 1 < end
            && self.units[name + 1].kind == UnitKind::Name
            && self.table_rather(name + 1).is_none()
            && !self.used[name + 1]
            && self.column(name + 1).map(|c| c.table) == self.table(name)
        {
            self.take(name);
            name += 1;
        }
        let Some(expression) = self.rows_or_column(name, distinct) else { return at + 1 };
        if let Target::Rows(table) = expression.target
            && let Some(stored) = self.stored_count(table)
        {
            self.ask_for(Expression::column(stored));
        } else if let Target::Column(column) = expression.target
            && self.numeric(column)
            && self.units[at].folded.contains("total")
        {
            self.ask_for(Expression::aggregate(Aggregate::Sum, expression.target));
        } else if let Target::Column(column) = expression.target
            && self.numeric(column)
            && !distinct
        {
            // "number of employees" stored as a number is read, not counted
            let said = self.column_says(
                column,
                &["number", "num", "no", "count", "total", "amount", "population"],
            );
            let expression = if said || self.units[name].column_score() >= 0.95 {
                Expression::column(column)
            } else {
                expression
            };
            self.ask_for(expression);
        } else {
            self.ask_for(expression);
        }
        if let Target::Rows(table) = expression.target {
            self.entity.get_or_insert(table);
        }
        self.take(at);
        self.take(name);
        state.seen = true;
        name + 1
    }

    /// Ask for an expression once.
    fn ask_for(&mut self, expression: Expression) {
        if !self.select.contains(&expression) {
            self.select.push(expression);
        }
    }

    /// The first word of its sentence.
    fn is_head_ask(&self, at: usize) -> bool {
        (self.sentence_start(at)..at).all(|i| self.used[i] && self.units[i].kind != UnitKind::Name)
    }

    fn count_subject(&mut self, at: usize, state: &mut Sentence) -> usize {
        if let Some(table) = self.entity.or_else(|| self.subject()) {
            self.select.push(Expression::count(table));
            self.take(at);
            state.seen = true;
        }
        at + 1
    }

    fn read_name(&mut self, at: usize, state: &mut Sentence) -> usize {
        let table = self.table_rather(at);
        let column = self.column(at).filter(|_| table.is_none());
        self.take(at);
        if column.is_some() && self.only_labels(at) {
            return at + 1;
        }
        if let Some(flag) = column.filter(|&c| self.catalog.column(c).class == TypeClass::Boolean)
            && !(self.select.is_empty()
                && self.entity.is_none()
                && self.in_list(at)
                && self.table(at + 1).is_none())
        {
            let negated = self.key(at.wrapping_sub(1)) == Some(Key::Not);
            if negated {
                self.take(at - 1);
            }
            let condition = Condition::Flag(flag, negated);
            self.filters.push(Filter { condition, or: false, and_same: false, at });
            return at + 1;
        }
        if let Some(owner) = self.named_elsewhere(at, column) {
            for shown in self.display(owner) {
                self.select_column(shown, state);
            }
            state.seen = true;
            return at + 1;
        }
        state.chained = self.key(at.wrapping_sub(1)) == Some(Key::And);
        if let Some(table) = table {
            self.read_table(at, table, state);
        } else if let Some(column) = column {
            if state.condition || !self.in_list(at) {
                self.tables.insert(column.table);
                self.doubt(format!("\"{}\" has no condition.", self.units[at].text));
            } else {
                self.select_column(column, state);
            }
            state.seen = true;
        }
        at + 1
    }

    fn read_table(&mut self, at: usize, table: TableId, state: &mut Sentence) {
        // "student names": the table only says whose column follows
        let owns = self.units.get(at + 1).is_some_and(|u| u.kind == UnitKind::Name)
            && !self.used[at + 1]
            && self.column(at + 1).is_some_and(|c| c.table == table)
            && self.table_rather(at + 1).is_none();
        if owns {
            return;
        }
        if let Some(aggregate) = state.aggregates.pop() {
            // "total students": rows are counted; other aggregates need a column
            self.take(state.pending.pop().unwrap_or(at));
            if aggregate == Aggregate::Sum {
                self.select.push(Expression::count(table));
            } else {
                self.doubt("An aggregate has no column.");
            }
        }
        if self.entity.is_none() {
            self.entity = Some(table);
            self.distinct |= state.distinct && self.select.is_empty();
        }
        self.tables.insert(table);
        state.seen = true;
        state.distinct = false;
    }

    /// "names of movies" where movies have titles: the owner, unless the column is its own.
    fn named_elsewhere(&self, at: usize, column: Option<ColumnId>) -> Option<TableId> {
        let word = self.units[at].folded.as_str();
        let generic = matches!(word, "name" | "names" | "full name" | "full names");
        let owner = self.meanings.owners[at].filter(|_| generic)?;
        let has_name = !self.display(owner).iter().all(|&c| self.is_key(c));
        (column.map(|c| c.table) != Some(owner) && has_name).then_some(owner)
    }

    /// Whether a column at `at` stands in the list of what is asked for: first, or behind "and",
    /// a comma, or its table; not behind a preposition or a verb.
    fn in_list(&self, at: usize) -> bool {
        if self.select.is_empty() {
            return true;
        }
        for i in (self.sentence_start(at)..at).rev() {
            let unit = &self.units[i];
            match (&unit.kind, unit.key()) {
                (UnitKind::Comma, _) | (_, Some(Key::And | Key::Ask | Key::Or | Key::Count)) => {
                    return true;
                }
                (UnitKind::Filler, _) => {}
                (
                    _,
                    Some(
                        Key::Distinct
                        | Key::Aggregate(_)
                        | Key::Superlative(_)
                        | Key::Extreme(_)
                        | Key::Both
                        | Key::Each
                        | Key::Any,
                    ),
                ) => {}
                (UnitKind::Name, _) if self.table_rather(i).is_some() => {}
                _ => return false,
            }
        }
        true
    }

    /// "the name of each industry": the name says no more than the column behind it.
    fn only_labels(&self, at: usize) -> bool {
        let generic =
            matches!(self.units[at].folded.as_str(), "name" | "names" | "value" | "values");
        let of = self.units.get(at + 1).is_some_and(|u| u.folded.starts_with("of"));
        let mut next = self.next_solid(at + 2);
        while matches!(self.key(next), Some(Key::Each | Key::Distinct | Key::Frequent(_))) {
            next = self.next_solid(next + 1);
        }
        let behind = self.units.get(next).is_some_and(|u| {
            u.kind == UnitKind::Name && u.table_score() < 0.5 && u.column_score() >= 0.9
        });
        generic && of && behind && self.column(next).is_some_and(|c| !self.is_key(c))
    }

    /// First and last name, where "name" alone was said and the table has both.
    fn whole_name(&self, column: ColumnId) -> Option<Vec<Target>> {
        let shown = self.display(column.table);
        let said = self.units.iter().enumerate().any(|(i, u)| {
            self.column(i) == Some(column)
                && matches!(u.folded.as_str(), "name" | "names" | "full name" | "full names")
        });
        (said && shown.len() == 2 && shown.contains(&column))
            .then(|| shown.into_iter().map(Target::Column).collect())
    }

    /// The subject's own column that holds the number of another table's rows.
    fn stored_count(&self, counted: TableId) -> Option<ColumnId> {
        let subject = self.subject().filter(|&s| s != counted)?;
        let name = crate::text::identifier_words(&self.catalog.table(counted).name);
        let stems: Vec<String> = name.iter().map(|w| crate::text::stem(w)).collect();
        self.catalog.column_ids(subject).find(|&c| {
            self.numeric(c)
                && self.column_says(c, &["number", "num", "no", "count", "total"])
                && self.says_stem(c, &stems)
        })
    }

    fn select_column(&mut self, column: ColumnId, state: &mut Sentence) {
        let aggregates = std::mem::take(&mut state.aggregates);
        for unit in std::mem::take(&mut state.pending) {
            self.take(unit);
        }
        let target = Target::Column(column);
        if aggregates.is_empty() {
            let carried = state.last_aggregate.filter(|_| self.numeric(column) && state.chained);
            for target in self.whole_name(column).unwrap_or_else(|| vec![target]) {
                let expression = Expression { aggregate: carried, distinct: false, target };
                if !self.select.contains(&expression) {
                    self.select.push(expression);
                }
            }
            self.distinct |= state.distinct;
        } else {
            for aggregate in &aggregates {
                self.select.push(Expression::aggregate(*aggregate, target));
            }
            state.last_aggregate = aggregates.last().copied();
        }
        state.distinct = false;
    }

    /// Put the query form together.
    pub fn finish(mut self) -> (Query, Vec<bool>, Vec<String>) {
        let subject = self
            .entity
            .or_else(|| self.subject())
            .or_else(|| self.filters.first().and_then(|f| f.condition.tables().first().copied()));
        self.default_select(subject);
        let mut query = Query { limit: self.limit, offset: self.offset, ..Query::default() };
        self.narrow_subqueries();
        let (filters, both) = combine(std::mem::take(&mut self.filters));
        query.filters = filters;
        query.select = std::mem::take(&mut self.select);
        query.distinct = self.distinct && query.select.iter().all(|e| e.aggregate.is_none());
        query.having = std::mem::take(&mut self.having);
        query.order = std::mem::take(&mut self.order);
        query.tables = std::mem::take(&mut self.tables);
        if let Some((descends, counted)) = self.order_pending
            && let Some(first) = query.select.first()
        {
            let rows = Expression::count(first.target.table());
            query.order.push((if counted { rows } else { *first }, descends));
        }
        self.group(&mut query);
        self.count_groups(&mut query, subject);
        rank_before_aggregating(&mut query);
        for (table, inner) in std::mem::take(&mut self.absent) {
            self.exclude(&mut query, subject, table, inner);
        }
        if let Some((one, other)) = both {
            self.intersect(&mut query, subject, one, other);
        }
        (query, self.used, self.doubts)
    }

    /// "below the average salary of instructors in Physics": conditions right behind a compared
    /// aggregate are about what it aggregates.
    fn narrow_subqueries(&mut self) {
        let Some(outer) = self
            .filters
            .iter()
            .position(|f| matches!(&f.condition, Condition::Compare(_, _, Operand::Query(_))))
        else {
            return;
        };
        let at = self.filters[outer].at;
        let end = (at..self.units.len())
            .find(|&i| self.units[i].kind == UnitKind::Stop || self.key(i) == Some(Key::And))
            .unwrap_or(self.units.len());
        let inner = self.take_filters_between(at, end);
        let outer = self.filters.iter_mut().find(|f| f.at == at);
        if let Some(Filter { condition: Condition::Compare(_, _, Operand::Query(query)), .. }) =
            outer
        {
            query.filters.extend(inner);
        }
    }

    /// "how many customers have more than 2 orders": the groups that qualify are counted.
    fn count_groups(&self, query: &mut Query, subject: Option<TableId>) {
        let [only] = query.select.as_slice() else { return };
        let counts = only.aggregate == Some(Aggregate::Count) && !query.having.is_empty();
        let (true, Some(table), true) = (counts, subject, self.groups.is_empty()) else { return };
        let [key] = self.key_columns(table)[..] else { return };
        let inner = Query {
            select: vec![Expression::column(key)],
            group: vec![key],
            having: std::mem::take(&mut query.having),
            filters: std::mem::take(&mut query.filters),
            tables: std::mem::take(&mut query.tables),
            ..Query::default()
        };
        query.select = vec![Expression::count(table)];
        query.group.clear();
        query.filters = vec![Condition::Among(key, Box::new(inner), false)];
    }

    fn default_select(&mut self, subject: Option<TableId>) {
        if self.everything
            && self.select.iter().all(|e| e.aggregate.is_none())
            && let Some(table) = subject
        {
            self.select =
                vec![Expression { aggregate: None, distinct: false, target: Target::Rows(table) }];
            return;
        }
        if self.select.is_empty()
            && let Some(table) = subject
        {
            let grouped = self.groups.iter().find_map(|g| match g {
                Group::Column(c) => Some(*c),
                Group::Rows(_) => None,
            });
            match grouped {
                Some(column) => self.select.push(Expression::column(column)),
                None => {
                    let shown = self.display(table);
                    self.select.extend(shown.into_iter().map(Expression::column));
                }
            }
        }
    }

    /// Group where aggregates stand beside plain columns, or where groups are compared.
    fn group(&self, query: &mut Query) {
        let counted =
            query.order.iter().any(|(e, _)| e.aggregate.is_some()) || !query.having.is_empty();
        let mut columns: Vec<ColumnId> = Vec::new();
        for group in &self.groups {
            match group {
                Group::Column(column) => {
                    columns.push(*column);
                    let plain = Expression::column(*column);
                    if !query.select.contains(&plain) && !counted {
                        query.select.insert(0, plain);
                    }
                }
                Group::Rows(table) => {
                    columns.extend(self.key_columns(*table));
                    let shown = query
                        .select
                        .iter()
                        .any(|e| e.aggregate.is_none() && e.target.table() == *table);
                    if !shown && query.aggregates() {
                        let display = self.display(*table).into_iter().map(Expression::column);
                        query.select.splice(0..0, display);
                    }
                }
            }
        }
        let plain: Vec<ColumnId> = query
            .select
            .iter()
            .filter(|e| e.aggregate.is_none())
            .filter_map(|e| match e.target {
                Target::Column(c) => Some(c),
                Target::Rows(_) => None,
            })
            .collect();
        let mixed = query.aggregates() && !plain.is_empty();
        if !(mixed || counted || (!columns.is_empty() && query.aggregates())) {
            return;
        }
        if query.aggregates() && plain.is_empty() && columns.is_empty() && query.having.is_empty() {
            return;
        }
        let counts: BTreeSet<TableId> = query
            .select
            .iter()
            .filter(|e| e.aggregate.is_some())
            .map(|e| e.target.table())
            .chain(
                query
                    .order
                    .iter()
                    .filter(|(e, _)| e.aggregate.is_some())
                    .map(|(e, _)| e.target.table()),
            )
            .chain(query.having.iter().flat_map(Condition::tables))
            .collect();
        for column in &plain {
            if !counts.contains(&column.table) && self.identifies(*column) {
                columns.extend(self.key_columns(column.table));
            }
        }
        columns.extend(plain);
        columns.extend(query.order.iter().filter(|(e, _)| e.aggregate.is_none()).filter_map(
            |(e, _)| match e.target {
                Target::Column(c) => Some(c),
                Target::Rows(_) => None,
            },
        ));
        let mut seen = BTreeSet::new();
        columns.retain(|c| seen.insert(*c));
        query.group = columns;
    }

    /// Whether the column stands for the row rather than for a property that many rows share.
    pub(super) fn identifies(&self, column: ColumnId) -> bool {
        self.display(column.table).contains(&column)
            || self.catalog.table(column.table).primary_key == [column.column]
    }

    fn key_columns(&self, table: TableId) -> Vec<ColumnId> {
        let key = &self.catalog.table(table).primary_key;
        key.iter().map(|&column| ColumnId { table, column }).collect()
    }

    /// Rows of `subject` without a row of `table` that meets `inner`.
    fn exclude(
        &self,
        query: &mut Query,
        subject: Option<TableId>,
        table: TableId,
        inner: Vec<Condition>,
    ) {
        let Some(subject) = subject else { return };
        query.tables.remove(&table);
        if query.needed_tables().is_empty() {
            query.tables.insert(subject);
        }
        let path = self.catalog.joins().shortest_paths(subject, table, 1);
        let Some(first) = path.first().and_then(|p| p.first()) else { return };
        let key = &self.catalog.keys[*first];
        let (Some(&from), Some(&to)) = (key.from_columns.first(), key.to_columns.first()) else {
            return;
        };
        let (own, other) = if key.from == subject {
            (ColumnId { table: subject, column: from }, ColumnId { table: key.to, column: to })
        } else {
            (ColumnId { table: subject, column: to }, ColumnId { table: key.from, column: from })
        };
        // NOT IN is never true beside a NULL
        let mut filters = inner;
        if self.catalog.column(other).nullable {
            filters.push(Condition::Null(other, true));
        }
        let tables = BTreeSet::from([table]);
        let select = vec![Expression::column(other)];
        let sub = Query { select, tables, filters, ..Query::default() };
        query.filters.push(Condition::Among(own, Box::new(sub), true));
    }

    /// Two equal conditions on one column: of one row either, of related rows both.
    fn intersect(
        &self,
        query: &mut Query,
        subject: Option<TableId>,
        one: Condition,
        other: Condition,
    ) {
        let table = one.tables().first().copied();
        if table == subject && query.select.iter().any(|e| self.identifies_expression(e))
            || query.aggregates()
        {
            query.filters.push(Condition::Any(vec![one, other]));
            return;
        }
        let mut second = query.clone();
        query.filters.push(one);
        second.filters.push(other);
        (second.order, second.limit) = (Vec::new(), None);
        query.combine = Some((SetOperation::Intersect, Box::new(second)));
    }

    fn identifies_expression(&self, expression: &Expression) -> bool {
        match expression.target {
            Target::Column(c) => self.identifies(c),
            Target::Rows(_) => true,
        }
    }
}

/// Behind "and" or a comma.
fn follows_break(reader: &Reader<'_>, at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|i| reader.key(i) == Some(Key::And) || reader.units[i].kind == UnitKind::Comma)
}

/// An aggregate over the row that ranks first is taken over the rows with the extreme value:
/// `ORDER BY … LIMIT 1` would sort a single row.
fn rank_before_aggregating(query: &mut Query) {
    if !(query.aggregates() && query.group.is_empty() && query.limit == Some(1)) {
        return;
    }
    let [(expression, descends)] = query.order.as_slice() else { return };
    if expression.aggregate.is_some() {
        return;
    }
    let extreme = if *descends { Aggregate::Max } else { Aggregate::Min };
    let select = vec![Expression::aggregate(extreme, expression.target)];
    let inner = Box::new(Query { select, ..Query::default() });
    let condition = Condition::Compare(*expression, Comparison::Equal, Operand::Query(inner));
    query.filters.push(condition);
    query.order.clear();
    query.limit = None;
}

/// What a sentence has said so far.
#[derive(Debug, Default)]
struct Sentence {
    aggregates: Vec<Aggregate>,
    pending: Vec<usize>,
    last_aggregate: Option<Aggregate>,
    chained: bool,
    distinct: bool,
    /// Something was asked for.
    seen: bool,
    /// A relative clause began.
    condition: bool,
}

/// Filters joined by "or" become alternatives; a pair on one column joined by "and" is returned
/// apart.
fn combine(filters: Vec<Filter>) -> (Vec<Condition>, Option<(Condition, Condition)>) {
    let mut all: Vec<Condition> = Vec::new();
    let mut both = None;
    for filter in filters {
        match all.pop() {
            Some(previous) if filter.or => {
                let mut parts = match previous {
                    Condition::Any(parts) => parts,
                    one => vec![one],
                };
                parts.push(filter.condition);
                all.push(Condition::Any(parts));
            }
            Some(previous) if filter.and_same && both.is_none() => {
                both = Some((previous, filter.condition));
            }
            previous => {
                all.extend(previous);
                all.push(filter.condition);
            }
        }
    }
    (all, both)
}
