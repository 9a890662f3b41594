//! A question being answered: the ports, the catalog snapshot, the remaining budget, and its
//! report.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::catalog::{Catalog, TableId};
use crate::chat::{Billed, Reply, Request};
use crate::conversation::{Reading, Turn};
use crate::embed::Phrases;
use crate::engine::{Engine, Question};
use crate::error::Error;
use crate::evidence::ranking::Ranking;
use crate::evidence::said::Said;

use crate::answer_cache::CacheKey;
use crate::guard::Checked;
use crate::guard::draft::{self, Draft};
use crate::ledger::{Disclosure, LedgerEntry};
use crate::link::Named;
use crate::ports::{Database, FoundValues, Model, ValueHit, ValueQuery};
use crate::report::{Account, Execution, Failure, Interpretation, Link, Report, Run, Step};
use crate::results::Keep;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::text::{folded_words, stem};

/// Longest question read, in bytes.
pub(crate) const MAX_QUESTION_BYTES: usize = 16 << 10;

/// Drafts of which a question keeps what they mean.
const MOST_DRAFTS: usize = 8;

/// A question being answered.
pub struct Context<'a> {
    /// The ports and settings.
    pub engine: Engine<'a>,
    /// The question.
    pub question: &'a Question,
    /// The snapshot it is asked against.
    pub catalog: Arc<Catalog>,
    /// Which tables it may use.
    pub scope: Scope,
    /// Terms of the glossary that the question may use, each with what it stands for.
    pub glossary: Vec<(String, String)>,
    /// What its prompts have disclosed of the database.
    pub disclosure: Rc<Disclosure>,
    /// The earlier questions that this one may build on, the latest last.
    pub(crate) turns: Vec<Turn>,
    /// See [`Context::conversation_block`].
    pub(crate) conversation: OnceCell<String>,
    /// See [`Context::examples_block`].
    pub(crate) examples: OnceCell<String>,
    /// See [`Context::ranking`].
    pub(crate) ranking: OnceCell<Ranking>,
    /// See [`Context::said_values`].
    pub(crate) said: OnceCell<Vec<Said>>,
    /// What its phrases name.
    pub(crate) named: Rc<Named>,
    /// Embeddings of its phrases by the server's model.
    pub phrases: Rc<Phrases<'a>>,
    /// Keeps results for the caller; None if only the SQL is wanted.
    pub(crate) results: Option<&'a dyn Keep>,
    /// Whether the answer will be run.
    pub(crate) wants_rows: bool,
    tried_for: Cell<Duration>,
    /// See [`Context::values_out_of_time`].
    out_of_time: Cell<bool>,
    /// The caller gets the report, so nothing is raised as a notice.
    quiet: bool,
    /// Notices that were raised.
    told: RefCell<Vec<String>>,
    /// See [`Context::draft`].
    drafts: RefCell<Vec<(String, Rc<Draft>)>>,
    /// The question as a cache key; see [`Context::again`].
    pub(crate) key: OnceCell<CacheKey>,
    report: Rc<RefCell<Report>>,
    started: Instant,
}

impl<'a> Context<'a> {
    /// A question from the caller. The database is notified whether or not it can be answered.
    pub fn asked(engine: &Engine<'a>, question: &'a Question) -> Result<Self, Error> {
        engine.store.note_question(&question.text);
        Self::open(engine, question)
    }

