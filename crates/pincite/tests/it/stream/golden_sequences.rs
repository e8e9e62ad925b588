//! Golden sequences: the commands give the results of the official client.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use json::Value;

use crate::harness::{Differences, data, in_parallel, parse_file, pincite, scratch, sse, stream};

/// Reads the golden sequences.
fn vectors() -> Vec<Value> {
    let file = parse_file(&data("sequences.public.json"));
    let vectors = file["vectors"].as_array().expect("a list").to_vec();
    assert!(vectors.len() > 400, "all vectors are there");
    vectors
}

fn name(vector: &Value) -> &str {
    vector["name"].as_str().expect("vectors have names")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_default()
}

fn lines(vector: &Value) -> Vec<String> {
    list(&vector["input_events"])
        .iter()
        .map(Value::to_json)
        .collect()
}

/// Returns the input in one of four encodings; protobuf only if it can represent the JSON.
fn input(index: usize, vector: &Value, as_proto: &AtomicUsize) -> Vec<u8> {
    let events = lines(vector);
    match index % 4 {
        1 => events
            .iter()
            .map(|event| format!("{event}\n"))
            .collect::<String>()
            .into_bytes(),
        2 => format!("[{}]", events.join(",\n")).into_bytes(),
        3 => {
            let frames = stream("convert --to proto", sse(&events));
            let back = stream("convert --from proto", &frames.stdout);
            let known = frames.code == Some(0) && frames.stderr.is_empty();
            if known && !events.is_empty() && back.lines() == vector["input_events"] {
                as_proto.fetch_add(1, Ordering::Relaxed);
                frames.stdout
            } else {
                sse(&events).into_bytes()
            }
        }
        _ => sse(&events).into_bytes(),
    }
}

/// Returns the arguments for the conversation before the events, without defaults.
fn before(index: usize, vector: &Value) -> Vec<PathBuf> {
    let mut args = Vec::new();
    let defaults = [("state", "{}"), ("messages", "[]")];
    for (what, default) in defaults {
        let json = vector[format!("initial_{what}").as_str()].to_json();
        if json != default {
            args.push(format!("--{what}").into());
            args.push(scratch(&format!("vectors-{index}-{what}.json"), json));
        }
    }
    args
}

fn command(words: &[&str], args: &[PathBuf]) -> Vec<PathBuf> {
    words
        .iter()
        .map(PathBuf::from)
        .chain(args.iter().cloned())
        .collect()
}

/// Returns the expected conversation with the member names of `fold`.
fn compare_fold(faults: &mut Differences, what: &str, fold: &Value, vector: &Value) {
    for (ours, theirs) in [
        ("messages", "result_messages"),
        ("state", "result_state"),
        ("finished", "finished"),
        ("pendingInterrupts", "pending_interrupts"),
    ] {
        faults.same(&format!("{what}: {ours}"), &fold[ours], &vector[theirs]);
    }
}

fn compare_error(faults: &mut Differences, what: &str, ours: &Value, vector: &Value) {
    let theirs = &vector["error"];
    faults.same(
        &format!("{what}: error stage"),
        &ours["stage"],
        &theirs["stage"],
    );
    faults.same(
        &format!("{what}: error index"),
        &ours["index"],
        &theirs["input_index"],
    );
    if *ours != Value::Null {
        for member in ["rule", "message"] {
            let said = ours[member].as_str().is_some_and(|text| !text.is_empty());
            faults.holds(&format!("{what}: the error has a {member}"), said);
        }
    }
    if theirs["stage"].as_str() == Some("enforce") {
        let path = &list(&vector["enforce_error"]["paths"])[0];
        faults.same(&format!("{what}: error path"), &ours["path"], path);
    }
}

#[test]
fn fold_equals_the_official_client() {
    let as_proto = AtomicUsize::new(0);
    in_parallel(&vectors(), |index, vector| {
        let mut faults = Differences::new(name(vector));
        let args = command(&["stream", "fold"], &before(index, vector));
        let ended = pincite(&args, &input(index, vector, &as_proto));
        let fold = ended.json();
        let broken = vector["error"] != Value::Null;
        faults.holds("fold: exit code", ended.code == Some(i32::from(broken)));
        faults.holds(
            "fold: an error is also said on stderr",
            ended.stderr.contains("error: ") == broken,
        );
        compare_fold(&mut faults, "fold", &fold, vector);
        compare_error(&mut faults, "fold", &fold["error"], vector);
        faults.found
    });
    // A quarter is tried as protobuf, which can represent most of it.
    let as_proto = as_proto.into_inner();
    assert!(
        as_proto >= 60,
        "only {as_proto} vectors were read as protobuf"
    );
}

