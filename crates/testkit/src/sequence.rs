//! Runs a golden sequence through every stage and compares with the official client.

use agui::compat::LegacyUpgrader;
use agui::enforce::{RemovedValue, enforce};
use agui::expand::Expander;
use agui::fold::{Fold, FoldWarning};
use agui::model::Message;
use agui::pipeline::{Pipeline, StageError};
use agui::verify::OrderVerifier;
use json::Value;

use crate::events::{json, received_events, sequential_ids, to_value, to_values};
use crate::vectors::name;

/// Panics with the vector and the compared part if the two values differ.
fn assert_same(vector: &Value, what: &str, ours: &Value, theirs: &Value) {
    assert!(
        ours == theirs,
        "{}: {what}\n  ours:   {}\n  theirs: {}",
        name(vector),
        ours.to_json(),
        theirs.to_json()
    );
}

fn list<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Value {
    Value::Array(items.into_iter().map(Into::into).collect())
}

fn field<'a>(vector: &'a Value, key: &str) -> &'a Value {
    vector.get(key).unwrap_or(&Value::Null)
}

/// Panics unless our error message contains all ids and names that the official one quotes.
fn assert_same_names(vector: &Value, ours: &str, theirs: &Value) {
    let theirs = theirs.as_str().expect("a message").replace("'s ", "s ");
    for quoted in theirs.split('\'').skip(1).step_by(2) {
        let is_event_type = agui::EventType::from_str(quoted).is_some();
        assert!(
            is_event_type || ours.contains(quoted),
            "{}: '{quoted}' is missing\n  ours:   {ours}\n  theirs: {theirs}",
            name(vector)
        );
    }
}