    /// Read the catalog and check the question's form.
    pub fn open(engine: &Engine<'a>, question: &'a Question) -> Result<Self, Error> {
        let started = Instant::now();
        let text = question.text.trim();
        Error::if_too_long("question", text, MAX_QUESTION_BYTES)?;
        if !text.chars().any(char::is_alphanumeric) {
            return Err(Error::EmptyQuestion);
        }
        let catalog = engine.database.catalog()?;
        let scope = Scope::new(&catalog, &engine.settings.schemas, question.tables.as_deref())?;
        if scope.count(&catalog) == 0 {
            return Err(Error::NoTables { who: engine.database.dialect().asker().to_owned() });
        }
        let report = Report { question: text.to_owned(), ..Report::default() };
        let report = Rc::new(RefCell::new(report));
        let mut glossary = engine.store.glossary()?;
        let turns = turns(engine, text);
        if !glossary.is_empty() {
            let mut said = stems(text);
            said.extend(turns.iter().flat_map(|turn| stems(turn.whole().0)));
            glossary.retain(|(term, _)| stems(term).iter().any(|word| said.contains(word)));
        }
        let phrases = Rc::new(Phrases::new(engine, Arc::clone(&catalog), Rc::clone(&report)));
        Ok(Self {
            engine: *engine,
            question,
            catalog,
            scope,
            glossary,
            disclosure: Rc::default(),
            turns,
            conversation: OnceCell::new(),
            examples: OnceCell::new(),
            ranking: OnceCell::new(),
            said: OnceCell::new(),
            named: Rc::default(),
            phrases,
            results: None,
            wants_rows: false,
            tried_for: Cell::default(),
            out_of_time: Cell::default(),
            quiet: false,
            told: RefCell::default(),
            drafts: RefCell::default(),
            key: OnceCell::new(),
            report,
            started,
        })
    }

    /// The same for a caller who wants rows: `results` runs queries and keeps their rows.
    pub(crate) fn keeping(self, results: &'a dyn Keep) -> Self {
        Self { results: Some(results), wants_rows: true, ..self }
    }

    /// The same for a caller who wants the SQL but can use the rows that trials read.
    pub(crate) fn keeping_trials(self, results: &'a dyn Keep) -> Self {
        Self { results: Some(results), ..self }
    }

    /// The same for a caller who gets the report.
    pub(crate) fn quietly(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// Whether the caller gets the report.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Record how the question was read together with the previous one.
    pub(crate) fn follows(&self, reading: Reading) {
        self.warn(reading.carried.clone());
        self.report.borrow_mut().follows = Some(reading);
    }

    /// The previous question, if this one may build on it.
    pub fn former(&self) -> Option<&Turn> {
        self.turns.last()
    }

    /// The database asked.
    pub fn database(&self) -> &'a dyn Database {
        self.engine.database
    }

    /// Finds stored values; remembers whether time ran out.
    pub fn find_values(&self, query: &ValueQuery<'_>) -> Result<Vec<ValueHit>, Error> {
        let FoundValues { hits, out_of_time } = self.database().find_values(query)?;
        self.out_of_time.set(out_of_time);
        Ok(hits)
    }

    /// Whether the last search for stored values ran out of time, so that values it did not find may
    /// still be stored.
    pub(crate) fn values_out_of_time(&self) -> bool {
        self.out_of_time.get()
    }

