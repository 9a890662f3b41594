//! The HTTP client: connections that are kept, made in bounded time, to allowed addresses only.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::Full;
use hyper::Uri;
use hyper::body::Bytes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::ring::default_provider;
use tokio::time::timeout;
use tower_service::Service;

use crate::endpoint::{BoxError, CheckedResolver};

/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(60);
/// A connection whose other end is gone without a word is noticed after so many unanswered questions,
/// at this distance, or after data has stayed unacknowledged for as long as both say.
const PROBES: u32 = 3;
const PROBED_EVERY: Duration = Duration::from_secs(15);
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// What a client is made for; calls that differ in it do not share connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClientKind {
    /// Time to establish a connection.
    pub connect_timeout: Duration,
    /// Whether loopback and private addresses may be contacted.
    pub private: bool,
}

/// A client, to be cloned.
pub(crate) type Client = legacy::Client<InTime, Full<Bytes>>;

/// A client of this kind.
///
/// Errors: the certificates that the operating system trusts cannot be read.
pub(crate) fn client(kind: ClientKind) -> io::Result<Client> {
    let mut tcp = HttpConnector::new_with_resolver(CheckedResolver::new(kind.private));
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(PROBED_EVERY));
    tcp.set_keepalive_interval(Some(PROBED_EVERY));
    tcp.set_keepalive_retries(Some(PROBES));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_platform_verifier(default_provider())?
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp);
    Ok(legacy::Client::builder(TokioExecutor::new())
        .pool_idle_timeout(IDLE)
        .pool_timer(TokioTimer::new())
        .build(InTime { connector, time: kind.connect_timeout }))
}

/// Connects within a time: the name looked up, TCP and TLS established.
#[derive(Clone)]
pub(crate) struct InTime {
    connector: HttpsConnector<HttpConnector<CheckedResolver>>,
    time: Duration,
}

impl Service<Uri> for InTime {
    type Response = <HttpsConnector<HttpConnector<CheckedResolver>> as Service<Uri>>::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connected = timeout(self.time, self.connector.call(uri));
        Box::pin(async { connected.await? })
    }
}
