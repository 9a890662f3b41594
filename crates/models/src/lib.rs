//! Language models over HTTP. The crate's README is the documentation of its root.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod billing;
mod cause;
mod client;
mod config;
pub mod endpoint;
mod failure;
mod hint;
mod key;
mod mend;
mod model;
mod near;
pub mod options;
mod port;
mod probe;
mod provider;
mod refused;
mod secret;
pub mod session;
mod transport;
mod wire;
mod wire_format;

pub use config::{Allowed, Config};
pub use mend::Mend;
pub use model::HttpModel;
pub use options::{ModelOption, OPTIONS, Place, check};
pub use provider::{Provider, providers};
pub use secret::Secret;
pub use session::Session;
