//! Tests of the canvas: messages, components, updates, actions, events, catalog.

mod actions;
mod catalog;
mod components;
mod events;
#[path = "../fuzz/mod.rs"]
mod fuzz;
mod messages;
mod properties;

use canvas::{CheckedMessage, InvalidMessage};
use json::Value;

/// Checks a message in JSON that is sent to the conversation `c`.
fn check(message: &str) -> Result<CheckedMessage, InvalidMessage> {
    canvas::check(Value::parse(message).expect("JSON"), "c")
}

/// Checks a payload of a kind.
fn check_payload(kind: &str, payload: &str) -> Result<CheckedMessage, InvalidMessage> {
    check(&format!(
        r#"{{"type":"{kind}","agentId":"a","payload":{payload}}}"#
    ))
}

/// Checks the data of a component.
fn check_data(component: &str, data: &str) -> Result<CheckedMessage, InvalidMessage> {
    check_payload(
        "ui",
        &format!(r#"{{"component":"{component}","data":{data}}}"#),
    )
}

/// Returns path and code of every error.
fn faults(result: Result<CheckedMessage, InvalidMessage>) -> Vec<(String, &'static str)> {
    let errors = result.expect_err("an invalid message").errors;
    errors
        .into_iter()
        .map(|error| (error.path, error.code))
        .collect()
}

/// Returns the only error as path and code.
fn fault(result: Result<CheckedMessage, InvalidMessage>) -> (String, &'static str) {
    let faults = faults(result);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.into_iter().next().expect("one error")
}
