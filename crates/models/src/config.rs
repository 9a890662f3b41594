//! A server's options, read and validated, with its key.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Map, Value};

use text2sql_engine::chat::Usage;
use text2sql_engine::error::Error;

use crate::endpoint;
use crate::options::{
    OPTIONS, PROVIDERS, Place, Provider, body, check, find_provider, headers, stops, switch, time,
};
use crate::secret::Secret;
use crate::wire_format::Wire;

/// Writes the command that sets an option, from its name and value.
pub struct Mend(Box<Command>);

type Command = dyn Fn(&str, &str) -> String;

impl Mend {
    /// With the host's way of setting options.
    pub fn new(command: impl Fn(&str, &str) -> String + 'static) -> Self {
        Self(Box::new(command))
    }

    pub(crate) fn set(&self, option: &str, value: &str) -> String {
        (self.0)(option, value)
    }
}

/// The options of one server, read and validated.
pub struct Config {
    /// What the user calls the server.
    pub server: String,
    /// The model's name.
    pub model: String,
    embedding_model: Option<String>,
    /// Its base URL.
    pub base_url: Url,
    pub(crate) wire: Wire,
    pub(crate) key: Option<Secret>,
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    /// Most tokens of a reply.
    pub(crate) max_tokens: i64,
    /// Whether the user set `max_reply_tokens`; the default is left out where a model refuses it.
    pub(crate) max_tokens_is_set: bool,
    pub(crate) seed: Option<i64>,
    pub(crate) stop: Vec<String>,
    pub(crate) extra: Map<String, Value>,
    pub(crate) headers: HeaderMap,
    /// Whether the model is offered tools by the wire format's own means.
    pub native_tools: bool,
    pub(crate) connect_timeout: Duration,
    pub(crate) read_timeout: Duration,
    /// Time of a call, its retries included.
    pub total_timeout: Duration,
    pub(crate) retries: u32,
    pub(crate) max_reply_bytes: usize,
    pub(crate) max_parallel: usize,
    /// Calls of all sessions that may run at the same time; None without such a limit.
    pub max_parallel_all: Option<usize>,
    pub(crate) private: bool,
    pub(crate) mend: Mend,
    prices: Option<Prices>,
    /// What stands for its options, keys left out.
    pub fingerprint: u64,
}

impl Config {
    /// The embedding model's name.
    ///
    /// Errors: [`Error::NoModel`] if the server names none.
    pub fn embedding_model(&self) -> Result<&str, Error> {
        self.embedding_model.as_deref().ok_or_else(|| Error::NoModel {
            message: format!("server \"{}\" names no embedding model", self.server),
            hint: self.mend.set("embedding_model", "…"),
        })
    }

