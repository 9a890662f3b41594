//! The scripted model server as a program; see `--help`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use text2sql_scripted_model::{Script, ScriptedModel};

const HELP: &str = "\
A model server for tests: answers from a script, injects faults, records what it got.

  text2sql-scripted-model [--script FILE] [--scripts DIR] [--port N] [--port-file FILE]
                          [--record FILE]

  --script FILE     script of http://127.0.0.1:PORT/v1
  --scripts DIR     DIR/NAME.json is the script of http://127.0.0.1:PORT/NAME/v1
  --port N          port on 127.0.0.1; 0, the default, takes a free one
  --port-file FILE  write the port there once the server listens
  --record FILE     append each request as a line of JSON

It prints the port on its first line and runs until it is killed.
GET /__requests, GET /__status, POST /__script and POST /__reset ask and steer it, below the
root or below /NAME. The script format stands in the documentation of the crate:
  cargo doc -p text2sql-scripted-model --open
";

#[derive(Default)]
struct Arguments {
    script: Option<PathBuf>,
    scripts: Option<PathBuf>,
    port: u16,
    port_file: Option<PathBuf>,
    record: Option<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut given = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--script" => given.script = Some(value()?.into()),
            "--scripts" => given.scripts = Some(value()?.into()),
            "--port" => given.port = value()?.parse().map_err(|_| "--port takes a number")?,
            "--port-file" => given.port_file = Some(value()?.into()),
            "--record" => given.record = Some(value()?.into()),
            _ => return Err(format!("unknown argument {word}\n\n{HELP}")),
        }
    }
    Ok(given)
}

fn run() -> Result<(), String> {
    let given = arguments()?;
    let script = given.script.as_deref().map(Script::load).transpose()?.unwrap_or_default();
    let record = given.record.as_deref();
    let server = ScriptedModel::serve(given.port, script, given.scripts, record)
        .map_err(|e| format!("cannot listen on 127.0.0.1:{}: {e}", given.port))?;
    println!("{}", server.port());
    if let Some(file) = &given.port_file {
        write_whole(file, &server.port().to_string())?;
    }
    loop {
        std::thread::park();
    }
}

/// Write a file atomically.
fn write_whole(file: &Path, text: &str) -> Result<(), String> {
    let part = file.with_extension("part");
    std::fs::write(&part, text)
        .and_then(|()| std::fs::rename(&part, file))
        .map_err(|e| format!("{}: {e}", file.display()))
}

fn main() -> ExitCode {
    if std::env::args().any(|a| a == "--help" || a == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("text2sql-scripted-model: {message}");
            ExitCode::FAILURE
        }
    }
}
