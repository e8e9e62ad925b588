//! Plain and secure connections, through a proxy where one is configured.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::proxy::ProxyConfig;
use crate::tls::{LazyTlsConfig, handshake};

/// Host and port of a server, and the protocol to speak there.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint<'a> {
    /// True for https.
    pub secure: bool,
    /// Host as in a URL: an IPv6 address has brackets.
    pub host: &'a str,
    /// Port.
    pub port: u16,
}

impl Endpoint<'_> {
    /// Returns the host without the brackets of an IPv6 address.
    pub fn host_name(&self) -> &str {
        self.host.trim_matches(['[', ']'])
    }

    /// Returns host and port.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Returns true for this machine.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost"
            || self
                .host_name()
                .parse::<IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

/// Failure to connect.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The host cannot be reached.
    #[error("cannot connect: {0}")]
    Unreachable(io::Error),
    /// The TLS handshake failed.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// The proxy does not connect.
    #[error("the proxy {proxy} does not connect: {reason}")]
    Proxy {
        /// Host and port of the proxy, without credentials.
        proxy: String,
        /// Reason.
        reason: String,
    },
}

/// Plain or encrypted byte stream.
#[derive(Debug)]
pub enum TransportStream {
    /// Without encryption.
    Plain(TcpStream),
    /// With TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

/// Open connection, and the way in which requests are written on it.
#[derive(Debug)]
pub struct HttpConnection {
    /// Byte stream.
    pub io: TransportStream,
    /// Present for a plain request through a proxy, which needs the whole URL and maybe credentials.
    pub proxied: Option<ProxyRequest>,
}

/// Parts of a request that only a proxy reads.
#[derive(Debug, Clone)]
pub struct ProxyRequest {
    /// Value of `Proxy-Authorization`.
    pub authorization: Option<Vec<u8>>,
}

/// Connects to an endpoint.
pub async fn connect(
    endpoint: Endpoint<'_>,
    proxies: &ProxyConfig,
    tls: &LazyTlsConfig,
) -> Result<HttpConnection, ConnectError> {
    let Some(proxy) = proxies.find(&endpoint) else {
        let tcp = TcpStream::connect((endpoint.host_name(), endpoint.port)).await;
        let tcp = tcp.map_err(ConnectError::Unreachable)?;
        // Requests are written in one piece, so that delaying small packets would only cost time.
        tcp.set_nodelay(true).map_err(ConnectError::Unreachable)?;
        let io = match endpoint.secure {
            true => secure(tcp, endpoint, tls).await?,
            false => TransportStream::Plain(tcp),
        };
        return Ok(HttpConnection { io, proxied: None });
    };
    let refused = |reason| ConnectError::Proxy {
        proxy: proxy.display_name(),
        reason,
    };
    let tcp = proxy.connect().await.map_err(refused)?;
    if !endpoint.secure {
        return Ok(HttpConnection {
            io: TransportStream::Plain(tcp),
            proxied: Some(ProxyRequest {
                authorization: proxy.authorization(),
            }),
        });
    }
    let tcp = proxy.tunnel(tcp, &endpoint.authority()).await;
    Ok(HttpConnection {
        io: secure(tcp.map_err(refused)?, endpoint, tls).await?,
        proxied: None,
    })
}

async fn secure(
    tcp: TcpStream,
    endpoint: Endpoint<'_>,
    tls: &LazyTlsConfig,
) -> Result<TransportStream, ConnectError> {
    let config = tls.get().map_err(ConnectError::Tls)?;
    let stream = handshake(tcp, endpoint.host_name(), config).await;
    Ok(TransportStream::Tls(Box::new(
        stream.map_err(ConnectError::Tls)?,
    )))
}

impl AsyncRead for TransportStream {
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

impl AsyncWrite for TransportStream {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_recognised_by_name_and_address() {
        let is_loopback = |host| {
            let port = 80;
            Endpoint {
                secure: false,
                host,
                port,
            }
            .is_loopback()
        };
        assert!(is_loopback("localhost") && is_loopback("[::1]") && is_loopback("127.1.2.3"));
        assert!(!is_loopback("127.0.0.1.example.test") && !is_loopback("10.0.0.1"));
    }
}
