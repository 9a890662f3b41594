//! Parts of requests and replies that all formats treat alike.

use serde_json::{Map, Value};

use text2sql_engine::chat::Request;

use crate::config::Config;

/// Samples after the first of one prompt are drawn at this temperature, unless one is set:
/// at zero they would all be the same.
const SAMPLE_TEMPERATURE: f64 = 0.7;

/// Temperature and top_p as they are to be sent.
pub(super) fn sampling(config: &Config, request: &Request, body: &mut Map<String, Value>) {
    let default = if request.sample > 0 { SAMPLE_TEMPERATURE } else { 0.0 };
    let temperature = config.temperature.or(config.top_p.is_none().then_some(default));
    if let Some(temperature) = temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(top_p) = config.top_p {
        body.insert("top_p".into(), top_p.into());
    }
}

/// The stops of the server and of the request.
pub(super) fn stops(config: &Config, request: &Request) -> Vec<String> {
    let mut stops = config.stop.clone();
    stops.extend(request.stop.iter().filter(|s| !config.stop.contains(s)).cloned());
    stops
}

/// A reply without the thoughts that locally served reasoning models put before it.
pub(super) fn without_thoughts(text: &str) -> &str {
    match text.trim_start().strip_prefix("<think>") {
        Some(thoughts) => thoughts.split_once("</think>").map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_no_reply() {
        for (text, reply) in [
            ("SELECT 1", "SELECT 1"),
            ("<think>hm\nhm</think>\n\nSELECT 1", "SELECT 1"),
            ("<think>cut off", ""),
            ("a <think> b", "a <think> b"),
        ] {
            assert_eq!(without_thoughts(text), reply);
        }
    }
}
