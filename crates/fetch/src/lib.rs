//! Gets documents from addresses that were allowed, and from nowhere else.
//!
//! Addresses come from requests, conversations, documents and models, so none is trusted. A [`Fetcher`]
//! gets nothing until a [`Policy`] allows hosts, and then only over http and https, without credentials, from
//! public addresses ([`is_public`]). A name is resolved once and the connection goes to the very address
//! that was looked at; every redirect is looked at like the first address. Size, time and redirects are
//! bounded ([`Limits`]), and every refusal is a [`FetchError`] that says what to do. No proxy is used: it
//! would resolve names by itself. What the answer says of its kind is passed on and not believed.
//!
//! ```no_run
//! use fetch::{Fetcher, Policy};
//!
//! # async fn get() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::new(Policy::of(["tides.example", "*.harbour.example"])?);
//! let fetched = fetcher.fetch("https://tides.example/2024/report.pdf").await?;
//! // `fetched.name` is "report.pdf": what reading the bytes needs beside them.
//! println!("{} bytes of {}", fetched.bytes.len(), fetched.url);
//! # Ok(())
//! # }
//! ```
//!
//! A server asks [`Policy::is_off`] first and answers with a status of its own (403 `fetch_off`);
//! [`FetchError::is_refusal`] tells what the policy forbids from what went wrong on the way.

mod addresses;
mod error;
mod exchange;
mod policy;

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::timeout;
use url::{Host, Url};

pub use addresses::is_public;
pub use error::FetchError;
pub use exchange::{driven, secure_by_platform};
pub use policy::{BadHost, Policy};
pub use tokio_rustls::rustls::ClientConfig as TlsConfig;

use exchange::{Answer, exchange};

/// How much is got, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the document.
    pub bytes: usize,
    /// For everything: names, connections, redirects, the document.
    pub time: Duration,
    /// How many redirects are followed.
    pub redirects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            time: Duration::from_secs(30),
            redirects: 5,
        }
    }
}

/// What was got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The document.
    pub bytes: Vec<u8>,
    /// Where it was in the end, after redirects.
    pub url: String,
    /// What its file is called there; the host if it is called nothing.
    pub name: String,
    /// What the answer says it is. Its bytes know better.
    pub content_type: Option<String>,
}

/// The addresses of a name.
pub type Resolved<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of names.
pub trait Resolver: Send + Sync {
    /// All addresses of a name.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolved<'a>;
}

/// The resolver of the platform.
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

/// Gets documents.
pub struct Fetcher {
    policy: Policy,
    limits: Limits,
    resolver: Arc<dyn Resolver>,
    /// Made when first needed: reading the platform's certificates takes a while.
    tls: OnceLock<Result<Arc<TlsConfig>, String>>,
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
    /// A fetcher that gets what a policy allows.
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            limits: Limits::default(),
            resolver: Arc::new(PlatformResolver),
            tls: OnceLock::new(),
        }
    }

    /// With other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With another way to find addresses.
    #[must_use]
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// With other certificates than the platform's.
    #[must_use]
    pub fn tls(mut self, config: Arc<TlsConfig>) -> Self {
        self.tls = OnceLock::from(Ok(config));
        self
    }

    /// What is allowed.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Gets a document.
    pub async fn fetch(&self, url: &str) -> Result<Fetched, FetchError> {
        if self.policy.is_off() {
            return Err(FetchError::Off);
        }
        let url = parse(url)?;
        timeout(self.limits.time, self.follow(url))
            .await
            .unwrap_or(Err(FetchError::TooSlow(self.limits.time)))
    }

    /// Gets a document from where redirects lead.
    async fn follow(&self, mut url: Url) -> Result<Fetched, FetchError> {
        for _ in 0..=self.limits.redirects {
            let addresses = self.addresses(&url).await?;
            match exchange(&url, &addresses, self).await? {
                Answer::Document {
                    bytes,
                    content_type,
                } => {
                    return Ok(Fetched {
                        bytes,
                        name: name(&url),
                        url: url.into(),
                        content_type,
                    });
                }
                Answer::Redirect(location) => {
                    let next = url.join(&location).map_err(|_| FetchError::BadUrl {
                        reason: "a redirect leads to something that is no address",
                    })?;
                    check(&next)?;
                    if url.scheme() == "https" && next.scheme() != "https" {
                        return Err(FetchError::Downgrade);
                    }
                    url = next;
                }
            }
        }
        Err(FetchError::TooManyRedirects(self.limits.redirects))
    }

    /// The addresses of a host that may be asked, all of which were looked at.
    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, FetchError> {
        let port = url.port_or_known_default().unwrap_or_default();
        let host = url.host().ok_or(FetchError::BadUrl {
            reason: "it names no host",
        })?;
        let shown = host.to_string();
        let named = self.policy.allows(&shown, port)?;
        let found = match host {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => {
                let unresolved = |error| FetchError::Unresolved {
                    host: shown.clone(),
                    error,
                };
                self.resolver.resolve(name).await.map_err(unresolved)?
            }
        };
        if found.is_empty() {
            return Err(FetchError::Unresolved {
                host: shown,
                error: io::ErrorKind::NotFound.into(),
            });
        }
        // One that is not public is reason enough: names are made to point inside.
        let trusted = named && self.policy.trusts_named();
        if !trusted && !found.iter().copied().all(is_public) {
            return Err(FetchError::NotPublic { host: shown });
        }
        Ok(found
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect())
    }

    fn config(&self) -> Result<Arc<TlsConfig>, String> {
        self.tls.get_or_init(secure_by_platform).clone()
    }
}

fn parse(url: &str) -> Result<Url, FetchError> {
    let url = Url::parse(url.trim()).map_err(|_| FetchError::BadUrl {
        reason: "write it like https://tides.example/report.pdf",
    })?;
    check(&url)?;
    Ok(url)
}

/// What every address must be, also those of redirects.
fn check(url: &Url) -> Result<(), FetchError> {
    let bad = |reason| Err(FetchError::BadUrl { reason });
    if !matches!(url.scheme(), "http" | "https") {
        return bad("it must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("it holds credentials, which are never sent");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return bad("it names no host");
    }
    Ok(())
}

/// The last part of a path, or else the host.
fn name(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.next_back());
    let last = last.filter(|last| !last.is_empty());
    last.or(url.host_str()).unwrap_or_default().to_owned()
}
