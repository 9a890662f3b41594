//! Reading: from units with meanings to a query form. What no part of the form asks for was not understood.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::catalog::joins::JoinTree;
use crate::catalog::{Catalog, ColumnId, TableId};
use crate::strategy::builtin::facts::Facts;
use crate::strategy::builtin::form::query::{Condition, Direction, Expression, Query, Target};
use crate::strategy::builtin::meaning::flags::Flags;
use crate::strategy::builtin::meaning::resolve::{Meanings, TABLE_CERTAIN};
use crate::strategy::builtin::words::{Day, Key, LEXICON, Meaning, Unit, UnitKind, Words};

/// What claims a unit, so that nothing else reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Nothing yet.
    Free,
    /// Grammar, which passes may look at but need not read.
    Grammar,
    /// A part of the reading; the accounting looks for it in the finished query.
    Part,
    /// A phrase, whatever else the unit names.
    Phrase,
    /// A pass that cannot place it: it stays unread.
    Refused,
}

/// What a word came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A part of the query.
    Part(&'static str),
    /// It holds the sentence together.
    Grammar,
    /// It is said to be polite.
    Courtesy,
    /// Nothing in the query is for it.
    Unread,
}

impl Role {
    /// A part of the query, where it is one.
    pub fn part_where(is_part: bool, part: &'static str) -> Self {
        if is_part { Self::Part(part) } else { Self::Unread }
    }

    /// The role in a word, for the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Part(part) => part,
            Self::Grammar => "grammar",
            Self::Courtesy => "courtesy",
            Self::Unread => "unread",
        }
    }
}

/// An ordering of which only the direction is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingOrder {
    /// By what is shown first.
    ByFirst(Direction),
    /// By the number of its rows.
    ByRows(Direction),
}

/// A condition with how it hangs on the one before.
#[derive(Debug, Clone)]
pub struct Filter {
    pub condition: Condition,
    /// Joined to the one before by "or".
    pub or: bool,
    /// Joined by "and" to one on the same column: both must hold, for different rows.
    pub and_same: bool,
    /// Unit it was read at.
    pub at: usize,
}

/// Rows that must not be there.
pub struct Absent {
    /// Whose rows lack them.
    pub subject: TableId,
    /// The values of which no row has them, where no thing is spoken of: "cities without a branch".
    pub of: Option<ColumnId>,
    /// Their table, and those that they are joined to.
    pub tables: Vec<TableId>,
    /// What they would meet.
    pub inner: Vec<Condition>,
}

/// The reading of one question.
pub struct Reader<'a> {
    pub catalog: &'a Catalog,
    /// What it says of its tables.
    pub facts: Facts<'a>,
    /// The server's date, where the question speaks of ages.
    pub today: Option<Day>,
    /// The columns that spell no and yes.
    pub flags: &'a Flags,
    pub units: &'a [Unit],
    /// What the units name.
    pub meanings: Meanings,
    /// What claims each unit.
    pub claims: Vec<Claim>,
    /// The query form so far; of what it needs, conditions on rows and groups are still apart.
    pub query: Query,
    /// What else reading came to so far.
    pub reading: Reading,
    /// Everything of the entity is asked for.
    pub everything: bool,
    /// The table that the question is about.
    pub entity: Option<TableId>,
    /// Conditions on rows, in order.
    pub filters: Vec<Filter>,
    /// Those of them on one column that must hold for different rows.
    pub both: Vec<Condition>,
    /// How many select items were asked for in words.
    pub asked: usize,
    /// What groups: columns, parts of dates, the rows of a table.
    pub groups: Vec<Target>,
    /// Those of them that "each" or "per" names.
    pub each: Vec<Target>,
    /// An ordering without its column.
    pub order_pending: Option<PendingOrder>,
    /// Tables without a matching row, with conditions on these rows.
    pub absent: Vec<Absent>,
    /// Units that a condition was read at.
    pub stated: BTreeSet<usize>,
}

/// What reading came to.
#[derive(Default)]
pub struct Reading {
    pub query: Query,
    /// What each unit came to.
    pub roles: Vec<Role>,
    /// What makes it less certain.
    pub doubts: Vec<String>,
    /// Whether the question is refused, whatever else was understood.
    pub unclear: bool,
    /// What the asker should know of how the question was read.
    pub notes: Vec<String>,
    /// Tables that only a verb speaks of, by which the others are joined.
    pub said: BTreeSet<TableId>,
    /// Columns shown that nobody named: what stands for a row where the row was asked for.
    pub assumed: Vec<ColumnId>,
    /// Columns of dates that were taken though nobody named them.
    pub defaults: Vec<ColumnId>,
    /// Columns of text that hold nothing but numbers.
    pub numerals: BTreeSet<ColumnId>,
}

