//! One run over HTTP: reading, timeouts, retry, resume.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::body::BodyError;
use super::response::{ResponseReader, check_start, open};
use super::{AgentShared, HttpError, LAST_LEGACY_RELEASE, TimeoutPhase};
use agui::ReceivedEvent;
use agui::agent::{AgentError, EventSource};
use agui::legacy::downgrade;
use agui::model::RunAgentInput;

/// Limit on the delay that an agent may request with `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

type Opening = Pin<Box<dyn Future<Output = Result<ResponseReader, HttpError>> + Send>>;

/// Run over HTTP.
pub(super) struct HttpRun {
    shared: Arc<AgentShared>,
    request: Arc<String>,
    /// Input with a protocol version, until the agent has accepted it.
    versioned: Option<Box<RunAgentInput>>,
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

impl HttpRun {
    /// Starts a run. `versioned` is the input of the request if it has a protocol version, which the agent may reject.
    pub(super) fn new(
        shared: Arc<AgentShared>,
        request: String,
        versioned: Option<Box<RunAgentInput>>,
    ) -> Self {
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
            versioned,
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
    fn retry_or_fail(&mut self, error: HttpError) -> Option<AgentError> {
        if error.rejects_protocol_version()
            && let Some(mut input) = self.versioned.take()
        {
            self.shared.is_legacy.store(true, Ordering::Relaxed);
            downgrade(&mut input, LAST_LEGACY_RELEASE);
            self.request = Arc::new(input.to_json());
            self.open_again();
            return None;
        }
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
    fn current_deadline(&self, last_read: Instant) -> (Instant, TimeoutPhase, Duration) {
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

    /// Returns the error if the deadline has passed; otherwise schedules a wake-up.
    fn poll_timer(&mut self, context: &mut Context<'_>, last_read: Instant) -> Option<HttpError> {
        let (until, waiting, limit) = self.current_deadline(last_read);
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
        self.versioned = None;
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
                    reading.check_end().err()
                }
                Poll::Ready(Ok(bytes)) => {
                    self.bytes += bytes.len() as u64;
                    let limit = self.shared.limits.body;
                    let accepted = if self.bytes > limit {
                        Err(HttpError::TooLarge { limit })
                    } else {
                        check_start(&mut reading.undeclared_type, bytes)
                    };
                    if accepted.is_ok() {
                        reading.decoder.push(bytes);
                        reading.last_read = Instant::now();
                    }
                    accepted.err()
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
                if let Some(error) = self.retry_or_fail(error) {
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
                        if let Some(error) = self.retry_or_fail(error) {
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
    pub(super) fn deadline(&self, began: Instant, sent: Instant) -> (Instant, HttpError) {
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
