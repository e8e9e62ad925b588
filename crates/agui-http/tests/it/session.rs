//! Sessions compared with the official client: inputs, refusals and remembered messages.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use agui::agent::AgentFn;
use agui::input::check_input;
use agui::legacy::{LegacyAgent, ProtocolRelease, downgrade};
use agui::model::{Context, Interrupt, Message, ResumeEntry, RunAgentInput, Tool};
use agui::negotiate::Encoding;
use agui::{Agent, EventStream, ReceivedEvent};
use agui_http::client::merge_headers;
use agui_http::session::{RunOptions, Session, SessionError};
use json::{Json, Map, Value};
use testkit::events::{events as typed_events, received_events, sequential_ids};
use testkit::vectors::{name, vectors};

#[test]
fn inputs_equal_the_official_client() {
    let mut sessions = 0;
    for vector in vectors("input.public.json") {
        check_headers(&vector);
        match Typed::of(&vector) {
            Some(typed) => {
                check_session(&vector, typed);
                sessions += 1;
            }
            // A session cannot hold these parts; they are checked when they are read.
            None => check_reading(&vector),
        }
    }
    assert!(
        sessions > 20,
        "only {sessions} vectors went through a session"
    );
}

fn check_headers(vector: &Value) {
    let Some(request) = vector
        .get("request")
        .filter(|request| **request != Value::Null)
    else {
        return;
    };
    let pairs = |object: Option<&Value>| -> Vec<(String, String)> {
        object
            .and_then(Value::as_object)
            .map(|members| {
                let pair = |(key, value): (&str, &Value)| {
                    (key.to_owned(), value.as_str().expect("a header").to_owned())
                };
                members.iter().map(pair).collect()
            })
            .unwrap_or_default()
    };
    let given = pairs(vector["agent"].get("headers"));
    let mut merged = merge_headers(&given, Encoding::Sse);
    let mut expected = pairs(request.get("headers"));
    merged.sort();
    expected.sort();
    assert_eq!(merged, expected, "{}", name(vector));
}

/// Vector whose parts are all as the protocol describes.
struct Typed {
    session: Session,
    options: RunOptions,
    release: ProtocolRelease,
}

impl Typed {
    fn of(vector: &Value) -> Option<Self> {
        let (agent, params) = (&vector["agent"], &vector["params"]);
        let list = |value: Option<&Value>| value.map_or("[]".to_owned(), Value::to_json);
        // Each part is read completely or not at all.
        let messages = list(agent.get("messages"));
        let mut changed = false;
        let read = Message::list_from_json_with(&messages, |_| changed = true).ok()?;
        if changed || has_legacy_forms(agent.get("messages")?) {
            return None;
        }
        fn items<T>(value: Option<&Value>, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
            let items = value.and_then(Value::as_array).unwrap_or_default();
            items.iter().map(|item| read(&item.to_json())).collect()
        }
        // A part that is equal when written again was read completely.
        let same = |json: &str, again: String| {
            (Value::parse(json).ok() == Value::parse(&again).ok()).then_some(())
        };
        let tools = items(params.get("tools"), |json| {
            let tool = Tool::from_json(json).ok()?;
            same(json, tool.to_json()).map(|()| tool)
        })?;
        let context = items(params.get("context"), |json| {
            let context = Context::from_json(json).ok()?;
            same(json, context.to_json()).map(|()| context)
        })?;
        let resume = match params.get("resume") {
            None => None,
            some => Some(items(some, |json| {
                let entry = ResumeEntry::from_json(json).ok()?;
                same(json, entry.to_json()).map(|()| entry)
            })?),
        };
        let pending = items(agent.get("pending_interrupts"), |json| {
            Interrupt::from_json(json).ok()
        })?;
        Some(Self {
            session: Session::resumed("T", read, state(vector), pending),
            options: RunOptions {
                run_id: Some(run_id(vector)),
                tools,
                context,
                forwarded_props: params
                    .get("forwardedProps")
                    .filter(|props| **props != Value::Null)
                    .map(|props| Json::from(props.clone())),
                resume,
            },
            release: release(vector),
        })
    }
}