impl<'a> Reader<'a> {
    /// Read units.
    pub fn new(
        catalog: &'a Catalog,
        units: &'a [Unit],
        meanings: Meanings,
        today: Option<Day>,
        flags: &'a Flags,
    ) -> Self {
        let structural = |u: &Unit| match u.kind {
            UnitKind::Filler | UnitKind::Comma | UnitKind::Stop => Claim::Grammar,
            UnitKind::Key(Key::Is | Key::Preposition | Key::Clause | Key::Either) => Claim::Grammar,
            UnitKind::Key(Key::Ask | Key::And | Key::Any | Key::Both | Key::Who) => Claim::Grammar,
            _ => Claim::Free,
        };
        Self {
            catalog,
            facts: Facts::of(catalog).with_numerals(&flags.numerals),
            today,
            flags,
            units,
            meanings,
            claims: units.iter().map(structural).collect(),
            query: Query::default(),
            reading: Reading::default(),
            everything: false,
            entity: None,
            filters: Vec::new(),
            both: Vec::new(),
            asked: 0,
            groups: Vec::new(),
            each: Vec::new(),
            order_pending: None,
            absent: Vec::new(),
            stated: BTreeSet::new(),
        }
    }

    /// Note a doubt.
    pub fn doubt(&mut self, reason: impl Into<String>) {
        self.reading.doubts.push(reason.into());
    }

    /// Refuse the question because of a unit, and note why; no other pass reads it.
    pub fn refuse_at(&mut self, at: usize, reason: impl Into<String>) {
        self.refuse(reason);
        self.claims[at] = Claim::Refused;
    }

    /// Refuse the question, and note why.
    pub fn refuse(&mut self, reason: impl Into<String>) {
        self.reading.doubts.insert(0, reason.into());
        self.reading.unclear = true;
    }

    /// Note what the asker should know.
    pub fn note(&mut self, what: impl Into<String>) {
        self.reading.notes.push(what.into());
    }

    /// The key of a unit.
    pub fn key(&self, at: usize) -> Option<Key> {
        self.units.get(at).and_then(Unit::key)
    }

    /// Whether the unit at `at` is the function word `key`.
    pub fn is(&self, at: usize, key: Key) -> bool {
        self.key(at) == Some(key)
    }

    /// Whether the unit at `at` is "and" or "or".
    pub fn joins(&self, at: usize) -> bool {
        matches!(self.key(at), Some(Key::And | Key::Or))
    }

    /// Whether any unit is the function word `key`.
    pub fn has_key(&self, key: Key) -> bool {
        self.places().any(|at| self.is(at, key))
    }

    /// Whether the question says "per".
    pub fn says_per(&self) -> bool {
        self.places().any(|at| self.is(at, Key::Each) && self.word(at) == "per")
    }

    /// Whether there is a unit at `at`, of this kind.
    pub fn is_kind(&self, at: usize, kind: UnitKind) -> bool {
        self.units.get(at).is_some_and(|u| u.kind == kind)
    }

    /// Whether there is a unit at `at`, and it may name a table or a column.
    pub fn is_name(&self, at: usize) -> bool {
        self.is_kind(at, UnitKind::Name)
    }

    /// Whether there is a stored value at `at`.
    pub fn is_value(&self, at: usize) -> bool {
        self.is_kind(at, UnitKind::Value)
    }

    /// Whether there is a word at `at` without content of its own.
    pub fn is_filler(&self, at: usize) -> bool {
        self.is_kind(at, UnitKind::Filler)
    }

