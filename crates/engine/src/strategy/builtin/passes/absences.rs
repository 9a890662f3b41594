//! What must be absent: rows without rows of another table, or without a value.

use std::ops::Range;

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{Comparison, Condition};
use crate::strategy::builtin::form::sets::combine;
use crate::strategy::builtin::form::ways::relates;
use crate::strategy::builtin::words::{Key, LEXICON, Words, is_participle, singular};
use crate::text::stem;

use super::{Absent, LIKE, Reader, Span};

impl Reader<'_> {
    /// "who have no dog", "without any order", "never taken a course".
    pub fn read_absence(&mut self, at: usize) {
        let excepts = self.key(at) == Some(Key::Compare(Comparison::NotEqual))
            && self.is(self.next_solid(at + 1), Key::Clause);
        if !self.is(at, Key::Not) && !excepts || self.is_claimed(at) || self.read_missing(at) {
            return;
        }
        let subject = self.subject_before(at);
        let end = self.sentence_end(at + 1);
        let open = |&i: &usize| self.is_name(i) && self.is_free(i);
        let other = |i| Some((i, self.thing(i).filter(|&table| Some(table) != subject)?));
        let named = (at + 1..end.min(at + 9)).filter(open).find_map(other);
        // "rentals that have not been returned": by a date of their own
        let of_subject = |&i: &usize| self.column(i).is_some_and(|c| Some(c.table) == subject);
        let own = || (at + 1..end).filter(open).find(of_subject);
        let dated = |name: usize| Some((name, self.open_date(at, name)?));
        // "not assigned yet": the key of the thing's own that says so, not a column of another thing
        let keyed = |name: usize| Some((name, self.own_said(name, subject?)?));
        let other = named.map(|(name, _)| name);
        let missing = other.and_then(keyed).or_else(|| other.or_else(own).and_then(dated));
        if let Some((name, column)) = missing {
            return self.add_apart(at, [name], Condition::missing(column));
        }
        let Some(subject) = subject else { return };
        let filtered = self.filters.iter().find(|f| f.at > at && f.at < end);
        let filtered = filtered.and_then(|f| f.condition.tables().first().copied());
        let (span, tables) = match (named, filtered.filter(|&table| table != subject)) {
            (Some((name, table)), _) => {
                // further tables up to the next "and": "never attended a lesson"
                let further = (name + 1..end).take_while(|&i| !self.is(i, Key::And));
                let further = further.filter_map(|i| Some((i, self.table_rather(i)?)));
                let (said, more): (Vec<usize>, Vec<TableId>) =
                    further.filter(|(i, t)| *t != subject && self.is_free(*i)).unzip();
                // "teams that never sold a player", where players move from team to team
                let deed = (at..name).find(|&i| self.is_unknown(i) && relates(self.units, i));
                if let Some(deed) = deed.filter(|_| self.moves(subject, table)) {
                    let verb = &self.units[deed].text;
                    return self.refuse(format!("Several tables may say what was {verb}."));
                }
                // "did not show up" is done, "are not part of" is not; "no limit on" lacks something else
                let verb = |i| {
                    let lacked = self.says(i - 1, Words::Denying) || self.word(i - 1) == "no";
                    lacked || is_participle(self.word(i))
                };
                let reads = |i| !self.is_unknown(i) || !verb(i) || relates(self.units, i);
                let helps = (at..name).filter(|&i| !self.is_name(i) && reads(i));
                (Span::from(helps).and([name]).and(said), [vec![table], more].concat())
            }
            (None, Some(table)) => (Span::default(), vec![table]),
            (None, None) => match self.undone(at..end, subject) {
                Some((verb, table)) => (Span::default().phrase([verb]), vec![table]),
                None => return,
            },
        };
        let inner = self.take_filters_between(at, end);
        let of = self.value_before(at);
        self.claim(span.and([at]));
        self.absent.push(Absent { subject, of, tables, inner });
    }

    /// The only optional key of a thing that a participle at `at` names, if less well than another
    /// thing's column.
    fn own_said(&self, at: usize, thing: TableId) -> Option<ColumnId> {
        let own = |c: ColumnId| c.table == thing && self.facts.is_foreign(c);
        let optional = |c: &ColumnId| own(*c) && self.facts.optional(*c);
        let named = self.units[at].columns.iter().filter(|c| c.score >= LIKE).map(|c| c.item);
        let said = is_participle(self.word(at)) && self.table_rather(at).is_none();
        only(named.filter(optional)).filter(|_| said)
    }

    /// "which cakes were never sold", "rooms that nobody has used": the verb that is denied, and the one
    /// table of what refers to the subject that is called by it, or that there is.
    fn undone(&self, said: Range<usize>, subject: TableId) -> Option<(usize, TableId)> {
        let users = || self.users_of(subject).into_iter();
        let called = |i: usize| {
            let verb = stem(self.word(i));
            let same = LEXICON.same.of(&verb);
            // what was not sold may have been purchased
            let other = |word: &str| Words::Relating.has(&singular(word));
            let says = |word: &String| match stem(word) {
                own if own == verb => true,
                own => same.contains(&&*own) && !other(word),
            };
            only(users().filter(|t| self.facts.table_words(*t).iter().any(says)))
        };
        said.skip(1).find_map(|i| match self.word(i) {
            "used" => Some((i, only(users())?)),
            _ if relates(self.units, i) => Some((i, called(i)?)),
            _ => None,
        })
    }

    /// Whether rows of a third table take what the rows of one have to others of it.
    fn moves(&self, one: TableId, what: TableId) -> bool {
        let twice = |t: &TableId| self.catalog.joins().keys_between(*t, one).len() > 1;
        self.users_of(what).iter().any(twice)
    }

    /// "books that were not returned": a later date of what was begun is missing, the row is there.
    fn open_date(&self, at: usize, name: usize) -> Option<ColumnId> {
        let column = self.column(name).filter(|&c| self.is_verb(name, c))?;
        let dated = |c: ColumnId| self.facts.has_dates(c);
        let later = self.catalog.column_ids(column.table).take_while(|c| *c != column).any(dated);
        let directly = (at + 1..name).all(|i| self.helps(i));
        let thing = self.before(at).find_map(|i| self.table_rather(i));
        let never = self.word(at) == "never" && thing != Some(column.table);
        let open = dated(column) && self.facts.optional(column);
        (!never && directly && later && open).then_some(column)
    }

    /// "cities where no member lives": the column, where a clause on its values follows directly.
    fn value_before(&self, at: usize) -> Option<ColumnId> {
        let name = self.before(at).find(|&i| self.is_name(i))?;
        let column = self.own_column(name)?;
        let next = self.key(self.past(name + 1, |i| self.is_filler(i)));
        let clause = matches!(next, Some(Key::Clause | Key::Ask | Key::Where | Key::Not | Key::Is));
        (clause && !self.facts.identifies(column)).then_some(column)
    }

    /// What lacks something: the thing said before, or the thing that a column said before is of.
    fn subject_before(&self, at: usize) -> Option<TableId> {
        let of_column = || self.before(at).find_map(|i| self.column(i)).map(|c| c.table);
        // "the average rating of each film that was never reviewed": each film
        let each = self.before(at).rfind(|&i| self.is(i, Key::Each));
        let each = each.and_then(|i| self.table_rather(self.next_solid(i + 1)));
        let table = each.or_else(|| self.before(at).find_map(|i| self.table_rather(i)));
        let who = self.word(self.sentence_start(at)).starts_with("who");
        // "who has not ordered anything": those of whom the orders are
        let said = (at..self.units.len()).find_map(|i| self.table_rather(i));
        let people = || said.filter(|_| who).and_then(|table| self.facts.nearest_people(table));
        table.or_else(of_column).or_else(people).or_else(|| self.subject())
    }

    /// "with no phone number", "do not have any value for the phone": the thing's own column is empty.
    fn read_missing(&mut self, at: usize) -> bool {
        let name = self.past(at + 1, |i| self.is_thin(i) || self.is(i, Key::Clause));
        let thing = self.last_thing(at).or_else(|| self.subject());
        let optional = |c: &ColumnId| {
            !matches!(self.has_none(*c), Condition::IsNull { .. }) || self.facts.optional(*c)
        };
        let own = |c: &ColumnId| Some(c.table) == thing && optional(c);
        let lacks = self.word(at).split(' ').any(|word| Words::Lacking.has(word));
        let has = lacks || (at + 1..name).any(|i| self.is(i, Key::Clause));
        // "no pets" may be a number of them
        let counts = |c: &ColumnId| self.facts.numeric(*c) && self.is_plural(name);
        let column = self.open_column(name).filter(|c| has && own(c) && !counts(c));
        let Some(column) = column else { return false };
        if self.facts.numeric(column) && !(at..name).any(|i| self.word(i) == "value") {
            let said = &self.units[name].text;
            self.doubt(format!("No \"{said}\" could mean an empty value or zero."));
        }
        self.add_apart(at, at..=name, self.has_none(column));
        true
    }

    /// "who have a phone": what may be missing is there.
    pub fn says_present(&self, at: usize, column: ColumnId) -> bool {
        let article = self.word(at.wrapping_sub(1)).split(' ').next_back();
        let one = matches!(article, Some("a" | "an" | "any"));
        let has = self.last_solid(at);
        let has = has.is_some_and(|i| self.is(i, Key::Clause) && !self.word(i).starts_with("that"));
        let ends = self.ends_at(at + 1) || self.joins(at + 1);
        let missing = self.facts.optional(column) && Some(column.table) == self.subject();
        // "an expired licence" is there, but no longer valid
        one && has && ends && missing && !self.word(at).split(' ').any(is_participle)
    }

    /// Take out the conditions that were read between two units.
    pub fn take_filters_between(&mut self, at: usize, end: usize) -> Vec<Condition> {
        combine(self.filters.extract_if(.., |f| f.at > at && f.at < end).collect()).0
    }
}
