//! Language models over HTTP. The crate's README is the documentation of its root.
#![doc = include_str!("../README.md")]
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
mod wire_format;

pub use config::{Config, Mend};
pub use model::HttpModel;
pub use options::{ModelOption, OPTIONS, PROVIDERS, Place, check};
pub use secret::Secret;
pub use session::Session;
