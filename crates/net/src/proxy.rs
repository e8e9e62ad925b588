//! HTTP proxies: configuration, and tunnels through them.

use std::sync::Arc;

use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::connect::Endpoint;

/// Limit on the head of a proxy's answer, in bytes.
const MAX_PROXY_ANSWER: usize = 16 * 1024;

/// Proxies to use for outgoing connections.
#[derive(Debug, Clone, Default)]
pub struct ProxyConfig(Option<Arc<Matcher>>);

impl ProxyConfig {
    /// Uses no proxy.
    pub fn none() -> Self {
        Self(None)
    }

    /// Uses the platform's proxies: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and the system settings.
    /// Loopback addresses are never reached through a proxy.
    pub fn from_platform() -> Self {
        Self(Some(Arc::new(Matcher::from_system())))
    }

    /// Uses one proxy for every host. Its URL may hold credentials.
    pub fn through(url: &str) -> Self {
        Self(Some(Arc::new(Matcher::builder().all(url).build())))
    }

    /// Returns the proxy for an endpoint, if it is reached through one.
    pub(crate) fn find(&self, endpoint: &Endpoint<'_>) -> Option<Proxy> {
        let matcher = self.0.as_ref().filter(|_| !endpoint.is_loopback())?;
        let scheme = if endpoint.secure { "https" } else { "http" };
        let url = format!("{scheme}://{}/", endpoint.authority());
        matcher.intercept(&url.parse::<Uri>().ok()?).map(Proxy)
    }
}

/// One proxy that was chosen for an endpoint.
pub(crate) struct Proxy(Intercept);

impl Proxy {
    /// Host and port without credentials, for messages.
    pub(crate) fn display_name(&self) -> String {
        let uri = self.0.uri();
        let port = uri
            .port_u16()
            .map_or(String::new(), |port| format!(":{port}"));
        format!("{}{port}", uri.host().unwrap_or_default())
    }

    /// Value of `Proxy-Authorization`, if the proxy's URL has credentials.
    pub(crate) fn authorization(&self) -> Option<Vec<u8>> {
        self.0.basic_auth().map(|value| value.as_bytes().to_vec())
    }

    /// Connects to the proxy itself.
    pub(crate) async fn connect(&self) -> Result<TcpStream, String> {
        let uri = self.0.uri();
        if uri.scheme_str().is_some_and(|scheme| scheme != "http") {
            return Err("only http:// proxies are supported".to_owned());
        }
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let tcp = TcpStream::connect((host, uri.port_u16().unwrap_or(80))).await;
        let tcp = tcp.map_err(|error| error.to_string())?;
        tcp.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(tcp)
    }

    /// Opens a tunnel to `authority` (host and port) with `CONNECT`.
    pub(crate) async fn tunnel(
        &self,
        mut tcp: TcpStream,
        authority: &str,
    ) -> Result<TcpStream, String> {
        let mut request =
            format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
        if let Some(authorization) = self.authorization() {
            request.extend_from_slice(b"Proxy-Authorization: ");
            request.extend_from_slice(&authorization);
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        let failed = |error: std::io::Error| error.to_string();
        tcp.write_all(&request).await.map_err(failed)?;
        let mut answer = Vec::new();
        // Read byte by byte, because bytes after the answer belong to the tunnel.
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() == MAX_PROXY_ANSWER {
                return Err("its answer does not end".to_owned());
            }
            answer.push(tcp.read_u8().await.map_err(failed)?);
        }
        let line = answer.split(|&byte| byte == b'\r').next();
        let line = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
        match line.split(' ').nth(1) {
            Some(status) if status.starts_with('2') => Ok(tcp),
            _ => Err(format!("it answers '{line}'")),
        }
    }
}
