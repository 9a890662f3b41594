//! A row as JSON: SQLite's own values, each by its storage class.

use rusqlite::types::Value;
use serde_json::json;

/// A row as one line of JSON, columns in order. A number, a text, NULL, an infinity and a blob
/// all differ: `1`, `"1"`, `null`, `9e999`, `{"blob":"31"}`.
pub fn row(names: &[String], values: &[Value]) -> String {
    let fields =
        names.iter().zip(values).map(|(name, value)| format!("{}:{}", json!(name), of(value)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(n) => n.to_string(),
        // JSON has no infinity; readers make one of a number too large for them, as SQLite does
        Value::Real(x) if x.is_infinite() => if *x > 0.0 { "9e999" } else { "-9e999" }.to_owned(),
        Value::Real(x) => format!("{x:?}"),
        Value::Text(text) => json!(text).to_string(),
        Value::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{{\"blob\":\"{digits}\"}}")
        }
    }
}
