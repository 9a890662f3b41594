//! Strategies of another crate: found by name, by `auto`, and where the model's server fails.

use text2sql_engine::ask;
use text2sql_engine::chat::{Billed, Reply, Request};
use text2sql_engine::engine::{Context, Engine, Question, Strategy};
use text2sql_engine::error::Error;
use text2sql_engine::guard::Checked;
use text2sql_engine::ports::Model;
use text2sql_engine::report::Report;

use super::support::{SHOP, database, settings};

/// Answers every question with one query.
struct Fixed(&'static str);

impl Strategy for Fixed {
    fn name(&self) -> &'static str {
        self.0
    }
    fn first(&self, _: &Context<'_>) -> Result<Vec<Request>, Error> {
        Ok(Vec::new())
    }
    fn answer(&self, context: &Context<'_>) -> Result<Checked, Error> {
        context.warn("it is always the same");
        Ok(context.try_out("SELECT max(total) FROM orders")?.0)
    }
    fn needs_model(&self) -> bool {
        false
    }
}

/// A server that is down.
struct Down;

impl Model for Down {
    fn name(&self) -> &'static str {
        "down"
    }
    fn complete(&self, requests: &[Request]) -> Vec<Billed<Reply>> {
        let failure = || Error::Model { message: "refused".to_owned(), hint: String::new() };
        requests.iter().map(|_| Billed::free(Err(failure()))).collect()
    }
}

fn report(named: &'static str, asked: Option<&str>, model: Option<&dyn Model>) -> Report {
    let (database, settings) = (database(SHOP), settings(&[("fallback", "on")]));
    let fixed = Fixed(named);
    let strategies: [&dyn Strategy; 1] = [&fixed];
    let engine = Engine::new(&database, &database, &settings);
    let engine = Engine { model, strategies: &strategies, ..engine };
    let strategy = asked.map(str::to_owned);
    let question = Question { text: "The largest?".to_owned(), strategy, ..Question::default() };
    ask::explain(&engine, &question, false).expect("nobody cancels")
}

#[test]
fn a_strategy_from_outside_is_found_by_its_name() {
    let answered = report("fixed", Some("fixed"), None);
    assert_eq!(answered.sql.as_deref(), Some("SELECT max(total) FROM orders"));
    assert_eq!(answered.strategy, "fixed");
    assert_eq!(answered.notices, ["it is always the same"]);
    let unknown = report("fixed", Some("fixd"), None).error.expect("no such strategy");
    assert!(format!("{unknown:?}").contains("fixed"), "{unknown:?}");
}

#[test]
fn one_with_the_name_of_the_engines_own_takes_its_place() {
    let alone = report("builtin", None, None);
    assert_eq!((alone.strategy.as_str(), alone.notices.len()), ("builtin", 1));
    let fallen_back = report("builtin", None, Some(&Down));
    assert_eq!(fallen_back.sql.as_deref(), Some("SELECT max(total) FROM orders"));
    assert_eq!(fallen_back.strategy, "builtin");
}
