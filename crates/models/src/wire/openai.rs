//! OpenAI chat completions and embeddings
//! (<https://platform.openai.com/docs/api-reference/chat>), which other servers use too.

use serde_json::{Map, Value, json};

use text2sql_engine::chat::{Message, Reply, Request, Role, Tool, ToolCall};

use super::common::{sampling, stops, without_thoughts};
use crate::billing::{Reported, count};
use crate::config::Config;

pub(super) fn body(config: &Config, request: &Request) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), config.model.as_str().into());
    body.insert("messages".into(), request.messages.iter().map(message).collect());
    sampling(config, request, &mut body);
    body.insert("max_tokens".into(), config.max_tokens.into());
    if let Some(seed) = config.seed {
        body.insert("seed".into(), (seed + i64::from(request.sample)).into());
    }
    let stops = stops(config, request);
    if !stops.is_empty() {
        body.insert("stop".into(), stops.into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    body
}

fn tool(tool: &Tool) -> Value {
    let (name, description) = (&tool.name, &tool.description);
    json!({"type": "function",
        "function": {"name": name, "description": description, "parameters": tool.parameters}})
}

fn message(message: &Message) -> Value {
    let mut out = json!({"role": message.role, "content": message.content});
    if !message.tool_calls.is_empty() {
        if message.content.is_empty() {
            out["content"] = Value::Null;
        }
        let call = |call: &ToolCall| {
            json!({"id": call.id, "type": "function",
                "function": {"name": call.name, "arguments": call.arguments}})
        };
        out["tool_calls"] = message.tool_calls.iter().map(call).collect();
    }
    if let (Role::Tool, Some(id)) = (message.role, &message.tool_call_id) {
        out["tool_call_id"] = id.as_str().into();
    }
    out
}

pub(super) fn reply(body: &Value) -> Result<Reply, String> {
    let choice = body["choices"].get(0).ok_or("it has no choices")?;
    let message = choice.get("message").ok_or("its choice has no message")?;
    let finish = choice["finish_reason"].as_str().unwrap_or_default();
    if finish == "content_filter" {
        return Err("the provider's content filter withheld it".to_owned());
    }
    let text = match (&message["content"], &message["refusal"]) {
        (Value::String(text), _) => text.clone(),
        (Value::Array(parts), _) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().concat()
        }
        (Value::Null, Value::String(refusal)) => refusal.clone(),
        (Value::Null, _) => String::new(),
        _ => return Err("its message is not text".to_owned()),
    };
    let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(Reply {
        text: without_thoughts(&text).to_owned(),
        tool_calls: calls.iter().enumerate().map(tool_call).collect(),
        truncated: finish == "length",
    })
}

/// Some servers leave ids out or give arguments as an object.
fn tool_call((at, call): (usize, &Value)) -> ToolCall {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    };
    ToolCall {
        id: call["id"].as_str().map_or_else(|| format!("call_{at}"), str::to_owned),
        name: call["function"]["name"].as_str().unwrap_or_default().to_owned(),
        arguments: text(&call["function"]["arguments"]),
    }
}

/// Some servers use the names of the newer format; DeepSeek has its own for cached tokens.
pub(super) fn reported(usage: &Value) -> Reported {
    let first = |names: [&str; 2]| names.iter().find_map(|name| count(usage.pointer(name)?));
    Reported {
        prompt: first(["/prompt_tokens", "/input_tokens"]),
        completion: first(["/completion_tokens", "/output_tokens"]),
        total: count(&usage["total_tokens"]),
        cached: first(["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens"])
            .unwrap_or(0),
    }
}

/// The body that asks for vectors.
pub(crate) fn embedding_body(model: &str, texts: &[String]) -> Value {
    json!({"model": model, "input": texts, "encoding_format": "float"})
}

/// The vectors of `count` texts, in their order.
pub(crate) fn vectors(body: &Value, count: usize) -> Result<Vec<Vec<f32>>, String> {
    let data = body["data"].as_array().ok_or("it has no data")?;
    let mut vectors = vec![Vec::new(); count];
    for (at, entry) in data.iter().enumerate() {
        let at = entry["index"].as_u64().map_or(at, |index| index as usize);
        let numbers = entry["embedding"].as_array().ok_or("an entry has no embedding")?;
        let slot = vectors.get_mut(at).ok_or("it has more vectors than texts were sent")?;
        *slot = numbers.iter().filter_map(|x| x.as_f64().map(|x| x as f32)).collect();
    }
    let width = vectors.first().map_or(0, Vec::len);
    if width == 0 || vectors.iter().any(|v| v.len() != width) {
        return Err("its vectors are missing or of different lengths".to_owned());
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_several_servers_are_read() {
        for (body, text) in [
            (json!({"choices": [{"message": {"content": "a"}}]}), Ok("a")),
            (
                json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}]}}]}),
                Ok("a"),
            ),
            (json!({"choices": [{"message": {"content": null, "refusal": "no"}}]}), Ok("no")),
            (json!({"choices": [{"message": {"content": null}}]}), Ok("")),
            (json!({"choices": [{"message": {"content": 5}}]}), Err("its message is not text")),
            (json!({"choices": []}), Err("it has no choices")),
            (json!([1]), Err("it has no choices")),
            (
                json!({"choices": [{"message": {}, "finish_reason": "content_filter"}]}),
                Err("the provider's content filter withheld it"),
            ),
        ] {
            let read = reply(&body).map(|r| r.text);
            assert_eq!(read.as_deref().map_err(String::as_str), text, "{body}");
        }
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts() {
        let entry = |index: usize, x: f32| json!({"index": index, "embedding": [x, 0.0]});
        let right = json!({"data": [entry(1, 2.0), entry(0, 1.0)]});
        assert_eq!(vectors(&right, 2), Ok(vec![vec![1.0, 0.0], vec![2.0, 0.0]]));
        for wrong in [
            json!({}),
            json!({"data": [entry(0, 1.0)]}),
            json!({"data": [entry(0, 1.0), entry(7, 1.0)]}),
            json!({"data": [entry(0, 1.0), {"index": 1, "embedding": [1.0]}]}),
            json!({"data": [entry(0, 1.0), {"index": 1, "embedding": ["x", 1.0]}]}),
        ] {
            assert!(vectors(&wrong, 2).is_err(), "{wrong}");
        }
    }
}
