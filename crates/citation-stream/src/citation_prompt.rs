//! Instructions that make an agent cite: the format to write, and the documents to quote from.

use std::fmt::Write as _;
use std::sync::Arc;

use agui::model::{Content, Message, Role, RunAgentInput, SnapshotMessages};
use documents::Document;

use citations::deep_text_pages;

/// Instructions before the documents.
const INSTRUCTIONS: &str = r#"Readers check your answer against the documents that follow. Make that possible:

- Behind every fact that you take from a document write a marker: a number in square brackets, such as [1]. Each fact has a marker of its own. Count upwards from 1 and use no number twice.
- End your answer with a line <<<CITATION_DATA>>>, one JSON object, and a line <<<END_CITATION_DATA>>>. Write nothing behind it.
- The members of that object are the ids of the documents you used. Each holds a list with one entry for every marker that rests on it.
- An entry has these members, in this order: "id", the number of the marker; "reasoning", a few words on why this passage supports the fact; "full_phrase", the passage letter by letter as the document has it, as a valid JSON string; "anchor_text", the one to three words of it that matter most; "page_id", the name of the page tag it stands in; "line_ids", the numbers of all its lines.
- Lines are counted on each page from 1; some show their number. Never take a page number from the printed text.

An entry looks like this:
<<<CITATION_DATA>>>
{"the-id":[{"id":1,"reasoning":"states the date","full_phrase":"The bridge was opened in May 1932.","anchor_text":"May 1932","page_id":"page_number_4_index_3","line_ids":[7,8]}]}
<<<END_CITATION_DATA>>>"#;

/// Reminder after the documents.
const REMINDER: &str = "Before you stop: has every marker its entry, is every quotation word for word in its document, and is the data block the last thing you wrote?";

/// Instructions that were added to an input. They are removed where the agent repeats its input, so that the client
/// does not see them.
#[derive(Debug, Clone)]
pub(crate) struct InjectedPrompt {
    /// Id of the message that holds the instructions.
    id: String,
    /// That message without the instructions; `None` if it was created for them.
    before: Option<Message>,
}

/// Adds the instructions and as many pages of the documents as the budget in characters holds. Returns `None` and adds
/// nothing if the budget does not hold the instructions alone.
pub(crate) fn inject_prompt(
    input: &mut RunAgentInput,
    documents: &[(String, Arc<Document>)],
    budget: usize,
    new_id: impl FnOnce() -> String,
) -> Option<InjectedPrompt> {
    let fixed = INSTRUCTIONS.chars().count() + REMINDER.chars().count() + 4;
    let room = budget.checked_sub(fixed)?;
    let texts = document_texts(documents, room);
    let head = input.messages.first();
    let head = head.filter(|head| matches!(head.role, Role::System | Role::Developer));
    let before = head.filter(|head| matches!(head.content, Content::Text(_)));
    let own = match before.map(|head| &head.content) {
        Some(Content::Text(text)) => text.trim(),
        _ => "",
    };
    let parts = [INSTRUCTIONS, own, &texts, REMINDER];
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
            })
        }
        None => {
            let id = new_id();
            let message = Message {
                content,
                ..Message::new(id.clone(), Role::System)
            };
            input.messages.insert(0, message);
            Some(InjectedPrompt { id, before: None })
        }
    }
}

/// Returns the pages of the documents that fit into `room` characters, the documents in the order of their ids.
fn document_texts(documents: &[(String, Arc<Document>)], mut room: usize) -> String {
    let mut documents: Vec<_> = documents.iter().collect();
    documents.sort_by_key(|(id, _)| id);
    let mut text = String::new();
    for (id, document) in documents {
        let id = id.replace('&', "&amp;").replace('<', "&lt;");
        let id = id.replace('>', "&gt;").replace('"', "&quot;");
        let open = format!("<attachment id=\"{id}\">");
        let close = "</attachment>";
        let frame = open.chars().count() + close.len() + 2;
        let mut pages = Vec::new();
        let mut left_out = 0;
        for page in deep_text_pages(document) {
            let length = page.chars().count() + 2;
            let needed = length + if pages.is_empty() { frame } else { 0 };
            if left_out == 0 && needed <= room {
                room -= needed;
                pages.push(page);
            } else {
                left_out += 1;
            }
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
    text
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