    /// The digits of the number at `at`.
    pub fn number(&self, at: usize) -> Option<&'a str> {
        let UnitKind::Number(digits) = &self.units.get(at)?.kind else { return None };
        Some(digits)
    }

    /// The words of the unit at `at`, folded; empty past the end.
    pub fn word(&self, at: usize) -> &'a str {
        self.units.get(at).map_or("", |u| &u.folded)
    }

    /// Whether the unit at `at` is a word of a group.
    pub fn says(&self, at: usize, words: Words) -> bool {
        words.has(self.word(at))
    }

    /// Where the units stand.
    pub fn places(&self) -> Range<usize> {
        0..self.units.len()
    }

    /// The units before `at` in its sentence.
    pub fn before(&self, at: usize) -> Range<usize> {
        self.sentence_start(at)..at
    }

    /// The column a unit names, where it does not rather name a table.
    pub fn own_column(&self, at: usize) -> Option<ColumnId> {
        self.column(at).filter(|_| self.table_rather(at).is_none())
    }

    /// The column that a name which nothing reads yet is of, where it does not rather name a table.
    pub fn open_column(&self, at: usize) -> Option<ColumnId> {
        self.own_column(at).filter(|_| self.is_name(at) && self.is_free(at))
    }

    /// The tables and joins that a query needs.
    pub fn tree(&self, query: &Query) -> Option<JoinTree> {
        self.catalog.joins().steiner_tree(&query.needed_tables())
    }

    /// A column as messages call it.
    pub fn label(&self, column: ColumnId) -> String {
        self.catalog.column_label(column)
    }

    /// Whether the unit is of no consequence between two others.
    pub fn is_thin(&self, at: usize) -> bool {
        self.is_filler(at) || matches!(self.key(at), Some(Key::Preposition | Key::Any))
    }

    /// Whether the unit is thin, or only helps a verb: "is", "have", "that".
    pub fn helps(&self, at: usize) -> bool {
        self.is_thin(at) || matches!(self.key(at), Some(Key::Is | Key::Clause))
    }

    /// What stands before a verb at `at` and what helps it: whom or what it is said of, a negation.
    pub fn before_verb(&self, at: usize) -> Option<usize> {
        self.before(at).rfind(|&i| !self.helps(i))
    }

    /// The next unit from `at` on that does not pass.
    pub fn past(&self, at: usize, passes: impl Fn(usize) -> bool) -> usize {
        (at..).find(|&i| !passes(i)).unwrap_or(at)
    }

    /// The next unit from `at` on that is not thin.
    pub fn next_solid(&self, at: usize) -> usize {
        self.past(at, |i| self.is_thin(i))
    }

    /// The column a unit names.
    pub fn column(&self, at: usize) -> Option<ColumnId> {
        self.meanings.columns.get(at).copied().flatten()
    }

    /// The computation that a term of the hint or the glossary stands for.
    pub fn computed(&self, at: usize) -> Option<&'a Expression> {
        let UnitKind::Defined(meaning) = &self.units.get(at)?.kind else { return None };
        let Meaning::Computed(expression) = meaning else { return None };
        Some(expression)
    }

    /// The table a unit surely names.
    pub fn table(&self, at: usize) -> Option<TableId> {
        let unit = self.units.get(at)?;
        (unit.table_score() >= TABLE_CERTAIN).then(|| self.meanings.tables[at]).flatten()
    }

    /// The table that a unit surely names, or that its column is of.
    pub fn thing(&self, at: usize) -> Option<TableId> {
        self.table(at).or_else(|| self.column(at).map(|c| c.table))
    }

    /// The table a unit names rather than a column.
    pub fn table_rather(&self, at: usize) -> Option<TableId> {
        let unit = self.units.get(at)?;
        let table = self.table(at)?;
        // "the grape and name of wines": a column of the wines before a table of grapes
        let owner = self.meanings.owners[at].filter(|&owner| owner != table);
        let owned = self.column(at).is_some_and(|c| Some(c.table) == owner);
        let (as_table, as_column) = (unit.table_score(), unit.column_score());
        let exact = as_column >= 0.95 && !unit.folded.ends_with('s');
        // a word's other form names no table where the word itself names a column
        let margin = if as_column >= 0.95 && as_table < 0.9 { 0.0 } else { 0.15 };
        let rather = as_table >= as_column - margin || self.column(at).is_none();
        (rather && !(owned && exact)).then_some(table)
    }

    /// Where the sentence of unit `at` ends.
    pub fn sentence_end(&self, at: usize) -> usize {
        let stop = (at..self.units.len()).find(|&i| self.is_kind(i, UnitKind::Stop));
        stop.unwrap_or(self.units.len())
    }

    /// Where the sentence of unit `at` begins.
    pub fn sentence_start(&self, at: usize) -> usize {
        (0..at).rfind(|&i| self.is_kind(i, UnitKind::Stop)).map_or(0, |i| i + 1)
    }

    /// Whether every unit of the sentence before `at` only asks or aggregates: what comes next
    /// is what is asked for.
    pub fn at_head(&self, at: usize) -> bool {
        self.before(at).all(|i| match self.key(i) {
            Some(Key::Ask | Key::Is | Key::And | Key::Both) => true,
            Some(Key::Count | Key::Distinct | Key::Aggregate(_)) => true,
            Some(Key::Superlative(_) | Key::Extreme(_)) => true,
            Some(_) => false,
            None => matches!(self.units[i].kind, UnitKind::Filler | UnitKind::Comma),
        })
    }

    /// Whether there is a unit at `at` that nothing claims yet.
    pub fn is_free(&self, at: usize) -> bool {
        self.claims.get(at) == Some(&Claim::Free)
    }

    /// Whether there is a unit at `at` that something claims.
    pub fn is_claimed(&self, at: usize) -> bool {
        self.claims.get(at).is_some_and(|claim| *claim != Claim::Free)
    }

    /// The table the question is about so far: the first it names outside conditions.
    pub fn subject(&self) -> Option<TableId> {
        let of_column = || self.places().find_map(|i| self.column(i)).map(|c| c.table);
        let computed = || self.places().find_map(|i| self.computed(i)?.tables().first().copied());
        self.places().find_map(|i| self.table_rather(i)).or_else(of_column).or_else(computed)
    }

    /// The tables from one to another, of each of which a row of the first has no more than one: none but
    /// the first where no key joins them, and None where a row may have several.
    pub fn way_up(&self, from: TableId, to: TableId) -> Option<Vec<TableId>> {
        let mut way = vec![from];
        for key in self.catalog.joins().shortest_paths(from, to, 1).into_iter().flatten() {
            let key = self.catalog.key(key);
            if way.last() != Some(&key.from) {
                return None;
            }
            way.push(key.to);
        }
        Some(way)
    }

    /// Whether a row of one table may have several rows of the other.
    pub fn has_many(&self, one: TableId, other: TableId) -> bool {
        self.way_up(one, other).is_none()
    }

    /// Whether a row of the subject may have several rows of `table`.
    pub fn many_to(&self, table: TableId) -> bool {
        self.subject().is_some_and(|subject| self.has_many(subject, table))
    }

    /// The tables that the conditions so far are on.
    pub fn filtered(&self) -> impl Iterator<Item = TableId> {
        self.filters.iter().flat_map(|f| f.condition.tables())
    }

    /// The table named last before `at` in its sentence.
    pub fn last_thing(&self, at: usize) -> Option<TableId> {
        self.before(at).rev().find_map(|i| self.table_rather(i))
    }

    /// The unit before `at` in its sentence that is not thin.
    pub fn last_solid(&self, at: usize) -> Option<usize> {
        self.before(at).rfind(|&i| !self.is_thin(i))
    }

    /// The column of the subject (or a near table) whose name has one of the nouns.
    pub fn measure(&self, nouns: &[String], preferred: &[TableId]) -> Option<ColumnId> {
        let in_table = |table: TableId| {
            let own = || self.catalog.column_ids(table).filter(|&c| !self.facts.is_foreign(c));
            nouns.iter().find_map(|noun| own().find(|&c| self.facts.stems(c).contains(noun)))
        };
        let named = self.meanings.named.iter().copied();
        // what the thing itself lacks may be in what it is a kind of: an officer is a person
        let kinds = preferred.iter().flat_map(|&t| self.facts.kinds(t)).copied();
        preferred.iter().copied().chain(named).chain(kinds).find_map(in_table)
    }

    /// The column, of these tables or near them, that an adjective of the lexicon is about.
    pub fn measured_as(&self, adjective: usize, preferred: &[TableId]) -> Option<ColumnId> {
        let meant = &LEXICON.adjectives[adjective];
        self.measure(&meant.direct, preferred).or_else(|| self.measure(&meant.inverse, preferred))
    }

    /// The expression an aggregate of a target is.
    pub fn rows_or_column(&self, at: usize, distinct: bool) -> Option<Expression> {
        let of_column = |column: ColumnId| {
            let key = self.catalog.table(column.table).primary_key == [column.column];
            // rooms are told apart by their building and a number: what is counted is not numbers
            let rows = if key { Some(column.table) } else { self.facts.told_apart_by(column) };
            let rows = rows.filter(|_| !distinct).map(Expression::count);
            rows.unwrap_or_else(|| Expression::count_distinct(column))
        };
        self.table_rather(at).map(Expression::count).or_else(|| self.column(at).map(of_column))
    }
}
