//! Hints in the errors of upstream agents.

use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource};
use agui::{EventStream, ReceivedEvent};

/// Returns the stream with a hint added to its error.
pub(crate) fn with_error_hints(stream: EventStream) -> EventStream {
    EventStream::new(HintedStream(stream))
}

struct HintedStream(EventStream);

impl EventSource for HintedStream {
    #[inline]
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        match self.0.poll_into(context, slot) {
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(add_hint(&error)))),
            polled => polled,
        }
    }
}

#[cold]
fn add_hint(error: &AgentError) -> AgentError {
    let code = error.code();
    let message = match hint_for(code) {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    };
    AgentError::Failed { code, message }
}

/// Returns the hint for an error code.
fn hint_for(code: &str) -> Option<&'static str> {
    Some(match code {
        "upstream_unreachable" => {
            "start the agent, or correct its url in the configuration; then run it with a new runId"
        }
        "upstream_timeout" => {
            "find out what holds the agent up, or raise its timeout; then run it with a new runId"
        }
        "upstream_truncated" => {
            "the agent's log may say why it stopped; run it again with a new runId"
        }
        "upstream_status" => "the agent's log may say why; its url must take AG-UI runs",
        "upstream_protocol" => {
            "the agent breaks AG-UI: record it with pincite stream run --record, see pincite stream check"
        }
        "limit" => "make the agent say less in one run, or raise its max_answer_bytes",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn an_error_keeps_its_code_and_gains_a_hint() {
        struct FailingStream;
        impl EventSource for FailingStream {
            fn poll_into(
                &mut self,
                _: &mut Context<'_>,
                _: &mut ReceivedEvent,
            ) -> Poll<Option<Result<(), AgentError>>> {
                Poll::Ready(Some(Err(AgentError::Failed {
                    code: "upstream_truncated",
                    message: "it stopped".to_owned(),
                })))
            }
        }
        let mut stream = with_error_hints(EventStream::new(FailingStream));
        let mut slot = ReceivedEvent::default();
        let ended = poll_fn(|context| stream.poll_into(context, &mut slot)).await;
        let Some(Err(error)) = ended else {
            panic!("the stream fails");
        };
        assert_eq!(error.code(), "upstream_truncated");
        assert!(error.to_string().starts_with("it stopped; "), "{error}");
    }
}
