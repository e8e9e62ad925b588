//! One request to the collector, and its answer.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fetch::TlsConfig;
use http::header::{CONNECTION, HOST, USER_AGENT};
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much of an answer is read.
const MAX_ANSWER: usize = 64 << 10;
const AGENT: &str = concat!("pincite/", env!("CARGO_PKG_VERSION"));

/// Why spans could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// No connection.
    #[error("no connection: {0}")]
    Unreachable(io::Error),
    /// No secure connection.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// It does not answer in time.
    #[error("no answer within {} seconds", PATIENCE.as_secs())]
    Late,
    /// The answer cannot be read.
    #[error("the answer cannot be read: {0}")]
    Answer(String),
    /// It refuses.
    #[error("it answers HTTP {0}")]
    Status(u16),
}

/// Sends a request, and waits for its answer.
pub(crate) async fn post(request: Request<Bytes>) -> Result<Response<Bytes>, SendError> {
    let sent = timeout(PATIENCE, send(request)).await;
    sent.unwrap_or(Err(SendError::Late))
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
        .insert(USER_AGENT, HeaderValue::from_static(AGENT));
    parts
        .headers
        .insert(CONNECTION, HeaderValue::from_static("close"));
    let request = Request::from_parts(parts, Full::new(body));
    let bare = host.trim_matches(['[', ']']).to_owned();
    let tcp = TcpStream::connect((bare.as_str(), port))
        .await
        .map_err(SendError::Unreachable)?;
    if !secure {
        return exchange(TokioIo::new(tcp), request).await;
    }
    let name = ServerName::try_from(bare).map_err(|error| SendError::Tls(error.to_string()))?;
    let stream = TlsConnector::from(certificates().map_err(SendError::Tls)?)
        .connect(name, tcp)
        .await
        .map_err(|error| SendError::Tls(error.to_string()))?;
    exchange(TokioIo::new(stream), request).await
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
        let body = Limited::new(body, MAX_ANSWER).collect().await;
        let body = body.map_err(|error| SendError::Answer(error.to_string()))?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    };
    fetch::driven(connection, exchange).await
}

/// Certificates as the platform trusts them; read once.
fn certificates() -> Result<Arc<TlsConfig>, String> {
    static CONFIG: OnceLock<Result<Arc<TlsConfig>, String>> = OnceLock::new();
    CONFIG.get_or_init(fetch::secure_by_platform).clone()
}
