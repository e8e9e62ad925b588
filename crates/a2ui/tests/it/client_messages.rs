//! Messages of clients: actions and errors.

use a2ui::check_client_messages;
use serde_json::{Value, json};

fn codes(input: &Value) -> Vec<&'static str> {
    check_client_messages(&input.to_string())
        .into_iter()
        .map(|problem| problem.code)
        .collect()
}

fn action() -> Value {
    json!({ "version": "v0.9", "action": { "name": "save", "surfaceId": "s", "sourceComponentId": "b",
        "timestamp": "2026-01-16T12:00:00Z", "context": {} } })
}

#[test]
fn actions_and_errors_are_valid() {
    assert!(codes(&action()).is_empty());
    let failed = json!({ "version": "v0.9.1", "error": { "code": "VALIDATION_FAILED", "surfaceId": "s",
        "path": "/components/0", "message": "m" } });
    let other = json!({ "version": "v0.9", "error": { "code": "OTHER", "surfaceId": "s", "message": "m", "more": 1 } });
    assert!(codes(&json!([failed, other])).is_empty());
}

#[test]
fn what_is_missing_or_wrong_is_reported() {
    let mut late = action();
    late["action"]["timestamp"] = json!("yesterday");
    assert_eq!(codes(&late), ["wrong_format"]);
    let mut nameless = action();
    nameless["action"]
        .as_object_mut()
        .expect("valid test data")
        .remove("name");
    assert_eq!(codes(&nameless), ["missing_field"]);
    let pathless = json!({ "version": "v0.9", "error": { "code": "VALIDATION_FAILED", "surfaceId": "s", "message": "m" } });
    assert!(!codes(&pathless).is_empty());
    let both = json!({ "version": "v0.9", "action": action()["action"], "error": { "code": "A", "surfaceId": "s", "message": "m" } });
    assert!(!codes(&both).is_empty());
}
