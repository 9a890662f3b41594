//! Orderings: sorted by, in alphabetical order, highest first.

use crate::strategy::builtin::form::query::{Aggregate, Direction, Expression};
use crate::strategy::builtin::words::{Key, UnitKind, Words};

use super::{PendingOrder, Ranked, Reader};

impl Reader<'_> {
    /// Read "sorted by …", "in alphabetical order", "in descending order of …".
    pub fn read_orders(&mut self) {
        let mut at = 0;
        while at < self.units.len() {
            let announced = self.is(at, Key::Preposition)
                && self.word(at) == "by"
                && (self.only_announces(self.sentence_start(at)) || self.lists_by(at));
            let direction = match self.key(at) {
                Some(Key::Preposition) if announced => Some(Direction::Ascending),
                Some(Key::OrderBy | Key::Alphabetic | Key::Ascending) => Some(Direction::Ascending),
                Some(Key::Descending) => Some(Direction::Descending),
                _ => None,
            };
            // "that is listed in both departments", "is ordered most often"
            let (before, word) = (self.key(at.wrapping_sub(1)), self.word(at));
            let listed = before == Some(Key::Is) && matches!(word, "listed in" | "ordered");
            // "list in alphabetical order all names": what follows is asked for, and ordered by
            let first = before == Some(Key::Ask) && word.ends_with("order") && self.is_thin(at + 1);
            at = match direction.filter(|_| !listed) {
                Some(direction) if first || self.only_announces(at) => {
                    let pending = first.then_some(PendingOrder::ByFirst(direction));
                    self.order_pending = pending.or(self.order_pending);
                    self.claim([at]);
                    at + 1
                }
                Some(direction) if self.direction_behind(at) => {
                    let expression = self.order_expression(Ranked::by(at - 1));
                    self.order_by([at - 1, at], expression.map(|e| (e, direction)));
                    at + 1
                }
                Some(direction) if self.is_free(at) || announced => self.read_order(at, direction),
                _ => at + 1,
            };
        }
    }

    /// "List the products by price": a list of things by what they measure is ordered by it, and one by
    /// what several share shows that as well; "the top 3 products by price" are ranked.
    fn lists_by(&mut self, by: usize) -> bool {
        let name = self.next_solid(by + 1);
        let thing = by.checked_sub(1).and_then(|i| self.table_rather(i));
        let start = self.sentence_start(by);
        let ends = self.units.get(name + 1).is_none_or(|u| u.kind == UnitKind::Stop);
        let ranked = self.before(by).any(|i| self.is(i, Key::Top));
        let lists = self.is(start, Key::Ask) && ends && !ranked && !self.aggregates_rows(by);
        let named = thing.zip(self.own_column(name)).filter(|_| lists);
        let Some((thing, column)) = named else { return false };
        let own = column.table == thing && (start + 1..by - 1).all(|i| self.is_thin(i));
        if self.facts.measures(column) || !own {
            return self.facts.measures(column);
        }
        let listed = self.word(start).starts_with("list");
        if listed {
            let shown = self.facts.display(thing).into_iter().chain([column]);
            self.ask_for([], shown.map(Expression::column));
        } else {
            let order = format!("Is a list in order of {} wanted", self.label(column));
            self.refuse(format!("{order}, or a figure for each of its values?"));
        }
        listed
    }

    /// "by the price descending": the direction stands after the sort key.
    fn direction_behind(&self, at: usize) -> bool {
        let direction = matches!(self.key(at), Some(Key::Ascending | Key::Descending));
        let name = at.saturating_sub(1);
        let before = (0..name).rfind(|&i| !self.is_filler(i));
        let by = before.is_some_and(|i| self.word(i) == "by") && self.is_free(name);
        let last = self.next_solid(at + 1) >= self.units.len() - 1;
        direction && self.is_free(at) && by && self.column(name).is_some() && last
    }

    /// "Sort all names by age": what follows is asked for; "by" comes later.
    fn only_announces(&self, at: usize) -> bool {
        let bare = matches!(self.word(at), "sort" | "sort the" | "order the" | "arrange");
        bare && at == self.sentence_start(at)
    }

    fn read_order(&mut self, at: usize, mut direction: Direction) -> usize {
        let mut i = at;
        let mut expressions: Vec<Expression> = Vec::new();
        let mut ranked = Ranked::by(at);
        while let Some(unit) = self.units.get(i) {
            match unit.key() {
                Some(Key::OrderBy | Key::Alphabetic | Key::Ascending) => {}
                Some(Key::Descending) => direction = Direction::Descending,
                Some(Key::Count) => ranked.counted = true,
                Some(Key::Aggregate(a)) => ranked.aggregate = Some(a),
                Some(Key::Preposition | Key::Distinct) => {}
                Some(Key::And) if self.continues_order(i + 1) => {}
                Some(_) => break,
                None if Words::Frequency.has(&unit.folded) => ranked.counted = true,
                None if unit.kind == UnitKind::Filler => {}
                None if unit.kind == UnitKind::Comma && self.continues_order(i + 1) => {}
                None => {
                    let by = self.sort_key(Ranked { name: i, ..ranked });
                    let Some(by) = by.filter(|_| expressions.len() < 3) else { break };
                    expressions.push(by);
                    ranked = Ranked::by(i);
                }
            }
            i += 1;
        }
        if expressions.is_empty() {
            let by = if ranked.counted { PendingOrder::ByRows } else { PendingOrder::ByFirst };
            self.order_pending = Some(by(direction));
        }
        // from old to young is from the first birth to the last
        let ages = |i| self.word(i).contains(" old") && self.word(i).contains(" young");
        let by_age = (at..i).any(ages);
        let facts = self.facts;
        let directed = |e: Expression| {
            let mirrored = by_age && e.target.column().is_some_and(|c| facts.temporal(c));
            (e, Direction::most_first(mirrored != (direction == Direction::Descending)))
        };
        self.order_by(at..i, expressions.into_iter().map(directed));
        i.max(at + 1)
    }

    /// A direction follows, or one more column, and then the sentence ends or a direction follows.
    fn continues_order(&self, at: usize) -> bool {
        let directs = |i| self.key(i).is_some_and(|key| key.sorts() && key != Key::OrderBy);
        let next = self.next_solid(at);
        let ends = self.units.get(next + 1).is_none_or(|u| u.kind == UnitKind::Stop);
        directs(next) || self.own_column(next).is_some() && (ends || directs(next + 1))
    }

    /// What rows are sorted by where nothing but its name, or that of time, stands.
    fn sort_key(&self, ranked: Ranked) -> Option<Expression> {
        let event_date = || self.facts.event_date(self.subject()?).map(Expression::column);
        match self.units[ranked.name].kind {
            UnitKind::Name => self.order_expression(ranked),
            UnitKind::Unknown if self.is_time_noun(ranked.name) => event_date(),
            _ => self.computed(ranked.name).cloned(),
        }
    }

    pub fn order_expression(&self, ranked: Ranked) -> Option<Expression> {
        let Ranked { name: at, counted, aggregate } = ranked;
        if counted {
            return self.number_of(at);
        }
        let amounts = aggregate.zip(self.table_rather(at));
        if let Some(amount) = amounts.and_then(|(a, table)| self.amount_of(table, a, "total")) {
            return Some(Expression { aggregate, ..Expression::column(amount) });
        }
        let called = || self.facts.display(self.table(at)?).first().copied();
        let column = self.column(at).or_else(called)?;
        match aggregate {
            // keys are no amounts
            Some(Aggregate::Sum | Aggregate::Avg) if self.facts.is_key(column) => None,
            Some(a) => Some(Expression::aggregate(a, column)),
            None => Some(Expression::column(column)),
        }
    }
}
