//! Inputs of the fuzz target, also run with fixed seeds by the tests.

use canvas::{CanvasMessage, text_form, to_events};
use json::Value;

/// Checks any bytes as a message. What is accepted must be stable and presentable.
pub(crate) fn message(data: &[u8]) {
    let Some(message) = std::str::from_utf8(data)
        .ok()
        .and_then(|text| Value::parse(text).ok())
    else {
        return;
    };
    match canvas::check(message, "c") {
        Err(error) => assert!(!error.errors.is_empty()),
        Ok(checked) => accepted(&checked.message),
    }
}

fn accepted(message: &CanvasMessage) {
    let envelope = message.to_envelope("m", "c", 0);
    assert_eq!(
        CanvasMessage::from_envelope(&envelope).map(|it| it.payload),
        Some(message.payload.clone())
    );
    let mut again = envelope.clone();
    again.as_object_mut().expect("an object").remove("id");
    let again = canvas::check(again, "c").expect("an accepted message is accepted again");
    assert!(again.repairs.is_empty(), "{:?}", again.repairs);
    assert_eq!(again.message.payload.to_json(), message.payload.to_json());
    assert!(!to_events(message, "m", &envelope).is_empty());
    let _ = text_form(message);
}
