//! Scripted agents, a client that applies what it receives, and verifiers with a delay.

pub(crate) use std::sync::{Arc, Mutex};
pub(crate) use std::task::{Context, Poll};
pub(crate) use std::time::Duration;

pub(crate) use agui::agent::{Agent, AgentError, AgentFn, EventStream};
pub(crate) use agui::event::{
    CommonFields, Event, EventData, MessagesSnapshot, RunError, RunFinished, RunStarted,
    StateDelta, StateSnapshot, TextMessageContent, TextMessageEnd, TextMessageStart,
};
pub(crate) use agui::fold::Fold;
pub(crate) use agui::model::{Content, Message, Role, RunAgentInput};
pub(crate) use agui::pipeline::Pipeline;
pub(crate) use agui::{ReceivedEvent, SafeInt};
pub(crate) use documents::{Document, ReadLimits};
pub(crate) use json::patch::PatchOperation;
pub(crate) use json::{Json, Text, Value};

pub(crate) use crate::{
    CheckResult, CitationClaim, CitationLayer, CitationVerifier, ClientReview, DocumentVerifier,
    LayerHost, LayerOptions, Ledger, OverdueCheck, PendingCheck, ThreadMemory, Timer,
};

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).expect("a test writes JSON")
}

pub(crate) fn value(text: &str) -> Value {
    Value::parse(text).expect("a test writes JSON")
}

/// Returns an event of the agent. It has a timestamp; events of the layer have none.
pub(crate) fn theirs(data: impl Into<EventData>) -> Event {
    Event::with_common(
        data,
        CommonFields {
            timestamp: SafeInt::new(1),
            ..CommonFields::default()
        },
    )
}

pub(crate) fn started() -> Event {
    theirs(RunStarted {
        thread_id: Text::from("t"),
        run_id: Text::from("r"),
        protocol_version: None,
        parent_run_id: None,
        input: None,
    })
}

pub(crate) fn finished() -> Event {
    theirs(RunFinished {
        thread_id: Text::from("t"),
        run_id: Text::from("r"),
        result: None,
        outcome: None,
        usage: None,
    })
}

pub(crate) fn failed(message: &str) -> Event {
    theirs(RunError {
        message: Text::from(message),
        code: None,
        usage: None,
    })
}

pub(crate) fn start(id: &str) -> Event {
    theirs(TextMessageStart {
        message_id: Text::from(id),
        role: None,
        name: None,
    })
}

pub(crate) fn delta(id: &str, text: &str) -> Event {
    theirs(TextMessageContent {
        message_id: Text::from(id),
        delta: Text::from(text),
    })
}

pub(crate) fn end(id: &str) -> Event {
    theirs(TextMessageEnd {
        message_id: Text::from(id),
    })
}

pub(crate) fn snapshot(state: &str) -> Event {
    theirs(StateSnapshot {
        snapshot: json(state),
    })
}

pub(crate) fn patched(operations: Vec<PatchOperation>) -> Event {
    theirs(StateDelta { delta: operations })
}

pub(crate) fn assistant(id: &str, text: &str) -> Message {
    Message {
        content: Content::Text(text.to_owned()),
        ..Message::new(id, Role::Assistant)
    }
}

pub(crate) fn conversation(messages: impl IntoIterator<Item = Message>) -> Event {
    theirs(MessagesSnapshot {
        messages: messages.into_iter().collect(),
    })
}

/// Returns a data block with these items: number, quote, document.
pub(crate) fn block(items: &[(u32, &str, &str)]) -> String {
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

pub(crate) fn library() -> DocumentVerifier {
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
            read("Two boats were out.\nNo one saw them.\n"),
        ),
    ])
}

/// Verifier that takes as many milliseconds as the quote says after `wait`, or none.
pub(crate) struct SlowVerifier(pub(crate) DocumentVerifier);

