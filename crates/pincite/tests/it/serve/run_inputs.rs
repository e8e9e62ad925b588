//! Rejected inputs of runs.

use crate::harness::gateway::Gateway;
use crate::harness::parse;

#[test]
fn rejects_inputs_with_field_and_reason() {
    let gateway = Gateway::start(&["--in-memory"]);
    for (body, status, code, words) in [
        ("", 400, "invalid_json", &["empty"][..]),
        ("{\"threadId\":", 400, "invalid_json", &["JSON"]),
        ("[]", 422, "invalid_input", &["object"]),
        ("{\"messages\":3}", 422, "invalid_input", &["messages"]),
        (
            r#"{"messages":[{"id":"1","role":"user","content":"x"},{"id":7,"role":"user","content":"x"}]}"#,
            422,
            "invalid_input",
            &["messages", "1", "id"],
        ),
        (
            r#"{"threadId":7,"messages":[]}"#,
            422,
            "invalid_input",
            &["threadId"],
        ),
        (
            r#"{"messages":[],"tools":{}}"#,
            422,
            "invalid_input",
            &["tools"],
        ),
        (
            r#"{"messages":[],"tools":[{"name":1}]}"#,
            422,
            "invalid_input",
            &["tools", "name"],
        ),
        (
            r#"{"messages":[],"context":"x"}"#,
            422,
            "invalid_input",
            &["context"],
        ),
    ] {
        let (got, answer) = gateway.request("POST", "/agents/demo", "", body.as_bytes());
        assert_eq!(got, status, "{body}: {answer}");
        let error = &parse(&answer)["error"];
        assert_eq!(error["code"].as_str(), Some(code), "{body}: {answer}");
        let message = error["message"].as_str().expect("a message");
        for word in words {
            assert!(
                message.contains(word),
                "{body}: '{word}' is not in '{message}'"
            );
        }
        assert!(
            error["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{answer}"
        );
    }
    // Nesting that would overflow a stack.
    let deep = format!("{{\"messages\":[],\"state\":{}", "[".repeat(1_000_000));
    let (status, answer) = gateway.request("POST", "/agents/demo", "", deep.as_bytes());
    assert_eq!(status, 400, "{answer:.300}");
}
