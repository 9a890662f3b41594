//! Who, when and where: questions that ask for people, a date or a place without naming the column.

use crate::catalog::{ColumnId, ForeignKey, KeyId, TableId};
use crate::strategy::builtin::facts::{only, related};
use crate::strategy::builtin::form::query::{Condition, Expression, Query, Target};
use crate::strategy::builtin::form::sets::combine;
use crate::strategy::builtin::words::{
    Key, LEXICON, UnitKind, Words, is_agent, is_participle, lexicon,
};
use crate::text::stem;

use super::{Filter, Parts, Reader};

impl Reader<'_> {
    /// Read the word that a sentence asks by; what else it asks for has been read.
    pub fn read_asked(&mut self, at: usize) {
        let leads = |i: usize| match self.key(i) {
            Some(Key::Time(bound)) => !bound.is_strict(),
            Some(key) => key == Key::Preposition,
            None => self.is_filler(i),
        };
        if !self.before(at).all(leads) {
            return;
        }
        match self.key(at) {
            Some(Key::When) if self.is_free(at) => self.read_when(at),
            Some(Key::Where) if self.is_free(at) => self.read_where(at),
            Some(Key::Age) => self.read_age(at),
            Some(Key::Who) => self.read_who(),
            _ if self.word(at).starts_with("who ") => self.read_who(),
            _ => {}
        }
    }

    /// The tables that the question may ask about, the likeliest first.
    pub fn asked_about(&self) -> Vec<TableId> {
        self.entity.into_iter().chain(self.subject()).chain(self.filtered()).collect()
    }

    /// "When was Ben hired?": the date that the verb names, else the one that says when the thing happened.
    fn read_when(&mut self, at: usize) {
        let dated = |c: &ColumnId| self.facts.temporal(*c) && !self.facts.is_key(*c);
        let asked = self.query.select.iter().filter_map(|e| e.target.column());
        let mut dates: Vec<ColumnId> = asked.filter(dated).collect();
        let tables = self.asked_about();
        if dates.is_empty() {
            let said = self.verbs();
            let verb = |c: &ColumnId| dated(c) && self.facts.says_stem(*c, &said);
            let own = |t: &TableId| self.catalog.column_ids(*t).find(verb);
            dates = tables.iter().find_map(own).into_iter().collect();
        }
        if dates.is_empty() && self.filters.len() + self.query.order.len() > 0 {
            let own = tables.iter().map(|t| self.facts.event_dates(*t)).find(|d| !d.is_empty());
            dates = own.filter(|d| d.len() == 1).unwrap_or_default();
        }
        if dates.is_empty() || self.query.aggregates() {
            return;
        }
        self.query.select.clear();
        self.ask_for([at], dates.into_iter().map(Expression::column));
    }

    /// "How old is Ben?": his age, where that is stored.
    fn read_age(&mut self, at: usize) {
        let tables = self.asked_about();
        let columns = || tables.iter().flat_map(|&t| self.catalog.column_ids(t));
        let age = columns().find(|&c| self.facts.says(c, Words::Ages));
        let birth = columns().find(|&c| self.facts.is_birth_date(c));
        match (age, birth) {
            (Some(age), _) if !self.query.aggregates() => {
                self.query.select.clear();
                self.ask_for([at], [Expression::column(age)]);
            }
            (None, Some(birth)) => {
                self.refuse_at(at, format!("Ages are not stored, but {} is.", self.label(birth)));
            }
            _ => {}
        }
    }

    /// Stems of what the question's words mean besides names and values, with the nouns that verbs measure.
    fn verbs(&self) -> Vec<String> {
        let plain = |kind: &UnitKind| matches!(kind, UnitKind::Name | UnitKind::Unknown);
        // "when did the staff member leave": no date is the staff's for being called so
        let said = |i: &usize| plain(&self.units[*i].kind) && self.table_rather(*i).is_none();
        let meant = |i: usize| {
            let nouns = LEXICON.measured_by.get(self.word(i)).into_iter().flatten();
            nouns.cloned().chain(self.word(i).split(' ').map(stem))
        };
        self.places().filter(said).flat_map(meant).collect()
    }

    /// "Where is the store …?": the column of the thing, or of what it refers to, that says where.
    fn read_where(&mut self, at: usize) {
        if self.query.aggregates() {
            return;
        }
        let said = self.verbs();
        let facts = self.facts;
        let place = |table: TableId| {
            let own = || self.catalog.column_ids(table).filter(|&c| !facts.is_key(c));
            let says = |word: &&str| own().find(|&c| facts.column_says(c, &[word]));
            let verb = |c: &ColumnId| facts.says(*c, Words::Places) && facts.says_stem(*c, &said);
            own().find(verb).or_else(|| Words::Places.all().iter().find_map(says))
        };
        let Some(&thing) = self.asked_about().first() else { return };
        let referred = || {
            let keys = self.facts.keys_from(thing).filter(|k| k.to != thing);
            let mut found: Vec<ColumnId> = keys.filter_map(|k| place(k.to)).collect();
            found.dedup();
            only(found)
        };
        let Some(column) = place(thing).or_else(referred) else { return };
        self.query.select.clear();
        self.query.tables.insert(thing);
        self.ask_for([at], [Expression::column(column)]);
    }

    /// "Who leads Apollo?", "Who has the highest salary?", "Who wrote Emma?": a person's name, where
    /// what was read is a key, a number or what the condition says already.
    fn read_who(&mut self) {
        let conditions = self.filters.iter().flat_map(|f| f.condition.columns());
        let ranked = self.query.order.iter().filter_map(|(e, _)| e.target.column());
        let stated: Vec<ColumnId> = conditions.chain(ranked).collect();
        let named = |e: &Expression| match e.target {
            Target::Column(c) if stated.contains(&c) => {
                self.facts.is_people(c.table) && self.facts.display(c.table).contains(&c)
            }
            Target::Column(c) => !self.facts.is_key(c),
            _ => false,
        };
        if self.everything || self.query.aggregates() || self.query.select.iter().any(named) {
            return;
        }
        let columns = Vec::from_iter(self.query.select.iter().filter_map(|e| e.target.column()));
        if let [column] = columns[..]
            && let Some(key) = self.facts.key_of(column)
            && self.does(self.catalog.key(key).to)
        {
            return self.show_role(column, key);
        }
        let asked = columns.iter().map(|c| c.table).chain(self.reading.said.iter().copied());
        let Some(table) = asked.chain(self.asked_about()).next() else { return };
        self.query.tables.insert(table);
        // "who is the sire of Luna" among dogs
        let kin = |c: ColumnId| c.table == table && self.facts.refers_to(c) == Some(table);
        let is_kin = |i: usize| self.own_column(i).is_some_and(kin);
        let doers = Some(table).filter(|&t| self.does(t) || self.places().any(is_kin));
        match doers.or_else(|| self.facts.nearest_people(table)) {
            Some(people) => self.show_people(people),
            None => self.refuse("It is unclear which people \"who\" refers to."),
        }
    }

    /// Whether a table is of people, or of those who do what the question says: "who presented it", of
    /// the presenters.
    fn does(&self, table: TableId) -> bool {
        let doer = self.facts.table_words(table).last().filter(|word| is_agent(word));
        let said = |i: usize| is_participle(self.word(i)).then(|| stem(self.word(i)));
        let does = |doer: &String| self.places().filter_map(said).any(|verb| related(&verb, doer));
        self.facts.is_people(table) || doer.is_some_and(does)
    }

    /// The people that a role's key leads to: "the head of Sales".
    fn show_role(&mut self, column: ColumnId, key: KeyId) {
        let &ForeignKey { from, to, .. } = self.catalog.key(key);
        let of_asked = |f: &Filter| f.condition.tables().contains(&to);
        if from != to && self.filters.iter().any(of_asked) {
            return self.refuse("It is unclear whom the condition applies to.");
        }
        let of_others = |f: &Filter| f.condition.tables().iter().any(|t| *t != from);
        if from == to && self.filters.iter().any(of_others) {
            let (role, people) = (self.label(column), self.catalog.table_label(from));
            return self.refuse(format!("Only {people} have {role}."));
        }
        if !self.query.order.is_empty() || !self.catalog.is_role(self.catalog.key(key)) {
            self.query.keys.push(key);
            self.query.tables.insert(from);
            return self.show_people(to);
        }
        let filters = combine(std::mem::take(&mut self.filters)).0;
        let (_, identity) = self.catalog.key(key).first_pair();
        let mut tables = std::mem::take(&mut self.query.tables);
        tables.remove(&to);
        let condition = Condition::among(identity, Query { filters, tables, ..Query::of(column) });
        self.filters.push(Filter { condition, or: false, and_same: false, at: 0 });
        self.show_people(to);
    }

    fn show_people(&mut self, people: TableId) {
        self.entity = Some(people);
        self.query.select =
            self.facts.display_kind(people).into_iter().map(Expression::column).collect();
        self.query.tables.insert(people);
    }

    /// "who" or "whose" before nothing but dates or numbers; "and who is it" beside what does not tell, as
    /// "who sing and who dance" need not.
    pub fn asks_in_vain(&self, at: usize, query: &Query, parts: &Parts) -> bool {
        let columns = || query.select.iter().map(|e| e.target.column());
        let person = |c| self.facts.words(c).iter().any(|w| lexicon::is_person(w) || is_agent(w));
        let amount = |c| self.facts.numeric(c) && !person(c) || self.facts.is_id(c);
        // "the youngest in the school", who get free meals there
        let several = |c| self.facts.words(c).len() > 2;
        let other = |c| several(c) && !self.facts.identifies(c) && !person(c);
        let number = |c| (amount(c) || other(c)) && !self.facts.is_key_part(c);
        let no_one = |c: Option<ColumnId>| c.is_some_and(|c| self.facts.temporal(c) || number(c));
        let whose = self.is(at, Key::Who) || self.is(at, Key::Clause);
        if whose && at == self.sentence_start(at) {
            let people = parts.shown.iter().any(|t| self.facts.is_people(*t));
            // "who are the ministers, and what …" names them
            let named = |i| self.column(i).is_some_and(|c| columns().any(|shown| shown == Some(c)));
            let mut rest = at..self.sentence_end(at);
            let more = rest.find(|&i| self.is(i, Key::Ask) && self.follows_break(i));
            let too = !people && more.is_some_and(|more| !(at..more).any(named));
            return !query.select.is_empty() && (too || columns().all(no_one));
        }
        let mut shown = columns().flatten();
        let ends = self.ends_at(at + 1);
        let told = match self.key(at) {
            // "minoring in something, and in what?"
            Some(Key::Ask) if ends => return self.is(at.wrapping_sub(1), Key::Preposition),
            Some(Key::When) => shown.any(|c| self.facts.temporal(c)),
            Some(Key::Where) => shown.any(|c| self.facts.says(c, Words::Places)),
            Some(Key::Who) => parts.shown.iter().any(|t| self.facts.is_people(*t)),
            _ => return false,
        };
        let who = self.is(at, Key::Who);
        let clause = |i| self.key(i) == self.key(at) || who && self.is(i, Key::Clause);
        let is_it = self.is(at + 1, Key::Is) && self.ends_at(self.next_solid(at + 2));
        let before = at.wrapping_sub(1);
        let led = self.is(before, Key::Preposition) || self.is(before, Key::Clause);
        let from = if led { before } else { at };
        // "and with whom" asks for others than those who are shown
        let told = told && !(led && parts.shown.len() < 2);
        // "readings by who read them"
        let by = who && self.word(before) == "by" && !told;
        by || self.follows_break(from) && (is_it || !told && !self.before(from).skip(1).any(clause))
    }

    /// "in which evenings was …", where nothing but "which" goes before.
    pub fn asks_which_of(&self, at: usize) -> bool {
        let ends = self.sentence_end(at) + 1 >= self.units.len() && !self.reading.unclear;
        let which = self.last_solid(at).filter(|&i| ends && self.says(i, Words::Asking));
        which.is_some_and(|which| self.before(which).all(|i| self.is_thin(i)))
    }

    /// "which sales rep brought in …", where that is stored as the job of those who are not shown;
    /// "translators and the books they translated", of whom nothing is shown.
    pub fn is_hidden_head(&self, at: usize, query: &Query, parts: &Parts) -> bool {
        let next = self.next_solid(at + 2);
        // "students and their tutors"
        let theirs = self.says(next.wrapping_sub(1), Words::Possessive);
        let lists = self.is_name(next) && (theirs || self.table_rather(next).is_some());
        let ends = !self.is_name(at + 1) && !self.is_value(at + 1);
        let mut of = self.units[at].values.iter().map(|v| v.column.table);
        lists && self.is(at + 1, Key::And) && self.at_head(at)
            || ends && self.asks_which_of(at) && !of.any(|t| self.tells_of(t, query, parts))
    }

    /// Whether what is shown is of rows of a table, or of what these are, or a key of them.
    pub fn tells_of(&self, table: TableId, query: &Query, parts: &Parts) -> bool {
        let keys = query.select.iter().filter_map(|e| self.facts.refers_to(e.target.column()?));
        parts.shown.iter().copied().chain(keys).any(|t| t == table || self.facts.are_one(t, table))
    }
}
