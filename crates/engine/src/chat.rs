//! Requests to a model and its replies.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// One request to a model.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Request {
    /// Which step of which strategy asks, e.g. `gsr.pre_sql`; not sent.
    pub step: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Tools the model may call; empty for plain text.
    pub tools: Vec<Tool>,
    /// The reply ends before any of these.
    pub stop: Vec<String>,
    /// How many leading messages stay the same in later requests (prompt caching).
    pub stable_prefix: usize,
    /// Distinguishes samples of one prompt; also offsets the seed.
    pub sample: u32,
}

impl Request {
    /// Bytes of messages and tools, before any wire format.
    pub fn bytes(&self) -> usize {
        let calls = |m: &Message| m.tool_calls.iter().map(|c| c.arguments.len()).sum::<usize>();
        let messages = self.messages.iter().map(|m| m.content.len() + calls(m)).sum::<usize>();
        let tool = |t: &Tool| t.description.len() + t.parameters.to_string().len();
        messages + self.tools.iter().map(tool).sum::<usize>()
    }

    /// An estimate of the tokens that a model reads.
    pub fn estimated_tokens(&self) -> u64 {
        estimated_tokens(self.bytes()) as u64
    }
}

/// Bytes of a prompt that count as ten tokens. Real tokenizers need 3 to 4 bytes a token for
/// schema text; the estimate errs on the side of more tokens.
const BYTES_PER_TEN_TOKENS: usize = 33;

/// An estimate of the tokens in so many bytes of text.
pub fn estimated_tokens(bytes: usize) -> usize {
    (bytes * 10).div_ceil(BYTES_PER_TEN_TOKENS)
}

/// The bytes that fit into a number of tokens.
pub fn bytes_of_tokens(tokens: usize) -> usize {
    tokens * BYTES_PER_TEN_TOKENS / 10
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The engine, for the user.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
    /// Calls the model asked for (assistant messages only).
    pub tool_calls: Vec<ToolCall>,
    /// Which call this answers (tool messages only).
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message of plain text.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }
}

/// A tool offered to the model.
#[derive(Debug, Clone, Serialize)]
pub struct Tool {
    /// The name the model calls it by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: serde_json::Value,
}

/// A tool call asked for by the model.
#[derive(Debug, Clone, Serialize)]
pub struct ToolCall {
    /// The model's identifier of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments as JSON text, as the model wrote them.
    pub arguments: String,
}

/// What a model answered.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Tool calls, if any.
    pub tool_calls: Vec<ToolCall>,
    /// The reply was cut at the token limit.
    pub truncated: bool,
}

impl Reply {
    /// Bytes of the text and of the tool calls.
    pub fn bytes(&self) -> usize {
        let calls = self.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
        self.text.len() + calls.sum::<usize>()
    }
}

/// The result of a call and the tokens that it was billed for. A failed call may be billed too.
#[derive(Debug, Clone)]
pub struct Billed<T> {
    /// The reply, or why there is none.
    pub result: Result<T, Error>,
    /// Requests that left for it: none if it failed before, several where it was tried again.
    pub requests: u32,
    /// Tokens of all attempts.
    pub usage: Usage,
    /// Wall time in milliseconds, retries included.
    pub ms: f64,
}

impl<T> Billed<T> {
    /// A result that no server was paid for.
    pub fn free(result: Result<T, Error>) -> Self {
        let requests = u32::from(result.is_ok());
        Self { result, requests, usage: Usage::default(), ms: 0.0 }
    }
}

/// Token counts: the server's own, or estimates from the length of the texts where it reports none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Part of `prompt_tokens` served from the provider's cache.
    pub cached_tokens: u64,
    /// Part of `prompt_tokens` and `completion_tokens` that is an estimate.
    pub estimated_tokens: u64,
}

impl Usage {
    /// Tokens read and written.
    pub fn total(&self) -> u64 {
        self.prompt_tokens + self.completion_tokens
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.prompt_tokens += more.prompt_tokens;
        self.completion_tokens += more.completion_tokens;
        self.cached_tokens += more.cached_tokens;
        self.estimated_tokens += more.estimated_tokens;
    }
}
