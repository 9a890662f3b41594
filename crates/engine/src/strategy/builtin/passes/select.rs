//! What is asked for: projections, counts, aggregates.

use crate::catalog::{ColumnId, KeyId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{Aggregate, Condition, Direction, Expression, Target};
use crate::strategy::builtin::words::{Key, LEXICON, UnitKind, Words};
use crate::text::stem;

use super::{Reader, Span};

impl Reader<'_> {
    /// What a sentence asks for, from its first unit on; then what must take part.
    pub fn read_sentence(&mut self, start: usize) {
        if start != self.sentence_start(start) {
            return;
        }
        let end = self.sentence_end(start);
        let mut state = Sentence::default();
        let before =
            if self.restates(start) { std::mem::take(&mut self.query.select) } else { Vec::new() };
        let mut at = start;
        while at < end {
            at = self.read_unit(at, end, &mut state);
        }
        if self.query.select.iter().all(Expression::is_aggregate) {
            self.query.select.splice(0..0, before);
        }
    }

    /// "Which pupils play chess? Give me their ages.": a command after a question says what to
    /// show of the things that it asked for.
    fn restates(&self, start: usize) -> bool {
        let command = self.says(start, Words::Requests);
        let things = matches!(self.word(0), "which" | "what" | "who" | "find" | "in");
        start > 0 && command && things && self.query.select.iter().all(|e| !e.is_aggregate())
    }

    fn read_unit(&mut self, at: usize, end: usize, state: &mut Sentence) -> usize {
        // "all dogs with their owners", where that is what a species is called
        let value = self.last_solid(at).filter(|_| self.adds(at)).is_some_and(|i| self.is_value(i));
        match self.key(at) {
            Some(Key::Count) if self.is_free(at) => {
                // "the clubs with less than two members and the number of members"
                if state.seen && self.is(at.wrapping_sub(1), Key::And) {
                    self.show_entity();
                }
                return self.read_count(at, end, state);
            }
            Some(key @ (Key::Aggregate(_) | Key::Superlative(_) | Key::Extreme(_)))
                if self.is_free(at) =>
            {
                state.aggregates.extend(asked_aggregate(key));
                state.pending.push(at);
            }
            Some(Key::Distinct) => {
                state.distinct = true;
                self.claim([at]);
            }
            Some(Key::Everything) if !state.condition => {
                self.everything = true;
                self.claim([at]);
            }
            Some(Key::Clause) if value || state.seen && self.adds(at) => {
                if self.entity.is_none() && self.query.select.is_empty() {
                    self.refuse_at(at, "It is unclear what else is asked for.");
                }
                self.show_entity();
            }
            Some(Key::Clause) if state.seen => state.condition = true,
            Some(Key::Ask) if state.seen => {
                // "and what is …" asks for more; "the game which …" sets a condition
                let more = self.follows_break(at);
                state.condition = !more;
                if more && !self.query.order.is_empty() {
                    self.show_entity();
                }
            }
            Some(Key::Who | Key::Where | Key::When) if state.seen => {
                state.condition = true;
                self.claim([at]);
            }
            Some(Key::Only) => self.claim([at]),
            _ if self.computed(at).is_some() && self.is_free(at) => self.select_computed(at, state),
            _ if self.is_name(at) && self.is_free(at) => self.read_name(at, state),
            _ => {}
        }
        at + 1
    }

    /// A term that stands for a computation: of rows where single things are asked for, added up
    /// where groups or the whole are.
    fn select_computed(&mut self, at: usize, state: &mut Sentence) {
        let Some(computed) = self.computed(at).cloned() else { return };
        let mut aggregates = std::mem::take(&mut state.aggregates);
        let span = Span::from(std::mem::take(&mut state.pending)).and([at]);
        let row = !computed.is_aggregate();
        if !row && aggregates.iter().any(|a| *a != Aggregate::Sum) {
            let reason =
                "It is unclear which groups the average or extreme of a total is taken over.";
            return self.refuse_at(at, reason);
        }
        let whole = !self.groups.is_empty() || self.query.select.is_empty();
        if aggregates.is_empty() && whole && matches!(computed.target, Target::Formula(..)) {
            aggregates.push(Aggregate::Sum);
        }
        let of = |aggregate| Expression { aggregate: Some(aggregate), ..computed.clone() };
        match row && !aggregates.is_empty() {
            true => self.ask_for(span, aggregates.into_iter().map(of)),
            false => self.ask_for(span, [computed.clone()]),
        }
        self.entity = self.entity.or(computed.tables().first().copied());
        state.seen = true;
    }

    fn read_name(&mut self, at: usize, state: &mut Sentence) {
        let (table, column) = (self.table_rather(at), self.own_column(at));
        self.claim([at]);
        // "How many … ? List the number and …": asked for already
        let again = self.says(at, Words::Numbering)
            && self.query.select.iter().any(|e| e.aggregate == Some(Aggregate::Count))
            && (self.ends_at(at + 1) || self.is(at + 1, Key::And));
        if again || column.is_some() && self.only_labels(at) {
            return;
        }
        let not = self.negation(at);
        if let Some(column) = column
            && let Some(condition) = self.flag(column, not.is_some())
            && (self.query.select.is_empty() || state.condition || !self.follows_break(at))
        {
            self.entity.get_or_insert(column.table);
            return self.add_apart(at, not, condition);
        }
        if let Some(key) = column.and_then(|c| self.role(at, c)) {
            self.query.keys.push(key);
            let key = self.catalog.key(key);
            let ends = [Some(key.to), Some(key.from).filter(|_| self.catalog.is_role(key))];
            return self.query.tables.extend(ends.into_iter().flatten());
        }
        let named = |c: ColumnId| {
            let shown = self.query.select.iter().flat_map(Expression::tables);
            self.meanings.named.contains(&c.table)
                || shown.chain(self.filtered()).chain(self.entity).any(|t| t == c.table)
        };
        let unowned = self.says(at, Words::Called) && self.meanings.owners[at].is_none();
        if unowned && self.sentence_start(at) > 0 && column.is_some_and(|c| !named(c)) {
            self.refuse("It is unclear whose name is asked for.");
        }
        let asked = |c: ColumnId| self.query.select.contains(&Expression::column(c));
        let verb = column.filter(|&c| self.is_verb(at, c));
        if let Some(called) = self.named_elsewhere(at, column) {
            self.select_columns(called, state);
            state.seen = true;
        } else if let Some(said) = verb.filter(|&c| self.is_said_of(at, c) || asked(c)) {
            self.reading.said.insert(said.table);
            state.seen = true;
        } else {
            state.chained = self.is(at.wrapping_sub(1), Key::And);
            match (table, column) {
                (Some(table), _) => self.read_table(at, table, state),
                (None, Some(column)) => self.read_column(at, column, state),
                (None, None) => {}
            }
        }
    }

    /// A column that is shown, or said of the rows.
    fn read_column(&mut self, at: usize, column: ColumnId, state: &mut Sentence) {
        // "were delayed", where that is a number of minutes
        let word = self.is_verb(at, column) && !self.word(at).contains(' ');
        let listed = !state.condition && self.in_list(at) && !(word && self.facts.numeric(column));
        // "ordered by the year they were built and their class"
        let and = self.last_solid(at).is_some_and(|i| self.is(i, Key::And));
        let mut said = self.before(at).rev().filter_map(|i| self.key(i));
        let last = said.find(|key| matches!(key, Key::OrderBy | Key::Ask));
        let ordered = and && last == Some(Key::OrderBy);
        // "the most expensive wares by price"
        let ranks = |(by, _): &(Expression, _)| by.target.column() == Some(column);
        if self.word(at.wrapping_sub(1)) == "by" && self.query.order.iter().any(ranks) {
            self.claim([at]);
        } else if listed && ordered {
            self.refuse(format!("Should \"{}\" be shown, or sorted by?", self.units[at].text));
        } else if listed {
            if self.is_theirs(at) {
                self.show_entity();
            }
            if state.aggregates.is_empty() {
                state.aggregates.extend(self.total_of_all(at, column));
            }
            self.select_column(column, state);
        } else if self.says_present(at, column) {
            self.add_filter(at, [], Condition::present(column));
        } else if self.is_always(at, column) {
            self.claim([at]);
        } else if !self.is_conditioned(at, column) && !self.is_deed(at) {
            // neither "opened in year 2011", said of the date that is compared, nor "who built a mill"
            self.query.tables.insert(column.table);
            self.doubt(format!("\"{}\" is mentioned without a condition.", self.units[at].text));
        }
        state.seen = true;
    }

    /// "What is the total amount?", of a column `total`, "revenue in March": one number, of however many
    /// rows.
    fn total_of_all(&self, at: usize, column: ColumnId) -> Option<Aggregate> {
        let several = self.units[at].text.ends_with('s') || self.is(at + 1, Key::And);
        let total = self.word(at).split(' ').next() == Some("total") && self.is(0, Key::Ask);
        let additive = total || self.says(at, Words::Revenue);
        let one = self.at_head(at) && !several && self.facts.numeric(column);
        // that of the first row is that row's
        (additive && one && self.query.order.is_empty()).then_some(Aggregate::Sum)
    }

    /// Behind "and" or a comma.
    pub fn follows_break(&self, at: usize) -> bool {
        let before = at.wrapping_sub(1);
        self.is(before, Key::And) || self.is_kind(before, UnitKind::Comma)
    }

    fn read_table(&mut self, at: usize, table: TableId, state: &mut Sentence) {
        // "student names": the table only says whose column follows
        if self.open_column(at + 1).is_some_and(|c| c.table == table) {
            return;
        }
        if let Some(aggregate) = state.aggregates.pop() {
            // "total students": rows are counted; other aggregates need a column
            let said = state.pending.pop().unwrap_or(at);
            if let Some(column) = self.said_amount(said, at, aggregate) {
                self.ask_for([said], [Expression::aggregate(aggregate, column)]);
            } else if self.word(said).contains("amount")
                || aggregate == Aggregate::Sum && !self.is_plural(at)
            {
                let of = &self.units[at].text;
                self.refuse_at(said, format!("It is unclear which column is the amount of {of}."));
            } else if aggregate == Aggregate::Sum {
                self.ask_for([said], [Expression::count(table)]);
            }
        }
        let too = self.asks_too(at) && !self.query.select.is_empty();
        let shown = self.facts.display(table);
        // whose name is only a key is not asked for by it
        let named = !shown.iter().all(|&c| self.facts.is_key(c));
        if named && (too || !state.condition && self.is_listed_too(at)) {
            self.show_entity();
            self.select_columns(shown, state);
        }
        // "and their regions": the thing named last in a list is shown by its name
        let theirs = self.is_added(at) || self.is_theirs(at) && self.ends_at(at + 1);
        if !self.query.select.is_empty() && (theirs || self.amid_columns(at)) {
            self.select_columns(self.facts.display(table), state);
        }
        if self.entity.is_none() {
            self.entity = Some(table);
            self.query.distinct |= state.distinct && self.query.select.is_empty();
        }
        self.query.tables.insert(table);
        state.seen = true;
        state.distinct = false;
    }

    /// What an aggregate said at `said` of the table named at `at` adds up: its amount, its worth, or
    /// all that it measures.
    fn said_amount(&self, said: usize, at: usize, aggregate: Aggregate) -> Option<ColumnId> {
        let (phrase, table) = (self.word(said), self.table_rather(at)?);
        let (nouns, otherwise) =
            if phrase.contains("amount") || aggregate == Aggregate::Sum && !self.is_plural(at) {
                // "the total stock" adds up what there is of it
                (Words::Quantities.stems(), self.facts.sole_measure(table))
            } else if (said..at + 2).any(|i| self.says(i, Words::Valuing)) {
                (Words::Worths.stems(), None)
            } else {
                // "the total of the invoices", where these have one
                let total = (phrase == "total of").then(|| stem("total"));
                (Vec::from_iter(total), self.amount_of(table, aggregate, phrase))
            };
        self.own_measure(table, &nouns).or(otherwise)
    }

    /// The numbers of a table itself that one of these nouns says.
    pub fn own_measure(&self, table: TableId, nouns: &[String]) -> Option<ColumnId> {
        self.measure(nouns, &[table]).filter(|c| c.table == table && self.facts.numeric(*c))
    }

    /// "the total fines": what a table of amounts is added up by; of other things rows are counted.
    pub fn amount_of(&self, table: TableId, aggregate: Aggregate, said: &str) -> Option<ColumnId> {
        let plain = Words::Summing.has(said);
        let says = |c, words| self.facts.says(c, words);
        let adds = |c: ColumnId| match aggregate {
            Aggregate::Sum => says(c, Words::Amounts) || says(c, Words::Charges),
            // "the average rating": of rows that measure one thing
            aggregate => aggregate == Aggregate::Avg,
        };
        let amounts = self.catalog.column_ids(table).filter(|&c| self.facts.numeric(c) && adds(c));
        let sole = || self.facts.sole_measure(table).filter(|&c| adds(c));
        only(amounts).filter(|_| aggregate == Aggregate::Sum).or_else(sole).filter(|_| plain)
    }

    /// "orders with a shipping address": the key of a column that points to another table, where
    /// it is not asked for itself.
    fn role(&self, at: usize, column: ColumnId) -> Option<KeyId> {
        let said_id = self.word(at).ends_with("id") || self.word(at).ends_with("ids");
        if self.query.select.is_empty() || said_id || self.in_list(at) {
            return None;
        }
        self.facts.key_of(column).filter(|&k| self.catalog.key(k).to != column.table)
    }

    /// "names of movies" where movies have titles: the owner, unless the column is its own.
    fn named_elsewhere(&self, at: usize, column: Option<ColumnId>) -> Option<Vec<ColumnId>> {
        let owner = self.meanings.owners[at].filter(|_| self.says(at, Words::Called))?;
        let called = self.facts.called(owner)?;
        // the name of a course is its title, not that of its department
        let elsewhere = column.is_none_or(|c| {
            let described = self.facts.is_key(self.facts.display(owner)[0]);
            if described { !self.meanings.named.contains(&c.table) } else { !called.contains(&c) }
        });
        elsewhere.then_some(called)
    }

    /// What stands for the entity comes first, where nothing of it was asked for yet.
    pub fn show_entity(&mut self) {
        let entity = self.entity.filter(|_| self.query.select.is_empty());
        let shown = entity.map(|entity| self.facts.display(entity)).unwrap_or_default();
        self.select_columns(shown, &mut Sentence::default());
    }

    fn select_columns(&mut self, columns: Vec<ColumnId>, state: &mut Sentence) {
        columns.into_iter().for_each(|column| self.select_column(column, state));
    }

    /// The subject's own column that holds the number of another table's rows.
    pub fn stored_count(&self, counted: TableId) -> Option<ColumnId> {
        let subject = self.subject().filter(|&s| s != counted)?;
        let counts = |c| self.facts.numeric(c) && self.facts.says(c, Words::Counts);
        let of = self.facts.table_stems(counted);
        self.catalog.column_ids(subject).find(|&c| counts(c) && self.facts.says_stem(c, of))
    }

    pub fn select_column(&mut self, column: ColumnId, state: &mut Sentence) {
        let aggregates = std::mem::take(&mut state.aggregates);
        let span = std::mem::take(&mut state.pending);
        let distinct = std::mem::take(&mut state.distinct);
        if aggregates.is_empty() {
            let chained = state.chained && self.facts.numeric(column);
            let aggregate = state.last_aggregate.filter(|_| chained);
            let one = |column| Expression { aggregate, ..Expression::column(column) };
            // first and last name, where "name" alone was said and the table has both
            let shown = self.facts.display(column.table);
            let said = |i: usize| self.column(i) == Some(column) && self.says(i, Words::Called);
            let both = shown.len() == 2 && shown.contains(&column) && self.places().any(said);
            let shown = if both { shown } else { vec![column] };
            self.ask_for(span, shown.into_iter().map(one));
            self.query.distinct |= distinct;
        } else {
            state.last_aggregate = aggregates.last().copied();
            self.ask_for(span, aggregates.into_iter().map(|a| Expression::aggregate(a, column)));
        }
    }
}

/// The aggregate that a word asks for: "the average", "the highest", "the oldest".
fn asked_aggregate(key: Key) -> Option<Aggregate> {
    let direction = match key {
        Key::Aggregate(aggregate) => return Some(aggregate),
        Key::Superlative(direction) => direction,
        // of a column that is called by the adjective's own nouns
        Key::Extreme(at) => Direction::most_first(!LEXICON.adjectives[at].direct.is_empty()),
        _ => return None,
    };
    Some(direction.first())
}

/// What a sentence has said so far.
#[derive(Debug, Default)]
pub struct Sentence {
    pub aggregates: Vec<Aggregate>,
    pub pending: Vec<usize>,
    pub last_aggregate: Option<Aggregate>,
    pub chained: bool,
    pub distinct: bool,
    /// Something was asked for.
    pub seen: bool,
    /// A relative clause began.
    pub condition: bool,
}
