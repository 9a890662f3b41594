//! Where a key may come from.

use reqwest::header::HeaderValue;

use text2sql_engine::error::Error;

use crate::mend::Mend;
use crate::secret::Secret;

/// The key, from wherever the options say, else from the first of the `usual` environment variables
/// that is set.
pub(crate) fn read_key(
    server: &str,
    lookup: impl Fn(&str) -> Option<String>,
    usual: &[&str],
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
        usual.iter().find_map(|name| Secret::new(&std::env::var(name).ok()?))
    };
    match key {
        Some(key) if HeaderValue::from_str(key.reveal()).is_err() => Err(missing(
            format!("the API key for server \"{server}\" is not one line of text"),
            "api_key",
        )),
        key => Ok(key),
    }
}
