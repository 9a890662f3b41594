//! Language models over HTTP behind the engine's [`Model`](text2sql_engine::ports::Model) port:
//! OpenAI-compatible chat completions (also Ollama, vLLM, llama.cpp, LiteLLM), Anthropic
//! messages, and OpenAI-compatible embeddings.
//!
//! * [`OPTIONS`] is the one table of options; [`check`] validates one, [`Config::read`] reads all.
//! * [`Session`] owns the runtime and the connections of a database session.
//! * [`HttpModel`] is the port, created for each question from a session and a config.
//!
//! Every call runs on the caller's thread only and ends within milliseconds of a cancellation
//! ([`session`]). Its time, retries and reply size are bounded; redirects are not followed, so
//! that the key goes nowhere else; compressed replies are not read; link-local addresses are
//! never contacted ([`endpoint`]); no error contains the key ([`Secret`]).
#![forbid(unsafe_code)]

mod billing;
mod config;
pub mod endpoint;
mod failure;
mod model;
pub mod options;
mod refused;
mod secret;
pub mod session;
mod transport;
mod wire;

pub use config::{Config, Mend};
pub use model::HttpModel;
pub use options::{ModelOption, OPTIONS, PROVIDERS, Place, check};
pub use secret::Secret;
pub use session::Session;
