//! What is shown, and of whom: each thing once, things by their names, nothing that may as well be
//! another's; those that have nothing of what is counted, and what is averaged over itself.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::catalog::{ColumnId, KeyId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::passes::read::Reader;
use crate::strategy::builtin::words::{Key, Words};
use crate::text::{identifier_words, stem};

use super::query::{
    Aggregate, Comparison, Condition, Direction, Expression, Formula, Operand, Query, Target,
};
use super::sql::repeats;

impl Reader<'_> {
    /// "Which party has the most delegates?", "pupils and their tutors": what a number refers to is shown by
    /// its name.
    pub fn name_references(&self, query: &mut Query) {
        for shown in query.select.clone().iter().filter(|_| query.within.is_none()) {
            let Some((column, key, called)) = self.referred_thing(shown) else { continue };
            let name = |c: &ColumnId| {
                let role = self.facts.words(column).first().map_or("", String::as_str);
                let own = &self.catalog.column(*c).name;
                let role = if own.starts_with(role) { "" } else { &format!("{role}_") };
                let of = Box::new(Formula::Beside(column, key, *c));
                Expression::plain(Target::Formula(of, format!("{role}{own}")))
            };
            let names: Vec<Expression> = called.iter().map(name).collect();
            if query.group.contains(&shown.target) && self.facts.optional(column) {
                query.filters.push(Condition::present(column));
            }
            let at = query.select.iter().position(|e| e == shown).unwrap_or_default();
            query.select.splice(at..=at, names.clone());
            if let Some(at) = query.order.iter().position(|(e, _)| e == shown) {
                let direction = query.order[at].1;
                query.order.splice(at..=at, names.into_iter().map(|name| (name, direction)));
            }
        }
    }

    /// A number that refers to something which has a name, where the question says what it is to the row
    /// and not that its key is wanted: the key, and what is called by.
    fn referred_thing(&self, shown: &Expression) -> Option<(ColumnId, KeyId, Vec<ColumnId>)> {
        let column = shown.plain_column()?;
        let key = self.facts.key_of(column)?;
        let (ends, own) = (self.catalog.key(key), self.facts.stems(column));
        let thing = ends.to;
        let one = ends.when.is_none() && self.catalog.table(thing).is_unique_over(&ends.to_columns);
        let called = self.facts.display(thing);
        let said = |i: usize| self.own_column(i) == Some(column) && !self.is_tagged(i);
        let number = self.facts.has_numbers(column) && own == self.facts.table_stems(thing);
        let key_only = number || own.iter().any(|word| is_tag(word));
        let named = !called.iter().any(|&c| self.facts.is_key(c));
        (key_only && named && one && self.places().any(said)).then_some((column, key, called))
    }

    /// Whether a name says that the number itself is wanted: "tutor id".
    pub fn is_tagged(&self, at: usize) -> bool {
        self.word(at).split(' ').any(|word| is_tag(&stem(word)))
    }

    /// "type codes and the number of documents with each code": the code is shown once, though the
    /// types and the documents have it.
    pub fn show_once(&self, query: &mut Query) {
        let (mut seen, mut again) = (Vec::new(), Vec::new());
        query.select.retain(|e| {
            let Some(column) = e.plain_column() else { return true };
            let repeats = self.facts.same_by_key(column).any(|same| seen.contains(&same));
            let list = if repeats { &mut again } else { &mut seen };
            list.push(column);
            !repeats
        });
        query.group.retain(|group| group.column().is_none_or(|c| !again.contains(&c)));
    }

    /// "the color code and description": of the color, or of the thing?
    pub fn shared_modifier(&self, query: &Query) -> Option<String> {
        let meant = (2..self.units.len()).find_map(|at| {
            let listed = self.is_name(at - 2) && self.is(at - 1, Key::And) && self.is_name(at);
            let (first, chosen) = (self.column(at - 2)?, self.column(at)?);
            let (words, head) = (identifier_words(self.word(at - 2)), self.word(at));
            let (_, modifier) = words.split_last().filter(|(_, m)| !m.is_empty())?;
            let shown = query.columns().contains(&chosen) && query.columns().contains(&first);
            // before all columns are looked through
            if !listed || head.contains(' ') || !shown {
                return None;
            }
            let full: Vec<String> = modifier.iter().map(|w| stem(w)).chain([stem(head)]).collect();
            let called = |c: &ColumnId| self.facts.stems(*c) == full;
            let mut columns = self.catalog.table_ids().flat_map(|t| self.catalog.column_ids(t));
            let other = columns.find(called)?;
            let same = |c: ColumnId| self.facts.same_by_key(chosen).any(|s| s == c);
            (!called(&chosen) && !same(other)).then_some((other, chosen))
        });
        let (other, chosen) = meant?;
        Some(format!("Which is meant: {} or {}?", self.label(other), self.label(chosen)))
    }

    /// "in division AS or in division EN and in building NEB": the last condition may hold for both.
    pub fn refuse_open_alternative(&mut self) {
        let open = self.filters.windows(3).any(|three| {
            let [one, two, last] = three else { return false };
            let and = (two.at..last.at).any(|i| self.is(i, Key::And));
            let stated = (one.at + 1..two.at).any(|i| self.is_name(i));
            let other = one.condition.columns() == two.condition.columns()
                && last.condition.columns() != two.condition.columns();
            two.or && !last.or && stated && other && and
        });
        if open {
            self.refuse(
                "Does the last condition apply to both alternatives, or only to the second?",
            );
        }
    }

    /// "the average yield per harvest", where the yield is the harvest's own: the average itself, not
    /// one for each.
    pub fn drop_own_groups(&mut self) {
        let averages = |e: &Expression| {
            let column = e.target.column().filter(|_| e.aggregate == Some(Aggregate::Avg));
            column.map(|c| Target::Rows(c.table))
        };
        let mut computed = self.query.select.iter().filter(|e| e.aggregate.is_some()).map(averages);
        let idle = computed.next().flatten();
        let idle = idle.filter(|own| computed.all(|of| of.as_ref() == Some(own)));
        self.groups.retain(|group| Some(group) != idle.as_ref());
        self.each.retain(|group| Some(group) != idle.as_ref());
    }

    /// "How many loans has each member made?": of those who have made any. The join leaves out the
    /// others, in every wording alike, and a note says so.
    pub fn tell_of_none(&mut self, query: &Query) {
        let counted = query.select.iter().find(|e| e.aggregate == Some(Aggregate::Count));
        // "which sponsor gave the least"
        let least = query.order.first().filter(|(e, direction)| {
            *direction == Direction::Ascending && e.aggregate == Some(Aggregate::Sum)
        });
        let groups = if least.is_some() { &query.group } else { &self.each };
        let counted = least.map(|(e, _)| e).or(counted);
        let Some(counted) = counted.map(|e| e.target.table()) else { return };
        let Some(each) = groups.iter().map(Target::table).find(|t| *t != counted) else { return };
        let (one, many) = (self.catalog.table_label(each), self.catalog.table_label(counted));
        self.note(format!("{one} without {many} are not shown"));
    }

    /// "planes with their hangars": every plane, those too that have none, where a hangar is no more
    /// than shown.
    pub fn keep_those_beside(&mut self, query: &mut Query) {
        let all = query.shows_all_rows() && !query.distinct;
        let shown: BTreeSet<TableId> = query.select.iter().flat_map(Expression::tables).collect();
        let subject = self.entity.filter(|t| all && shown.contains(t));
        let tree = subject.and_then(|_| self.tree(query));
        let Some((subject, tree)) = subject.zip(tree) else { return };
        let own = |c: &Condition| c.tables().is_subset(&BTreeSet::from([subject]));
        let mut pairs = tree.keys.iter().flat_map(|&k| self.catalog.key(k).column_pairs());
        let open = pairs.any(|(from, _)| self.facts.optional(from));
        let alone = shown == query.needed_tables() && query.filters.iter().all(own);
        if alone && open && !repeats(self.catalog, subject, &tree) {
            query.all_of = Some(subject);
        }
    }

    /// "the region with the fewest technicians", "customers with fewer than 2 orders": who has none has
    /// fewer than anybody else.
    pub fn keep_those_with_none(&mut self, query: &mut Query) {
        for condition in &mut query.filters {
            if let Condition::In { query: inner, negated: false, .. } = condition {
                self.keep_those_with_none(inner);
            }
        }
        let counted = counts_none(query).map(|e| e.target.table());
        let grouped: BTreeSet<TableId> = query.group.iter().map(Target::table).collect();
        let (Some(counted), Some(all)) = (counted, only(grouped)) else { return };
        // "who registered for some courses but the fewest"
        let thing = |i: usize| self.table_rather(self.next_solid(i + 1)) == Some(counted);
        let some = self.places().any(|i| self.is(i, Key::Any) && thing(i));
        if all == counted || some || !self.has_many(all, counted) {
            return;
        }
        let ends = BTreeSet::from([all, counted]);
        let way = self.catalog.joins().steiner_tree(&ends).unwrap_or_default().tables;
        let own = |c: &Condition| c.tables().len() == 1 && c.tables().is_subset(&way);
        if !query.filters.iter().all(own) {
            let (all, none) = (self.catalog.table_label(all), self.catalog.table_label(counted));
            self.refuse(format!("It is unclear whether {all} without {none} are meant as well."));
        }
        query.all_of = Some(all);
    }
}

/// Whether a word of a column says that it stands for something else: `id`, `code`.
pub fn is_tag(word: &str) -> bool {
    matches!(word, "id" | "cd" | "by") || Words::Identifiers.has(word)
}

/// The number of rows by which a query ranks or compares groups, where that may be zero.
fn counts_none(query: &Query) -> Option<&Expression> {
    let ascending = |(_, direction): &&(_, Direction)| *direction == Direction::Ascending;
    let fewest = query.order.first().filter(ascending).filter(|_| query.limit.is_some());
    let fewer = query.having.iter().find_map(|c| match c {
        Condition::Compare(e, operator, Operand::Number(digits)) => {
            let none = match operator.side() {
                Some(side) => side == Ordering::Less,
                None => (*operator == Comparison::Equal) == (digits == "0"),
            };
            none.then_some(e)
        }
        _ => None,
    });
    fewest.map(|(e, _)| e).or(fewer).filter(|e| e.aggregate == Some(Aggregate::Count))
}
