//! The parts of a finished query, which the accounting looks for words in; and words of which it has no part,
//! and which leave nothing out of it: verbs between things that it shows or joins, nouns that only round off
//! a name, adjectives for the whole of something.

use std::collections::{BTreeSet, HashSet};

use crate::catalog::{ColumnId, KeyId, TableId};
use crate::strategy::builtin::facts::related;
use crate::strategy::builtin::form::query::{
    Aggregate, Condition, Expression, Formula, Operand, Query, SetOperator, Target,
};
use crate::strategy::builtin::form::ways::{is_one_way, relates};
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;
use crate::strategy::builtin::words::{Key, UnitKind, Words, is_participle};
use crate::text::stem;

use super::{Reader, Role};

/// Least score of a table or a column that a name may stand for where the query reads it anyway.
pub const LIKE: f32 = 0.5;

/// How many letters of a mistyped name are right at its beginning; fewer are too many or missing.
const BEGINNING: usize = 3;

/// What a query is made of, its subqueries and the query it is combined with included.
#[derive(Default)]
pub struct Parts {
    pub columns: BTreeSet<ColumnId>,
    pub tables: BTreeSet<TableId>,
    pub shown: BTreeSet<TableId>,
    effects: HashSet<Effect>,
}

/// What a query does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    Aggregated(Aggregate),
    Alternative,
    /// Rows or values must not be there.
    Absence,
    Computation,
    Condition,
    /// Parts of dates, or periods.
    Date,
    Distinct,
    Group,
    Join,
    Limit,
    Order,
    Pattern,
}

impl Parts {
    /// Whether it does so.
    pub fn has(&self, effect: Effect) -> bool {
        self.effects.contains(&effect)
    }

    fn note(&mut self, effect: Effect, holds: bool) {
        self.effects.extend(Some(effect).filter(|_| holds));
    }

    /// Add those of a query.
    pub fn add(&mut self, reader: &Reader<'_>, query: &Query) {
        self.columns.extend(query.columns());
        let tree = reader.tree(query).unwrap_or_default();
        let within = query.within.is_some();
        self.note(Effect::Join, tree.tables.len() > 1);
        self.note(Effect::Distinct, query.distinct);
        self.note(Effect::Order, !query.order.is_empty() || within);
        self.note(Effect::Limit, query.limit.is_some() || within);
        self.note(Effect::Group, !query.group.is_empty() || within);
        self.shown.extend(query.select.iter().flat_map(|e| e.target.shown()));
        let ends = |key: &KeyId| reader.catalog.key(*key).columns();
        let joins = |key: &&KeyId| ends(key).all(|c| tree.tables.contains(&c.table));
        let keys = tree.keys.iter().chain(query.keys.iter().filter(joins));
        self.columns.extend(keys.flat_map(ends));
        self.tables.extend(tree.tables.into_iter().chain(query.needed_tables()));
        query.shown().for_each(|e| self.add_expression(reader, e));
        let mut parts = query.group.iter().chain(query.within.iter().flat_map(|w| &w.of));
        self.note(Effect::Date, parts.any(|t| matches!(t, Target::Part(..))));
        query.conditions().for_each(|condition| self.add_condition(reader, condition));
        if let Some((operation, other)) = &query.combine {
            self.note(Effect::Alternative, true);
            self.note(Effect::Absence, *operation == SetOperator::Except);
            self.add(reader, other);
        }
    }

    fn add_expression(&mut self, reader: &Reader<'_>, expression: &Expression) {
        self.effects.extend(expression.aggregate.map(Effect::Aggregated));
        self.note(Effect::Distinct, expression.distinct);
        self.note(Effect::Date, matches!(expression.target, Target::Part(..)));
        if let Target::Formula(formula, _) = &expression.target {
            self.note(Effect::Computation, true);
            self.add_formula(reader, formula);
        }
    }

    fn add_formula(&mut self, reader: &Reader<'_>, formula: &Formula) {
        match formula {
            Formula::Term(expression, conditions) => {
                self.add_expression(reader, expression);
                conditions.iter().for_each(|condition| self.add_condition(reader, condition));
            }
            Formula::Binary(left, _, right) => {
                self.add_formula(reader, left);
                self.add_formula(reader, right);
            }
            Formula::Beside(_, key, other) => {
                self.columns.insert(*other);
                self.columns.extend(reader.catalog.key(*key).columns());
            }
            Formula::Number(_) | Formula::Days(..) => {}
        }
    }

