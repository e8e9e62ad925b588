//! A turn: a question and everything that answers it.
//!
//! A run that ends with pending tool calls of the client is a part of its turn. The turn ends with the run that leaves
//! none.

use std::sync::Arc;

use agui::event::RunFinished;
use agui::model::{Content, Message, PartBody, Role, RunAgentInput, RunOutcome};
use citations::ParsedAnswer;
use hashbrown::{HashMap, HashSet};
use json::{Json, Value};

use crate::ledger::{CitationPlacement, Ledger};
use crate::message_texts::{is_answer, text_of};

/// The present turn.
#[derive(Default)]
pub(crate) struct CitationTurn {
    question: String,
    /// Messages of the answer, in the order in which they started.
    answers: Vec<TurnMessage>,
    /// Positions in `answers` by message id.
    by_message: HashMap<Arc<str>, usize>,
    /// Lowest ledger index of these messages.
    first_message: Option<usize>,
    /// Bytes of the streamed texts that are kept.
    kept_bytes: usize,
    /// Ledger index of the first message of this run that has text.
    first_answer: Option<usize>,
    /// Ledger index of the last message of this run that has text.
    last_answer: Option<usize>,
    /// Id of the message that made the last tool call.
    caller: Option<String>,
    /// Names of the tools that the client offers.
    client_tools: HashSet<String>,
    /// Ids of calls of such tools that have no result.
    pending_calls: HashSet<String>,
}

/// A message of the turn.
struct TurnMessage {
    id: Arc<str>,
    /// Number of citations from before this turn: an agent may use an id again.
    earlier_citations: usize,
    /// Text of the message; more than one piece if it was continued.
    pieces: Vec<TurnPiece>,
    /// True while the text streams.
    is_open: bool,
    /// True if the last snapshot contains the message.
    is_shown: bool,
}

enum TurnPiece {
    /// Text without data blocks.
    Visible(String),
    /// Message as the agent wrote it.
    Written(Arc<Message>),
}

/// Answer of a turn that cites something.
pub(crate) struct TurnAnswer {
    /// Text of all messages without data blocks.
    pub(crate) text: String,
    /// Ledger entries of the cited sources, each once.
    pub(crate) entries: Vec<usize>,
}

impl CitationTurn {
    /// Creates the turn to which the input of a run belongs.
    pub(crate) fn new(input: &RunAgentInput, ledger: &Ledger) -> Self {
        let mut turn = Self {
            client_tools: input.tools.iter().map(|tool| tool.name.clone()).collect(),
            ..Self::default()
        };
        turn.take_input(input, ledger);
        turn
    }

    /// Takes the question from the input of a run, and the messages with which earlier runs answered it.
    pub(crate) fn take_input(&mut self, input: &RunAgentInput, ledger: &Ledger) {
        let messages = &input.messages;
        let asked = messages
            .iter()
            .rposition(|message| message.role == Role::User);
        let Some(asked) = asked else {
            return;
        };
        self.question = plain_text(&messages[asked]);
        self.clear();
        let earlier = &messages[asked + 1..];
        if self.is_recorded(earlier, input, ledger) {
            return;
        }
        for message in earlier.iter().filter(|message| is_answer(message)) {
            let id = Arc::from(message.id.as_str());
            let index = ledger.message_index(&message.id);
            self.add(&id, index, 0).pieces = vec![TurnPiece::Written(Arc::new(message.clone()))];
        }
    }

    /// Returns true if the earlier messages ended the turn and the history has it: the question is answered again.
    fn is_recorded(&self, earlier: &[Message], input: &RunAgentInput, ledger: &Ledger) -> bool {
        let mut answers = earlier.iter().rev();
        let last = answers.find(|message| matches!(message.role, Role::Assistant | Role::Tool));
        let has_ended =
            last.is_some_and(|last| last.role == Role::Assistant && last.tool_calls().is_empty());
        let resumes = input
            .resume
            .as_ref()
            .is_some_and(|resume| !resume.is_empty());
        if !has_ended || resumes {
            return false;
        }
        let recorded = ledger.session.turns().last().map(Json::value);
        let question = recorded.as_ref().and_then(|turn| turn.get("question"));
        question.and_then(Value::as_str) == Some(self.question.as_str())
    }

