//! What is counted: "how many pupils", "the number of different cities", a number that is stored;
//! conditions on numbers of rows: "more than 3 courses", "at least twice"; and the most common, which is
//! ranked by how often it comes, or by the rows that use it.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Operand, Query, Target,
};
use crate::strategy::builtin::words::{Key, UnitKind, Words};
use crate::text::stem;

use super::{Bound, Left, Reader, Sentence, Span};

impl Reader<'_> {
    /// "how many X", "number of X".
    pub fn read_count(&mut self, at: usize, end: usize, state: &mut Sentence) -> usize {
        let how = |key| matches!(key, Key::Distinct | Key::Count | Key::Aggregate(Aggregate::Sum));
        let mut name = self.past(at + 1, |i| self.is_thin(i) || self.key(i).is_some_and(how));
        let distinct = (at..name).any(|i| self.is(i, Key::Distinct));
        let span = Span::from(at..name);
        // "how many settled invoices": said of them already; "how many grade A deliveries"
        let graded = self.is_value(name + 1)
            && self.own_column(name).is_some_and(|c| self.is_conditioned(name, c));
        let thing = name + 1 + usize::from(graded);
        if (self.is_claimed(name) || graded) && self.table_rather(thing).is_some() {
            self.claim([name]);
            name = thing;
        }
        // "the number and average age of pupils"
        if self.is(at + 1, Key::And) || self.is_kind(at + 1, UnitKind::Comma) {
            return self.count_subject(at, span, state);
        }
        if name >= end || !self.is_name(name) {
            // "how many female students", "how many are there": the next table is counted
            let counted = |&i: &usize| self.table_rather(i).is_some() && self.is_free(i);
            // "number of bugs by project", where a bug is one kind of issue
            let stored = self.filters.iter().any(|f| f.at == name);
            // "high severity faults": of what column it is may be said
            let own =
                |c| self.filters.iter().any(|f| f.at == name && f.condition.columns().contains(&c));
            let labelled = self.own_column(name + 1).is_some_and(own);
            let reach = if stored { name + 2 + usize::from(labelled) } else { at + 6 };
            let Some(table) = (at + 1..end.min(reach)).find(counted) else {
                return self.count_subject(at, span, state);
            };
            name = table;
        }
        let Some(mut expression) = self.rows_or_column(name, distinct) else { return at + 1 };
        // "how many smokers": those who are
        let flag = expression.target.column().filter(|_| !distinct && self.is_plural(name));
        if let Some((column, flag)) = flag.and_then(|c| Some((c, self.flag(c, false)?))) {
            self.add_apart(name, [], flag);
            expression = Expression::count(column.table);
        }
        state.seen = true;
        let stored = expression.target.column().filter(|&c| self.facts.numeric(c));
        if let Some(column) = stored.filter(|_| !state.aggregates.is_empty()) {
            // "the average number of stars", "the highest and total number of stars"
            if self.word(at).contains("total") {
                state.aggregates.push(Aggregate::Sum);
            }
            state.pending.extend(span.and([name]).units);
            self.select_column(column, state);
            return name + 1;
        }
        if let Target::Rows(table) = expression.target {
            self.entity.get_or_insert(table);
        }
        let counted = self.counted(at, name, expression, distinct);
        // "how many seats does each car have": a number of each, with the car
        let of = counted.plain_column().map(|c| c.table);
        if let Some(each) = of.filter(|&table| self.each.contains(&Target::Rows(table))) {
            self.entity.get_or_insert(each);
            self.show_entity();
        }
        self.ask_for(span.and([name]), [counted]);
        self.count_another(name)
    }

    /// "how many students and instructors": counts the other table, too; where to read on.
    pub fn count_another(&mut self, name: usize) -> usize {
        let both = self.is(name + 1, Key::And);
        let (other, next) = (self.next_solid(name + 2), name + 2);
        let things = self.table_rather(name).and(self.table_rather(other)).filter(|_| both);
        // "the number of majors and cities"
        let values = self.own_column(name).and(self.open_column(next)).filter(|_| both);
        if let Some(table) = things.filter(|_| self.is_free(other) && !self.is_name(other + 1)) {
            self.ask_for([other], [Expression::count(table)]);
            return other + 1;
        }
        if let Some(column) = values.filter(|_| self.is_plural(next)) {
            if self.ends_at(next + 1) {
                self.ask_for([next], [Expression::count_distinct(column)]);
                return next + 1;
            }
            let other = &self.units[next].text;
            self.refuse(format!("It is unclear whether \"{other}\" are to be counted."));
        }
        name + 1
    }

    /// What "how many" asks for: a number that is stored is read or added up, else rows are counted.
    fn counted(&mut self, at: usize, name: usize, count: Expression, distinct: bool) -> Expression {
        let column = match count.target {
            Target::Rows(of) => return self.stored_count(of).map_or(count, Expression::column),
            Target::Column(column) if self.facts.numeric(column) => column,
            _ => return count,
        };
        if self.is_rate_of(name, column) {
            self.refuse_number(name, column);
            return count;
        }
        let sum = Some(Key::Aggregate(Aggregate::Sum));
        let in_total = |i| self.key(i) == sum && self.is_free(i) && self.ends_at(i + 1);
        let summed = (at..name).any(|i| self.key(i) == sum || self.word(i).contains("total"))
            || (name..self.units.len()).any(in_total);
        let total = Expression::aggregate(Aggregate::Sum, column);
        if summed || distinct {
            return if summed { total } else { count };
        }
        // "number of employees" stored as a number is read, not counted, and summed where a
        // group has several rows
        let spelled = self.units[name].column_score() >= 0.95 && self.facts.says_several(column);
        let says = |words| self.facts.says(column, words);
        if spelled || says(Words::Counts) || says(Words::Inhabitants) {
            // one number is asked for, of however many rows
            let whole = self.groups.is_empty()
                && self.query.select.is_empty()
                && self.query.order.is_empty()
                && self.word(at).starts_with("how many");
            // each group is one row of the table
            let rows = self.groups.iter().all(|group| {
                let single = |column| self.facts.identifies(column);
                let row = matches!(group, Target::Rows(_)) || group.column().is_some_and(single);
                row && group.table() == column.table
            });
            return if rows && !whole { Expression::column(column) } else { total };
        }
        // a measure is added up, "different" values and codes are counted: majors by `major`
        let measured = !self.facts.temporal(column);
        if measured && self.facts.says_several(column) {
            return total;
        }
        // of one row the number is what it holds
        let one_row = self.filters.iter().any(|f| {
            let Condition::Compare(e, Comparison::Equal, _) = &f.condition else { return false };
            e.target.column().is_some_and(|c| c.table == column.table && self.facts.identifies(c))
        });
        if one_row {
            return Expression::column(column);
        }
        if measured && !self.facts.is_key_part(column) {
            let label = self.label(column);
            self.refuse(format!("Should {label} be added up, or its different values counted?"));
        }
        count
    }

    /// "units" are counted by no `unit_price`: the column is of them, but holds what each costs.
    pub fn is_rate_of(&self, name: usize, column: ColumnId) -> bool {
        let said = |word: &String| self.word(name).split(' ').any(|w| stem(w) == stem(word));
        self.facts.words(column).last().is_some_and(|head| Words::Rates.has(head) && !said(head))
    }

    /// What is counted by `name` is not what the column holds.
    pub fn refuse_number(&mut self, name: usize, column: ColumnId) {
        let label = self.label(column);
        self.refuse_at(name, format!("{label} is not a number of {}.", self.units[name].text));
    }

    fn count_subject(&mut self, at: usize, span: Span, state: &mut Sentence) -> usize {
        // "how many treadmills are there": a stored value is the thing
        let beside = self.filters.iter().find(|f| f.at == self.next_solid(at + 1));
        let beside = beside.and_then(|f| f.condition.tables().first().copied());
        let counted = beside.into_iter().chain(self.asked_about()).next().map(Expression::count);
        // "the region with the fewest technicians and how many it has"
        let ranked = self.query.order.first().map(|(e, _)| e).filter(|e| e.is_aggregate());
        if let Some(count) = ranked.cloned().or(counted) {
            // "how many … and how many in cash"
            let again = self.before(at).any(|i| self.is(i, Key::Count));
            if again && self.query.select.contains(&count) {
                self.refuse_at(at, "It is unclear which of them are counted apart.");
            }
            self.ask_for(span, [count]);
            state.seen = true;
        }
        at + 1
    }

    /// "less than 5 times", "2 or more records": rows are counted, whatever they are.
    pub fn counts_rows(&self, at: usize, left: &Left) -> bool {
        left.name.is_some() && (self.says_times(at) || self.names_rows(at))
    }

    /// "twice", "3 times".
    pub fn says_times(&self, at: usize) -> bool {
        self.says(at, Words::Times) && !self.is_named(at)
    }

    /// "records": rows, where nothing is called so.
    pub fn names_rows(&self, at: usize) -> bool {
        self.says(at, Words::Rows) && !self.is_named(at)
    }

    pub fn is_named(&self, at: usize) -> bool {
        self.units[at].column_score().max(self.units[at].table_score()) >= 0.9
    }

    /// "more than 2 times", where what is counted ends at `after`.
    pub fn times_condition(&mut self, bound: Bound<'_>, after: usize) {
        let Some(name) = bound.left.name else { return };
        let column = || self.column(name).map(|c| c.table);
        let Some(thing) = self.table_rather(name).or_else(column) else { return };
        // "who ordered more than 2 times" did so by orders
        let own = Some(thing) == self.subject();
        let counted = if own { self.user_of(thing).unwrap_or(thing) } else { thing };
        let rows = Some(after).filter(|&i| self.counts_rows(i, &bound.left));
        let condition = bound.of(Expression::count(counted));
        self.add_having(bound.span.phrase(rows), condition);
    }

    /// "more than 3 courses": a condition on the number of rows.
    pub fn count_condition(&mut self, bound: Bound<'_>, name: Option<usize>) {
        let Some(name) = name.filter(|&n| self.is_name(n)) else { return };
        if let Some(column) = self.table_rather(name).and_then(|t| self.stored_count(t)) {
            let condition = bound.of(Expression::column(column));
            return self.add_filter(bound.at, bound.span.and([name]), condition);
        }
        let Some(expression) = self.rows_or_column(name, false) else { return };
        let helps = |i: &usize| matches!(self.key(*i), Some(Key::Count | Key::Distinct));
        let table = expression.target.table();
        let had = (bound.left.start..bound.at).any(|i| self.is(i, Key::Clause))
            && matches!(expression.target, Target::Rows(_));
        let condition = bound.of(expression);
        let span = bound.span.and([name]).and(name.checked_sub(1).filter(helps));
        match (bound.operator, bound.digits) {
            (Comparison::GreaterOrEqual, "1") | (Comparison::Greater, "0") => {
                self.query.tables.insert(table);
                // "who have at least one": nothing else is said of them
                let all = had && self.reading.said.insert(table);
                self.claim(if all { Span::default().phrase(span.units) } else { span });
            }
            _ => self.add_having(span, condition),
        }
    }

    /// "the most common city": group by it, most rows first.
    pub fn read_frequent(&mut self, at: usize, direction: Direction) {
        // "the status that is most common of all bookings": the ranked thing stands before
        let before = self.is(at + 1, Key::Preposition);
        let name = self.next_solid(at + 1);
        if let Some(column) = self.own_column(name).filter(|_| !before) {
            // "customers using the most common …": the sentence is about something else
            if self.before(at).any(|i| self.table_rather(i).is_some()) {
                let order = vec![(Expression::count(column.table), direction)];
                let group = vec![column.into()];
                let most = Query { group, order, limit: Some(1), ..Query::of(column) };
                let most = Operand::Query(Box::new(most));
                return self.add_filter(at, [name], Condition::equal(column, most));
            }
            self.ask_for([name], [Expression::column(column)]);
            return self.rank_values(at, Span::default(), column, direction);
        }
        let ends = before || self.ends_at(at + 1);
        if ends && self.is_adverb(at) && self.head_column(at).is_none() {
            return self.rank_by_use(at, direction);
        }
        let behind = self.table(name).filter(|_| !before);
        let said = behind.map(|_| name);
        let table = match (behind, self.head_column(at)) {
            (Some(table), _) => table,
            // "the city that is most common", of a table that only lists what others use
            (None, Some(c)) if self.facts.identifies(c) && self.is_used(c.table) => c.table,
            (None, Some(head)) => return self.rank_values(at, Span::default(), head, direction),
            (None, None) => return,
        };
        if self.sells(at) {
            return self.rank_sold(at, said, table, direction);
        }
        // a thing is popular by the rows that point to it: one such table, or it is not clear
        let uses = self.user_of(table).map(|user| (Expression::count(user), direction));
        self.push_order(at, said, uses);
    }

    /// "best selling", "was sold".
    fn sells(&self, at: usize) -> bool {
        Words::Selling.all().iter().any(|verb| self.word(at).contains(verb))
    }

    /// "who came most often", "the most times": something is done so often, as nothing is common.
    pub fn is_adverb(&self, at: usize) -> bool {
        self.word(at).split(' ').next_back().is_some_and(|last| Words::Often.has(last))
    }

    /// The column that the sentence names first.
    pub fn head_column(&self, at: usize) -> Option<ColumnId> {
        self.own_column(self.before(at).find(|&i| self.is_name(i))?)
    }

    /// "bought the most", "ordered the greatest number of times": by the rows that point to the subject.
    pub fn rank_by_use(&mut self, at: usize, direction: Direction) {
        if let Some((column, verb)) = self.verb_column(at) {
            return self.push_order(at, verb, (Expression::column(column), direction));
        }
        // "the type that has the most records": rows of the table that holds it
        let used = at.checked_sub(1).is_some_and(|i| self.says(i, Words::Occurring));
        if let Some(column) = self.head_column(at).filter(|_| used || self.names_rows(at + 1)) {
            let rows = Span::default().phrase((at + 1..).take(usize::from(!used)));
            return self.rank_values(at, rows, column, direction);
        }
        let Some(thing) = self.subject() else { return };
        let (ranked, span) = if self.is_size(at) {
            // "which store is the largest"
            (self.size(at, thing).map(Expression::column), Span::default())
        } else if let Some(nouns) = self.spent(at) {
            (self.paid(thing, nouns), Span::from([at - 1]))
        } else if !self.is_adverb(at) && self.sells(at.wrapping_sub(1)) {
            return self.rank_sold(at, None, thing, direction);
        } else {
            let counts = (at..at + 3).filter(|&i| self.is(i, Key::Count));
            (self.user_of(thing).map(Expression::count), Span::from(counts))
        };
        self.push_order(at, span, ranked.map(|by| (by, direction)));
    }

    /// The table whose rows use those of `table`: a named one with a key to it, the one between it and
    /// what is named (products are ordered by the lines of orders), or the only one.
    pub fn user_of(&self, table: TableId) -> Option<TableId> {
        let users = self.users_of(table);
        let named = users.iter().copied().find(|u| self.meanings.named.contains(u));
        // of regular and of actual orders, either may be meant
        let may_be_named = |other: TableId| {
            other != table && self.units.iter().any(|u| u.tables.iter().any(|t| t.item == other))
        };
        let between = |u: &&TableId| self.facts.keys_from(**u).any(|key| may_be_named(key.to));
        named.or_else(|| only(users.iter().filter(between)).copied()).or_else(|| only(users))
    }

    /// The tables with a key to this one.
    pub fn users_of(&self, table: TableId) -> Vec<TableId> {
        let keys = self.catalog.key_ends.iter().filter(|k| k.to == table && k.from != table);
        let mut users: Vec<TableId> = keys.map(|k| k.from).collect();
        users.dedup();
        users
    }

    /// Whether rows of other tables refer to those of this one.
    pub fn is_used(&self, table: TableId) -> bool {
        !self.users_of(table).is_empty()
    }

    /// The values of a column are ranked by how often they come; a missing value does not count as one.
    fn rank_values(&mut self, at: usize, span: Span, column: ColumnId, direction: Direction) {
        self.group_by([], column);
        if self.facts.optional(column) {
            self.add_apart(at, [], Condition::present(column));
        }
        self.push_order(at, span, (Expression::count(column.table), direction));
    }
}
