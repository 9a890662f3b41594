//! Anthropic messages (<https://docs.anthropic.com/en/api/messages>).

use serde_json::{Map, Value, json};

use text2sql_engine::chat::{Message, Reply, Request, Role, ToolCall};

use super::common::{carried, sampling};
use crate::billing::{Reported, count};
use crate::config::Config;
use crate::wire_format::Trouble;

/// The version of the wire format.
pub(crate) const VERSION: &str = "2023-06-01";

pub(super) fn body(config: &Config, request: &Request) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), config.model.as_str().into());
    body.insert("max_tokens".into(), config.max_tokens.into());
    let (system, messages) = conversation(request);
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), messages.into());
    sampling(config, request, &mut body);
    let stops: Vec<&str> =
        request.stop.iter().map(String::as_str).filter(|s| !s.trim().is_empty()).collect();
    if !stops.is_empty() {
        body.insert("stop_sequences".into(), stops.into());
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description,
                "input_schema": tool.parameters})
        });
        body.insert("tools".into(), tools.collect());
    }
    body
}

/// System blocks and messages. Consecutive messages of one role are merged (all tool results
/// must be in the message after their calls), and the last block of the stable prefix marks
/// where the provider's cache ends.
fn conversation(request: &Request) -> (Vec<Value>, Vec<Value>) {
    let mut system = Vec::new();
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let mut blocks = blocks(message);
        if at + 1 == request.stable_prefix
            && let Some(last) = blocks.last_mut()
            && matches!(last["type"].as_str(), Some("text" | "tool_use" | "tool_result"))
        {
            last["cache_control"] = json!({"type": "ephemeral"});
        }
        let role = match message.role {
            Role::System => {
                system.extend(blocks);
                continue;
            }
            Role::Assistant => "assistant",
            Role::User | Role::Tool => "user",
        };
        match messages.last_mut() {
            Some((last, gathered)) if *last == role => gathered.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let filled = messages.into_iter().filter(|(_, blocks)| !blocks.is_empty());
    let message = |(role, blocks)| json!({"role": role, "content": Value::Array(blocks)});
    (system, filled.map(message).collect())
}

/// A message's content blocks; empty texts are not accepted.
fn blocks(message: &Message) -> Vec<Value> {
    if message.role == Role::Tool {
        return vec![json!({"type": "tool_result", "tool_use_id": message.tool_call_id,
            "content": message.content})];
    }
    if let Some(blocks) = message.carried.as_array() {
        return blocks.clone();
    }
    let mut blocks = Vec::new();
    let text = match message.role {
        // a reply to be continued must not end in white space
        Role::Assistant => message.content.trim_end(),
        _ => message.content.as_str(),
    };
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text}));
    }
    for call in &message.tool_calls {
        // the format requires an object even if the model wrote none
        let input = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
        let input = input.unwrap_or_else(|| json!({"unreadable": call.arguments}));
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    blocks
}

/// A reply. Where it has thoughts, its blocks go back as they are: some are signed.
pub(super) fn reply(body: &Value) -> Result<Reply, Trouble> {
    let content = body["content"].as_array().ok_or("it has no content")?;
    let end = body["stop_reason"].as_str().unwrap_or_default();
    let mut reply = Reply { truncated: end == "max_tokens", ..Reply::default() };
    let mut thinks = false;
    for block in content {
        match block["type"].as_str() {
            Some("text") => reply.text.push_str(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") => reply.tool_calls.push(ToolCall {
                id: block["id"].as_str().unwrap_or_default().to_owned(),
                name: block["name"].as_str().unwrap_or_default().to_owned(),
                arguments: block["input"].to_string(),
                carried: Value::Null,
            }),
            _ => thinks = true,
        }
    }
    if end == "refusal" || reply.text.trim().is_empty() && reply.tool_calls.is_empty() {
        return Err(Trouble::of_end(end));
    }
    if thinks {
        reply.carried = carried(body["content"].clone());
    }
    Ok(reply)
}

/// Cached tokens are not included in `input_tokens`.
pub(super) fn reported(usage: &Value) -> Reported {
    let part = |name: &str| count(&usage[name]);
    let cached = part("cache_read_input_tokens").unwrap_or(0);
    let created = part("cache_creation_input_tokens").unwrap_or(0);
    Reported {
        prompt: part("input_tokens").map(|fresh| fresh + cached + created),
        completion: part("output_tokens"),
        total: None,
        cached,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_thoughts_go_back_as_they_came() {
        let blocks = json!([
            {"type": "thinking", "thinking": "hm", "signature": "abc"},
            {"type": "redacted_thinking", "data": "xyz"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"b": 1, "a": 2}}]);
        let reply = reply(&json!({"content": blocks, "stop_reason": "tool_use"})).expect("a reply");
        let message = Message {
            tool_calls: reply.tool_calls,
            carried: reply.carried,
            ..Message::new(Role::Assistant, reply.text)
        };
        assert_eq!(Value::Array(super::blocks(&message)), blocks);
    }

    #[test]
    fn an_empty_reply_says_why() {
        for (end, trouble) in [
            ("max_tokens", Trouble::Length),
            ("refusal", Trouble::Declined("it gives no reason".to_owned())),
            ("end_turn", Trouble::Nothing("end_turn".to_owned())),
        ] {
            let body =
                json!({"content": [{"type": "thinking", "thinking": "hm"}], "stop_reason": end});
            assert_eq!(reply(&body).map(|r| r.text), Err(trouble));
        }
    }
}
