//! Groups: for each, per, by; and the first rows of each group: "the three most expensive products in each
//! category" ranks the rows of each category separately, which is neither a GROUP BY nor a LIMIT.

use crate::catalog::{ColumnId, ForeignKey, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{
    Aggregate, Condition, Expression, Query, Target, Within,
};
use crate::strategy::builtin::words::{Key, LEXICON, UnitKind, Words, is_participle};

use super::{Reader, Span};

impl Reader<'_> {
    /// "for each city", "per customer".
    pub fn read_group(&mut self, at: usize) {
        let by = self.breaks_down(at);
        let each = self.is(at, Key::Each) && !self.is_claimed(at);
        let name = self.past(at + 1, |i| self.is_thin(i) || self.is(i, Key::Distinct));
        if !(by || each) || !self.is_name(name) {
            return;
        }
        // "the price per kg" is a ratio
        let unit = || LEXICON.units.contains_key(self.word(name)) && self.word(at) == "per";
        let rate = self.own_column(name).is_some_and(|c| self.facts.numeric(c) && unit());
        let part = LEXICON.parts.contains_key(self.word(name)) && !self.is_whole_name(name);
        if part || rate {
            return self.read_rate(at, name);
        }
        if by
            && !self.aggregates_rows(at)
            && let Some(thing) = self.thing_broken_down(at)
        {
            let count = self.count_alone(thing);
            self.ask_for([], [count]);
        }
        let known = self.groups.len();
        self.add_group([at, name.saturating_sub(1)], name);
        // "for each city and year", "for each combination of"
        let mut last = name;
        while self.is(last + 1, Key::And) {
            last = self.next_solid(last + 2);
            if self.add_part(last) {
                continue;
            }
            let shared = |c: &ColumnId| !self.facts.numeric(*c) || self.facts.temporal(*c);
            if self.open_column(last).filter(shared).is_none() || !self.ends_at(last + 1) {
                break;
            }
            self.add_group([], last);
        }
        if !by {
            self.each.extend_from_slice(&self.groups[known..]);
        }
    }

    /// Whether the column that the unit at `at` names is called by it alone.
    fn is_whole_name(&self, at: usize) -> bool {
        let Some(column) = self.column(at) else { return true };
        let said = self.word(at).trim_end_matches('s');
        self.facts.is_calendar(column) || self.facts.words(column).iter().any(|word| word == said)
    }

    /// "less than 50 per month" of a `monthly_price`: said of what is compared; it groups nothing.
    fn read_rate(&mut self, each: usize, part: usize) {
        let mut read = self.filters.iter().flat_map(|f| f.condition.columns());
        if self.column(part).is_some_and(|column| read.any(|c| c == column)) {
            return self.claim(Span::from([each]).phrase([part]));
        }
        self.refuse_at(part, format!("\"{}\" groups nothing here.", self.units[part].text));
    }

    /// "per store and year": a part of the date when the things counted happened.
    fn add_part(&mut self, at: usize) -> bool {
        let last = self.is_free(at) && self.ends_at(at + 1);
        let part = LEXICON.parts.get(self.word(at)).copied().filter(|_| last);
        let dated = |part| Some((part, self.happened(at, |c| self.facts.is_calendar(c))?));
        let Some((part, column)) = part.and_then(dated) else { return false };
        (self.meanings.columns[at], self.meanings.tables[at]) = (None, None);
        self.group_by(Span::default().phrase([at]), Target::Part(column, part));
        true
    }

    /// "the total refund by reason", "the minutes of lessons by room": after an amount or a number
    /// of things, "by" groups; tables and dates only at the end, where nobody is said to do it.
    fn breaks_down(&self, at: usize) -> bool {
        let before = at.wrapping_sub(1);
        let computed = self.computed(before);
        let noun = self.is_name(before) && !self.word(before).ends_with("ed")
            || computed.is_some_and(Expression::is_aggregate);
        let name = self.next_solid(at + 1);
        let shared = self.own_column(name).is_some_and(|c| !self.facts.measures(c));
        let ends = self.ends_at(name + 1)
            || matches!(self.key(name + 1), Some(Key::And | Key::Preposition));
        let counted = self.thing_broken_down(at).filter(|_| shared);
        self.word(at) == "by"
            && noun
            && (self.aggregates_rows(at) || counted.is_some())
            && self.is_free(name)
            && self.is_name(name)
            && (shared || ends || computed.is_some())
    }

    /// The number of things of which nothing else is asked, "fines per month"; amounts may as well be added up.
    pub fn count_alone(&mut self, thing: TableId) -> Expression {
        let amount = self.amount_of(thing, Aggregate::Sum, "total");
        if let Some(amount) = amount.filter(|&c| self.facts.says(c, Words::Amounts)) {
            let (rows, amount) = (self.catalog.table_label(thing), self.label(amount));
            self.doubt(format!("Should {rows} be counted, or {amount} be added up?"));
        }
        Expression::count(thing)
    }

    /// "customers by segment" are counted, where a question says nothing else of them.
    fn thing_broken_down(&self, at: usize) -> Option<TableId> {
        let thing = at.checked_sub(1)?;
        let mut before = self.sentence_start(at)..thing;
        // "cancelled orders by reason"
        let of = |i| self.is_filler(i) || self.is_value(i) || is_participle(self.word(i));
        let opens = before.all(of);
        self.table_rather(thing).filter(|_| opens && self.ends_at(self.next_solid(at + 1) + 1))
    }

    /// Whether a sentence, or a part of it, ends before `at`.
    pub fn ends_at(&self, at: usize) -> bool {
        self.units.get(at).is_none_or(|u| matches!(u.kind, UnitKind::Stop | UnitKind::Comma))
    }

    fn add_group(&mut self, span: impl Into<Span>, name: usize) {
        let table = self.table_rather(name);
        // "each customer name"
        let next = self.column(name + 1).filter(|_| self.is_name(name + 1));
        let next = next.filter(|column| Some(column.table) == table);
        let column = next.or(self.own_column(name)).map(Target::Column);
        let Some(group) = column.or(table.map(Target::Rows)) else { return };
        self.group_by(span.into().and([name]).and(next.map(|_| name + 1)), group);
    }

    /// Rank within "each …" where what is asked for is something else than the group.
    pub fn rank_within(&mut self, query: &mut Query) {
        let ranked = query.limit.is_some() && !query.order.is_empty() && !query.aggregates();
        if !ranked || self.each.is_empty() {
            return;
        }
        let names_group = |e: &Expression| {
            self.each.iter().any(|group| match group {
                Target::Rows(table) => e.target.table() == *table,
                group => e.target == *group,
            })
        };
        let rows = |e: &Expression| matches!(e.target, Target::Rows(_));
        if query.select.iter().all(names_group) || query.select.iter().any(rows) {
            return;
        }
        let (mut shown, mut of) = (Vec::new(), Vec::new());
        for group in &self.each {
            match group {
                Target::Rows(table) => {
                    // what was asked of the group's row, else what it is called
                    let asked = query.select.iter().filter(|e| e.target.table() == *table);
                    let asked: Vec<Expression> = asked.cloned().collect();
                    let called = self.facts.display(*table).into_iter().map(Expression::column);
                    shown.extend(if asked.is_empty() { called.collect() } else { asked });
                    of.extend(self.facts.key_columns(*table).into_iter().map(Target::Column));
                }
                group => {
                    shown.push(Expression::plain(group.clone()));
                    of.push(group.clone());
                }
            }
        }
        query.select.retain(|e| !shown.contains(e));
        query.within = Some(Within { of, shown: shown.len() });
        query.select.splice(0..0, shown);
        query.distinct = false;
    }

    /// "the projects of the organization with the most projects": what is ranked by its rows is the
    /// other side of their key, and all of the first one's rows are shown.
    pub fn rank_owner(&self, query: &mut Query) {
        let Some(rows) = self.ranked_rows(query) else { return };
        let own = |e: &Expression| !e.is_aggregate() && e.tables() == [rows];
        if query.limit != Some(1) || !query.select.iter().all(own) {
            return;
        }
        let named = |t| t != rows && self.meanings.named.contains(&t);
        let owns = |key: &&ForeignKey| named(key.to) && key.from_columns.len() == 1;
        let Some(key) = only(self.facts.keys_from(rows).filter(owns)) else { return };
        let (owner, _) = key.first_pair();
        if query.select.contains(&Expression::column(owner)) {
            return;
        }
        query.tables.remove(&key.to);
        rank_apart(query, owner, vec![Condition::present(owner)]);
    }

    /// "students who live in the dorm with the most amenities": which dorm that is, is a question of
    /// its own; who lives there is not counted with it.
    pub fn rank_named(&self, query: &mut Query) {
        let Some((rows, limit)) = self.ranked_rows(query).zip(query.limit) else { return };
        let ranks = |i: usize| matches!(self.key(i), Some(Key::Superlative(_)));
        let at = self.places().rfind(|&i| ranks(i) && !self.is(i + 1, Key::Is));
        // right before "with the most …", "that has the most …": one, or several
        let owner = at.and_then(|at| {
            let name = self.before(at).rfind(|&i| !self.helps(i) && !self.is_unknown(i))?;
            let clause = (name + 1..at).any(|i| self.is(i, Key::Clause));
            self.table_rather(name).filter(|_| clause && self.is_plural(name) == (limit > 1))
        });
        let Some(owner) = owner else { return };
        let shown = query.answer_tables();
        let apart = |t: &TableId| *t == rows || *t != owner && !self.facts.are_one(*t, owner);
        let linked = query.needed_tables().contains(&owner);
        let mut keys = self.catalog.keys_that(|k| k.to == owner && k.from != owner);
        // the column by which other tables refer to it
        let Some(&[column]) = keys.next().map(|k| &k.to_columns[..]) else { return };
        let key = ColumnId { table: owner, column };
        let counted = query.select.iter().any(|e| e.target.table() == rows);
        let other = linked && !counted && !query.aggregates() && owner != rows;
        if !other || !shown.iter().all(apart) {
            return;
        }
        let own = |c: &Condition| c.tables().iter().all(|t| *t == rows || *t == owner);
        let (inner, outer) = std::mem::take(&mut query.filters).into_iter().partition(own);
        query.tables.remove(&rows);
        query.filters = outer;
        rank_apart(query, key, inner);
    }

    /// The table by the number of whose rows a query ranks, where it does not group.
    fn ranked_rows(&self, query: &Query) -> Option<TableId> {
        let plain = self.groups.is_empty() && query.having.is_empty();
        match query.order[..] {
            [(Expression { target: Target::Rows(rows), .. }, _)] if plain => Some(rows),
            _ => None,
        }
    }

    /// Whether rows are ranked, not groups, and in parts of the table.
    pub fn ranks_rows_within(&self) -> bool {
        let rows = self.query.order.first().is_some_and(|(e, _)| !e.is_aggregate());
        rows && self.query.limit.is_some() && !self.each.is_empty()
    }
}

/// Ask for the first by a column of its own, whose rows meet conditions: what else a query says is of
/// the rows that have it.
fn rank_apart(query: &mut Query, column: ColumnId, filters: Vec<Condition>) {
    let first = Query {
        filters,
        group: vec![Target::Column(column)],
        order: std::mem::take(&mut query.order),
        limit: query.limit.take(),
        ..Query::of(column)
    };
    query.filters.push(Condition::among(column, first));
}
