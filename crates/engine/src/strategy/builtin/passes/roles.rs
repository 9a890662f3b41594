//! Roles: keys that say in which role a row of another table, or of the same one, takes part.
//! "The mentor of Ben", "teachers whose mentor is Ada", "flights from Oslo to Bergen". Each is a
//! condition on the key alone, so that the table it refers to may appear several times.

use crate::catalog::{ColumnId, KeyEnds, KeyId, TableId};
use crate::strategy::builtin::facts::only;
use crate::strategy::builtin::form::query::{Condition, Query};
use crate::strategy::builtin::meaning::resolve::TABLE_CERTAIN;
use crate::strategy::builtin::words::{Key, LEXICON, UnitKind, Words, lexicon};

use crate::text::{identifier_words, stem};

use super::{Filter, Reader};

/// How rows of a table name others of it.
struct Kin {
    table: TableId,
    /// Those that rows name which meet a condition.
    of: Way,
    /// Those that name rows which meet a condition.
    whose: Way,
}

/// The two columns that a membership condition compares, and the key that joins its rows.
struct Way {
    outer: ColumnId,
    inner: ColumnId,
    key: Option<KeyId>,
}

impl Reader<'_> {
    /// Of several keys between two tables, picks the one that the question names; if it names none
    /// and each is a role, the question is refused.
    pub fn choose_keys(&mut self, query: &mut Query) {
        for (depth, level) in query.clone().levels().into_iter().enumerate() {
            for key in self.tree(level).unwrap_or_default().keys {
                let between = self.between(key);
                if between.len() < 2 || between.iter().any(|k| level.keys.contains(k)) {
                    continue;
                }
                match self.meant(key)[..] {
                    [only] if depth == 0 || only == key => {
                        let said = self.role_said(only);
                        self.claim(said);
                        query.keys.extend(said.filter(|_| depth == 0).map(|_| only));
                    }
                    _ => {
                        let label = |&k: &KeyId| self.label(self.catalog.key(k).first_pair().0);
                        let labels: Vec<String> = between.iter().map(label).collect();
                        self.refuse(format!("Which is meant: {}?", labels.join(" or ")));
                    }
                }
            }
        }
    }

    /// The keys between the two tables of a key.
    fn between(&self, key: KeyId) -> Vec<KeyId> {
        let key = self.catalog.key(key);
        self.catalog.joins().keys_between(key.from, key.to)
    }

    /// The key, or the one beside it in whose part the question speaks of its rows; all of them where
    /// each is a role and none is said.
    pub fn meant(&self, key: KeyId) -> Vec<KeyId> {
        let between = self.between(key);
        match only(between.iter().filter(|&&k| self.role_said(k).is_some())) {
            Some(&said) => vec![said],
            None if self.catalog.is_role(self.catalog.key(key)) => between,
            None => vec![key],
        }
    }

    /// Where the question says in which part a key's rows take part.
    pub fn role_said(&self, key: KeyId) -> Option<usize> {
        let key = self.catalog.key(key);
        let (column, _) = key.first_pair();
        let target = self.facts.table_words(key.to);
        let role = || self.facts.words(column).iter().filter(|w| !target.contains(w));
        let ways = [(Words::Origin, Words::Leaving), (Words::Destination, Words::Arriving)];
        let way = ways.into_iter().find(|(of, _)| role().any(|word| of.has(word)));
        let said = |&i: &usize| {
            let named = self.is_name(i) && self.names_column(i, column);
            named && self.units[i].table_score() < TABLE_CERTAIN
                || way.is_some_and(|(_, said)| self.word(i).split(' ').any(|word| said.has(word)))
        };
        self.places().find(said)
    }

    /// Read "from" and "to" before the conditions that were read.
    pub fn read_ways(&mut self) {
        for i in 0..self.filters.len() {
            if let Some(condition) = self.end_of_way(&self.filters[i]) {
                self.filters[i].condition = condition;
                self.filters[i].and_same = false;
            }
        }
    }

    /// Rows of a table that name others of it: "the mentor of Ben" is whom Ben's key names, "whose
    /// mentor is Ada" whose key names Ada.
    pub fn read_kin(&mut self, at: usize) {
        let reports = self.reports_to(at);
        let named = self.own_column(at).filter(|_| self.is_name(at));
        // the team of somebody's `team_lead` are others than the lead
        if let Some(column) = named.filter(|c| self.own_key(*c).is_some() && self.half_said(at, *c))
        {
            let label = self.label(column);
            return self.refuse_at(at, format!("\"{}\" is only a part of {label}.", self.word(at)));
        }
        let own = reports.or(named).and_then(|column| self.own_key(column));
        let Some(kin) = own.or_else(|| self.link_to_itself(at)) else { return };
        let (next, linked) = (at + 1, kin.of.key.is_some());
        let says = |i: usize, words: &[&str]| words.contains(&self.word(i));
        let of = says(next, &["of"]) || linked && says(next, &["for", "to"]);
        let finite = linked && self.is_value(next);
        let is = reports.is_some()
            || finite && !self.is_thin(at - 1)
            || self.is(next, Key::Is)
            || says(next, &["by", "named", "called"]);
        let clause = |i| matches!(self.key(i), Some(Key::Clause | Key::Who));
        let ends = |&i: &usize| self.joins(i) || clause(i) || self.is_kind(i, UnitKind::Stop);
        let end = (next + 1..self.units.len()).find(ends).unwrap_or(self.units.len());
        // "who have Ada as their mentor"
        let lead = (0..at).rev().take_while(|&i| self.is_thin(i)).last().unwrap_or(at);
        // "Ada Berg's manager"
        let value = |i: &usize| self.is_value(*i);
        let owner = self.before(at).rev().take_while(value).last();
        let from = match (owner, lead.checked_sub(1)) {
            (Some(owner), _) if !of && !is => owner.saturating_sub(1),
            (_, Some(value)) if (lead..at).any(|i| says(i, &["as"])) => value.saturating_sub(1),
            _ if of || is => next,
            _ => return,
        };
        let end = if from < at { at } else { end };
        let from = if finite && !of { at } else { from };
        let of_kin =
            |f: &Filter| f.at > from && f.at < end && f.condition.tables().iter().eq([&kin.table]);
        if !self.filters.iter().any(of_kin) {
            return;
        }
        let filters = self.take_filters_between(from, end);
        // "Kim's supervisor", but "whom Kim supervises"
        let does = owner.is_some() && self.is_finite(at);
        let owned = of && from == next || owner.is_some() && from < at && !is && !does;
        let Way { outer, inner, key } = if owned { kin.of } else { kin.whose };
        let query = Query { filters, keys: key.into_iter().collect(), ..Query::of(inner) };
        self.entity.get_or_insert(kin.table);
        self.add_apart(at, Some(next).filter(|_| from == next), Condition::among(outer, query));
    }

    /// Whether the word at `at` is one that a column's name has before the noun for what it holds.
    fn half_said(&self, at: usize, column: ColumnId) -> bool {
        let own = self.facts.table_stems(column.table);
        let noun = |word: &&String| !own.contains(word) && !matches!(&***word, "id" | "by" | "to");
        let mut nouns = self.facts.stems(column).iter().filter(noun).rev();
        let said = |noun: &String| identifier_words(self.word(at)).iter().any(|w| stem(w) == *noun);
        nouns.next().is_some_and(|noun| !said(noun)) && nouns.any(said)
    }

    /// A verb of the key that the unit at `at` names, and no noun for whom it names.
    fn is_finite(&self, at: usize) -> bool {
        let word = self.word(at).trim_end_matches('s');
        let noun = |c| self.facts.words(c).iter().any(|w| w.trim_end_matches('s') == word);
        let helped = self.before(at).any(|i| matches!(self.word(i), "do" | "does" | "did"));
        helped || !lexicon::is_person(self.word(at)) && self.column(at).is_some_and(|c| !noun(c))
    }

    /// The key of a table to itself that a column is.
    fn own_key(&self, column: ColumnId) -> Option<Kin> {
        let key = self.catalog.key(self.facts.key_of(column)?);
        let (_, identity) = key.first_pair();
        (key.to == key.from).then_some(Kin {
            table: column.table,
            of: Way { outer: identity, inner: column, key: None },
            whose: Way { outer: column, inner: identity, key: None },
        })
    }

    /// "the prerequisite of Rings", "courses that require Rings": a table named at `at` that links rows of
    /// another with others of it, by one key that says only which and one that says in which part.
    fn link_to_itself(&self, at: usize) -> Option<Kin> {
        let keys = self.catalog.joins().keys_from(self.table_rather(at)?);
        let single = |&&k: &&KeyId| self.catalog.key(k).from_columns.len() == 1;
        let (roles, plain): (Vec<KeyId>, Vec<KeyId>) =
            keys.iter().filter(single).partition(|&&k| self.catalog.is_role(self.catalog.key(k)));
        let (&[part], &[which]) = (&roles[..], &plain[..]) else { return None };
        let (to, part_of) = (self.catalog.key(which).to, self.catalog.key(part).to);
        let column = |k: KeyId| self.catalog.key(k).first_pair().0;
        let (_, outer) = self.catalog.key(which).first_pair();
        (to == part_of && keys.len() == 2).then(|| Kin {
            table: to,
            of: Way { outer, inner: column(part), key: Some(which) },
            whose: Way { outer, inner: column(which), key: Some(part) },
        })
    }

    /// "who report to Anna": the key of the subject to itself that says whom.
    fn reports_to(&self, at: usize) -> Option<ColumnId> {
        let nouns = LEXICON.measured_by.get(self.word(at))?;
        let reports = self.word(at).starts_with("report") && self.word(at + 1) == "to";
        let subject = self.subject().filter(|_| reports && self.table_rather(at).is_none())?;
        let keys = self.catalog.keys_that(|k| k.from == subject && k.to == subject);
        keys.map(|k| k.first_pair().0).find(|c| self.facts.says_stem(*c, nouns))
    }

    /// The end of a way that a preposition says: the words of columns that hold it.
    pub fn toward(&self, at: usize) -> Option<Words> {
        match self.word(at) {
            "from" => Some(Words::Origin),
            "to" => Some(Words::Destination),
            _ => None,
        }
    }

    /// "from Oslo", "to Bergen", where two keys lead to the table of the place: the condition on
    /// the key that says so.
    fn end_of_way(&self, filter: &Filter) -> Option<Condition> {
        let before = (0..filter.at).rfind(|&i| !self.is_filler(i))?;
        let end = self.toward(before)?;
        let place = filter.condition.tables().first().copied()?;
        let twice = |k: KeyEnds| {
            self.catalog.key_ends.iter().filter(|o| o.from == k.from && o.to == k.to).count() > 1
        };
        let to_it = |k: KeyEnds| k.to == place && k.from != place && twice(k);
        let ways = self.catalog.keys_that(to_it).filter(|k| k.from_columns.len() == 1);
        let ways = ways.filter(|k| self.facts.says(k.first_pair().0, end));
        let (from, to) = only(ways)?.first_pair();
        let filters = vec![filter.condition.clone()];
        Some(Condition::among(from, Query { filters, ..Query::of(to) }))
    }
}
