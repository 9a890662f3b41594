//! The wire formats: from a request to a body, and from a body to a reply.

pub(crate) mod anthropic;
mod common;
pub(crate) mod openai;

use serde_json::{Map, Value};

use text2sql_engine::chat::{Reply, Request};

use crate::billing::Reported;
use crate::config::Config;
use crate::wire_format::Wire;

impl Wire {
    /// Where completions are, below the base URL.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Wire::OpenAi => "chat/completions",
            Wire::Anthropic => "messages",
        }
    }

    /// The body of a request, `extra` merged in.
    pub(crate) fn body(self, config: &Config, request: &Request) -> Value {
        let mut body = match self {
            Wire::OpenAi => openai::body(config, request),
            Wire::Anthropic => anthropic::body(config, request),
        };
        merge(&mut body, &config.extra);
        Value::Object(body)
    }

    /// The reply in a body; Err says what is wrong with it.
    pub(crate) fn reply(self, body: &Value) -> Result<Reply, String> {
        match self {
            Wire::OpenAi => openai::reply(body),
            Wire::Anthropic => anthropic::reply(body),
        }
    }

    /// The token counts in a body.
    pub(crate) fn reported(self, body: &Value) -> Reported {
        match self {
            Wire::OpenAi => openai::reported(&body["usage"]),
            Wire::Anthropic => anthropic::reported(&body["usage"]),
        }
    }
}

/// RFC 7396: objects merge, null removes, anything else replaces.
fn merge(target: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, value) in patch {
        match (target.get_mut(name), value) {
            (_, Value::Null) => {
                target.shift_remove(name);
            }
            (Some(Value::Object(inner)), Value::Object(more)) => merge(inner, more),
            _ => {
                target.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Objects and arrays that a reply may have: each takes a hundred times its bytes in memory.
const MOST_PARTS: usize = 100_000;

/// The JSON that a server has sent; Err says what is wrong with it.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, String> {
    match bytes.iter().filter(|&byte| matches!(byte, b'[' | b'{')).count() {
        ..=MOST_PARTS => serde_json::from_slice(bytes).map_err(|e| format!("not JSON: {e}")),
        parts => Err(format!("it has {parts} brackets, at most {MOST_PARTS} are read")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::billing::Estimate;
    use serde_json::json;

    #[test]
    fn extra_fields_merge_and_null_removes() {
        let mut body = json!({"temperature": 0, "options": {"a": 1, "b": 2}});
        let patch = json!({"temperature": null, "options": {"b": 3}, "top_k": 5});
        merge(body.as_object_mut().expect("object"), patch.as_object().expect("object"));
        assert_eq!(body, json!({"options": {"a": 1, "b": 3}, "top_k": 5}));
    }

    #[test]
    fn no_count_of_tokens_overflows() {
        let all = u64::MAX;
        let openai = json!({"choices": [{"message": {"content": "a"}}],
            "usage": {"prompt_tokens": all, "completion_tokens": all}});
        let anthropic = json!({"content": [{"type": "text", "text": "a"}], "usage": {
            "input_tokens": all, "cache_read_input_tokens": all,
            "cache_creation_input_tokens": all, "output_tokens": all}});
        for (wire, body) in [(Wire::OpenAi, openai), (Wire::Anthropic, anthropic)] {
            let usage = wire.reported(&body).or_estimated(Estimate::default());
            assert!(usage.total() < 1 << 40, "{usage:?}");
        }
    }
}
