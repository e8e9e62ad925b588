//! Runs that are not stored: requests for suggestions.

use std::sync::Arc;

use agui::downgrade::{ClientRelease, EventFormat};
use agui::event::{Event, RunError, RunFinished, RunStarted};
use agui::model::RunAgentInput;
use agui::negotiate::Encoding;
use agui::{EventStream, ReceivedEvent};
use axum::response::Response;
use gateway::{AgentEntry, RunRequest};
use json::Text;

use super::RuntimeRequest;
use super::runs::can_suggest;
use crate::event_response;
use crate::stream_body::{PieceSender, StreamBody};

/// Pieces that may wait for the client.
const WAITING_PIECES: usize = 64;

/// Streams the events of an agent without storing them. An agent that cannot suggest ends at once.
pub(super) fn stream(
    request: &RuntimeRequest,
    agent: &Arc<AgentEntry>,
    run: RunRequest,
) -> Response {
    let format = EventFormat {
        encoding: Encoding::Sse,
        release: ClientRelease::of(&run.input),
    };
    let (sender, body) = StreamBody::channel(WAITING_PIECES);
    if can_suggest(agent) {
        let principal = request.caller.principal.clone();
        let gateway = &request.app.gateway;
        let events = gateway.run_unstored(agent, principal, &request.headers, run.input);
        tokio::spawn(async move {
            // A client that disconnects ends the run.
            tokio::select! {
                () = forward(events, &sender, format) => {}
                () = sender.closed() => {}
            }
        });
    } else {
        tokio::spawn(async move {
            for event in empty_run(&run.input) {
                send(&sender, &event.to_json(), format).await;
            }
        });
    }
    event_response::streamed(format.encoding, body.into())
}

async fn forward(mut events: EventStream, sender: &PieceSender, format: EventFormat) {
    let mut slot = ReceivedEvent::default();
    while let Some(read) = events.next_into(&mut slot).await {
        match read {
            Ok(()) => {
                let mut json = String::new();
                slot.write_line(&mut json);
                send(sender, &json, format).await;
            }
            Err(error) => {
                let failed = RunError {
                    message: Text::from(error.to_string()),
                    code: Some(Text::from("upstream_protocol")),
                    usage: None,
                };
                send(sender, &Event::from(failed).to_json(), format).await;
                return;
            }
        }
    }
}

async fn send(sender: &PieceSender, json: &str, format: EventFormat) {
    if let Some(json) = format.downgrade(json) {
        // The client may have disconnected.
        let _ = sender.data(&json).await;
    }
}

fn empty_run(input: &RunAgentInput) -> [Event; 2] {
    let (thread_id, run_id) = (Text::from(&*input.thread_id), Text::from(&*input.run_id));
    let started = RunStarted {
        thread_id: thread_id.clone(),
        run_id: run_id.clone(),
        protocol_version: None,
        parent_run_id: None,
        input: None,
    };
    let finished = RunFinished {
        thread_id,
        run_id,
        outcome: None,
        result: None,
        usage: None,
    };
    [started.into(), finished.into()]
}
