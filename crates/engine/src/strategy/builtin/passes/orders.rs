//! Orderings: sorted by, in alphabetical order, highest first.

use crate::strategy::builtin::form::query::{Aggregate, Direction, Expression, Target};
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::Key;

use super::read::{PendingOrder, Reader};
use super::span::Span;

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
            // "that is listed in both departments"
            let is = at.checked_sub(1).and_then(|i| self.key(i)) == Some(Key::Is);
            let listed = is && self.word(at) == "listed in";
            at = match direction.filter(|_| !listed) {
                Some(direction) if self.stands_first(at) => {
                    self.order_pending = Some(PendingOrder::ByFirst(direction));
                    self.claim([at]);
                    at + 1
                }
                Some(_) if self.only_announces(at) => {
                    self.claim([at]);
                    at + 1
                }
                Some(direction) if self.direction_behind(at) => {
                    let expression = self.order_expression(at - 1, false, None);
                    self.order_by([at - 1, at], expression.map(|e| (e, direction)));
                    at + 1
                }
                Some(direction) if self.is_free(at) || announced => self.read_order(at, direction),
                _ => at + 1,
            };
        }
    }

    /// "List the products by price": a list of things by what they measure is ordered by it.
    fn lists_by(&self, by: usize) -> bool {
        let name = self.next_solid(by + 1);
        let measured = self.own_column(name).is_some_and(|c| self.facts.measures(c));
        let thing = by.checked_sub(1).is_some_and(|i| self.table_rather(i).is_some());
        let asked = self.is(self.sentence_start(by), Key::Ask);
        let ends = self.units.get(name + 1).is_none_or(|u| u.kind == UnitKind::Stop);
        measured && thing && asked && ends && !self.aggregates_rows(by)
    }

    /// "by the price descending": the direction stands after the sort key.
    fn direction_behind(&self, at: usize) -> bool {
        let direction = matches!(self.key(at), Some(Key::Ascending | Key::Descending));
        let Some(name) = at.checked_sub(1).filter(|_| direction && self.is_free(at)) else {
            return false;
        };
        let before = (0..name).rev().find(|&i| !self.is_kind(i, UnitKind::Filler));
        let by = before.is_some_and(|i| self.word(i) == "by" && self.is_free(name));
        by && self.column(name).is_some() && self.next_solid(at + 1) >= self.units.len() - 1
    }

    /// "List in alphabetical order all names": what follows is asked for, and ordered by.
    fn stands_first(&self, at: usize) -> bool {
        let asked = at.checked_sub(1).is_some_and(|i| self.is(i, Key::Ask));
        asked && self.word(at).ends_with("order") && self.is_thin(at + 1)
    }

    /// "Sort all names by age": what follows is asked for; "by" comes later.
    fn only_announces(&self, at: usize) -> bool {
        let bare = matches!(self.word(at), "sort" | "sort the" | "order the" | "arrange");
        bare && at == self.sentence_start(at)
    }

    fn read_order(&mut self, at: usize, mut direction: Direction) -> usize {
        let mut i = at;
        let mut expressions: Vec<Expression> = Vec::new();
        let mut span = Span::default();
        let (mut counted, mut aggregate) = (false, None);
        while let Some(unit) = self.units.get(i) {
            match unit.key() {
                Some(Key::OrderBy | Key::Alphabetic | Key::Ascending) => {}
                Some(Key::Descending) => direction = Direction::Descending,
                Some(Key::Count) => counted = true,
                Some(Key::Aggregate(a)) => aggregate = Some(a),
                Some(Key::Preposition | Key::Distinct) => {}
                Some(Key::And) if !expressions.is_empty() && self.continues_order(i + 1) => {}
                Some(Key::Each) if counted => {}
                Some(_) => break,
                None if is_frequency(&unit.folded) => counted = true,
                None => match unit.kind {
                    UnitKind::Filler => {}
                    UnitKind::Comma if self.continues_order(i + 1) => {}
                    UnitKind::Name if self.is(i.wrapping_sub(1), Key::Each) => break,
                    UnitKind::Name => match self.order_expression(i, counted, aggregate) {
                        Some(e) if expressions.len() < 3 => {
                            expressions.push(e);
                            (counted, aggregate) = (false, None);
                        }
                        _ => break,
                    },
                    UnitKind::Unknown if self.is_time_noun(i) => {
                        let dated = self.subject().and_then(|t| self.facts.event_date(t));
                        let Some(column) = dated else { break };
                        expressions.push(Expression::column(column));
                    }
                    UnitKind::Defined(_) => match self.computed(i) {
                        Some(computed) => expressions.push(computed.clone()),
                        None => break,
                    },
                    _ => break,
                },
            }
            span = span.and([i]);
            i += 1;
        }
        if expressions.is_empty() {
            self.order_pending = Some(match counted {
                true => PendingOrder::ByRows(direction),
                false => PendingOrder::ByFirst(direction),
            });
        }
        let by_age = (at..i).any(|i| self.says_age(i));
        let directed = |e: Expression| {
            // from old to young is from the first birth to the last
            let mirrored = by_age && e.target.column().is_some_and(|c| self.facts.temporal(c));
            (e, if mirrored { direction.reversed() } else { direction })
        };
        let ordered: Vec<(Expression, Direction)> = expressions.into_iter().map(directed).collect();
        self.order_by(span, ordered);
        i.max(at + 1)
    }

    fn says_age(&self, at: usize) -> bool {
        let phrase = self.word(at);
        phrase.contains(" old") && phrase.contains(" young")
    }

    /// A further sort key, or a direction, follows.
    fn continues_order(&self, at: usize) -> bool {
        matches!(self.key(at), Some(Key::Descending | Key::Ascending | Key::Alphabetic))
            || matches!(self.key(self.next_solid(at)), Some(Key::Descending | Key::Ascending))
            || self.ends_with_column(at)
    }

    /// One more column, and then the sentence ends or a direction follows.
    fn ends_with_column(&self, at: usize) -> bool {
        let name = self.next_solid(at);
        let next = self.units.get(name + 1);
        self.own_column(name).is_some()
            && next.is_none_or(|u| {
                u.kind == UnitKind::Stop
                    || matches!(u.key(), Some(Key::Ascending | Key::Descending | Key::Alphabetic))
            })
    }

    pub fn order_expression(
        &self,
        at: usize,
        counted: bool,
        aggregate: Option<Aggregate>,
    ) -> Option<Expression> {
        if counted {
            let held = self.table_rather(at).and_then(|t| self.stored_count(t));
            if let Some(column) = held {
                return Some(Expression::column(column));
            }
            return match self.own_column(at).filter(|&c| self.facts.numeric(c)) {
                // "by the number of floors" that is stored
                Some(column) => Some(Expression::column(column)),
                None => self.rows_or_column(at, false),
            };
        }
        let amounts = aggregate.zip(self.table_rather(at));
        if let Some(amount) = amounts.and_then(|(a, table)| self.amount_of(table, a, "total")) {
            return Some(Expression { aggregate, ..Expression::column(amount) });
        }
        let column = match self.column(at) {
            Some(column) => column,
            None => *self.facts.display(self.table(at)?).first()?,
        };
        match aggregate {
            // keys are no amounts
            Some(Aggregate::Sum | Aggregate::Avg) if self.facts.is_key(column) => None,
            Some(a) => Some(Expression::aggregate(a, Target::Column(column))),
            None => Some(Expression::column(column)),
        }
    }
}

/// "by frequency": the word stands for a number of rows.
fn is_frequency(word: &str) -> bool {
    matches!(word, "frequency" | "occurrence" | "occurrences" | "popularity")
}
