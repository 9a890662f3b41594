//! What is asked for: projections, counts, aggregates.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::{Aggregate, Condition, Expression, Target};
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::{self, Key};
use crate::text::stem;

use super::read::{Filter, Group, Reader};
use super::states::is_participle;

impl Reader<'_> {
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
        let before =
            if self.restates(start) { std::mem::take(&mut self.select) } else { Vec::new() };
        let mut at = start;
        while at < end {
            at = self.read_unit(at, end, &mut state);
        }
        self.keep_meaning(start..end, &before);
        if self.select.iter().all(Expression::is_aggregate) {
            self.select.splice(0..0, before);
        } else if before.iter().any(|e| self.is_of_another(e)) {
            // "Who is the advisor of Anna? Give me the name": not Anna's
            self.refuse("Whose it is that the second sentence asks for is not clear.");
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
                let more = follows_break(self, at);
                state.condition = !(more || self.is_head_ask(at));
                if more && !self.order.is_empty() {
                    self.show_entity(&mut Sentence::default());
                }
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
        if !row && aggregates.iter().any(|a| *a != Aggregate::Sum) {
            let reason = "An average or extreme of a sum: of what groups is not clear.";
            return self.lose(at, reason);
        }
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
        // "the number and average age of pupils"
        if self.key(at + 1) == Some(Key::And)
            || self.units.get(at + 1).is_some_and(|u| u.kind == UnitKind::Comma)
        {
            return self.count_subject(at, state);
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
            && self
                .column(name + 1)
                .is_some_and(|c| Some(c.table) == self.table(name) && !self.is_verb(name + 1, c))
        {
            self.take(name);
            name += 1;
        }
        let Some(expression) = self.rows_or_column(name, distinct) else { return at + 1 };
        if let (Some(column), false) = (expression.target.column(), state.aggregates.is_empty())
            && self.numeric(column)
        {
            // "the average number of stars", "the highest and total number of stars"
            if self.units[at].folded.contains("total") {
                state.aggregates.push(Aggregate::Sum);
            }
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
        self.count_another(name)
    }

    /// "how many students and instructors": counts the other table, too; where to read on.
    fn count_another(&mut self, name: usize) -> usize {
        let other = self.next_solid(name + 2);
        if self.key(name + 1) == Some(Key::And)
            && self.table_rather(name).is_some()
            && let Some(table) = self.table_rather(other).filter(|_| !self.used[other])
            && !matches!(self.units.get(other + 1).map(|u| &u.kind), Some(UnitKind::Name))
        {
            self.ask_for(Expression::count(table));
            self.take(other);
            return other + 1;
        }
        name + 1
    }

    /// What "how many" asks for: a number that is stored is read or added up, else rows are
    /// counted.
    fn counted(&mut self, at: usize, name: usize, count: Expression, distinct: bool) -> Expression {
        let column = match count.target {
            Target::Rows(table) => {
                return self.stored_count(table).map_or(count, Expression::column);
            }
            Target::Column(column) if self.numeric(column) => column,
            _ => return count,
        };
        if self.is_rate_of(name, column) {
            self.refuse_number(name, column);
        }
        let sum = Some(Key::Aggregate(Aggregate::Sum));
        let summed = (at..name)
            .any(|i| self.key(i) == sum || self.units[i].folded.contains("total"))
            || (name..self.units.len())
                .any(|i| self.key(i) == sum && !self.used[i] && self.followed_by_end(i + 1));
        if summed {
            return Expression::aggregate(Aggregate::Sum, count.target);
        }
        // "number of employees" stored as a number is read, not counted, and summed where a
        // group has several rows
        let words = &["number", "num", "no", "count", "total", "amount", "population"];
        let spelled = self.units[name].column_score() >= 0.95 && self.says_several(column);
        let said = self.column_says(column, words) || spelled;
        match said && !distinct {
            // one number is asked for, of however many rows
            true if self.groups.is_empty() && self.select.is_empty() && self.is_how_many(at) => {
                Expression::aggregate(Aggregate::Sum, count.target)
            }
            true if self.groups.iter().all(|g| self.is_row_of(g, column.table)) => {
                Expression::column(column)
            }
            true => Expression::aggregate(Aggregate::Sum, count.target),
            // a measure is added up, "different" values and codes are counted: majors by `major`
            false if !distinct && !self.temporal(column) && self.says_several(column) => {
                Expression::aggregate(Aggregate::Sum, count.target)
            }
            false => count,
        }
    }

    /// Whether a column is called by several things: it holds how many there are.
    fn says_several(&self, column: ColumnId) -> bool {
        let words = crate::text::identifier_words(&self.catalog.column(column).name);
        words.iter().any(|word| word.ends_with('s') && stem(word) != *word)
    }

    /// "how many", of all that the question speaks of.
    fn is_how_many(&self, at: usize) -> bool {
        let each = self.units.iter().any(|u| u.key() == Some(Key::Each));
        let ranked = self.limit.is_some() || !self.order.is_empty();
        self.units[at].folded.starts_with("how many") && !each && !ranked
    }

    /// "units" are counted by no `unit_price`: the column is of them, but holds what each costs.
    pub fn is_rate_of(&self, name: usize, column: ColumnId) -> bool {
        let rates = ["price", "cost", "fee", "rate", "charge", "tax", "weight", "size"];
        let words = crate::text::identifier_words(&self.catalog.column(column).name);
        let said = |word: &String| {
            self.units[name]
                .folded
                .split(' ')
                .any(|w| crate::text::stem(w) == crate::text::stem(word))
        };
        words.last().is_some_and(|head| rates.contains(&head.as_str()) && !said(head))
    }

    /// What is counted by `name` is not what the column holds.
    pub fn refuse_number(&mut self, name: usize, column: ColumnId) {
        let label = self.catalog.column_label(column);
        self.lose(name, format!("{label} is no number of {}.", self.units[name].text));
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
        // "how many treadmills are there": a stored value is the thing
        let stored = |r: &Self| r.filters.first()?.condition.tables().first().copied();
        let counted = self.entity.or_else(|| self.subject()).or_else(|| stored(self));
        if let Some(table) = counted {
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
        let not = self.negation(at);
        if let Some(column) = column
            && let Some(condition) = self.flag(column, not.is_some())
            && (self.select.is_empty() || state.condition || !follows_break(self, at))
        {
            not.into_iter().for_each(|i| self.take(i));
            self.filters.push(Filter { condition, or: false, and_same: false, at });
            self.entity.get_or_insert(column.table);
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
        if let Some(said) = column.filter(|&c| self.is_verb(at, c))
            && (self.is_said_of(at, said) || asked(said))
        {
            self.said.insert(said.table);
            state.seen = true;
            return at + 1;
        }
        state.chained = self.key(at.wrapping_sub(1)) == Some(Key::And);
        if let Some(table) = table {
            self.read_table(at, table, state);
        } else if let Some(column) = column {
            let listed = if state.condition { self.ends_list(at) } else { self.in_list(at) };
            if !listed && self.says_present(at, column) {
                self.add_filter(at, Condition::Null(column, true));
            } else if !listed && self.is_possessed(at) {
                self.refuse(format!(
                    "Whose \"{}\" is asked for is not clear.",
                    self.units[at].text
                ));
            } else if !listed && self.is_conditioned(at, column) {
                // "opened in year 2011": said of the date that is compared
            } else if !listed && self.is_predicate(at) {
                self.refuse(format!("\"{}\" has no condition.", self.units[at].text));
            } else if !listed {
                self.tables.insert(column.table);
                self.doubt(format!("\"{}\" has no condition.", self.units[at].text));
            } else {
                if self.is_theirs(at) {
                    self.show_entity(&mut Sentence::default());
                }
                self.select_column(column, state);
            }
            state.seen = true;
        }
        at + 1
    }

    /// "products that are to be reordered": said of them, and by no column that holds it.
    fn is_predicate(&self, at: usize) -> bool {
        let said = self.key(at - 1) == Some(Key::Is) && self.followed_by_end(at + 1);
        said && is_participle(&self.units[at].folded)
    }

    /// "the name of Anna Berg's advisor": what is asked for is the advisor's.
    fn is_possessed(&self, at: usize) -> bool {
        let owner = at.checked_sub(2).map(|i| &self.units[i].kind);
        self.units[at - 1].folded == "s" && owner == Some(&UnitKind::Value)
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
            if let Some(column) = self.said_amount(said, at, table, aggregate) {
                self.select.push(Expression::aggregate(aggregate, Target::Column(column)));
                self.take(said);
            } else if self.units[said].folded.contains("amount") {
                let of = &self.units[at].text;
                self.lose(said, format!("Several columns may be the amount of {of}, or none is."));
            } else if aggregate == Aggregate::Sum {
                self.select.push(Expression::count(table));
                self.take(said);
            }
        }
        let named_too = self.is_named_too(at) && !self.followed_by_end(at + 1);
        if self.entity.is_none() && self.select.is_empty() && self.with_their(at)
            || !self.select.is_empty()
                && (named_too || self.shows_theirs(at) || self.amid_columns(at))
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

    /// What an aggregate said at `said` of the table named at `at` adds up: its amount, its worth, or
    /// all that it measures.
    fn said_amount(
        &self,
        said: usize,
        at: usize,
        table: TableId,
        aggregate: Aggregate,
    ) -> Option<ColumnId> {
        let phrase = &*self.units[said].folded;
        let words = said..self.units.len().min(at + 2);
        if phrase.contains("amount") {
            let named = self.measure(&["amount".to_owned()], &[table]);
            named.or_else(|| self.sole_measure(table))
        } else if self.units[words].iter().any(|u| matches!(&*u.folded, "value" | "worth")) {
            let nouns = ["value", "worth", "total", "amount", "price", "cost"].map(stem);
            self.measure(&nouns, &[table])
        } else {
            self.amount_of(table, aggregate, phrase)
        }
    }

    /// "the total fines": what a table of amounts is added up by; of other things rows are counted.
    pub fn amount_of(&self, table: TableId, aggregate: Aggregate, said: &str) -> Option<ColumnId> {
        let plain = matches!(said, "total" | "sum of" | "total of" | "sum" | "average");
        let amounts = ["amount", "cost", "fee", "sum"];
        let adds = |c: ColumnId| match aggregate {
            Aggregate::Sum => self.column_says(c, &amounts),
            // "the average rating": of rows that measure one thing
            aggregate => aggregate == Aggregate::Avg,
        };
        self.sole_measure(table).filter(|&c| plain && adds(c))
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
    pub fn stored_count(&self, counted: TableId) -> Option<ColumnId> {
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
            // "which team has the highest average score, and what is it": the team comes first
            if self.order.iter().any(|(e, _)| e.is_aggregate()) {
                self.show_entity(&mut Sentence::default());
            }
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
