//! Scripted agents, a client that folds what it gets, and checks that end when they are told to.

mod changed;
mod ends;
mod flow;
mod foreign;
mod others;
mod properties;
mod recalled;
mod state;
mod turns;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use agui::agent::{Agent, AgentError, AgentFn, EventStream};
use agui::event::{
    CommonFields, Event, EventData, MessagesSnapshot, RunError, RunFinished, RunStarted,
    StateDelta, StateSnapshot, TextMessageContent, TextMessageEnd, TextMessageStart,
};
use agui::fold::Fold;
use agui::model::{Content, Message, Role, RunAgentInput};
use agui::pipeline::Pipeline;
use agui::{ReceivedEvent, SafeInt};
use documents::{Document, ReadLimits};
use json::patch::PatchOperation;
use json::{Json, Text, Value};

use super::{
    CheckResult, Checking, CitationClaim, CitationLayer, CitationVerifier, DocumentVerifier,
    LayerHost, LayerOptions, Ledger, OverdueCheck, ThreadMemory, Timer,
};
use citations::CitationKey;

pub(super) fn json(text: &str) -> Json {
    Json::parse(text).expect("a test writes JSON")
}

pub(super) fn value(text: &str) -> Value {
    Value::parse(text).expect("a test writes JSON")
}

/// An event of the agent: it has a timestamp, ours have none.
pub(super) fn theirs(data: impl Into<EventData>) -> Event {
    Event::with_common(
        data,
        CommonFields {
            timestamp: SafeInt::new(1),
            ..CommonFields::default()
        },
    )
}

pub(super) fn started() -> Event {
    theirs(RunStarted {
        thread_id: Text::from("t"),
        run_id: Text::from("r"),
        protocol_version: None,
        parent_run_id: None,
        input: None,
    })
}

pub(super) fn finished() -> Event {
    theirs(RunFinished {
        thread_id: Text::from("t"),
        run_id: Text::from("r"),
        result: None,
        outcome: None,
        usage: None,
    })
}

pub(super) fn failed(message: &str) -> Event {
    theirs(RunError {
        message: Text::from(message),
        code: None,
        usage: None,
    })
}

pub(super) fn start(id: &str) -> Event {
    theirs(TextMessageStart {
        message_id: Text::from(id),
        role: None,
        name: None,
    })
}

pub(super) fn delta(id: &str, text: &str) -> Event {
    theirs(TextMessageContent {
        message_id: Text::from(id),
        delta: Text::from(text),
    })
}

pub(super) fn end(id: &str) -> Event {
    theirs(TextMessageEnd {
        message_id: Text::from(id),
    })
}

pub(super) fn snapshot(state: &str) -> Event {
    theirs(StateSnapshot {
        snapshot: json(state),
    })
}

pub(super) fn patched(operations: Vec<PatchOperation>) -> Event {
    theirs(StateDelta { delta: operations })
}

pub(super) fn assistant(id: &str, text: &str) -> Message {
    Message {
        content: Content::Text(text.to_owned()),
        ..Message::new(id, Role::Assistant)
    }
}

pub(super) fn conversation(messages: impl IntoIterator<Item = Message>) -> Event {
    theirs(MessagesSnapshot {
        messages: messages.into_iter().collect(),
    })
}

/// A data block of such items: number, quoted words, document.
pub(super) fn block(items: &[(u32, &str, &str)]) -> String {
    let items: Vec<String> = items
        .iter()
        .map(|(number, phrase, document)| {
            format!(
                r#"{{"id":{number},"attachment_id":"{document}","full_phrase":"{phrase}","anchor_text":"","page_id":"1_0"}}"#
            )
        })
        .collect();
    let items = items.join(",");
    format!("<<<CITATION_DATA>>>\n[{items}]\n<<<END_CITATION_DATA>>>")
}

pub(super) fn library() -> DocumentVerifier {
    let read = |text: &str| {
        let document = Document::read(text.as_bytes(), "a.txt", &ReadLimits::default());
        Arc::new(document.expect("plain text can be read"))
    };
    DocumentVerifier::new([
        (
            "log".to_owned(),
            read("High tide was at 12:04.\nTwo boats were out.\n"),
        ),
        (
            "code".to_owned(),
            read("Two boats were out.\nNobody saw them.\n"),
        ),
    ])
}

/// Checks that end after as many milliseconds as the quoted words say, or at once.
pub(super) struct Slow(pub(super) DocumentVerifier);

