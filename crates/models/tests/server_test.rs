//! The test of a server: what it finds in broken set-ups, and that the command it prints mends each.

mod common;

use std::collections::BTreeMap;

use common::{ALLOWED, Flag, KEY, mend, session};
use text2sql_engine::chat::{TestStep, Tested};
use text2sql_engine::ports::Model;
use text2sql_models::{Config, HttpModel};
use text2sql_scripted_model::{Reply, Rule, Script, ScriptedModel, ToolCall};

/// Tokens of the longest prompt tried.
const PROMPT: usize = 2_500;

/// Options by name.
type Options = BTreeMap<String, String>;

fn test(options: &Options) -> Tested {
    let config = Config::read("test", |name| options.get(name).cloned(), ALLOWED, mend());
    let config = config.unwrap_or_else(|e| panic!("{e}: {:?}", e.hint()));
    let (session, cancel) = (session(), Flag::default());
    HttpModel::new(&session, &config, &cancel).test(PROMPT).expect("the test of a server")
}

fn options(server: &ScriptedModel, more: &[(&str, &str)]) -> Options {
    let url = server.base_url();
    let all = [("base_url", url.as_str()), ("model", "m"), ("api_key", KEY), ("retries", "0")];
    all.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The rules of a server that works.
fn good() -> Vec<Rule> {
    let call = ToolCall { name: "look_up".to_owned(), arguments: serde_json::json!({"word": "x"}) };
    let answer = Reply { tool_calls: vec![call], ..Reply::default() };
    vec![Rule { answer, ..Rule::default() }.when("look_up"), Rule::reply("yes")]
}

fn serve(first: Vec<Rule>) -> ScriptedModel {
    let script = Script {
        api_key: Some(KEY.to_owned()),
        models: Some(vec!["m".to_owned(), "other".to_owned()]),
        ..Script::rules([first, good()].concat())
    };
    ScriptedModel::start(script).expect("start")
}

fn failed(tested: &Tested) -> Vec<&TestStep> {
    tested.steps.iter().filter(|step| step.ok == Some(false)).collect()
}

/// Do what `SET name = 'value'` says, with `key` where a key is to be filled in.
fn follow(options: &mut Options, statement: &str) {
    let (name, value) =
        statement.strip_prefix("SET ").and_then(|s| s.split_once(" = ")).expect("a command");
    let value = value.trim_matches('\'').replace('…', KEY);
    options.insert(name.to_owned(), value);
}

#[test]
fn a_server_that_works_passes_each_step() {
    let tested = test(&options(&serve(Vec::new()), &[]));
    let steps: Vec<(&str, Option<bool>)> = tested.steps.iter().map(|s| (s.step, s.ok)).collect();
    let passed = Some(true);
    assert_eq!(
        steps,
        [
            ("address", passed),
            ("TLS", None),
            ("key", passed),
            ("model listed", passed),
            ("one short call", passed),
            ("one tool call", passed),
            ("usage present", passed),
            ("longest prompt", passed),
        ]
    );
    assert!(tested.complete && tested.calls == 3 && tested.usage.total() > PROMPT as u64 / 2);
    assert!(tested.steps.iter().all(|step| step.statement.is_none()));
}

fn refusal(status: u16, message: &str) -> Rule {
    Rule::status(status).body(serde_json::json!({"error": {"message": message}}).to_string())
}

/// A server that is broken in one way: its rules, what it is asked with, which step finds it.
struct Broken {
    rules: Vec<Rule>,
    options: Vec<(&'static str, String)>,
    step: &'static str,
}

fn broken(step: &'static str, rules: Vec<Rule>, options: &[(&'static str, &str)]) -> Broken {
    let options = options.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Broken { rules, options, step }
}

