//! `text2sql-eval`: ask the questions of published benchmarks and score the answers as the
//! benchmarks' authors do. See docs/evaluation.md.
#![deny(unsafe_code)]

mod ablate;
mod ask;
mod cause;
mod cli;
mod database;
mod dataset;
mod fit;
mod flavour;
mod keys;
mod load;
mod oracle;
mod oracle_kind;
mod plan;
mod print;
mod recall;
mod record;
mod reply;
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
        // `… | head` closed the pipe
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("text2sql-eval: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