impl CitationVerifier for Slow {
    fn verify(&self, claim: CitationClaim) -> Checking {
        let phrase = claim.citation.full_phrase.clone().unwrap_or_default();
        let wait = phrase
            .strip_prefix("wait ")
            .and_then(|rest| rest.split(' ').next()?.parse().ok());
        let finding = self.0.check(&claim);
        Box::pin(async move {
            if let Some(wait) = wait {
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
            finding
        })
    }
}

/// A host with a paused clock that keeps what it is told.
#[derive(Default)]
pub(super) struct TestHost {
    pub(super) stored: Mutex<Option<Json>>,
    pub(super) record: Mutex<Option<Json>>,
    pub(super) overdue: Mutex<Vec<OverdueCheck>>,
    pub(super) ledger: Mutex<Option<Ledger>>,
    pub(super) reviews: Mutex<Vec<(CitationKey, Json)>>,
    began: Option<tokio::time::Instant>,
}

impl TestHost {
    pub(super) fn paused() -> Arc<Self> {
        Arc::new(Self {
            began: Some(tokio::time::Instant::now()),
            ..Self::default()
        })
    }
}

impl LayerHost for TestHost {
    fn now(&self) -> u64 {
        let began = self.began.map_or(0, |began| began.elapsed().as_millis());
        1000 + u64::try_from(began).expect("tests are short")
    }

    fn sleep(&self, duration: Duration) -> Timer {
        match self.began {
            Some(_) => Box::pin(tokio::time::sleep(duration)),
            None => Box::pin(std::future::pending()),
        }
    }

    fn new_id(&self) -> String {
        "new".to_owned()
    }

    fn recall(&self, _: &str) -> Option<ThreadMemory> {
        Some(ThreadMemory {
            state: self.stored.lock().expect("no panic").clone()?,
            record: self.record.lock().expect("no panic").clone(),
        })
    }

    fn reviewed(&self, _: &str, reviews: &[(CitationKey, Json)]) {
        let mut all = self.reviews.lock().expect("no panic");
        all.extend_from_slice(reviews);
    }

    fn settled(&self, _: &str, _: &str, ledger: &Ledger, record: Option<Json>) {
        *self.ledger.lock().expect("no panic") = Some(ledger.clone());
        *self.record.lock().expect("no panic") = record;
    }

    fn overdue(&self, overdue: OverdueCheck) {
        self.overdue.lock().expect("no panic").push(overdue);
    }
}

pub(super) fn input(state: Option<&str>) -> RunAgentInput {
    RunAgentInput {
        thread_id: "t".to_owned(),
        run_id: "r".to_owned(),
        protocol_version: None,
        parent_run_id: None,
        state: state.map(json),
        messages: vec![Message {
            content: Content::Text("What is true?".to_owned()),
            ..Message::new("u", Role::User)
        }],
        tools: Vec::new(),
        context: Vec::new(),
        forwarded_props: None,
        resume: None,
    }
}

/// A client that folds, and knows what it got.
pub(super) struct TestClient {
    pub(super) fold: Fold,
    pipeline: Pipeline<Box<dyn FnMut() -> String + Send>>,
    /// Everything, as JSON.
    pub(super) events: Vec<String>,
}

impl TestClient {
    pub(super) fn new(input: &RunAgentInput) -> Self {
        let state = input.state.clone();
        Self {
            fold: Fold::new(
                input.messages.clone(),
                state.unwrap_or_else(|| Json::from(Value::Null)),
            ),
            pipeline: Pipeline::new(Box::new(|| "id".to_owned())),
            events: Vec::new(),
        }
    }

    /// Takes an event, which must keep the rules; a patch of ours must apply.
    pub(super) fn take(&mut self, event: &ReceivedEvent) {
        self.events.push(event.text().to_string());
        let (fold, events) = (&mut self.fold, &self.events);
        let taken = self.pipeline.process(
            event,
            |_| {},
            |event| {
                let warning = fold
                    .apply(event)
                    .expect("no chunk comes out of the pipeline");
                let ours = event.common().timestamp.is_none();
                assert!(
                    warning.is_none() || !ours,
                    "{warning:?}\n{}\n{}",
                    fold.state().to_json(),
                    events.join("\n")
                );
            },
        );
        if let Err(error) = taken {
            panic!("{error}\n{}", self.events.join("\n"));
        }
    }

    pub(super) fn state(&self) -> Value {
        self.fold.state().value().into_owned()
    }

    /// What the client has at a place, as JSON.
    pub(super) fn at(&self, path: &[&str]) -> String {
        let mut state = &self.state();
        for name in path {
            state = match state {
                Value::Array(items) => &items[name.parse::<usize>().expect("an index")],
                state => &state[*name],
            };
        }
        state.to_json()
    }

