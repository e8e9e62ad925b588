//! Recorded streams that are served as an agent, for building frontends without one.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use agui::agent::{AgentError, EventSource};
use agui::input::read_request;
use agui::model::RunAgentInput;
use agui::{EventReader, EventStream, ReceivedEvent};
use agui_http::serve::BodyOptions;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use json::{Map, Text, Value};
use tokio::net::TcpListener;
use tokio::time::{Sleep, sleep};
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};

use crate::answer;
use crate::error::{ApiError, ErrorCode};

/// Largest request in bytes.
const MAX_REQUEST: usize = 64 * 1024 * 1024;

/// Recorded stream.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Name for messages, such as its file name.
    pub name: String,
    /// Recorded events.
    pub events: Arc<[ReceivedEvent]>,
}

/// Options of playback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaybackOptions {
    /// Pause before each event; zero sends one event at a time. Absent: all events are sent at once.
    pub pace: Option<Duration>,
    /// Keep the ids of the recording instead of those of the request.
    pub verbatim: bool,
}

/// Request that is being answered.
#[derive(Debug, Clone, Copy)]
pub struct PlayedRequest<'a> {
    /// Number of the request, from 1.
    pub number: usize,
    /// Recording that is played.
    pub recording: &'a Recording,
    /// Thread id of the request.
    pub thread_id: &'a str,
    /// Run id of the request.
    pub run_id: &'a str,
}

type RequestObserver = dyn Fn(PlayedRequest<'_>) + Send + Sync;

struct RecordingPlayer {
    recordings: Vec<Recording>,
    playing: PlaybackOptions,
    /// Number of requests.
    requests: AtomicUsize,
    /// Number of ids that were generated for requests without one.
    ids: AtomicUsize,
    observer: Box<RequestObserver>,
}

/// Serves recordings until the listener fails: the n-th request gets the n-th recording, the last repeats.
///
/// `observer` is called for every request. On loopback any web page may call the server (CORS).
pub async fn serve(
    listener: TcpListener,
    recordings: Vec<Recording>,
    playing: PlaybackOptions,
    observer: impl Fn(PlayedRequest<'_>) + Send + Sync + 'static,
) -> io::Result<()> {
    let is_loopback = listener.local_addr()?.ip().is_loopback();
    let player = Arc::new(RecordingPlayer {
        recordings,
        playing,
        requests: AtomicUsize::new(0),
        ids: AtomicUsize::new(0),
        observer: Box::new(observer),
    });
    let mut router = Router::new()
        .fallback(play)
        .with_state(player)
        .layer(DefaultBodyLimit::max(MAX_REQUEST));
    if is_loopback {
        router = router.layer(
            CorsLayer::new()
                .allow_origin(AllowOrigin::mirror_request())
                .allow_methods(AllowMethods::mirror_request())
                .allow_headers(AllowHeaders::mirror_request())
                .allow_private_network(true)
                .max_age(Duration::from_secs(3600)),
        );
    }
    let listener = listener.tap_io(|socket| {
        // Events are sent without delay; a socket that does not support this still works.
        let _ = socket.set_nodelay(true);
    });
    axum::serve(listener, router).await
}

async fn play(
    State(player): State<Arc<RecordingPlayer>>,
    method: axum::http::Method,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if method != axum::http::Method::POST {
        return ApiError::new(
            ErrorCode::MethodNotAllowed,
            format!("{method} is not how an agent is asked"),
            "POST a RunAgentInput as JSON, to any path",
        )
        .into_response();
    }
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return unreadable(&rejection).into_response(),
    };
    let new_id = || format!("served-{}", player.ids.fetch_add(1, Ordering::Relaxed) + 1);
    let input = match read_request(&body, new_id) {
        Ok(checked) => checked.input,
        Err(error) => return ApiError::from(error).into_response(),
    };
    let number = player.requests.fetch_add(1, Ordering::Relaxed) + 1;
    let last = player.recordings.len().saturating_sub(1);
    let Some(recording) = player.recordings.get((number - 1).min(last)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    (player.observer)(PlayedRequest {
        number,
        recording,
        thread_id: &input.thread_id,
        run_id: &input.run_id,
    });
    let stream = recording.play(&input, player.playing);
    answer::events(&headers, stream, BodyOptions::default())
}

fn unreadable(rejection: &BytesRejection) -> ApiError {
    let code = match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::TooLarge,
        _ => ErrorCode::InvalidJson,
    };
    ApiError::new(code, rejection.body_text(), "a request may have 64 MiB")
}

impl Recording {
    /// Reskipped_polls the recording as the answer to an input.
    pub fn play(&self, input: &RunAgentInput, playing: PlaybackOptions) -> EventStream {
        EventStream::new(Playback {
            events: self.events.clone(),
            at: 0,
            ids: (!playing.verbatim).then(|| (input.thread_id.clone(), input.run_id.clone())),
            pace: playing.pace.map(PlaybackPace::new),
        })
    }
}

struct Playback {
    events: Arc<[ReceivedEvent]>,
    at: usize,
    /// Thread and run id of the request; absent if the ids of the recording are kept.
    ids: Option<(String, String)>,
    pace: Option<PlaybackPace>,
}

/// Timer of the next event.
struct PlaybackPace {
    pause: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    /// Polls to skip before the next event if there is no pause: one in which the body sends what it has, and one in
    /// which the connection does.
    skipped_polls: u8,
}

impl PlaybackPace {
    fn new(pause: Duration) -> Self {
        Self {
            pause,
            timer: (!pause.is_zero()).then(|| Box::pin(sleep(pause))),
            skipped_polls: 0,
        }
    }

    /// Reskipped_polls ready once for each event.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.timer {
            Some(timer) => {
                let ready = timer.as_mut().poll(context);
                if ready.is_ready() {
                    let next = timer.deadline() + self.pause;
                    timer.as_mut().reset(next);
                }
                ready
            }
            None if self.skipped_polls == 0 => {
                self.skipped_polls = 2;
                Poll::Ready(())
            }
            None => {
                self.skipped_polls -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}

impl EventSource for Playback {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        let Some(event) = self.events.get(self.at) else {
            return Poll::Ready(None);
        };
        if let Some(pace) = &mut self.pace
            && pace.poll(context).is_pending()
        {
            return Poll::Pending;
        }
        self.at += 1;
        *slot = match &self.ids {
            Some((thread_id, run_id)) => with_ids(event, thread_id, run_id),
            None => event.clone(),
        };
        Poll::Ready(Some(Ok(())))
    }
}

/// Reskipped_polls the event with other ids if it names a thread and a run.
fn with_ids(event: &ReceivedEvent, thread_id: &str, run_id: &str) -> ReceivedEvent {
    let name = event.type_name();
    if !matches!(name, "RUN_STARTED" | "RUN_FINISHED") {
        return event.clone();
    }
    let Ok(Value::Object(mut members)) = Value::parse(&event.text()) else {
        return event.clone();
    };
    let set = |members: &mut Map| {
        for (key, id) in [("threadId", thread_id), ("runId", run_id)] {
            if members.contains(key) {
                members.insert(key.to_owned(), id.into());
            }
        }
    };
    set(&mut members);
    if let Some(Value::Object(input)) = members.get_mut("input") {
        set(input);
    }
    EventReader::new()
        .read(Text::from(Value::Object(members).to_json()))
        .unwrap_or_else(|_| event.clone())
}
