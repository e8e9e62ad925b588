//! Load on an AG-UI server: one run after the other on each of several kept-alive connections.
//!
//! The connections use HTTP/1.1 over plain sockets on one thread, which leaves the machine to the
//! server. A [`Reader`] consumes each response; [`EventCounter`] counts its events.

mod http_response;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use crate::harness::data_lines;

pub use http_response::HttpResponse;

/// Interval for checking if a window has been long enough.
const TICK: Duration = Duration::from_millis(10);
/// Timeout for a run.
const RUN_LIMIT: Duration = Duration::from_secs(120);
/// Size of a connection's read buffer.
const READ_SIZE: usize = 64 * 1024;

/// Reader of one response.
pub trait Reader: Send + 'static {
    /// Result of the run.
    type Outcome: Send + 'static;

    /// Examines or removes the body received so far; called after each read.
    fn more(&mut self, body: &mut Vec<u8>) -> Result<(), String>;

    /// Called with the rest of the body when it is complete.
    fn end(self, body: &[u8]) -> Result<Self::Outcome, String>;
}

/// Reader that counts events, requires RUN_FINISHED as the last one, and measures the time to the
/// first.
pub struct EventCounter {
    events: usize,
    start: Instant,
    first: Option<Duration>,
}

impl EventCounter {
    /// Creates a reader that expects this many events, and starts its clock.
    pub fn new(events: usize) -> Self {
        Self {
            events,
            start: Instant::now(),
            first: None,
        }
    }
}

impl Reader for EventCounter {
    type Outcome = Duration;

    fn more(&mut self, body: &mut Vec<u8>) -> Result<(), String> {
        if self.first.is_none() && body.windows(2).any(|pair| pair == b"\n\n") {
            self.first = Some(self.start.elapsed());
        }
        Ok(())
    }

    fn end(self, body: &[u8]) -> Result<Duration, String> {
        let seen = data_lines(body).count();
        if seen != self.events {
            return Err(format!("{seen} events, expected {}", self.events));
        }
        let last = data_lines(body).last().unwrap_or_default();
        let last: Value = serde_json::from_slice(last).map_err(|e| format!("last event: {e}"))?;
        if last["type"] != "RUN_FINISHED" {
            return Err(format!("the last event is {last}"));
        }
        self.first.ok_or("no complete event".to_owned())
    }
}

/// Reader that measures the times of a run through a gateway and checks its form.
#[derive(Clone, Copy, Debug)]
pub struct TimedReader {
    /// Number of events the agent sends.
    pub events: usize,
    /// True if nothing may be added to the events.
    pub exact: bool,
    /// Number of citations that must be verified.
    pub verified: Option<usize>,
}

/// RunTimes of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunTimes {
    /// Time to the first event.
    pub first: Duration,
    /// Time to the end.
    pub whole: Duration,
    /// Time from the end of the message to the last verification, if any was expected.
    pub verified: Option<Duration>,
}

impl TimedReader {
    /// Starts the clock and returns the reader.
    pub fn begin(self) -> RunTimer {
        RunTimer {
            expected: self,
            clock: EventCounter::new(self.events),
            verified_text: self.verified.map(verified_text),
            searched: 0,
            ended: None,
            verified: None,
        }
    }
}

/// Returns the text in the state that reports this many verified citations.
fn verified_text(verified: usize) -> String {
    format!("/summary/verified\",\"value\":{verified}}}")
}

/// A run that is being timed.
pub struct RunTimer {
    expected: TimedReader,
    clock: EventCounter,
    /// Text that arrives with the last result.
    verified_text: Option<String>,
    /// Number of body bytes that were searched.
    searched: usize,
    /// Arrival of the end of the message.
    ended: Option<Instant>,
    /// Arrival of the last result.
    verified: Option<Instant>,
}

impl RunTimer {
    /// Records the arrival of the expected text.
    fn record_arrivals(&mut self, body: &[u8]) {
        let Some(text) = &self.verified_text else {
            return;
        };
        // The text may be split between two reads.
        let new = &body[self.searched.saturating_sub(text.len() + END.len())..];
        self.searched = body.len();
        let now = Instant::now();
        for (wanted, found) in [
            (END, &mut self.ended),
            (text.as_bytes(), &mut self.verified),
        ] {
            if found.is_none() && memchr::memmem::find(new, wanted).is_some() {
                *found = Some(now);
            }
        }
    }
}

/// First bytes of the event that ends a message.
const END: &[u8] = b"\"type\":\"TEXT_MESSAGE_END\"";

impl Reader for RunTimer {
    type Outcome = RunTimes;

    fn more(&mut self, body: &mut Vec<u8>) -> Result<(), String> {
        self.record_arrivals(body);
        self.clock.more(body)
    }

    fn end(self, body: &[u8]) -> Result<RunTimes, String> {
        let whole = self.clock.start.elapsed();
        let (TimedReader { events, exact, .. }, mut clock) = (self.expected, self.clock);
        if !exact {
            let seen = data_lines(body).count();
            clock.events = seen.max(events);
        }
        let verified = match (self.expected.verified, self.ended, self.verified) {
            (None, ..) => None,
            (Some(_), Some(ended), Some(verified)) => {
                Some(verified.saturating_duration_since(ended))
            }
            (Some(count), ..) => return Err(format!("{count} citations were not verified")),
        };
        let first = clock.end(body)?;
        Ok(RunTimes {
            first,
            whole,
            verified,
        })
    }
}

