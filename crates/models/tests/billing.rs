//! No server switches limits off: calls are counted whatever a server reports of them, and whether
//! or not their reply is of use.

mod common;

use common::{Flag, config, request, session};
use serde_json::{Value, json};
use text2sql_engine::chat::{Billed, Reply, Usage};
use text2sql_engine::ports::Model;
use text2sql_models::HttpModel;
use text2sql_scripted_model::{Fault, Rule, Script, ScriptedModel};

const OPTIONS: [(&str, &str); 3] =
    [("read_timeout", "300ms"), ("total_timeout", "900ms"), ("retries", "0")];

fn serve(rules: impl Into<Vec<Rule>>) -> ScriptedModel {
    ScriptedModel::start(Script::rules(rules)).expect("start")
}

/// The outcome of a prompt of 330 characters, about 100 tokens.
fn ask(server: &ScriptedModel, options: &[(&str, &str)]) -> Billed<Reply> {
    let (session, cancel) = (session(), Flag::default());
    let config = config(&server.base_url(), options);
    let request = request(&"x".repeat(330));
    HttpModel::new(&session, &config, &cancel).complete(&[request]).remove(0)
}

fn with_usage(usage: &Value) -> ScriptedModel {
    let body = json!({"choices": [{"message": {"content": "SELECT 1 AS x"}}], "usage": usage});
    serve([Rule::reply("x").body(body.to_string())])
}

#[test]
fn a_call_is_counted_whatever_the_server_reports() {
    for (usage, counted) in [
        (json!({"prompt_tokens": 90, "completion_tokens": 7}), (90, 7, 0, 0)),
        (json!({"prompt_tokens": "90", "completion_tokens": "7"}), (90, 7, 0, 0)),
        (json!({"prompt_tokens": 90.0, "completion_tokens": 6.5}), (90, 7, 0, 0)),
        (json!({"input_tokens": 90, "output_tokens": 7}), (90, 7, 0, 0)),
        (json!({"total_tokens": 107}), (100, 7, 0, 0)),
        (json!({"prompt_tokens": 90}), (90, 4, 0, 4)),
        (json!({"prompt_tokens": 0, "completion_tokens": 0}), (100, 4, 0, 104)),
        (json!({"prompt_tokens": null, "completion_tokens": null}), (100, 4, 0, 104)),
        (json!({"prompt_tokens": -5, "completion_tokens": -5}), (100, 4, 0, 104)),
        (json!(null), (100, 4, 0, 104)),
        (json!("much"), (100, 4, 0, 104)),
        (
            json!({"prompt_tokens": 90, "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 64}}),
            (90, 7, 64, 0),
        ),
        (
            json!({"prompt_tokens": 90, "completion_tokens": 7, "prompt_cache_hit_tokens": 60,
                "prompt_cache_miss_tokens": 30}),
            (90, 7, 60, 0),
        ),
    ] {
        let billed = ask(&with_usage(&usage), &OPTIONS);
        assert_eq!(billed.result.expect("a reply").text, "SELECT 1 AS x");
        let Usage { prompt_tokens, completion_tokens, cached_tokens, estimated_tokens } =
            billed.usage;
        let read = (prompt_tokens, completion_tokens, cached_tokens, estimated_tokens);
        assert_eq!(read, counted, "{usage}");
    }
}

#[test]
fn what_cannot_be_used_is_paid_all_the_same() {
    let usage = json!({"prompt_tokens": 90, "completion_tokens": 7});
    let filtered = json!({"choices": [{"message": {}, "finish_reason": "content_filter"}],
        "usage": usage});
    let refused = json!({"error": {"message": "filtered"}, "usage": usage});
    for (rule, tokens) in [
        // as the server says
        (Rule::reply("x").body(filtered.to_string()), 97..=97),
        (Rule::reply("x").body(json!({"usage": usage}).to_string()), 97..=97),
        (Rule::status(400).body(refused.to_string()), 97..=97),
        // the prompt, and what arrived
        (Rule::reply("x").body("y".repeat(3_300)), 1_100..=1_100),
        (Rule::fault(Fault::Huge), 1_000_000..=10_000_000),
        (Rule::fault(Fault::GzipBomb), 100..=100),
        // the prompt, and the longest reply that the server goes on writing
        (Rule::fault(Fault::Hang), 2_100..=2_100),
        (Rule::fault(Fault::Drip), 2_100..=2_100),
        // nothing was written
        (Rule::fault(Fault::Reset), 0..=0),
        (Rule::status(500), 0..=0),
        (Rule::status(429), 0..=0),
    ] {
        let shown = format!("{rule:?}");
        let billed = ask(&serve([rule]), &OPTIONS);
        assert!(billed.result.is_err(), "{shown}");
        assert!(tokens.contains(&billed.usage.total()), "{shown}: {:?}", billed.usage);
    }
}

#[test]
fn every_attempt_is_paid() {
    let usage = json!({"prompt_tokens": 90, "completion_tokens": 7});
    let busy = json!({"error": {"message": "busy"}, "usage": usage}).to_string();
    let rules = [Rule::status(503).body(busy).times(2), Rule::reply("SELECT 1")];
    let billed = ask(&serve(rules), &[("retries", "3")]);
    let alone = ask(&serve([Rule::reply("SELECT 1")]), &OPTIONS);
    assert_eq!(billed.usage.total(), 2 * 97 + alone.usage.total());
}

#[test]
fn a_reply_has_a_limit_unless_the_model_refuses_it() {
    let limit = |server: &ScriptedModel, at: usize| {
        let body = server.requests()[at].body.clone();
        (body["max_tokens"].as_i64(), body["max_completion_tokens"].as_i64())
    };
    let server = serve([Rule::reply("SELECT 1")]);
    ask(&server, &OPTIONS).result.expect("a reply");
    assert_eq!(limit(&server, 0), (Some(2000), None));
    for (texts, then) in [
        (
            vec!["Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."],
            (None, Some(2000)),
        ),
        (vec!["unknown field max_tokens", "unknown field max_completion_tokens"], (None, None)),
        (vec!["'max_tokens' is too large: 2000. This model supports at most 1024."], (None, None)),
        (
            vec!["This model's maximum context length is 2048 tokens. You requested 2100."],
            (None, None),
        ),
    ] {
        let refused = |text: &&str| {
            let body = json!({"error": {"message": text}}).to_string();
            Rule::status(400).body(body).times(1)
        };
        let mut rules: Vec<Rule> = texts.iter().map(refused).collect();
        rules.push(Rule::reply("SELECT 1"));
        let server = serve(rules);
        ask(&server, &OPTIONS).result.unwrap_or_else(|e| panic!("{texts:?}: {e}"));
        assert_eq!(limit(&server, texts.len()), then, "{texts:?}");
        // a limit that the user set is never lost
        let server = serve([Rule::status(400)
            .body(json!({"error": {"message": "'max_tokens' is too large: 4000"}}).to_string())]);
        let own = [&OPTIONS[..], &[("max_reply_tokens", "4000")]].concat();
        assert!(ask(&server, &own).result.is_err());
    }
}

#[test]
fn a_model_that_only_thinks_says_so() {
    let body = json!({"choices": [{"message": {"content": "<think>first"},
        "finish_reason": "length"}], "usage": {"prompt_tokens": 90, "completion_tokens": 2000}});
    let billed = ask(&serve([Rule::reply("x").body(body.to_string())]), &OPTIONS);
    let error = billed.result.expect_err("it wrote nothing");
    assert!(error.to_string().contains("reached max_reply_tokens (2000)"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("SET max_reply_tokens = '8000'"));
    assert_eq!(billed.usage.total(), 2090);
}
