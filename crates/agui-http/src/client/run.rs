//! One run over HTTP: request, reading, retry, resume.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout, timeout_at};

use super::body::{BodyError, ResponseBody};
use super::exchange::{ExchangeError, ResponseHead, exchange};
use super::target::RequestTarget;
use super::{AgentShared, HttpError, RedirectPolicy, TimeoutPhase};
use agui::ReceivedEvent;
use agui::agent::{AgentError, EventSource};
use agui::negotiate::{Encoding, SSE_TYPE};
use agui::stream::StreamDecoder;
use agui::{proto, sse};
use net::connect::{HttpConnection, connect};

/// Limit on the number of redirects.
const MAX_REDIRECTS: usize = 5;
/// Limit on the part of an error body that is shown, in bytes.
const MAX_MESSAGE: usize = 8 * 1024;
/// Limit on the delay that an agent may request with `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

type Opening = Pin<Box<dyn Future<Output = Result<ResponseReader, HttpError>> + Send>>;

/// Run over HTTP.
pub(super) struct HttpRun {
    shared: Arc<AgentShared>,
    request: Arc<String>,
    phase: HttpRunPhase,
    began: Instant,
    /// Time at which this request was sent.
    sent: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    /// Number of events received so far.
    events: u64,
    bytes: u64,
    tries: u32,
    resumes: u32,
    /// Last event id, for `Last-Event-ID`.
    last_id: Option<String>,
    /// True between the start and the end of the run.
    running: bool,
    /// True after a resume until the next event.
    resumed: bool,
}

enum HttpRunPhase {
    Opening(Opening),
    Waiting(Pin<Box<Sleep>>),
    Reading(Box<ResponseReader>),
    Ended,
}

/// Response that is being read.
struct ResponseReader {
    target: RequestTarget,
    body: ResponseBody,
    decoder: StreamDecoder,
    /// Declared content type, until the first bytes have shown that the answer is a stream.
    doubt: Option<String>,
    ended: bool,
    last_read: Instant,
}

impl HttpRun {
    pub(super) fn new(shared: Arc<AgentShared>, request: String) -> Self {
        let now = Instant::now();
        let request = Arc::new(request);
        Self {
            phase: HttpRunPhase::Opening(Box::pin(open(
                shared.clone(),
                request.clone(),
                None,
                shared.deadline(now, now),
            ))),
            shared,
            request,
            began: now,
            sent: now,
            timer: None,
            events: 0,
            bytes: 0,
            tries: 0,
            resumes: 0,
            last_id: None,
            running: false,
            resumed: false,
        }
    }

    fn open_again(&mut self) {
        self.sent = Instant::now();
        self.timer = None;
        self.phase = HttpRunPhase::Opening(Box::pin(open(
            self.shared.clone(),
            self.request.clone(),
            self.last_id.clone(),
            self.shared.deadline(self.began, self.sent),
        )));
    }

    /// Retries if the policy allows it; otherwise returns the error that ends the run.
    fn broken(&mut self, error: HttpError) -> Option<AgentError> {
        self.phase = HttpRunPhase::Ended;
        let retries = &self.shared.retries;
        let (times, limit) = if self.events == 0 {
            (&mut self.tries, retries.before_first_event)
        } else if self.last_id.is_some() && self.running {
            (&mut self.resumes, retries.resume)
        } else {
            return Some(error.into());
        };
        if !error.is_passing() || *times == limit {
            return Some(error.into());
        }
        let mut wait = retries.wait.saturating_mul(1 << (*times).min(16));
        if let HttpError::Status {
            retry_after: Some(after),
            ..
        } = error
        {
            wait = wait.max(after.min(MAX_RETRY_AFTER));
        }
        *times += 1;
        self.resumed = self.events > 0;
        self.phase = HttpRunPhase::Waiting(Box::pin(sleep(wait)));
        None
    }

