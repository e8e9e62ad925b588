//! Start of a response: connection, request, redirects, and the reader of the body.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};

use super::body::ResponseBody;
use super::exchange::{ExchangeError, ResponseHead, exchange};
use super::target::RequestTarget;
use super::{AgentShared, HttpError, RedirectPolicy, TimeoutPhase};
use agui::negotiate::{Encoding, SSE_TYPE};
use agui::stream::StreamDecoder;
use agui::{proto, sse};
use net::connect::{HttpConnection, connect};

/// Limit on the number of redirects.
const MAX_REDIRECTS: usize = 5;
/// Limit on the part of an error body that is shown, in bytes.
const MAX_MESSAGE: usize = 8 * 1024;

/// Response that is being read.
pub(super) struct ResponseReader {
    pub(super) target: RequestTarget,
    pub(super) body: ResponseBody,
    pub(super) decoder: StreamDecoder,
    /// Declared content type, if it is not that of a stream; `None` once the first bytes look like a stream.
    pub(super) undeclared_type: Option<String>,
    /// True after the last byte of the body.
    pub(super) ended: bool,
    pub(super) last_read: Instant,
}

impl ResponseReader {
    /// Creates the reader of a successful response.
    fn new(shared: &AgentShared, response: OpenResponse) -> Self {
        let OpenResponse { target, body, head } = response;
        let limit = shared.limits.event;
        let declared = head.content_type.as_deref();
        let decoder = match Encoding::from_content_type(declared) {
            Encoding::Proto => StreamDecoder::Proto(proto::FrameDecoder::with_limit(limit)),
            Encoding::Sse => StreamDecoder::Sse(sse::SseDecoder::with_limit(limit)),
        };
        let essence = |declared: &str| {
            declared
                .split(';')
                .next()
                .map(|essence| essence.trim().to_ascii_lowercase())
        };
        let is_stream = matches!(decoder, StreamDecoder::Proto(_))
            || declared.and_then(essence).as_deref() == Some(SSE_TYPE);
        Self {
            target,
            body,
            decoder,
            undeclared_type: (!is_stream).then(|| match declared {
                Some(declared) => excerpt(declared.as_bytes(), 80),
                None => "of no declared type".to_owned(),
            }),
            ended: false,
            last_read: Instant::now(),
        }
    }

