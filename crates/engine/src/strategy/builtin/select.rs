//! What is asked for: projections, aggregates, grouping, what must not be there — and the query
//! form put together.

use crate::catalog::{ColumnId, TableId, TypeClass};

use super::evidence::UnitKind;
use super::finish::combine;
use super::lexicon::{self, Key};
use super::query::{Aggregate, Comparison, Condition, Expression, Target};
use super::read::{Filter, Group, Reader};

impl Reader<'_> {
    /// "for each city", "per customer".
    pub fn read_groups(&mut self) {
        for at in 0..self.units.len() {
            let by = self.breaks_down(at);
            let each = self.key(at) == Some(Key::Each) || self.varies(at);
            if !by && (!each || self.used[at]) {
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
            let known = self.groups.len();
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
            if !by {
                self.each.extend_from_slice(&self.groups[known..]);
            }
        }
    }

    /// "the total refund by reason", "the minutes of lessons by room": behind an amount or a number
    /// of things, "by" groups; tables and dates only at the end, where nobody is said to do it.
    fn breaks_down(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|i| &self.units[i]);
        let noun = before.is_some_and(|u| u.kind == UnitKind::Name && !u.folded.ends_with("ed"));
        let name = self.next_solid(at + 1);
        let shared = self.table_rather(name).is_none()
            && self.column(name).is_some_and(|c| !self.numeric(c) && !self.temporal(c));
        let ends = self.followed_by_end(name + 1)
            || matches!(self.key(name + 1), Some(Key::And | Key::Preposition));
        let named = self.units.get(name).is_some_and(|u| u.kind == UnitKind::Name);
        self.units[at].folded == "by"
            && noun
            && self.aggregates_rows(at)
            && self.used.get(name) == Some(&false)
            && named
            && (shared || ends)
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

    pub(super) fn followed_by_end(&self, at: usize) -> bool {
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
            let excepts = self.key(at) == Some(Key::Compare(Comparison::NotEqual))
                && self.key(self.next_solid(at + 1)) == Some(Key::Clause);
            if self.key(at) != Some(Key::Not) && !excepts || self.used[at] {
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
                    let mut tables = vec![table];
                    tables.extend(self.take_tables(name + 1, end, subject));
                    let inner = self.take_filters_between(at, end);
                    self.absent.push((tables, inner));
                }
                (None, None, Some(_)) => self.read_missing(at),
                (None, Some(_), Some(subject)) if filter_table != Some(subject) => {
                    self.take(at);
                    let inner = self.take_filters_between(at, end);
                    let Some(table) = filter_table else { continue };
                    self.absent.push((vec![table], inner));
                }
                _ => {}
            }
        }
    }

    /// Further tables of what is absent: "never attended a lesson", up to the next "and".
    fn take_tables(&mut self, from: usize, end: usize, subject: Option<TableId>) -> Vec<TableId> {
        let mut tables = Vec::new();
        for at in from..end {
            match self.table_rather(at) {
                _ if self.key(at) == Some(Key::And) => break,
                Some(table) if Some(table) != subject && !self.used[at] => {
                    self.take(at);
                    tables.push(table);
                }
                _ => {}
            }
        }
        tables
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

    pub(super) fn take_filters_between(&mut self, at: usize, end: usize) -> Vec<Condition> {
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
            Some(Key::Clause) if state.seen && self.adds(at) => self.show_entity(state),
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
            _ if self.computed(at).is_some() && !self.used[at] => self.select_computed(at, state),
            _ if self.units[at].kind == UnitKind::Name && !self.used[at] => {
                return self.read_name(at, state);
            }
            _ => {}
        }
        at + 1
    }

    /// A term that stands for a computation: of rows where single things are asked for, added up
    /// where groups or the whole are.
    fn select_computed(&mut self, at: usize, state: &mut Sentence) {
        let Some(computed) = self.computed(at).cloned() else { return };
        let aggregates = std::mem::take(&mut state.aggregates);
        std::mem::take(&mut state.pending).into_iter().for_each(|unit| self.take(unit));
        let row = !computed.is_aggregate();
        let of_rows = self.groups.is_empty() && !self.select.is_empty();
        if row && !aggregates.is_empty() {
            for aggregate in aggregates {
                self.ask_for(Expression { aggregate: Some(aggregate), ..computed.clone() });
            }
        } else if row && !of_rows && matches!(computed.target, Target::Formula(..)) {
            self.ask_for(Expression { aggregate: Some(Aggregate::Sum), ..computed.clone() });
        } else {
            self.ask_for(computed.clone());
        }
        // "average weight" where the average is defined: the weight is said again
        if let Some(column) = computed.target.column()
            && self.column(at + 1) == Some(column)
        {
            self.take(at + 1);
        }
        self.entity = self.entity.or(computed.tables().first().copied());
        self.take(at);
        state.seen = true;
    }

    /// "how many X", "number of X".
    fn read_count(&mut self, at: usize, end: usize, state: &mut Sentence) -> usize {
        let mut name = self.next_solid(at + 1);
        let mut distinct = false;
        while let Some(key @ (Key::Distinct | Key::Count | Key::Aggregate(Aggregate::Sum))) =
            self.key(name)
        {
            distinct |= key == Key::Distinct;
            self.take(name);
            name = self.next_solid(name + 1);
        }
        // "how many settled invoices": said of them already
        if self.used.get(name) == Some(&true) && self.table_rather(name + 1).is_some() {
            name += 1;
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
        if let (Some(column), false) = (expression.target.column(), state.aggregates.is_empty())
            && self.numeric(column)
        {
            // "the average number of stars"
            self.take(at);
            self.take(name);
            self.select_column(column, state);
            state.seen = true;
            return name + 1;
        }
        if let Target::Rows(table) = expression.target {
            self.entity.get_or_insert(table);
        }
        let counted = self.counted(at, name, expression, distinct);
        self.ask_for(counted);
        self.take(at);
        self.take(name);
        state.seen = true;
        name + 1
    }

    /// What "how many" asks for: a number that is stored is read or added up, else rows are
    /// counted.
    fn counted(&self, at: usize, name: usize, count: Expression, distinct: bool) -> Expression {
        let column = match count.target {
            Target::Rows(table) => {
                return self.stored_count(table).map_or(count, Expression::column);
            }
            Target::Column(column) if self.numeric(column) => column,
            _ => return count,
        };
        let summed = (at..name).any(|i| {
            self.key(i) == Some(Key::Aggregate(Aggregate::Sum))
                || self.units[i].folded.contains("total")
        });
        if summed {
            return Expression::aggregate(Aggregate::Sum, count.target);
        }
        // "number of employees" stored as a number is read, not counted, and summed where a
        // group has several rows
        let words = &["number", "num", "no", "count", "total", "amount", "population"];
        let said = self.column_says(column, words) || self.units[name].column_score() >= 0.95;
        match said && !distinct {
            true if self.groups.iter().all(|g| self.is_row_of(g, column.table)) => {
                Expression::column(column)
            }
            true => Expression::aggregate(Aggregate::Sum, count.target),
            false => count,
        }
    }

    /// Whether each group is one row of the table.
    fn is_row_of(&self, group: &Group, table: TableId) -> bool {
        match group {
            Group::Rows(rows) => *rows == table,
            Group::Column(column) => column.table == table && self.identifies(*column),
            Group::Part(..) => false,
        }
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
            self.ask_for(Expression::count(table));
            self.take(at);
            state.seen = true;
        }
        at + 1
    }

    fn read_name(&mut self, at: usize, state: &mut Sentence) -> usize {
        let table = self.table_rather(at);
        let column = self.column(at).filter(|_| table.is_none());
        self.take(at);
        if self.repeats_count(at) {
            return at + 1;
        }
        if column.is_some() && self.only_labels(at) {
            return at + 1;
        }
        let boolean = |c: &ColumnId| self.catalog.column(*c).class == TypeClass::Boolean;
        if let Some(flag) = column.filter(boolean)
            && (self.select.is_empty() || state.condition || !follows_break(self, at))
        {
            let negated = self.key(at.wrapping_sub(1)) == Some(Key::Not);
            if negated {
                self.take(at - 1);
            }
            let condition = Condition::Flag(flag, negated);
            self.filters.push(Filter { condition, or: false, and_same: false, at });
            self.entity.get_or_insert(flag.table);
            return at + 1;
        }
        if let Some(key) = column.and_then(|c| self.role(at, c)) {
            self.keys.push(key);
            self.tables.insert(self.catalog.keys[key].to);
            return at + 1;
        }
        if let Some(called) = self.named_elsewhere(at, column) {
            for shown in called {
                self.select_column(shown, state);
            }
            state.seen = true;
            return at + 1;
        }
        let asked = |c: ColumnId| self.select.contains(&Expression::column(c));
        if column.is_some_and(|c| self.is_verb(at, c) && (self.is_said_of(at, c) || asked(c))) {
            state.seen = true;
            return at + 1;
        }
        state.chained = self.key(at.wrapping_sub(1)) == Some(Key::And);
        if let Some(table) = table {
            self.read_table(at, table, state);
        } else if let Some(column) = column {
            let listed = if state.condition { self.ends_list(at) } else { self.in_list(at) };
            if !listed {
                self.tables.insert(column.table);
                self.doubt(format!("\"{}\" has no condition.", self.units[at].text));
            } else {
                self.select_column(column, state);
            }
            state.seen = true;
        }
        at + 1
    }

    /// "How many … ? List the number and …": asked for already.
    fn repeats_count(&self, at: usize) -> bool {
        matches!(self.units[at].folded.as_str(), "number" | "numbers" | "count")
            && self.select.iter().any(|e| e.aggregate == Some(Aggregate::Count))
            && (self.followed_by_end(at + 1) || self.key(at + 1) == Some(Key::And))
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
            let said = state.pending.pop().unwrap_or(at);
            let amount = Some(&self.units[said].folded)
                .filter(|phrase| phrase.contains("amount"))
                .and_then(|_| self.measure(&["amount".to_owned()], &[table]));
            if let Some(column) = amount {
                self.select.push(Expression::aggregate(aggregate, Target::Column(column)));
                self.take(said);
            } else if aggregate == Aggregate::Sum {
                self.select.push(Expression::count(table));
                self.take(said);
            }
        }
        if self.entity.is_none() && self.select.is_empty() && self.with_their(at)
            || !self.select.is_empty() && self.shows_theirs(at)
        {
            for shown in self.display(table) {
                self.select_column(shown, state);
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

    /// "orders with a shipping address": the key of a column that points to another table, where
    /// it is not asked for itself.
    fn role(&self, at: usize, column: ColumnId) -> Option<usize> {
        let said_id =
            self.units[at].folded.ends_with("id") || self.units[at].folded.ends_with("ids");
        if self.select.is_empty() || said_id || self.in_list(at) {
            return None;
        }
        self.catalog.keys.iter().position(|k| {
            k.from == column.table && k.to != k.from && k.from_columns == [column.column]
        })
    }

    /// "names of movies" where movies have titles: the owner, unless the column is its own.
    fn named_elsewhere(&self, at: usize, column: Option<ColumnId>) -> Option<Vec<ColumnId>> {
        let word = self.units[at].folded.as_str();
        let generic = matches!(word, "name" | "names" | "full name" | "full names");
        let owner = self.meanings.owners[at].filter(|_| generic)?;
        let called = self.called(owner)?;
        // the name of a course is its title, not that of its department
        let elsewhere = column.is_none_or(|c| {
            let described = self.is_key(self.display(owner)[0]);
            if described { !self.meanings.named.contains(&c.table) } else { !called.contains(&c) }
        });
        elsewhere.then_some(called)
    }

    /// What stands for the entity comes first, where nothing of it was asked for yet.
    fn show_entity(&mut self, state: &mut Sentence) {
        let shown = self.entity.filter(|_| self.select.is_empty()).map(|e| self.display(e));
        for column in shown.into_iter().flatten() {
            self.select_column(column, state);
        }
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
    pub(super) fn stored_count(&self, counted: TableId) -> Option<ColumnId> {
        let subject = self.subject().filter(|&s| s != counted)?;
        let name = crate::text::identifier_words(&self.catalog.table(counted).name);
        let stems: Vec<String> = name.iter().map(|w| crate::text::stem(w)).collect();
        self.catalog.column_ids(subject).find(|&c| {
            self.numeric(c)
                && self.column_says(c, &["number", "num", "no", "count", "total", "amount"])
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
            for target in self.whole_name(column).unwrap_or(vec![target]) {
                let expression = Expression { aggregate: carried, distinct: false, target };
                if !self.select.contains(&expression) {
                    self.select.push(expression);
                }
            }
            self.distinct |= state.distinct;
        } else {
            for aggregate in &aggregates {
                self.select.push(Expression::aggregate(*aggregate, target.clone()));
            }
            state.last_aggregate = aggregates.last().copied();
        }
        state.distinct = false;
    }
}

/// Behind "and" or a comma.
fn follows_break(reader: &Reader<'_>, at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|i| reader.key(i) == Some(Key::And) || reader.units[i].kind == UnitKind::Comma)
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
