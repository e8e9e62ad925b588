//! Connections: TCP, through a proxy if the platform has one, with TLS where the URL says so.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig};

use super::HttpError;
use super::target::Target;

/// How much of a proxy's answer is read.
const MAX_PROXY_ANSWER: usize = 16 * 1024;

/// The proxies to use.
#[derive(Debug, Clone, Default)]
pub struct Proxies(Option<Arc<Matcher>>);

impl Proxies {
    /// No proxy, whatever the platform says.
    pub fn none() -> Self {
        Self(None)
    }

    /// What the platform says: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and the system's
    /// settings. This machine itself is never reached through a proxy.
    pub fn from_platform() -> Self {
        Self(Some(Arc::new(Matcher::from_system())))
    }

    /// One proxy for everything; its URL may hold credentials.
    pub fn through(url: &str) -> Self {
        Self(Some(Arc::new(Matcher::builder().all(url).build())))
    }

    fn find(&self, target: &Target) -> Option<Intercept> {
        let matcher = self.0.as_ref().filter(|_| !target.is_loopback())?;
        matcher.intercept(&target.url().parse::<Uri>().ok()?)
    }
}

/// How to secure connections.
#[derive(Debug, Default)]
pub(super) struct Tls(OnceLock<Result<Arc<ClientConfig>, String>>);

impl Tls {
    pub(super) fn with(config: Arc<ClientConfig>) -> Self {
        Self(OnceLock::from(Ok(config)))
    }

    /// Made when first needed: reading the platform's certificates takes a while.
    fn config(&self) -> Result<Arc<ClientConfig>, String> {
        self.0
            .get_or_init(|| {
                let provider = Arc::new(rustls::crypto::ring::default_provider());
                let config = ClientConfig::builder_with_provider(provider)
                    .with_safe_default_protocol_versions()
                    .and_then(BuilderVerifierExt::with_platform_verifier)
                    .map_err(|error| error.to_string())?
                    .with_no_client_auth();
                Ok(Arc::new(config))
            })
            .clone()
    }
}

/// A connection.
#[derive(Debug)]
pub(super) enum Io {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// A connection and how requests are written on it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) io: Io,
    /// For a plain request through a proxy: the proxy wants the whole URL, and maybe credentials.
    pub(super) proxied: Option<Proxied>,
}

/// What a request through a proxy needs.
#[derive(Debug, Clone)]
pub(super) struct Proxied {
    pub(super) authorization: Option<Vec<u8>>,
}

pub(super) async fn connect(
    target: &Target,
    proxies: &Proxies,
    tls: &Tls,
) -> Result<Connection, HttpError> {
    let Some(proxy) = proxies.find(target) else {
        let tcp = dial(target.name(), target.port)
            .await
            .map_err(|error| unreachable(&target.place(), error))?;
        let io = if target.secure {
            secure(tcp, target, tls).await?
        } else {
            Io::Plain(tcp)
        };
        return Ok(Connection { io, proxied: None });
    };
    let tcp = dial_proxy(&proxy, target).await?;
    let authorization = proxy.basic_auth().map(|value| value.as_bytes().to_vec());
    if !target.secure {
        return Ok(Connection {
            io: Io::Plain(tcp),
            proxied: Some(Proxied { authorization }),
        });
    }
    let tcp = tunnel(tcp, &proxy, target, authorization.as_deref()).await?;
    Ok(Connection {
        io: secure(tcp, target, tls).await?,
        proxied: None,
    })
}

fn unreachable(to: &str, error: io::Error) -> HttpError {
    HttpError::Unreachable {
        to: to.to_owned(),
        error,
    }
}

/// Connects to the first address that answers.
async fn dial(host: &str, port: u16) -> io::Result<TcpStream> {
    let tcp = TcpStream::connect((host, port)).await?;
    // Requests are written in one piece; waiting for more would only delay them.
    tcp.set_nodelay(true)?;
    Ok(tcp)
}

fn refused(proxy: &Intercept, target: &Target, reason: impl Into<String>) -> HttpError {
    let uri = proxy.uri();
    let port = uri
        .port_u16()
        .map_or(String::new(), |port| format!(":{port}"));
    HttpError::Proxy {
        proxy: format!("{}{port}", uri.host().unwrap_or_default()),
        to: target.place(),
        reason: reason.into(),
    }
}

async fn dial_proxy(proxy: &Intercept, target: &Target) -> Result<TcpStream, HttpError> {
    let uri = proxy.uri();
    if uri.scheme_str().is_some_and(|scheme| scheme != "http") {
        return Err(refused(proxy, target, "only http:// proxies are supported"));
    }
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    dial(host, uri.port_u16().unwrap_or(80))
        .await
        .map_err(|error| refused(proxy, target, error.to_string()))
}

/// Asks a proxy to pass everything on.
async fn tunnel(
    mut tcp: TcpStream,
    proxy: &Intercept,
    target: &Target,
    authorization: Option<&[u8]>,
) -> Result<TcpStream, HttpError> {
    let place = target.place();
    let mut request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n").into_bytes();
    if let Some(authorization) = authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(authorization);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    let failed = |error: io::Error| refused(proxy, target, error.to_string());
    tcp.write_all(&request).await.map_err(failed)?;
    let mut answer = Vec::new();
    // Byte by byte: what follows the answer belongs to the tunnel.
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() == MAX_PROXY_ANSWER {
            return Err(refused(proxy, target, "its answer does not end"));
        }
        answer.push(tcp.read_u8().await.map_err(failed)?);
    }
    let line = answer.split(|&byte| byte == b'\r').next();
    let line = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
    match line.split(' ').nth(1) {
        Some(status) if status.starts_with('2') => Ok(tcp),
        _ => Err(refused(proxy, target, format!("it answers '{line}'"))),
    }
}

async fn secure(tcp: TcpStream, target: &Target, tls: &Tls) -> Result<Io, HttpError> {
    let failed = |reason: String| HttpError::Tls {
        to: target.place(),
        reason,
    };
    let config = tls.config().map_err(failed)?;
    let name = ServerName::try_from(target.name().to_owned())
        .map_err(|_| failed("its name cannot be in a certificate".to_owned()))?;
    let stream = TlsConnector::from(config)
        .connect(name, tcp)
        .await
        .map_err(|error| failed(error.to_string()))?;
    Ok(Io::Tls(Box::new(stream)))
}

impl AsyncRead for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
