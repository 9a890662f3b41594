//! Accounting: what every word of the question became. A word is part of the query, or grammar, or
//! a courtesy, or it is unread, and then the question has no answer.
//!
//! It is computed once, from the finished query: a pass's claim to a word does not count if the
//! query shows nothing of it.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::{Aggregate, Expression, Query};
use crate::strategy::builtin::form::ways::{is_one_way, relates};
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;
use crate::strategy::builtin::words::{
    Dimension, Key, LEXICON, Measure, UnitKind, Words, is_participle, lexicon,
};
use crate::text::stem;

use super::{Claim, Effect, LIKE, Parts, Reader, Role};

impl Reader<'_> {
    /// The role of each unit in a finished query.
    pub fn account(&self, query: &Query) -> Vec<Role> {
        let mut parts = Parts::default();
        parts.add(self, query);
        self.places().map(|at| self.role_of(at, query, &parts)).collect()
    }

    fn role_of(&self, at: usize, query: &Query, parts: &Parts) -> Role {
        let claimed = |part| Role::part_where(self.is_claimed(at), part);
        match self.claims[at] {
            Claim::Phrase => return Role::Part("phrase"),
            Claim::Refused => return Role::Unread,
            Claim::Free | Claim::Grammar | Claim::Part => {}
        }
        // "stalls by Ada", who made or who likes them
        let by = self.word(at) == "by" && self.is_value(at + 1);
        match &self.units[at].kind {
            UnitKind::Stop | UnitKind::Comma => Role::Grammar,
            UnitKind::Key(Key::Preposition) if by && self.chooses_key(at, query) => Role::Unread,
            UnitKind::Filler => self.filler_role(at, query, parts),
            UnitKind::Value if self.is_hidden_head(at, query, parts) => Role::Unread,
            UnitKind::Value if self.is_theirs(at) || self.is_never(at) => Role::Unread,
            UnitKind::Value | UnitKind::Quoted | UnitKind::Period(_) => claimed("condition"),
            UnitKind::Number(_) => claimed("number"),
            UnitKind::Defined(_) => claimed("definition"),
            UnitKind::Name => self.name_role(at, query, parts),
            UnitKind::Key(Key::Modify) | UnitKind::Unknown => self.unknown_role(at, query, parts),
            UnitKind::Key(_) if self.asks_in_vain(at, query, parts) => Role::Unread,
            UnitKind::Key(key) => self.key_role(at, *key, query, parts),
        }
    }

    /// "never been booked", where that is a state: what is in another state now may have been.
    fn is_never(&self, at: usize) -> bool {
        let denied = (at.saturating_sub(2)..at).any(|i| self.word(i) == "never");
        denied && is_participle(self.word(at))
    }

    /// A word of grammar; one that would tell how a thing is, right before it, is content.
    fn filler_role(&self, at: usize, query: &Query, parts: &Parts) -> Role {
        let word = self.word(at);
        // "that has someone with a name …" is a condition on somebody else
        let amid = |key| self.is(at.wrapping_sub(1), key) && self.is(at + 1, key);
        let other = matches!(word, "someone" | "anyone") && amid(Key::Clause);
        if let Some(measure) = LEXICON.units.get(word) {
            return self.money_role(word, measure, parts);
        }
        // "what did we do on the car": it is not told what was done
        let helped = self.word(0) == "what" && matches!(self.word(1), "do" | "does" | "did");
        let only = self.sentence_end(at) + 1 >= self.units.len();
        let does = only && helped && word == "do" && at > 1;
        // "still open" is told by a condition, "still working" is not
        let next = self.past(at + 1, |i| self.is_thin(i) || self.is(i, Key::Preposition));
        let lasts = self.stated.contains(&next) || self.is(next, Key::Not);
        if other
            || does
            || word == "still" && !lasts
            || self.relates_rows(at)
            || self.heads_phrase(at, query)
            || self.describes_nothing(at)
        {
            return Role::Unread;
        }
        if Words::Courtesies.has(word) { Role::Courtesy } else { Role::Grammar }
    }

    /// "their own delivery", "referred by another customer", "which of my issues", "assigned to me": a
    /// row and another of the same, or the one who asks, whom nobody knows.
    fn relates_rows(&self, at: usize) -> bool {
        let table = |i: usize| self.table_rather(i);
        let people = |t| self.facts.is_people(t);
        let of_people = |t| !people(t) && self.facts.keys_from(t).any(|k| people(k.to));
        let owned = |thing: Option<TableId>| thing.or(self.entity).is_some_and(of_people);
        let mut before = self.before(at);
        match self.word(at) {
            "own" => self.says(at.wrapping_sub(1), Words::Possessive),
            "their" | "its" | "his" | "her" => {
                let (verb, by) = (at.wrapping_sub(2), at.wrapping_sub(1));
                let done = self.key(verb).is_none() && is_participle(self.word(verb));
                done && self.word(by) == "by"
            }
            "another" => before.any(|i| table(i).is_some() && table(i) == table(at + 1)),
            "my" => owned((at + 1..self.sentence_end(at)).find_map(table)),
            "i" | "me" => before.any(|i| self.is_name(i)) && owned(self.before(at).find_map(table)),
            _ => false,
        }
    }

    /// "the value of the car", "cars and their value", "the car values": the noun itself is asked for,
    /// and no number of the thing is told.
    fn heads_phrase(&self, at: usize, query: &Query) -> bool {
        let worth = self.word(at).starts_with("value");
        let pieces = |c| worth && self.facts.says(c, Words::Pieces);
        let aggregates = query.select.iter().filter(|e| e.aggregate.is_some());
        let numbers = aggregates.filter_map(|e| e.target.column());
        let told = |table| numbers.clone().any(|c| c.table == table && !pieces(c));
        let thing = |i: usize| self.is_name(i) && self.table_rather(i).is_some_and(|t| !told(t));
        let before = at.wrapping_sub(1);
        let opens = worth || self.word(before) == "the" || self.is(before, Key::And);
        let of = self.word(at + 1).split(' ').next() == Some("of");
        let owned = opens && of && thing(self.next_solid(at + 2));
        Words::Heads.has(self.word(at))
            && (owned || self.says(before, Words::Possessive) || thing(before))
    }

    /// "the particular of the car", "which cars are certain": nothing comes next that it could describe.
    fn describes_nothing(&self, at: usize) -> bool {
        let clause = matches!(self.key(at + 1), Some(Key::Preposition | Key::Is | Key::Clause));
        let ends = clause || self.joins(at + 1) || self.ends_at(at + 1);
        ends && self.says(at, Words::Attributive) && self.word(at.wrapping_sub(1)) != "in"
    }

    /// "(in USD)" of a price: money is in the currency of the database.
    fn money_role(&self, word: &str, measure: &Measure, parts: &Parts) -> Role {
        let whole = measure.dimension == Dimension::Money && measure.factor >= 1.0;
        let amount = |c: &ColumnId| self.facts.numeric(*c) && self.facts.is_measure_by(*c, word);
        Role::part_where(whole && parts.columns.iter().any(amount), "unit")
    }

    fn name_role(&self, at: usize, query: &Query, parts: &Parts) -> Role {
        if self.is_free(at) {
            return self.idle_role(at, query, parts);
        }
        // "the second highest", beside a column of seconds
        if LEXICON.ordinals.contains_key(self.word(at)) && query.offset > 0 {
            return Role::Part("order");
        }
        let unit = &self.units[at];
        // "both paid and unpaid"
        let negated = self.is(at + 1, Key::And) && self.is(at + 2, Key::Not);
        let both = negated && self.column(at).is_some() && self.column(at) == self.column(at + 3);
        let missed = self.repeats_thing(at)
            || self.tells_no_state(at, query)
            || self.is_bound(at, parts)
            || self.own_column(at).is_some_and(|c| self.says_other_unit(at, c));
        let column = |c: ColumnId| {
            parts.columns.contains(&c)
                // the key of rows that are counted or joined
                || self.facts.is_key(c)
                    && parts.tables.contains(&c.table)
                    && self.facts.refers_to(c) != Some(c.table)
                || self.facts.same_by_key(c).any(|same| parts.columns.contains(&same))
                || self.facts.told_apart_by(c).is_some_and(|t| parts.tables.contains(&t))
        };
        let table = self.table_rather(at);
        // "the themes of parties, and the hosts": the last of a list
        let listed = || self.list_before(at).any(|i| self.is_name(i));
        let asked = || self.asks_for(at) || self.asks_too(at) || listed();
        let hidden = match table {
            Some(_) if self.only_shows_order(at, query) => true,
            Some(table) if self.sorts_things(at, table) => true,
            Some(table) if self.asks_which_of(at) => !self.tells_of(table, query, parts),
            Some(table) => !parts.shown.contains(&table) && asked(),
            None if self.refers_to_kin(at) => asked() && !parts.has(Effect::Computation),
            // what a thing is called may have another name
            None if self.says(at, Words::Called) => false,
            None => self.asks_for(at) && !unit.columns.iter().any(|c| query.shows(c.item)),
        };
        if both || missed || hidden {
            return Role::Unread;
        }
        let others = unit.columns.iter().filter(|c| c.score >= LIKE).map(|c| c.item);
        if self.column(at).into_iter().chain(others).any(column) {
            return Role::Part("column");
        }
        let tables = unit.tables.iter().filter(|t| t.score >= TABLE_CERTAIN).map(|t| t.item);
        let mut tables = self.table(at).into_iter().chain(tables);
        if tables.any(|t| parts.tables.contains(&t)) || self.says_deed(at, parts) {
            return Role::Part("table");
        }
        if self.says(at, Words::Placing) && self.tells_where(at, parts) {
            return Role::Part("join");
        }
        // what a thing is called may have another name
        let named = |e: &Expression| e.target.column().is_some_and(|c| self.facts.identifies(c));
        if self.says_verb(at, parts)
            || self.says(at, Words::Called) && query.select.iter().any(named)
        {
            return Role::Part("column");
        }
        self.idle_role(at, query, parts)
    }

    /// "the total stock" is not the sum of the least there should be.
    fn is_bound(&self, at: usize, parts: &Parts) -> bool {
        let bound = |w: &String| Words::Bounds.has(w) && !self.word(at).contains(w.as_str());
        // the minutes of a `duration_min` are its unit
        let words = self.own_column(at).and_then(|c| self.facts.words(c).split_last());
        parts.has(Effect::Aggregated(Aggregate::Sum))
            && words.is_some_and(|(_, before)| before.iter().any(bound))
    }

    /// "with their suppliers", "customers and the number of …", "customers by number of orders": the thing
    /// itself is asked for.
    fn asks_for(&self, at: usize) -> bool {
        let goes_on = self.is(at + 1, Key::And) || self.word(at + 1) == "by";
        // "retired instruments, with the date"
        let with =
            self.word(at.wrapping_sub(2)) == "with" && self.word(at.wrapping_sub(1)) == "the";
        with && self.ends_at(at + 1) || self.is_theirs(at) || goes_on && self.at_head(at)
    }

    /// "and what are those ratings", "and that of employees": asked for beside what came before.
    pub fn asks_too(&self, at: usize) -> bool {
        let passes = |i: &usize| {
            self.is_filler(*i)
                || matches!(self.key(*i), Some(Key::Ask | Key::Is | Key::Clause | Key::Any))
                || self.word(*i) == "of"
        };
        let and = self.before(at).rfind(|i| !passes(i));
        let Some(and) = and.filter(|&i| self.is(i, Key::And)) else { return false };
        let asks = (and + 1..at).any(|i| self.is(i, Key::Ask));
        asks || self.word(and + 1) == "that" && self.word(and + 2) == "of"
    }

    /// "deliveries arrive at houses", "the most departures": what the rows of a table do, by a word
    /// of a date of theirs; no state they are in.
    fn says_deed(&self, at: usize, parts: &Parts) -> bool {
        let word = self.word(at);
        let acts = word.ends_with("ing") || !is_participle(word);
        let counted = word.ends_with('s') && parts.has(Effect::Aggregated(Aggregate::Count));
        let read = self.column(at).filter(|c| parts.tables.contains(&c.table));
        read.is_some_and(|column| {
            let does = self.is_verb(at, column) && acts || self.is_always(at, column);
            does || counted && self.facts.temporal(column)
        })
    }

    /// "earn more than", "named": a verb of a column that is compared or shown.
    fn says_verb(&self, at: usize, parts: &Parts) -> bool {
        let word = self.word(at);
        let measured = |c| self.facts.is_measure_by(c, word) && !self.says_other_unit(at, c);
        let names = lexicon::phrases(&[word]).any(|(key, _)| key == Key::Named);
        parts.columns.iter().any(|&c| measured(c)) || names && parts.has(Effect::Condition)
    }

    /// Whether the name at `at` is a verb by which one thing relates to another, though its word is a
    /// column of the thing it is done to: "who built a mill", "mills built by architects".
    pub fn is_deed(&self, at: usize) -> bool {
        let object = self.table_rather(self.next_solid(at + 1));
        let active = at.checked_sub(1).is_some_and(|i| {
            self.is_filler(i) || matches!(self.key(i), Some(Key::Who | Key::Clause))
        });
        let passive = self.word(at + 1) == "by";
        let of = |table: TableId| self.units[at].columns.iter().any(|c| c.item.table == table);
        let done = self.before_verb(at).filter(|_| passive).and_then(|i| self.table_rather(i));
        let own = object.filter(|_| active).into_iter().chain(done).any(of);
        own && relates(self.units, at)
    }

    /// A word that names nothing: read by a pass, or a verb that says what a join says.
    fn unknown_role(&self, at: usize, query: &Query, parts: &Parts) -> Role {
        if self.is_claimed(at) {
            return Role::Part("condition");
        }
        if self.asks_for(at) {
            return Role::Unread;
        }
        let word = self.word(at);
        let alone = || query.needed_tables().len() < 2 || is_one_way(self.catalog, query);
        let placed = Words::Placing.has(word) && self.table_rather(at + 1).is_none();
        if placed && (parts.has(Effect::Join) && alone() || self.tells_where(at, parts)) {
            return Role::Part("join");
        }
        if self.says_verb(at, parts) {
            return Role::Part("column");
        }
        self.idle_role(at, query, parts)
    }

    /// "pupils who live in Oslo": a verb before the condition on where they do, or beside a place.
    fn tells_where(&self, at: usize, parts: &Parts) -> bool {
        let stated = self.stated.contains(&self.next_solid(at + 1));
        stated || parts.columns.iter().any(|&c| self.facts.says(c, Words::Places))
    }

    /// A function word, where its effect is in the query.
    fn key_role(&self, at: usize, key: Key, query: &Query, parts: &Parts) -> Role {
        use Effect::*;
        use Role::{Grammar, Part, Unread};
        let part = Role::part_where;
        let any = |effects: &[Effect]| effects.iter().any(|effect| parts.has(*effect));
        let used = self.is_claimed(at);
        let asks = |i| self.is_thin(i) || self.is(i, Key::Ask);
        let shows = |effects: &[Effect], name| part(any(effects), name);
        let either = |effects: &[Effect], name| part(used || any(effects), name);
        let both = |effects: &[Effect], name| part(used && any(effects), name);
        let [count, least, most] =
            [Aggregate::Count, Aggregate::Min, Aggregate::Max].map(Aggregated);
        let before = self.key(at.wrapping_sub(1));
        let averaged = matches!(before, Some(Key::Aggregate(a)) if a != Aggregate::Sum);
        match key {
            // "revenue by category"
            Key::Preposition if self.divides(at) => shows(&[Group, Order], "group"),
            // "are all orders shipped": not whichever are
            Key::Is if at == self.sentence_start(at) && self.word(at + 1) == "all" => Unread,
            Key::Ask | Key::Is | Key::Preposition | Key::Clause | Key::And | Key::Any => Grammar,
            Key::Both | Key::Either | Key::Who => Grammar,
            Key::Only if self.number(self.next_solid(at + 1)).is_some() => part(used, "comparison"),
            // "list only the names": what is asked for and nothing else, as always
            Key::Only => part(self.before(at).all(asks), "shown"),
            Key::Modify => Unread,
            Key::Where | Key::When | Key::Age | Key::Everything => part(used, "shown"),
            // of "how many unicorns" the unicorns are not understood
            Key::Count if !used && self.is_unknown(self.next_solid(at + 1)) => Grammar,
            Key::Count => part(used, "count"),
            Key::HowMuch => part(used || query.aggregates(), "sum"),
            // of "the average sum due" it is unclear what is averaged; "total sum" says it twice
            Key::Aggregate(Aggregate::Sum) if averaged => Unread,
            // "the total number of" counts
            Key::Aggregate(sum @ Aggregate::Sum) => either(&[Aggregated(sum), count], "sum"),
            Key::Aggregate(Aggregate::Max) => both(&[most, Order], Aggregate::Max.name()),
            Key::Aggregate(Aggregate::Min) => both(&[least, Order], Aggregate::Min.name()),
            Key::Aggregate(other) => both(&[Aggregated(other), Computation], other.name()),
            // rows are different anyway
            Key::Distinct if !query.aggregates() => Part("distinct"),
            Key::Distinct => shows(&[Distinct, Group, count], "distinct"),
            Key::Each => self.each_role(at, query, parts),
            Key::OrderBy | Key::Ascending | Key::Descending | Key::Alphabetic => {
                shows(&[Order], "order")
            }
            Key::Frequent(_) if !self.shows_frequent(at, query) => Unread,
            // "the longest name" is not the last one in the alphabet
            Key::Extreme(_) if self.shows_last_text(query) => Unread,
            Key::Superlative(_) | Key::Frequent(_) | Key::Extreme(_) | Key::Top => {
                both(&[Order, Limit, most, least], "order")
            }
            Key::Compared(_) | Key::Compare(_) | Key::OrBeyond(_) | Key::Between => {
                both(&[Condition], "comparison")
            }
            // what never happened is no row with another value
            Key::Not if self.word(at) == "never" && !any(&[Absence]) => Unread,
            Key::Not => part(used && (any(&[Condition]) || query.combine.is_some()), "negation"),
            Key::Or => either(&[Alternative], "alternative"),
            Key::Named => either(&[Condition], "condition"),
            Key::Like(_) => either(&[Pattern], "pattern"),
            Key::Time(_) => part(used, "comparison"),
            Key::Null => both(&[Condition], "condition"),
            Key::Percentage | Key::Proportion | Key::Ratio | Key::Difference | Key::Days => {
                both(&[Computation, Aggregated(Aggregate::Avg)], "formula")
            }
            Key::Part(_) => both(&[Date], "group"),
        }
    }

    /// The last or first text in the alphabet is shown.
    fn shows_last_text(&self, query: &Query) -> bool {
        let text = |e: &&Expression| e.target.column().is_some_and(|c| !self.facts.measures(c));
        let extremes = [Some(Aggregate::Min), Some(Aggregate::Max)];
        query.select.iter().filter(text).any(|e| extremes.contains(&e.aggregate))
    }

    /// "the most common amenity": what is common is shown or grouped by, here or in a condition.
    fn shows_frequent(&self, at: usize, query: &Query) -> bool {
        let name = self.next_solid(at + 1);
        if !self.is_name(name) || self.is(at + 1, Key::Preposition) || self.is_adverb(at) {
            return true;
        }
        let unit = &self.units[name];
        let shows = |query: &Query| {
            let mut shown = query.select.iter().map(|e| &e.target).chain(&query.group);
            let known = |c: ColumnId| unit.columns.iter().any(|known| known.item == c);
            let column = |c: ColumnId| known(c) || self.facts.same_by_key(c).any(known);
            let said = unit.folded.split(' ').next_back().map(stem);
            let table = |t: &TableId| {
                unit.tables.iter().any(|known| known.item == *t)
                    || self.facts.table_stems(*t).last() == said.as_ref()
            };
            shown.any(|t| t.column().is_some_and(column) || t.tables().iter().any(table))
        };
        shows(query) || query.subqueries().into_iter().any(shows)
    }

    /// "each" groups; beside what is shown of every row it says no more than "all".
    fn each_role(&self, at: usize, query: &Query, parts: &Parts) -> Role {
        let known = !self.is_unknown(self.next_solid(at + 1)) && self.word(at) != "per";
        match parts.has(Effect::Group) || self.is_claimed(at) && query.aggregates() {
            true => Role::Part("group"),
            false if known && !query.aggregates() && query.limit.is_none() => Role::Grammar,
            false => Role::Unread,
        }
    }

    /// "by" after a computation or a number: it divides what it stands after.
    fn divides(&self, at: usize) -> bool {
        let before = at.wrapping_sub(1);
        let number = self.own_column(before).is_some_and(|c| self.facts.numeric(c));
        let measure = number && !is_participle(self.word(before));
        // "no-shows by patient"
        let counted = self.is_value(before) && self.at_head(before) && self.is_name(at + 1);
        self.word(at) == "by" && (measure || counted || self.computed(before).is_some())
    }
}
