//! Isolation of principals: every route of the OpenAPI document is called with the ids of another principal.

use std::collections::BTreeMap;

use crate::harness::gateway::Gateway;
use crate::harness::{parse, pincite, scratch};
use json::Value;

/// Word that all data of Ada contains, and no data of Bob.
const CANARY: &str = "kingfisher";

struct Person<'g> {
    gateway: &'g Gateway,
    bearer: String,
}

impl Person<'_> {
    fn request(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, String) {
        // Streams of events never end, so a page of them is read.
        let accept = match path.contains("/events") {
            true => "Accept: application/json\r\n",
            false => "",
        };
        let headers = format!("{}{accept}Content-Type: {kind}\r\n", self.bearer);
        self.gateway
            .request(method, path, &headers, body.as_bytes())
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", path, "application/json", "")
    }
}

fn person<'g>(gateway: &'g Gateway, data: &str, name: &str) -> Person<'g> {
    let args = ["keys", "create", name, "--data", data, "--format", "json"];
    let made = pincite(&args, b"").expect(0).json();
    let secret = made["secret"].as_str().expect("a secret");
    Person {
        gateway,
        bearer: format!("Authorization: Bearer {secret}\r\n"),
    }
}

/// Creates a document, a thread with a run and evidence. Returns their ids by parameter name.
fn settle(ada: &Person<'_>) -> BTreeMap<&'static str, String> {
    let text = format!("The {CANARY} nests at the second quay.");
    let form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{CANARY}.txt\"\r\n\r\n{text}\r\n\
         --x\r\nContent-Disposition: form-data; name=\"attachmentId\"\r\n\r\n{CANARY}-doc\r\n--x--\r\n"
    );
    let (status, answer) = ada.request(
        "POST",
        "/documents",
        "multipart/form-data; boundary=x",
        &form,
    );
    assert_eq!(status, 201, "{answer}");
    let input = format!(
        r#"{{"threadId":"{CANARY}-thread","runId":"{CANARY}-run","messages":[{{"id":"1","role":"user","content":"{CANARY}?"}}]}}"#
    );
    let (status, run) = ada.request("POST", "/agents/demo", "application/json", &input);
    assert_eq!(status, 200, "{run}");
    assert!(run.contains("RUN_FINISHED"), "{run}");
    let evidence = run
        .split("/p/")
        .nth(1)
        .expect("a citation with its evidence");
    let evidence: String = evidence
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    BTreeMap::from([
        ("/documents/{id}", format!("{CANARY}-doc")),
        ("/attachments/{id}", format!("{CANARY}-doc")),
        ("/threads/{id}", format!("{CANARY}-thread")),
        ("/conversations/{id}", format!("{CANARY}-thread")),
        ("/p/{id}", evidence),
        ("/agents/{name}", "demo".to_owned()),
    ])
}

/// Returns the path of a route with Ada's ids.
fn filled(path: &str, names: &BTreeMap<&str, String>) -> String {
    let mut filled = path.to_owned();
    for (route, name) in names {
        if path.starts_with(route) {
            let (before, _) = route.split_once('{').expect("a name");
            filled = filled.replacen(route, &format!("{before}{name}"), 1);
        }
    }
    filled.replace("{page}", "1.png")
}

/// Returns a body that matches the schema and names Ada's data.
fn body(document: &Value, schema: &Value, name: &str) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let named = reference.rsplit('/').next().expect("a name");
        return body(document, &document["components"]["schemas"][named], name);
    }
    if let Some(word) = schema["enum"].as_array().and_then(<[_]>::first) {
        return word.clone();
    }
    if let Some(first) = schema["oneOf"].as_array().and_then(<[_]>::first) {
        return first["const"].clone();
    }
    match (name, schema["type"].as_str()) {
        ("threadId", _) => format!("{CANARY}-thread").into(),
        ("runId", _) => format!("{CANARY}-run").into(),
        (name, Some("string")) if name.starts_with("attachment") => format!("{CANARY}-doc").into(),
        ("text", _) => Value::from("“nests at the second quay” [1]"),
        (_, Some("object")) => {
            let mut object = json::Map::new();
            let properties = schema["properties"].as_object();
            for (name, schema) in properties.into_iter().flat_map(|map| map.iter()) {
                object.insert(name.to_owned(), body(document, schema, name));
            }
            if name == "citations" {
                let citation = r#"{"fullPhrase":"nests at the second quay"}"#;
                object.insert("1".to_owned(), parse(citation));
            }
            Value::Object(object)
        }
        ("messages", _) => parse(r#"[{"id":"1","role":"user","content":"hi"}]"#),
        (name, Some("array")) => Value::Array(vec![body(document, &schema["items"], name)]),
        (_, Some("integer")) => Value::from(60_usize),
        (_, Some("boolean")) => Value::Bool(true),
        _ => Value::from("x"),
    }
}

