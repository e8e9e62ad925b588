//! ServerProcess contestant: a plain axum handler.
//!
//! usage: `bare-axum MODE FILE` with MODE one of
//! each (encodes each event, one flush per event), ready (sends prepared frames, all at once).
//! A file may contain several runs, which are sent in turn.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

use std::convert::Infallible;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use agui::event::{RunFinished, RunStarted};
use agui::{Event, EventData, EventReader, ReceivedEvent, sse};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use axum::{Router, serve};
use http_body::Frame;
use json::Text;
use pincite_bench::harness::data_lines;
use serde_json::Value;
use tokio::net::TcpListener;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.as_slice() {
        [mode, file] => run(mode, file),
        _ => Err("usage: bare-axum each|ready FILE".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare-axum: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mode: &str, file: &str) -> Result<(), String> {
    let stream = std::fs::read(file).map_err(|e| format!("cannot read {file}: {e}"))?;
    let events: Vec<Event> = data_lines(&stream).map(parse).collect::<Result<_, _>>()?;
    let is_end = |event: &Event| matches!(event.data(), EventData::RunFinished(_));
    let runs = events.split_inclusive(is_end);
    let router = match mode {
        "each" => Router::new()
            .route("/", post(each))
            .with_state(Turns::of(runs.map(Arc::from))),
        "ready" => Router::new()
            .route("/", post(ready))
            .with_state(Turns::of(runs.map(|run| run.iter().map(frame).collect()))),
        other => return Err(format!("unknown mode {other}")),
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|e| e.to_string())?;
    runtime.block_on(listen(router)).map_err(|e| e.to_string())
}

async fn listen(router: Router) -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        // Without it the second event would wait for the acknowledgement of the first.
        let _ = stream.set_nodelay(true);
    });
    serve(listener, router).await
}

/// Responses that are sent in turn.
struct Turns<T> {
    answers: Vec<Arc<[T]>>,
    next: AtomicUsize,
}

impl<T> Turns<T> {
    fn of(answers: impl Iterator<Item = Arc<[T]>>) -> Arc<Self> {
        Arc::new(Self {
            answers: answers.collect(),
            next: AtomicUsize::new(0),
        })
    }

    fn next(&self) -> Arc<[T]> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        self.answers[turn % self.answers.len()].clone()
    }
}

/// Parses a typed event without keeping its text, so that encoding has to write it.
fn parse(json: &[u8]) -> Result<Event, String> {
    let json = std::str::from_utf8(json).map_err(|e| e.to_string())?;
    match EventReader::new().read(Text::from(json)) {
        Ok(ReceivedEvent::Typed(event)) => {
            let (data, common) = event.into_parts();
            Ok(Event::with_common(data, common))
        }
        other => Err(format!("not a clean event: {other:?}")),
    }
}

fn frame(event: &Event) -> Bytes {
    let mut out = String::new();
    sse::encode(event, &mut out);
    Bytes::from(out)
}

/// Parses the two ids of a run input.
fn ids(input: &[u8]) -> Option<(Text, Text)> {
    let input: Value = serde_json::from_slice(input).ok()?;
    let id = |key: &str| input[key].as_str().map(Text::from);
    Some((id("threadId")?, id("runId")?))
}

async fn each(State(turns): State<Arc<Turns<Event>>>, input: Bytes) -> Response {
    ids(&input).map_or(StatusCode::BAD_REQUEST.into_response(), |ids| {
        stream(Each {
            events: turns.next(),
            ids,
            next: 0,
            pause: false,
        })
    })
}

async fn ready(State(turns): State<Arc<Turns<Bytes>>>, input: Bytes) -> Response {
    ids(&input).map_or(StatusCode::BAD_REQUEST.into_response(), |_| {
        stream(Ready {
            frames: turns.next(),
            next: 0,
        })
    })
}

fn stream(body: impl HttpBody<Data = Bytes, Error = Infallible> + Send + 'static) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    (kind, Body::new(body)).into_response()
}

/// Body that encodes one event per poll and yields before the next.
struct Each {
    events: Arc<[Event]>,
    ids: (Text, Text),
    next: usize,
    /// True if the poll ends here, so that the previous frame is flushed.
    pause: bool,
}

impl Each {
    /// Encodes the frame of an event; the ends of the run name the requested run.
    fn frame(&self, event: &Event) -> Bytes {
        let (thread_id, run_id) = self.ids.clone();
        match event.data() {
            EventData::RunStarted(start) => frame(&Event::from(RunStarted {
                thread_id,
                run_id,
                ..(**start).clone()
            })),
            EventData::RunFinished(end) => frame(&Event::from(RunFinished {
                thread_id,
                run_id,
                ..(**end).clone()
            })),
            _ => frame(event),
        }
    }
}

impl HttpBody for Each {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if std::mem::take(&mut self.pause) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(event) = self.events.get(self.next) else {
            return Poll::Ready(None);
        };
        let frame = self.frame(event);
        self.next += 1;
        self.pause = true;
        Poll::Ready(Some(Ok(Frame::data(frame))))
    }
}

/// Body that sends prepared frames without a pause.
struct Ready {
    frames: Arc<[Bytes]>,
    next: usize,
}

impl HttpBody for Ready {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = self.frames.get(self.next).cloned();
        self.next += 1;
        Poll::Ready(frame.map(|frame| Ok(Frame::data(frame))))
    }
}