    fn clear(&mut self) {
        self.answers.clear();
        self.by_message.clear();
        self.first_message = None;
        self.kept_bytes = 0;
    }

    /// Returns a message of the turn, which is added if it is new.
    fn add(&mut self, id: &Arc<str>, index: Option<usize>, earlier: usize) -> &mut TurnMessage {
        self.first_message = match (self.first_message, index) {
            (Some(first), Some(index)) => Some(first.min(index)),
            (first, index) => first.or(index),
        };
        let at = match self.by_message.get(id) {
            Some(at) => *at,
            None => {
                self.by_message.insert(Arc::clone(id), self.answers.len());
                self.answers.push(TurnMessage {
                    id: Arc::clone(id),
                    earlier_citations: earlier,
                    pieces: Vec::new(),
                    is_open: false,
                    is_shown: false,
                });
                self.answers.len() - 1
            }
        };
        &mut self.answers[at]
    }

    pub(crate) fn question(&self) -> &str {
        &self.question
    }

    /// Returns true if a message belongs to the turn.
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.by_message.contains_key(id)
    }

    /// Returns the lowest ledger index of the turn's messages.
    pub(crate) fn first_message(&self) -> Option<usize> {
        self.first_message
    }

    /// Adds a message that starts to stream. `earlier` is the number of its citations from before.
    pub(crate) fn begin_message(&mut self, id: &Arc<str>, index: usize, earlier: usize) {
        self.add(id, Some(index), earlier).is_open = true;
    }

    /// Adds the text of a message that has ended. All texts together keep at most `limit` bytes.
    pub(crate) fn end_message(&mut self, id: &str, mut text: String, limit: usize) {
        let Some(at) = self.by_message.get(id) else {
            return;
        };
        text.truncate(text.floor_char_boundary(limit.saturating_sub(self.kept_bytes)));
        // A truncated text would keep its memory otherwise.
        text.shrink_to_fit();
        self.kept_bytes += text.len();
        let answer = &mut self.answers[*at];
        answer.is_open = false;
        answer.pieces.push(TurnPiece::Visible(text));
    }

    /// Replaces the text of a message by that of a snapshot.
    pub(crate) fn replace_message(&mut self, id: &Arc<str>, index: usize, message: &Arc<Message>) {
        let answer = self.add(id, Some(index), 0);
        answer.earlier_citations = 0;
        answer.is_shown = true;
        let before = std::mem::take(&mut answer.pieces);
        answer.pieces.push(TurnPiece::Written(Arc::clone(message)));
        self.kept_bytes -= owned_bytes(&before);
    }

    /// Notes that a snapshot contains a message with its known text.
    pub(crate) fn mark_shown(&mut self, message: &Arc<Message>) {
        if let Some(at) = self.by_message.get(message.id.as_str()) {
            let answer = &mut self.answers[*at];
            answer.is_shown = true;
            if answer.pieces.is_empty() {
                // The snapshot before did not contain it.
                answer.pieces.push(TurnPiece::Written(Arc::clone(message)));
            }
        }
    }

    /// Removes the texts of messages that the last snapshot did not contain.
    pub(crate) fn retain_shown(&mut self) {
        for answer in &mut self.answers {
            if !std::mem::take(&mut answer.is_shown) && !answer.is_open {
                self.kept_bytes -= owned_bytes(&answer.pieces);
                answer.pieces.clear();
            }
        }
    }

    /// Notes that a message of this run has text.
    pub(crate) fn note_answer(&mut self, message: usize) {
        self.first_answer.get_or_insert(message);
        self.last_answer = Some(message);
    }

    /// Notes that a message has another ledger index, because it got a new id.
    pub(crate) fn rename_answer(&mut self, before: usize, now: usize) {
        for answer in [&mut self.first_answer, &mut self.last_answer] {
            if *answer == Some(before) {
                *answer = Some(now);
            }
        }
    }

    /// Returns the first message of this run that has text.
    pub(crate) fn first_answer(&self) -> Option<usize> {
        self.first_answer
    }

    /// Returns the last message of this run that has text.
    pub(crate) fn last_answer(&self) -> Option<usize> {
        self.last_answer
    }

    /// Returns the id of the message that made the last tool call.
    pub(crate) fn caller(&self) -> Option<&str> {
        self.caller.as_deref()
    }

    /// Notes a tool call. Without a parent message the call's own id names the message.
    pub(crate) fn begin_call(&mut self, id: &str, tool: &str, parent: Option<&str>) {
        let parent = parent.filter(|parent| !parent.is_empty());
        self.caller = Some(parent.unwrap_or(id).to_owned());
        if self.client_tools.contains(tool) {
            self.pending_calls.insert(id.to_owned());
        }
    }

    /// Notes the result of a tool call.
    pub(crate) fn end_call(&mut self, id: &str) {
        self.pending_calls.remove(id);
    }

    /// Returns true if a run that ends like this leaves something for the client to do.
    pub(crate) fn continues_after(&self, finished: &RunFinished) -> bool {
        match finished.outcome.as_deref() {
            Some(RunOutcome::Interrupt { .. }) => true,
            Some(RunOutcome::Cancelled) => false,
            Some(RunOutcome::Success {
                pending_tool_call_ids: Some(ids),
            }) if !ids.is_empty() => true,
            Some(RunOutcome::Success { .. }) | None => !self.pending_calls.is_empty(),
        }
    }

    /// Returns the answer of at most `limit` bytes, or `None` if nothing is cited.
    pub(crate) fn answer(&self, ledger: &Ledger, limit: usize) -> Option<TurnAnswer> {
        let mut entries = Vec::new();
        let mut known = HashSet::new();
        for answer in &self.answers {
            let cited = ledger.message(&answer.id).map(|message| &message.cited);
            let cited = cited.into_iter().flatten().skip(answer.earlier_citations);
            for CitationPlacement { entry, .. } in cited {
                if known.insert(*entry) {
                    entries.push(*entry);
                }
            }
        }
        if entries.is_empty() {
            return None;
        }
        let mut text = String::new();
        for piece in self.answers.iter().flat_map(|answer| &answer.pieces) {
            match piece {
                TurnPiece::Visible(piece) => append_paragraph(&mut text, piece, limit),
                // Longer messages are not parsed.
                TurnPiece::Written(message) if text_of(message).len() > limit => {}
                TurnPiece::Written(message) => {
                    let visible = ParsedAnswer::of(text_of(message)).visible;
                    append_paragraph(&mut text, &visible, limit);
                }
            }
        }
        Some(TurnAnswer { text, entries })
    }

    /// Ends the turn. The question stays: messages that follow answer it too, until there is another question.
    pub(crate) fn end(&mut self) {
        self.clear();
        self.pending_calls.clear();
        self.first_answer = None;
        self.last_answer = None;
        self.caller = None;
    }
}