#[test]
fn the_statement_that_is_printed_mends_each_broken_set_up() {
    let late = Rule::reply("yes").when("the word yes").after_ms(600);
    let thinks = Rule {
        answer: Reply {
            finish: Some("length".into()),
            reply: Some(String::new()),
            ..Reply::default()
        },
        ..Rule::default()
    };
    let no_tools = "\"auto\" tool choice requires --enable-auto-tool-choice to be set";
    let mut cases = vec![
        broken("key", Vec::new(), &[("api_key", "wrong")]),
        broken(
            "one short call",
            vec![refusal(404, "The model `mm` does not exist.").times(1)],
            &[("model", "mm")],
        ),
        broken("one tool call", vec![refusal(400, no_tools).when("look_up")], &[]),
        broken("one tool call", vec![Rule::reply("I look it up.").when("look_up")], &[]),
        broken(
            "one short call",
            vec![refusal(400, "temperature is not supported by this model").times(1)],
            &[("temperature", "0.5")],
        ),
        broken(
            "one short call",
            vec![refusal(400, "max_tokens is too large: 99999").times(1)],
            &[("max_reply_tokens", "99999")],
        ),
        broken("one short call", vec![thinks.times(1)], &[("max_reply_tokens", "100")]),
        broken("one short call", vec![late.clone()], &[("read_timeout", "400ms")]),
        broken(
            "one short call",
            vec![Rule::reply("yes ".repeat(500)).when("the word yes")],
            &[("max_reply_bytes", "1000")],
        ),
    ];
    for path in ["", "/v1/chat/completions"] {
        cases.push(broken("one short call", Vec::new(), &[("base_url", path)]));
    }
    cases.push(broken("TLS", Vec::new(), &[("base_url", "https")]));
    assert!(cases.len() >= 10);
    for Broken { rules, options: more, step } in cases {
        let server = serve(rules);
        let mut all = options(&server, &[]);
        for (name, value) in more {
            let origin = server.base_url().replace("/v1", "");
            let value = match (name, value.as_str()) {
                ("base_url", "https") => server.base_url().replace("http:", "https:"),
                ("base_url", path) => origin + path,
                _ => value,
            };
            all.insert(name.to_owned(), value);
        }
        let before = test(&all);
        let failures = failed(&before);
        let found = failures.iter().find(|failure| failure.step == step);
        let found = found.unwrap_or_else(|| panic!("{step} passed: {before:#?}"));
        let statement = found.statement.as_ref().unwrap_or_else(|| panic!("{found:?}"));
        follow(&mut all, statement);
        let after = test(&all);
        assert!(failed(&after).is_empty() && after.complete, "{statement}\n{after:#?}");
    }
}

#[test]
fn a_context_that_is_too_short_and_one_that_is_cut_in_silence_are_found() {
    let short =
        "request (2600 tokens) exceeds the available context size (2048 tokens), try increasing it";
    let cut = Rule {
        answer: Reply {
            usage: Some(text2sql_scripted_model::Usage {
                prompt_tokens: 1_024,
                completion_tokens: 1,
                cached_tokens: 0,
            }),
            reply: Some("yes".into()),
            ..Reply::default()
        },
        ..Rule::default()
    };
    for (rule, found) in [(refusal(400, short), "too long for model"), (cut, "may have cut it")] {
        let tested = test(&options(&serve(vec![rule.when("refers to customer.id")]), &[]));
        let step = failed(&tested)[0];
        assert_eq!(step.step, "longest prompt");
        assert!(step.found.contains(found), "{step:?}");
        let statement = step.statement.as_deref().expect("a command");
        let tokens = statement.strip_prefix("SET text2sql.max_schema_tokens = ");
        let tokens = tokens.and_then(|t| t.trim_end_matches(';').parse::<usize>().ok());
        assert!(tokens.is_some_and(|tokens| (200..1_000).contains(&tokens)), "{statement}");
    }
}

#[test]
fn an_address_that_nothing_answers_ends_the_test() {
    let url = text2sql_scripted_model::unused_url().expect("a port");
    let mut all = options(&serve(Vec::new()), &[]);
    all.insert("base_url".to_owned(), url);
    let tested = test(&all);
    assert_eq!(
        tested.steps.iter().map(|s| (s.step, s.ok)).collect::<Vec<_>>(),
        [("address", Some(false))]
    );
    assert!(!tested.complete && tested.calls == 0);
}

#[test]
fn no_step_shows_the_key() {
    let echo = Rule::reply(format!("your key is {KEY}"));
    let body = format!(r#"{{"error": {{"message": "no model {KEY}, model_not_found"}}}}"#);
    for rule in [echo, Rule::status(404).body(body), Rule::status(401).body(KEY)] {
        let script = Script { models: Some(vec![KEY.to_owned()]), ..Script::rules([rule]) };
        let server = ScriptedModel::start(script).expect("start");
        let tested = test(&options(&server, &[]));
        assert!(!format!("{tested:?}").contains("0123456789"), "{tested:?}");
    }
}
