//! Verification over HTTP.

use json::Value;

use crate::harness::gateway::Gateway;

#[test]
fn http_verification_reports_the_problems_of_the_command_line() {
    let gateway = Gateway::start(&["--in-memory"]);
    gateway.attach("tide", "tide.txt", "High tide was at 12:04.");
    let body = r#"{"citations":{"far":{"attachmentId":"tide","fullPhrase":"High tide was at 12:04","pageNumber":9},
        "gone":{"attachmentId":"lost","fullPhrase":"High tide was at 12:04"}}}"#;
    let (status, answer) = gateway.json("POST", "/verify", body);
    assert_eq!(status, 200, "{answer:?}");
    let far = &answer["verifications"]["far"];
    assert_eq!(far["status"].as_str(), Some("found_on_other_page"));
    assert_eq!(far["problem"].as_str(), Some("page_outside"));
    assert_eq!(far["label"].as_str(), Some("tide.txt"));
    let gone = &answer["verifications"]["gone"];
    assert_eq!(gone["problem"].as_str(), Some("source_missing"));
    let problems = answer["problems"].as_array().expect("problems");
    let named: Vec<(Option<&str>, Option<&str>)> = problems
        .iter()
        .map(|problem| (problem["code"].as_str(), problem["key"].as_str()))
        .collect();
    assert_eq!(
        named,
        [
            (Some("page_outside"), Some("far")),
            (Some("source_missing"), Some("gone"))
        ]
    );
    assert_eq!(problems[0]["pageNumber"], Value::from(9_usize));
    let accept = "Accept: text/event-stream\r\n";
    let (_, events) = gateway.request("POST", "/verify", accept, body.as_bytes());
    assert!(events.contains("\"code\":\"page_outside\""), "{events}");
}
