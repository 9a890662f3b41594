//! Queries that must not be answers, however well they fit the words: sums over rows that joins
//! repeat, numbers stored as text, results that the question itself states.

use std::collections::BTreeSet;

use crate::catalog::joins::JoinTree;
use crate::catalog::{ColumnId, TableId};
use crate::strategy::builtin::passes::read::Reader;
use crate::strategy::builtin::words::{Key, LEXICON, UnitKind, Words, is_participle};
use crate::text::stem;

use super::projection::is_tag;
use super::query::{Aggregate, Comparison, Condition, Expression, Operand, Query, Target};
use super::sql::repeats;

impl Reader<'_> {
    /// Refuse the question for each rule that a query breaks, unless a pass has already said why it is refused.
    pub fn refuse_broken(&mut self, query: &Query) {
        if self.reading.unclear {
            return;
        }
        let levels = query.levels();
        // in any order, but that the reason of the last is told first
        let reasons = [
            self.shared_modifier(query),
            self.opposed(query),
            self.rows_per_group(query),
            self.averages_apart(query),
            levels.iter().find_map(|level| self.single_counts(level)),
            self.deeds(query),
            self.repeated(query),
            self.sums(query),
            self.stated(query),
            self.text(query),
            levels.iter().find_map(|level| self.arrays(level)),
            self.ranked_lines(query),
            self.missing_keys(query),
            self.idle_groups(query),
            self.headless(query),
            self.doers(query),
            self.numbers_for_names(query),
            self.keys_for_names(query),
            self.year_for_age(query),
            self.borrowed(query),
            self.unasked(query),
        ];
        reasons.into_iter().flatten().for_each(|reason| self.refuse(reason));
    }

    /// A row refers to one other, which is not called two things.
    fn refers_twice(&self, one: &Condition, other: &Condition) -> bool {
        let (
            Condition::In { column: a, query: one, negated: false },
            Condition::In { column: b, query: other, negated: false },
        ) = (one, other)
        else {
            return false;
        };
        let shown = |query: &Query| query.select.first().and_then(|e| e.target.column());
        let apart = |f: &Condition| other.filters.iter().any(|other| f.excludes(other));
        a == b
            && one.select == other.select
            && one.needed_tables().len() == 1
            && shown(one).is_some_and(|c| self.facts.unique(c))
            && one.filters.iter().any(apart)
    }

    /// "top 5 products by quantity sold" by the quantities of single lines: things are not ranked
    /// by what they have many of.
    fn ranked_lines(&self, query: &Query) -> Option<String> {
        let lists = query.shows_rows() && query.limit != Some(1);
        let ranked = query.order.first().filter(|_| lists);
        let ranked = ranked.and_then(|(e, _)| e.target.column());
        let shown = query.select.first().map(|e| e.target.table());
        let apart = |c: &ColumnId| {
            let said = query.limit.is_none() && self.meanings.named.contains(&c.table);
            !said && query.select.iter().all(|e| e.target.table() != c.table)
        };
        let (column, thing) = ranked.zip(shown).filter(|(c, _)| apart(c))?;
        repeats(self.catalog, thing, &self.tree(query)?).then(|| {
            let label = self.label(column);
            format!("Should {label} be added up, or is its highest single value meant?")
        })
    }

    /// "the route with the most deliveries" by the routes themselves: where each group is one row,
    /// there is nothing to count.
    fn single_counts(&self, query: &Query) -> Option<String> {
        let counts = |e: &&Expression| e.aggregate == Some(Aggregate::Count);
        let counted: Vec<&Target> = computed(query).filter(counts).map(|e| &e.target).collect();
        let rows = self.places().any(|i| self.names_rows(i) || self.says_times(i));
        // what has a name may have it twice, but nobody counts names
        let own = |c: &ColumnId| counted.contains(&&Target::Rows(c.table));
        let unique = |c: &ColumnId| self.facts.unique(*c);
        let single = |c: &ColumnId| unique(c) || self.facts.identifies(*c) && !rows && own(c);
        let mut columns = query.group.iter().filter_map(Target::column);
        let tree = self.tree(query);
        let again = |c: &ColumnId| tree.as_ref().is_none_or(|t| repeats(self.catalog, c.table, t));
        let alone = columns.find(|c| single(c) && !again(c) || unique(c) && own(c));
        let alone = alone.filter(|_| !counted.is_empty());
        let label = self.catalog.table_label(alone?.table);
        Some(format!("Each group is one row of {label}, so there is nothing to count."))
    }

    /// "What was planted on the field?" by whole rows of `planting`, "the color of the shirt" by rows
    /// of `attributes`: nothing says what of them is asked for.
    fn deeds(&self, query: &Query) -> Option<String> {
        let [Expression { aggregate: None, target: Target::Rows(table), .. }] = query.select[..]
        else {
            return None;
        };
        let names = |i: &usize| self.table_rather(*i) == Some(table);
        let deed = |i: usize| is_participle(self.word(i));
        let label = self.catalog.table_label(table);
        (!self.everything && self.places().filter(names).all(deed))
            .then(|| format!("It is unclear what is asked about {label}."))
    }

    /// "for each tag" of a column of tags: each row has several, and the array as a whole is nothing
    /// that a question compares, ranks or groups by.
    fn arrays(&self, query: &Query) -> Option<String> {
        let array = |c: &ColumnId| self.catalog.column(*c).data_type.ends_with("[]");
        let alike = |e: &&Expression| query.distinct || e.aggregate.is_some();
        let shown = query.select.iter().filter(alike).chain(query.order.iter().map(|(e, _)| e));
        let compared = query.conditions().flat_map(Condition::columns);
        let grouped = query.group.iter().filter_map(Target::column);
        let mut columns = shown.filter_map(|e| e.target.column()).chain(grouped).chain(compared);
        let label = self.label(columns.find(array)?);
        Some(format!("{label} holds several values in each row."))
    }

    /// Text that is compared, ranked or added up like numbers, where it holds more than numbers:
    /// '9.50' comes after '100.00' there, and adds up to nothing.
    fn text(&self, query: &Query) -> Option<String> {
        let text = |c: &ColumnId| {
            let numeral = self.flags.numerals.contains(c);
            self.facts.has_text(*c) && !self.facts.temporal(*c) && !numeral
        };
        let ordered = query.conditions().find_map(|f| match f {
            Condition::Compare(e, comparison, Operand::Text(digits)) => {
                let number = comparison.side().is_some() && digits.parse::<f64>().is_ok();
                e.target.column().filter(|_| number)
            }
            Condition::Between(c, Operand::Number(_), _) => Some(*c),
            _ => None,
        });
        let added = added(query).find(text);
        // the greatest text is the last of the alphabet
        let spelled = self.has_key(Key::Alphabetic);
        let ranked = query.order.first().filter(|_| query.limit.is_some() && !spelled);
        let ranked = ranked.and_then(|(e, _)| e.plain_column());
        let ranked = ranked.filter(|c| !self.facts.identifies(*c));
        let column = added.or(ordered.filter(text)).or(ranked.filter(text))?;
        Some(format!("{} is stored as text, not as a number.", self.label(column)))
    }

    /// "What did Anna Schmidt order?" by her own name: what is shown was said in the question.
    fn stated(&self, query: &Query) -> Option<String> {
        let asked =
            |c| self.places().any(|i| self.own_column(i) == Some(c) && self.is_time_noun(i));
        let equal = query.filters.iter().filter_map(|f| match f {
            Condition::Compare(e, Comparison::Equal, Operand::Text(_)) => e.target.column(),
            // "sign-ups last month" by the days
            Condition::Within(c, ..) => Some(*c).filter(|c| !asked(*c) && !self.has_key(Key::When)),
            _ => None,
        });
        let stated: Vec<ColumnId> = equal.collect();
        let said = |e: &Expression| e.plain_column().is_some_and(|c| stated.contains(&c));
        (query.group.is_empty() && !query.select.is_empty() && query.select.iter().all(said))
            .then(|| "The likely query only returns what the question already says.".to_owned())
    }

    /// "the total time logged" where only the day is known, "the total commission" where only its
    /// rate is: these add up to nothing.
    fn sums(&self, query: &Query) -> Option<String> {
        let mut added = query.shown().filter_map(|e| Some((e.aggregate?, e.target.column()?)));
        // "how many home matches" by the goals at home
        let modifies = |i: usize, c: ColumnId| {
            let counted = self.is(i.wrapping_sub(1), Key::Count) && self.own_column(i) == Some(c);
            let said = |i: usize| self.word(i).split(' ').next_back().map(stem);
            let head = self.facts.stems(c).last();
            let told = [i, i + 1].into_iter().any(|i| said(i).as_ref() == head);
            counted && self.table_rather(i + 1).is_some() && !told
        };
        added.find_map(|(aggregate, c)| {
            if self.places().any(|i| modifies(i, c)) {
                return Some(format!("Nothing in the question asks for {}.", self.label(c)));
            }
            let what = match aggregate {
                Aggregate::Sum | Aggregate::Avg if self.facts.is_calendar(c) => "dates",
                Aggregate::Sum if self.facts.says(c, Words::Portions) => "rates or unit prices",
                _ => return None,
            };
            Some(format!("{} holds {what}, which cannot be added up.", self.label(c)))
        })
    }

    /// "who has not reported a ticket" by tickets that nobody reported: what a join needs is there.
    fn missing_keys(&self, query: &Query) -> Option<String> {
        let tree = self.tree(query)?;
        let keys = tree.keys.iter().chain(&query.keys).map(|&k| self.catalog.key(k));
        let from = Vec::from_iter(keys.flat_map(|k| k.column_pairs()).map(|(from, _)| from));
        let joined = |c: &ColumnId| tree.tables.len() > 1 && from.contains(c);
        // "parties without a delegate": without a row of theirs, not with one that names none
        let shown = query.select.first().and_then(|e| e.target.shown().first().copied());
        let among = |c: &ColumnId| {
            // "unpaid invoices" are there
            let thing = |i| self.names_column(i, *c) && self.table_rather(i + 1) == Some(c.table);
            let done = self.places().any(|i| self.says_done(i, *c) || thing(i));
            shown.is_some_and(|shown| self.has_many(shown, c.table)) && !done
        };
        let mut missing = query.filters.iter().filter_map(|f| match f {
            Condition::IsNull { column, negated: false } => Some(*column),
            _ => None,
        });
        let label = self.label(missing.find(|c| joined(c) || among(c))?);
        Some(format!("It is unclear whether {label} must be empty or the whole row missing."))
    }

    /// "the revenue per month", where a month has many: one number each is asked for, and which
    /// one is not said.
    fn rows_per_group(&self, query: &Query) -> Option<String> {
        if !query.shows_rows() || !self.says_per() {
            return None;
        }
        let one_each = |group: &Target, shown: ColumnId| {
            let told = group.column().is_some_and(|c| self.facts.unique(c));
            let single = told || matches!(group, Target::Rows(_));
            single && shown.table == group.table()
        };
        let shown = query.select.iter().filter_map(|e| e.target.column());
        let mut numbers = shown.filter(|&c| self.facts.numeric(c) && !self.facts.temporal(c));
        let many = numbers.any(|c| self.each.iter().any(|group| !one_each(group, c)));
        many.then(|| {
            "Which value is wanted for each: the total, the average or the highest?".to_owned()
        })
    }

    /// "the average age of boys and girls": of each, or of all of them.
    fn averages_apart(&self, query: &Query) -> Option<String> {
        let averaged = query.select.iter().any(|e| e.aggregate == Some(Aggregate::Avg));
        let stored = |at: usize| Some(self.units.get(at)?.values.first()?.column);
        let pair = |at: &usize| {
            let before = at.checked_sub(1).and_then(stored);
            self.is(*at, Key::And) && before.is_some() && before == stored(self.next_solid(at + 1))
        };
        // "boys and girls per class"
        let figure = averaged && query.group.is_empty() || query.aggregates() && self.says_per();
        let and = self.places().find(pair).filter(|_| figure)?;
        let (one, other) = (&self.units[and - 1].text, &self.units[self.next_solid(and + 1)].text);
        Some(format!("Is one figure of {one} and {other} wanted, or one for each?"))
    }

    /// What an average or sum, or a count, would take several times.
    fn repeated(&self, query: &Query) -> Option<String> {
        let tree = self.tree(query)?;
        let chasm = self.chasm(query, &tree);
        chasm.or_else(|| self.unnamed(query, &tree)).or_else(|| self.fans(query, &tree))
    }

    /// "who played the most sports" by sports and games together: what has no single key is counted
    /// once for each row that joins make of it.
    fn chasm(&self, query: &Query, tree: &JoinTree) -> Option<String> {
        let counted = computed(query).filter_map(|e| match (&e.target, e.aggregate) {
            (Target::Rows(table), Some(Aggregate::Count)) => Some(*table),
            _ => None,
        });
        let keyed = |t: TableId| self.catalog.table(t).primary_key.len() == 1;
        let chasm = tree.tables.iter().any(|one| self.many_rows_to(*one, tree) > 1);
        let mut open = counted.filter(|&t| chasm && !keyed(t) && repeats(self.catalog, t, tree));
        let label = self.catalog.table_label(open.next()?);
        Some(format!("The join repeats rows of {label}, so some would be counted several times."))
    }

    /// "the average rating of each category" by the rating of suppliers, once for each product of
    /// theirs: an average or sum over rows that nobody named and that joins repeat is not meant.
    fn unnamed(&self, query: &Query, tree: &JoinTree) -> Option<String> {
        let named = |c: &ColumnId| self.meanings.named.contains(&c.table);
        let repeated = |c: &ColumnId| self.many_rows_to(c.table, tree) > 0;
        let column = added(query).find(|c| !named(c) && repeated(c))?;
        let (label, table) = (self.label(column), self.catalog.table_label(column.table));
        Some(format!("{label} belongs to {table}, which the question does not mention."))
    }

    /// What several tables answer is not added up over the rows of one alone.
    fn fans(&self, query: &Query, tree: &JoinTree) -> Option<String> {
        let several = query.answer_tables().len() > 1;
        let column = added(query).find(|c| several && repeats(self.catalog, c.table, tree))?;
        let label = self.label(column);
        Some(format!("The join repeats rows, so {label} would be counted several times."))
    }

    /// How many joins give one row of a table several others.
    fn many_rows_to(&self, table: TableId, tree: &JoinTree) -> usize {
        let keys = tree.keys.iter().map(|&k| self.catalog.key(k)).filter(|k| k.to == table);
        keys.filter(|k| !self.catalog.table(k.from).is_unique_over(&k.from_columns)).count()
    }

    /// Conditions that no row meets.
    fn opposed(&self, query: &Query) -> Option<String> {
        let opposed = query.levels().into_iter().any(|Query { filters, .. }| {
            filters.iter().enumerate().any(|(i, other)| {
                filters[..i].iter().any(|f| f.excludes(other) || self.refers_twice(f, other))
            })
        });
        opposed.then(|| "Two of the conditions cannot both be true.".to_owned())
    }

    /// "books with more than 400 pages" by their pages alone: which books these are is not told.
    fn headless(&self, query: &Query) -> Option<String> {
        let asks = |at: usize| (at..self.units.len()).any(|i| self.is(i, Key::Ask));
        // "the three most used parts"
        let ranks = |i: usize| {
            let number = self.number(i).is_some();
            number || matches!(self.key(i), Some(Key::Frequent(_) | Key::Top)) || self.is_filler(i)
        };
        let heads = |i: usize| self.at_head(i) || (self.sentence_start(i)..i).all(ranks);
        let thing = |i: usize| self.is_plural(i) && !self.is_name(i + 1) && heads(i);
        let mut heads = self.places().filter(|&i| thing(i) && !asks(i));
        // "nurses" by what is stored of them
        let of_value = |i: usize| {
            let value = self.units[i].values.first().filter(|_| self.is_value(i));
            value.map(|v| v.column.table)
        };
        let of = |i| Some((i, self.table_rather(i).or_else(|| of_value(i))?));
        let (at, table) = heads.find_map(of)?;
        let told = |e: &Expression| {
            let own = e.target.tables() == [table] && e.target != Target::Rows(table);
            let names = |c| self.facts.identifies(c) || self.facts.key_columns(table).contains(&c);
            !own || e.is_aggregate() || e.plain_column().is_some_and(names)
        };
        // "the three most used parts" by quantities in which they were
        let there = |c: &ColumnId| c.table == table || self.facts.refers_to(*c) == Some(table);
        let absent = !query.columns().iter().any(there) && !query.needed_tables().contains(&table);
        let none = !query.select.is_empty() && (absent || !query.select.iter().any(told));
        none.then(|| format!("The likely query does not show which {} these are.", self.word(at)))
    }

    /// "what did the customer order?" by the name of the customer.
    fn doers(&self, query: &Query) -> Option<String> {
        let mut content = self.places().filter(|&i| !self.is_filler(i));
        let what = content.next().filter(|&i| self.word(i) == "what")?;
        let helped = matches!(self.word(what + 1), "do" | "does" | "did" | "has" | "have");
        let doer = self.next_solid(what + 2);
        let table = self.table_rather(doer).filter(|_| helped)?;
        let own = |e: &Expression| {
            !e.is_aggregate()
                && e.target.column().is_some_and(|c| self.facts.display(table).contains(&c))
        };
        let only = !query.select.is_empty() && query.select.iter().all(own);
        only.then(|| format!("What is asked for of {} is not shown.", self.units[doer].text))
    }

    /// "flights cancelled this year" by the day on which a booking was: what a verb says is stored of rows
    /// that nobody named, of which each thing has many.
    fn borrowed(&self, query: &Query) -> Option<String> {
        let thing = self.entity.or_else(|| self.subject())?;
        let other = |c: &ColumnId| {
            let named =
                self.meanings.named.contains(&c.table) || self.facts.are_one(c.table, thing);
            !named && self.has_many(thing, c.table) && self.facts.temporal(*c)
        };
        // "courses start" by their sessions
        let does = |i: usize| {
            let of_thing = i.checked_sub(1).is_some_and(|i| self.table_rather(i).is_some());
            of_thing && !is_participle(self.word(i))
        };
        let verb =
            |i: usize| self.own_column(i).filter(|c| !self.is_time_noun(i) && !does(i) && other(c));
        let column = self.places().find_map(verb)?;
        let compared = query.conditions().any(|f| f.columns().contains(&column));
        let (label, table) = (self.label(column), self.catalog.table_label(column.table));
        compared
            .then(|| format!("{label} belongs to {table}, which the question does not mention."))
    }

    /// "Which foreman …" by a number of theirs of which no key says whose it is.
    fn numbers_for_names(&self, query: &Query) -> Option<String> {
        let number = |c: &ColumnId| {
            let ends = self.facts.words(*c).last().is_some_and(|w| is_tag(w));
            ends && self.facts.has_numbers(*c) && !self.facts.is_key(*c)
        };
        let mut shown = query.select.iter().filter_map(Expression::plain_column).filter(number);
        let said = |c: &ColumnId| {
            let mut names = self.places().filter(|&i| self.column(i) == Some(*c)).peekable();
            names.peek().is_some() && !names.any(|i| self.is_tagged(i))
        };
        let label = self.label(shown.find(said)?);
        Some(format!("Only the number is stored, in {label}: no key says whose it is."))
    }

    /// "nurses hired before 2020" by their keys, though they have names.
    fn keys_for_names(&self, query: &Query) -> Option<String> {
        let [shown] = &query.select[..] else { return None };
        let key = shown.plain_column().filter(|c| self.facts.key_columns(c.table) == [*c])?;
        let named = self.facts.display(key.table).iter().all(|c| !self.facts.is_key(*c));
        let asked = self.places().any(|i| self.is_tagged(i));
        let label = self.catalog.table_label(key.table);
        (named && !asked).then(|| format!("The likely query shows only keys of {label}."))
    }

    /// "older than 10 years" by a year below ten: the year is stored, not the age.
    fn year_for_age(&self, query: &Query) -> Option<String> {
        let column = query.conditions().find_map(|f| match f {
            Condition::Compare(e, _, Operand::Number(digits)) if digits.len() < 3 => {
                e.plain_column().filter(|c| self.facts.words(*c).iter().any(|w| w == "year"))
            }
            _ => None,
        })?;
        let spans = self.places().any(|i| self.word(i) == "years");
        spans.then(|| format!("{} is a year, not a number of years.", self.label(column)))
    }

    /// "for each store": a group whose table the query does not read divides nothing.
    fn idle_groups(&self, query: &Query) -> Option<String> {
        let needed = query.needed_tables();
        // days of which nothing speaks, "admissions per show" by the number of shows
        let part = |i: usize| LEXICON.parts.contains_key(self.word(i));
        let timeless = !self.says_time() && !self.places().any(part);
        let number = |c| self.facts.numeric(c) && self.facts.says_several(c);
        let odd = |c| number(c) || timeless && self.facts.is_calendar(c);
        let none = |t: &Target| !needed.contains(&t.table()) || t.column().is_some_and(odd);
        self.each.iter().any(none).then(|| "The likely query has no group for \"each\".".to_owned())
    }

    /// "Which make do we have most of?" by the shipments of trucks: rows of a table that no word names,
    /// nor a column or value of it.
    fn unasked(&self, query: &Query) -> Option<String> {
        let defined = self.units.iter().any(|u| matches!(u.kind, UnitKind::Defined(_)));
        if defined || self.has_key(Key::Who) || self.has_key(Key::Where) {
            return None;
        }
        let tables = query.needed_tables();
        let mut asked: BTreeSet<TableId> = self.reading.said.clone();
        for unit in self.units {
            asked.extend(unit.tables.iter().map(|t| t.item));
            asked.extend(unit.values.iter().map(|v| v.column.table));
        }
        // "delivered the most milk" by the members of a village
        let counted = query.order.iter().find_map(|(e, _)| match e.target {
            Target::Rows(table) if tables.len() > 2 && !asked.contains(&table) => Some(table),
            _ => None,
        });
        asked.extend(self.units.iter().flat_map(|u| &u.columns).map(|c| c.item.table));
        asked.extend(query.filters.iter().flat_map(Condition::columns).map(|c| c.table));
        // "orders with a shipping address": the key is named
        asked.extend(query.keys.iter().map(|&k| self.catalog.key(k).to));
        let is_asked = |t: &TableId| asked.iter().any(|a| a == t || self.facts.are_one(*a, *t));
        let unasked = counted.or_else(|| tables.into_iter().find(|t| !is_asked(t)))?;
        Some(format!("Nothing in the question asks for {}.", self.catalog.table_label(unasked)))
    }
}

/// What is shown, compared among groups or ordered by.
fn computed(query: &Query) -> impl Iterator<Item = &Expression> {
    let compared = query.having.iter().filter_map(|c| match c {
        Condition::Compare(left, ..) => Some(left),
        _ => None,
    });
    compared.chain(query.shown())
}

/// The columns that are added up or averaged.
fn added(query: &Query) -> impl Iterator<Item = ColumnId> {
    let adds = |e: &&Expression| matches!(e.aggregate, Some(Aggregate::Sum | Aggregate::Avg));
    query.shown().filter(adds).filter_map(|e| e.target.column())
}