/// Open connections to one server.
pub struct Load {
    runtime: Runtime,
    target: Arc<LoadTarget>,
    connections: Vec<Connection>,
}

impl Load {
    /// Opens the connections to a URL like `http://127.0.0.1:8000/agent`.
    pub fn new(url: &str, connections: usize) -> Result<Self, String> {
        let target = Arc::new(LoadTarget::parse(url)?);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| format!("cannot start a runtime: {e}"))?;
        let open = || runtime.block_on(Connection::open(&target.authority));
        let connections = (0..connections).map(|_| open()).collect::<Result<_, _>>()?;
        Ok(Self {
            runtime,
            target,
            connections,
        })
    }

    /// Runs on every connection until `enough` returns true, then waits for the open runs.
    ///
    /// No run is open between two windows. An error closes the connections.
    pub fn window<R: Reader>(
        &mut self,
        reader: impl Fn() -> R + Clone + Send + 'static,
        mut enough: impl FnMut() -> Result<bool, String>,
    ) -> Result<Vec<R::Outcome>, String> {
        self.counted(reader, |_| enough())
    }

    /// Like [`Load::window`], but `enough` receives the number of started runs.
    pub fn counted<R: Reader>(
        &mut self,
        reader: impl Fn() -> R + Clone + Send + 'static,
        mut enough: impl FnMut(usize) -> Result<bool, String>,
    ) -> Result<Vec<R::Outcome>, String> {
        let before = self.target.begun();
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        let connections = std::mem::take(&mut self.connections);
        let mut outcomes = Vec::new();
        self.runtime
            .block_on(async {
                for connection in connections {
                    let (target, stop) = (Arc::clone(&self.target), Arc::clone(&stop));
                    tasks.spawn(connection.runs(target, stop, reader.clone()));
                }
                let mut ticks = interval(TICK);
                loop {
                    tokio::select! {
                        _ = ticks.tick(), if !stop.load(Ordering::Relaxed) => {
                            let runs = self.target.begun() - before;
                            stop.store(enough(runs)?, Ordering::Relaxed);
                        }
                        done = tasks.join_next() => {
                            let Some(done) = done else { return Ok(()) };
                            let (connection, runs) = done.map_err(|e| e.to_string())??;
                            self.connections.push(connection);
                            outcomes.extend(runs);
                        }
                    }
                }
            })
            .map(|()| outcomes)
    }
}

/// LoadTarget of the runs and number of the next one.
struct LoadTarget {
    authority: String,
    path: String,
    next_run: AtomicU64,
}

impl LoadTarget {
    fn parse(url: &str) -> Result<Self, String> {
        let rest = url
            .strip_prefix("http://")
            .ok_or(format!("not an http URL: {url}"))?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        Ok(Self {
            authority: authority.to_owned(),
            path: format!("/{path}"),
            next_run: AtomicU64::new(0),
        })
    }

    /// Returns the number of started runs.
    fn begun(&self) -> usize {
        usize::try_from(self.next_run.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    /// Returns the bytes of a request for one run in a new thread.
    fn request(&self) -> String {
        let run = self.next_run.fetch_add(1, Ordering::Relaxed);
        let body = format!(
            r#"{{"threadId":"thread-{run}","runId":"run-{run}","state":{{}},"messages":[{{"id":"question-{run}","role":"user","content":"What does the source say?"}}],"tools":[],"context":[],"forwardedProps":{{}}}}"#
        );
        format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
            self.path,
            self.authority,
            body.len()
        )
    }
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    answer: HttpResponse,
}

impl Connection {
    async fn open(authority: &str) -> Result<Self, String> {
        let failed = |e| format!("cannot connect to {authority}: {e}");
        let stream = TcpStream::connect(authority).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        Ok(Self {
            stream,
            buffer: vec![0; READ_SIZE],
            answer: HttpResponse::default(),
        })
    }

    /// Executes one run after the other until `stop`.
    async fn runs<R: Reader>(
        mut self,
        target: Arc<LoadTarget>,
        stop: Arc<AtomicBool>,
        reader: impl Fn() -> R,
    ) -> Result<(Self, Vec<R::Outcome>), String> {
        let mut outcomes = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let run = self.run(&target, reader());
            let outcome = timeout(RUN_LIMIT, run).await;
            outcomes.push(outcome.map_err(|_| "a run did not end".to_owned())??);
        }
        Ok((self, outcomes))
    }

    async fn run<R: Reader>(
        &mut self,
        target: &LoadTarget,
        mut reader: R,
    ) -> Result<R::Outcome, String> {
        let request = target.request();
        let sent = self.stream.write_all(request.as_bytes()).await;
        sent.map_err(|e| format!("cannot send a run: {e}"))?;
        self.answer.restart();
        loop {
            let read = self.stream.read(&mut self.buffer).await;
            let size = read.map_err(|e| format!("cannot read an answer: {e}"))?;
            if size == 0 {
                return Err("the server closed the connection within an answer".to_owned());
            }
            let complete = self.answer.push(&self.buffer[..size])?;
            reader.more(self.answer.body_mut())?;
            if complete {
                return reader.end(self.answer.body_mut());
            }
        }
    }
}
