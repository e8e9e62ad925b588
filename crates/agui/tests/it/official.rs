//! Comparison with the official packages on random input (see `official/README.md`).
//!
//! `PINCITE_OFFICIAL_SEED` and `PINCITE_OFFICIAL_COUNT` select other and more cases.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use agui::compact::compact;
use agui::compat::LegacyUpgrader;
use agui::downgrade::{ClientRelease, EventFormat};
use agui::enforce::enforce;
use agui::negotiate::Encoding;
use agui::sse::{SseDecoder, SseError};
use agui::{EventReadError, EventReader, ReceivedEvent, proto};
use json::patch::{PatchMode, PatchOperation, Patcher};
use json::{Json, Map, Text, Value};
use testkit::compaction::compaction_fault;
use testkit::events::events;
use testkit::sequence;
use testkit::vectors::unhex;

fn setting(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/official");
    assert!(
        folder.join("node_modules").is_dir(),
        "the official packages are missing: run `make test`, or `npm ci` in {}",
        folder.display()
    );
    folder
}

fn lines(output: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(output).expect("UTF-8");
    text.lines()
        .map(|line| Value::parse(line).expect("a JSON line"))
        .collect()
}

/// Returns random requests and the official answers.
fn cases() -> Vec<(Value, Value)> {
    let requests = random_requests(&setting("PINCITE_OFFICIAL_COUNT", "2500"));
    let answers = official_answers(requests.clone());
    let requests = lines(&requests);
    assert_eq!(requests.len(), answers.len(), "one answer per request");
    requests.into_iter().zip(answers).collect()
}

/// Returns random requests as JSON lines.
fn random_requests(count: &str) -> Vec<u8> {
    let seed = setting("PINCITE_OFFICIAL_SEED", "1");
    let requests = Command::new("node")
        .args(["random.mjs", &seed, count])
        .current_dir(folder())
        .output()
        .expect("node runs");
    assert!(requests.status.success(), "random.mjs failed");
    requests.stdout
}

/// Returns the official answers to requests, which are JSON lines.
fn official_answers(requests: Vec<u8>) -> Vec<Value> {
    let mut oracle = Command::new("node")
        .arg("oracle.mjs")
        .current_dir(folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("node runs");
    let mut stdin = oracle.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &requests));
    let answers = oracle.wait_with_output().expect("the oracle answers");
    writer.join().expect("no panic").expect("the oracle reads");
    lines(&answers.stdout)
}

/// Converts a request and its answer to a golden vector.
fn as_vector(index: usize, request: &Value, answer: &Value) -> Value {
    let mut vector: Map = answer.as_object().cloned().expect("an object");
    vector.insert("name".into(), format!("case {index}").into());
    for (key, from) in [
        ("input_events", "events"),
        ("initial_messages", "messages"),
        ("initial_state", "state"),
    ] {
        vector.insert(key.into(), request[from].clone());
    }
    Value::Object(vector)
}

fn check_sequence(index: usize, request: &Value, answer: &Value) {
    let vector = as_vector(index, request, answer);
    sequence::check_enforcement(&vector);
    sequence::check_expansion_and_verification(&vector);
    // After a snapshot the client stores two messages with one id as one object; ours are two. A
    // copy from a missing path to the root leaves the client without a value; ours fails.
    if answer["aliased"] != Value::Bool(true) && !copies_to_root(request) {
        sequence::check_run(&vector);
    }
    let input = events(&vector["expanded"]);
    let output = compact(&input);
    if let Some(fault) = compaction_fault(&input, &output, &vector) {
        panic!("case {index}: {fault}\n{}", vector["expanded"].to_json());
    }
}

fn copies_to_root(request: &Value) -> bool {
    let operations = request["events"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|event| {
            let patch = event["delta"].as_array().or(event["patch"].as_array());
            patch.into_iter().flatten()
        });
    operations.into_iter().any(|operation| {
        matches!(operation["op"].as_str(), Some("copy" | "move"))
            && operation["path"].as_str() == Some("")
    })
}

fn operation(value: &Value) -> PatchOperation {
    let text = |key: &str| value[key].as_str().map(Text::from);
    let json = |key: &str| Json::from(value[key].clone());
    let path = text("path").expect("a path");
    match value["op"].as_str().expect("an op") {
        "add" => PatchOperation::add(path, json("value")),
        "replace" => PatchOperation::replace(path, json("value")),
        "test" => PatchOperation::test(path, json("value")),
        "remove" => PatchOperation::remove(path),
        "move" => PatchOperation::move_(text("from").expect("from"), path),
        "copy" => PatchOperation::copy(text("from").expect("from"), path),
        other => panic!("unknown op {other}"),
    }
}

fn check_patch(index: usize, request: &Value, answer: &Value) {
    let patch: Vec<PatchOperation> = request["patch"]
        .as_array()
        .expect("a patch")
        .iter()
        .map(operation)
        .collect();
    let mut document = request["document"].clone();
    let ours = match Patcher::new(PatchMode::Agui).apply(&mut document, &patch) {
        Ok(_) => Value::from([("result", document)]),
        Err(_) => {
            assert_eq!(
                document, request["document"],
                "case {index}: a failed patch changes nothing"
            );
            Value::from([("error", true.into())])
        }
    };
    assert!(
        ours == *answer,
        "case {index}: {}\n  ours:   {}\n  theirs: {}",
        request.to_json(),
        ours.to_json(),
        answer.to_json()
    );
}