    fn add_condition(&mut self, reader: &Reader<'_>, condition: &Condition) {
        self.note(Effect::Condition, true);
        match condition {
            Condition::Any(parts) | Condition::All(parts) => {
                self.note(Effect::Alternative, matches!(condition, Condition::Any(_)));
                parts.iter().for_each(|part| self.add_condition(reader, part));
            }
            Condition::Compare(left, _, right) => {
                self.add_expression(reader, left);
                match right {
                    Operand::Query(inner) => self.add(reader, inner),
                    Operand::Formula(formula) => self.add_formula(reader, formula),
                    Operand::Number(_) | Operand::Text(_) => {}
                }
            }
            Condition::Within(..) => self.note(Effect::Date, true),
            Condition::IsNull { negated, .. } => self.note(Effect::Absence, !negated),
            Condition::IsTrue { negated, .. } => self.note(Effect::Absence, *negated),
            Condition::Between(..) => {}
            Condition::Like { .. } => self.note(Effect::Pattern, true),
            Condition::In { query: inner, negated, .. } => {
                self.note(Effect::Join, true);
                self.note(Effect::Absence, *negated);
                self.add(reader, inner);
            }
        }
    }
}

impl Reader<'_> {
    /// The role of a word that no part of the query says; unread unless it says nothing else.
    pub fn idle_role(&self, at: usize, query: &Query, parts: &Parts) -> Role {
        let is = |group| self.says(at, group);
        // "architects who have built a mill", where mills have the year they were built; "shared by two", by
        // rows of one table
        let one_way = || parts.has(Effect::Join) && is_one_way(self.catalog, query);
        // "how many jobs did we complete in May" by some other date
        let ends = is(Words::Ending) && self.is_unknown(at);
        if ends && (is_participle(self.word(at)) || !self.reading.defaults.is_empty()) {
            return Role::Unread;
        }
        let deed = self.is_deed(at) && one_way();
        // "and when was it released?"
        if !deed && is(Words::Making) && self.has_key(Key::When) {
            return Role::Unread;
        }
        let made = is(Words::Making) && self.is_unknown(at);
        if deed || made || self.only_relates(at, query, parts) {
            return Role::Part("join");
        }
        // "the names of the directors", "state names" of a column that holds just these names
        let named = |i: usize| self.column(i).is_some_and(|c| self.facts.has_text(c));
        let passes = |i| self.is_thin(i) || matches!(self.key(i), Some(Key::Each | Key::Distinct));
        let by_itself = || named(self.past(at + 1, passes)) || named(at.wrapping_sub(1));
        if is(Words::Naming) && by_itself() {
            return Role::Part("column");
        }
        if self.is_like_table(at, parts) {
            return Role::Part("table");
        }
        let rounds_off = is(Words::Light) && self.ends_name(at, parts);
        let whole = is(Words::Whole) && self.is_unknown(at) && self.is_name(at + 1);
        if rounds_off || whole { Role::Grammar } else { Role::Unread }
    }

    /// "members rated at level 6", "elections they took part in": a verb between what the query shows or
    /// joins. A time is not the time of just any deed, and a name that the query does not read is lost
    /// in the passive voice, where it may tell a state.
    fn only_relates(&self, at: usize, query: &Query, parts: &Parts) -> bool {
        let open = || self.asks_whom(at, query, parts) || self.chooses_key(at, query);
        if !relates(self.units, at) || open() {
            return false;
        }
        if !self.is_unknown(at) {
            let done = self.is_active(at) && !self.names_another(at, parts);
            return done && parts.has(Effect::Join) && is_one_way(self.catalog, query);
        }
        // "attorneys supervised by a partner": two rows of one table
        let people = || self.subject().is_some_and(|t| self.facts.is_people(t));
        let by_others = self.word(at + 1) == "by" && !self.says(at, Words::Sharing) && people();
        let mut compared = query.filters.iter().flat_map(Condition::columns);
        let other = by_others || compared.any(|c| self.facts.temporal(c));
        self.is_between(at, parts) && (parts.has(Effect::Join) || !other)
    }

    /// "who leads the players", who are none of those whom the query shows; "who sponsors the race" by a table
    /// on the way to whoever does something else for it.
    fn asks_whom(&self, at: usize, query: &Query, parts: &Parts) -> bool {
        let who = self.before_verb(at).filter(|&i| self.is(i, Key::Who));
        let whom = self.table_rather(self.next_solid(at + 1)).filter(|t| self.facts.is_people(*t));
        let (needed, verb) = (query.needed_tables(), stem(self.word(at)));
        let says = |t: &TableId| self.facts.table_stems(*t).iter().any(|w| related(w, &verb));
        let way = self.tree(query).unwrap_or_default().tables;
        let other = who == Some(self.sentence_start(at)) && !way.difference(&needed).all(says);
        other || who.and(whom).is_some_and(|whom| parts.shown.iter().eq([&whom]))
    }

    /// "who is leading the crew", of its helpers or its chief, "what did she sell", by what she offers or
    /// what she likes: keys join the two both ways, or directly and through others, and no word but the
    /// verb tells which. Who works in a crew need not lead it.
    pub fn chooses_key(&self, at: usize, query: &Query) -> bool {
        let said = |k: &KeyId| query.keys.contains(k) || self.role_said(*k).is_some();
        let from = |k: &KeyId| self.catalog.key(*k).from;
        let tree = self.tree(query).unwrap_or_default();
        let used = |k: &KeyId| tree.keys.contains(k);
        let open = |between: Vec<KeyId>| {
            let ways = between.iter().any(|key| from(key) != from(&between[0]));
            (ways || !between.iter().any(used)) && !between.is_empty() && !between.iter().any(said)
        };
        // who keeps the hall of a show did not paint what hangs there
        let role = |&key: &KeyId| {
            let ends = self.catalog.key(key);
            self.facts.is_people(ends.to) && self.catalog.is_role(ends) && !said(&key)
        };
        let who = self.is(self.sentence_start(at), Key::Who);
        let far = who && tree.keys.len() > 1 && tree.keys.iter().any(role);
        let needed = query.needed_tables();
        let pairs = needed.iter().flat_map(|a| needed.range(..a).map(move |b| (*a, *b)));
        let mut between = pairs.map(|(a, b)| self.catalog.joins().keys_between(a, b));
        let in_it = self.is(at + 1, Key::Preposition) && self.word(at + 1) != "by";
        far || !in_it && between.any(open)
    }

    /// Whether the question names what is on both sides of a verb: of "which truck can carry the most" it
    /// does not say what is carried.
    fn is_between(&self, at: usize, parts: &Parts) -> bool {
        let thing = |i: usize| match self.units[i].kind {
            UnitKind::Name => self.is_claimed(i),
            UnitKind::Value | UnitKind::Quoted | UnitKind::Number(_) => true,
            ref kind => *kind == UnitKind::Key(Key::Who),
        };
        let tables = |i: usize| {
            let stored = self.units[i].values.iter().map(|v| v.column.table);
            // a truck is no column of shipments as well
            stored.chain(self.thing(i)).filter(|t| parts.tables.contains(t))
        };
        let said = BTreeSet::from_iter(self.places().filter(|&i| thing(i)).flat_map(tables));
        self.before(at).any(thing) && (at + 1..self.units.len()).any(thing)
            || parts.has(Effect::Join) && said.len() > 1
    }

    /// "they participated in", "who have bought and sold": a participle that somebody does, no state of
    /// a thing.
    pub fn is_active(&self, at: usize) -> bool {
        let leads = |i| matches!(self.key(i), Some(Key::Who | Key::Clause | Key::Not));
        let does = |i| leads(i) || self.says(i, Words::Subjects);
        let joins = |i: usize| matches!(self.key(i), Some(Key::And | Key::Or | Key::Both));
        let passes = |i: &usize| joins(*i) || joins(i + 1) && is_participle(self.word(*i));
        let before = self.before(at).rev().find(|i| !passes(i));
        !is_participle(self.word(at)) || before.is_some_and(does)
    }

    /// Whether a name is a table's, or well a column's of a table, that the query does not read; "how many
    /// tasks did they repair" by a column of these that says when or whether each was.
    fn names_another(&self, at: usize, parts: &Parts) -> bool {
        let unit = &self.units[at];
        let columns = || unit.columns.iter().filter(|c| c.score >= LIKE).map(|c| c.item);
        let tables = unit.tables.iter().filter(|t| t.score >= TABLE_CERTAIN).map(|t| t.item);
        let another =
            |t: TableId| !parts.tables.contains(&t) && !self.is_said_longer(t, &parts.tables);
        let may_be = |c: ColumnId| {
            let open = self.facts.optional(c) && self.facts.has_dates(c);
            !parts.columns.contains(&c) && (open || self.flag(c, false).is_some())
        };
        columns().any(may_be) || columns().map(|c| c.table).chain(tables).any(another)
    }

    /// "deparments": most like a table that the query reads, and certainly no other's name.
    fn is_like_table(&self, at: usize, parts: &Parts) -> bool {
        let unit = &self.units[at];
        let begins = |word: &String| {
            word.len().abs_diff(unit.folded.len()) < BEGINNING
                && word.get(..BEGINNING).is_some_and(|begin| unit.folded.starts_with(begin))
        };
        let mut read = unit.tables.iter().filter(|t| t.score >= LIKE).map(|t| t.item);
        let called = |t: &TableId| self.facts.table_words(*t).iter().any(begins);
        unit.table_score() < TABLE_CERTAIN && read.any(|t| parts.tables.contains(&t) && called(&t))
    }

    /// "address information", "in cancelled state": a noun after a name or value, which names nothing else
    /// in the tables of the query.
    fn ends_name(&self, at: usize, parts: &Parts) -> bool {
        let before = at.wrapping_sub(1);
        let named = self.is_name(before) || self.is_value(before);
        let own = self.units[at].columns.iter().any(|c| parts.tables.contains(&c.item.table));
        named && self.is_claimed(before) && !own
    }

    pub fn is_unknown(&self, at: usize) -> bool {
        self.is_kind(at, UnitKind::Unknown)
    }
}
