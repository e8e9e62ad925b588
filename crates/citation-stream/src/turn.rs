//! A turn: a question, and everything that is said until it is answered.
//!
//! A run that ends with tools the client must call is a part of its turn; the turn ends with the run that
//! leaves none.

use std::sync::Arc;

use agui::event::RunFinished;
use agui::model::{Content, Message, PartBody, Role, RunAgentInput, RunOutcome};
use hashbrown::{HashMap, HashSet};
use json::{Json, Value};

use super::ledger::{CitationPlacement, Ledger};
use super::texts::{is_answer, text_of};
use crate::project::rag;
use citations::ParsedAnswer;

/// What is said in answer to a question.
#[derive(Default)]
pub(super) struct CitationTurn {
    question: String,
    /// What is said, in the order it was begun.
    answers: Vec<TurnMessage>,
    /// Where each message stands there.
    by_message: HashMap<Arc<str>, usize>,
    /// The first place in the ledger that one of them has.
    first: Option<usize>,
    /// How many bytes are kept of what was said in this run.
    kept: usize,
    /// The first and the last message of this run that said anything.
    first_spoke: Option<usize>,
    last: Option<usize>,
    /// The message that made the last call of a tool.
    caller: Option<String>,
    /// The tools that the client offers.
    tools: HashSet<String>,
    /// Calls of such tools that nobody has answered.
    calls: HashSet<String>,
}

/// A message of the turn.
struct TurnMessage {
    id: Arc<str>,
    /// How many citations it had before: an agent may use an id again.
    earlier: usize,
    /// What it says; more than one piece if it was taken up again.
    pieces: Vec<TurnPiece>,
    /// Its text is coming.
    open: bool,
    /// The last snapshot has it.
    shown: bool,
}

enum TurnPiece {
    /// Without data blocks.
    Visible(String),
    /// As the agent wrote it.
    Written(Arc<Message>),
}

impl CitationTurn {
    /// The turn that an input belongs to.
    pub(super) fn of(input: &RunAgentInput, ledger: &Ledger) -> Self {
        let mut turn = Self {
            tools: input.tools.iter().map(|tool| tool.name.clone()).collect(),
            ..Self::default()
        };
        turn.ask(input, ledger);
        turn
    }

    /// Takes the question from an input, and what earlier runs have answered.
    pub(super) fn ask(&mut self, input: &RunAgentInput, ledger: &Ledger) {
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
        if self.is_told(earlier, input, ledger) {
            return;
        }
        for message in earlier.iter().filter(|message| is_answer(message)) {
            let id = Arc::from(message.id.as_str());
            let place = ledger.place_of(&message.id);
            self.add(&id, place, 0).pieces = vec![TurnPiece::Written(Arc::new(message.clone()))];
        }
    }

    /// Whether what earlier runs have answered is in the history already: they ended the turn, and now the question
    /// is answered once more.
    fn is_told(&self, earlier: &[Message], input: &RunAgentInput, ledger: &Ledger) -> bool {
        let mut said = earlier.iter().rev();
        let last = said.find(|message| matches!(message.role, Role::Assistant | Role::Tool));
        let ended =
            last.is_some_and(|last| last.role == Role::Assistant && last.tool_calls().is_empty());
        if !ended
            || input
                .resume
                .as_ref()
                .is_some_and(|resume| !resume.is_empty())
        {
            return false;
        }
        let told = ledger.turns.last().map(Json::value);
        let question = told.as_ref().and_then(|told| told.get("question"));
        question.and_then(Value::as_str) == Some(self.question.as_str())
    }

    fn clear(&mut self) {
        self.answers.clear();
        self.by_message.clear();
        self.first = None;
        self.kept = 0;
    }

    fn add(&mut self, id: &Arc<str>, place: Option<usize>, earlier: usize) -> &mut TurnMessage {
        self.first = match (self.first, place) {
            (Some(first), Some(place)) => Some(first.min(place)),
            (first, place) => first.or(place),
        };
        let at = match self.by_message.get(id) {
            Some(at) => *at,
            None => {
                self.by_message.insert(Arc::clone(id), self.answers.len());
                self.answers.push(TurnMessage {
                    id: Arc::clone(id),
                    earlier,
                    pieces: Vec::new(),
                    open: false,
                    shown: false,
                });
                self.answers.len() - 1
            }
        };
        &mut self.answers[at]
    }

    /// Whether a message belongs to the turn.
    pub(super) fn has(&self, id: &str) -> bool {
        self.by_message.contains_key(id)
    }

    /// The first place in the ledger that a message of the turn has.
    pub(super) fn first_place(&self) -> Option<usize> {
        self.first
    }

