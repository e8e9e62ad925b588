//! Recorded streams, served as an agent: a frontend can be built without one.

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

/// How long a request may be.
const MAX_REQUEST: usize = 64 * 1024 * 1024;

/// A recorded stream.
#[derive(Debug, Clone)]
pub struct Recording {
    /// What it is called.
    pub name: String,
    /// Its events.
    pub events: Arc<[ReceivedEvent]>,
}

/// How recordings are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaybackOptions {
    /// One event at a time with a pause before each, be it nothing; absent: all at once.
    pub pace: Option<Duration>,
    /// With the ids of the recording instead of those of the request.
    pub verbatim: bool,
}

/// A request that is being answered.
#[derive(Debug, Clone, Copy)]
pub struct PlayedRequest<'a> {
    /// Which request it is, from 1.
    pub number: usize,
    /// What is played.
    pub recording: &'a Recording,
    /// The thread that asks.
    pub thread_id: &'a str,
    /// The run it asks for.
    pub run_id: &'a str,
}

type Told = dyn Fn(PlayedRequest<'_>) + Send + Sync;

struct RecordingPlayer {
    recordings: Vec<Recording>,
    playing: PlaybackOptions,
    asked: AtomicUsize,
    /// Ids given where a request had none.
    ids: AtomicUsize,
    told: Box<Told>,
}

/// Serves recordings until the listener fails: the n-th request gets the n-th, the last repeats.
///
/// `told` hears of every request. On this machine any page may ask (CORS).
pub async fn serve(
    listener: TcpListener,
    recordings: Vec<Recording>,
    playing: PlaybackOptions,
    told: impl Fn(PlayedRequest<'_>) + Send + Sync + 'static,
) -> io::Result<()> {
    let is_loopback = listener.local_addr()?.ip().is_loopback();
    let player = Arc::new(RecordingPlayer {
        recordings,
        playing,
        asked: AtomicUsize::new(0),
        ids: AtomicUsize::new(0),
        told: Box::new(told),
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
        // An event is sent when it is there; a socket that cannot do that still works.
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
    let number = player.asked.fetch_add(1, Ordering::Relaxed) + 1;
    let last = player.recordings.len().saturating_sub(1);
    let Some(recording) = player.recordings.get((number - 1).min(last)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    (player.told)(PlayedRequest {
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
    /// The recording as the answer to an input.
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
    /// The thread and the run of the request.
    ids: Option<(String, String)>,
    pace: Option<PlaybackPace>,
}

/// When the next event comes.
struct PlaybackPace {
    pause: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    /// Without a pause: how often to wait for the next turn. Once for the body, which sends off what
    /// is there, and once for the connection, which does the same.
    turns: u8,
}

impl PlaybackPace {
    fn new(pause: Duration) -> Self {
        Self {
            pause,
            timer: (!pause.is_zero()).then(|| Box::pin(sleep(pause))),
            turns: 0,
        }
    }

    /// Ready once for each event.
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
            None if self.turns == 0 => {
                self.turns = 2;
                Poll::Ready(())
            }
            None => {
                self.turns -= 1;
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

/// The event with other ids, if it names a thread and a run.
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
