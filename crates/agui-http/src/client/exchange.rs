//! One request, and the head of its response.

use http::{HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::target::RequestTarget;
use super::{AgentShared, HttpError};
use agui::negotiate::{Encoding, PROTO_TYPE, SSE_TYPE};
use net::connect::HttpConnection;

/// Limit on the number of headers of a response.
const MAX_HEADERS: usize = 128;

/// Parts of a response head that the client uses.
#[derive(Debug, Default)]
pub(super) struct ResponseHead {
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) encoding: Option<String>,
    pub(super) location: Option<String>,
    pub(super) retry_after: Option<String>,
    pub(super) length: Option<u64>,
    pub(super) chunked: bool,
    pub(super) keep_alive: bool,
}

/// Merges headers in the order they are sent: the caller's, then ours, replaced by exact spelling as the
/// reference client does.
pub fn merge_headers(given: &[(String, String)], wire: Encoding) -> Vec<(String, String)> {
    let accept = match wire {
        Encoding::Sse => SSE_TYPE.to_owned(),
        // An agent without protobuf may answer with SSE.
        Encoding::Proto => format!("{PROTO_TYPE}, {SSE_TYPE};q=0.5"),
    };
    let ours = [
        ("Content-Type", "application/json".to_owned()),
        ("Accept", accept),
    ];
    let mut headers: Vec<(String, String)> = given.to_vec();
    for (name, value) in ours {
        match headers.iter_mut().find(|(given, _)| given == name) {
            Some(header) => header.1 = value,
            None => headers.push((name.to_owned(), value)),
        }
    }
    headers
}

/// Checks that a header can be sent.
pub(super) fn check_header(name: &str, value: &str) -> Result<(), HttpError> {
    let bad = |reason| {
        Err(HttpError::BadHeader {
            name: name.to_owned(),
            reason,
        })
    };
    if name.parse::<HeaderName>().is_err() {
        return bad("a name has letters, digits and hyphens");
    }
    if HeaderValue::from_str(value).is_err() {
        return bad("its value has characters that no header may have");
    }
    let framing = ["host", "content-length", "transfer-encoding", "connection"];
    if framing.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return bad("it is set for each request");
    }
    Ok(())
}

