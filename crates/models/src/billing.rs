//! Tokens that a call is billed for: as the server reports them, else estimated from the texts.
//!
//! Limits and quotas rest on these counts, so a server that reports none, or reports them in
//! another form, never makes a call free. Providers also bill replies that the client cannot use.

use serde_json::Value;

use text2sql_engine::chat::Usage;

/// Token counts as far as a server reports them.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Reported {
    pub prompt: Option<u64>,
    pub completion: Option<u64>,
    pub total: Option<u64>,
    pub cached: u64,
}

impl Reported {
    /// The usage of one call; what is not reported is taken from the `estimate`.
    pub(crate) fn or_estimated(self, estimate: Estimate) -> Usage {
        // every prompt has tokens: a server that counts none does not count
        let prompt = self.prompt.filter(|&count| count > 0);
        let completion = self.completion.filter(|&count| count > 0 || prompt.is_some());
        let total = self.total.filter(|&count| count > 0);
        let (prompt_tokens, completion_tokens, estimated_tokens) = match (prompt, completion, total)
        {
            (Some(prompt), Some(completion), _) => (prompt, completion, 0),
            (Some(prompt), None, Some(total)) => (prompt, total.saturating_sub(prompt), 0),
            (None, Some(completion), Some(total)) => {
                (total.saturating_sub(completion), completion, 0)
            }
            (None, None, Some(total)) => {
                let prompt = estimate.prompt.min(total);
                (prompt, total - prompt, 0)
            }
            (Some(prompt), None, None) => (prompt, estimate.completion, estimate.completion),
            (None, Some(completion), None) => (estimate.prompt, completion, estimate.prompt),
            (None, None, None) => {
                (estimate.prompt, estimate.completion, estimate.prompt + estimate.completion)
            }
        };
        let cached_tokens = self.cached.min(prompt_tokens);
        Usage { prompt_tokens, completion_tokens, cached_tokens, estimated_tokens }
    }
}

/// An estimate of the tokens of one call, from the length of its texts.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    pub prompt: u64,
    pub completion: u64,
}

/// A count of tokens that a server sends as a number or as digits, but not so large that sums of
/// them could overflow; None for anything else.
pub(crate) fn count(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(digits) => digits.trim().parse::<f64>().ok()?,
        _ => return None,
    };
    // a cast from floating point saturates
    (number >= 0.0).then(|| (number.ceil() as u64).min(u32::MAX.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_read_in_every_form_that_servers_send() {
        for (value, read) in [
            (json!(12), Some(12)),
            (json!(12.0), Some(12)),
            (json!(11.2), Some(12)),
            (json!("12"), Some(12)),
            (json!(" 12.0 "), Some(12)),
            (json!(0), Some(0)),
            (json!(u64::MAX), Some(u32::MAX.into())),
            (json!(1e300), Some(u32::MAX.into())),
            (json!("inf"), Some(u32::MAX.into())),
            (json!(-1), None),
            (json!("NaN"), None),
            (json!("many"), None),
            (json!(null), None),
            (json!([12]), None),
        ] {
            assert_eq!(count(&value), read, "{value}");
        }
    }

    #[test]
    fn a_server_that_reports_little_is_billed_all_the_same() {
        let estimate = Estimate { prompt: 100, completion: 20 };
        let of = |prompt, completion, total| {
            let usage = Reported { prompt, completion, total, cached: 0 }.or_estimated(estimate);
            (usage.prompt_tokens, usage.completion_tokens, usage.estimated_tokens)
        };
        assert_eq!(of(Some(90), Some(10), Some(100)), (90, 10, 0));
        assert_eq!(of(Some(90), Some(0), None), (90, 0, 0));
        assert_eq!(of(Some(90), None, Some(95)), (90, 5, 0));
        assert_eq!(of(None, Some(10), Some(95)), (85, 10, 0));
        assert_eq!(of(None, None, Some(130)), (100, 30, 0));
        assert_eq!(of(None, None, Some(60)), (60, 0, 0));
        assert_eq!(of(Some(90), None, None), (90, 20, 20));
        assert_eq!(of(None, Some(10), None), (100, 10, 100));
        assert_eq!(of(None, None, None), (100, 20, 120));
        assert_eq!(of(Some(0), Some(0), Some(0)), (100, 20, 120));
    }
}
