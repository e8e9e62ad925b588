//! What to do about a run that broke off, told with its error.

use std::task::{Context, Poll};

use agui::agent::{AgentError, EventSource};
use agui::{EventStream, ReceivedEvent};

/// The stream, with what to do about it in its error.
pub(crate) fn advised(stream: EventStream) -> EventStream {
    EventStream::new(HintedAgent(stream))
}

struct HintedAgent(EventStream);

impl EventSource for HintedAgent {
    #[inline]
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        match self.0.poll_into(context, slot) {
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(with_advice(&error)))),
            polled => polled,
        }
    }
}

#[cold]
fn with_advice(error: &AgentError) -> AgentError {
    let code = error.code();
    let message = match advice(code) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    };
    AgentError::Failed { code, message }
}

/// What to do about an error, by its code.
fn advice(code: &str) -> Option<&'static str> {
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
        "limit" => "make the agent say less in one run, or raise its max_answer",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn an_error_keeps_its_code_and_says_what_to_do() {
        struct HintedStream;
        impl EventSource for HintedStream {
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
        let mut stream = advised(EventStream::new(HintedStream));
        let mut slot = ReceivedEvent::default();
        let ended = poll_fn(|context| stream.poll_into(context, &mut slot)).await;
        let Some(Err(error)) = ended else {
            panic!("it broke off");
        };
        assert_eq!(error.code(), "upstream_truncated");
        assert!(error.to_string().starts_with("it stopped; "), "{error}");
    }
}
