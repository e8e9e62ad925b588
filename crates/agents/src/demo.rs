//! Demo agent: answers from a script, without a model.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use agui::agent::{AgentError, EventSource};
use agui::event::{
    Event, RunFinished, RunStarted, TextMessageContent, TextMessageEnd, TextMessageStart, TextRole,
};
use agui::model::{Content, Role, RunAgentInput};
use agui::{Agent, EventStream, ReceivedEvent};
use json::Text;
use tokio::time::{Sleep, sleep};

/// Attachment id of the document that the answers quote.
pub const DOCUMENT_ID: &str = "nordvik";
/// File name of that document.
pub const DOCUMENT_NAME: &str = "nordvik.pdf";
/// The document itself: three pages about a harbour.
pub const DOCUMENT: &[u8] = include_bytes!("nordvik.pdf");

/// Question that the demo suggests to its user.
pub const QUESTION: &str = "What happened to the harbour of Nordvik?";

/// Answer to questions that contain one of some words.
struct ScriptedAnswer {
    /// Words of the questions, in lower case. Without words it answers every question.
    about: &'static [&'static str],
    text: &'static str,
    /// Content of the data block after the text.
    citations: &'static str,
}

/// Answers in the order in which they are tried. Some of the quotes are wrong on purpose, to show all kinds of results.
const SCRIPTS: [ScriptedAnswer; 2] = [
    ScriptedAnswer {
        about: &["today", "ferry", "now", "boats"],
        text: "Today **38 boats** use the harbour [1], and the ferry leaves at 07:15 and 16:40 [2]. A longer \
               quay was rejected because its cost had risen to 71 million [3].",
        citations: r#"{"nordvik":[
{"id":1,"full_phrase":"The harbour serves a fleet of 38 boats, fewer than a tenth of what it was","anchor_text":"38 boats","page_id":"page_number_3_index_2","line_ids":[3]},
{"id":2,"full_phrase":"a ferry that leaves at 07:15 and 16:40","anchor_text":"07:15 and 16:40","page_id":"page_number_3_index_2","line_ids":[4]},
{"id":3,"full_phrase":"the cost, which had been put at 48 million, had risen to 71 million before a single stone was ordered","anchor_text":"71 million","page_id":"page_number_3_index_2","line_ids":[8,9,10]}
]}"#,
    },
    ScriptedAnswer {
        about: &[],
        text: "Nordvik got its first quay in **1911** [1]. A storm broke it in 1929; “by morning half of the quay \
               was gone” [2], but no ship was lost [3]. The town built anew in stone, for which the state would pay \
               two thirds [4]. The granite quay was opened in 1931 [5]. The highest water ever measured was 3.2 \
               metres [6], and in 1940 the harbour was closed to all foreign ships [7].",
        citations: r#"{"nordvik":[
{"id":1,"full_phrase":"The first quay of Nordvik was built in 1911 by the merchants of the town.","anchor_text":"1911","page_id":"page_number_1_index_0","line_ids":[3]},
{"id":2,"full_phrase":"\"No one slept,\" wrote the pilot Anna Berg, \"and by morning half of the quay was gone.\"","anchor_text":"half of the quay","page_id":"page_number_1_index_0","line_ids":[9,10]},
{"id":3,"full_phrase":"No ship was lost, because the fleet had been warned by the new telegraph","anchor_text":"No ship was lost","page_id":"page_number_2_index_1","line_ids":[4]},
{"id":4,"full_phrase":"of which the state would pay two thirds if the town found the rest within a year","anchor_text":"two thirds","page_id":"page_number_1_index_0","line_ids":[13]},
{"id":5,"full_phrase":"The second quay, of granit, was opend on 3 March 1931.","anchor_text":"3 March 1931","page_id":"page_number_2_index_1","line_ids":[3]},
{"id":6,"full_phrase":"The highest water ever measured at the gauge was 3.2 metres above the mean","anchor_text":"3.2 metres","page_id":"page_number_2_index_1","line_ids":[7]},
{"id":7,"full_phrase":"In 1940 the harbour was closed to all foreign ships by order of the crown","anchor_text":"1940","page_id":"page_number_2_index_1","line_ids":[5]}
]}"#,
    },
];

