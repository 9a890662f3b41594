//! Names of which the finished query tells something else than was meant: things by what only sorts
//! them, a state that nothing is compared with, the order of rows instead of the rows.

use crate::catalog::{ColumnId, ForeignKey, TableId};
use crate::strategy::builtin::form::query::Query;
use crate::strategy::builtin::words::{Key, Words, singular};

use super::Reader;

impl Reader<'_> {
    /// "beers with their alcohol": another word for what the question names already, as if that were its own.
    pub fn repeats_thing(&self, at: usize) -> bool {
        let table = self.table_rather(at);
        let same = |i: usize| !self.units[i].alike && self.table_rather(i) == table;
        self.units[at].alike && !self.is_plural(at) && table.is_some() && self.places().any(same)
    }

    /// "which professors are mentors", where mentors are shown, "the oldest ticket that is open", where these are
    /// sorted by the day they were opened at: a state of which there is no condition.
    pub fn tells_no_state(&self, at: usize, query: &Query) -> bool {
        let which = |i: usize| self.is(i.wrapping_sub(1), Key::Ask);
        self.own_column(at).is_some_and(|column| {
            let thing = self.predicate_of(at, column);
            let other = self.names_events(at, column) || self.names_things(at, column);
            let base = self.says_base(at, column);
            let listed = thing.is_some_and(which) || other || base;
            let stated = thing.is_some() || base;
            // "more than one property" by kinds of it
            let compared = query.having.iter().any(|c| c.columns().contains(&column));
            let sorted = query.order.iter().any(|(e, _)| e.target.column() == Some(column));
            let stated = stated && !query.conditions().any(|c| c.columns().contains(&column));
            let shown = query.lists(column);
            listed && (shown || compared) || stated && sorted && !shown
        })
    }

    /// "which bookings" by the days on which something was `booked_on`.
    fn names_events(&self, at: usize, column: ColumnId) -> bool {
        let one = singular(self.word(at));
        let own = self.facts.words(column).contains(&one) || self.facts.is_birth_date(column);
        self.is_plural(at) && !own && self.facts.is_calendar(column) && !one.contains(' ')
    }

    /// "objects in the north" by an `object_type`, "red flowers" by what kind of flower each is: things are
    /// not shown by what only sorts them.
    fn names_things(&self, at: usize, column: ColumnId) -> bool {
        let last = self.facts.words(column).last().filter(|last| Words::Classes.has(last));
        let sorts = last.is_some_and(|last| *last != singular(self.word(at)));
        let stored = self.before(at).next_back().map(|i| &self.units[i].values);
        let described = stored.is_some_and(|v| v.iter().any(|v| v.column.table == column.table));
        let shared = self.facts.has_text(column) && !self.facts.identifies(column);
        let unnamed = self.says_several(at) && !self.meanings.named.contains(&column.table);
        unnamed && shared && !self.word(at).contains(' ') && (sorts || described)
    }

    /// "toys", "more than one toy".
    fn says_several(&self, at: usize) -> bool {
        self.is_plural(at) || at.checked_sub(1).is_some_and(|i| self.number(i).is_some())
    }

    /// "electric cars" by the classes of cars: what sorts the things is not they.
    pub fn sorts_things(&self, at: usize, table: TableId) -> bool {
        let words = self.facts.table_words(table);
        let sorts = words.len() > 1 && words.last().is_some_and(|last| Words::Classes.has(last));
        let head = words.last().is_some_and(|last| *last == singular(self.word(at)));
        sorts && !head && self.says_several(at) && !self.word(at).contains(' ')
    }

    /// "which professors are also mentors?", "the oldest ticket that is open": of whom it is said.
    fn predicate_of(&self, at: usize, column: ColumnId) -> Option<usize> {
        let thing = self.before(at).rfind(|&i| !self.helps(i) && self.word(i) != "also")?;
        let is = (thing..at).any(|i| self.is(i, Key::Is)) && self.ends_at(at + 1);
        (is && self.table_rather(thing) == Some(column.table)).then_some(thing)
    }

    /// "List the customers by country", "customers on hold": the countries alone are not those who were asked for.
    pub fn only_shows_order(&self, at: usize, query: &Query) -> bool {
        let place = self.is(at + 1, Key::Preposition) && self.word(at + 1) != "of";
        let by = self.column(self.next_solid(at + 2)).filter(|_| place);
        let [shown] = query.select.as_slice() else { return false };
        self.at_head(at) && by.is_some() && shown.plain_column() == by
    }

    /// "employees and their managers": a row of the same table, by its key.
    pub fn refers_to_kin(&self, at: usize) -> bool {
        let one_word = !self.word(at).contains(' ');
        self.column(at).filter(|_| one_word).is_some_and(|c| {
            let kin = |k: &ForeignKey| k.to == k.from && k.from_columns.contains(&c.column);
            self.facts.keys_from(c.table).any(kin)
        })
    }
}
