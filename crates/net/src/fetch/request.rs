//! One HTTP request to an address that was checked.

use std::net::SocketAddr;

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
use tokio::net::TcpStream;
use url::{Position, Url};

use super::{FetchError, Fetcher};
use crate::drive_connection;
use crate::tls::handshake;

/// Limit on the head of a response, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Value of the `User-Agent` header.
const USER_AGENT_VALUE: &str = concat!("pincite/", env!("CARGO_PKG_VERSION"));

/// Response to a download.
pub(super) enum HttpAnswer {
    Document {
        bytes: Vec<u8>,
        content_type: Option<String>,
    },
    /// Value of `Location` as received.
    Redirect(String),
}

/// Requests a document from one of these addresses, and from no other.
pub(super) async fn send_request(
    url: &Url,
    addresses: &[SocketAddr],
    fetcher: &Fetcher,
) -> Result<HttpAnswer, FetchError> {
    let host = url.host_str().unwrap_or_default().to_owned();
    let tcp = TcpStream::connect(addresses)
        .await
        .map_err(|error| FetchError::Unreachable {
            host: host.clone(),
            error,
        })?;
    if url.scheme() != "https" {
        return exchange(TokioIo::new(tcp), url, &host, fetcher.limits.bytes).await;
    }
    let failed = |reason: String| FetchError::Tls {
        host: host.clone(),
        reason,
    };
    let config = fetcher.tls.get().map_err(failed)?;
    let stream = handshake(tcp, host.trim_matches(['[', ']']), config).await;
    let stream = stream.map_err(failed)?;
    exchange(TokioIo::new(stream), url, &host, fetcher.limits.bytes).await
}

async fn exchange(
    io: impl Read + Write + Unpin + Send + 'static,
    url: &Url,
    host: &str,
    limit: usize,
) -> Result<HttpAnswer, FetchError> {
    let bad = |reason: String| FetchError::BadAnswer {
        host: host.to_owned(),
        reason,
    };
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD_BYTES)
        .handshake::<_, Empty<Bytes>>(io)
        .await
        .map_err(|error| bad(error.to_string()))?;
    let request = Request::builder()
        .method(Method::GET)
        .uri(&url[Position::BeforePath..Position::AfterQuery])
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(USER_AGENT, USER_AGENT_VALUE)
        .header(ACCEPT, "*/*")
        .header(ACCEPT_ENCODING, "identity")
        .header(CONNECTION, "close")
        .body(Empty::new())
        .map_err(|_| FetchError::BadUrl {
            reason: "it contains characters that are not allowed in a request",
        })?;
    // The connection is driven here instead of in a task, so that it ends with the request.
    let response = async {
        let response = sender.send_request(request).await;
        let response = response.map_err(|error| bad(error.to_string()))?;
        read_response(response, host, limit).await
    };
    drive_connection(connection, response).await
}

async fn read_response(
    mut response: Response<Incoming>,
    host: &str,
    limit: usize,
) -> Result<HttpAnswer, FetchError> {
    let header = |response: &Response<Incoming>, name: HeaderName| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let status = response.status().as_u16();
    if matches!(status, 301 | 302 | 303 | 307 | 308)
        && let Some(location) = header(&response, LOCATION)
    {
        return Ok(HttpAnswer::Redirect(location));
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
    Ok(HttpAnswer::Document {
        bytes,
        content_type,
    })
}
