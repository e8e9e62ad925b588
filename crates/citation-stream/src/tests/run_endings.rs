//! Ends of a stream: errors, broken connections, cancelled runs.

use std::collections::VecDeque;

use agui::agent::EventSource;
use agui::sse::SseError;
use agui::stream::StreamError;
use agui_http::client::{HttpError, TimeoutPhase};

use super::*;
use crate::{StopReason, StopSignal};

/// Event source that plays a script and then ends or stays silent.
struct Script {
    said: VecDeque<Result<ReceivedEvent, AgentError>>,
    ends: bool,
}

impl EventSource for Script {
    fn poll_into(
        &mut self,
        _: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        match self.said.pop_front() {
            Some(said) => Poll::Ready(Some(said.map(|event| *slot = event))),
            None if self.ends => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

fn agent(events: Vec<Event>, last: Option<AgentError>, ends: bool) -> impl Agent {
    let said = events
        .into_iter()
        .map(|event| Ok(ReceivedEvent::Typed(event)));
    let said = said.chain(last.map(Err)).collect();
    let script = Mutex::new(Some(Script { said, ends }));
    AgentFn(move |_| EventStream::new(script.lock().expect("no panic").take().expect("one run")))
}

fn reset() -> AgentError {
    AgentError::from(HttpError::Truncated {
        events: 2,
        error: None,
    })
}

fn silence() -> AgentError {
    AgentError::from(HttpError::Timeout {
        waiting: TimeoutPhase::Idle,
        limit: Duration::from_secs(1),
    })
}

fn garbage() -> AgentError {
    let read = agui::EventReader::new().read(Text::from("{"));
    AgentError::Stream(StreamError::Sse(SseError::Event(
        read.expect_err("no event"),
    )))
}

async fn ended(agent: impl Agent) -> (Vec<String>, Result<(), AgentError>) {
    let host = TestHost::paused();
    let (client, end) = run_agent(LayerOptions::default(), &host, input(Some("{}")), agent).await;
    (client.kinds(), end)
}

#[tokio::test(start_paused = true)]
async fn sends_nothing_after_an_error() {
    for (more, last) in [
        (vec![], None),
        (vec![start("m")], None),
        (vec![failed("again")], None),
        (vec![finished()], None),
        (vec![], Some(garbage())),
        (vec![], Some(reset())),
        (vec![], Some(silence())),
    ] {
        let said = format!("{more:?} {last:?}");
        let events = [vec![started(), failed("gone")], more].concat();
        let (kinds, end) = ended(agent(events, last, true)).await;
        assert_eq!(kinds, ["RUN_STARTED", "RUN_ERROR"], "{said}");
        assert!(end.is_ok(), "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn accepts_a_run_after_an_error() {
    let events = vec![started(), failed("gone"), started(), finished()];
    let (kinds, end) = ended(agent(events, None, true)).await;
    let all = ["RUN_STARTED", "RUN_ERROR", "RUN_STARTED", "RUN_FINISHED"];
    assert_eq!(kinds, all);
    assert!(end.is_ok());
}

#[tokio::test(start_paused = true)]
async fn ignores_a_connection_error_after_the_run() {
    for (last, code) in [
        (reset(), None),
        (silence(), None),
        (garbage(), Some("upstream_protocol")),
    ] {
        let events = vec![started(), finished()];
        let (kinds, end) = ended(agent(events, Some(last), true)).await;
        assert_eq!(kinds, ["RUN_STARTED", "RUN_FINISHED"]);
        assert_eq!(end.err().map(|error| error.code()), code);
    }
    let (_, end) = ended(agent(vec![started()], Some(reset()), true)).await;
    assert_eq!(end.expect_err("it is open").code(), "upstream_truncated");
    let (kinds, end) = ended(agent(vec![], Some(silence()), true)).await;
    assert_eq!(kinds, ["RUN_STARTED*"]);
    assert_eq!(end.expect_err("it never began").code(), "upstream_timeout");
}

#[tokio::test(start_paused = true)]
async fn starts_a_run_for_an_error_that_comes_first() {
    let (kinds, end) = ended(agent(vec![failed("away")], None, true)).await;
    assert_eq!(kinds, ["RUN_STARTED*", "RUN_ERROR"]);
    assert!(end.is_ok());

    // The client has the state of the thread, as at the start of any run.
    let host = TestHost::paused();
    *host.stored.lock().expect("no panic") = Some(json(r#"{"x":1}"#));
    let away = agent(vec![failed("away")], None, true);
    let (client, _) = run_agent(LayerOptions::default(), &host, input(None), away).await;
    let all = ["RUN_STARTED*", "STATE_SNAPSHOT*", "RUN_ERROR"];
    assert_eq!(client.kinds(), all);
    assert_eq!(client.at(&["x"]), "1");
}

/// Host that stops the run as soon as the agent is silent.
struct Stopper(StopReason);

impl LayerHost for Stopper {
    fn now(&self) -> u64 {
        0
    }

    fn sleep(&self, _: Duration) -> Timer {
        Box::pin(std::future::pending())
    }

    fn new_id(&self) -> String {
        "ours".to_owned()
    }

    fn stop_signal(&self) -> Option<StopSignal> {
        Some(Box::pin(std::future::ready(self.0)))
    }
}

async fn stopped(stop: StopReason, agent: impl Agent) -> (Vec<String>, Result<(), AgentError>) {
    let layer = CitationLayer::new(agent, library(), Stopper(stop), LayerOptions::default());
    let mut client = TestClient::new(&input(Some("{}")));
    let mut stream = layer.run(input(Some("{}")));
    let mut slot = ReceivedEvent::default();
    while let Some(read) = stream.next_into(&mut slot).await {
        match read {
            Ok(()) => client.take(&slot),
            Err(error) => return (client.kinds(), Err(error)),
        }
    }
    (client.kinds(), Ok(()))
}

const SHUTDOWN: StopReason = StopReason::Failed {
    code: "shutdown",
    message: "the server was shut down",
};

#[tokio::test]
async fn does_not_stop_a_run_that_has_ended() {
    for stop in [StopReason::Cancelled, SHUTDOWN] {
        for last in [finished(), failed("gone")] {
            let kind = last.kind().as_str();
            let (kinds, end) = stopped(stop, agent(vec![started(), last], None, false)).await;
            assert_eq!(kinds, ["RUN_STARTED", kind]);
            assert!(end.is_ok());
        }
        let (kinds, end) = stopped(stop, agent(vec![], None, false)).await;
        assert_eq!(kinds[0], "RUN_STARTED*");
        assert_eq!(end.is_ok(), stop == StopReason::Cancelled);
    }
}

#[tokio::test]
async fn closes_legacy_events_in_their_legacy_form() {
    let read = |text: &str| {
        let event = agui::EventReader::new().read(Text::from(text));
        Ok(event.expect("an event"))
    };
    let said = VecDeque::from([
        read(r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#),
        read(r#"{"type":"THINKING_START","title":"Hm"}"#),
        read(r#"{"type":"THINKING_TEXT_MESSAGE_START"}"#),
        read(r#"{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"So"}"#),
        read(r#"{"type":"REASONING_MESSAGE_START","messageId":"own","role":"reasoning"}"#),
    ]);
    let script = Mutex::new(Some(Script { said, ends: false }));
    let agent =
        AgentFn(move |_| EventStream::new(script.lock().expect("no panic").take().expect("one")));
    // The client gives its own ids to events without one and would reject ours.
    let (kinds, end) = stopped(StopReason::Cancelled, agent).await;
    assert_eq!(
        kinds[5..],
        [
            "REASONING_MESSAGE_END*",
            "THINKING_TEXT_MESSAGE_END*",
            "THINKING_END*",
            "RUN_FINISHED*"
        ]
    );
    assert!(end.is_ok());
}
