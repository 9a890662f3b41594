//! Fields of a request that some models refuse although they use the wire format: reasoning
//! models accept neither `temperature` nor `stop`, and call `max_tokens` something else. Fields
//! that the user did not set are then left out, and the session remembers.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::config::Config;
use crate::failure::Failure;
use crate::wire::format::Wire;

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
    if let ("max_tokens", Some(value)) = (field, value) {
        body.insert("max_completion_tokens".to_owned(), value);
    }
}

/// The field of `body` that the server refused, unless the user set it.
fn refused_field(config: &Config, failure: &Failure, body: &Value) -> Option<&'static str> {
    let Failure::Status { status, message, field: named, .. } = failure else { return None };
    let said = message.to_lowercase();
    if !matches!(status.as_u16(), 400 | 422) || !UNSUPPORTED.iter().any(|w| said.contains(w)) {
        return None;
    }
    let candidates = [
        ("temperature", config.temperature.is_none()),
        ("stop", config.stop.is_empty()),
        ("stop_sequences", config.stop.is_empty()),
        // renamed, not lost
        ("max_tokens", config.wire == Wire::OpenAi),
    ];
    let is_named = |field: &str| match named {
        Some(named) => named == field,
        None => said.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == field),
    };
    let ours = |field: &str| body.get(field).is_some() && !config.extra.contains_key(field);
    candidates
        .into_iter()
        .find(|&(field, free)| free && ours(field) && is_named(field))
        .map(|(field, _)| field)
}