/// Returns the bytes of text that the pieces own. Messages are shared and count nothing.
fn owned_bytes(pieces: &[TurnPiece]) -> usize {
    let bytes = pieces.iter().map(|piece| match piece {
        TurnPiece::Visible(text) => text.len(),
        TurnPiece::Written(_) => 0,
    });
    bytes.sum()
}

fn append_paragraph(answer: &mut String, text: &str, limit: usize) {
    let text = text.trim();
    let room = limit.saturating_sub(answer.len());
    if text.is_empty() || room < 2 {
        return;
    }
    if !answer.is_empty() {
        answer.push_str("\n\n");
    }
    answer.push_str(&text[..text.floor_char_boundary(room)]);
}

/// Returns the text of a message without its media parts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_the_bytes_of_an_answer() {
        let mut answer = String::new();
        for text in [" One. ", "", "Two.", "Three."] {
            append_paragraph(&mut answer, text, 12);
        }
        assert_eq!(answer, "One.\n\nTwo.\n\nTh");
    }

    #[test]
    fn continues_while_calls_of_client_tools_are_pending() {
        let mut turn = CitationTurn {
            client_tools: HashSet::from_iter(["pick".to_owned()]),
            ..CitationTurn::default()
        };
        let finished = RunFinished {
            thread_id: json::Text::from("t"),
            run_id: json::Text::from("r"),
            result: None,
            outcome: None,
            usage: None,
        };
        turn.begin_call("a", "search", Some(""));
        assert_eq!(turn.caller(), Some("a"));
        assert!(!turn.continues_after(&finished));
        turn.begin_call("b", "pick", Some("m"));
        assert_eq!(turn.caller(), Some("m"));
        assert!(turn.continues_after(&finished));
        turn.end_call("b");
        assert!(!turn.continues_after(&finished));
    }
}