fn check_sse(index: usize, request: &Value, answer: &Value) {
    let mut decoder = SseDecoder::new();
    let (mut found, mut counts, mut error) = (Vec::new(), Vec::new(), Value::Null);
    let mut take = |decoder: &mut SseDecoder, found: &mut Vec<Value>| {
        while let Some(event) = decoder.next_event() {
            match event {
                Ok(event) => found.push(raw_value(&event)),
                Err(SseError::Event(EventReadError::InvalidJson(_))) => {
                    error = "invalid-json".into();
                }
                Err(SseError::Event(EventReadError::NotAnObject)) => error = "not-an-object".into(),
                Err(SseError::Event(EventReadError::NoType)) => error = "no-type".into(),
                Err(SseError::TooLarge { .. }) => error = "too-large".into(),
            }
        }
    };
    for chunk in request["chunks_hex"].as_array().expect("chunks") {
        decoder.push(&unhex(chunk.as_str().expect("hex")));
        take(&mut decoder, &mut found);
        counts.push(Value::from(found.len()));
    }
    decoder.finish();
    take(&mut decoder, &mut found);
    let theirs = |key: &str| &answer[key];
    let context = || format!("case {index}: {}\n{}", request.to_json(), answer.to_json());
    assert_eq!(Value::Array(found), *theirs("events"), "{}", context());
    assert_eq!(error, *theirs("error"), "{}", context());
    assert_eq!(
        Value::Array(counts),
        *theirs("events_after_each_chunk"),
        "{}",
        context()
    );
}

fn raw_value(event: &ReceivedEvent) -> Value {
    Value::parse(&event.text()).expect("JSON")
}

/// Returns the valid events of random sequences.
fn valid_events(count: &str) -> Vec<Value> {
    let mut reader = EventReader::new();
    let mut upgrader = LegacyUpgrader::new(String::new);
    let mut valid = Vec::new();
    for request in lines(&random_requests(count)) {
        for event in request["events"].as_array().unwrap_or_default() {
            let read = reader.read(Text::from(event.to_json()));
            let upgraded = read.map(|event| upgrader.apply(event));
            let enforced = upgraded.ok().and_then(|event| enforce(event, |_| {}).ok());
            if let Some(Some(event)) = enforced {
                valid.push(Value::parse(&event.to_json()).expect("JSON"));
            }
        }
    }
    valid
}

#[test]
fn older_clients_read_downgraded_events() {
    let format = |encoding| EventFormat {
        encoding,
        release: ClientRelease::Legacy,
    };
    let (mut sent, mut frames, mut changed) = (Vec::new(), Vec::new(), 0);
    for event in valid_events("1500") {
        let json = event.to_json();
        let downgraded = format(Encoding::Sse).downgrade(&json).expect("SSE has all");
        changed += usize::from(*downgraded != json);
        sent.push(Value::parse(&downgraded).expect("JSON"));
        if let Some(json) = format(Encoding::Proto).downgrade(&json) {
            let received = EventReader::new().read(Text::from(&*json));
            let mut frame = Vec::new();
            let written = proto::encode_received_frame(&received.expect("an event"), &mut frame);
            if written != proto::EncodeOutcome::Nothing {
                // The official decoders take the frame without its length.
                frames.push(hex(&frame[4..]));
            }
        }
    }
    let request = Value::from([
        ("kind", "older".into()),
        ("events", Value::Array(sent.clone())),
        ("frames_hex", Value::Array(frames.clone())),
    ]);
    let answers = official_answers(request.to_json().into_bytes());
    let refused = answers[0]["events"].as_array().expect("answers");
    assert_eq!(refused.len(), sent.len());
    for (event, refused) in sent.iter().zip(refused) {
        assert_eq!(*refused, Value::Null, "{}", event.to_json());
    }
    let answered = answers[0]["frames"].as_array().expect("answers");
    for (frame, refused) in frames.iter().zip(answered) {
        assert_eq!(refused["last"], Value::Null, "{}", frame.to_json());
        // Releases differ in rules for values, which they report as a list; every frame is known.
        let reason = refused["oldest"].as_str().unwrap_or("[");
        assert!(reason.starts_with('['), "{reason}: {}", frame.to_json());
    }
    assert!(
        changed > 100 && frames.len() > 1000,
        "{changed} {}",
        frames.len()
    );
}

fn hex(bytes: &[u8]) -> Value {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    Value::String(digits.collect())
}

#[test]
fn random_input_equals_the_official_packages() {
    let (mut sequences, mut patches, mut streams) = (0, 0, 0);
    for (index, (request, answer)) in cases().into_iter().enumerate() {
        assert!(
            answer.get("oracle_error").is_none(),
            "case {index}: {}",
            answer.to_json()
        );
        match request["kind"].as_str().expect("a kind") {
            "sequence" => {
                check_sequence(index, &request, &answer);
                sequences += 1;
            }
            "patch" => {
                check_patch(index, &request, &answer);
                patches += 1;
            }
            "sse" => {
                check_sse(index, &request, &answer);
                streams += 1;
            }
            _ => {}
        }
    }
    assert!(
        sequences > 0 && patches > 0 && streams > 0,
        "every kind of case was there"
    );
}
