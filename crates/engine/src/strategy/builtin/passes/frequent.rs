//! The most common: what is ranked by how often it comes, or by the rows that use it.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{Condition, Direction, Expression, Operand, Query};
use crate::strategy::builtin::words::{Key, Words};

use super::{Reader, Span};

impl Reader<'_> {
    /// "the most common city": group by it, most rows first.
    pub fn read_frequent(&mut self, at: usize, direction: Direction) {
        // "the status that is most common of all bookings": the ranked thing stands before
        let before = self.is(at + 1, Key::Preposition);
        let name = self.next_solid(at + 1);
        let column = self.own_column(name).filter(|_| !before);
        if let Some(column) = column {
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
        let ends = before || self.followed_by_end(at + 1);
        if ends && self.is_adverb(at) && self.head_column(at).is_none() {
            return self.rank_by_use(at, direction);
        }
        let behind = self.table(name).filter(|_| !before);
        let said = behind.map(|_| name);
        let table = match (behind, self.head_column(at)) {
            (Some(table), _) => table,
            // "the city that is most common", of a table that only lists what others use
            (None, Some(head)) if self.facts.identifies(head) && self.is_used(head.table) => {
                head.table
            }
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
        let name = self.before(at).find(|&i| self.is_name(i))?;
        self.own_column(name)
    }

    /// "bought the most", "ordered the greatest number of times": by the rows that point to the subject.
    pub fn rank_by_use(&mut self, at: usize, direction: Direction) {
        if let Some((column, verb)) = self.verb_column(at) {
            return self.push_order(at, verb, (Expression::column(column), direction));
        }
        // "the type that has the most records": rows of the table that holds it
        let used = at.checked_sub(1).is_some_and(|i| self.says(i, Words::Occurring));
        let often = used || self.names_rows(at + 1);
        if let Some(column) = self.head_column(at).filter(|_| often) {
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
        if self.catalog.column(column).nullable {
            self.add_apart(at, [], Condition::IsNull { column, negated: true });
        }
        self.push_order(at, span, (Expression::count(column.table), direction));
    }
}
