//! Runs and threads over HTTP, on a paused clock.

mod batching;
mod clock_jumps;
mod conversation_context;
mod conversations;
mod replay;
mod run_ends;
mod thread_memory;
mod threads;

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::future::Future;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use agui::agent::{AgentError, AgentFn, EventSource};
use agui::fold::Fold;
use agui::model::RunAgentInput;
use agui::pipeline::Pipeline;
use agui::{Agent, EventReader, EventStream, ReceivedEvent};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use json::{Json, Text, Value};
use sandbox::SandboxLimits;
use store::{MemoryStore, Store, Timestamp};
use tokio::time::{Sleep, sleep};
use tower::ServiceExt;

use crate::LogControl;
use crate::access::LinkKey;
use crate::app::{Server, ServerParts};
use crate::settings::Settings;
use gateway::{BuiltInAgent, Gateway, ReaderCommand};

/// Step of a scripted agent.
#[derive(Debug, Clone)]
pub(super) enum ScriptStep {
    Say(String),
    Wait(Duration),
    Hang,
}

pub(super) fn say(json: &str) -> ScriptStep {
    ScriptStep::Say(json.to_owned())
}

/// Returns an agent that follows a script. `@T` and `@R` are replaced by the thread and run id of the input.
pub(super) fn agent(steps: Vec<ScriptStep>) -> Arc<dyn Agent> {
    Arc::new(AgentFn(move |input: RunAgentInput| {
        let steps = steps.iter().map(|step| match step {
            ScriptStep::Say(json) => ScriptStep::Say(
                json.replace("@T", &input.thread_id)
                    .replace("@R", &input.run_id),
            ),
            step => step.clone(),
        });
        EventStream::new(ScriptedStream {
            steps: steps.collect(),
            pause: None,
            reader: EventReader::new(),
        })
    }))
}

struct ScriptedStream {
    steps: VecDeque<ScriptStep>,
    pause: Option<Pin<Box<Sleep>>>,
    reader: EventReader,
}

impl EventSource for ScriptedStream {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        loop {
            match self.steps.front() {
                Some(ScriptStep::Say(json)) => {
                    let read = self.reader.read(Text::from(json.as_str()));
                    *slot = read.expect("an event");
                    self.steps.pop_front();
                    return Poll::Ready(Some(Ok(())));
                }
                Some(ScriptStep::Wait(duration)) => {
                    let duration = *duration;
                    let pause = self.pause.get_or_insert_with(|| Box::pin(sleep(duration)));
                    if pause.as_mut().poll(context).is_pending() {
                        return Poll::Pending;
                    }
                    self.pause = None;
                    self.steps.pop_front();
                }
                Some(ScriptStep::Hang) => return Poll::Pending,
                None => return Poll::Ready(None),
            }
        }
    }
}

pub(super) const STARTED: &str = r#"{"type":"RUN_STARTED","threadId":"@T","runId":"@R"}"#;
pub(super) const FINISHED: &str = r#"{"type":"RUN_FINISHED","threadId":"@T","runId":"@R"}"#;

/// Returns the steps of a complete answer with this text.
pub(super) fn answer(text: &str) -> Vec<ScriptStep> {
    vec![
        say(STARTED),
        say(r#"{"type":"TEXT_MESSAGE_START","messageId":"a-@R","role":"assistant"}"#),
        say(&format!(
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"a-@R","delta":"{text}"}}"#
        )),
        say(r#"{"type":"TEXT_MESSAGE_END","messageId":"a-@R"}"#),
        say(FINISHED),
    ]
}

/// Server that is called without a network.
pub(super) struct RunServer {
    server: Server,
    router: Router,
}

impl RunServer {
    pub(super) async fn new(store: Arc<dyn Store>, agents: Vec<(&str, Arc<dyn Agent>)>) -> Self {
        Self::with_clock(store, agents, crate::system_clock).await
    }

    pub(super) async fn with_clock(
        store: Arc<dyn Store>,
        agents: Vec<(&str, Arc<dyn Agent>)>,
        clock: fn() -> Timestamp,
    ) -> Self {
        let built_in: BTreeMap<_, _> = agents
            .into_iter()
            .map(|(name, agent)| {
                let samples = Vec::new();
                (name.to_owned(), BuiltInAgent { agent, samples })
            })
            .collect();
        let reading = ReaderCommand {
            program: "none".into(),
            arguments: Vec::new(),
            at_once: 1,
            allowance: SandboxLimits::default(),
        };
        let server = Server::new(ServerParts {
            settings: Settings::default(),
            store,
            reading,
            index: gateway::IndexLocation::Memory,
            embedding: None,
            built_in,
            reader: None,
            issuers: Vec::new(),
            link_key: LinkKey::new([7; 32]),
            log: LogControl::new(tracing::Level::WARN, |_| {}),
            console: &[],
            environment: Default::default(),
            clock,
        });
        let server = server.await.expect("a server");
        let router = server.router(Ipv4Addr::LOCALHOST.into());
        Self { server, router }
    }

    pub(super) fn gateway(&self) -> &Gateway {
        &self.server.app.gateway
    }

