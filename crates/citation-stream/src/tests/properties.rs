//! Property: after every event the client has the state that the ledger describes, and every patch applies.

use std::future::Future;
use std::pin::Pin;
use std::task::Waker;

use agui::agent::EventSource;
use proptest::prelude::*;

use super::*;
use crate::layer_stream::LayerStream;
use crate::ledger_json;
use crate::run_opening::RunOpening;

const IDS: [&str; 7] = ["m1", "m2", "a/b", "~1", "", "__proto__", "constructor"];
const STATES: [&str; 17] = [
    "{}",
    "null",
    "[1,{\"deepcitation\":2}]",
    "5",
    "\"text\"",
    r#"{"x":{"y":[1,2]}}"#,
    r#"{"deepcitation":5}"#,
    r#"{"deepcitation":{"citations":{},"verifications":{},"messages":{"m1":{"status":"complete"}}}}"#,
    r#"{"rag":{"citations":[],"qa_history":[]}}"#,
    r#"{"citations":{"m1":["https://x.example"]},"x":1}"#,
    r#"{"deepcit\u0061tion":7,"x":1}"#,
    r#"{"citations":{"m2":[{"id":"log","snippet":"Two boats were out"},{"snippet":"nowhere"}]}}"#,
    r#"{"rag":{"qa_history":[{"question":"q","answer":"a","citations":[{"index":7,"chunk_id":"c","document_id":"log","document_uri":"u","content":"High tide was at 12:04"}]}]}}"#,
    r#"{"x":1,"deepcitation":{"reviews":{"b4ba9bdb57544aa1":{"action":"opened","at":1}}}}"#,
    r#"{"rag":{"citation_index":{"c":{"index":2,"chunk_id":"c","document_id":"log","document_uri":"u","content":"Two boats were out"}},"citations":["c"]}}"#,
    r#"{"citations":{"m1":[],"constructor":[{"snippet":"High tide was at 12:04"}]}}"#,
    r#"{"citations":[[{"id":"log","snippet":"Two boats were out"}]],"rag":7}"#,
];
const PHRASES: [(&str, &str); 5] = [
    ("Two boats were out", "log"),
    ("Two boats were out", "code"),
    ("High tide was at 12:04", "log"),
    ("nowhere at all", "log"),
    ("No one saw them", "gone"),
];

#[derive(Debug, Clone)]
enum Step {
    Start(usize),
    /// Text with citations by marker and phrase, in deltas of that many characters.
    Say(usize, Vec<(u32, usize)>, usize),
    End(usize),
    Snapshot(usize),
    Patch(usize),
    /// A snapshot of messages with one citation each, or without text.
    Conversation(Vec<(usize, usize)>),
    /// A message as chunk events.
    Chunks(Vec<(u32, usize)>, usize),
    NextRun,
}

fn step() -> impl Strategy<Value = Step> {
    let id = 0..IDS.len();
    prop_oneof![
        3 => id.clone().prop_map(Step::Start),
        6 => (id.clone(), prop::collection::vec((1..4_u32, 0..PHRASES.len()), 0..4), 1..40_usize)
            .prop_map(|(id, cited, cut)| Step::Say(id, cited, cut)),
        3 => id.clone().prop_map(Step::End),
        2 => (0..STATES.len()).prop_map(Step::Snapshot),
        3 => (0..20_usize).prop_map(Step::Patch),
        2 => prop::collection::vec((id, 0..=PHRASES.len()), 0..4).prop_map(Step::Conversation),
        2 => (prop::collection::vec((1..4_u32, 0..PHRASES.len()), 0..3), 1..40_usize)
            .prop_map(|(cited, cut)| Step::Chunks(cited, cut)),
        1 => Just(Step::NextRun),
    ]
}

