//! Recorded requests of the public citation SDK.

use std::fmt::Write as _;

use json::Value;

use crate::harness::gateway::Gateway;
use crate::harness::{data, parse, parse_file};

const SOURCE: &str = "x y z\nRevenue grew 45% in the year.\u{c}Revenue grew 45%\n";

/// Returns the bytes of a text in which each character is one byte.
fn bytes(text: &str) -> Vec<u8> {
    text.chars()
        .map(|char| u8::try_from(u32::from(char)).expect("a byte"))
        .collect()
}

/// Returns the form of a recorded request with a readable file instead of the recorded one.
fn form(parts: &[Value]) -> Vec<u8> {
    let mut body = Vec::new();
    for part in parts {
        body.extend_from_slice(b"--x\r\n");
        let headers = part["headers"].as_array().expect("headers");
        let mut is_file = false;
        for header in headers {
            let header = header.as_str().expect("a header");
            is_file |= header.contains("name=\"file\"");
            body.extend(bytes(header));
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"\r\n");
        match is_file {
            true => body.extend_from_slice(SOURCE.as_bytes()),
            false => body.extend(bytes(part["body"].as_str().expect("a text"))),
        }
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    body
}

/// Sends a recorded request.
fn send(gateway: &Gateway, request: &Value) -> (u16, Value) {
    let mut headers = String::new();
    for (name, value) in request["headers"].as_object().expect("headers").iter() {
        let value = match name {
            "connection" | "content-length" => continue,
            "content-type" if request.get("parts").is_some() => "multipart/form-data; boundary=x",
            _ => value.as_str().expect("a value"),
        };
        let _ = write!(headers, "{name}: {value}\r\n");
    }
    let body = match (request.get("parts"), request.get("json")) {
        (Some(parts), _) => form(parts.as_array().expect("parts")),
        (None, Some(json)) => json.to_json().into_bytes(),
        (None, None) => Vec::new(),
    };
    let method = request["method"].as_str().expect("a method");
    let path = request["path"].as_str().expect("a path");
    let (status, body) = gateway.request(method, path, &headers, &body);
    (status, parse(&body))
}

#[test]
fn answers_recorded_sdk_requests() {
    let gateway = Gateway::start(&["--in-memory"]);
    for id in ["a", "c1", "att00000000000000001", "att00000000000000002"] {
        assert_eq!(gateway.attach(id, "source.txt", SOURCE).0, 200);
    }
    let recorded = parse_file(&data("citation-sdk-wire.json"));
    let mut requests: Vec<&Value> = recorded
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one.get("requests")?.as_array())
        .flatten()
        .collect();
    assert!(requests.len() > 20, "all requests are there");
    // Later requests do not find a removed attachment.
    requests.sort_by_key(|request| request["method"].as_str() == Some("DELETE"));
    for request in requests {
        let (status, answer) = send(&gateway, request);
        let shown = format!("{}: {status} {}", request.to_json(), answer.to_json());
        let json = request.get("json").cloned().unwrap_or(Value::Null);
        match request["path"].as_str().expect("a path") {
            "/prepareAttachments" | "/convertFile" if json.get("url").is_some() => {
                // Fetching is not allowed; the SDK shows the message.
                assert_eq!(status, 422, "{shown}");
                assert!(answer["error"]["message"].as_str().is_some(), "{shown}");
            }
            "/prepareAttachments" => {
                assert_eq!(status, 200, "{shown}");
                let id = answer["attachmentId"].as_str().expect("an id");
                assert!(
                    id.chars().all(|char| char.is_ascii_alphanumeric()),
                    "{shown}"
                );
                assert!(
                    answer["deepTextPromptPortion"].as_str().is_some(),
                    "{shown}"
                );
                assert!(answer["deepTextPages"].as_array().is_some(), "{shown}");
                assert_eq!(answer["status"].as_str(), Some("ready"), "{shown}");
                if request.to_json().contains("rapport") {
                    assert_eq!(id, "custom1");
                    assert_eq!(
                        answer["metadata"]["filename"].as_str(),
                        Some("rapport é.pdf")
                    );
                }
            }
            "/convertFile" => {
                assert_eq!(status, 200, "{shown}");
                assert_eq!(answer["status"].as_str(), Some("converted"), "{shown}");
            }
            "/verifyCitations" => {
                assert_eq!(status, 200, "{shown}");
                let keys = |value: &Value| -> Vec<String> {
                    let map = value.as_object().expect("an object");
                    map.iter().map(|(key, _)| key.to_owned()).collect()
                };
                // Results have exactly the keys of the request.
                let sent = keys(&json["data"]["citations"]);
                assert_eq!(keys(&answer["verifications"]), sent, "{shown}");
                for key in sent {
                    let status = answer["verifications"][key.as_str()]["status"].as_str();
                    assert!(status.is_some(), "{shown}");
                }
            }
            "/getAttachment" => {
                assert_eq!(answer["id"].as_str(), Some("a"), "{shown}");
                assert_eq!(answer["status"].as_str(), Some("ready"), "{shown}");
            }
            "/attachments/a" => {
                assert_eq!(answer["deleted"], Value::Bool(true), "{shown}");
            }
            // The SDK does not encode ids; this one leads to an unknown path.
            "/attachments/a%20b/c/extend" => {
                assert_eq!(status, 404, "{shown}");
                assert!(answer["error"]["message"].as_str().is_some(), "{shown}");
            }
            path => panic!("nothing is expected of {path}"),
        }
    }
}