    /// The settings of this question.
    pub fn settings(&self) -> &'a Settings {
        self.engine.settings
    }

    /// The model, or an error that says how to configure one.
    pub fn model(&self) -> Result<&'a dyn Model, Error> {
        let dialect = self.database().dialect();
        self.engine.model.ok_or_else(|| Error::NoModel {
            message: "this strategy needs a model and none is configured".to_owned(),
            hint: format!(
                "{} or {}",
                dialect.configure_model_command(),
                dialect.set_command("strategy", "builtin")
            ),
        })
    }

    /// What a draft means in the catalog. Of the same one that is asked for by each check and notice.
    pub(crate) fn draft(&self, sql: &str) -> Rc<Draft> {
        let mut drafts = self.drafts.borrow_mut();
        if let Some((_, known)) = drafts.iter().find(|(known, _)| known == sql) {
            return Rc::clone(known);
        }
        let new = Rc::new(draft::read(&self.catalog, self.database().dialect(), sql));
        if drafts.len() == MOST_DRAFTS {
            drafts.remove(0);
        }
        drafts.push((sql.to_owned(), Rc::clone(&new)));
        new
    }

    /// Send independent requests of one step together; record them under `step`.
    ///
    /// Produces: one reply per request, in order. Errors: the first failure, an exhausted budget,
    /// or cancellation.
    pub fn complete(
        &self,
        step: &str,
        note: &str,
        requests: &[Request],
    ) -> Result<Vec<Reply>, Error> {
        let model = self.model()?;
        self.engine.cancel.check()?;
        self.report.borrow().budget_left(self.settings(), requests.len() as u32)?;
        self.engine.store.progress(&format!("{step}: {note}"));
        let sent = LedgerEntry {
            requests: requests.len(),
            bytes: requests.iter().map(Request::bytes).sum(),
            ..self.disclosure.entry(&self.catalog, step, model.name())
        };
        self.engine.store.record(sent)?;
        let replies = model.complete(requests);
        self.engine.store.left(replies.iter().map(|reply| reply.requests).sum());
        self.engine.cancel.check()?;
        let mut report = self.report.borrow_mut();
        report.rounds += 1;
        report.model.get_or_insert_with(|| model.name().to_owned());
        let mut results = Vec::with_capacity(replies.len());
        for (request, Billed { result, requests, usage, ms }) in requests.iter().zip(replies) {
            report.calls += requests;
            report.usage += usage;
            let mut entry = Step {
                name: request.step.clone(),
                note: note.to_owned(),
                prompt: request.messages.clone(),
                calls: requests,
                usage,
                ms,
                ..Step::default()
            };
            match &result {
                Ok(reply) => entry.reply = Some(reply.text.clone()),
                Err(error) => entry.note = format!("{note}: {error}"),
            }
            report.steps.push(entry);
            results.push(result);
        }
        report.cost = model.cost(report.usage);
        drop(report);
        results.into_iter().collect()
    }

    /// Record a step that asked no model.
    pub fn step(&self, step: Step) {
        self.report.borrow_mut().steps.push(step);
    }

    /// Record that a query was run.
    pub(crate) fn note_execution(&self, execution: Execution) {
        self.report.borrow_mut().executions.push(execution);
    }

    /// How much of the question's trial time has been used.
    pub(crate) fn tried_for(&self) -> Duration {
        self.tried_for.get()
    }

    /// Deduct from the question's trial time.
    pub(crate) fn spend(&self, time: Duration) {
        self.tried_for.set(self.tried_for.get().saturating_add(time));
    }

    /// Record what words were linked to.
    pub fn link(&self, link: Link) {
        let mut report = self.report.borrow_mut();
        if !report.linked.contains(&link) {
            report.linked.push(link);
        }
    }

    /// Record a reading of the question, the chosen one first.
    pub fn interpretation(&self, interpretation: Interpretation) {
        self.report.borrow_mut().interpretations.push(interpretation);
    }

    /// Complete a recorded reading, or add one.
    pub(crate) fn describe(&self, more: Interpretation) {
        let mut report = self.report.borrow_mut();
        match report.interpretations.iter_mut().find(|known| known.sql == more.sql) {
            Some(known) => {
                let signs = std::mem::take(&mut known.signs);
                *known = Interpretation { signs, ..more };
            }
            None => report.interpretations.push(more),
        }
    }

    /// Record how likely the answer is right and what that was made from.
    pub(crate) fn weigh(&self, sql: &str, score: f32, signs: BTreeMap<&'static str, f32>) {
        let mut report = self.report.borrow_mut();
        let known = report.interpretations.iter().position(|known| known.sql == sql);
        let place = known.unwrap_or_else(|| {
            report.interpretations.insert(0, Interpretation::of(sql));
            0
        });
        let answer = &mut report.interpretations[place];
        (answer.score, answer.signs) = (score, signs);
        report.interpretations[..=place].rotate_right(1);
    }

    /// Record how words of the question were used.
    pub fn account(&self, account: Account) {
        self.report.borrow_mut().accounting.push(account);
    }

    /// Record what the reader should know before trusting the answer.
    pub fn warn(&self, notice: impl Into<String>) {
        self.report.borrow_mut().warn(notice.into());
    }

    /// The same about rows, which may differ when the question is asked again.
    pub fn warn_of_rows(&self, notice: impl Into<String>) {
        let (mut report, notice) = (self.report.borrow_mut(), notice.into());
        report.of_rows.push(notice.clone());
        report.warn(notice);
    }

    /// The same, if it was already raised.
    pub fn was_told(&self, notice: impl Into<String>) {
        let notice = notice.into();
        self.told.borrow_mut().push(notice.clone());
        self.warn_of_rows(notice);
    }

    /// Raise a notice to the caller, if the settings allow it.
    pub(crate) fn tell(&self) {
        if self.quiet || !self.settings().notices {
            return;
        }
        let (report, told) = (self.report.borrow(), self.told.borrow());
        for notice in report.notices.iter().filter(|notice| !told.contains(notice)) {
            self.engine.store.notice(notice);
        }
    }

    /// Continue from another report.
    pub(crate) fn set_report(&self, report: Report) {
        self.report.replace(report);
    }

    /// Record a step before all others.
    pub(crate) fn first_step(&self, step: Step) {
        self.report.borrow_mut().steps.insert(0, step);
    }

    /// How many rows the last run of a query gave, if it was complete.
    pub(crate) fn rows_of(&self, sql: &str) -> Option<usize> {
        let report = self.report.borrow();
        let run = report.executions.iter().rev().find(|e| e.sql == sql)?;
        match run.run {
            Run::Rows { rows, more: false } => Some(rows),
            _ => None,
        }
    }

    /// Record which strategy answers.
    pub fn set_strategy(&self, name: &str) {
        self.report.borrow_mut().strategy = name.to_owned();
    }

    /// Record how sure the strategy is, 0..=1.
    pub fn set_confidence(&self, confidence: f32) {
        self.report.borrow_mut().confidence = Some(confidence);
    }

    /// Complete the report with an answer.
    pub fn finish(self, query: &Checked) -> Report {
        self.review(query);
        self.tell();
        let ms = self.started.elapsed().as_secs_f64() * 1e3;
        let withheld = self.withheld(&query.verdict().tables);
        let mut report = self.report.take();
        report.ms = ms;
        report.withheld = withheld;
        report.sql = Some(query.sql().to_owned());
        self.keep_answer(&query.verdict().tables, &report);
        self.converse(&report);
        report
    }

    /// Columns of these tables, and those shown in prompts, whose values were withheld, and why.
    fn withheld(&self, tables: &[TableId]) -> BTreeMap<String, String> {
        let mut columns = self.disclosure.all_withheld();
        for column in tables.iter().flat_map(|&table| self.catalog.column_ids(table)) {
            if let Some(why) = self.catalog.column(column).values.why(None) {
                columns.insert(column, why);
            }
        }
        columns.into_iter().map(|(c, why)| (self.catalog.column_label(c), why)).collect()
    }

    /// Complete the report with an error.
    pub fn fail(self, error: &Error) -> Report {
        let dialect = self.database().dialect();
        let ms = self.started.elapsed().as_secs_f64() * 1e3;
        let withheld = self.withheld(&[]);
        let mut report = self.report.take();
        report.ms = ms;
        report.withheld = withheld;
        report.error = Some(Failure::new(error, dialect));
        report
    }
}

/// The words of a text, in any form.
fn stems(text: &str) -> BTreeSet<String> {
    folded_words(text).map(|word| stem(&word)).collect()
}

/// The earlier questions that one may build on. They are forgotten if it starts a new conversation.
fn turns(engine: &Engine<'_>, question: &str) -> Vec<Turn> {
    match engine.store.conversation() {
        Some(conversation) if engine.settings.follow_ups => conversation.before(question),
        Some(conversation) => {
            conversation.forget();
            Vec::new()
        }
        None => Vec::new(),
    }
}
