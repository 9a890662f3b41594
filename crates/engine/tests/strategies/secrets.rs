//! What looks like a credential stands in no prompt of any strategy, whatever the model asks for,
//! until it is labelled otherwise; the report says what stayed and why.

use std::cell::RefCell;

use text2sql_engine::chat::Role;

use super::support::{Case, Recording, Run, Scripted, sql};

const STAFF: &str = "
CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, password_hash TEXT, api_key TEXT, note TEXT,
    phrase TEXT);
INSERT INTO staff VALUES (1, 'Vann', 'hunter1', 'letmein1', 'AKIAIOSFODNN7EXAMPLE', 'opensesame1'),
    (2, 'Vbob', 'hunter2', 'letmein2', 'AKIAIOSFODNN7EXAMPLD', 'opensesame2');
CREATE TABLE text2sql_description (table_name TEXT, column_name TEXT DEFAULT '', description TEXT,
    values_withheld INTEGER DEFAULT 0);
INSERT INTO text2sql_description VALUES ('staff', 'phrase', 'The recovery key of the account', 0);
";
const SECRETS: [&str; 4] = ["hunter1", "letmein1", "AKIAIOSFODNN7EXAMPLE", "opensesame1"];

fn asked(strategy: &str, schema: &str, replies: &[&str]) -> Run {
    let database = Recording::new(schema);
    let n = RefCell::new(0);
    let model = Scripted::new(|request| {
        let rounds = request.messages.iter().filter(|m| m.role == Role::Assistant).count();
        let at = if strategy == "interactive" { rounds } else { n.replace_with(|n| *n + 1) };
        replies[at.min(replies.len() - 1)].to_owned()
    });
    let question = "Which staff have the note AKIAIOSFODNN7EXAMPLD or the password hunter2?";
    Case { database: &database, strategy, question, hint: None, settings: &[] }.run(&model)
}

/// The secrets in what was sent.
fn sent(run: &Run) -> Vec<&'static str> {
    let texts = run.sent.iter().flat_map(|r| &r.messages);
    let texts = texts.filter(|m| m.role != Role::Assistant).map(|m| m.content.as_str());
    let text: String = texts.collect();
    SECRETS.into_iter().filter(|secret| text.contains(secret)).collect()
}

fn every_strategy(schema: &str) -> Vec<(&'static str, Run)> {
    let all = sql("SELECT * FROM staff WHERE note <> ''");
    let notes = sql("SELECT note FROM staff");
    let joined = sql("SELECT group_concat(note, ', ') FROM staff");
    let wrong = sql("SELECT nothing FROM staff");
    let tools = [
        "Action: SearchColumn([\"password hash\", \"note\", \"phrase\"])",
        "Action: SearchValue([\"hunter\", \"AKIAIOSFODNN7EXAMPL\", \"opensesam1\"])",
        "Action: ExecuteSQL(\"SELECT * FROM staff\")",
        "Action: ExecuteSQL(\"SELECT note FROM staff\")",
        "Action: Done",
    ];
    let linked = "{\"staff\": [\"password_hash\", \"api_key\", \"note\", \"phrase\"]}";
    let gsr = asked("gsr", schema, &[&all, linked, &wrong, &notes, &joined]);
    let mag = asked("mag", schema, &["1. Which staff have a note?", &notes, &wrong, &all, &notes]);
    let interactive = asked("interactive", schema, &tools);
    let zero_shot = asked("zero_shot", schema, &[&wrong, &notes, &all]);
    vec![("gsr", gsr), ("mag", mag), ("interactive", interactive), ("zero_shot", zero_shot)]
}

#[test]
fn no_prompt_holds_what_looks_like_a_secret() {
    for (strategy, run) in every_strategy(STAFF) {
        assert!(!run.sent.is_empty(), "{strategy} asks");
        assert_eq!(sent(&run), [""; 0], "{strategy}");
    }
}

#[test]
fn what_is_released_is_sent() {
    let released = format!(
        "{STAFF} INSERT INTO text2sql_description VALUES ('staff', 'password_hash', NULL, -1),
         ('staff', 'api_key', NULL, -1), ('staff', 'note', NULL, -1);
         UPDATE text2sql_description SET values_withheld = -1"
    );
    let all: Vec<&str> = every_strategy(&released).iter().flat_map(|(_, run)| sent(run)).collect();
    for secret in SECRETS {
        assert!(all.contains(&secret), "{secret}");
    }
}

#[test]
fn the_report_says_what_stayed_and_why() {
    let run = asked("zero_shot", STAFF, &[&sql("SELECT name FROM staff")]);
    let withheld: Vec<(&str, &str)> =
        run.report.withheld.iter().map(|(column, why)| (&**column, &**why)).collect();
    assert_eq!(
        withheld,
        [
            ("staff.api_key", "looks like a key"),
            ("staff.note", "looks like a key"),
            ("staff.password_hash", "looks like a password"),
            ("staff.phrase", "looks like a key"),
        ]
    );
}
