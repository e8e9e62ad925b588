//! Short runs: events of a posted message as a run of their own.

use std::future::poll_fn;
use std::sync::Arc;

use agui::agent::AgentFn;
use agui::event::{RunFinished, RunStarted};
use agui::model::RunAgentInput;
use agui::negotiate::Encoding;
use agui::{Agent, Event, EventStream};
use http::HeaderMap;
use json::Text;
use parking_lot::Mutex;
use store::StoreError;

use crate::agents::{AgentEntry, BuiltInAgent};
use crate::error::GatewayError;
use crate::gateway::{AgentRunRequest, Gateway};
use crate::runs::{Key, RunRequest, messages_json};

impl Gateway {
    /// Runs events as an agent's answer and waits until they are stored.
    pub(super) async fn run_events(
        &self,
        key: &Key,
        run: &str,
        agent: &str,
        events: &[Event],
        end: RunFinished,
    ) -> Result<(), GatewayError> {
        let request = self.run_request(key, run, "{}", "[]").await?;
        let scripted = script(events, end);
        let run = AgentRunRequest {
            name: agent.to_owned(),
            agent: Arc::new(AgentEntry::BuiltIn(BuiltInAgent {
                agent: scripted,
                samples: Vec::new(),
            })),
            principal: key.0.clone(),
            request,
            headers: HeaderMap::new(),
            encoding: Encoding::Sse,
            after: None,
        };
        let mut subscriber = self.run_agent(run).await?;
        while poll_fn(|context| subscriber.poll_bytes(context))
            .await
            .is_some()
        {}
        Ok(())
    }

    /// Returns the request of a run that continues the conversation as it is. `forwarded_props` and `resume` are JSON.
    pub(super) async fn run_request(
        &self,
        key: &Key,
        run: &str,
        forwarded_props: &str,
        resume: &str,
    ) -> Result<RunRequest, GatewayError> {
        let (principal, thread) = key;
        let messages = match self
            .store
            .messages(principal, thread, None, usize::MAX)
            .await
        {
            Ok(page) => messages_json(&page.messages),
            Err(StoreError::NotFound { .. }) => "[]".to_owned(),
            Err(error) => return Err(error.into()),
        };
        let mut body = String::from("{\"threadId\":");
        json::write_string(thread.as_str(), &mut body);
        body.push_str(",\"runId\":");
        json::write_string(run, &mut body);
        body.push_str(&format!(
            ",\"messages\":{messages},\"tools\":[],\"context\":[],\"forwardedProps\":{forwarded_props}"
        ));
        if resume != "[]" {
            body.push_str(&format!(",\"resume\":{resume}"));
        }
        body.push('}');
        RunRequest::read(body.as_bytes(), || self.new_id())
    }
}

/// Returns an agent that answers with these events once.
fn script(events: &[Event], end: RunFinished) -> Arc<dyn Agent> {
    let events = Mutex::new(events.to_vec());
    Arc::new(AgentFn(move |input: RunAgentInput| {
        let start = Event::from(RunStarted {
            thread_id: Text::from(input.thread_id.as_str()),
            run_id: Text::from(input.run_id.as_str()),
            protocol_version: None,
            parent_run_id: None,
            input: None,
        });
        let answer = std::mem::take(&mut *events.lock());
        let end = Event::from(end.clone());
        EventStream::of(std::iter::once(start).chain(answer).chain([end]))
    }))
}