    /// A message of the turn begins, at its place and with so many citations already.
    pub(super) fn begin(&mut self, id: &Arc<str>, place: usize, earlier: usize) {
        self.add(id, Some(place), earlier).open = true;
    }

    /// A message of the turn has ended. Not more than `limit` bytes are kept of all of them.
    pub(super) fn said(&mut self, id: &str, mut text: String, limit: usize) {
        let Some(at) = self.by_message.get(id) else {
            return;
        };
        text.truncate(text.floor_char_boundary(limit.saturating_sub(self.kept)));
        self.kept += text.len();
        let answer = &mut self.answers[*at];
        answer.open = false;
        answer.pieces.push(TurnPiece::Visible(text));
    }

    /// A message of the turn is there as a whole, or says something else now.
    pub(super) fn tell(&mut self, id: &Arc<str>, place: usize, message: &Arc<Message>) {
        let answer = self.add(id, Some(place), 0);
        answer.earlier = 0;
        answer.shown = true;
        let before = std::mem::take(&mut answer.pieces);
        answer.pieces.push(TurnPiece::Written(Arc::clone(message)));
        self.kept -= bytes(&before);
    }

    /// A snapshot has a message, and it says what it said before.
    pub(super) fn show(&mut self, message: &Arc<Message>) {
        if let Some(at) = self.by_message.get(message.id.as_str()) {
            let answer = &mut self.answers[*at];
            answer.shown = true;
            if answer.pieces.is_empty() {
                // The snapshot before did not have it.
                answer.pieces.push(TurnPiece::Written(Arc::clone(message)));
            }
        }
    }

    /// A snapshot was read: what it does not have is not said any more.
    pub(super) fn keep_shown(&mut self) {
        for answer in &mut self.answers {
            if !std::mem::take(&mut answer.shown) && !answer.open {
                self.kept -= bytes(&answer.pieces);
                answer.pieces.clear();
            }
        }
    }

    /// A message of this run has said something.
    pub(super) fn spoke(&mut self, place: usize) {
        self.first_spoke.get_or_insert(place);
        self.last = Some(place);
    }

    /// The message that spoke first.
    pub(super) fn first_spoke(&self) -> Option<usize> {
        self.first_spoke
    }

    /// The message that spoke last.
    pub(super) fn last(&self) -> Option<usize> {
        self.last
    }

    /// The message that called a tool last.
    pub(super) fn caller(&self) -> Option<&str> {
        self.caller.as_deref()
    }

    /// A tool is called, by the message of that id or by one that is named like the call.
    pub(super) fn called(&mut self, id: &str, tool: &str, parent: Option<&str>) {
        let parent = parent.filter(|parent| !parent.is_empty());
        self.caller = Some(parent.unwrap_or(id).to_owned());
        if self.tools.contains(tool) {
            self.calls.insert(id.to_owned());
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

    /// Writes down question and answer if anything was cited; the turn's place in the history.
    pub(super) fn write_down(&self, ledger: &mut Ledger, limit: usize) -> Option<usize> {
        let mut entries = Vec::new();
        let mut known = HashSet::new();
        for answer in &self.answers {
            let cited = ledger.message(&answer.id).map(|message| &message.cited);
            let cited = cited.into_iter().flatten().skip(answer.earlier);
            for CitationPlacement { entry, .. } in cited {
                if known.insert(*entry) {
                    entries.push(*entry);
                }
            }
        }
        if entries.is_empty() {
            return None;
        }
        let mut whole = String::new();
        for piece in self.answers.iter().flat_map(|answer| &answer.pieces) {
            match piece {
                TurnPiece::Visible(text) => append(&mut whole, text, limit),
                // Longer ones are not read.
                TurnPiece::Written(message) if text_of(message).len() > limit => {}
                TurnPiece::Written(message) => {
                    append(
                        &mut whole,
                        &ParsedAnswer::of(text_of(message)).visible,
                        limit,
                    );
                }
            }
        }
        rag::add_turn(ledger, &self.question, &whole, &entries)
    }

    /// Ends the turn. The question stays: what else is said answers it too, until there is another.
    pub(super) fn end(&mut self) {
        self.clear();
        self.calls.clear();
        self.first_spoke = None;
        self.last = None;
        self.caller = None;
    }
}

/// How many bytes of text these are, without those that are shared.
fn bytes(pieces: &[TurnPiece]) -> usize {
    let own = pieces.iter().map(|piece| match piece {
        TurnPiece::Visible(text) => text.len(),
        TurnPiece::Written(_) => 0,
    });
    own.sum()
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
    answer.push_str(&text[..text.floor_char_boundary(room)]);
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