#[test]
fn principals_cannot_read_or_delete_data_of_others() {
    let data = scratch("leaks", "").with_extension("data");
    let _ = std::fs::remove_dir_all(&data);
    let data = data.to_str().expect("plain");
    let gateway = Gateway::start(&["--data", data, "--demo"]);
    let (ada, bob) = (person(&gateway, data, "ada"), person(&gateway, data, "bob"));
    let names = settle(&ada);
    let (_, document) = gateway.request("GET", "/openapi.json", "", b"");
    let document = parse(&document);
    let mine = |path: &str| -> Vec<(u16, String)> {
        let things = [
            "/documents/{id}",
            "/threads/{id}",
            "/threads/{id}/messages",
            "/p/{id}",
        ];
        let things = things.iter().map(|thing| ada.get(&filled(thing, &names)));
        let things: Vec<_> = things.collect();
        assert!(
            things.iter().all(|(status, _)| *status == 200),
            "after {path}: {things:?}"
        );
        things
    };
    // Ada can read all of it, so the checks below mean something.
    assert!(
        mine("nothing")
            .iter()
            .any(|(_, body)| body.contains(CANARY))
    );

    let mut asked = 0;
    for (path, operations) in document["paths"].as_object().expect("paths").iter() {
        for (method, operation) in operations.as_object().expect("methods").iter() {
            let method = method.to_uppercase();
            let place = filled(path, &names);
            let named = place != path && path != "/agents/{name}";
            let media = operation["requestBody"]["content"]["application/json"].clone();
            let sent = match media.as_object() {
                Some(_) => body(&document, &media["schema"], "").to_json(),
                None => String::new(),
            };
            for query in ["", "?all=true&principal=ada&confirm=ada"] {
                // Bob may delete his own data, which is done last.
                if method == "DELETE" && path == "/me" && query.is_empty() {
                    continue;
                }
                let (status, answer) = bob.request(
                    &method,
                    &format!("{place}{query}"),
                    "application/json",
                    &sent,
                );
                asked += 1;
                let what = format!("{method} {place}{query} → {status} {answer}");
                assert!(status < 500, "{what}");
                // Ids of the request may appear in errors and as names of Bob's own data.
                let said = answer
                    .replace(&format!("{CANARY}-doc"), "")
                    .replace(&format!("{CANARY}-thread"), "")
                    .replace(&format!("{CANARY}-run"), "");
                assert!(!said.contains(CANARY), "{what}");
                if named {
                    assert!(status >= 400, "{what}");
                    let bare = gateway.request(&method, &place, "", sent.as_bytes());
                    assert!((400..500).contains(&bare.0), "without a key: {what}");
                }
            }
        }
    }
    assert!(asked > 60, "only {asked} requests were made");
    let after = mine("everything");
    assert_eq!(after.len(), 4);
    // Bob's export contains only his data.
    let (status, export) = bob.get("/me/export");
    assert_eq!(status, 200);
    assert!(
        export.contains("\"end\"") && !export.contains("second quay"),
        "{export}"
    );
    let (_, export) = ada.get("/me/export");
    assert!(
        export.contains(&format!("{CANARY}.txt")) && export.contains("RUN_FINISHED"),
        "{export}"
    );

    // Deleting Ada's data does not affect Bob.
    assert_eq!(bob.request("DELETE", "/me", "application/json", "").0, 422);
    assert_eq!(
        ada.request("DELETE", "/me?confirm=ada", "application/json", "")
            .0,
        200
    );
    assert_eq!(ada.get("/documents").0, 401, "the key went too");
    assert_eq!(bob.get("/documents").0, 200);
    let files = std::fs::read_dir(data).expect("a directory").flatten();
    let mut left = Vec::new();
    for file in files.map(|file| file.path()).filter(|path| path.is_file()) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        if bytes
            .windows(23)
            .any(|part| part == b"nests at the second qua")
        {
            left.push(file);
        }
    }
    assert!(
        left.iter()
            .all(|file| file.to_string_lossy().ends_with("-wal")),
        "{left:?}"
    );
}
