//! A turn: a question, and everything that is said until it is answered.
//!
//! A run that ends with tools the client must call is a part of its turn; the turn ends with the run that
//! leaves none.

use agui::event::RunFinished;
use agui::model::{Content, Message, PartBody, Role, RunAgentInput, RunOutcome};
use hashbrown::{HashMap, HashSet};

use super::ledger::{Ledger, Place};
use super::texts::{is_answer, text_of};
use crate::project::rag;
use crate::reading::Reading;

/// What is said in answer to a question.
#[derive(Default)]
pub(super) struct Turn {
    question: String,
    /// Messages of earlier runs of the turn: their ids, and their texts as they were sent.
    before: Vec<(String, String)>,
    /// The messages of this run, by their place in the ledger.
    places: Vec<usize>,
    /// The last of them that said anything.
    last: Option<usize>,
    /// The message that made the last call of a tool.
    caller: Option<String>,
    /// What they say, without data blocks.
    answer: String,
    /// The tools that the client offers.
    tools: HashSet<String>,
    /// Calls of such tools that nobody has answered.
    calls: HashMap<String, ()>,
}

impl Turn {
    /// The turn that an input belongs to.
    pub(super) fn of(input: &RunAgentInput) -> Self {
        let mut turn = Self {
            tools: input.tools.iter().map(|tool| tool.name.clone()).collect(),
            ..Self::default()
        };
        turn.ask(&input.messages);
        turn
    }

    /// Takes the question from a conversation.
    pub(super) fn ask(&mut self, messages: &[Message]) {
        let asked = messages
            .iter()
            .rposition(|message| message.role == Role::User);
        let Some(asked) = asked else {
            return;
        };
        self.question = plain_text(&messages[asked]);
        self.before = messages[asked + 1..]
            .iter()
            .filter(|message| is_answer(message))
            .map(|message| (message.id.clone(), text_of(message).to_owned()))
            .collect();
    }

    /// A message belongs to the turn.
    pub(super) fn add(&mut self, place: usize) {
        self.places.push(place);
    }

    /// A message of this run has said something.
    pub(super) fn spoke(&mut self, place: usize) {
        self.last = Some(place);
    }

    /// The message that spoke last.
    pub(super) fn last(&self) -> Option<usize> {
        self.last
    }

    /// The message that called a tool last.
    pub(super) fn caller(&self) -> Option<&str> {
        self.caller.as_deref()
    }

    /// A message of the turn has ended. Not more than `limit` bytes are kept of all of them.
    pub(super) fn said(&mut self, text: &str, limit: usize) {
        append(&mut self.answer, text, limit);
    }

    /// A tool is called, by the message of that id or by one that is named like the call.
    pub(super) fn called(&mut self, id: &str, tool: &str, parent: Option<&str>) {
        let parent = parent.filter(|parent| !parent.is_empty());
        self.caller = Some(parent.unwrap_or(id).to_owned());
        if self.tools.contains(tool) {
            self.calls.insert(id.to_owned(), ());
        }
    }

    pub(super) fn answered(&mut self, id: &str) {
        self.calls.remove(id);
    }

    /// Whether a run that ends like this leaves something for the client to do.
    pub(super) fn goes_on(&self, finished: &RunFinished) -> bool {
        match finished.outcome.as_deref() {
            Some(RunOutcome::Interrupt { .. }) => true,
            Some(RunOutcome::Cancelled) => false,
            Some(RunOutcome::Success {
                pending_tool_call_ids: Some(ids),
            }) if !ids.is_empty() => true,
            Some(RunOutcome::Success { .. }) | None => !self.calls.is_empty(),
        }
    }

    /// Ends the turn: writes down question and answer if anything was cited; its place in the history.
    pub(super) fn end(&mut self, ledger: &mut Ledger, limit: usize) -> Option<usize> {
        let turn = Self {
            tools: std::mem::take(&mut self.tools),
            ..std::mem::take(self)
        };
        let before = turn.before.iter();
        let earlier = before.filter_map(|(id, _)| ledger.place_of(id));
        let mut entries = Vec::new();
        let mut known = HashSet::new();
        for place in earlier.chain(turn.places.iter().copied()) {
            let cited = ledger.message_at(place).map(|message| &message.cited);
            for Place { entry, .. } in cited.into_iter().flatten() {
                if known.insert(*entry) {
                    entries.push(*entry);
                }
            }
        }
        self.tools = turn.tools;
        if entries.is_empty() {
            return None;
        }
        let mut answer = String::new();
        for (_, text) in &turn.before {
            append(&mut answer, &Reading::of(text).visible, limit);
        }
        append(&mut answer, &turn.answer, limit);
        rag::add_turn(ledger, &turn.question, &answer, &entries)
    }
}

fn append(answer: &mut String, text: &str, limit: usize) {
    let text = text.trim();
    let room = limit.saturating_sub(answer.len());
    if text.is_empty() || room < 2 {
        return;
    }
    if !answer.is_empty() {
        answer.push_str("\n\n");
    }
    let mut end = text.len().min(room);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    answer.push_str(&text[..end]);
}

/// The text of a message, without pictures and the like.
fn plain_text(message: &Message) -> String {
    match &message.content {
        Content::Text(text) => text.clone(),
        Content::Parts(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| match &part.body {
                    PartBody::Text(text) => Some(text.as_str()),
                    PartBody::Media(..) => None,
                })
                .collect();
            texts.join("\n")
        }
        Content::Absent | Content::Activity(_) => String::new(),
    }
}