    /// Creates a server in memory with one agent named `a`.
    pub(super) async fn of(steps: Vec<ScriptStep>) -> Self {
        Self::new(Arc::new(MemoryStore::new()), vec![("a", agent(steps))]).await
    }

    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (StatusCode, EventResponse) {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header("host", "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request
            .body(Body::from(body.to_owned()))
            .expect("a request");
        let response = self.router.clone().oneshot(request).await;
        let response = response.expect("an answer");
        let status = response.status();
        let response = EventResponse {
            body: response.into_body(),
            buffer: String::new(),
        };
        (status, response)
    }

    /// Sends a request and reads the JSON response.
    pub(super) async fn json(&self, method: Method, path: &str, body: &str) -> (u16, Value) {
        let json = [("accept", "application/json")];
        let (status, answer) = self.send(method, path, &json, body).await;
        let text = answer.text().await;
        (status.as_u16(), Value::parse(&text).expect(&text))
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let (status, value) = self.json(Method::GET, path, "").await;
        assert_eq!(status, 200, "{path}: {}", value.to_json());
        value
    }

    /// Starts a run, which must be accepted.
    pub(super) async fn run(&self, thread: &str, run: &str) -> EventResponse {
        let (status, response) = self.post(&input(thread, run), &[]).await;
        assert_eq!(status, 200);
        response
    }

    pub(super) async fn post(&self, body: &str, headers: &[(&str, &str)]) -> (u16, EventResponse) {
        let (status, response) = self.send(Method::POST, "/agents/a", headers, body).await;
        (status.as_u16(), response)
    }

    /// Subscribes to a thread.
    pub(super) async fn subscribe(&self, path: &str) -> EventResponse {
        let (status, response) = self.send(Method::GET, path, &[], "").await;
        assert_eq!(status, 200);
        response
    }
}

pub(super) fn input(thread: &str, run: &str) -> String {
    format!(
        r#"{{"threadId":"{thread}","runId":"{run}","state":{{}},"messages":[{{"id":"u-{run}","role":"user","content":"q"}}],"tools":[],"context":[],"protocolVersion":"1.0"}}"#
    )
}

/// Response that is read event by event.
pub(super) struct EventResponse {
    body: Body,
    buffer: String,
}

/// Event with its id.
pub(super) type SentEvent = (Option<u64>, Value);

impl EventResponse {
    async fn text(mut self) -> String {
        while self.more().await {}
        self.buffer
    }

    async fn more(&mut self) -> bool {
        match self.body.frame().await {
            Some(frame) => {
                let bytes = frame.expect("bytes").into_data().expect("data");
                self.buffer
                    .push_str(std::str::from_utf8(&bytes).expect("text"));
                true
            }
            None => false,
        }
    }

    /// Returns the next event; comments are skipped.
    pub(super) async fn next(&mut self) -> Option<SentEvent> {
        loop {
            if let Some((frame, rest)) = self.buffer.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.buffer = rest;
                let member = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
                let Some(data) = member("data: ") else {
                    continue;
                };
                let id = member("id: ").map(|id| id.parse().expect("a number"));
                return Some((id, Value::parse(data).expect("JSON")));
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// Returns the events up to one of this type.
    pub(super) async fn until(&mut self, kind: &str) -> Vec<SentEvent> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            let found = event.1["type"].as_str() == Some(kind);
            events.push(event);
            if found {
                return events;
            }
        }
        panic!("{kind} did not come: {events:?}");
    }

    /// Returns all events to the end.
    pub(super) async fn all(mut self) -> Vec<SentEvent> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

pub(super) fn kinds(events: &[SentEvent]) -> Vec<&str> {
    let kinds = events.iter().map(|(_, event)| event["type"].as_str());
    kinds.map(|kind| kind.expect("a type")).collect()
}

/// Returns messages and state of a client after events, which must follow the protocol. The client begins with the
/// input.
pub(super) fn folded(events: &[SentEvent], input: Option<&str>) -> (Value, Value) {
    let mut fold = match input {
        Some(input) => {
            let input = agui::input::read_request(input.as_bytes(), String::new);
            let input = input.expect("an input").input;
            let state = input.state.unwrap_or_else(|| Json::from(Value::from([])));
            Fold::new(input.messages, state)
        }
        None => Fold::default(),
    };
    // Legacy agents leave ids out; client and server number them in the same way.
    let mut count = 0;
    let mut pipeline = Pipeline::new(|| {
        count += 1;
        format!("r-{count}")
    });
    let mut reader = EventReader::new();
    for (_, event) in events {
        let event = reader.read(Text::from(event.to_json())).expect("an event");
        let taken = pipeline.process(
            &event,
            |_| {},
            |event| {
                let _ = fold.apply(event);
            },
        );
        taken.unwrap_or_else(|error| panic!("{error}: {events:?}"));
    }
    let messages = fold
        .messages()
        .map(|m| Value::parse(&m.to_json()).expect("JSON"));
    (
        Value::Array(messages.collect()),
        fold.state().value().into_owned(),
    )
}