#[test]
fn check_finds_the_errors_of_the_official_client() {
    let as_proto = AtomicUsize::new(0);
    in_parallel(&vectors(), |index, vector| {
        let mut faults = Differences::new(name(vector));
        let report = crate::harness::check("", input(index, vector, &as_proto));
        compare_error(&mut faults, "check", &report["error"], vector);
        let end = match &vector["error"] {
            Value::Null => list(&vector["input_events"]).len().into(),
            error => match &error["input_index"] {
                Value::Number(index) => (index.as_f64() as usize + 1).into(),
                other => other.clone(),
            },
        };
        faults.same("check: events read", &report["events"], &end);
        compare_warnings(&mut faults, list(&report["warnings"]), vector);
        faults.found
    });
}

fn compare_warnings(faults: &mut Differences, warnings: &[Value], vector: &Value) {
    let of = |rule: &'static str| {
        warnings
            .iter()
            .filter(move |warning| warning["rule"].as_str() == Some(rule))
    };
    let stripped: Vec<&Value> = of("unknown-member")
        .map(|warning| &warning["path"])
        .collect();
    let expected: Vec<&Value> = list(&vector["stripped"])
        .iter()
        .map(|part| &part["path"])
        .collect();
    let dropped = list(&vector["dropped_event_types"]);
    if vector["error"]["stage"].as_str() == Some("verify") {
        // The vectors list removals after a broken rule, too.
        faults.holds("check: stripped", expected.starts_with(&stripped));
        faults.holds(
            "check: dropped",
            of("unknown-event").count() <= dropped.len(),
        );
    } else {
        faults.holds("check: stripped", expected == stripped);
        faults.holds(
            "check: dropped",
            of("unknown-event").count() == dropped.len(),
        );
    }
    for (warning, name) in of("unknown-event").zip(dropped) {
        let (message, name) = (warning["message"].as_str(), name.as_str());
        let said = message
            .zip(name)
            .is_some_and(|(message, name)| message.contains(name));
        faults.holds("check: the dropped type is named", said);
    }
    // `check` starts from an empty conversation.
    if vector["initial_state"].to_json() == "{}" && list(&vector["initial_messages"]).is_empty() {
        let failed = of("patch-failed").count().into();
        let expected = vector
            .get("patch_failures")
            .cloned()
            .unwrap_or(0usize.into());
        faults.same("check: failed patches", &failed, &expected);
    }
}

#[test]
fn expand_equals_the_official_client() {
    let as_proto = AtomicUsize::new(0);
    in_parallel(&vectors(), |index, vector| {
        let mut faults = Differences::new(name(vector));
        let ended = stream("expand", input(index, vector, &as_proto));
        faults.same("expand", &ended.lines(), &vector["expanded"]);
        let broken =
            vector["enforce_error"] != Value::Null || vector["expand_error"] != Value::Null;
        faults.holds("expand: exit code", ended.code == Some(i32::from(broken)));
        let said = ended
            .stderr
            .lines()
            .any(|line| line.starts_with("error: event "));
        faults.holds("expand: an error is said on stderr", said == broken);
        faults.found
    });
}

#[test]
fn compacted_events_fold_alike() {
    let as_proto = AtomicUsize::new(0);
    let forms = ["jsonl", "sse", "proto"];
    in_parallel(&vectors(), |index, vector| {
        let mut faults = Differences::new(name(vector));
        let input = input(index, vector, &as_proto);
        let events = stream("compact", &input).lines();
        let (few, many) = (list(&events).len(), list(&vector["expanded"]).len());
        faults.holds("compact: not more events", few <= many);
        // Events that break a rule of order are not compared.
        if vector["error"]["stage"].as_str() != Some("verify") {
            let compacted = stream(&format!("compact --to {}", forms[index % 3]), &input);
            let args = command(&["stream", "fold"], &before(index, vector));
            let ended = pincite(&args, &compacted.stdout);
            faults.holds("compact: still follows the rules", ended.code == Some(0));
            compare_fold(&mut faults, "compact", &ended.json(), vector);
        }
        faults.found
    });
}
