//! Fields of a request that some models refuse although they use the wire format: reasoning
//! models accept neither `temperature` nor `stop`, and call `max_tokens` something else; small
//! ones have no room for the default of `max_tokens`. Fields that the user did not set are then
//! left out, and the session remembers.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::config::Config;
use crate::failure::Failure;
use crate::wire_format::Wire;

/// How servers say that they do not know a field, in lower case. A value out of range is
/// something else.
const UNSUPPORTED: &[&str] = &[
    "unsupported",
    "not supported",
    "not support",
    "deprecated",
    "unrecognized",
    "unknown",
    "not permitted",
    "not allowed",
    "extra inputs",
];

/// How servers say that a limit on the reply does not fit, in lower case.
const TOO_LARGE: &[&str] = &["too large", "too high", "maximum", "at most", "less than", "exceed"];

/// What the models of a session refuse, by endpoint and model.
#[derive(Debug, Default)]
pub(crate) struct Refused(Mutex<HashMap<(String, String), HashSet<&'static str>>>);

impl Refused {
    fn with<T>(&self, config: &Config, work: impl FnOnce(&mut HashSet<&'static str>) -> T) -> T {
        // a set of names is valid at every moment
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(known.entry((config.base_url.to_string(), config.model.clone())).or_default())
    }

    /// Remove the fields that are known to be refused.
    pub(crate) fn leave_out(&self, config: &Config, body: &mut Value) {
        self.with(config, |known| known.iter().for_each(|field| leave_out(body, field)));
    }

    /// Whether `failure` is about a field that can be left out; if so, it is left out from now on.
    pub(crate) fn learn(&self, config: &Config, failure: &Failure, body: &mut Value) -> bool {
        let Some(field) = refused_field(config, failure, body) else { return false };
        leave_out(body, field);
        self.with(config, |known| known.insert(field));
        true
    }
}

fn leave_out(body: &mut Value, field: &str) {
    let Some(body) = body.as_object_mut() else { return };
    let value = body.shift_remove(field);
    match (field, value) {
        ("max_tokens", Some(value)) => {
            body.insert("max_completion_tokens".to_owned(), value);
        }
        // whatever it is called
        ("max_completion_tokens", _) => {
            body.shift_remove("max_tokens");
        }
        _ => {}
    }
}

/// The field of `body` that the server refused, unless the user set it.
fn refused_field(config: &Config, failure: &Failure, body: &Value) -> Option<&'static str> {
    let Failure::Status { status, message, field: named, .. } = failure else { return None };
    if !matches!(status.as_u16(), 400 | 422) {
        return None;
    }
    let text = message.to_lowercase();
    let is_named = |field: &str| match named {
        Some(named) => named == field,
        None => text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == field),
    };
    let ours = |field: &str| body.get(field).is_some() && !config.extra.contains_key(field);
    let by_default = config.wire == Wire::OpenAi && !config.max_tokens_is_set;
    let limits = ["max_tokens", "max_completion_tokens"];
    // a context that is too small for prompt and reply together is called by many names
    let about_limit = limits.iter().any(|field| is_named(field)) || text.contains("context");
    if by_default
        && limits.iter().any(|field| ours(field))
        && about_limit
        && TOO_LARGE.iter().any(|words| text.contains(words))
    {
        return Some("max_completion_tokens");
    }
    if !UNSUPPORTED.iter().any(|words| text.contains(words)) {
        return None;
    }
    let candidates = [
        ("temperature", config.temperature.is_none()),
        ("stop", config.stop.is_empty()),
        ("stop_sequences", config.stop.is_empty()),
        // renamed, not lost
        ("max_tokens", config.wire == Wire::OpenAi),
        ("max_completion_tokens", by_default),
    ];
    candidates
        .into_iter()
        .find(|&(field, free)| free && ours(field) && is_named(field))
        .map(|(field, _)| field)
}
