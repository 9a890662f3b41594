//! The options of one call: a JSON object, as SQLite has no named arguments.

use serde_json::{Map, Value};
use text2sql_engine::dialect::Dialect;
use text2sql_engine::engine::Question;
use text2sql_engine::error::Error;
use text2sql_engine::options::{self, plain};
use text2sql_engine::settings::parse_bool;

use super::config::Config;

/// Options besides the settings.
const OPTIONS: &[&str] = &["hint", "strategy", "tables"];

/// The question with the options of `json`, and the settings that they change for this call.
pub fn read(text: &str, json: Option<&str>, config: &mut Config) -> Result<Question, Error> {
    let mut question = Question { text: text.to_owned(), ..Question::default() };
    let read = |json| options::read(json, Dialect::Sqlite);
    for (name, value) in json.map(read).transpose()?.unwrap_or_default() {
        match (name.as_str(), &value) {
            ("hint", _) => question.hint = Some(plain(&value)),
            ("strategy", _) => question.strategy = Some(plain(&value)),
            ("tables", Value::Array(names)) => {
                question.tables = Some(names.iter().map(plain).collect());
            }
            ("tables", _) => question.tables = Some(vec![plain(&value)]),
            (setting, _) => config.set(setting, Some(plain(&value))).map_err(|e| match e {
                Error::UnknownName { given, known, .. } => {
                    let others = OPTIONS.iter().map(|o| (*o).to_owned());
                    options::unknown(&given, others.chain(known))
                }
                other => other,
            })?,
        }
    }
    Ok(question)
}

/// Whether the options of a report ask for the answer to be run, and the other options.
pub fn execute(json: Option<&str>) -> Result<(bool, Option<String>), Error> {
    let Some(json) = json else { return Ok((false, None)) };
    let mut others: Map<String, Value> =
        options::read(json, Dialect::Sqlite)?.into_iter().collect();
    let wanted = others.remove("execute").map_or(Ok(false), |value| {
        parse_bool(&plain(&value)).ok_or_else(|| Error::InvalidArgument {
            message: format!("invalid value for option execute: {value}"),
            hint: "It is true or false: text2sql_explain('…', '{\"execute\": true}')".to_owned(),
        })
    })?;
    Ok((wanted, Some(Value::Object(others).to_string())))
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