    /// Returns the current deadline, its phase and its timeout.
    fn patience(&self, last_read: Instant) -> (Instant, TimeoutPhase, Duration) {
        let timeouts = &self.shared.timeouts;
        let (from, waiting, limit) = if self.events == 0 {
            (self.sent, TimeoutPhase::FirstEvent, timeouts.first_event)
        } else {
            (last_read, TimeoutPhase::Idle, timeouts.idle)
        };
        let until = from + limit;
        match timeouts.total {
            Some(total) if self.began + total < until => {
                (self.began + total, TimeoutPhase::Total, total)
            }
            _ => (until, waiting, limit),
        }
    }

    /// Returns true if the deadline passed; otherwise schedules a wake-up.
    fn poll_timer(&mut self, context: &mut Context<'_>, last_read: Instant) -> Option<HttpError> {
        let (until, waiting, limit) = self.patience(last_read);
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        // The timer is moved only when it fires or would fire too late, because each read moves the deadline.
        if timer.deadline() > until {
            timer.as_mut().reset(until);
        }
        while timer.as_mut().poll(context).is_ready() {
            if Instant::now() >= until {
                return Some(HttpError::Timeout { waiting, limit });
            }
            timer.as_mut().reset(until);
        }
        None
    }

    /// Updates the counters for an event that was read.
    fn count(&mut self, event: &ReceivedEvent) -> Result<(), HttpError> {
        let name = event.type_name();
        if std::mem::take(&mut self.resumed) && self.running && name == "RUN_STARTED" {
            // The agent started again instead of continuing.
            let (events, error) = (self.events, None);
            return Err(HttpError::Truncated { events, error });
        }
        self.running = match name {
            "RUN_STARTED" => true,
            "RUN_FINISHED" | "RUN_ERROR" => false,
            _ => self.running,
        };
        self.events += 1;
        Ok(())
    }

    /// Reads the bytes that are ready.
    fn poll_reading(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        loop {
            let HttpRunPhase::Reading(reading) = &mut self.phase else {
                return Poll::Ready(None);
            };
            if let Some(read) = reading.decoder.next_into(slot) {
                if let Some(id) = reading.decoder.last_id()
                    && self.last_id.as_deref() != Some(id)
                {
                    let last_id = self.last_id.get_or_insert_default();
                    last_id.clear();
                    last_id.push_str(id);
                }
                let read = match read {
                    Ok(()) => self.count(slot).map_err(AgentError::from),
                    Err(error) => Err(error.into()),
                };
                if read.is_err() {
                    self.phase = HttpRunPhase::Ended;
                }
                return Poll::Ready(Some(read));
            }
            if reading.ended {
                if let HttpRunPhase::Reading(reading) =
                    std::mem::replace(&mut self.phase, HttpRunPhase::Ended)
                    && let Some(connection) = reading.body.into_connection()
                {
                    self.shared.pool.put(&reading.target, connection);
                }
                return Poll::Ready(None);
            }
            // The decoder reuses its buffer if no event holds it.
            *slot = ReceivedEvent::default();
            let error = match reading.body.poll_data(context) {
                Poll::Ready(Ok([])) => {
                    reading.decoder.finish();
                    reading.ended = true;
                    reading.doubt_at_end().err()
                }
                Poll::Ready(Ok(bytes)) => {
                    self.bytes += bytes.len() as u64;
                    let limit = self.shared.limits.body;
                    let sound = if self.bytes > limit {
                        Err(HttpError::TooLarge { limit })
                    } else {
                        dispel(&mut reading.doubt, bytes)
                    };
                    if sound.is_ok() {
                        reading.decoder.push(bytes);
                        reading.last_read = Instant::now();
                    }
                    sound.err()
                }
                Poll::Ready(Err(BodyError::BadChunk)) => {
                    Some(HttpError::BadAnswer("its chunks are broken"))
                }
                Poll::Ready(Err(BodyError::Truncated(error))) => Some(HttpError::Truncated {
                    events: self.events,
                    error,
                }),
                Poll::Pending => {
                    let last_read = reading.last_read;
                    match self.poll_timer(context, last_read) {
                        None => return Poll::Pending,
                        error => error,
                    }
                }
            };
            if let Some(error) = error {
                if let Some(error) = self.broken(error) {
                    return Poll::Ready(Some(Err(error)));
                }
                return Poll::Ready(None);
            }
        }
    }
}

