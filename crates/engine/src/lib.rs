//! The engine of text2sql. The crate's README is the documentation of its root.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod answer;
pub mod answer_cache;
pub mod ask;
pub mod catalog;
pub mod chat;
mod context;
pub mod conversation;
pub mod dialect;
mod drafts;
pub mod embed;
pub mod engine;
pub mod error;
mod evidence;
pub mod example;
pub mod execute;
pub mod guard;
pub mod id_map;
mod language;
pub mod ledger;
mod letters;
pub mod link;
pub mod memo;
mod observation;
pub mod options;
pub mod ports;
pub mod printable;
pub mod prompt;
mod record;
mod refine;
pub mod report;
pub mod results;
mod review;
pub mod rows;
pub mod scope;
mod setting;
pub mod settings;
pub mod stored;
pub mod strategy;
pub mod strategy_names;
pub mod text;
pub mod tools;
mod type_class;
pub mod value_hits;
pub mod verbalize;
pub mod verified;
