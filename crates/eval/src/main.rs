//! `text2sql-eval`: ask the questions of published benchmarks and score the answers as the
//! benchmarks' authors do. See docs/evaluation.md.
#![deny(unsafe_code)]
#![allow(dead_code)] // until the report and the other engines use all of it

mod ask;
mod cause;
mod cli;
mod database;
mod dataset;
mod load;
mod record;
mod report;
mod run;
mod score;
mod sql;
mod summary;
mod value;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::Cli::parse().execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("text2sql-eval: {error:#}");
            ExitCode::FAILURE
        }
    }
}
