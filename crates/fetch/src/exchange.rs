//! One request to an address that was looked at, and its answer.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST,
    HeaderName, LOCATION, USER_AGENT,
};
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig};
use url::{Position, Url};

use crate::{FetchError, Fetcher};

/// How much of an answer's head is read.
const MAX_HEAD: usize = 64 * 1024;
/// Who asks.
const AGENT: &str = concat!("pincite/", env!("CARGO_PKG_VERSION"));

/// What a host answers.
pub(crate) enum Answer {
    Document {
        bytes: Vec<u8>,
        content_type: Option<String>,
    },
    /// Another address to ask, as it was written.
    Redirect(String),
}

/// Asks for a document at one of these addresses, and at no other.
pub(crate) async fn exchange(
    url: &Url,
    addresses: &[SocketAddr],
    fetcher: &Fetcher,
) -> Result<Answer, FetchError> {
    let host = url.host_str().unwrap_or_default().to_owned();
    let tcp = TcpStream::connect(addresses)
        .await
        .map_err(|error| FetchError::Unreachable {
            host: host.clone(),
            error,
        })?;
    if url.scheme() != "https" {
        return ask(TokioIo::new(tcp), url, &host, fetcher.limits.bytes).await;
    }
    let failed = |reason: String| FetchError::Tls {
        host: host.clone(),
        reason,
    };
    let config = fetcher.config().map_err(failed)?;
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())
        .map_err(|_| failed("its name cannot be in a certificate".to_owned()))?;
    let stream = TlsConnector::from(config)
        .connect(name, tcp)
        .await
        .map_err(|error| failed(error.to_string()))?;
    ask(TokioIo::new(stream), url, &host, fetcher.limits.bytes).await
}

async fn ask(
    io: impl Read + Write + Unpin + Send + 'static,
    url: &Url,
    host: &str,
    limit: usize,
) -> Result<Answer, FetchError> {
    let bad = |reason: String| FetchError::BadAnswer {
        host: host.to_owned(),
        reason,
    };
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD)
        .handshake::<_, Empty<Bytes>>(io)
        .await
        .map_err(|error| bad(error.to_string()))?;
    let request = Request::builder()
        .method(Method::GET)
        .uri(&url[Position::BeforePath..Position::AfterQuery])
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, "*/*")
        .header(ACCEPT_ENCODING, "identity")
        .header(CONNECTION, "close")
        .body(Empty::new())
        .map_err(|_| FetchError::BadUrl {
            reason: "it has characters that no request may have",
        })?;
    // The connection is driven here and not in a task of its own: it ends with the request.
    let exchange = async {
        let response = sender.send_request(request).await;
        let response = response.map_err(|error| bad(error.to_string()))?;
        read(response, host, limit).await
    };
    driven(connection, exchange).await
}

/// Waits for an exchange while its connection is driven, which ends with it.
pub async fn driven<T>(connection: impl Future, exchange: impl Future<Output = T>) -> T {
    tokio::pin!(exchange, connection);
    let mut alive = true;
    loop {
        tokio::select! {
            answer = &mut exchange => return answer,
            // Whether it ended well, the exchange finds out.
            _ = &mut connection, if alive => alive = false,
        }
    }
}

async fn read(
    mut response: Response<Incoming>,
    host: &str,
    limit: usize,
) -> Result<Answer, FetchError> {
    let header = |response: &Response<Incoming>, name: HeaderName| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let status = response.status().as_u16();
    if matches!(status, 301 | 302 | 303 | 307 | 308)
        && let Some(location) = header(&response, LOCATION)
    {
        return Ok(Answer::Redirect(location));
    }
    if !response.status().is_success() {
        return Err(FetchError::Status {
            host: host.to_owned(),
            status,
        });
    }
    let encoding = header(&response, CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| !encoding.trim().eq_ignore_ascii_case("identity")) {
        return Err(FetchError::Compressed {
            host: host.to_owned(),
        });
    }
    let length = header(&response, CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(FetchError::TooLarge { limit });
    }
    let content_type = header(&response, CONTENT_TYPE);
    let mut bytes = Vec::new();
    while let Some(frame) = response.body_mut().frame().await {
        let frame = frame.map_err(|error| FetchError::BadAnswer {
            host: host.to_owned(),
            reason: error.to_string(),
        })?;
        if let Ok(data) = frame.into_data() {
            if data.len() > limit - bytes.len() {
                return Err(FetchError::TooLarge { limit });
            }
            bytes.extend_from_slice(&data);
        }
    }
    Ok(Answer::Document {
        bytes,
        content_type,
    })
}

/// Certificates as the platform trusts them.
pub fn secure_by_platform() -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier)
        .map_err(|error| error.to_string())?
        .with_no_client_auth();
    Ok(Arc::new(config))
}