    /// Read the options of `server`: `lookup(name)` returns an option's text. `private` says
    /// whether the endpoint may be on a loopback or private address. Reads the key file or the
    /// environment variable if one is named.
    ///
    /// Errors: [`Error::NoModel`] if something is missing or not allowed, with the command that
    /// fixes it; [`Error::InvalidArgument`] for a wrong value.
    pub fn read(
        server: &str,
        lookup: impl Fn(&str) -> Option<String>,
        private: bool,
        mend: Mend,
    ) -> Result<Self, Error> {
        for option in OPTIONS {
            if let Some(value) = lookup(option.name) {
                check(None, option.name, &value)?;
            }
        }
        // checked above: reading a value that is there cannot fail
        let text = |name: &str| {
            let default = OPTIONS.iter().find(|o| o.name == name).map_or("", |o| o.default);
            lookup(name).or_else(|| (!default.is_empty()).then(|| default.to_owned()))
        };
        let real = |name: &str| text(name).and_then(|v| v.parse::<f64>().ok());
        let whole = |name: &str| text(name).and_then(|v| v.parse::<i64>().ok());
        let span = |name: &str| text(name).and_then(|v| time(&v)).unwrap_or_default();
        let absent = |message: String, option: &str, example: &str| Error::NoModel {
            message,
            hint: mend.set(option, example),
        };
        let provider =
            text("provider").and_then(|name| find_provider(&name)).unwrap_or(&PROVIDERS[0]);
        let base_url = endpoint_of(server, provider, lookup("base_url"), private, &mend)?;
        let model = text("model")
            .ok_or_else(|| absent(format!("server \"{server}\" names no model"), "model", "…"))?;
        let key = read_key(server, &lookup, &mend)?;
        if key.is_none() && provider.wants_key && base_url.as_str() == provider.base_url {
            return Err(absent(
                format!("there is no API key for server \"{server}\""),
                "api_key",
                "…",
            ));
        }
        let config = Self {
            server: server.to_owned(),
            model,
            embedding_model: text("embedding_model"),
            base_url,
            wire: provider.wire,
            key,
            temperature: lookup("temperature").and_then(|v| v.parse().ok()),
            top_p: real("top_p"),
            max_tokens: whole("max_reply_tokens").unwrap_or(1),
            max_tokens_is_set: lookup("max_reply_tokens").is_some(),
            seed: whole("seed"),
            stop: text("stop").and_then(|v| stops(&v).ok()).unwrap_or_default(),
            extra: text("extra").and_then(|v| body(&v).ok()).unwrap_or_default(),
            headers: text("headers").and_then(|v| headers(&v).ok()).unwrap_or_default(),
            native_tools: text("native_tools").and_then(|v| switch(&v)) == Some(true),
            connect_timeout: span("connect_timeout"),
            read_timeout: span("read_timeout"),
            total_timeout: span("total_timeout"),
            retries: whole("retries").unwrap_or(0) as u32,
            max_reply_bytes: whole("max_reply_bytes").unwrap_or(0) as usize,
            max_parallel: whole("max_parallel").unwrap_or(1) as usize,
            max_parallel_all: whole("max_parallel_all").map(|most| most as usize),
            private,
            prices: prices(real),
            mend,
            fingerprint: fingerprint(server, &lookup),
        };
        config.fits_provider().map(|()| config)
    }

    /// What one wire format can and another cannot.
    fn fits_provider(&self) -> Result<(), Error> {
        let (message, hint) = match self.wire {
            Wire::Anthropic if self.temperature.is_some_and(|t| t > 1.0) => {
                ("provider anthropic takes temperatures up to 1", self.mend.set("temperature", "1"))
            }
            Wire::Anthropic if self.embedding_model.is_some() => (
                "provider anthropic serves no embeddings",
                "Leave embedding_model out, or use a gateway such as LiteLLM.".to_owned(),
            ),
            _ => return Ok(()),
        };
        Err(Error::InvalidArgument { message: message.to_owned(), hint })
    }

    /// The cost of the tokens, in the currency of the prices; None without prices.
    pub fn cost(&self, usage: Usage) -> Option<f64> {
        let prices = self.prices.as_ref()?;
        let cost = |tokens: u64, price: f64| tokens as f64 / 1e6 * price;
        let fresh = usage.prompt_tokens.saturating_sub(usage.cached_tokens);
        Some(
            cost(fresh, prices.prompt)
                + cost(usage.cached_tokens, prices.cached)
                + cost(usage.completion_tokens, prices.completion),
        )
    }
}

/// Prices of a million tokens.
struct Prices {
    prompt: f64,
    cached: f64,
    completion: f64,
}

/// The prices among the options, by their names; None without both of the main ones.
fn prices(price: impl Fn(&str) -> Option<f64>) -> Option<Prices> {
    let prompt = price("price_per_million_prompt_tokens")?;
    let completion = price("price_per_million_completion_tokens")?;
    let cached = price("price_per_million_cached_tokens").unwrap_or(prompt);
    Some(Prices { prompt, cached, completion })
}

/// Where the server is: the address given, else the provider's.
fn endpoint_of(
    server: &str,
    provider: &Provider,
    given: Option<String>,
    private: bool,
    mend: &Mend,
) -> Result<Url, Error> {
    let unusable = |message: String, example: &str| Error::NoModel {
        message,
        hint: mend.set("base_url", example),
    };
    let base_url = endpoint::base_url(given.as_deref().unwrap_or(provider.base_url))
        .map_err(|message| unusable(message, provider.base_url))?;
    match endpoint::literal(&base_url).map(|address| endpoint::judge(address, private)) {
        Some(Err(forbidden)) => Err(unusable(
            format!("server \"{server}\" may not be used: {forbidden}"),
            "https://…/v1",
        )),
        _ => Ok(base_url),
    }
}

