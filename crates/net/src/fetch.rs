//! Downloads of documents from hosts that the operator allowed.
//!
//! URLs come from requests, conversations, documents and models, so none is trusted. A [`Fetcher`] downloads
//! nothing until a [`FetchPolicy`] allows hosts, and then only over http and https, without credentials, from
//! public addresses. A name is resolved once and the connection goes to one of the addresses that were checked;
//! every redirect is checked like the first URL. Size, time and number of redirects are bounded ([`FetchLimits`]), and
//! every refusal is a [`FetchError`] with a hint. No proxy is used, because it would resolve names itself. The
//! content type that the server declares is passed on and not trusted.
//!
//! ```no_run
//! use net::{Fetcher, FetchPolicy};
//!
//! # async fn download() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::new(FetchPolicy::of(["tides.example", "*.harbour.example"])?);
//! let fetched = fetcher.fetch("https://tides.example/2024/report.pdf").await?;
//! // `fetched.name` is "report.pdf".
//! println!("{} bytes of {}", fetched.bytes.len(), fetched.url);
//! # Ok(())
//! # }
//! ```
//!
//! A server asks [`FetchPolicy::is_off`] first and answers with a status of its own (403 `fetch_off`).
//! [`FetchError::is_refusal`] distinguishes what the policy forbids from failures of the network.

mod error;
mod policy;
mod request;

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use url::{Host, Url};

pub use error::FetchError;
pub use policy::{FetchPolicy, InvalidHost};

use crate::is_public;
use crate::tls::{LazyTlsConfig, TlsConfig};
use request::{HttpAnswer, send_request};

/// Limits on one download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Size of the document in bytes.
    pub bytes: usize,
    /// Timeout for the whole download, redirects included.
    pub time: Duration,
    /// Number of redirects that are followed.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            time: Duration::from_secs(30),
            redirects: 5,
        }
    }
}

/// Downloaded document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedDocument {
    /// Content.
    pub bytes: Vec<u8>,
    /// URL after redirects.
    pub url: String,
    /// File name in the URL, or the host if it has none.
    pub name: String,
    /// Content type that the server declares. It is not trusted.
    pub content_type: Option<String>,
}

/// Future of the addresses of a name.
pub type Resolved<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolver of host names.
pub trait Resolver: Send + Sync {
    /// Returns all addresses of a name.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolved<'a>;
}

/// Resolver of the platform.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlatformResolver;

impl Resolver for PlatformResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolved<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Client that downloads documents within a policy and limits.
pub struct Fetcher {
    policy: FetchPolicy,
    limits: FetchLimits,
    resolver: Arc<dyn Resolver>,
    tls: LazyTlsConfig,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher")
            .field("policy", &self.policy)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Fetcher {
    /// Creates a fetcher for the hosts that a policy allows.
    pub fn new(policy: FetchPolicy) -> Self {
        Self {
            policy,
            limits: FetchLimits::default(),
            resolver: Arc::new(PlatformResolver),
            tls: LazyTlsConfig::default(),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the resolver.
    #[must_use]
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Uses other certificates than the platform's.
    #[must_use]
    pub fn tls(mut self, config: Arc<TlsConfig>) -> Self {
        self.tls = LazyTlsConfig::with(config);
        self
    }

    /// Returns the policy.
    pub fn policy(&self) -> &FetchPolicy {
        &self.policy
    }

    /// Downloads a document.
    pub async fn fetch(&self, url: &str) -> Result<FetchedDocument, FetchError> {
        if self.policy.is_off() {
            return Err(FetchError::Off);
        }
        let url = parse_url(url)?;
        timeout(self.limits.time, self.fetch_with_redirects(url))
            .await
            .unwrap_or(Err(FetchError::TooSlow(self.limits.time)))
    }

    /// Downloads a document and follows redirects.
    async fn fetch_with_redirects(&self, mut url: Url) -> Result<FetchedDocument, FetchError> {
        for _ in 0..=self.limits.redirects {
            let addresses = self.allowed_addresses(&url).await?;
            match send_request(&url, &addresses, self).await? {
                HttpAnswer::Document {
                    bytes,
                    content_type,
                } => {
                    return Ok(FetchedDocument {
                        bytes,
                        name: file_name(&url),
                        url: url.into(),
                        content_type,
                    });
                }
                HttpAnswer::Redirect(location) => {
                    let next = url.join(&location).map_err(|_| FetchError::BadUrl {
                        reason: "a redirect leads to something that is not a URL",
                    })?;
                    check_url(&next)?;
                    if url.scheme() == "https" && next.scheme() != "https" {
                        return Err(FetchError::Downgrade);
                    }
                    url = next;
                }
            }
        }
        Err(FetchError::TooManyRedirects(self.limits.redirects))
    }

    /// Resolves the host and returns its addresses if all of them are allowed.
    async fn allowed_addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let port = url.port_or_known_default().unwrap_or_default();
        let host = url.host().ok_or(FetchError::BadUrl {
            reason: "it names no host",
        })?;
        let host_text = host.to_string();
        let named = self.policy.allows(&host_text, port)?;
        let found = match host {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => {
                let unresolved = |error| FetchError::Unresolved {
                    host: host_text.clone(),
                    error,
                };
                self.resolver.resolve(name).await.map_err(unresolved)?
            }
        };
        if found.is_empty() {
            return Err(FetchError::Unresolved {
                host: host_text,
                error: io::ErrorKind::NotFound.into(),
            });
        }
        // One private address is enough to refuse: hostile names resolve to both kinds.
        let trusted = named && self.policy.trusts_named();
        if !trusted && !found.iter().copied().all(is_public) {
            return Err(FetchError::NotPublic { host: host_text });
        }
        Ok(found
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect())
    }
}

fn parse_url(url: &str) -> Result<Url, FetchError> {
    let url = Url::parse(url.trim()).map_err(|_| FetchError::BadUrl {
        reason: "write it like https://tides.example/report.pdf",
    })?;
    check_url(&url)?;
    Ok(url)
}

/// Checks scheme, credentials and host of a URL, also for redirects.
fn check_url(url: &Url) -> Result<(), FetchError> {
    let bad = |reason| Err(FetchError::BadUrl { reason });
    if !matches!(url.scheme(), "http" | "https") {
        return bad("it must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("it contains credentials, which are never sent");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return bad("it names no host");
    }
    Ok(())
}

/// Returns the last segment of the path, or the host.
fn file_name(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.next_back());
    let last = last.filter(|last| !last.is_empty());
    last.or(url.host_str()).unwrap_or_default().to_owned()
}