impl CitationVerifier for SlowVerifier {
    fn verify(&self, claim: CitationClaim) -> PendingCheck {
        let phrase = claim.citation.full_phrase.clone().unwrap_or_default();
        let wait = phrase
            .strip_prefix("wait ")
            .and_then(|rest| rest.split(' ').next()?.parse().ok());
        let result = self.0.check(&claim);
        Box::pin(async move {
            if let Some(wait) = wait {
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
            result
        })
    }
}

/// Host with a paused clock that keeps what the layer hands over.
#[derive(Default)]
pub(crate) struct TestHost {
    pub(crate) stored: Mutex<Option<Json>>,
    pub(crate) record: Mutex<Option<Json>>,
    pub(crate) overdue: Mutex<Vec<OverdueCheck>>,
    pub(crate) ledger: Mutex<Option<Ledger>>,
    pub(crate) reviews: Mutex<Vec<ClientReview>>,
    began: Option<tokio::time::Instant>,
}

impl TestHost {
    pub(crate) fn paused() -> Arc<Self> {
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

    fn thread_memory(&self, _: &str) -> Option<ThreadMemory> {
        Some(ThreadMemory {
            state: self.stored.lock().expect("no panic").clone()?,
            record: self.record.lock().expect("no panic").clone(),
        })
    }

    fn add_reviews(&self, _: &str, reviews: &[ClientReview]) {
        let mut all = self.reviews.lock().expect("no panic");
        all.extend_from_slice(reviews);
    }

    fn save_thread(&self, _: &str, _: &str, ledger: &Ledger, record: Option<Json>) {
        *self.ledger.lock().expect("no panic") = Some(ledger.clone());
        *self.record.lock().expect("no panic") = record;
    }

    fn take_overdue(&self, overdue: OverdueCheck) {
        self.overdue.lock().expect("no panic").push(overdue);
    }
}

pub(crate) fn input(state: Option<&str>) -> RunAgentInput {
    RunAgentInput {
        thread_id: "t".to_owned(),
        run_id: "r".to_owned(),
        protocol_version: Some("1.0".to_owned()),
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

/// Client that applies events and keeps them.
pub(crate) struct TestClient {
    pub(crate) fold: Fold,
    pipeline: Pipeline<Box<dyn FnMut() -> String + Send>>,
    /// All events as JSON.
    pub(crate) events: Vec<String>,
}

impl TestClient {
    pub(crate) fn new(input: &RunAgentInput) -> Self {
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

    /// Applies an event. It must follow the protocol, and a patch of the layer must apply.
    pub(crate) fn take(&mut self, event: &ReceivedEvent) {
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

    pub(crate) fn state(&self) -> Value {
        self.fold.state().value().into_owned()
    }

    /// Returns the JSON at a path of the state.
    pub(crate) fn at(&self, path: &[&str]) -> String {
        let mut state = &self.state();
        for name in path {
            state = match state {
                Value::Array(items) => &items[name.parse::<usize>().expect("an index")],
                state => &state[*name],
            };
        }
        state.to_json()
    }

    /// Returns the types of the events; those of the layer end with a star.
    pub(crate) fn kinds(&self) -> Vec<String> {
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

    /// Returns the statuses of a message in their order.
    pub(crate) fn statuses(&self, id: &str) -> Vec<String> {
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
pub(crate) async fn run_with(
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
pub(crate) async fn run_agent(
    options: LayerOptions,
    host: &Arc<TestHost>,
    input: RunAgentInput,
    agent: impl Agent,
) -> (TestClient, Result<(), AgentError>) {
    let mut client = TestClient::new(&input);
    let layer = CitationLayer::new(agent, SlowVerifier(library()), Arc::clone(host), options);
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

/// Runs a script with the default options on an empty state.
pub(crate) async fn run(events: Vec<Event>) -> TestClient {
    let host = TestHost::paused();
    let (client, end) = run_with(LayerOptions::default(), &host, input(Some("{}")), events).await;
    end.expect("the script is complete");
    client
}

/// Thread with a memory from run to run.
pub(crate) struct Thread {
    pub(crate) host: Arc<TestHost>,
    pub(crate) options: LayerOptions,
    /// State that the client sends with the next run.
    pub(crate) state: Option<Json>,
    /// False if the host stores nothing between runs.
    remembers: bool,
}

impl Thread {
    pub(crate) fn new(options: LayerOptions) -> Self {
        Self {
            host: TestHost::paused(),
            options,
            state: Some(json("{}")),
            remembers: true,
        }
    }

    /// Returns a thread that is known from the client's state only.
    pub(crate) fn forgetful() -> Self {
        Self {
            remembers: false,
            ..Self::new(LayerOptions::default())
        }
    }

    /// Runs a script, which may end with an error.
    pub(crate) async fn run(&mut self, script: Vec<Event>) -> TestClient {
        self.run_input(input(None), script).await
    }

    pub(crate) async fn run_input(
        &mut self,
        mut input: RunAgentInput,
        script: Vec<Event>,
    ) -> TestClient {
        input.state = self.state.clone();
        let (client, _) = run_with(self.options.clone(), &self.host, input, script).await;
        self.state = Some(client.fold.state().clone());
        if self.remembers {
            *self.host.stored.lock().expect("no panic") = self.state.clone();
        }
        client
    }

    /// Returns the record of the thread.
    pub(crate) fn record(&self) -> Option<Json> {
        self.host.record.lock().expect("no panic").clone()
    }
}

/// Returns the events of a whole message.
pub(crate) fn said(id: &str, text: &str) -> Vec<Event> {
    vec![start(id), delta(id, text), end(id)]
}

/// Returns the events of a run with these parts.
pub(crate) fn whole_run(parts: impl IntoIterator<Item = Vec<Event>>) -> Vec<Event> {
    let mut script = vec![started()];
    script.extend(parts.into_iter().flatten());
    script.push(finished());
    script
}
