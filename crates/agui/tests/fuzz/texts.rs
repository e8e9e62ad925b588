//! Fuzz target of JSON text: parsed values, lazy values and the typed reader must agree.

use agui::compat::LegacyUpgrader;
use agui::enforce::enforce;
use agui::stream::{self, StreamFormat, WriteOutcome};
use agui::{Event, EventReader, ReceivedEvent, UntypedEvent, sse, strict};
use json::{Json, JsonObject, MAX_DEPTH, Text, Value};

use super::choices;
use super::generate::{Profile, damage, spell};
use super::reading::{equal, same};
use testkit::events::sequential_ids;

/// Reads any text as JSON and as an event.
pub fn json(data: &[u8]) {
    match choices(data, Profile::default()) {
        Some(mut source) => {
            let event = Value::Object(source.event());
            let text = spell(&mut source, &event);
            assert!(check_json(&text).as_ref() == Some(&event), "{text}");
            check_event(&text);
            let mut broken = text.into_bytes();
            damage(&mut source, &mut broken);
            check_text(&String::from_utf8_lossy(&broken));
        }
        None => check_text(&String::from_utf8_lossy(data)),
    }
}

fn check_text(text: &str) {
    check_json(text);
    check_event(text);
}

/// Compares the parsed and the lazy value of a text.
fn check_json(text: &str) -> Option<Value> {
    let (tree, opaque) = (Value::parse(text), Json::parse(text));
    let (tree, opaque) = match (tree, opaque) {
        (Ok(tree), Ok(opaque)) => (tree, opaque),
        (Err(tree), Err(opaque)) => {
            assert_eq!(tree, opaque, "{text}");
            assert!(tree.offset <= text.len());
            return None;
        }
        (tree, opaque) => panic!("{tree:?} but {opaque:?}: {text}"),
    };
    assert!(tree.depth() <= MAX_DEPTH);
    assert!(*opaque.value() == tree, "{text}");
    assert_eq!(opaque.is_object(), tree.as_object().is_some());
    assert_eq!(opaque.is_null(), tree == Value::Null);
    let written = tree.to_json();
    let again = Value::parse(&written).expect("what is written is JSON");
    assert!(again == tree, "{text}\nbecomes {written}");
    assert_eq!(again.to_json(), written);
    assert_eq!(opaque.to_json(), text.trim_matches([' ', '\n', '\r', '\t']));
    if let Some(object) = JsonObject::new(opaque.clone()) {
        let mut merged = object.clone();
        merged.merge(&object);
        assert!(merged == object, "an object has what it has");
    }
    let mut changed = opaque.clone();
    changed.value_mut();
    assert!(changed == opaque);
    strict::find_oddities(text);
    Some(tree)
}

/// Compares the typed reader with enforcement, and both text encodings.
fn check_event(text: &str) {
    let mut reader = EventReader::new();
    let event = match reader.read(Text::from(text)) {
        Ok(event) => event,
        Err(_) => return,
    };
    // A reader caches the last snapshot; the same text must give the same event.
    let again = reader.read(Text::from(text)).expect("it was read before");
    assert!(same(&event, &again), "{text}");
    assert!(event.text() == text);
    check_slot(text, &event);
    let members = match Value::parse(text) {
        Ok(Value::Object(members)) => members,
        other => panic!("an event, but {other:?}: {text}"),
    };
    assert_eq!(
        members.get("type").and_then(Value::as_str),
        Some(event.type_name())
    );
    let unread = ReceivedEvent::Untyped(UntypedEvent {
        text: Text::from(text),
        members,
    });
    if let ReceivedEvent::Typed(clean) = &event {
        check_clean(clean, unread);
    } else if let Ok(Some(enforced)) = enforce(event.clone(), |_| {}) {
        check_written(&enforced);
    }
    for format in [StreamFormat::Sse, StreamFormat::Json] {
        let mut bytes = Vec::new();
        assert_eq!(
            stream::encode_received(&event, format, &mut bytes),
            WriteOutcome::Complete
        );
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines, if format == StreamFormat::Sse { 2 } else { 1 });
        let events = stream::decode_all(format, &bytes).expect("it was an event");
        assert_eq!(events.len(), 1);
        assert!(
            Value::parse(&events[0].text()) == Value::parse(text),
            "{text}"
        );
    }
}

