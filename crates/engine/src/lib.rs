//! The engine of text2sql: question → link → generate → guard → execute → refine → answer.
//!
//! It is pure: it names no database, and does IO only through the traits of [`ports`].
//! Start reading at [`ask`].
#![forbid(unsafe_code)]

pub mod answer;
pub mod ask;
pub mod catalog;
pub mod chat;
pub mod context;
pub mod dialect;
pub mod embed;
pub mod engine;
pub mod error;
pub mod evidence;
pub mod example;
pub mod execute;
pub mod guard;
pub mod ledger;
pub mod link;
pub mod options;
pub mod ports;
pub mod prompt;
pub mod recent;
pub mod refine;
pub mod report;
pub mod results;
mod review;
pub mod rows;
pub mod scope;
pub mod settings;
pub mod strategy;
pub mod text;
pub mod tools;
mod type_class;
pub mod verified;
pub mod words;
