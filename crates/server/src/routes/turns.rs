//! Turns of a conversation, and what their answers refer to.

use std::collections::{HashMap, HashSet};

use citation_stream::{ThreadMemory, sources_by_id};
use citations::dialects::SourceReference;
use citations::{Citation, CitationId};
use json::{Json, Map, Value};
use store::{RunId, StoredMessage};

/// Each question that was answered: the message, the last run that answered it, and its sources, each once.
pub(super) fn turns(
    deep_key: &str,
    recalled: &ThreadMemory,
    messages: &[StoredMessage],
    answered: Vec<(String, RunId)>,
) -> Vec<Value> {
    let state = recalled.state.value();
    let record = recalled.record.as_ref().map(Json::value);
    let sources = ThreadSources::of(&state, record.as_deref(), deep_key);
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

/// The sources of a thread.
struct ThreadSources<'s> {
    /// What is known of citations: in the state, and beside it.
    known: Vec<&'s Value>,
    /// Sources with a number of ours, by key.
    numbered: HashMap<&'s str, &'s Value>,
    /// Sources of the agent's own, by the citations that they are.
    foreign: HashMap<CitationId, SourceReference>,
}

impl<'s> ThreadSources<'s> {
    fn of(state: &'s Value, record: Option<&'s Value>, deep_key: &str) -> Self {
        let beside = |name: &str| record.and_then(|record| record.get(name));
        let numbered = [state.get("rag"), beside("rag")].into_iter().flatten();
        let numbered = numbered.filter_map(|rag| rag.get("citations")?.as_array());
        Self {
            known: [state.get(deep_key), beside("ledger")]
                .into_iter()
                .flatten()
                .collect(),
            numbered: numbered
                .flatten()
                .filter_map(|item| Some((item.get("chunk_id")?.as_str()?, item)))
                .collect(),
            foreign: sources_by_id(state).into_iter().collect(),
        }
    }

    /// A member of what is known, wherever it is.
    fn find(&self, part: &str, name: &str) -> Option<&'s Value> {
        let mut found = self
            .known
            .iter()
            .filter_map(|known| known.get(part)?.get(name));
        found.next()
    }

    /// What some messages refer to, in the order they do.
    fn cited_by(&self, messages: &[&str]) -> Vec<Value> {
        let mut seen = HashSet::new();
        let mut references = Vec::new();
        for id in messages {
            let entry = self.find("messages", id);
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
        let whole = self.find("citations", key).unwrap_or(cited);
        let reference = match self.numbered.get(key) {
            Some(item) => SourceReference::from_json(item),
            None => self.foreign(whole, cited),
        };
        written(&reference.unwrap_or_else(|| plain(key, whole)))
    }

    /// The source of a citation as the agent has it, with the number that the message has.
    fn foreign(&self, whole: &Value, cited: &Value) -> Option<SourceReference> {
        let source = self.foreign.get(&Citation::from_json(whole)?.id())?;
        let own = cited.get("citationNumber");
        let own = own.and_then(|number| match number {
            Value::Number(number) => number.as_safe_int(),
            _ => None,
        });
        Some(SourceReference {
            index: own.or(source.index),
            ..source.clone()
        })
    }
}

/// A source of which only the citation is known.
fn plain(key: &str, citation: &Value) -> SourceReference {
    let citation = Citation::from_json(citation).unwrap_or_default();
    let page = citation.page().and_then(|page| i64::try_from(page).ok());
    let web = citation.web.unwrap_or_default();
    let document = citation.attachment_id.unwrap_or_default();
    SourceReference {
        chunk_id: key.to_owned(),
        document_uri: web.url.unwrap_or_else(|| document.clone()),
        document_id: document,
        content: citation.full_phrase.unwrap_or_default(),
        document_title: web.title,
        page_numbers: page.into_iter().collect(),
        ..SourceReference::default()
    }
}

