//! Requests to a model and its replies.

use serde::{Deserialize, Serialize};

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
    /// Token counts as the server reports them.
    pub usage: Usage,
    /// Wall time of this request in milliseconds, retries included.
    pub ms: f64,
    /// The reply was cut at the token limit.
    pub truncated: bool,
}

/// Vectors from an embedding model.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    /// One per text, in order, all of the same width.
    pub vectors: Vec<Vec<f32>>,
    /// Token counts as the server reports them.
    pub usage: Usage,
}

/// Token counts as reported by the server; zero if it reports none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Part of `prompt_tokens` served from the provider's cache.
    pub cached_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.prompt_tokens += more.prompt_tokens;
        self.completion_tokens += more.completion_tokens;
        self.cached_tokens += more.cached_tokens;
    }
}
