//! Envelope and payloads of the seven kinds.

use canvas::{CheckedMessage, MessageKind};
use json::Value;

use super::{check, check_payload, fault, faults};

/// The payloads of the specification.
const VALID: [(&str, &str); 10] = [
    (
        "text",
        r#"{"text":"I've analyzed your data.","sentiment":"positive"}"#,
    ),
    (
        "text",
        r#"{"text":"","formatting":{"bold":true,"italic":false,"code":true}}"#,
    ),
    (
        "ui",
        r#"{"component":"chart","data":{"title":"Revenue Trend","chartType":"line","labels":["Jan","Feb","Mar"],
        "datasets":[{"label":"Revenue","data":[10000,12000,15000],"color":"hsl(var(--chart-1))"}]},"layout":{"width":"full"}}"#,
    ),
    (
        "action",
        r#"{"actions":[{"id":"export_report","label":"Export Report","description":"Download PDF","icon":"download",
        "params":{"format":"pdf","n":null},"confirmationRequired":false},{"id":"schedule_review","label":"Schedule Review",
        "confirmationRequired":true,"confirmationMessage":"This will create recurring calendar events. Continue?"}]}"#,
    ),
    (
        "context_request",
        r#"{"fields":["user.cart","app.currentPage"],"reason":"To help","optional":true}"#,
    ),
    (
        "reasoning",
        r#"{"steps":[{"step":1,"title":"Fetching","description":"d","completed":true,"result":{"n":1.50}},
        {"step":2,"title":"Analyzing","description":"","completed":false}],"currentStep":2,"streaming":true}"#,
    ),
    (
        "tool_call",
        r#"{"toolName":"fetch","arguments":{"userId":"u"},"status":"completed","result":{"total":45000}}"#,
    ),
    (
        "tool_call",
        r#"{"toolName":"fetch","arguments":{},"status":"failed","error":"timeout"}"#,
    ),
    (
        "error",
        r#"{"message":"Failed","code":"ANALYTICS_API_ERROR","recoverable":true,"retryable":false,"details":[1]}"#,
    ),
    ("error", r#"{"message":"Failed"}"#),
];

#[test]
fn payloads_of_the_specification_are_kept_unchanged() {
    for (kind, payload) in VALID {
        let CheckedMessage { message, repairs } = check_payload(kind, payload).expect(payload);
        assert_eq!(message.kind.as_str(), kind);
        assert!(repairs.is_empty(), "{repairs:?}");
        let sent = Value::parse(payload).expect("JSON");
        assert_eq!(message.payload.to_json(), sent.to_json());
    }
}