fn operations(which: usize) -> Vec<PatchOperation> {
    let one = || json("1");
    match which {
        0 => vec![PatchOperation::add("/x", one())],
        1 => vec![PatchOperation::remove("/x")],
        2 => vec![PatchOperation::add("", json("{}"))],
        3 => vec![PatchOperation::replace("", json("[]"))],
        4 => vec![PatchOperation::add("", json("null"))],
        5 => vec![PatchOperation::add("/deepcitation/messages", one())],
        6 => vec![PatchOperation::remove("/deepcitation")],
        7 => vec![PatchOperation::move_("/deepcitation", "/moved")],
        8 => vec![PatchOperation::copy("", "/copied")],
        9 => vec![PatchOperation::copy("/deepcitation", "/x")],
        10 => vec![PatchOperation::add("/rag/citations/0", one())],
        11 => vec![
            PatchOperation::add("/citations", json("{}")),
            PatchOperation::add("/y", one()),
        ],
        12 => vec![
            PatchOperation::add("/y", one()),
            PatchOperation::replace("/missing/x", one()),
        ],
        13 => vec![PatchOperation::add("/deepcitation/reviews", json("{}"))],
        14 => vec![
            PatchOperation::test("/x", one()),
            PatchOperation::add("/rag", one()),
        ],
        15 => vec![PatchOperation::move_("/x", "/deepcitation")],
        16 => vec![PatchOperation::replace("/rag/citations", json("[]"))],
        17 => vec![PatchOperation::add(
            "/citations/m1",
            json(r#"[{"snippet":"nowhere"}]"#),
        )],
        18 => vec![PatchOperation::remove("/citations/m2")],
        _ => vec![PatchOperation::remove("")],
    }
}

/// Returns a script that follows the protocol.
fn script(steps: &[Step]) -> Vec<Event> {
    let mut events = vec![started()];
    let mut open: Vec<usize> = Vec::new();
    for step in steps {
        match step {
            Step::Start(id) if !open.contains(id) => {
                open.push(*id);
                events.push(start(IDS[*id]));
            }
            Step::Say(id, cited, cut) if open.contains(id) => {
                let text = said(cited);
                let letters: Vec<char> = text.chars().collect();
                for piece in letters.chunks(*cut) {
                    events.push(delta(IDS[*id], &piece.iter().collect::<String>()));
                }
            }
            Step::End(id) if open.contains(id) => {
                open.retain(|open| open != id);
                events.push(end(IDS[*id]));
            }
            Step::Snapshot(state) => events.push(snapshot(STATES[*state])),
            Step::Patch(which) => events.push(patched(operations(*which))),
            Step::Conversation(messages) => {
                let messages = messages.iter().map(|(id, phrase)| {
                    let empty = *phrase == PHRASES.len();
                    let text = if empty {
                        String::new()
                    } else {
                        said(&[(1, *phrase)])
                    };
                    assistant(IDS[*id], &text)
                });
                events.push(conversation(messages));
            }
            Step::Chunks(cited, cut) => {
                let letters: Vec<char> = said(cited).chars().collect();
                events.extend(letters.chunks(*cut).map(|piece| {
                    theirs(agui::event::TextMessageChunk {
                        message_id: Some(Text::from("chunks")),
                        role: None,
                        delta: Some(Text::from(piece.iter().collect::<String>())),
                        name: None,
                    })
                }));
            }
            Step::NextRun => {
                events.extend(open.drain(..).map(|id| end(IDS[id])));
                events.extend([finished(), started()]);
            }
            Step::Start(_) | Step::Say(..) | Step::End(_) => {}
        }
    }
    if open.is_empty() {
        events.push(finished());
    } else {
        events.push(failed("enough"));
    }
    events
}

fn said(cited: &[(u32, usize)]) -> String {
    let items: Vec<(u32, &str, &str)> = cited
        .iter()
        .map(|(number, phrase)| (*number, PHRASES[*phrase].0, PHRASES[*phrase].1))
        .collect();
    format!("It is so [1].{}", block(&items))
}

/// Verifier whose checks are ready after some polls.
struct PolledVerifier(u32);

impl CitationVerifier for PolledVerifier {
    fn verify(&self, claim: CitationClaim) -> PendingCheck {
        let polls = claim.citation.full_phrase.as_ref().map_or(0, String::len);
        let polls = (u32::try_from(polls).unwrap_or(0) * 7) % (self.0 + 1);
        Box::pin(Countdown(polls, Some(library().check(&claim))))
    }
}

/// Future that is ready after a number of polls.
struct Countdown(u32, Option<CheckResult>);

impl Future for Countdown {
    type Output = CheckResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CheckResult> {
        if self.0 == 0 {
            return Poll::Ready(self.1.take().unwrap_or_default());
        }
        self.0 -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

fn layer_stream(
    options: &LayerOptions,
    input: &RunAgentInput,
    polls: u32,
    events: Vec<Event>,
) -> LayerStream {
    let host = TestHost::default();
    let agent = AgentFn(|_: RunAgentInput| EventStream::of([]));
    let layer = CitationLayer::new(agent, PolledVerifier(polls), host, options.clone());
    let handler = layer.open(input);
    LayerStream::new(EventStream::of(events), handler, Arc::clone(&layer.host))
}

/// Reads the stream to its end. After every event the client must have the state that the ledger describes.
fn read_all(stream: &mut LayerStream, client: &mut TestClient) -> Result<(), TestCaseError> {
    let mut slot = ReceivedEvent::default();
    let mut context = Context::from_waker(Waker::noop());
    let mut idle = 0;
    loop {
        match stream.poll_into(&mut context, &mut slot) {
            Poll::Ready(Some(read)) => {
                prop_assert!(read.is_ok(), "{:?}", read);
                client.take(&slot);
                check_removals(&slot)?;
                if stream.is_quiet() {
                    let published = &stream.handler().tracker().published;
                    let expected = published.client().whole(published.ledger());
                    prop_assert_eq!(client.state(), expected, "{}", client.events.join("\n"));
                }
                idle = 0;
            }
            Poll::Ready(None) => return Ok(()),
            Poll::Pending => {
                idle += 1;
                prop_assert!(idle < 200, "the stream makes no progress");
            }
        }
    }
}

/// Checks that a patch of the layer removes only whole messages, which were evicted or renamed, and citations without a
/// message.
fn check_removals(event: &ReceivedEvent) -> Result<(), TestCaseError> {
    if let ReceivedEvent::Typed(event) = event
        && event.common().timestamp.is_none()
        && let EventData::StateDelta(data) = event.data()
    {
        let is_allowed = data.delta.iter().all(|operation| {
            let is_cited = ["citations", "verifications"].iter().any(|name| {
                operation
                    .path
                    .starts_with(&format!("/deepcitation/{name}/"))
            });
            let message = ["/deepcitation/messages/", "/citations/"]
                .iter()
                .find_map(|list| operation.path.strip_prefix(list));
            let is_message = message.is_some_and(|id| !id.contains('/'));
            let is_last_list = &*operation.path == "/citations";
            match operation.op {
                json::patch::PatchOp::Add => true,
                json::patch::PatchOp::Remove => is_cited || is_message || is_last_list,
                _ => false,
            }
        });
        prop_assert!(is_allowed, "{}", event.to_json());
    }
    Ok(())
}

proptest! {

    #[test]
    fn keeps_the_client_state_equal_to_the_ledger(
        state in prop::option::of(0..STATES.len()),
        steps in prop::collection::vec(step(), 0..14),
        polls in 0..30_u32,
        keep_messages in 0..4_usize,
        max_checks in 1..4_usize,
        early: bool,
        hide_block: bool,
    ) {
        let options = LayerOptions {
            keep_messages,
            max_checks,
            early,
            hide_block,
            ..LayerOptions::default()
        };
        let input = input(state.map(|state| STATES[state]));
        let mut client = TestClient::new(&input);
        let mut stream = layer_stream(&options, &input, polls, script(&steps));
        read_all(&mut stream, &mut client)?;
        let end = client.kinds().last().cloned().unwrap_or_default();
        prop_assert!(end == "RUN_FINISHED" || end == "RUN_ERROR");
        let published = &stream.handler().tracker().published;
        let ledger = published.ledger();
        let uncited = ledger.entries().any(|entry| entry.messages.is_empty());
        prop_assert!(!uncited);
        let kept = ledger.messages().count();
        prop_assert!(keep_messages == 0 || kept <= keep_messages);
        // Every citation was verified: nothing is left open.
        for message in ledger.messages() {
            prop_assert_eq!(message.open, 0);
            let summary = message.summary;
            prop_assert_eq!(summary.pending, 0);
            prop_assert_eq!(
                summary.total,
                summary.verified + summary.partial + summary.missed
            );
        }
        // The next run restores the same state.
        let record = published.client().record(ledger);
        let memory = ThreadMemory { state: client.fold.state().clone(), record };
        let next = RunOpening::new(Some(&memory.state), Some(&memory), &options);
        prop_assert_eq!(next.client.whole(&next.ledger), client.state());
        // The state and the record together hold the whole ledger.
        prop_assert_eq!(
            ledger_json(&next.ledger).into_value(),
            ledger_json(ledger).into_value()
        );
    }
}
