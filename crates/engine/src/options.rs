//! The options of one call: a JSON object of names and values. The adapter's settings decide what
//! a name means, by their usual rules.

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::error::Error;

/// The names and values of the object, in its order; NULLs are left out.
pub fn read(json: &str, dialect: Dialect) -> Result<Vec<(String, Value)>, Error> {
    let object: Map<String, Value> =
        serde_json::from_str(json).map_err(|_| Error::InvalidArgument {
            message: "the options are not a JSON object".to_owned(),
            hint: dialect.options_example().to_owned(),
        })?;
    Ok(object.into_iter().filter(|(_, value)| !value.is_null()).collect())
}

/// A value in the form of a setting: a list as text with commas.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// The error for a name that is not an option; `known` lists those that are.
pub fn unknown(name: &str, known: impl IntoIterator<Item = String>) -> Error {
    let known = known.into_iter().collect();
    Error::UnknownName { what: "option", given: name.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_the_values_of_an_object_as_settings_take_them() {
        let json = r#"{"max_rows":5,"progress":true,"schemas":["a","b"],"strategy":null,"x":"y"}"#;
        let read = read(json, Dialect::Postgres).expect("an object");
        let plain: Vec<_> = read.iter().map(|(name, value)| (&**name, plain(value))).collect();
        let expected = [("max_rows", "5"), ("progress", "on"), ("schemas", "a,b"), ("x", "y")];
        assert_eq!(plain, expected.map(|(name, value)| (name, value.to_owned())));
    }

    #[test]
    fn what_is_no_object_is_told_with_an_example() {
        for json in ["[]", "builtin", "1"] {
            for dialect in [Dialect::Postgres, Dialect::Sqlite] {
                let error = read(json, dialect).expect_err(json);
                assert_eq!(error.code(), "22023");
                assert!(error.hint().is_some_and(|hint| hint.starts_with("SELECT text2sql(")));
            }
        }
    }
}