/// A hash of the server's name and options, keys left out.
fn fingerprint(server: &str, lookup: impl Fn(&str) -> Option<String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    server.hash(&mut hasher);
    for option in OPTIONS.iter().filter(|option| option.place == Place::Server) {
        (option.name, lookup(option.name)).hash(&mut hasher);
    }
    hasher.finish()
}

/// The key, from wherever the options say.
fn read_key(
    server: &str,
    lookup: impl Fn(&str) -> Option<String>,
    mend: &Mend,
) -> Result<Option<Secret>, Error> {
    const MAX_FILE: u64 = 16 << 10;
    let missing =
        |message: String, option: &str| Error::NoModel { message, hint: mend.set(option, "…") };
    let from = |option: &'static str, found: Option<String>| match found
        .as_deref()
        .and_then(Secret::new)
    {
        Some(key) => Ok(Some(key)),
        None => Err(missing(format!("{option} of server \"{server}\" leads to no key"), option)),
    };
    let key = if let Some(key) = lookup("api_key") {
        Secret::new(&key)
    } else if let Some(path) = lookup("api_key_file") {
        let small = std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= MAX_FILE);
        from("api_key_file", small.then(|| std::fs::read_to_string(&path).ok()).flatten())?
    } else if let Some(name) = lookup("api_key_env") {
        from("api_key_env", std::env::var(name).ok())?
    } else {
        None
    };
    match key {
        Some(key) if HeaderValue::from_str(key.reveal()).is_err() => Err(missing(
            format!("the API key for server \"{server}\" is not one line of text"),
            "api_key",
        )),
        key => Ok(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(options: &[(&str, &str)]) -> Result<Config, Error> {
        let lookup = |name: &str| {
            options.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        let mend = Mend::new(|option, value| format!("SET {option} '{value}'"));
        Config::read("s", lookup, true, mend)
    }

    #[test]
    fn every_default_is_read() {
        let config = read(&[("provider", "vllm"), ("model", "m")]).expect("the defaults");
        assert_eq!(config.base_url.as_str(), "http://localhost:8000/v1");
        assert_eq!(config.total_timeout, Duration::from_secs(300));
        assert_eq!((config.retries, config.max_reply_bytes), (3, 8 << 20));
        assert!(config.native_tools && config.key.is_none() && config.max_parallel == 8);
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_that_mends_it() {
        for (options, message, hint) in [
            (&[("provider", "ollama")][..], "names no model", "SET model"),
            (&[("model", "m")], "no API key", "SET api_key"),
            (&[("model", "m"), ("provider", "anthropic")], "no API key", "SET api_key"),
            (
                &[("model", "m"), ("api_key_env", "T2S_NO_SUCH_VARIABLE")],
                "leads to no key",
                "SET api_key_env",
            ),
            (
                &[("model", "m"), ("api_key_file", "/dev/null")],
                "leads to no key",
                "SET api_key_file",
            ),
            (&[("model", "m"), ("api_key", "two\nlines")], "one line", "SET api_key"),
        ] {
            let error = read(options).err().expect(message);
            assert!(error.to_string().contains(message), "{error}");
            assert!(error.hint().is_some_and(|h| h.starts_with(hint)), "{:?}", error.hint());
        }
        let private = Config::read(
            "s",
            |n| (n == "base_url").then(|| "http://127.0.0.1/v1".to_owned()),
            false,
            Mend::new(|o, v| format!("{o} {v}")),
        );
        let error = private.err().expect("a private address");
        assert!(error.to_string().contains("loopback or private"), "{error}");
    }

    #[test]
    fn cost_follows_the_prices() {
        let usage = Usage {
            prompt_tokens: 2_000_000,
            completion_tokens: 500_000,
            cached_tokens: 1_000_000,
            estimated_tokens: 0,
        };
        let plain = [("provider", "vllm"), ("model", "m")];
        assert_eq!(read(&plain).ok().and_then(|c| c.cost(usage)), None);
        let prices = [
            ("price_per_million_prompt_tokens", "3"),
            ("price_per_million_completion_tokens", "15"),
        ];
        let config = read(&[&plain[..], &prices[..]].concat()).expect("prices");
        assert_eq!(
            config.cost(usage),
            Some(13.5),
            "without a price of their own they cost the same"
        );
        let cached = [("price_per_million_cached_tokens", "0.5")];
        let config = read(&[&plain[..], &prices[..], &cached[..]].concat()).expect("prices");
        assert_eq!(config.cost(usage), Some(11.0));
    }
}
