//! Tests of data types: inputs, capabilities, usage, strict checks.

use agui::enforce::InvalidJson;
use agui::model::capabilities::AgentCapabilities;
use agui::model::{Message, RunAgentInput, TokenUsage, aggregate_usage};
use agui::strict::{StrictChecker, StrictFinding, find_oddities};
use json::Value;
use testkit::events::events;

fn value(json: &str) -> Value {
    Value::parse(json).expect("JSON")
}

#[test]
fn an_input_is_read_and_written_back() {
    let json = r#"{"threadId":"t","runId":"r","protocolVersion":"1.0","state":{"a":[1,null]},"messages":[{"id":"u","role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":{"type":"url","value":"x"}}]}],"tools":[{"name":"f","description":"d","parameters":{"type":"object"}}],"context":[{"description":"d","value":"v"}],"forwardedProps":{"p":1},"resume":[{"interruptId":"i","status":"resolved","payload":true}]}"#;
    let input = RunAgentInput::from_json(json).expect("valid");
    assert_eq!(value(&input.to_json()), value(json));
}

#[test]
fn all_faults_of_an_input_are_reported() {
    let json = r#"{"threadId":5,"messages":[{"id":"u","role":"user","content":7}],"tools":[],"context":[],"resume":[{"interruptId":"i","status":"maybe"}]}"#;
    let Err(InvalidJson::Faults(faults)) = RunAgentInput::from_json(json) else {
        panic!("it has faults")
    };
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/threadId",
            "/runId",
            "/messages/0/content",
            "/resume/0/status"
        ]
    );
    assert!(matches!(
        RunAgentInput::from_json("{"),
        Err(InvalidJson::Json(_))
    ));
}

#[test]
fn undescribed_members_of_messages_are_ignored() {
    let list = r#"[{"id":"a","role":"assistant","mood":"good"},{"id":"b","role":"narrator"}]"#;
    let messages = Message::list_from_json(list).expect("valid");
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].to_json(), r#"{"id":"a","role":"assistant"}"#);
}

#[test]
fn capabilities_round_trip() {
    let json = r#"{"identity":{"name":"n","type":"t","metadata":{"k":null}},"transport":{"streaming":true,"httpBinary":false},"tools":{"supported":true,"items":[{"name":"f","description":"d"}]},"multiAgent":{"subagents":[{"name":"s"}]},"multimodal":{"input":{"pdf":true}},"execution":{"maxIterations":3},"custom":{"x":1}}"#;
    let capabilities = AgentCapabilities::from_json(json).expect("valid");
    assert_eq!(value(&capabilities.to_json()), value(json));
    assert_eq!(AgentCapabilities::default().to_json(), "{}");
    assert!(AgentCapabilities::from_json(r#"{"transport":{"streaming":"yes"}}"#).is_err());
    assert!(AgentCapabilities::from_json(r#"{"execution":{"maxIterations":-1}}"#).is_err());
}

#[test]
fn usage_adds_up_per_provider_and_model() {
    let usage = |json: &str| TokenUsage::from_json(json).expect("valid");
    let sums = aggregate_usage(&[
        usage(r#"{"provider":"a","model":"x","inputTokens":1,"outputTokens":2}"#),
        usage(r#"{"model":"y","inputTokens":5}"#),
        usage(r#"{"provider":"a","model":"x","inputTokens":10,"reasoningTokens":3}"#),
        usage(r#"{"provider":"","model":"y","totalTokens":7}"#),
    ]);
    let sums: Vec<String> = sums.iter().map(TokenUsage::to_json).collect();
    assert_eq!(
        sums,
        [
            r#"{"provider":"a","model":"x","inputTokens":11,"outputTokens":2,"reasoningTokens":3}"#,
            r#"{"model":"y","inputTokens":5,"totalTokens":7}"#,
        ]
    );
}

fn findings(list: &str) -> Vec<StrictFinding> {
    let mut checker = StrictChecker::new();
    let mut found = Vec::new();
    for event in events(&value(list)) {
        checker.check(&event, |finding| found.push(finding));
    }
    found.extend(checker.finish());
    found
}

#[test]
fn strict_checker_reports_findings() {
    let started = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
    assert_eq!(findings("[]"), []);
    assert_eq!(
        findings(&format!("[{started}]")),
        [StrictFinding::NoTerminalEvent]
    );
    let ended = |id: &str, run: &str| {
        findings(&format!(
            r#"[{started},{{"type":"RUN_FINISHED","threadId":"{id}","runId":"{run}"}}]"#
        ))
    };
    assert_eq!(ended("t", "r"), []);
    assert!(matches!(
        ended("other", "r")[..],
        [StrictFinding::ThreadIdChanges { .. }]
    ));
    assert!(matches!(
        ended("t", "other")[..],
        [StrictFinding::RunIdChanges { .. }]
    ));
    let interrupts = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"},{"id":"i","reason":"b"}]}}"#;
    assert!(matches!(
        findings(&format!("[{started},{interrupts}]"))[..],
        [StrictFinding::DuplicateInterruptId { .. }]
    ));
    let next =
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r2"},{"type":"RUN_ERROR","message":"m"}"#;
    let first = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;
    assert_eq!(findings(&format!("[{started},{first},{next}]")), []);
}

#[test]
fn json_oddities_have_rule_and_offset() {
    let rules =
        |json: &str| -> Vec<&str> { find_oddities(json).iter().map(|odd| odd.rule).collect() };
    assert_eq!(rules(r#"{"a":1,"b":{"a":2},"a":3}"#), ["duplicate-key"]);
    assert_eq!(rules(r#"{"a":1,"\u0061":2}"#), ["duplicate-key"]);
    assert_eq!(
        rules(r#"["\ud800","\ud83d\ude42","\ufffd","�"]"#),
        ["lone-surrogate"]
    );
    assert_eq!(
        rules("[9007199254740991,9007199254740992,-9007199254740993,1e999,1.5e300]"),
        ["unsafe-number", "unsafe-number", "unsafe-number"]
    );
    assert_eq!(find_oddities(r#"{"a":1,"a":2}"#)[0].offset, 7);
}