/// Checks that a reused slot keeps nothing of the former event.
fn check_slot(text: &str, event: &ReceivedEvent) {
    let kind = event.type_name();
    let mut reader = EventReader::new();
    let mut slot = ReceivedEvent::default();
    for (name, members) in FULL {
        if *name != kind && *name != "RAW" {
            continue;
        }
        let before = Text::from(format!("{{\"type\":\"{name}\",{members}}}"));
        for before in [&before, &Text::from(text)] {
            reader.read_into(before, &mut slot).expect("an event");
            let result = reader.read_into(&Text::from(text), &mut slot);
            assert!(
                result.is_ok() && same(&slot, event),
                "{before}, then {text}"
            );
        }
    }
}

/// Events with all members, used as former content of a slot.
const FULL: &[(&str, &str)] = &[
    (
        "RAW",
        r#""event":{"a":[1]},"source":"s","subagentRunId":"t","timestamp":1,"rawEvent":1"#,
    ),
    (
        "TEXT_MESSAGE_START",
        r#""messageId":"\u00e9","role":"user","name":"n","metadata":{}"#,
    ),
    ("TEXT_MESSAGE_CONTENT", r#""messageId":"m","delta":"\n""#),
    (
        "TEXT_MESSAGE_CHUNK",
        r#""messageId":"m","role":"user","delta":"d","name":"n""#,
    ),
    (
        "TOOL_CALL_START",
        r#""toolCallId":"t","toolCallName":"n","parentMessageId":"p""#,
    ),
    (
        "TOOL_CALL_ARGS",
        r#""toolCallId":"t","delta":"d","subagentRunId":"s""#,
    ),
    (
        "TOOL_CALL_RESULT",
        r#""messageId":"m","toolCallId":"t","content":[{"type":"text","text":""}],"role":"tool""#,
    ),
    (
        "STATE_DELTA",
        r#""delta":[{"op":"remove","path":"/a","x":1}]"#,
    ),
    ("STATE_SNAPSHOT", r#""snapshot":{"a":1}"#),
    (
        "MESSAGES_SNAPSHOT",
        r#""messages":[{"id":"a","role":"user","content":"x"}]"#,
    ),
    (
        "ACTIVITY_SNAPSHOT",
        r#""messageId":"m","activityType":"a","content":{"a":1},"replace":false"#,
    ),
    (
        "RUN_STARTED",
        r#""threadId":"t","runId":"r","protocolVersion":"1.0","parentRunId":"p""#,
    ),
    (
        "RUN_FINISHED",
        r#""threadId":"t","runId":"r","result":1,"outcome":{"type":"success"},"usage":[]"#,
    ),
    (
        "RUN_ERROR",
        r#""message":"m","code":"c","usage":[{"model":"m"}]"#,
    ),
    (
        "REASONING_ENCRYPTED_VALUE",
        r#""subtype":"message","entityId":"e","encryptedValue":"v""#,
    ),
    (
        "SUBAGENT_FINISHED",
        r#""subagentRunId":"s","result":[],"outcome":{"type":"suspended"}"#,
    ),
];

/// Checks that enforcement does not change a typed event, even if it is passed untyped.
pub fn check_clean(clean: &Event, unread: ReceivedEvent) {
    let text = unread.text();
    let upgraded = LegacyUpgrader::new(sequential_ids()).apply(unread.clone());
    for tree in [unread, upgraded] {
        let enforced = enforce(tree, |removed| panic!("{removed:?} from {text}"))
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        let same = enforced
            .as_ref()
            .is_some_and(|enforced| equal(enforced, clean));
        assert!(same, "{text}: {enforced:?}");
    }
    check_written(clean);
}

/// Checks that a written event reads as the same typed event.
pub fn check_written(event: &Event) {
    let (data, common) = event.clone().into_parts();
    let own = Event::with_common(data, common);
    let mut frame = String::new();
    sse::encode(&own, &mut frame);
    for json in [event.to_json(), own.to_json(), frame[6..].to_owned()] {
        match super::generate::read(&json) {
            ReceivedEvent::Typed(read) => assert!(equal(&read, &own), "{json}: {read:?}"),
            ReceivedEvent::Untyped(_) => panic!("unclean: {json}"),
        }
    }
}
