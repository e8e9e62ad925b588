//! Segments of a run: clients of older releases answer an interrupt under the id of the interrupted run.

use std::sync::Arc;

use documents::ContentId;
use json::{Json, Value};
use store::{Principal, RunId, RunStatus, Store, StoreError, ThreadId};

/// Character between the id of a run and the digits of a segment.
const SEPARATOR: char = '#';
/// Number of digits that tell the segments of a run apart.
const DIGITS: usize = 16;

/// Returns true if a stored run is the run that a client means, or one of its segments.
pub fn is_segment_of(stored: &str, run: &str) -> bool {
    let rest = stored.strip_prefix(run);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATOR))
}

/// Returns the id under which a run is stored. It is that of the input, unless the input answers an interrupt under the
/// id of the interrupted run: that is a new segment, and the answer is part of its identity.
pub(crate) async fn stored_run_id(
    store: &Arc<dyn Store>,
    principal: &Principal,
    thread: &ThreadId,
    run: RunId,
    sent: &Json,
) -> Result<RunId, StoreError> {
    let answers = answers_of(sent);
    if answers == Value::Null {
        return Ok(run);
    }
    let known = store.run(principal, thread, &run).await?;
    if known.is_none_or(|known| known.status != RunStatus::Interrupted) {
        return Ok(run);
    }
    // A repeated request means the run that it started.
    let before = store.input(principal, thread, &run).await?;
    let before = before.and_then(|input| Json::parse(String::from_utf8(input.into()).ok()?).ok());
    if before.is_some_and(|before| answers_of(&before) == answers) {
        return Ok(run);
    }
    let mut digits = ContentId::of(answers.to_json().as_bytes()).to_string();
    digits.truncate(DIGITS);
    RunId::new(&format!("{run}{SEPARATOR}{digits}"))
}

/// Returns the answers to interrupts in an input; `Null` if there are none.
fn answers_of(input: &Json) -> Value {
    match input.value().get("resume") {
        Some(Value::Array(answers)) if !answers.is_empty() => Value::Array(answers.clone()),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_belong_to_their_run_only() {
        assert!(is_segment_of("r", "r"));
        assert!(is_segment_of("r#0123456789abcdef", "r"));
        assert!(!is_segment_of("r2", "r"));
        assert!(!is_segment_of("q#r", "r"));
    }

    #[test]
    fn an_empty_answer_is_none() {
        for (input, is_answer) in [
            (
                r#"{"resume":[{"interruptId":"i","status":"cancelled"}]}"#,
                true,
            ),
            (r#"{"resume":[]}"#, false),
            (r#"{"resume":null}"#, false),
            ("{}", false),
        ] {
            let answers = answers_of(&Json::parse(input).expect("JSON"));
            assert_eq!(answers != Value::Null, is_answer, "{input}");
        }
    }
}