#[test]
fn missing_fields_are_named_by_their_paths() {
    for (kind, payload, missing) in [
        ("text", "{}", "/payload/text"),
        ("ui", r#"{"data":{}}"#, "/payload/component"),
        ("ui", r#"{"component":"chart"}"#, "/payload/data"),
        ("action", "{}", "/payload/actions"),
        (
            "action",
            r#"{"actions":[{"label":"x"}]}"#,
            "/payload/actions/0/id",
        ),
        ("context_request", r#"{"fields":["a"]}"#, "/payload/reason"),
        (
            "reasoning",
            r#"{"steps":[{"step":1,"title":"t","description":"d"}]}"#,
            "/payload/steps/0/completed",
        ),
        (
            "tool_call",
            r#"{"toolName":"t","status":"running"}"#,
            "/payload/arguments",
        ),
        ("error", "{}", "/payload/message"),
    ] {
        assert_eq!(
            fault(check_payload(kind, payload)),
            (missing.to_owned(), "required")
        );
    }
    let all = faults(check("{}"));
    assert_eq!(all.len(), 3);
    assert!(
        all.contains(&("/agentId".to_owned(), "required")),
        "{all:?}"
    );
}

#[test]
fn values_outside_of_enumerations_are_refused() {
    for (kind, payload, path) in [
        (
            "text",
            r#"{"text":"x","sentiment":"happy"}"#,
            "/payload/sentiment",
        ),
        (
            "ui",
            r#"{"component":"markdown","data":{"text":"x"},"layout":{"width":"quarter"}}"#,
            "/payload/layout/width",
        ),
        (
            "ui",
            r#"{"component":"markdown","data":{"text":"x"},"layout":{"position":"top"}}"#,
            "/payload/layout/position",
        ),
        (
            "tool_call",
            r#"{"toolName":"t","arguments":{},"status":"done"}"#,
            "/payload/status",
        ),
    ] {
        assert_eq!(
            fault(check_payload(kind, payload)),
            (path.to_owned(), "not_allowed")
        );
    }
    assert_eq!(
        fault(check(r#"{"type":"note","agentId":"a","payload":{}}"#)),
        ("/type".to_owned(), "not_allowed")
    );
    let unknown = check_payload("ui", r#"{"component":"gauge","data":{}}"#);
    assert_eq!(
        fault(unknown),
        ("/payload/component".to_owned(), "unknown_component")
    );
}

#[test]
fn values_of_a_wrong_type_are_refused_with_the_expected_one() {
    let error = check_payload("text", r#"{"text":5}"#).expect_err("a number is no text");
    assert_eq!(error.errors[0].path, "/payload/text");
    assert_eq!(error.errors[0].expected.as_deref(), Some("a string"));
    for message in ["[]", "null", "\"x\"", "1"] {
        assert_eq!(fault(check(message)), (String::new(), "wrong_type"));
    }
    for payload in [
        r#"{"text":null}"#,
        r#"{"text":"x","sentiment":null}"#,
        r#"{"text":"x","formatting":{"bold":1}}"#,
    ] {
        assert_eq!(
            fault(check_payload("text", payload)).1,
            "wrong_type",
            "{payload}"
        );
    }
}

#[test]
fn only_the_named_repairs_are_made() {
    let sent = r#"{"type":"reasoning","agentId":"a","id":"mine","timestamp":"1700000000000",
        "payload":{"type":"reasoning","steps":[{"step":"1","title":"t","description":"d","completed":true,"extra":{}}]}}"#;
    let CheckedMessage { message, repairs } = check(sent).expect("repairable");
    let repairs: Vec<(&str, &str)> = repairs
        .iter()
        .map(|it| (it.path.as_str(), it.code))
        .collect();
    assert_eq!(
        repairs,
        [
            ("/timestamp", "numeric_string"),
            ("/id", "unknown_field"),
            ("/payload/steps/0/step", "numeric_string"),
            ("/payload/steps/0/extra", "unknown_field"),
            ("/payload/type", "unknown_field"),
        ]
    );
    let kept = r#"{"steps":[{"step":1,"title":"t","description":"d","completed":true}]}"#;
    assert_eq!(message.payload.to_json(), kept);
    for step in [
        "\"one\"",
        "\"\"",
        "\"1,000\"",
        "\"0x1\"",
        "\"NaN\"",
        "\"1e999\"",
        "true",
    ] {
        let payload = format!(
            r#"{{"steps":[{{"step":{step},"title":"t","description":"d","completed":true}}]}}"#
        );
        assert_eq!(
            fault(check_payload("reasoning", &payload)).1,
            "wrong_type",
            "{step}"
        );
    }
}

#[test]
fn envelope_is_checked_against_the_conversation_and_the_version() {
    let message = |more: &str| {
        check(&format!(
            r#"{{"type":"text","agentId":"a","payload":{{"text":"x"}}{more}}}"#
        ))
    };
    let checked = message(
        r#","conversationId":"c","timestamp":5,"version":"1.0.0","metadata":{"correlationId":"k","x":[null]}"#,
    );
    let checked = checked.expect("valid").message;
    let envelope = checked.to_envelope("m1", "c", 9).to_json();
    assert_eq!(
        envelope,
        r#"{"id":"m1","type":"text","agentId":"a","conversationId":"c","timestamp":5,"version":"1.0.0","payload":{"text":"x"},"metadata":{"correlationId":"k","x":[null]}}"#
    );
    let read = canvas::CanvasMessage::from_envelope(&Value::parse(&envelope).expect("JSON"));
    assert_eq!(read, Some(checked));
    assert_eq!(
        fault(message(r#","conversationId":"d""#)),
        ("/conversationId".to_owned(), "conversation_mismatch")
    );
    assert_eq!(
        fault(message(r#","version":"2.0.0""#)),
        ("/version".to_owned(), "unsupported_version")
    );
    assert_eq!(
        fault(message(r#","metadata":"x""#)),
        ("/metadata".to_owned(), "wrong_type")
    );
    assert_eq!(
        fault(message(r#","timestamp":"now""#)),
        ("/timestamp".to_owned(), "wrong_type")
    );
}

#[test]
fn a_payload_that_names_another_kind_is_refused() {
    let sent = check_payload("text", r#"{"type":"ui","text":"x"}"#);
    assert_eq!(fault(sent), ("/payload/type".to_owned(), "not_allowed"));
}

#[test]
fn ids_are_unique_within_a_message() {
    let actions =
        r#"{"actions":[{"id":"a","label":"1"},{"id":"b","label":"2"},{"id":"a","label":"3"}]}"#;
    assert_eq!(
        fault(check_payload("action", actions)),
        ("/payload/actions/2/id".to_owned(), "duplicate_id")
    );
}

#[test]
fn deep_and_large_messages_are_refused() {
    let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    let sent = check_payload("error", &format!(r#"{{"message":"x","details":{deep}}}"#));
    assert_eq!(fault(sent), (String::new(), "too_deep"));
    let wide = vec!["1"; 260_000].join(",");
    let sent = check_payload("error", &format!(r#"{{"message":"x","details":[{wide}]}}"#));
    assert_eq!(fault(sent), (String::new(), "too_large"));
    let long = "x".repeat(200_001);
    assert_eq!(
        fault(check_payload("text", &format!(r#"{{"text":"{long}"}}"#))).1,
        "too_long"
    );
    let sent = check_payload("error", r#"{"message":"x","details":{"a":[0,1e999]}}"#);
    assert_eq!(
        fault(sent),
        ("/payload/details/a/1".to_owned(), "not_finite")
    );
}

#[test]
fn hidden_text_is_refused_where_people_decide_and_kept_in_prose() {
    let action = "{\"actions\":[{\"id\":\"a\",\"label\":\"Sa\u{202E}ve\"}]}";
    assert_eq!(
        fault(check_payload("action", action)),
        ("/payload/actions/0/label".to_owned(), "hidden_text")
    );
    let checked = check_payload("text", "{\"text\":\"a\u{202E}b\u{200B}\"}").expect("prose");
    assert_eq!(
        checked.message.payload["text"].as_str(),
        Some("a\u{202E}b\u{200B}")
    );
    assert_eq!(checked.message.kind, MessageKind::Text);
}
