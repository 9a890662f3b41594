//! Superlatives: the most, the oldest, the top three; what they rank by, which is a measure or a number
//! of rows.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::{Aggregate, Direction, Expression, Order};
use crate::strategy::builtin::words::{Key, LEXICON, Words, is_participle, lexicon, singular};
use crate::text::stem;

use super::{Reader, Span};

/// What is ranked or sorted by.
#[derive(Clone, Copy)]
pub struct Ranked {
    /// Where its name stands.
    pub name: usize,
    /// "the number of" stands before it.
    pub counted: bool,
    pub aggregate: Option<Aggregate>,
}

impl Ranked {
    /// The name at `name`, of which nothing else is said.
    pub fn by(name: usize) -> Self {
        Self { name, counted: false, aggregate: None }
    }
}

impl Reader<'_> {
    /// Read "with the most …", "the oldest …", "most common …", "top 3 …".
    pub fn read_superlative(&mut self, at: usize) {
        match self.key(at).filter(|_| !self.is_claimed(at)) {
            Some(Key::Superlative(direction)) => self.read_most(at, direction),
            Some(Key::Aggregate(a @ (Aggregate::Max | Aggregate::Min))) if self.has(at) => {
                self.read_most(at, Direction::most_first(a == Aggregate::Max));
            }
            Some(Key::Extreme(adjective)) => self.read_extreme(at, adjective),
            Some(Key::Frequent(direction)) => self.read_frequent(at, direction),
            Some(Key::Top) => self.read_top(at),
            _ => {}
        }
    }

    /// "the aircraft with the maximum distance": after a thing that has it, an extreme ranks.
    fn has(&self, at: usize) -> bool {
        let name = self.next_solid(at + 1);
        let measured = self.own_column(name).is_some_and(|c| self.facts.measures(c));
        let Some(lead) = self.last_solid(at).filter(|&i| i > 0) else { return false };
        let thing = self.is_name(lead - 1) || self.word(lead - 1) == "one";
        let clause = self.is(lead, Key::Clause) && !self.adds(lead);
        measured && thing && clause && !self.has_key(Key::Each)
    }

    /// Limit and offset said around a superlative: "3 oldest", "second highest".
    fn take_limit(&mut self, at: usize) {
        if self.query.limit.is_some() {
            return;
        }
        self.query.limit = Some(1);
        let from = (at.saturating_sub(3)..at).rfind(|&i| !self.is_thin(i)).unwrap_or(at);
        if let Some(digits) = self.number(from).filter(|_| self.is_free(from)) {
            let limit = digits.parse().ok().filter(|n| (1..=10_000).contains(n));
            let top = from.checked_sub(1).filter(|&i| self.is(i, Key::Top));
            return self.limit(Span::from(top).and([from]), limit);
        }
        if let Some(&rank) = LEXICON.ordinals.get(self.word(from)) {
            self.query.offset = rank - 1;
            return self.claim([from]);
        }
        // "the top 3 teachers with the most …"
        let top = |&i: &usize| self.is(i, Key::Top) && self.is_free(i);
        let mut leads = std::iter::once(at).chain(self.before(at).filter(top));
        if let Some((lead, digits)) = leads.find_map(|i| Some((i, self.number(i + 1)?))) {
            self.limit([lead, lead + 1], digits.parse().ok());
        }
    }

    /// Rank, as is said at `at`, where it is known by what; the other units of its span belong to it.
    pub fn push_order(&mut self, at: usize, span: impl Into<Span>, by: impl Into<Option<Order>>) {
        if let Some(order) = by.into() {
            self.query.order.insert(0, order);
            self.claim(span.into().and([at]));
            self.take_limit(at);
        }
    }

    /// "the number of X", "the total X", from `from` on; None where another function word comes before
    /// the name that does not pass.
    fn ranked(&self, from: usize, passes: impl Fn(Key) -> bool) -> Option<Ranked> {
        let mut ranked = Ranked::by(self.next_solid(from));
        while let Some(key) = self.key(ranked.name) {
            match key {
                Key::Count => ranked.counted = true,
                Key::Aggregate(a) => ranked.aggregate = Some(a),
                key if passes(key) => {}
                _ => return None,
            }
            ranked.name = self.next_solid(ranked.name + 1);
        }
        Some(ranked)
    }

    /// What a superlative ranks by.
    fn ranked_most(&self, at: usize) -> Option<Ranked> {
        let head = self.at_head(at);
        let lists = |key| head && matches!(key, Key::Superlative(_) | Key::And);
        let thin = |key| matches!(key, Key::Distinct | Key::Preposition | Key::Any);
        let passes = |key| thin(key) || lists(key);
        let mut ranked = self.ranked(at + 1, passes)?;
        // "the greatest and average capacity": the select pass aggregates
        let both = self.is(at + 1, Key::And) && ranked.aggregate.is_some();
        // "least two" may be at least two
        let bare = self.word(at.wrapping_sub(1)) != "the" && self.number(at + 1).is_some();
        if both || bare && matches!(self.word(at), "least" | "most") {
            return None;
        }
        ranked.name = self.past(ranked.name, |i| self.is_thin(i) || self.number(i).is_some());
        // "the most unpaid invoices"
        if self.is_claimed(ranked.name) && self.table_rather(ranked.name + 1).is_some() {
            ranked.name += 1;
        }
        Some(ranked)
    }

    fn read_most(&mut self, at: usize, direction: Direction) {
        let Some(mut ranked) = self.ranked_most(at) else { return };
        let name = ranked.name;
        if let Some(computed) = self.computed(name).cloned() {
            return self.push_order(at, [name], (computed, direction));
        }
        // "spent the most on tickets": all that the verb measures of them
        let of = self.table_rather(name).filter(|_| self.is(at + 1, Key::Preposition));
        let spent = self.spent(at).zip(of.filter(|t| self.many_to(*t)));
        if let Some(column) = spent.and_then(|(nouns, of)| self.own_measure(of, nouns)) {
            let total = Expression::aggregate(Aggregate::Sum, column);
            return self.push_order(at, [at - 1], (total, direction));
        }
        if !self.is_name(name) {
            return self.rank_by_use(at, direction);
        }
        // "the most seats in total": of all rows together
        let total = Some(name + 1).filter(|&i| self.is(i, Key::Aggregate(Aggregate::Sum)));
        let total = total.filter(|_| ranked.aggregate.is_none());
        ranked.aggregate = ranked.aggregate.or(total.map(|_| Aggregate::Sum));
        let phrase = self.word(at);
        // "the largest amount of total settlement" is of money
        let money = ranked.aggregate == Some(Aggregate::Sum);
        ranked.counted |= phrase.ends_with("number of") || phrase.ends_with("amount of") && !money;
        let Ranked { counted, aggregate, .. } = ranked;
        let (table, column) = (self.table_rather(name), self.column(name));
        let plain = table.is_none() && aggregate.is_none();
        let measured = column.filter(|&c| self.facts.measures(c));
        // "the highest key", "the highest total of the invoices": of what is not said
        let key = column.is_some_and(|c| self.facts.is_key(c)) && !counted;
        let sums = table.is_some() && aggregate.is_some() && self.at_head(at);
        // "the most severe incident" is a row
        let row = measured.is_some_and(|c| self.table_rather(name + 1) == Some(c.table));
        let held = measured.filter(|&c| !counted || self.facts.numeric(c));
        // "what is the highest salary": the select pass aggregates
        let head = self.at_head(at) && !row && held.is_some();
        if sums || plain && (key || head) {
            return;
        }
        if let Some(column) = column.filter(|&c| self.is_plural(name) && self.is_rate_of(name, c)) {
            return self.refuse_number(name, column);
        }
        // "the second highest salary": a number, however many have it
        let ordinal = |i: usize| LEXICON.ordinals.contains_key(self.word(i)) && self.at_head(i);
        let nth = plain && !row && at.checked_sub(1).is_some_and(ordinal);
        if let Some(column) = held.filter(|_| nth) {
            self.query.distinct = true;
            self.ask_for([name], [Expression::column(column)]);
        }
        let Some(expression) = self.superlative_expression(at, ranked) else { return };
        let span = Span::from(at..=name).and(total);
        if self.word(name + 1) == "first" {
            // "highest salary first" orders and leaves all rows
            return self.order_by(span.and([name + 1]), [(expression, direction)]);
        }
        self.push_order(at, span, (expression, direction));
    }

    /// The nouns that the verb before "the most" measures: "spent".
    pub fn spent(&self, at: usize) -> Option<&'static Vec<String>> {
        LEXICON.measured_by.get(self.word(at.wrapping_sub(1)))
    }

    fn read_extreme(&mut self, at: usize, adjective: usize) {
        if let Some(done) = self.done_recently(at) {
            let latest = done.map(|date| (Expression::column(date), Direction::Descending));
            return self.push_order(at, [], latest);
        }
        // "the longest serving employee": of what he does
        if self.is_unknown(at + 1) && self.word(at + 1).ends_with("ing") {
            return;
        }
        let meant = &LEXICON.adjectives[adjective];
        let name = self.past(at + 1, |i| self.is_thin(i) || self.number(i).is_some());
        let said = self.own_column(name).filter(|&c| self.facts.measures(c));
        let table = self.table_rather(name);
        let told = said.is_some() || self.is_time_noun(name);
        let (column, direction) = if let Some(column) = said {
            let inverse = self.facts.says_stem(column, &meant.inverse)
                && !self.facts.says_stem(column, &meant.direct);
            if self.at_head(at) {
                return; // "what is the longest duration": the select pass aggregates
            }
            (column, Direction::most_first(!inverse && !meant.direct.is_empty()))
        } else {
            let near = [table, self.column(name).map(|c| c.table), self.subject()];
            let preferred: Vec<TableId> = near.into_iter().flatten().collect();
            // the latest order is the latest by its own date, whatever that is called
            let own = |nouns: &[String]| {
                let dated = nouns.iter().any(|noun| noun == "date");
                let &table = preferred.first().filter(|_| dated)?;
                let first = || self.facts.event_dates(table).first().copied();
                self.facts.sole_date(table).or_else(first)
            };
            let ranked = |nouns: &[String]| {
                let of_it = |c: &ColumnId| own(nouns).is_none_or(|own| own.table == c.table);
                self.measure(nouns, &preferred).filter(of_it).or_else(|| own(nouns))
            };
            let most = ranked(&meant.direct).zip(Some(Direction::Descending));
            let least = || ranked(&meant.inverse).zip(Some(Direction::Ascending));
            let Some(found) = most.or_else(least) else { return };
            found
        };
        let named = [&*meant.direct, &meant.inverse].concat();
        // nobody is as old as his account, and what took the longest is not what ended last
        let says = |noun: &str| named.iter().any(|n| n == noun);
        let tells_age = self.facts.says(column, Words::Ages) || self.facts.is_birth_date(column);
        let aged = says("age") && self.facts.is_people(column.table) && !tells_age;
        if aged || self.facts.is_calendar(column) && !says("date") && !says("birth") {
            return self.refuse_at(at, format!("{} does not say so.", self.label(column)));
        }
        let unsaid = said.is_none() && !self.facts.says_stem(column, &named);
        if unsaid && self.facts.sole_date(column.table).is_none() {
            self.tell_date(column);
        }
        // "the highest rated product" by all its ratings
        let rated = self.word(at).ends_with("rated") && table.is_some_and(|t| t != column.table);
        let several = rated && self.facts.numeric(column) && self.many_to(column.table);
        let aggregate = several.then_some(Aggregate::Avg);
        let ranked = Expression { aggregate, ..Expression::column(column) };
        self.push_order(at, Some(name).filter(|_| told), (ranked, direction));
    }

    /// "taught most recently": the date is of what somebody did, not of who did it. None where no
    /// such verb stands before; no date where it is not known by which rows it is done.
    fn done_recently(&self, at: usize) -> Option<Option<ColumnId>> {
        let verb = at.checked_sub(1).filter(|_| self.word(at).ends_with("recently"))?;
        let subject = self.subject()?;
        let people = (0..=verb).any(|i| {
            let said = self.word(i).split(' ').next();
            self.table_rather(i) == Some(subject) && said.is_some_and(lexicon::is_person)
        });
        let does = self.word(verb).split(' ').next_back().is_some_and(|w| Words::Relating.has(w));
        let passive = self.is(verb.wrapping_sub(1), Key::Is);
        // "shipped most recently", where that is a state: when they were is not known
        if self.is_value(verb) && is_participle(self.word(verb)) {
            return Some(None);
        }
        let done = match self.table_rather(verb) {
            Some(table) if table != subject => Some(table),
            _ if people && does && !passive => self.user_of(subject),
            _ => return None,
        };
        Some(done.and_then(|table| self.facts.event_date(table)))
    }

    pub fn is_plural(&self, at: usize) -> bool {
        singular(self.word(at)) != self.word(at)
    }

    /// "the cheapest products", "which pupils are the youngest": the things in the plural of which no number
    /// is said.
    pub fn ranks_several(&self) -> Option<TableId> {
        let thing = |i: usize| self.table_rather(i).filter(|_| self.is_plural(i));
        let ranked = self.places().find_map(|at| {
            let ranks = match self.key(at) {
                Some(Key::Superlative(_)) => self.is_size(at),
                key => matches!(key, Some(Key::Extreme(_) | Key::Frequent(_))),
            };
            let are = |&i: &usize| self.ends_at(at + 1) && self.is(i, Key::Is);
            let said = self.last_solid(at).filter(are).and_then(|i| i.checked_sub(1));
            thing(at + 1).or_else(|| thing(said?)).filter(|_| ranks)
        });
        ranked.filter(|_| !self.places().any(|i| self.number(i) == Some("1")))
    }

    /// "When was the first order placed": the earliest or latest date of a table.
    fn read_first_time(&mut self, at: usize, direction: Direction) {
        let Some(table) = self.table_rather(self.next_solid(at + 1)) else { return };
        let Some(&column) = self.facts.event_dates(table).first() else { return };
        let span = [at, self.sentence_start(at)];
        self.ask_for(span, [Expression::aggregate(direction.first(), column)]);
    }

    /// "top 3 students by gpa", "first 10 orders".
    fn read_top(&mut self, at: usize) {
        // in which direction dates are sorted of which the first or last are asked for
        let dates = match self.word(at) {
            "first" => Some(Direction::Ascending),
            "last" => Some(Direction::Descending),
            _ => None,
        };
        if self.is(self.sentence_start(at), Key::When) {
            return self.read_first_time(at, dates.unwrap_or(Direction::Descending));
        }
        let by = (at + 2..self.units.len()).find(|&i| self.word(i) == "by");
        let Some(digits) = self.number(at + 1) else {
            if let Some(by) = by.filter(|_| self.is_plural(at + 1) && self.query.order.is_empty()) {
                self.rank_top(at, by);
                self.claim(Some(at).filter(|_| !self.query.order.is_empty()));
            }
            // "who was hired first": by the date that the verb names
            let verb = at.wrapping_sub(1);
            let dated = |c: &ColumnId| self.facts.temporal(*c) && self.is_verb(verb, *c);
            let date = self.own_column(verb).filter(|c| self.ends_at(at + 1) && dated(c));
            return self.push_order(at, [verb], date.map(Expression::column).zip(dates));
        };
        // "the top 3 best selling products": ranked already by what is said of them
        let ranked = matches!(self.key(at + 2), Some(Key::Frequent(_)));
        let measure = self.own_column(at + 2).is_some_and(|c| self.facts.numeric(c));
        if self.query.order.is_empty() && !ranked {
            match by {
                Some(by) => self.rank_top(at, by),
                // "the top 3 number of orders", "the top 5 scores": no thing of which the first are asked for
                None if self.is(at + 2, Key::Count) || measure => self.rank_top(at, at + 2),
                // "the first 5 orders", "the last 3 customers": by the only date that they have
                None => {
                    let thing = self.table_rather(self.next_solid(at + 2));
                    let date = thing.and_then(|t| self.facts.event_date(t));
                    self.order_by([], date.map(Expression::column).zip(dates));
                }
            }
        }
        if !self.query.order.is_empty() {
            self.limit([at, at + 1], digits.parse().ok());
        }
    }

    /// Rank by what is named from `start` on, where "by" may stand.
    fn rank_top(&mut self, at: usize, start: usize) {
        let by = |key| key == Key::Preposition;
        let Some(ranked) = self.ranked(start, by) else { return };
        let name = ranked.name;
        let named = || self.order_expression(ranked).filter(|_| self.is_name(name));
        if let Some(expression) = self.computed(name).cloned().or_else(named) {
            let best_first = !matches!(self.word(at), "last" | "bottom");
            self.order_by(start..=name, [(expression, Direction::most_first(best_first))]);
        }
    }

    /// What "the most …" ranks by: the name is a measure, or its rows are counted.
    pub fn superlative_expression(&mut self, at: usize, ranked: Ranked) -> Option<Expression> {
        let Ranked { name, counted, aggregate } = ranked;
        let (column, table) = (self.column(name), self.table_rather(name));
        let measured = column.filter(|&c| self.facts.measures(c));
        let (size, plural) = (self.is_size(at), self.is_plural(name));
        if let Some(table) = table.filter(|_| aggregate.is_none() && size && !counted) {
            return self.size(at, table).map(Expression::column);
        }
        let plain = column.filter(|_| aggregate.is_none() && !size);
        let numeric = plain.filter(|&c| self.facts.numeric(c));
        // "the most departures" are the most rows, not the last time
        let happens = plain.filter(|&c| numeric.is_none() && self.facts.temporal(c) && plural);
        if let Some(column) = happens {
            return Some(Expression::count(column.table));
        }
        if let Some(column) = numeric.filter(|_| table.is_none() && !counted) {
            let total = Expression::aggregate(Aggregate::Sum, column);
            // "the most minutes" of who has many rows of them
            if self.many_to(column.table) {
                return Some(total);
            }
            // "on which day were the most hours worked": of all rows of the day
            let head = self.head_column(at).filter(|head| plural && head.table == column.table);
            if let Some(head) = head.filter(|&head| !self.facts.identifies(head)) {
                self.group_by([], head);
                return Some(total);
            }
        }
        if counted || table.is_some() && aggregate.is_none() {
            return self.number_of(name);
        }
        Some(match (aggregate, measured, table) {
            (Some(a), Some(column), _) => Expression::aggregate(a, column),
            (Some(a), None, Some(table)) => {
                let amount = self.own_measure(table, &[stem("amount")]);
                Expression::aggregate(a, amount.or_else(|| self.facts.sole_measure(table))?)
            }
            (None, Some(column), _) => Expression::column(column),
            // "the most authors": names are counted
            _ if plural => {
                let counted = column.filter(|c| self.head_column(at) != Some(*c))?;
                Expression::count(counted.table)
            }
            _ => Expression::column(column?),
        })
    }

    /// "the number of floors": a number that is stored, or of rows.
    pub fn number_of(&self, name: usize) -> Option<Expression> {
        let stored = self.table_rather(name).and_then(|table| self.stored_count(table));
        let held = stored.or_else(|| self.own_column(name).filter(|&c| self.facts.numeric(c)));
        held.map(Expression::column).or_else(|| self.rows_or_column(name, false))
    }

    /// Whether the superlative is of a size rather than of a number: "the largest", not "the most".
    pub fn is_size(&self, at: usize) -> bool {
        LEXICON.sizes.contains_key(self.word(at))
    }

    /// What makes a row of the table itself "the largest": its size, or all that it measures.
    pub fn size(&self, at: usize, table: TableId) -> Option<ColumnId> {
        let nouns = LEXICON.sizes.get(self.word(at))?;
        self.own_measure(table, nouns).or_else(|| self.facts.sole_measure(table))
    }
}