    /// Rejects a response that ended without any bytes of a stream and did not declare one.
    pub(super) fn check_end(&mut self) -> Result<(), HttpError> {
        match self.undeclared_type.take() {
            Some(content_type) => Err(HttpError::ContentType {
                content_type,
                start: "nothing".to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// Checks that the first bytes of a response look like a stream, if it did not declare one.
pub(super) fn check_start(
    undeclared_type: &mut Option<String>,
    bytes: &[u8],
) -> Result<(), HttpError> {
    let Some(content_type) = undeclared_type else {
        return Ok(());
    };
    let start = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    if start.is_empty() {
        return Ok(());
    }
    let fields: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b":"];
    if fields
        .iter()
        .any(|field| start.starts_with(field) || field.starts_with(start))
    {
        *undeclared_type = None;
        return Ok(());
    }
    Err(HttpError::ContentType {
        content_type: content_type.clone(),
        start: excerpt(start, 80),
    })
}

/// Returns the beginning of a text in displayable form.
fn excerpt(bytes: &[u8], length: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown: String = text
        .chars()
        .take(length)
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    if text.chars().nth(length).is_some() {
        shown.push('…');
    }
    shown
}

/// Opens a response and the reader of its events.
pub(super) async fn open(
    shared: Arc<AgentShared>,
    body: Arc<String>,
    last_id: Option<String>,
    deadline: (Instant, HttpError),
) -> Result<ResponseReader, HttpError> {
    let response = open_response(&shared, &body, last_id.as_deref(), deadline).await?;
    Ok(ResponseReader::new(&shared, response))
}

/// Successful response whose body has not been read.
pub(super) struct OpenResponse {
    pub(super) target: RequestTarget,
    pub(super) body: ResponseBody,
    head: ResponseHead,
}

/// Connects, sends the request and follows redirects. Returns the response if it can be read.
pub(super) async fn open_response(
    shared: &AgentShared,
    body: &str,
    last_id: Option<&str>,
    (deadline, late): (Instant, HttpError),
) -> Result<OpenResponse, HttpError> {
    timeout_at(deadline, async {
        let mut target = shared.target.clone();
        for _ in 0..=MAX_REDIRECTS {
            let (connection, head, read) = send(shared, &target, body, last_id).await?;
            let mut answer = ResponseBody::new(connection, &head, read);
            match head.status {
                301..=303 | 307 | 308 if head.location.is_some() => {
                    target = redirect(shared, &target, &head)?;
                }
                204 | 205 => {
                    return Err(HttpError::MissingBody {
                        status: head.status,
                    });
                }
                200..=299 => {
                    if let Some(encoding) = &head.encoding {
                        return Err(HttpError::Compressed(excerpt(encoding.as_bytes(), 40)));
                    }
                    let body = answer;
                    return Ok(OpenResponse { target, body, head });
                }
                _ => return Err(status_error(&head, &mut answer).await),
            }
        }
        Err(HttpError::Redirect {
            status: 307,
            location: target.url(),
            reason: "there were too many before it",
        })
    })
    .await
    .unwrap_or(Err(late))
}

/// Sends a request on an idle connection or on a new one.
async fn send(
    shared: &AgentShared,
    target: &RequestTarget,
    body: &str,
    last_id: Option<&str>,
) -> Result<(HttpConnection, ResponseHead, Vec<u8>), HttpError> {
    let max_head = shared.limits.head;
    if let Some(mut connection) = shared.pool.take(target).await {
        let request = shared.request(target, &connection, body, last_id);
        match exchange(&mut connection, &request, max_head).await {
            Ok((head, read)) => return Ok((connection, head, read)),
            Err(ExchangeError::Http(error)) => return Err(error),
            // The connection was closed while it was idle; the server has not seen the request.
            Err(ExchangeError::NoAnswer) => {}
        }
    }
    let limit = shared.timeouts.connect;
    let connecting = connect(target.endpoint(), &shared.proxies, &shared.tls);
    let mut connection = timeout(limit, connecting)
        .await
        .map_err(|_| HttpError::Timeout {
            waiting: TimeoutPhase::Connect,
            limit,
        })?
        .map_err(|error| HttpError::from_connect(error, target.place()))?;
    let request = shared.request(target, &connection, body, last_id);
    match exchange(&mut connection, &request, max_head).await {
        Ok((head, read)) => Ok((connection, head, read)),
        Err(ExchangeError::Http(error)) => Err(error),
        Err(ExchangeError::NoAnswer) => Err(HttpError::Closed { to: target.place() }),
    }
}

fn redirect(
    shared: &AgentShared,
    from: &RequestTarget,
    head: &ResponseHead,
) -> Result<RequestTarget, HttpError> {
    let location = head.location.as_deref().unwrap_or_default();
    let refused = |reason| HttpError::Redirect {
        status: head.status,
        location: excerpt(location.as_bytes(), 200),
        reason,
    };
    if !matches!(head.status, 307 | 308) {
        return Err(refused("the request would be lost; use that URL directly"));
    }
    let to = from.join(location).map_err(|_| refused("that is no URL"))?;
    let same_host = to.host == from.host && (to.port == from.port || to.secure && !from.secure);
    match shared.redirects {
        RedirectPolicy::Never => Err(refused("redirects are switched off")),
        _ if from.secure && !to.secure => Err(refused("it is not secure, this is")),
        RedirectPolicy::SameHost if !same_host => Err(refused("it is another host")),
        RedirectPolicy::SameHost | RedirectPolicy::AnyHost => Ok(to),
    }
}

/// Returns the error for a response with an error status.
async fn status_error(head: &ResponseHead, body: &mut ResponseBody) -> HttpError {
    let mut message = Vec::new();
    while message.len() < MAX_MESSAGE {
        let more = poll_fn(|context| {
            body.poll_data(context)
                .map(|read| read.map(<[u8]>::to_vec).unwrap_or_default())
        });
        match more.await {
            bytes if bytes.is_empty() => break,
            bytes => message.extend_from_slice(&bytes),
        }
    }
    let retry_after = head
        .retry_after
        .as_deref()
        .and_then(|text| text.parse().ok());
    HttpError::Status {
        status: head.status,
        message: excerpt(message.trim_ascii(), MAX_MESSAGE),
        retry_after: retry_after.map(Duration::from_secs),
    }
}
