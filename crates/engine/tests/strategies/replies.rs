//! Bad replies: one repair request, then a clear error that shows the reply.

use super::support::{Case, Run, SHOP, Scripted, database, sql};

fn zero_shot(script: impl Fn(usize) -> String) -> Run {
    let database = database(SHOP);
    let n = std::cell::Cell::new(0);
    let model = Scripted::new(|_| {
        n.set(n.get() + 1);
        script(n.get() - 1)
    });
    let question = "How many orders are there?";
    let case =
        Case { database: &database, strategy: "zero_shot", question, hint: None, settings: &[] };
    case.run(&model)
}

const RIGHT: &str = "SELECT count(*) FROM orders";

#[test]
fn an_unreadable_reply_is_asked_for_once_more() {
    let check = |bad: &str, complaint: &str| {
        let run = zero_shot(|n| if n == 0 { bad.to_owned() } else { sql(RIGHT) });
        assert_eq!(run.sql(), RIGHT, "{bad}");
        let last = run.prompt("zero_shot.sql", 1);
        assert!(last.contains(complaint), "{complaint} in {last}");
        // the repair continues the conversation
        assert_eq!(run.sent[1].messages.len(), 4);
    };
    check("There are many orders.", "no SQL");
    check("", "empty");
    check("I'm sorry, but I can't help with that.", "no SQL");
    check("```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```", "2 different");
    check("```sql\nSELECT count(*) FROM", "not closed");
}

#[test]
fn a_second_unreadable_reply_is_an_error_that_shows_it() {
    let run =
        zero_shot(|_| format!("I would rather talk about the weather. {}", "x".repeat(2_000)));
    assert_eq!(run.sqlstate(), "58T04");
    let error = run.report.error.as_ref().expect("a failure");
    let detail = error.detail.as_ref().expect("the reply");
    assert!(detail.contains("talk about the weather") && detail.len() < 600, "{detail}");
    assert_eq!(run.report.calls, 2);
}

#[test]
fn a_model_may_say_that_the_database_cannot_answer() {
    let run = zero_shot(|_| "CANNOT ANSWER: there is no weather here.".to_owned());
    assert_eq!(run.sqlstate(), "22T01");
    let error = run.report.error.as_ref().expect("a failure");
    assert!(error.detail.as_ref().is_some_and(|d| d.contains("no weather here")));
    assert_eq!(run.report.calls, 1);
}

/// Models that must write SQL decline by a query that finds nothing whatever the data is.
#[test]
fn a_query_that_finds_nothing_by_its_own_words_declines() {
    for none in ["SELECT NULL WHERE false", "SELECT id FROM orders WHERE 1 = 0"] {
        let run = zero_shot(|_| sql(none));
        assert_eq!((run.sqlstate(), run.report.calls), ("22T01", 1), "{none}");
    }
}

#[test]
fn sql_that_writes_or_names_what_is_not_there_is_refused() {
    for bad in ["DELETE FROM orders", "SELECT 1; DROP TABLE orders", "SELECT x FROM nowhere"] {
        let run = zero_shot(|_| sql(bad));
        assert!(run.report.error.is_some(), "{bad}");
    }
}

#[test]
fn gsr_mends_another_dialect_and_unknown_columns_by_execution() {
    let database = database(SHOP);
    for bad in ["SELECT TOP 1 * FROM orders", "SELECT o.amount FROM orders o"] {
        let model = Scripted::new(|request| match request.step.as_str() {
            "gsr.mining" => "{}".to_owned(),
            "gsr.refine" => sql(RIGHT),
            _ => sql(bad),
        });
        let question = "How many orders are there?";
        let case =
            Case { database: &database, strategy: "gsr", question, hint: None, settings: &[] };
        assert_eq!(case.run(&model).sql(), RIGHT);
    }
}
