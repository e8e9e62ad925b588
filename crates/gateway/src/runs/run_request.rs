//! Request of a client to run an agent.

use std::collections::HashSet;
use std::sync::Arc;

use agui::Agent;
use agui::input::{read_request, rename_snake_case};
use agui::model::{Message, RunAgentInput};
use json::{Json, Map, Value};
use store::{RunId, ThreadId};

use super::run_view::sequential_ids;
use crate::error::GatewayError;

/// Run that a client requests.
#[derive(Debug)]
pub struct RunRequest {
    /// Input as the protocol describes it.
    pub input: RunAgentInput,
    /// Input as it is stored: as the client sent it, with the ids that were generated for thread and run.
    pub(crate) sent: Json,
    /// Run that a new thread branches off.
    pub(crate) parent: Option<(ThreadId, RunId)>,
    /// True if a branch begins with the messages and the memory of its parent. False for a branch that replaces the
    /// first question.
    pub(crate) inherits: bool,
    /// Change of the agent for this run.
    pub(crate) wrapper: AgentWrapper,
}

/// Change of an agent for one run, such as events before and after its own.
#[derive(Default)]
pub(crate) struct AgentWrapper(Option<WrapFunction>);

type WrapFunction = Box<dyn FnOnce(Arc<dyn Agent>) -> Arc<dyn Agent> + Send>;

impl AgentWrapper {
    pub(crate) fn new(
        wrap: impl FnOnce(Arc<dyn Agent>) -> Arc<dyn Agent> + Send + 'static,
    ) -> Self {
        Self(Some(Box::new(wrap)))
    }

    /// Returns the agent as it runs.
    pub(crate) fn apply(self, agent: Arc<dyn Agent>) -> Arc<dyn Agent> {
        match self.0 {
            Some(wrap) => wrap(agent),
            None => agent,
        }
    }
}

impl std::fmt::Debug for AgentWrapper {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("AgentWrapper")
            .field(&self.0.is_some())
            .finish()
    }
}

impl RunRequest {
    /// Reads the body of a request. Missing ids of thread and run come from `new_id`. Missing ids of messages are
    /// derived from the id of the run, so that the stored input can be read again.
    pub fn read(body: &[u8], mut new_id: impl FnMut() -> String) -> Result<Self, GatewayError> {
        let mut is_incomplete = false;
        let ids = || {
            is_incomplete = true;
            new_id()
        };
        let mut read = read_request(body, ids)?;
        let text = String::from_utf8_lossy(body);
        let mut text = text.trim_start_matches('\u{feff}').to_owned();
        let is_branch = read.removed.iter().any(|path| path == "/parentThreadId");
        let mut members = Map::new();
        if is_incomplete || is_branch {
            members = members_of(&text)?;
        }
        if is_incomplete {
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
            read = read_request(text.as_bytes(), sequential_ids(&read.input.run_id))?;
        }
        let parent = members.get("parentThreadId").and_then(Value::as_str);
        let parent = match (parent, &read.input.parent_run_id) {
            (Some(thread), Some(run)) => Some((ThreadId::new(thread)?, RunId::new(run)?)),
            _ => None,
        };
        let inherits = members.get("inheritMessages") != Some(&Value::Bool(false));
        Ok(Self {
            input: read.input,
            sent: Json::parse(text)?,
            parent,
            inherits,
            wrapper: AgentWrapper::default(),
        })
    }

    /// Inserts messages before those of the request. Returns false if the request already contains one of them.
    pub(super) fn prepend_messages(&mut self, messages: &[Message]) -> Result<bool, GatewayError> {
        let own = &self.input.messages;
        let ids: HashSet<&str> = own.iter().map(|own| own.id.as_str()).collect();
        if messages.is_empty()
            || messages
                .iter()
                .any(|message| ids.contains(message.id.as_str()))
        {
            return Ok(false);
        }
        let mut sent = self.sent.value().into_owned();
        let mut all = Vec::with_capacity(messages.len() + own.len());
        for message in messages {
            all.push(Value::parse(&message.to_json())?);
        }
        if let Some(map) = sent.as_object_mut() {
            if let Some(Value::Array(own)) = map.get("messages") {
                all.extend(own.iter().cloned());
            }
            map.insert("messages".to_owned(), Value::Array(all));
        }
        self.sent = Json::from(sent);
        self.input.messages.splice(0..0, messages.iter().cloned());
        Ok(true)
    }
}

fn members_of(text: &str) -> Result<Map, GatewayError> {
    match Value::parse(text)? {
        Value::Object(mut members) => {
            rename_snake_case(&mut members);
            Ok(members)
        }
        _ => Ok(Map::new()),
    }
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
    fn a_complete_input_is_stored_unchanged() {
        let body = r#"{ "runId":"r", "threadId":"t","messages":[{"id":"m","role":"user","content":"q"}],"odd":1 }"#;
        assert_eq!(read(body).sent.to_json(), body);
    }

    #[test]
    fn generated_ids_are_the_same_when_the_stored_input_is_read() {
        let first =
            read(r#"{"messages":[{"role":"user","content":"q"},{"role":"user","content":"p"}]}"#);
        assert_eq!(first.input.thread_id, "new-1");
        let ids: Vec<&str> = first.input.messages.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids, ["new-2-1", "new-2-2"]);
        let again = read_request(first.sent.to_json().as_bytes(), sequential_ids("new-2"));
        assert_eq!(again.expect("an input").input, first.input);
    }

    #[test]
    fn ids_in_snake_case_count() {
        let body = r#"{"thread_id":"t","run_id":"r","parent_thread_id":"p","parent_run_id":"q","messages":[]}"#;
        let request = read(body);
        assert_eq!(
            (&*request.input.thread_id, &*request.input.run_id),
            ("t", "r")
        );
        assert_eq!(request.sent.to_json(), body, "it is stored as it was sent");
        let (thread, run) = request.parent.expect("a branch");
        assert_eq!((thread.as_str(), run.as_str()), ("p", "q"));
        let partial = read(r#"{"thread_id":"t","messages":[]}"#);
        assert_eq!(partial.input.thread_id, "t");
        let again = read_request(partial.sent.to_json().as_bytes(), String::new);
        assert_eq!(again.expect("an input").input, partial.input);
    }

    #[test]
    fn a_branch_names_the_thread_and_the_run() {
        let body =
            r#"{"threadId":"t","runId":"r","parentThreadId":"p","parentRunId":"q","messages":[]}"#;
        let (thread, run) = read(body).parent.expect("a branch");
        assert_eq!((thread.as_str(), run.as_str()), ("p", "q"));
        let body = r#"{"threadId":"t","runId":"r","parentRunId":"q","messages":[]}"#;
        assert!(read(body).parent.is_none());
        let body = r#"{"threadId":"t","runId":"r","parentThreadId":"p","parentRunId":"q","inheritMessages":false,"messages":[]}"#;
        assert!(read(body).parent.is_some() && !read(body).inherits);
    }
}
