//! What the layer costs on a stream that cites nothing, and on one that does:
//! `cargo test --release -p citations --test layer_speed -- --ignored --nocapture`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use agui::agent::{Agent, AgentError, AgentFn, EventSource, EventStream};
use agui::model::RunAgentInput;
use agui::pipeline::Pipeline;
use agui::sse::SseDecoder;
use agui::{ReceivedEvent, sse};
use citation_stream::{CitationLayer, DocumentVerifier, LayerHost, LayerOptions, Timer};
use json::Json;

struct Program;

impl LayerHost for Program {
    fn now(&self) -> u64 {
        0
    }

    fn sleep(&self, _: Duration) -> Timer {
        Box::pin(std::future::pending())
    }

    fn new_id(&self) -> String {
        "id".to_owned()
    }
}

/// A stream that is decoded as it is polled, as from a network in one read.
struct Read(SseDecoder);

impl EventSource for Read {
    fn poll_into(
        &mut self,
        _: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        let next = self.0.next_into(slot);
        Poll::Ready(next.map(|read| read.map_err(|error| AgentError::Stream(error.into()))))
    }
}

fn read(bytes: &[u8]) -> EventStream {
    let mut decoder = SseDecoder::new();
    decoder.push(bytes);
    decoder.finish();
    EventStream::new(Read(decoder))
}

/// A run with so many deltas, and so many citations at the end.
fn stream(deltas: usize, citations: usize) -> Vec<u8> {
    let mut text = String::new();
    let mut event = |json: String| {
        let _ = write!(text, "data: {json}\n\n");
    };
    event(r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned());
    event(r#"{"type":"TEXT_MESSAGE_START","messageId":"m-1","role":"assistant"}"#.to_owned());
    let delta = |words: &str| {
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"{words}"}}"#)
    };
    for n in 0..deltas {
        event(delta(if n % 7 == 6 {
            " one [1],"
        } else {
            " some words"
        }));
    }
    if citations > 0 {
        event(delta("<<<CITATION_DATA>>>["));
        for n in 0..citations {
            let comma = if n > 0 { "," } else { "" };
            event(delta(&format!(
                r#"{comma}{{\"id\":{n},\"attachment_id\":\"gone\",\"full_phrase\":\"phrase number {n}\",\"page_id\":\"2_1\"}}"#
            )));
        }
        event(delta("]<<<END_CITATION_DATA>>>"));
    }
    event(r#"{"type":"TEXT_MESSAGE_END","messageId":"m-1"}"#.to_owned());
    event(r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#.to_owned());
    text.into_bytes()
}

fn input() -> RunAgentInput {
    RunAgentInput {
        thread_id: "t".to_owned(),
        run_id: "r".to_owned(),
        protocol_version: None,
        parent_run_id: None,
        state: Some(Json::parse("{}").expect("JSON")),
        messages: Vec::new(),
        tools: Vec::new(),
        context: Vec::new(),
        forwarded_props: None,
        resume: None,
    }
}

/// Reads a stream to its end and writes it again; how many events it had.
fn drain(mut stream: EventStream) -> usize {
    let mut context = Context::from_waker(Waker::noop());
    let mut slot = ReceivedEvent::default();
    let mut out = String::new();
    let mut events = 0;
    while let Poll::Ready(Some(read)) = stream.poll_into(&mut context, &mut slot) {
        read.expect("a good stream");
        events += 1;
        out.clear();
        sse::encode_received(&slot, &mut out);
    }
    events
}

/// The best of many runs: the machine is shared.
fn best(mut run: impl FnMut() -> usize) -> Duration {
    let measure = |_| {
        let start = Instant::now();
        assert!(run() > 0);
        start.elapsed()
    };
    (0..200).map(measure).min().unwrap_or_default()
}

#[test]
#[ignore = "measures"]
#[expect(clippy::print_stdout, reason = "it is what the test is for")]
fn what_the_layer_costs() {
    for (deltas, citations) in [(200, 0), (5_000, 0), (20_000, 0), (200, 10), (200, 1_000)] {
        let bytes: Arc<[u8]> = stream(deltas, citations).into();
        let plain = best(|| drain(read(&bytes)));
        let staged = best(|| {
            let mut pipeline = Pipeline::new(|| "id".to_owned());
            let mut stream = read(&bytes);
            let mut context = Context::from_waker(Waker::noop());
            let mut slot = ReceivedEvent::default();
            let (mut events, mut out) = (0, String::new());
            while let Poll::Ready(Some(read)) = stream.poll_into(&mut context, &mut slot) {
                read.expect("a good stream");
                let processed = pipeline.process(&slot, |_| {}, |_| events += 1);
                processed.expect("the rules are kept");
                out.clear();
                sse::encode_received(&slot, &mut out);
            }
            events
        });
        let source = Arc::clone(&bytes);
        let agent = AgentFn(move |_| read(&source));
        let layer = CitationLayer::new(
            agent,
            DocumentVerifier::default(),
            Program,
            LayerOptions::default(),
        );
        let layered = best(|| drain(layer.run(input())));
        println!(
            "{deltas:>6} deltas {citations:>5} citations: read and write {plain:>9.1?}, with the rules {staged:>9.1?}, with the layer {layered:>9.1?}"
        );
    }
}