/// Checks the legacy upgrade and enforcement.
pub fn check_enforcement(vector: &Value) {
    let mut upgrader = LegacyUpgrader::new(sequential_ids());
    let (mut enforced, mut stripped, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
    let mut error = Value::Null;
    for (index, event) in received_events(&vector["input_events"])
        .into_iter()
        .enumerate()
    {
        let result = enforce(upgrader.apply(event), |removed| match removed {
            RemovedValue::Event { type_name } => dropped.push(type_name),
            RemovedValue::Part { kind, path } => stripped.push(Value::from([
                ("type", kind.as_str().into()),
                ("path", path.into()),
            ])),
        });
        match result {
            Ok(Some(event)) => enforced.push(to_value(&event)),
            Ok(None) => {}
            Err(fault) => {
                error = Value::from([
                    ("input_index", index.into()),
                    (
                        "paths",
                        list(fault.faults.into_iter().map(|fault| fault.path)),
                    ),
                ]);
                break;
            }
        }
    }
    assert_same(
        vector,
        "enforce_error",
        &error,
        field(vector, "enforce_error"),
    );
    let expected = vector.get("enforced").unwrap_or(&vector["input_events"]);
    assert_same(vector, "enforced", &list(enforced), expected);
    let empty = Value::Array(Vec::new());
    assert_same(
        vector,
        "stripped",
        &list(stripped),
        vector.get("stripped").unwrap_or(&empty),
    );
    assert_same(
        vector,
        "dropped",
        &list(dropped),
        vector.get("dropped_event_types").unwrap_or(&empty),
    );
}

/// Checks expansion and verification separately.
pub fn check_expansion_and_verification(vector: &Value) {
    let mut upgrader = LegacyUpgrader::new(sequential_ids());
    let mut expander = Expander::new();
    let mut expanded = Vec::new();
    let mut expand_error = None;
    let mut passed = 0usize;
    for event in received_events(&vector["input_events"]) {
        let Ok(event) = enforce(upgrader.apply(event), |_| {}) else {
            break;
        };
        let Some(event) = event else { continue };
        if let Err(error) = expander.expand(event, &mut expanded) {
            expand_error = Some((passed, error));
            break;
        }
        passed += 1;
    }
    assert_same(
        vector,
        "expanded",
        &to_values(&expanded),
        &vector["expanded"],
    );
    let theirs = field(vector, "expand_error");
    match expand_error {
        None => assert_same(vector, "expand_error", &Value::Null, theirs),
        Some((index, error)) => {
            assert_same(
                vector,
                "expand_error",
                &Value::from(index),
                field(theirs, "enforced_index"),
            );
            assert_same_names(vector, &error.to_string(), &theirs["message"]);
        }
    }
    let mut verifier = OrderVerifier::new();
    let broken = expanded
        .iter()
        .enumerate()
        .find_map(|(index, event)| verifier.check(event).err().map(|error| (index, error)));
    match broken {
        None => assert_same(vector, "verify", &Value::from("ok"), &vector["verify"]),
        Some((index, error)) => {
            assert_same(
                vector,
                "verify",
                &Value::from(index),
                field(&vector["verify"], "error_index"),
            );
            assert_same_names(vector, &error.to_string(), &vector["verify"]["message"]);
        }
    }
}

fn finished(fold: &Fold) -> Value {
    list(fold.finished_runs().iter().map(|finished| {
        let mut entry = json::Map::new();
        entry.insert("outcome".into(), finished.outcome.into());
        if let Some(result) = &finished.result {
            entry.insert("result".into(), result.value().into_owned());
        }
        if let Some(ids) = &finished.pending_tool_call_ids {
            entry.insert("pendingToolCallIds".into(), list(ids.iter().cloned()));
        }
        if let Some(interrupts) = &finished.interrupts {
            entry.insert("interrupts".into(), list(interrupts.iter().map(interrupt)));
        }
        Value::Object(entry)
    }))
}

fn interrupt(interrupt: &agui::model::Interrupt) -> Value {
    Value::parse(&interrupt.to_json()).expect("written as JSON")
}

/// Checks all stages together with the fold.
pub fn check_run(vector: &Value) {
    let messages = Message::list_from_json(&vector["initial_messages"].to_json())
        .unwrap_or_else(|error| panic!("{}: {error}", name(vector)));
    let mut fold = Fold::new(messages, json(&vector["initial_state"]));
    let mut pipeline = Pipeline::new(sequential_ids());
    let mut patch_failures = 0;
    let mut error = None;
    for (index, event) in received_events(&vector["input_events"])
        .into_iter()
        .enumerate()
    {
        let result = pipeline.process(
            &event,
            |_| {},
            |event| {
                let warning = fold.apply(event).expect("chunks are expanded");
                patch_failures += usize::from(matches!(
                    warning,
                    Some(FoldWarning::StatePatch(_) | FoldWarning::ActivityPatch { .. })
                ));
            },
        );
        if let Err(fault) = result {
            error = Some((index, fault));
            break;
        }
    }
    let theirs = field(vector, "error");
    match error {
        None => assert_same(vector, "error", &Value::Null, theirs),
        Some((index, fault)) => {
            assert_same(
                vector,
                "error stage",
                &fault.stage().into(),
                field(theirs, "stage"),
            );
            assert_same(
                vector,
                "error index",
                &index.into(),
                field(theirs, "input_index"),
            );
            if !matches!(fault, StageError::Enforce(_)) {
                assert_same_names(vector, &fault.to_string(), &theirs["message"]);
            }
        }
    }
    let ours =
        list(fold.messages().map(|message| {
            Value::parse(&message.to_json()).expect("messages are written as JSON")
        }));
    assert_same(vector, "result_messages", &ours, &vector["result_messages"]);
    assert_same(
        vector,
        "result_state",
        &fold.state().value(),
        &vector["result_state"],
    );
    assert_same(vector, "finished", &finished(&fold), &vector["finished"]);
    let pending = list(fold.pending_interrupts().iter().map(interrupt));
    assert_same(
        vector,
        "pending_interrupts",
        &pending,
        &vector["pending_interrupts"],
    );
    let failures = vector
        .get("patch_failures")
        .cloned()
        .unwrap_or(0usize.into());
    assert_same(vector, "patch_failures", &patch_failures.into(), &failures);
}
