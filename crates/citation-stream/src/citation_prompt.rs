//! Instructions that make an agent cite: the format to write, and the documents to quote from.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::sync::Arc;

use agui::model::{Content, Message, Role, RunAgentInput, SnapshotMessages};
use documents::Document;

use citations::{PromptFormat, deep_text_excerpt};

/// Instructions and reminder that surround the documents.
const PROMPT: PromptFormat = PromptFormat::Block;

/// Document that an agent is given with the instructions.
#[derive(Debug, Clone)]
pub struct PromptDocument {
    /// Attachment id.
    pub id: String,
    /// Document.
    pub document: Arc<Document>,
    /// Passages to quote from, each from a page and line to another; `None` for the whole document.
    pub passages: Option<Vec<LineRange>>,
}

/// Lines from a page and line number to another.
pub type LineRange = RangeInclusive<(u32, u32)>;

impl PromptDocument {
    /// Returns the pages of the deep text, with the lines of the passages only if there are any.
    fn pages(&self) -> Vec<String> {
        deep_text_excerpt(&self.document, |line| {
            let position = (line.page, line.number);
            let passages = self.passages.as_ref();
            passages.is_none_or(|passages| passages.iter().any(|lines| lines.contains(&position)))
        })
    }
}

/// Returns the number of characters of the instructions without documents, which is the least budget.
pub fn prompt_length() -> usize {
    PROMPT.instructions().chars().count() + PROMPT.reminder().chars().count() + 4
}

/// Instructions that were added to an input. They are removed where the agent repeats its input, so that the client
/// does not see them.
#[derive(Debug, Clone)]
pub(crate) struct InjectedPrompt {
    /// Id of the message that holds the instructions.
    id: String,
    /// That message without the instructions; `None` if it was created for them.
    before: Option<Message>,
    /// Ids of the documents whose pages did not all fit into the budget.
    pub(crate) left_out: Vec<String>,
}

/// Adds the instructions and as many pages of the documents as the budget in characters holds. Returns `None` and adds
/// nothing if the budget does not hold the instructions alone.
pub(crate) fn inject_prompt(
    input: &mut RunAgentInput,
    documents: &[PromptDocument],
    budget: usize,
    new_id: impl FnOnce() -> String,
) -> Option<InjectedPrompt> {
    let room = budget.checked_sub(prompt_length())?;
    let (texts, left_out) = document_texts(documents, room);
    let head = input.messages.first();
    let head = head.filter(|head| matches!(head.role, Role::System | Role::Developer));
    let before = head.filter(|head| matches!(head.content, Content::Text(_)));
    let own = match before.map(|head| &head.content) {
        Some(Content::Text(text)) => text.trim(),
        _ => "",
    };
    let parts = [PROMPT.instructions(), own, &texts, PROMPT.reminder()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let content = Content::Text(parts.join("\n\n"));
    match before.cloned() {
        Some(before) => {
            let id = before.id.clone();
            if let Some(head) = input.messages.first_mut() {
                head.content = content;
            }
            Some(InjectedPrompt {
                id,
                before: Some(before),
                left_out,
            })
        }
        None => {
            let id = new_id();
            let message = Message {
                content,
                ..Message::new(id.clone(), Role::System)
            };
            input.messages.insert(0, message);
            Some(InjectedPrompt {
                id,
                before: None,
                left_out,
            })
        }
    }
}

/// Returns the pages of the documents that fit into `room` characters, the documents in the order of their ids, and the
/// ids of documents that did not fit completely.
fn document_texts(documents: &[PromptDocument], mut room: usize) -> (String, Vec<String>) {
    let mut incomplete = Vec::new();
    let mut documents: Vec<_> = documents.iter().collect();
    documents.sort_by_key(|document| &document.id);
    let mut text = String::new();
    for document in documents {
        let id = document.id.replace('&', "&amp;").replace('<', "&lt;");
        let id = id.replace('>', "&gt;").replace('"', "&quot;");
        let open = format!("<attachment id=\"{id}\">");
        let close = "</attachment>";
        let frame = open.chars().count() + close.len() + 2;
        let mut pages = Vec::new();
        let mut left_out = 0;
        for page in document.pages() {
            let length = page.chars().count() + 2;
            let needed = length + if pages.is_empty() { frame } else { 0 };
            if left_out == 0 && needed <= room {
                room -= needed;
                pages.push(page);
            } else {
                left_out += 1;
            }
        }
        if left_out > 0 {
            incomplete.push(document.id.clone());
        }
        if pages.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{open}{}{close}", pages.join("\n\n"));
    }
    (text, incomplete)
}

impl InjectedPrompt {
    /// Returns true for the message that holds the instructions.
    fn is_in(&self, message: &Message) -> bool {
        message.id == self.id
    }

    /// Returns the messages without the instructions, or `None` if they do not contain them.
    pub(crate) fn remove_from(&self, messages: &SnapshotMessages) -> Option<SnapshotMessages> {
        let at = messages.iter().position(|message| self.is_in(message))?;
        let mut messages = messages.clone();
        match &self.before {
            Some(before) => messages.0[at] = Arc::new(before.clone()),
            None => drop(messages.0.remove(at)),
        }
        Some(messages)
    }

    /// Returns the input as the client sent it, or `None` if it does not contain the instructions.
    pub(crate) fn remove_from_input(&self, input: &RunAgentInput) -> Option<RunAgentInput> {
        let at = input
            .messages
            .iter()
            .position(|message| self.is_in(message))?;
        let mut input = input.clone();
        match &self.before {
            Some(before) => input.messages[at] = before.clone(),
            None => drop(input.messages.remove(at)),
        }
        Some(input)
    }
}
