//! `text2sql-mcp`: a server for the Model Context Protocol, over PostgreSQL with the caller's own
//! login, or over a SQLite file. It only calls the functions of text2sql, so that their guard,
//! limits, labels, quotas and history hold. docs/agents.md has configurations of clients.

mod backend;
mod http;
mod postgres;
mod server;
mod sqlite;
mod tools;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use clap::Parser;
use rmcp::ServiceExt;
use rmcp::transport::stdio;

use backend::Backend;
use postgres::Postgres;
use server::Server;
use sqlite::Sqlite;

/// Let agents ask a database in plain language, over the Model Context Protocol.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// postgres://user@host/database, or the path of a SQLite file. What a PostgreSQL address leaves
    /// out comes from PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE.
    #[arg(env = "TEXT2SQL_DATABASE")]
    database: Option<String>,
    /// A setting of text2sql for all sessions, such as server=gpt. May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// Serve streamable HTTP at this loopback address instead of standard input and output.
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// The token that HTTP clients send; made and printed if there is none.
    #[arg(long, env = "TEXT2SQL_MCP_TOKEN", hide_env_values = true, requires = "http")]
    token: Option<String>,
    /// Print the tools as JSON and exit.
    #[arg(long)]
    list_tools: bool,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.trim_start_matches("text2sql.").to_owned(), value.to_owned()))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if arguments.list_tools {
        println!("{:#}", server::listed());
        return Ok(());
    }
    // fails only if it was done before
    let _ = rustls::crypto::ring::default_provider().install_default();
    let database = arguments
        .database
        .context("no database is named\nHINT: text2sql-mcp postgres://user@host/database")?;
    let server = Server::new(backend(&database, arguments.settings).await?);
    if let Some(address) = arguments.http {
        let token = arguments.token.unwrap_or_else(|| {
            let made = format!("{:032x}", rand::random::<u128>());
            eprintln!("token: {made}");
            made
        });
        return http::serve(server, address, token).await;
    }
    server.serve(stdio()).await.context("no client on standard input")?.waiting().await?;
    Ok(())
}

/// The database of an address or a path.
async fn backend(
    database: &str,
    settings: Vec<(String, String)>,
) -> anyhow::Result<Arc<dyn Backend>> {
    let is_postgres = ["postgres://", "postgresql://"].iter().any(|p| database.starts_with(p))
        || (database.contains('=') && !Path::new(database).exists());
    Ok(match is_postgres {
        true => Arc::new(Postgres::connect(database, settings).await?),
        false => Arc::new(Sqlite::open(Path::new(database), &settings)?),
    })
}
