//! Turns of a conversation, and what their answers refer to.

use std::collections::{HashMap, HashSet};

use agui::json::{Json, Map, Value};
use store::{RunId, StoredMessage};

/// Each question that was answered: the message, the last run that answered it, and its sources, each once.
pub(super) fn turns(
    deep_key: &str,
    state: &Json,
    messages: &[StoredMessage],
    answered: Vec<(String, RunId)>,
) -> Vec<Value> {
    let state = state.value();
    let sources = Sources::of(&state, deep_key);
    // Of several runs the last one counts.
    let answered: HashMap<String, RunId> = answered.into_iter().collect();
    let mut turns: Vec<(&StoredMessage, Vec<&str>)> = Vec::new();
    for message in messages {
        match (message.role.as_str(), turns.last_mut()) {
            ("user", _) => turns.push((message, Vec::new())),
            ("assistant", Some((_, answers))) => answers.push(message.id.as_str()),
            _ => {}
        }
    }
    let turns = turns.iter().filter_map(|(asked, answers)| {
        let run = answered.get(&asked.id)?;
        let references = sources.cited_by(answers);
        Some(Value::from([
            ("userMessageId", asked.id.as_str().into()),
            ("runId", run.as_str().into()),
            ("sourceReferences", Value::Array(references)),
        ]))
    });
    turns.collect()
}

/// The sources in a state.
struct Sources<'s> {
    /// The keys of its citations, by message.
    messages: Option<&'s Map>,
    citations: Option<&'s Map>,
    /// Sources with a number, by key.
    numbered: HashMap<&'s str, &'s Value>,
}

impl<'s> Sources<'s> {
    fn of(state: &'s Value, deep_key: &str) -> Self {
        let deep = state.get(deep_key);
        let part = |name: &str| deep.and_then(|deep| deep.get(name)?.as_object());
        let rag = state.get("rag").and_then(|rag| rag.get("citations"));
        let numbered = rag.and_then(Value::as_array).unwrap_or_default().iter();
        Self {
            messages: part("messages"),
            citations: part("citations"),
            numbered: numbered
                .filter_map(|item| Some((item.get("chunk_id")?.as_str()?, item)))
                .collect(),
        }
    }

    /// What some messages refer to, in the order they do.
    fn cited_by(&self, messages: &[&str]) -> Vec<Value> {
        let mut seen = HashSet::new();
        let mut references = Vec::new();
        for id in messages {
            let entry = self.messages.and_then(|entries| entries.get(id));
            let cited = entry.and_then(|entry| entry.get("citations")?.as_object());
            for (key, citation) in cited.into_iter().flat_map(Map::iter) {
                if seen.insert(key) {
                    references.push(self.reference(key, citation));
                }
            }
        }
        references
    }

    fn reference(&self, key: &str, cited: &Value) -> Value {
        let numbered = self.numbered.get(key);
        let whole = self.citations.and_then(|citations| citations.get(key));
        let whole = whole.unwrap_or(cited);
        let own = |name: &str| numbered.and_then(|item| item.get(name)).cloned();
        let text = |name: &str| {
            whole
                .get(name)
                .filter(|value| value.as_str().is_some())
                .cloned()
        };
        let phrase = || text("fullPhrase").or_else(|| text("sourceContext"));
        let nothing = || Value::from("");
        let document = own("document_id").or_else(|| text("attachmentId"));
        let document = document.unwrap_or_else(nothing);
        let page = || {
            let page = whole.get("pageNumber").cloned();
            Value::Array(page.into_iter().collect())
        };
        let mut reference = Map::new();
        let mut put = |name: &str, value: Value| drop(reference.insert(name.to_owned(), value));
        put("chunkId", key.into());
        let address = own("document_uri").unwrap_or_else(|| document.clone());
        put("documentId", document);
        put("documentUri", address);
        let content = own("content").or_else(phrase);
        put("content", content.unwrap_or_else(nothing));
        if let Some(title) = own("document_title") {
            put("documentTitle", title);
        }
        put(
            "headings",
            own("headings").unwrap_or(Value::Array(Vec::new())),
        );
        put("pageNumbers", own("page_numbers").unwrap_or_else(page));
        if let Some(index) = own("index") {
            put("index", index);
        }
        Value::Object(reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, role: &str) -> StoredMessage {
        StoredMessage {
            id: id.to_owned(),
            role: role.to_owned(),
            json: "{}".into(),
        }
    }

    #[test]
    fn a_turn_is_a_question_and_its_last_run() {
        let state = Json::parse(
            r#"{"deepcitation":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d","pageNumber":2}},
                "messages":{"a1":{"citations":{"aa":{}}},"a2":{"citations":{"aa":{},"bb":{"fullPhrase":"y"}}}}},
                "rag":{"citations":[{"chunk_id":"bb","index":2,"content":"why","document_id":"e","document_uri":"u","page_numbers":[7]}],"qa_history":[]}}"#,
        )
        .expect("JSON");
        let messages = [
            message("a0", "assistant"),
            message("u1", "user"),
            message("a1", "assistant"),
            message("t", "tool"),
            message("a2", "assistant"),
            message("u2", "user"),
            message("u3", "user"),
        ];
        let run = |id: &str| RunId::new(id).expect("an id");
        let answered = vec![
            ("u1".to_owned(), run("r1")),
            ("u1".to_owned(), run("r2")),
            ("u3".to_owned(), run("r3")),
        ];
        let turns = turns("deepcitation", &state, &messages, answered);
        assert_eq!(
            Value::Array(turns).to_json(),
            r#"[{"userMessageId":"u1","runId":"r2","sourceReferences":[{"chunkId":"aa","documentId":"d","documentUri":"d","content":"x","headings":[],"pageNumbers":[2]},{"chunkId":"bb","documentId":"e","documentUri":"u","content":"why","headings":[],"pageNumbers":[7],"index":2}]},{"userMessageId":"u3","runId":"r3","sourceReferences":[]}]"#
        );
    }
}
