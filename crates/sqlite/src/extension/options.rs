//! The options of one call: a JSON object, as SQLite has no named arguments.

use serde_json::{Map, Value};
use text2sql_engine::engine::Question;
use text2sql_engine::error::Error;

use super::config::Config;

/// Options besides the settings.
const OPTIONS: &[&str] = &["hint", "strategy", "tables"];

/// The question with the options of `json`, and the settings that they change for this call.
pub fn read(text: &str, json: Option<&str>, config: &mut Config) -> Result<Question, Error> {
    let mut question = Question { text: text.to_owned(), ..Question::default() };
    for (name, value) in json.map(object).transpose()?.unwrap_or_default() {
        match (name.as_str(), &value) {
            (_, Value::Null) => {}
            ("hint", _) => question.hint = Some(plain(&value)),
            ("strategy", _) => question.strategy = Some(plain(&value)),
            ("tables", Value::Array(names)) => {
                question.tables = Some(names.iter().map(plain).collect());
            }
            ("tables", _) => question.tables = Some(vec![plain(&value)]),
            (setting, _) => config.set(setting, Some(plain(&value))).map_err(|e| match e {
                Error::UnknownName { given, known, .. } => {
                    let options = OPTIONS.iter().map(|o| (*o).to_owned());
                    let known = options.chain(known).collect();
                    Error::UnknownName { what: "option", given, known }
                }
                other => other,
            })?,
        }
    }
    Ok(question)
}

fn object(json: &str) -> Result<Map<String, Value>, Error> {
    serde_json::from_str(json).map_err(|_| Error::InvalidArgument {
        message: "the options are not a JSON object".to_owned(),
        hint: "SELECT text2sql('…', json_object('hint', '…', 'strategy', 'builtin'));".to_owned(),
    })
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_named_in_json_and_wrong_ones_are_told() {
        let mut config = Config::default();
        let json =
            r#"{"hint":"a","tables":["t","u"],"max_rows":5,"progress":true,"strategy":null}"#;
        let question = read("q", Some(json), &mut config).expect("valid");
        assert_eq!(question.hint.as_deref(), Some("a"));
        assert_eq!(question.tables, Some(vec!["t".to_owned(), "u".to_owned()]));
        assert_eq!(question.strategy, None);
        let settings = config.settings().expect("valid");
        assert!(settings.max_rows == 5 && settings.progress);
        let check = |json: &str, code: &str| {
            let error = read("q", Some(json), &mut Config::default()).expect_err(json);
            assert_eq!(error.code(), code, "{json}");
        };
        check("[]", "22023");
        check("builtin", "22023");
        check(r#"{"hnit":"a"}"#, "42704");
        check(r#"{"max_rows":0}"#, "22023");
        check(r#"{"allow_private_endpoints":true}"#, "22023");
    }
}
