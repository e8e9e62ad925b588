//! Messages as AG-UI events.

use agui::model::RunAgentInput;
use canvas::{from_activity, text_form, to_events, update_events};
use json::Value;
use json::patch::PatchOperation;

use super::{check_data, check_payload};

/// Returns the events of a payload as JSON.
fn events_of(kind: &str, payload: &str) -> Vec<String> {
    let message = check_payload(kind, payload).expect("valid").message;
    let envelope = message.to_envelope("m", "c", 7);
    to_events(&message, "m", &envelope)
        .iter()
        .map(agui::Event::to_json)
        .collect()
}

fn types(events: &[String]) -> Vec<String> {
    let parse = |event: &String| {
        Value::parse(event).expect("JSON")["type"]
            .as_str()
            .expect("a type")
            .to_owned()
    };
    events.iter().map(parse).collect()
}

#[test]
fn text_reasoning_and_tools_have_events_of_their_own() {
    let text = events_of("text", r#"{"text":"Hello","sentiment":"positive"}"#);
    assert_eq!(
        types(&text),
        [
            "TEXT_MESSAGE_START",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END"
        ]
    );
    assert!(
        text[0].contains(r#""payload":{"text":"Hello","sentiment":"positive"}"#),
        "{}",
        text[0]
    );
    let empty = events_of("text", r#"{"text":""}"#);
    assert_eq!(types(&empty), ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"]);
    let steps = r#"{"steps":[{"step":1,"title":"T","description":"D","completed":true}]}"#;
    let reasoning = events_of("reasoning", steps);
    assert_eq!(
        types(&reasoning),
        [
            "REASONING_START",
            "REASONING_MESSAGE_START",
            "REASONING_MESSAGE_CONTENT",
            "REASONING_MESSAGE_END",
            "REASONING_END"
        ]
    );
    assert!(reasoning[2].contains("1. ✓ T: D"));
    let tool = events_of(
        "tool_call",
        r#"{"toolName":"f","arguments":{"a":1},"status":"completed","result":{"b":2}}"#,
    );
    assert_eq!(
        types(&tool),
        [
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "TOOL_CALL_RESULT"
        ]
    );
    assert!(tool[3].contains(r#"{\"b\":2}"#), "{}", tool[3]);
    let running = events_of(
        "tool_call",
        r#"{"toolName":"f","arguments":{},"status":"running"}"#,
    );
    assert_eq!(types(&running).len(), 3);
}

#[test]
fn other_kinds_are_activities_with_a_readable_text() {
    for (kind, payload, activity, text) in [
        (
            "ui",
            r#"{"component":"markdown","data":{"text":"Hi"}}"#,
            "pincite.ui",
            "Hi",
        ),
        (
            "action",
            r#"{"actions":[{"id":"a","label":"Go"}]}"#,
            "pincite.actions",
            "Suggested actions:\\n- Go",
        ),
        (
            "context_request",
            r#"{"fields":["x"],"reason":"why"}"#,
            "pincite.context_request",
            "The agent asks for x. Reason: why",
        ),
        (
            "error",
            r#"{"message":"broken"}"#,
            "pincite.error",
            "Error: broken",
        ),
    ] {
        let events = events_of(kind, payload);
        assert_eq!(
            types(&events),
            [
                "ACTIVITY_SNAPSHOT",
                "TEXT_MESSAGE_START",
                "TEXT_MESSAGE_CONTENT",
                "TEXT_MESSAGE_END"
            ]
        );
        let snapshot = Value::parse(&events[0]).expect("JSON");
        assert_eq!(snapshot["activityType"].as_str(), Some(activity));
        assert_eq!(snapshot["content"].to_json(), payload);
        assert_eq!(
            snapshot["metadata"]["pinciteMessage"]["agentId"].as_str(),
            Some("a")
        );
        assert!(
            events[1].contains(r#""messageId":"m:text""#)
                && events[1].contains(r#""pinciteTextOf":"m""#)
        );
        assert!(events[2].contains(text), "{}", events[2]);
    }
}

#[test]
fn events_of_all_examples_pass_the_protocol_rules_and_fold_into_the_payload() {
    for entry in &canvas::catalog().components {
        let message = check_data(entry.name, &entry.example.to_json())
            .expect("valid")
            .message;
        assert!(!text_form(&message).trim().is_empty(), "{}", entry.name);
        let input = RunAgentInput::from_json(
            r#"{"threadId":"c","runId":"r","messages":[],"tools":[],"context":[],"forwardedProps":{}}"#,
        );
        let input = input.expect("an input");
        let mut fold =
            agui::fold::Fold::new(input.messages, Value::Object(json::Map::new()).into());
        for event in to_events(&message, "m", &message.to_envelope("m", "c", 7)) {
            fold.apply(&event).expect("an event that applies");
        }
        let messages: Vec<String> = fold.messages().map(agui::model::Message::to_json).collect();
        let activity = Value::parse(&messages[0]).expect("JSON");
        assert_eq!(activity["content"].to_json(), message.payload.to_json());
        assert_eq!(messages.len(), 2);
    }
}

#[test]
fn updates_are_deltas_of_the_activity() {
    let mut message = check_data("markdown", r#"{"text":"a"}"#)
        .expect("valid")
        .message;
    let patch = [PatchOperation::replace("/data/text", Value::from("b"))];
    canvas::update_payload(&mut message, &patch).expect("valid");
    let events = update_events(&message, "m", &patch);
    assert_eq!(
        events[0].to_json(),
        r#"{"type":"ACTIVITY_DELTA","messageId":"m","activityType":"pincite.ui","patch":[{"op":"replace","path":"/data/text","value":"b"}]}"#
    );
    let mut tool = check_payload(
        "tool_call",
        r#"{"toolName":"f","arguments":{},"status":"running"}"#,
    )
    .expect("valid")
    .message;
    let patch = [PatchOperation::replace("/status", Value::from("completed"))];
    canvas::update_payload(&mut tool, &patch).expect("valid");
    let events: Vec<String> = update_events(&tool, "m", &patch)
        .iter()
        .map(agui::Event::to_json)
        .collect();
    assert_eq!(types(&events), ["CUSTOM", "TOOL_CALL_RESULT"]);
}

#[test]
fn activities_of_agents_are_checked_as_messages() {
    let content = Value::parse(r#"{"component":"markdown","data":{"text":"x"}}"#).expect("JSON");
    let checked = from_activity("pincite.ui", &content, "up", "c")
        .expect("ours")
        .expect("valid");
    assert_eq!(
        (
            checked.message.agent_id.as_str(),
            checked.message.component()
        ),
        ("up", Some("markdown"))
    );
    let invalid = from_activity(
        "pincite.ui",
        &Value::from([("component", "nope".into())]),
        "up",
        "c",
    );
    assert_eq!(
        invalid.expect("ours").expect_err("unknown").errors[0].code,
        "unknown_component"
    );
    assert!(from_activity("a2ui-surface", &content, "up", "c").is_none());
}