fn has_legacy_forms(messages: &Value) -> bool {
    messages.to_json().contains(r#""type":"binary""#)
}

fn run_id(vector: &Value) -> String {
    match vector["params"].get("runId") {
        Some(id) => id.as_str().expect("an id").to_owned(),
        None => "R".to_owned(),
    }
}

fn state(vector: &Value) -> Json {
    match &vector["agent"]["state"] {
        Value::String(text) if text == "(default)" => Json::from(Value::from([])),
        state => Json::from(state.clone()),
    }
}

fn release(vector: &Value) -> ProtocolRelease {
    vector["agent"]
        .get("peer_max_protocol_version")
        .and_then(Value::as_str)
        .unwrap_or("1.0.0")
        .parse()
        .expect("a release")
}

/// Returns a time shortly after the vectors were recorded.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

fn answer(vector: &Value) -> Vec<ReceivedEvent> {
    match vector.get("response_events") {
        Some(events) => received_events(events),
        None => received_events(
            &Value::parse(
                r#"[{"type":"RUN_STARTED","threadId":"T","runId":"R"},{"type":"RUN_FINISHED","threadId":"T","runId":"R"}]"#,
            )
            .expect("JSON"),
        ),
    }
}

/// Returns an agent that plays the answer of a vector, and its last input.
fn recorded(vector: &Value) -> (impl Agent + use<>, Arc<Mutex<Option<RunAgentInput>>>) {
    let asked = Arc::new(Mutex::new(None));
    let events = answer(vector);
    let seen = asked.clone();
    let agent = AgentFn(move |input: RunAgentInput| {
        *seen.lock().expect("no panic") = Some(input);
        let (sender, stream) = agui_http::serve::queue(events.len());
        for event in &events {
            let mut sent = std::pin::pin!(sender.send_raw(event.clone()));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(sent.as_mut().poll(&mut context).is_ready(), "there is room");
        }
        stream
    });
    (agent, asked)
}

fn check_session(vector: &Value, typed: Typed) {
    let name = name(vector);
    let Typed {
        mut session,
        options,
        release,
    } = typed;
    let (agent, asked) = recorded(vector);
    let agent = LegacyAgent::new(agent, release, || "minted".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let ran = runtime.block_on(session.run(&agent, options, now(), sequential_ids(), |_| {}));
    let asked = asked.lock().expect("no panic").take();
    match (&vector["error"], &ran) {
        (Value::Null, Ok(report)) => {
            let asked = asked.expect("the agent was asked");
            let body = Value::parse(&asked.to_json()).expect("JSON");
            assert_eq!(body, vector["request"]["body"], "{name}");
            let ids: Vec<Value> = report
                .new_message_ids
                .iter()
                .map(|id| Value::from(id.as_str()))
                .collect();
            assert_eq!(Value::Array(ids), vector["new_message_ids"], "{name}");
        }
        (error, Err(SessionError::Refused(refused))) => {
            assert_eq!(error["stage"].as_str(), Some("rejected"), "{name}");
            assert_eq!(
                error["message"].as_str(),
                Some(&*refused.to_string()),
                "{name}"
            );
            assert!(asked.is_none(), "{name}: the agent was asked");
        }
        (expected, _) => panic!("{name}: {ran:?}, expected {}", expected.to_json()),
    }
    let conversation = session.conversation();
    let messages = conversation
        .messages()
        .map(|message| Value::parse(&message.to_json()).expect("JSON"));
    assert_eq!(
        Value::Array(messages.collect()),
        vector["final_messages"],
        "{name}"
    );
    assert_eq!(
        *conversation.state().value(),
        vector["final_state"],
        "{name}"
    );
    let pending = conversation
        .pending_interrupts()
        .iter()
        .map(|interrupt| Value::parse(&interrupt.to_json()).expect("JSON"));
    assert_eq!(
        Value::Array(pending.collect()),
        vector["pending_after"],
        "{name}"
    );
}

/// Checks inputs that are not as described: members that are removed, or the reason of the refusal.
fn check_reading(vector: &Value) {
    let name = name(vector);
    let params = &vector["params"];
    let mut members = Map::new();
    let mut put = |key: &str, value: Value| drop(members.insert(key.to_owned(), value));
    let list = |value: Option<&Value>| value.cloned().unwrap_or(Value::Array(Vec::new()));
    let empty = || Value::from([]);
    put("threadId", "T".into());
    put("runId", run_id(vector).into());
    put("protocolVersion", "1.0".into());
    let state = state(vector);
    put(
        "state",
        if state.is_null() {
            empty()
        } else {
            state.into_value()
        },
    );
    let messages = list(vector["agent"].get("messages"));
    let messages = messages.as_array().unwrap_or_default().iter();
    let is_activity =
        |message: &&Value| message.get("role").and_then(Value::as_str) == Some("activity");
    put(
        "messages",
        Value::Array(
            messages
                .filter(|message| !is_activity(message))
                .cloned()
                .collect(),
        ),
    );
    put("tools", list(params.get("tools")));
    put("context", list(params.get("context")));
    let props = params
        .get("forwardedProps")
        .filter(|props| **props != Value::Null);
    put("forwardedProps", props.cloned().unwrap_or_else(empty));
    if let Some(resume) = params.get("resume") {
        put("resume", resume.clone());
    }
    match (check_input(members), &vector["error"]) {
        (Ok(mut checked), Value::Null) => {
            let lost = downgrade(&mut checked.input, release(vector));
            let body = Value::parse(&checked.input.to_json()).expect("JSON");
            assert_eq!(body, vector["request"]["body"], "{name}");
            let mut expected: Vec<String> = vector
                .get("stripped")
                .and_then(Value::as_array)
                .unwrap_or_default()
                .iter()
                .map(|path| path.as_str().expect("a path").to_owned())
                .collect();
            expected.sort();
            checked.removed.sort();
            assert_eq!(checked.removed, expected, "{name}");
            let expected = vector
                .get("flattened_with_loss")
                .map_or(0.0, |count| match count {
                    Value::Number(number) => number.as_f64(),
                    _ => f64::NAN,
                });
            assert_eq!(lost as f64, expected, "{name}");
        }
        (Err(faults), error) => {
            assert_eq!(error["stage"].as_str(), Some("outgoing"), "{name}");
            let paths: Vec<Value> = faults
                .iter()
                .map(|fault| Value::from(fault.path.as_str()))
                .collect();
            assert_eq!(Value::Array(paths), error["paths"], "{name}");
        }
        (Ok(checked), error) => panic!("{name}: {checked:?}, expected {}", error.to_json()),
    }
}

#[test]
fn keeps_events_before_a_protocol_violation() {
    let events = Value::parse(
        r#"[{"type":"RUN_STARTED","threadId":"T","runId":"R"},
            {"type":"TEXT_MESSAGE_START","messageId":"m"},
            {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hel"},
            {"type":"TEXT_MESSAGE_CONTENT","messageId":"other","delta":"lo"}]"#,
    )
    .expect("JSON");
    let events: Vec<_> = typed_events(&events);
    let agent = AgentFn(move |_| EventStream::of(events.clone()));
    let mut session = Session::new("T");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let ran = runtime.block_on(session.run(
        &agent,
        RunOptions::default(),
        now(),
        sequential_ids(),
        |_| {},
    ));
    assert!(matches!(ran, Err(SessionError::Stage(_))), "{ran:?}");
    let messages: Vec<String> = session
        .conversation()
        .messages()
        .map(Message::to_json)
        .collect();
    assert_eq!(
        messages,
        [r#"{"id":"m","role":"assistant","content":"Hel"}"#]
    );
}
