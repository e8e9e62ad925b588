//! One HTTP request to the collector.

use std::sync::LazyLock;
use std::time::Duration;

use http::header::{CONNECTION, HOST, USER_AGENT};
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use net::connect::{ConnectError, Endpoint, connect};
use net::drive_connection;
use net::proxy::ProxyConfig;
use net::tls::LazyTlsConfig;
use tokio::time::timeout;

/// Timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Limit on the body of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// Value of the `User-Agent` header.
const USER_AGENT_VALUE: &str = concat!("pincite/", env!("CARGO_PKG_VERSION"));

/// Failure to send spans.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The collector cannot be reached.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The collector did not answer in time.
    #[error("no answer within {} seconds", REQUEST_TIMEOUT.as_secs())]
    Timeout,
    /// The answer cannot be read.
    #[error("the answer cannot be read: {0}")]
    Answer(String),
    /// The collector refused the spans.
    #[error("the collector answers HTTP {0}")]
    Status(u16),
}

/// Sends a request and returns the answer.
pub(crate) async fn post(request: Request<Bytes>) -> Result<Response<Bytes>, SendError> {
    let sent = timeout(REQUEST_TIMEOUT, send(request)).await;
    sent.unwrap_or(Err(SendError::Timeout))
}

async fn send(request: Request<Bytes>) -> Result<Response<Bytes>, SendError> {
    let (mut parts, body) = request.into_parts();
    let secure = parts.uri.scheme_str() == Some("https");
    let host = parts.uri.host().unwrap_or_default().to_owned();
    let port = parts
        .uri
        .port_u16()
        .unwrap_or(if secure { 443 } else { 80 });
    let place = parts.uri.authority().map(ToString::to_string);
    let unreadable = |error: http::Error| SendError::Answer(error.to_string());
    let place = HeaderValue::try_from(place.unwrap_or_default());
    parts
        .headers
        .insert(HOST, place.map_err(|error| unreadable(error.into()))?);
    let path = parts.uri.path_and_query().cloned();
    parts.uri = path.map_or_else(|| Uri::from_static("/"), Uri::from);
    parts
        .headers
        .insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
    parts
        .headers
        .insert(CONNECTION, HeaderValue::from_static("close"));
    let request = Request::from_parts(parts, Full::new(body));
    let endpoint = Endpoint {
        secure,
        host: &host,
        port,
    };
    static TLS: LazyLock<LazyTlsConfig> = LazyLock::new(LazyTlsConfig::default);
    let connection = connect(endpoint, &ProxyConfig::none(), &TLS).await?;
    exchange(TokioIo::new(connection.io), request).await
}

async fn exchange(
    io: impl Read + Write + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<Response<Bytes>, SendError> {
    let unreadable = |error: hyper::Error| SendError::Answer(error.to_string());
    let (mut sender, connection) = http1::handshake(io).await.map_err(unreadable)?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(unreadable)?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
        let body = body.map_err(|error| SendError::Answer(error.to_string()))?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    };
    drive_connection(connection, exchange).await
}
