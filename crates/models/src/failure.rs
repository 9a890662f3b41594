//! What can go wrong with a call, and the error that a user sees: the cause, and the command or
//! check that helps. It never shows the key, nor more than a short part of the server's reply.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use text2sql_engine::error::Error;

use crate::billing::Reported;
use crate::config::Config;
use crate::endpoint::Forbidden;
use crate::secret::redact;
use crate::wire::json;
use crate::wire_format::Wire;

/// Characters of a server's words that an error shows.
const SHOWN: usize = 300;

/// A failed attempt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// No connection; the text says why.
    Unreachable(String),
    /// The connection was lost; the text says why.
    Connection(String),
    /// The name resolves to an address that may not be contacted.
    Forbidden(Forbidden),
    /// A timeout ran out.
    Timeout { option: &'static str, time: Duration },
    /// An HTTP error status, with the server's message and the field that it is about.
    Status {
        status: StatusCode,
        message: String,
        field: Option<String>,
        retry_after: Option<Duration>,
        /// Tokens that are billed all the same.
        reported: Reported,
    },
    /// A redirect, and the origin that it leads to.
    Redirect(Option<String>),
    /// The reply exceeds the limit.
    TooLarge,
    /// The reply is compressed, although no compression was accepted.
    Compressed(String),
    /// The reply cannot be read; why, and its beginning.
    Unreadable { reason: String, body: String },
}

impl Failure {
    /// Whether the request got as far as the server.
    pub(crate) fn left(&self) -> bool {
        let unconnected = matches!(self, Failure::Timeout { option: "connect_timeout", .. });
        !unconnected && !matches!(self, Failure::Unreachable(_) | Failure::Forbidden(_))
    }