impl EventSource for HttpRun {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        loop {
            match &mut self.phase {
                HttpRunPhase::Ended => return Poll::Ready(None),
                HttpRunPhase::Opening(opening) => match opening.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Ok(reading)) => {
                        self.phase = HttpRunPhase::Reading(Box::new(reading));
                    }
                    Poll::Ready(Err(error)) => {
                        if let Some(error) = self.broken(error) {
                            return Poll::Ready(Some(Err(error)));
                        }
                    }
                },
                HttpRunPhase::Waiting(wait) => match wait.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) => self.open_again(),
                },
                HttpRunPhase::Reading(_) => match self.poll_reading(context, slot) {
                    // The run is retried instead of ended.
                    Poll::Ready(None) if !matches!(self.phase, HttpRunPhase::Ended) => {}
                    read => return read,
                },
            }
        }
    }
}

impl AgentShared {
    /// Returns the deadline for the start of the response.
    fn deadline(&self, began: Instant, sent: Instant) -> (Instant, HttpError) {
        let timeouts = &self.timeouts;
        let first = sent + timeouts.first_event;
        let timeout = |waiting, limit| HttpError::Timeout { waiting, limit };
        match timeouts.total {
            Some(total) if began + total < first => {
                (began + total, timeout(TimeoutPhase::Total, total))
            }
            _ => (
                first,
                timeout(TimeoutPhase::FirstEvent, timeouts.first_event),
            ),
        }
    }
}

impl ResponseReader {
    /// Refuses a response that ended without an event and did not declare a stream.
    fn doubt_at_end(&mut self) -> Result<(), HttpError> {
        match self.doubt.take() {
            Some(content_type) => Err(HttpError::ContentType {
                content_type,
                start: "nothing".to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// Checks that bytes of an undeclared content type look like a stream.
fn dispel(doubt: &mut Option<String>, bytes: &[u8]) -> Result<(), HttpError> {
    let Some(content_type) = doubt else {
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
        *doubt = None;
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

/// Connects, sends the request and follows redirects. Returns the response if it can be read.
async fn open(
    shared: Arc<AgentShared>,
    body: Arc<String>,
    last_id: Option<String>,
    (deadline, late): (Instant, HttpError),
) -> Result<ResponseReader, HttpError> {
    timeout_at(deadline, async {
        let mut target = shared.target.clone();
        for _ in 0..=MAX_REDIRECTS {
            let (connection, head, read) =
                send(&shared, &target, &body, last_id.as_deref()).await?;
            let mut answer = ResponseBody::new(connection, &head, read);
            match head.status {
                301..=303 | 307 | 308 if head.location.is_some() => {
                    target = redirect(&shared, &target, &head)?;
                }
                204 | 205 => {
                    return Err(HttpError::NoBody {
                        status: head.status,
                    });
                }
                200..=299 => return reading(&shared, target, answer, head),
                _ => return Err(refusal(&head, &mut answer).await),
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

/// Returns the response as a stream of events.
fn reading(
    shared: &AgentShared,
    target: RequestTarget,
    body: ResponseBody,
    head: ResponseHead,
) -> Result<ResponseReader, HttpError> {
    if let Some(encoding) = head.encoding {
        return Err(HttpError::Compressed(excerpt(encoding.as_bytes(), 40)));
    }
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
    Ok(ResponseReader {
        target,
        body,
        decoder,
        doubt: (!is_stream).then(|| match declared {
            Some(declared) => excerpt(declared.as_bytes(), 80),
            None => "of no declared type".to_owned(),
        }),
        ended: false,
        last_read: Instant::now(),
    })
}

/// Returns the error for a response with an error status.
async fn refusal(head: &ResponseHead, body: &mut ResponseBody) -> HttpError {
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
