//! The HTTP client for servers of one kind.

use std::time::Duration;

use reqwest::{Certificate, Client, Proxy};

use crate::endpoint::CheckedResolver;

/// How long an unused connection stays open.
const IDLE: Duration = Duration::from_secs(60);
/// The name by which servers know this client.
const USER_AGENT: &str = concat!("text2sql/", env!("CARGO_PKG_VERSION"));

/// The demands on a client; calls that differ in them do not share connections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ClientKind {
    /// Time to establish a connection.
    pub connect_timeout: Duration,
    /// Whether loopback and private addresses may be contacted.
    pub private: bool,
    /// The proxy that connects.
    pub proxy: Option<String>,
    /// Certificates in PEM that are trusted besides the system's.
    pub certificates: Vec<u8>,
}

impl ClientKind {
    /// A client. It uses no proxy that it is not given, which would connect where the endpoint check
    /// cannot see, and follows no redirect.
    pub(crate) fn build(&self) -> reqwest::Result<Client> {
        let mut builder = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(CheckedResolver::new(self.private))
            .user_agent(USER_AGENT)
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(IDLE);
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(Proxy::all(proxy.as_str())?);
        }
        if !self.certificates.is_empty() {
            let certificates = Certificate::from_pem_bundle(&self.certificates)?;
            builder = builder.tls_certs_merge(certificates);
        }
        builder.build()
    }
}
