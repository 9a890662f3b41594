//! Superlatives: the most, the oldest, the top three.

use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::form::query::{
    Aggregate, Comparison, Condition, Expression, Operand, Query, Target,
};
use crate::strategy::builtin::words::evidence::UnitKind;
use crate::strategy::builtin::words::lexicon::{self, Key};

use super::read::{Filter, Group, Reader};

impl Reader<'_> {
    /// Read "with the most …", "the oldest …", "most common …", "top 3 …".
    pub fn read_superlatives(&mut self) {
        for at in 0..self.units.len() {
            if self.used[at] {
                continue;
            }
            match self.key(at) {
                Some(Key::Superlative(most)) => self.read_superlative(at, most),
                Some(Key::Aggregate(a @ (Aggregate::Max | Aggregate::Min))) if self.has(at) => {
                    self.read_superlative(at, a == Aggregate::Max);
                }
                Some(Key::Extreme(adjective)) => self.read_extreme(at, adjective),
                Some(Key::Frequent(most)) => self.read_frequent(at, most),
                Some(Key::Top) => self.read_top(at),
                _ => {}
            }
        }
    }

    /// "the aircraft with the maximum distance": behind a thing that has it, an extreme ranks.
    fn has(&self, at: usize) -> bool {
        let name = self.next_solid(at + 1);
        let measured = self.column(name).is_some_and(|c| self.numeric(c) || self.temporal(c));
        let lead = (0..at).rev().find(|&i| !self.is_thin(i));
        let thing = lead
            .and_then(|i| i.checked_sub(1))
            .is_some_and(|i| self.units[i].kind == UnitKind::Name || self.units[i].folded == "one");
        let each = self.units.iter().any(|u| u.key() == Some(Key::Each));
        let clause = lead.is_some_and(|i| self.key(i) == Some(Key::Clause) && !self.adds(i));
        measured && thing && clause && !each && self.table_rather(name).is_none()
    }

    /// Limit and offset said around a superlative: "3 oldest", "second highest".
    fn take_limit(&mut self, at: usize) {
        if self.limit.is_some() {
            return;
        }
        self.limit = Some(1);
        let mut from = at;
        while from > 0 && from + 3 > at {
            from -= 1;
            let unit = &self.units[from];
            if let UnitKind::Number(digits) = &unit.kind
                && !self.used[from]
            {
                self.limit = digits.parse().ok().filter(|n| (1..=10_000).contains(n));
                self.take(from);
                if from > 0 && self.key(from - 1) == Some(Key::Top) {
                    self.take(from - 1);
                }
                return;
            }
            if let Some(rank) = lexicon::ordinal(&unit.folded) {
                self.offset = rank - 1;
                self.take(from);
                return;
            }
            if !self.is_thin(from) {
                break;
            }
        }
        if let Some(UnitKind::Number(digits)) = self.units.get(at + 1).map(|u| &u.kind) {
            self.limit = digits.parse().ok();
            self.take(at + 1);
        } else if let Some(top) = self.announced_top(at)
            && let UnitKind::Number(digits) = &self.units[top + 1].kind
        {
            self.limit = digits.parse().ok();
            self.take(top);
            self.take(top + 1);
        }
    }

    /// "the top 3 teachers with the most …": where the limit was said.
    fn announced_top(&self, at: usize) -> Option<usize> {
        (self.sentence_start(at)..at).find(|&i| {
            self.key(i) == Some(Key::Top)
                && !self.used[i]
                && matches!(self.units[i + 1].kind, UnitKind::Number(_))
        })
    }

    pub fn push_order(&mut self, at: usize, expression: Expression, descends: bool) {
        self.order.insert(0, (expression, descends));
        self.take(at);
        self.take_limit(at);
    }

    fn read_superlative(&mut self, at: usize, most: bool) {
        let mut name = self.next_solid(at + 1);
        let mut counted = false;
        let mut aggregate = None;
        while let Some(key) = self.key(name) {
            match key {
                Key::Count => counted = true,
                Key::Aggregate(a) => aggregate = Some(a),
                Key::Distinct | Key::Preposition | Key::Any => {}
                Key::Superlative(_) if self.at_head(at) => {}
                Key::And if self.at_head(at) => {}
                _ => return,
            }
            name = self.next_solid(name + 1);
        }
        if matches!(self.units.get(name).map(|u| &u.kind), Some(UnitKind::Number(_))) {
            name = self.next_solid(name + 1);
        }
        // "the most unpaid invoices"
        if self.used.get(name) == Some(&true) && self.table_rather(name + 1).is_some() {
            name += 1;
        }
        if let Some(computed) = self.computed(name).cloned() {
            self.take(name);
            return self.push_order(at, computed, most);
        }
        if self.units.get(name).is_none_or(|u| u.kind != UnitKind::Name) {
            return self.rank_by_use(at, most);
        }
        // "the most seats in total": of all rows together
        if self.key(name + 1) == Some(Key::Aggregate(Aggregate::Sum)) && aggregate.is_none() {
            aggregate = Some(Aggregate::Sum);
            self.take(name + 1);
        }
        let phrase = &self.units[at].folded;
        counted |= phrase.ends_with("number of") || phrase.ends_with("amount of");
        let table = self.table_rather(name);
        let column = self.column(name);
        let measured = column.filter(|&c| self.numeric(c) || self.temporal(c));
        if measured.is_some() && !counted && table.is_none() && self.per_group(at) {
            return; // "title and highest price for each film": the select pass aggregates
        }
        let held = measured.filter(|&c| !counted || self.numeric(c));
        if self.at_head(at) && table.is_none() && aggregate.is_none() && held.is_some() {
            return; // "what is the highest salary": the select pass aggregates
        }
        if let Some(column) = column.filter(|&c| self.is_plural(name) && self.is_rate_of(name, c)) {
            return self.refuse_number(name, column);
        }
        let Some(expression) = self.superlative_expression(at, name, counted, aggregate) else {
            return;
        };
        for i in at..=name {
            self.take(i);
        }
        if self.units.get(name + 1).is_some_and(|u| u.folded == "first") {
            // "highest salary first" orders and leaves all rows
            self.take(name + 1);
            self.order.push((expression, most));
            return;
        }
        self.push_order(at, expression, most);
    }

    fn read_extreme(&mut self, at: usize, adjective: usize) {
        if let Some(done) = self.done_recently(at) {
            if let Some(column) = done {
                self.push_order(at, Expression::column(column), true);
            }
            return;
        }
        let meant = lexicon::adjective(adjective);
        let name = self.next_solid(at + 1);
        let before = (0..at).rev().find(|&i| self.units[i].kind == UnitKind::Name);
        let name = match self.units.get(name).map(|u| &u.kind) {
            Some(UnitKind::Number(_)) => self.next_solid(name + 1),
            _ => name,
        };
        let said = self.column(name).filter(|&c| {
            self.table_rather(name).is_none() && (self.numeric(c) || self.temporal(c))
        });
        let table = self.table_rather(name);
        let (column, direct) = if let Some(column) = said {
            let inverse =
                self.says_stem(column, &meant.inverse) && !self.says_stem(column, &meant.direct);
            if self.at_head(at) && self.no_entity_before(at) {
                return; // "what is the longest duration": the select pass aggregates
            }
            self.take(name);
            (column, !inverse && !meant.direct.is_empty())
        } else {
            let behind = self.units.get(name).is_some_and(|u| u.kind == UnitKind::Name);
            if self.is_time_noun(name) {
                self.take(name);
            }
            if !behind && let Some(column) = self.ranked_before(at) {
                return self.push_order(at, Expression::column(column), !meant.direct.is_empty());
            }
            let mut preferred: Vec<TableId> = table.into_iter().collect();
            if !behind && let Some(before) = before {
                preferred
                    .extend(self.table_rather(before).or(self.column(before).map(|c| c.table)));
            }
            preferred.extend(self.column(name).map(|c| c.table));
            preferred.extend(self.subject());
            // the latest order is the latest by its own date, whatever that is called
            let own = |nouns: &[String]| {
                let dated = nouns.iter().any(|noun| noun == "date");
                preferred.first().filter(|_| dated).and_then(|&t| self.sole_date(t))
            };
            let ranked = |nouns: &[String]| {
                let of_it = |c: &ColumnId| own(nouns).is_none_or(|own| own.table == c.table);
                self.measure(nouns, &preferred).filter(of_it).or_else(|| own(nouns))
            };
            match (ranked(&meant.direct), ranked(&meant.inverse)) {
                (Some(column), _) => (column, true),
                (None, Some(column)) => (column, false),
                (None, None) => return,
            }
        };
        let rated = self.units[at].folded.ends_with("rated");
        let ranked = match table.filter(|&t| rated && t != column.table) {
            // "the highest rated product" by all its ratings
            Some(_) if self.numeric(column) && self.many_to(column.table) => {
                Expression::aggregate(Aggregate::Avg, Target::Column(column))
            }
            _ => Expression::column(column),
        };
        self.push_order(at, ranked, direct);
    }

    /// "taught most recently": the date is of what somebody did, not of who did it. None where no
    /// such verb stands before; no date where it is not known by which rows it is done.
    fn done_recently(&self, at: usize) -> Option<Option<ColumnId>> {
        let verb = at.checked_sub(1).filter(|_| self.units[at].folded.ends_with("recently"))?;
        let subject = self.subject()?;
        let people = (0..=verb).any(|i| {
            let said = self.units[i].folded.split(' ').next();
            self.table_rather(i) == Some(subject) && said.is_some_and(lexicon::is_person)
        });
        let does = self.units[verb].folded.split(' ').next_back().is_some_and(lexicon::is_relating);
        let passive = self.key(verb.wrapping_sub(1)) == Some(Key::Is);
        let done = match self.table_rather(verb) {
            Some(table) if table != subject => Some(table),
            _ if people && does && !passive => self.user_of(subject),
            _ => return None,
        };
        Some(done.and_then(|table| self.event_date(table)))
    }

    /// "left office the latest": the column said right before, where it is not asked for.
    fn ranked_before(&mut self, at: usize) -> Option<ColumnId> {
        // "left office at the latest time"
        let at =
            if self.is_time_noun(at + 1) && self.is_thin(at.wrapping_sub(1)) { at - 1 } else { at };
        let name = at.checked_sub(1).filter(|&i| self.units[i].kind == UnitKind::Name)?;
        let column = self.column(name).filter(|_| self.table_rather(name).is_none())?;
        let first = (self.sentence_start(at)..name).all(|i| self.units[i].kind != UnitKind::Name);
        if first || self.key(name.wrapping_sub(1)) == Some(Key::Preposition) {
            return None;
        }
        self.take(name);
        Some(column)
    }

    /// Behind "and" or a comma, in a question with "for each".
    fn per_group(&self, at: usize) -> bool {
        let each = (0..self.units.len()).any(|i| self.key(i) == Some(Key::Each));
        let mut before = at.wrapping_sub(1);
        while before > 0 && before < at && self.is_thin(before) {
            before -= 1;
        }
        each && (self.key(before) == Some(Key::And)
            || self.units.get(before).is_some_and(|u| u.kind == UnitKind::Comma))
    }

    fn no_entity_before(&self, at: usize) -> bool {
        (self.sentence_start(at)..at).all(|i| self.units[i].kind != UnitKind::Name)
    }

    /// "the most common city": group by it, most rows first.
    fn read_frequent(&mut self, at: usize, most: bool) {
        // "the status that is most common of all bookings": the ranked thing stands before
        let before = self.key(at + 1) == Some(Key::Preposition);
        let name = self.next_solid(at + 1);
        let column = self.column(name).filter(|_| self.table_rather(name).is_none() && !before);
        if let Some(column) = column.filter(|_| self.speaks_of_others(at)) {
            return self.frequent_filter(at, name, column, most);
        }
        if let Some(column) = column {
            self.rank_values(at, column);
            self.select.push(Expression::column(column));
            self.take(name);
            let counted = Expression::count(column.table);
            return self.push_order(at, counted, most);
        }
        if let Some(user) = self.table(name)
            && let Some(column) = self.head_column(at)
            && column.table != user
            && self.refers(user, column.table)
        {
            self.take(name);
            return self.push_order(at, Expression::count(user), most);
        }
        if before
            && !self.is_adverb(at)
            && let Some(used) = self.head_table(at)
        {
            let user = self.table(name).filter(|&t| self.refers(t, used));
            if let Some(user) = user.or_else(|| self.user_of(used)) {
                self.push_order(at, Expression::count(user), most);
            }
            return;
        }
        if (before || self.followed_by_end(at + 1))
            && self.is_adverb(at)
            && self.head_column(at).is_none()
        {
            return self.rank_by_use(at, most);
        }
        let behind = self.table(name).filter(|_| !before);
        let Some(table) = behind.or_else(|| self.ranked_subject(at, most)) else { return };
        if behind.is_some() {
            self.take(name);
        }
        let phrase = &*self.units[at].folded;
        if ["sell", "sold"].iter().any(|verb| phrase.contains(verb)) {
            return self.rank_sold(at, table, most);
        }
        // a thing is popular by the rows that point to it: one such table, or it is not clear
        if let Some(user) = self.user_of(table) {
            self.push_order(at, Expression::count(user), most);
        }
    }

    /// "who came most often", "the most times": something is done so often, as nothing is common.
    fn is_adverb(&self, at: usize) -> bool {
        let last = self.units[at].folded.split(' ').next_back();
        matches!(last, Some("often" | "frequently" | "times"))
    }

    /// "customers using the most common …": the sentence is about something else than what is
    /// ranked.
    fn speaks_of_others(&self, at: usize) -> bool {
        (self.sentence_start(at)..at).any(|i| self.table_rather(i).is_some())
            && self.key(self.next_solid(at + 2)) != Some(Key::Each)
    }

    /// A condition on the most common value of a column.
    fn frequent_filter(&mut self, at: usize, name: usize, column: ColumnId, most: bool) {
        let inner = Query {
            select: vec![Expression::column(column)],
            group: vec![Target::Column(column)],
            order: vec![(Expression::count(column.table), most)],
            limit: Some(1),
            ..Query::default()
        };
        self.take(at);
        self.take(name);
        let operand = Operand::Query(Box::new(inner));
        let left = Expression::column(column);
        self.add_filter(at, Condition::Compare(left, Comparison::Equal, operand));
    }

    /// The table that the sentence names first, where no column stands before it.
    fn head_table(&self, at: usize) -> Option<TableId> {
        let name = (self.sentence_start(at)..at).find(|&i| self.units[i].kind == UnitKind::Name)?;
        self.table_rather(name)
    }

    /// The column that the sentence names first.
    fn head_column(&self, at: usize) -> Option<ColumnId> {
        let name = (self.sentence_start(at)..at).find(|&i| self.units[i].kind == UnitKind::Name)?;
        self.column(name).filter(|_| self.table_rather(name).is_none())
    }

    fn refers(&self, from: TableId, to: TableId) -> bool {
        self.catalog.keys.iter().any(|k| k.from == from && k.to == to)
    }

    pub fn is_plural(&self, at: usize) -> bool {
        self.units[at].folded.ends_with('s')
    }

    /// "bought the most", "ordered the greatest number of times": by the rows that point to the
    /// subject.
    fn rank_by_use(&mut self, at: usize, most: bool) {
        if let Some(column) = self.verb_column(at) {
            return self.push_order(at, Expression::column(column), most);
        }
        if self.is_size(at) {
            // "which store is the largest"
            let size = self.subject().and_then(|subject| self.size(at, subject));
            let ranked = size.map(|column| (Expression::column(column), most));
            return ranked.into_iter().for_each(|(size, most)| self.push_order(at, size, most));
        }
        let spent = at.checked_sub(1).and_then(|i| lexicon::measured_by(&self.units[i].folded));
        if let Some(nouns) = spent {
            let Some(total) = self.subject().and_then(|s| self.paid(s, nouns)) else { return };
            self.take(at - 1);
            return self.push_order(at, total, most);
        }
        let Some(user) = self.subject().and_then(|s| self.user_of(s)) else { return };
        for i in at..self.units.len().min(at + 3) {
            if self.key(i) == Some(Key::Count) {
                self.take(i);
            }
        }
        self.push_order(at, Expression::count(user), most);
    }

    /// The table whose rows use those of `table`: a named one with a key to it, or the only one.
    pub fn user_of(&self, table: TableId) -> Option<TableId> {
        let keys = self.catalog.keys.iter().filter(|k| k.to == table && k.from != table);
        let mut users: Vec<TableId> = keys.map(|k| k.from).collect();
        users.dedup();
        let named = users.iter().copied().find(|u| self.meanings.named.contains(u));
        named.or(if users.len() == 1 { users.first().copied() } else { None })
    }

    /// "the city that is most common": the column asked for is ranked, unless its table only
    /// lists what other tables use; then that table is returned.
    fn ranked_subject(&mut self, at: usize, most: bool) -> Option<TableId> {
        let name = (self.sentence_start(at)..at).find(|&i| self.units[i].kind == UnitKind::Name)?;
        let column = self.column(name).filter(|_| self.table_rather(name).is_none())?;
        let pointed =
            self.catalog.keys.iter().any(|k| k.to == column.table && k.from != column.table);
        if pointed && self.identifies(column) {
            return Some(column.table);
        }
        self.rank_values(at, column);
        self.push_order(at, Expression::count(column.table), most);
        None
    }

    /// The values of a column are ranked by how often they come; what is missing is no value.
    fn rank_values(&mut self, at: usize, column: ColumnId) {
        self.groups.push(Group::Column(column));
        if self.catalog.column(column).nullable {
            let condition = Condition::Null(column, true);
            self.filters.push(Filter { condition, or: false, and_same: false, at });
        }
    }

    /// "When was the first order placed": the earliest or latest date of a table.
    fn read_first_time(&mut self, at: usize) {
        let earliest = self.units[at].folded == "first";
        let Some(table) = self.table_rather(self.next_solid(at + 1)) else { return };
        let dated = self.catalog.column_ids(table).find(|&c| {
            self.catalog.column(c).class.is_temporal() || self.column_says(c, &["date"])
        });
        let Some(column) = dated else { return };
        let extreme = if earliest { Aggregate::Min } else { Aggregate::Max };
        self.select.push(Expression::aggregate(extreme, Target::Column(column)));
        self.take(at);
        self.take(self.sentence_start(at));
    }

    /// "top 3 students by gpa", "first 10 orders".
    fn read_top(&mut self, at: usize) {
        if self.key(self.sentence_start(at)) == Some(Key::When) {
            return self.read_first_time(at);
        }
        let Some(UnitKind::Number(digits)) = self.units.get(at + 1).map(|u| u.kind.clone()) else {
            return;
        };
        let by = (at + 2..self.units.len())
            .find(|&i| self.key(i) == Some(Key::Preposition) && self.units[i].folded == "by");
        // "the top 3 best selling products": ranked already by what is said of them
        let ranked = matches!(self.key(at + 2), Some(Key::Frequent(_)));
        if self.order.is_empty() && !ranked {
            match by {
                Some(by) => self.rank_top(at, by, by + 1),
                None if self.ranks_what_follows(at + 2) => self.rank_top(at, at + 2, at + 2),
                None => self.rank_by_date(at),
            }
        }
        if !self.order.is_empty() {
            self.limit = digits.parse().ok();
            self.take(at);
            self.take(at + 1);
        }
    }

    /// "the first 5 orders", "the last 3 customers": by the only date that they have.
    fn rank_by_date(&mut self, at: usize) {
        let latest = match self.units[at].folded.as_str() {
            "first" => false,
            "last" => true,
            _ => return,
        };
        let thing = self.table_rather(self.next_solid(at + 2));
        if let Some(column) = thing.and_then(|t| self.event_date(t)) {
            self.order.push((Expression::column(column), latest));
        }
    }

    /// "who have the top 3 number of orders", "with the top 5 scores": a number or a measure, and
    /// no thing of which the first are asked for.
    fn ranks_what_follows(&self, at: usize) -> bool {
        let measure = |c| self.numeric(c) && self.table_rather(at).is_none();
        self.key(at) == Some(Key::Count) || self.column(at).is_some_and(measure)
    }

    /// Rank by what is named from `from` on; the phrase begins at `start`.
    fn rank_top(&mut self, at: usize, start: usize, from: usize) {
        let mut name = self.next_solid(from);
        let mut counted = false;
        let mut aggregate = None;
        while let Some(key) = self.key(name) {
            match key {
                Key::Count => counted = true,
                Key::Aggregate(a) => aggregate = Some(a),
                _ => return,
            }
            name = self.next_solid(name + 1);
        }
        let named = self.units.get(name).is_some_and(|u| u.kind == UnitKind::Name);
        let expression = match self.computed(name) {
            Some(computed) => Some(computed.clone()),
            None if named => self.order_expression(name, counted, aggregate),
            None => None,
        };
        if let Some(expression) = expression {
            let best_first = !matches!(self.units[at].folded.as_str(), "last" | "bottom");
            self.order.push((expression, best_first));
            (start..=name).for_each(|i| self.take(i));
        }
    }
}