    /// The types of the events, ours with a star.
    pub(super) fn kinds(&self) -> Vec<String> {
        self.events
            .iter()
            .map(|event| {
                let event = value(event);
                let kind = event["type"].as_str().unwrap_or_default().to_owned();
                match event.get("timestamp") {
                    Some(_) => kind,
                    None => format!("{kind}*"),
                }
            })
            .collect()
    }

    /// The statuses of a message, one after another.
    pub(super) fn statuses(&self, id: &str) -> Vec<String> {
        let own = format!("/deepcitation/messages/{id}");
        let mut statuses = Vec::new();
        for event in &self.events {
            let event = value(event);
            for operation in event["delta"].as_array().unwrap_or_default() {
                let path = operation["path"].as_str().unwrap_or_default();
                let status = match path.strip_prefix(&own) {
                    Some("") => &operation["value"]["status"],
                    Some("/status") => &operation["value"],
                    _ if path == "/deepcitation" => &operation["value"]["messages"][id]["status"],
                    _ => continue,
                };
                statuses.extend(status.as_str().map(str::to_owned));
            }
        }
        statuses
    }
}

/// Runs a script through the layer.
pub(super) async fn run_with(
    options: LayerOptions,
    host: &Arc<TestHost>,
    input: RunAgentInput,
    events: Vec<Event>,
) -> (TestClient, Result<(), AgentError>) {
    let events = Mutex::new(Some(events));
    let agent = AgentFn(move |_| {
        let events = events.lock().expect("no panic").take();
        EventStream::of(events.expect("one run"))
    });
    run_agent(options, host, input, agent).await
}

/// Runs an agent through the layer.
pub(super) async fn run_agent(
    options: LayerOptions,
    host: &Arc<TestHost>,
    input: RunAgentInput,
    agent: impl Agent,
) -> (TestClient, Result<(), AgentError>) {
    let mut client = TestClient::new(&input);
    let layer = CitationLayer::new(agent, Slow(library()), Arc::clone(host), options);
    let mut stream = layer.run(input);
    let mut slot = ReceivedEvent::default();
    while let Some(read) = stream.next_into(&mut slot).await {
        match read {
            Ok(()) => client.take(&slot),
            Err(error) => return (client, Err(error)),
        }
    }
    (client, Ok(()))
}

/// Runs a script with the usual options on an empty state.
pub(super) async fn run(events: Vec<Event>) -> TestClient {
    let host = TestHost::paused();
    let (client, end) = run_with(LayerOptions::default(), &host, input(Some("{}")), events).await;
    end.expect("the script is complete");
    client
}

/// A thread that is remembered from run to run.
pub(super) struct Thread {
    pub(super) host: Arc<TestHost>,
    pub(super) options: LayerOptions,
    /// What the client sends as its state with the next run.
    pub(super) state: Option<Json>,
}

impl Thread {
    pub(super) fn new(options: LayerOptions) -> Self {
        Self {
            host: TestHost::paused(),
            options,
            state: Some(json("{}")),
        }
    }

    /// Runs a script, whatever it ends with.
    pub(super) async fn run(&mut self, script: Vec<Event>) -> TestClient {
        self.run_input(input(None), script).await
    }

    pub(super) async fn run_input(
        &mut self,
        mut input: RunAgentInput,
        script: Vec<Event>,
    ) -> TestClient {
        input.state = self.state.clone();
        let (client, _) = run_with(self.options.clone(), &self.host, input, script).await;
        self.state = Some(client.fold.state().clone());
        *self.host.stored.lock().expect("no panic") = self.state.clone();
        client
    }

    /// What is kept beside the state.
    pub(super) fn record(&self) -> Option<Json> {
        self.host.record.lock().expect("no panic").clone()
    }
}

/// A message that is there as a whole, within a run.
pub(super) fn said(id: &str, text: &str) -> Vec<Event> {
    vec![start(id), delta(id, text), end(id)]
}

/// A run that says and does this.
pub(super) fn whole_run(parts: impl IntoIterator<Item = Vec<Event>>) -> Vec<Event> {
    let mut script = vec![started()];
    script.extend(parts.into_iter().flatten());
    script.push(finished());
    script
}

/// A future that is ready when it has been polled so many times.
pub(super) struct Countdown(pub(super) u32, pub(super) Option<CheckResult>);

impl Future for Countdown {
    type Output = CheckResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CheckResult> {
        if self.0 == 0 {
            return Poll::Ready(self.1.take().unwrap_or_default());
        }
        self.0 -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