    /// The failure behind an error of the HTTP client.
    pub(crate) fn of(error: &reqwest::Error, config: &Config) -> Self {
        let mut causes: Vec<String> = Vec::new();
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            if let Some(forbidden) = inner.downcast_ref::<Forbidden>() {
                return Failure::Forbidden(forbidden.clone());
            }
            // nested errors repeat each other, and the client's own add nothing
            let text = inner.to_string();
            if !text.starts_with("client error") && !causes.iter().any(|c| c.contains(&text)) {
                causes.push(text);
            }
            cause = inner.source();
        }
        if error.is_timeout() {
            return Failure::Timeout { option: "connect_timeout", time: config.connect_timeout };
        }
        let reason = match causes.is_empty() {
            true => error.to_string(),
            false => causes.join(": "),
        };
        match error.is_connect() {
            true => Failure::Unreachable(reason),
            false => Failure::Connection(reason),
        }
    }

    /// The failure for an answer with HTTP status `status`.
    pub(crate) fn status(status: StatusCode, headers: &HeaderMap, body: &[u8], wire: Wire) -> Self {
        let (text, body) = (String::from_utf8_lossy(body), json(body).ok());
        let reported = body.as_ref().map(|body| wire.reported(body)).unwrap_or_default();
        let param = |body: &Value| body.pointer("/error/param")?.as_str().map(str::to_owned);
        let (message, field) = (words(&text, body.as_ref()), body.as_ref().and_then(param));
        Failure::Status { status, message, field, retry_after: retry_after(headers), reported }
    }

    /// Whether another attempt may succeed.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Failure::Unreachable(_) | Failure::Connection(_) => true,
            Failure::Timeout { option, .. } => *option == "connect_timeout",
            Failure::Status { status, .. } => {
                status.is_server_error() && *status != StatusCode::NOT_IMPLEMENTED
                    || matches!(status.as_u16(), 408 | 425 | 429)
            }
            _ => false,
        }
    }

    /// How long the server asks to wait.
    pub(crate) fn asked_wait(&self) -> Option<Duration> {
        match self {
            Failure::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The error to report after `attempts` attempts.
    pub(crate) fn report(&self, config: &Config, attempts: u32) -> Error {
        let (mut message, hint) = self.explain(config);
        if attempts > 1 {
            message = format!("{message} ({attempts} attempts)");
        }
        Error::Model { message: shorten(&redact(&message, config.key.as_ref()), 3 * SHOWN), hint }
    }

    fn explain(&self, config: &Config) -> (String, String) {
        let origin = config.base_url.origin().ascii_serialization();
        let set = |option: &str, value: &str| config.mend.set(option, value);
        match self {
            Failure::Unreachable(reason) | Failure::Connection(reason) => (
                format!("the connection to {origin} failed: {reason}"),
                format!("Is it running? Try: curl -i {origin}; or: {}", set("base_url", "…")),
            ),
            Failure::Forbidden(forbidden) => {
                (format!("{origin} may not be used: {forbidden}"), set("base_url", "https://…/v1"))
            }
            Failure::Timeout { option, time } => (
                format!("{origin} did not answer within {option} ({time:?})"),
                set(option, &format!("{}s", (time.as_secs() * 2).max(1))),
            ),
            Failure::Status { status, message, retry_after, .. } => {
                let wait = match retry_after {
                    Some(time) => format!("; it asks to wait {time:?}"),
                    None => String::new(),
                };
                let said = if message.is_empty() { String::new() } else { format!(": {message}") };
                let hint = status_hint(*status, message, config);
                (format!("{origin} answered {status}{said}{wait}"), hint)
            }
            Failure::Redirect(to) => (
                format!(
                    "{origin} redirects to {}; redirects are not followed",
                    to.as_deref().unwrap_or("nowhere")
                ),
                set("base_url", &to.as_ref().map_or("…".to_owned(), |to| format!("{to}/…"))),
            ),
            Failure::TooLarge => (
                format!("the reply has more than {} bytes", config.max_reply_bytes),
                set("max_reply_bytes", &(config.max_reply_bytes * 4).min(268_435_456).to_string()),
            ),
            Failure::Compressed(encoding) => (
                format!("{origin} compressed its reply ({encoding}) although none was asked for"),
                "Turn compression off in the server or the gateway before it.".to_owned(),
            ),
            Failure::Unreadable { reason, body } => (
                format!(
                    "the reply of {origin} cannot be read: {reason}; it begins: {}",
                    words(body, json(body.as_bytes()).ok().as_ref())
                ),
                format!(
                    "Does base_url speak this provider's format? Else: {}",
                    set("base_url", "…")
                ),
            ),
        }
    }
}

/// The hint for a status.
fn status_hint(status: StatusCode, message: &str, config: &Config) -> String {
    /// Fields of the body that some models refuse.
    const REFUSED: [&str; 6] = ["temperature", "max_tokens", "top_p", "seed", "stop", "tools"];
    let set = |option: &str, value: &str| config.mend.set(option, value);
    match status.as_u16() {
        401 | 403 => set("api_key", "…"),
        404 => format!("Does it serve model \"{}\"? {}", config.model, set("model", "…")),
        400 | 422 => match REFUSED.iter().find(|field| message.contains(*field)) {
            Some(&"tools") => set("native_tools", "off"),
            Some(field) => set("extra", &format!("{{\"{field}\": null}}")),
            None => set("model", "…"),
        },
        413 => "SET text2sql.max_schema_tokens = 1000;".to_owned(),
        429 => format!("Try later, or: {}", set("retries", "10")),
        _ => format!("Try later, or another server: {}", set("base_url", "…")),
    }
}

/// The server's own words in an error's body: the message of what was read of it, if that has one.
fn words(body: &str, read: Option<&Value>) -> String {
    let places = ["/error/message", "/message", "/error", "/detail"];
    let message = |read: &Value| {
        places.iter().find_map(|path| read.pointer(path)?.as_str().map(str::to_owned))
    };
    shorten(read.and_then(message).as_deref().unwrap_or(body), SHOWN)
}

/// At most `limit` characters on one line.
fn shorten(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    match line.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    let number = |name: &str| text(name).and_then(|t| t.parse::<f64>().ok());
    if let Some(ms) = number("retry-after-ms") {
        return Duration::try_from_secs_f64(ms / 1e3).ok();
    }
    if let Some(seconds) = number("retry-after") {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text("retry-after")?).ok()?;
    Some(date.duration_since(std::time::SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let soon = std::time::SystemTime::now() + Duration::from_secs(60);
        let date = httpdate::fmt_http_date(soon);
        for (name, value, seconds) in [
            ("retry-after", "2", Some(2)),
            ("retry-after", " 0 ", Some(0)),
            ("retry-after-ms", "3000", Some(3)),
            ("retry-after", "-1", None),
            ("retry-after", "1e300", None),
            ("retry-after", "Mon, 01 Jan 2001 00:00:00 GMT", Some(0)),
            ("retry-after", "tomorrow", None),
            ("retry-after", date.as_str(), Some(59)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a header"));
            // a date has whole seconds: one of them may have passed
            let read = retry_after(&headers).map(|d| d.as_secs().min(59));
            assert_eq!(read, seconds, "{name}: {value}");
        }
    }

    #[test]
    fn the_servers_words_are_found_and_shortened() {
        let long = "x".repeat(1000);
        for (body, shown) in [
            (r#"{"error": {"message": "no such model"}}"#, "no such model".to_owned()),
            (r#"{"type": "error", "error": {"type": "t", "message": "m"}}"#, "m".to_owned()),
            (r#"{"error": "model 'x' not found"}"#, "model 'x' not found".to_owned()),
            (r#"{"detail": "Not Found"}"#, "Not Found".to_owned()),
            ("<html>\n  <b>502</b>\u{1b}[31m</html>", "<html> <b>502</b>[31m</html>".to_owned()),
            (long.as_str(), format!("{}…", "x".repeat(SHOWN))),
            ("", String::new()),
        ] {
            let read = json(body.as_bytes()).ok();
            assert_eq!(words(body, read.as_ref()), shown, "{body}");
        }
    }
}
