//! Streamable HTTP on loopback: each request has the token as `Authorization: Bearer …`.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::server::Server;

/// Serve clients until the process is asked to end.
///
/// Errors: the address is not one of this machine alone, or is taken.
pub async fn serve(server: Server, address: SocketAddr, token: String) -> anyhow::Result<()> {
    anyhow::ensure!(
        address.ip().is_loopback(),
        "{} can be reached from other machines\nHINT: --http 127.0.0.1:{}",
        address.ip(),
        address.port()
    );
    let config = StreamableHttpServerConfig::default().enforce_origin_validation();
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let expected: Arc<str> = format!("Bearer {token}").into();
    let routes = Router::new()
        .nest_service("/mcp", service)
        .layer(middleware::from_fn_with_state(expected, authorized));
    let listener = tokio::net::TcpListener::bind(address).await.context("cannot listen")?;
    eprintln!("http://{}/mcp", listener.local_addr()?);
    let end = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    axum::serve(listener, routes).with_graceful_shutdown(end).await.context("HTTP")
}

async fn authorized(State(expected): State<Arc<str>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).map_or(&[][..], |v| v.as_bytes());
    if !same(given, expected.as_bytes()) {
        return (StatusCode::UNAUTHORIZED, "the token is missing or another").into_response();
    }
    next.run(request).await
}

/// Whether two secrets are equal, in a time that depends on their lengths alone.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differing == 0
}