impl AgentShared {
    /// Writes the whole request. Credentials are included only for the origin they were given for.
    pub(super) fn request(
        &self,
        target: &RequestTarget,
        connection: &HttpConnection,
        body: &str,
        last_id: Option<&str>,
    ) -> Vec<u8> {
        let mut request = Vec::with_capacity(512 + body.len());
        let mut put = |parts: &[&[u8]]| {
            for part in parts {
                request.extend_from_slice(part);
            }
        };
        let url = target.url();
        let path = match &connection.proxied {
            Some(_) => &url,
            None => &target.path,
        };
        put(&[b"POST ", path.as_bytes(), b" HTTP/1.1\r\nHost: "]);
        put(&[target.authority().as_bytes(), b"\r\n"]);
        let at_home =
            target.same_origin(&self.target) || (target.host == self.target.host && target.secure);
        for (name, value) in &self.headers {
            let secret = ["authorization", "cookie", "proxy-authorization"];
            if at_home || !secret.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                put(&[name.as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
            }
        }
        if let Some(authorization) = connection
            .proxied
            .as_ref()
            .and_then(|proxied| proxied.authorization.as_deref())
        {
            put(&[b"Proxy-Authorization: ", authorization, b"\r\n"]);
        }
        if let Some(last_id) = last_id {
            put(&[b"Last-Event-ID: ", last_id.as_bytes(), b"\r\n"]);
        }
        put(&[b"Accept-Encoding: identity\r\nCache-Control: no-store\r\nContent-Length: "]);
        put(&[
            body.len().to_string().as_bytes(),
            b"\r\n\r\n",
            body.as_bytes(),
        ]);
        request
    }
}

/// Failure of an exchange.
pub(super) enum ExchangeError {
    /// The connection ended before the first byte of an answer.
    NoAnswer,
    /// Any later failure.
    Http(HttpError),
}

/// Sends a request. Returns the head of the response and the bytes received after it.
pub(super) async fn exchange(
    connection: &mut HttpConnection,
    request: &[u8],
    max_head: usize,
) -> Result<(ResponseHead, Vec<u8>), ExchangeError> {
    // A server may answer and close before it has read everything, so the answer is read even if writing failed.
    let _ = connection.io.write_all(request).await;
    let _ = connection.io.flush().await;
    let mut read = Vec::with_capacity(8 * 1024);
    let mut seen = 0;
    loop {
        if connection.io.read_buf(&mut read).await.unwrap_or(0) == 0 {
            return Err(if read.is_empty() {
                ExchangeError::NoAnswer
            } else {
                ExchangeError::Http(HttpError::BadAnswer("it ends within its head"))
            });
        }
        // The head is parsed once its blank line is there, so that a slow head is not parsed repeatedly.
        while let Some(end) = head_end(&read, seen) {
            let head = parse(&read[..end]).map_err(ExchangeError::Http)?;
            read.drain(..end);
            seen = 0;
            // Interim responses are skipped.
            if !(100..200).contains(&head.status) {
                return Ok((head, read));
            }
        }
        seen = read.len();
        if seen > max_head {
            let limit = max_head;
            return Err(ExchangeError::Http(HttpError::HeadTooLarge { limit }));
        }
    }
}

/// Returns the end of the head. The search starts shortly before `seen`.
fn head_end(read: &[u8], seen: usize) -> Option<usize> {
    let from = seen.saturating_sub(3);
    let fresh = &read[from..];
    let strict = memchr::memmem::find(fresh, b"\r\n\r\n").map(|at| from + at + 4);
    let loose = memchr::memmem::find(fresh, b"\n\n").map(|at| from + at + 2);
    match (strict, loose) {
        (Some(strict), Some(loose)) => Some(strict.min(loose)),
        (one, other) => one.or(other),
    }
}

fn parse(bytes: &[u8]) -> Result<ResponseHead, HttpError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => {
            return Err(HttpError::BadAnswer("its head is incomplete"));
        }
        Err(httparse::Error::TooManyHeaders) => {
            return Err(HttpError::BadAnswer("it has too many headers"));
        }
        Err(_) => return Err(HttpError::BadAnswer("its head makes no sense")),
    }
    let mut head = ResponseHead {
        status: response.code.unwrap_or_default(),
        keep_alive: response.version == Some(1),
        ..ResponseHead::default()
    };
    for header in response.headers.iter() {
        let value = String::from_utf8_lossy(header.value).trim().to_owned();
        match header.name.to_ascii_lowercase().as_str() {
            "content-type" => head.content_type = Some(value),
            "content-encoding" if !value.eq_ignore_ascii_case("identity") => {
                head.encoding = Some(value).filter(|value| !value.is_empty());
            }
            "location" => head.location = Some(value),
            "retry-after" => head.retry_after = Some(value),
            "content-length" => {
                let length = Some(value)
                    .filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()))
                    .and_then(|value| value.parse().ok());
                if length.is_none() || head.length.is_some_and(|before| Some(before) != length) {
                    return Err(HttpError::BadAnswer("its Content-Length makes no sense"));
                }
                head.length = length;
            }
            "transfer-encoding" => {
                head.chunked = value
                    .rsplit(',')
                    .next()
                    .is_some_and(|last| last.trim().eq_ignore_ascii_case("chunked"));
            }
            "connection" => {
                let has = |word: &str| {
                    value
                        .split(',')
                        .any(|part| part.trim().eq_ignore_ascii_case(word))
                };
                head.keep_alive = !has("close") && (head.keep_alive || has("keep-alive"));
            }
            _ => {}
        }
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_response_heads() {
        let head = parse(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: gzip, Chunked\r\nConnection: close\r\n\r\n",
        )
        .expect("valid");
        assert_eq!(head.status, 200);
        assert_eq!(head.content_type.as_deref(), Some("text/event-stream"));
        assert!(head.chunked && !head.keep_alive);
        let old = parse(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n").expect("valid");
        assert!(!old.keep_alive && old.length == Some(5));
    }

    #[test]
    fn rejects_two_content_lengths() {
        for lengths in [
            "1\r\nContent-Length: 2",
            "-1",
            "1 2",
            "99999999999999999999",
        ] {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {lengths}\r\n\r\n");
            assert!(parse(head.as_bytes()).is_err(), "{lengths}");
        }
    }

    #[test]
    fn finds_the_end_of_the_head() {
        assert_eq!(head_end(b"a\r\n\r\nb\n\n", 0), Some(5));
        assert_eq!(head_end(b"a\n\nb\r\n\r\n", 0), Some(3));
        assert_eq!(head_end(b"a\r\n\r\n", 4), Some(5));
        assert_eq!(head_end(b"a\r\n\r", 0), None);
    }

    #[test]
    fn merges_headers_by_spelling() {
        let given = [("accept", "x"), ("Accept", "y"), ("K", "v")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let merged: Vec<String> = merge_headers(&given, Encoding::Sse)
            .into_iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        assert_eq!(
            merged,
            [
                "accept: x",
                "Accept: text/event-stream",
                "K: v",
                "Content-Type: application/json"
            ]
        );
    }
}