/// Agent that answers from a script, word by word.
#[derive(Debug, Clone, Copy)]
pub struct DemoAgent {
    /// Pause before each event.
    pub pace: Duration,
}

impl Default for DemoAgent {
    fn default() -> Self {
        Self {
            pace: Duration::from_millis(15),
        }
    }
}

impl Agent for DemoAgent {
    fn run(&self, input: RunAgentInput) -> EventStream {
        let question = last_question(&input).to_lowercase();
        let is_answer = |script: &&ScriptedAnswer| {
            script.about.is_empty() || script.about.iter().any(|word| question.contains(word))
        };
        let Some(script) = SCRIPTS.iter().find(is_answer) else {
            return EventStream::of([]);
        };
        EventStream::new(ScriptedEvents {
            events: script_events(script, &input),
            pace: self.pace,
            pause: None,
        })
    }
}

/// Returns the text of the last user message.
fn last_question(input: &RunAgentInput) -> &str {
    let asked = input.messages.iter().rev();
    let asked = asked.filter(|message| message.role == Role::User);
    asked
        .map(|message| match &message.content {
            Content::Text(text) => text.as_str(),
            _ => "",
        })
        .next()
        .unwrap_or_default()
}

/// Returns a UUID (version 8) that is derived from a text.
fn derived_uuid(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    uuid::Builder::from_custom_bytes(bytes)
        .into_uuid()
        .to_string()
}

fn script_events(script: &ScriptedAnswer, input: &RunAgentInput) -> VecDeque<Event> {
    let (thread_id, run_id) = (Text::from(&*input.thread_id), Text::from(&*input.run_id));
    // A run has one message, so its id can be derived from the run id. Some clients accept only UUIDs.
    let message_id = Text::from(derived_uuid(&input.run_id));
    let block = format!(
        "\n\n<<<CITATION_DATA>>>\n{}\n<<<END_CITATION_DATA>>>\n",
        script.citations
    );
    let mut events = VecDeque::new();
    events.push_back(Event::from(RunStarted {
        thread_id: thread_id.clone(),
        run_id: run_id.clone(),
        protocol_version: None,
        parent_run_id: None,
        input: None,
    }));
    events.push_back(Event::from(TextMessageStart {
        message_id: message_id.clone(),
        role: Some(TextRole::Assistant),
        name: None,
    }));
    let words = script.text.split_inclusive(' ');
    let lines = block.split_inclusive('\n');
    for delta in words.chain(lines) {
        events.push_back(Event::from(TextMessageContent {
            message_id: message_id.clone(),
            delta: Text::from(delta),
        }));
    }
    events.push_back(Event::from(TextMessageEnd { message_id }));
    events.push_back(Event::from(RunFinished {
        thread_id,
        run_id,
        result: None,
        outcome: None,
        usage: None,
    }));
    events
}

/// Events with a pause before each.
struct ScriptedEvents {
    events: VecDeque<Event>,
    pace: Duration,
    pause: Option<Pin<Box<Sleep>>>,
}

impl EventSource for ScriptedEvents {
    fn poll_into(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut ReceivedEvent,
    ) -> Poll<Option<Result<(), AgentError>>> {
        if !self.pace.is_zero() && !self.events.is_empty() {
            let pace = self.pace;
            let pause = self.pause.get_or_insert_with(|| Box::pin(sleep(pace)));
            if pause.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.pause = None;
        }
        Poll::Ready(self.events.pop_front().map(|event| {
            *slot = ReceivedEvent::Typed(event);
            Ok(())
        }))
    }
}
