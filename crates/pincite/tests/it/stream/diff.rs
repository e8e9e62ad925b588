//! `pincite stream diff`: two recordings compared.

use json::Value;

use super::recording;
use crate::harness::{
    CommandOutput, RUN_FINISHED, RUN_STARTED, ServerProcess, run_jsonl, scratch, sse, stream,
};

#[track_caller]
fn diff(a: &str, b: &str) -> CommandOutput {
    stream(&format!("diff {a} {b}"), "")
}

#[test]
fn recordings_of_the_same_conversation_are_equal() {
    let file = recording("04_ask_delta_turn1.sse");
    let served = ServerProcess::recordings(&[&file]);
    let copy = scratch("copy.sse", "");
    let copy = copy.to_str().expect("a plain name");
    stream(
        &format!("run {} --message hi --record {copy}", served.url),
        "",
    )
    .expect(0);
    let ended = diff(&file, copy).expect(0);
    assert!(
        ended
            .text()
            .starts_with("The conversations are the same.\n"),
        "{}",
        ended.text()
    );
    // Different deltas and ids do not matter.
    let whole = sse(&[
        RUN_STARTED,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"one two"}"#,
        RUN_FINISHED,
    ]);
    let parts = sse(&[
        &*RUN_STARTED.replace(r#""r""#, r#""other""#),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"n"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"one "}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"n","delta":"two"}"#,
        r#"{"type":"TEXT_MESSAGE_END","messageId":"n"}"#,
        RUN_FINISHED,
    ]);
    let (whole, parts) = (scratch("whole.sse", whole), scratch("parts.sse", parts));
    diff(
        whole.to_str().expect("plain"),
        parts.to_str().expect("plain"),
    )
    .expect(0);
}

#[test]
fn finds_differences_in_messages_state_order_and_end() {
    let base = [
        r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":1,"b":2}}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"The tide is high."}"#,
        r#"{"type":"STEP_STARTED","stepName":"s"}"#,
        r#"{"type":"STEP_FINISHED","stepName":"s"}"#,
    ];
    let write = |name: &str, events: &[&str]| {
        let path = scratch(name, run_jsonl(events));
        path.to_str().expect("a plain name").to_owned()
    };
    let a = write("diff-a.jsonl", &base);
    let changed = |at: usize, event: &'static str| {
        let mut events = base;
        events[at] = event;
        events
    };
    let text = write(
        "diff-text.jsonl",
        &changed(
            1,
            r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"The tide is low."}"#,
        ),
    );
    let ended = diff(&a, &text).expect(1);
    assert!(
        ended.text().contains("message 1\n") && ended.text().contains("is low."),
        "{}",
        ended.text()
    );
    let state = write(
        "diff-state.jsonl",
        &changed(0, r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":1,"b":3}}"#),
    );
    let ended = diff(&a, &state).expect(1);
    assert_eq!(ended.text().lines().next(), Some("state /b"));
    let order = write("diff-order.jsonl", &[base[1], base[0], base[2], base[3]]);
    let report = stream(&format!("diff {a} {order} --format json"), "")
        .expect(1)
        .json();
    assert_eq!(report["same"], Value::Bool(false));
    assert_eq!(report["messages"], Value::Array(Vec::new()));
    assert!(
        report["order"]
            .as_array()
            .is_some_and(|order| !order.is_empty())
    );
    let end = scratch(
        "diff-end.jsonl",
        run_jsonl(&base).replace(RUN_FINISHED, r#"{"type":"RUN_ERROR","message":"x"}"#),
    );
    let ended = diff(&a, end.to_str().expect("plain")).expect(1);
    assert!(
        ended.text().contains("- success") && ended.text().contains("+ RUN_ERROR: x"),
        "{}",
        ended.text()
    );
    stream("diff one", "").expect_usage_error(&["<B>"]);
}
