//! A run as a client asks for it.

use agui::input::read_request;
use agui::model::RunAgentInput;
use json::{Json, Map, Value};
use store::{RunId, ThreadId};

use super::seen::numbered;
use crate::error::{ApiError, ErrorCode};

/// A run that a client asks for.
#[derive(Debug)]
pub(crate) struct RunRequest {
    /// As the protocol describes it.
    pub(crate) input: RunAgentInput,
    /// As it is stored: as it was sent, with the ids that the server gave to thread and run.
    pub(crate) sent: Json,
    /// Where a new thread branches off.
    pub(crate) parent: Option<(ThreadId, RunId)>,
}

impl RunRequest {
    /// Reads the body of a request. Ids that are missing are made up: those of thread and run by `new_id`, those
    /// of messages from the run's, so that the stored input can be read again.
    pub(crate) fn read(body: &[u8], mut new_id: impl FnMut() -> String) -> Result<Self, ApiError> {
        let mut incomplete = false;
        let ids = || {
            incomplete = true;
            new_id()
        };
        let mut read = read_request(body, ids)?;
        let text = String::from_utf8_lossy(body);
        let mut text = text.trim_start_matches('\u{feff}').to_owned();
        let branches = read.removed.iter().any(|path| path == "/parentThreadId");
        let mut members = Map::new();
        if incomplete || branches {
            members = members_of(&text)?;
        }
        if incomplete {
            let given = [
                ("threadId", &read.input.thread_id),
                ("runId", &read.input.run_id),
            ];
            for (key, id) in given {
                if members.get(key).is_none_or(|id| *id == Value::Null) {
                    members.insert(key.to_owned(), id.as_str().into());
                }
            }
            text = Value::Object(members.clone()).to_json();
            read = read_request(text.as_bytes(), numbered(&read.input.run_id))?;
        }
        let parent = members.get("parentThreadId").and_then(Value::as_str);
        let parent = match (parent, &read.input.parent_run_id) {
            (Some(thread), Some(run)) => Some((ThreadId::new(thread)?, RunId::new(run)?)),
            _ => None,
        };
        Ok(Self {
            input: read.input,
            sent: Json::parse(text).map_err(not_json)?,
            parent,
        })
    }
}

fn members_of(text: &str) -> Result<Map, ApiError> {
    match Value::parse(text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(not_json(error)),
    }
}

pub(super) fn not_json(error: json::JsonError) -> ApiError {
    ApiError::new(
        ErrorCode::InvalidJson,
        error.to_string(),
        "send a RunAgentInput",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> RunRequest {
        let mut count = 0;
        let new_id = || {
            count += 1;
            format!("new-{count}")
        };
        RunRequest::read(body.as_bytes(), new_id).expect("an input")
    }

    #[test]
    fn a_complete_input_is_stored_as_it_was_sent() {
        let body = r#"{ "runId":"r", "threadId":"t","messages":[{"id":"m","role":"user","content":"q"}],"odd":1 }"#;
        assert_eq!(read(body).sent.to_json(), body);
    }

    #[test]
    fn what_is_made_up_is_the_same_when_it_is_read_again() {
        let first =
            read(r#"{"messages":[{"role":"user","content":"q"},{"role":"user","content":"p"}]}"#);
        assert_eq!(first.input.thread_id, "new-1");
        let ids: Vec<&str> = first.input.messages.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids, ["new-2-1", "new-2-2"]);
        let again = read_request(first.sent.to_json().as_bytes(), numbered("new-2"));
        assert_eq!(again.expect("an input").input, first.input);
    }

    #[test]
    fn a_branch_names_the_thread_and_the_run() {
        let body =
            r#"{"threadId":"t","runId":"r","parentThreadId":"p","parentRunId":"q","messages":[]}"#;
        let (thread, run) = read(body).parent.expect("a branch");
        assert_eq!((thread.as_str(), run.as_str()), ("p", "q"));
        let body = r#"{"threadId":"t","runId":"r","parentRunId":"q","messages":[]}"#;
        assert!(read(body).parent.is_none());
    }
}