fn written(source: &SourceReference) -> Value {
    let mut reference = Map::new();
    let mut put = |name: &str, value: Value| drop(reference.insert(name.to_owned(), value));
    put("chunkId", source.chunk_id.as_str().into());
    put("documentId", source.document_id.as_str().into());
    put("documentUri", source.document_uri.as_str().into());
    put("content", source.content.as_str().into());
    if let Some(title) = &source.document_title {
        put("documentTitle", title.as_str().into());
    }
    let headings = source
        .headings
        .iter()
        .map(|heading| heading.as_str().into());
    put("headings", Value::Array(headings.collect()));
    let pages = source.page_numbers.iter().map(|page| Value::from(*page));
    put("pageNumbers", Value::Array(pages.collect()));
    if let Some(index) = source.index {
        put("index", index.into());
    }
    Value::Object(reference)
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
        let turns = turns("deepcitation", &state.into(), &messages, answered);
        assert_eq!(
            Value::Array(turns).to_json(),
            r#"[{"userMessageId":"u1","runId":"r2","sourceReferences":[{"chunkId":"aa","documentId":"d","documentUri":"d","content":"x","headings":[],"pageNumbers":[2]},{"chunkId":"bb","documentId":"e","documentUri":"u","content":"why","headings":[],"pageNumbers":[7],"index":2}]},{"userMessageId":"u3","runId":"r3","sourceReferences":[]}]"#
        );
    }

    #[test]
    fn sources_of_the_agents_own_are_as_the_agent_has_them() {
        let source = r#""document_id":"doc456","document_uri":"s3://bucket/doc456.pdf","document_title":"My Document","page_numbers":[5,6],"headings":["Chapter 1","Section 2"],"content":"The relevant text""#;
        let citation = r#""type":"document","attachmentId":"doc456","url":"s3://bucket/doc456.pdf","title":"My Document","pageNumber":5,"fullPhrase":"The relevant text""#;
        let state = format!(
            r#"{{"deepcitation":{{"citations":{{"k":{{{citation},"citationNumber":1}}}},"messages":{{
                "a1":{{"citations":{{"k":{{{citation},"citationNumber":1}}}}}},
                "a2":{{"citations":{{"k":{{{citation},"citationNumber":4}}}}}}}}}},
              "rag":{{"citation_index":{{"abc123":{{"index":1,"chunk_id":"abc123",{source}}}}},"citations":[]}}}}"#
        );
        let messages = [
            message("u1", "user"),
            message("a1", "assistant"),
            message("u2", "user"),
            message("a2", "assistant"),
        ];
        let run = |id: &str| RunId::new(id).expect("an id");
        let answered = vec![("u1".to_owned(), run("r1")), ("u2".to_owned(), run("r2"))];
        let recalled = ThreadMemory::from(Json::parse(state).expect("JSON"));
        let turns = turns("deepcitation", &recalled, &messages, answered);
        let expected = |index: u8| {
            format!(
                r#"{{"chunkId":"abc123","documentId":"doc456","documentUri":"s3://bucket/doc456.pdf","content":"The relevant text","documentTitle":"My Document","headings":["Chapter 1","Section 2"],"pageNumbers":[5,6],"index":{index}}}"#
            )
        };
        for (turn, index) in turns.iter().zip([1, 4]) {
            let references = turn["sourceReferences"].to_json();
            assert_eq!(references, format!("[{}]", expected(index)));
        }
    }

    #[test]
    fn what_is_kept_beside_the_state_counts() {
        let record = r#"{"standsDown":[],"ledger":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d"}},
            "messages":{"constructor":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d"}}}}},
            "rag":{"citations":[{"chunk_id":"aa","index":1,"content":"x","document_id":"d","document_uri":"u"}],"qa_history":[]}}"#;
        let recalled = ThreadMemory {
            state: Json::parse("[1]").expect("JSON"),
            record: Json::parse(record).ok(),
        };
        let messages = [message("u", "user"), message("constructor", "assistant")];
        let answered = vec![("u".to_owned(), RunId::new("r").expect("an id"))];
        let turns = turns("deepcitation", &recalled, &messages, answered);
        assert_eq!(
            turns[0]["sourceReferences"].to_json(),
            r#"[{"chunkId":"aa","documentId":"d","documentUri":"u","content":"x","headings":[],"pageNumbers":[],"index":1}]"#
        );
    }
}
