//! Turns of a thread with the sources that each answer cites.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use citation_stream::{ThreadMemory, sources_by_id};
use citations::dialects::SourceReference;
use citations::{Citation, CitationId};
use gateway::{Key, memory_of, read_json};
use json::{Json, Map, Value};
use store::{PageRequest, RunId, StoredMessage};

use super::extract::ThreadKey;
use super::ok;
use super::threads::open_run;
use crate::api::{SourceReferenceInfo, ThreadTurn};
use crate::error::ApiError;
use crate::state::AppState;

/// Runs that are read at a time.
const RUNS_PAGE: usize = 1_000;

/// Lists the turns of a thread.
pub(super) async fn turns(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
) -> Result<Response, ApiError> {
    let mut answered = Vec::new();
    let mut page = PageRequest::first(RUNS_PAGE);
    loop {
        let listed = app.store.runs(&key.0, &key.1, &page).await?;
        let runs = listed.items.into_iter();
        answered.extend(runs.filter_map(|run| Some((run.question?, run.id))));
        page.after = listed.next;
        if page.after.is_none() {
            break;
        }
    }
    let (memory, messages) = current(&app, &key).await?;
    let deep_key = &app.settings.citations.key;
    ok(&turns_of(deep_key, &memory, &messages, answered))
}

/// Returns memory and messages of a thread, also while a run is in progress.
async fn current(
    app: &AppState,
    key: &Key,
) -> Result<(ThreadMemory, Vec<StoredMessage>), ApiError> {
    if let Some((state, messages)) = open_run(app, key).await? {
        // The record beside the state is the one of the run before.
        let stored = app.store.state(&key.0, &key.1).await?;
        let record = read_json(&stored.record);
        return Ok((ThreadMemory { state, record }, messages));
    }
    let memory = memory_of(&app.store, key).await?;
    let messages = app.store.messages(&key.0, &key.1, None, usize::MAX).await?;
    let memory = memory.unwrap_or_else(|| Json::from(Value::from([])).into());
    Ok((memory, messages.messages))
}

/// Returns the user messages that were answered, each with its last run and its sources.
fn turns_of(
    deep_key: &str,
    memory: &ThreadMemory,
    messages: &[StoredMessage],
    answered: Vec<(String, RunId)>,
) -> Vec<ThreadTurn> {
    let state = memory.state.value();
    let record = memory.record.as_ref().map(Json::value);
    let sources = ThreadSources::of(&state, record.as_deref(), deep_key);
    // Of several runs for one message the last one remains.
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
        Some(ThreadTurn {
            user_message_id: asked.id.clone(),
            run_id: answered.get(&asked.id)?.to_string(),
            source_references: sources.cited_by(answers),
        })
    });
    turns.collect()
}

/// Sources of a thread.
struct ThreadSources<'s> {
    /// Citation models: in the state, and in the record beside it.
    models: Vec<&'s Value>,
    /// Sources with a number in the thread, by citation key.
    numbered: HashMap<&'s str, &'s Value>,
    /// Sources that the agent itself put into the state, by citation.
    of_agent: HashMap<CitationId, SourceReference>,
}

impl<'s> ThreadSources<'s> {
    fn of(state: &'s Value, record: Option<&'s Value>, deep_key: &str) -> Self {
        let in_record = |name: &str| record.and_then(|record| record.get(name));
        let numbered = [state.get("rag"), in_record("rag")].into_iter().flatten();
        let numbered = numbered.filter_map(|rag| rag.get("citations")?.as_array());
        Self {
            models: [state.get(deep_key), in_record("ledger")]
                .into_iter()
                .flatten()
                .collect(),
            numbered: numbered
                .flatten()
                .filter_map(|item| Some((item.get("chunk_id")?.as_str()?, item)))
                .collect(),
            of_agent: sources_by_id(state).into_iter().collect(),
        }
    }

    /// Returns a member of a part of the models; the first model that has it wins.
    fn find(&self, part: &str, name: &str) -> Option<&'s Value> {
        let mut found = self
            .models
            .iter()
            .filter_map(|model| model.get(part)?.get(name));
        found.next()
    }

    /// Returns the sources that some messages cite, each once, in order.
    fn cited_by(&self, messages: &[&str]) -> Vec<SourceReferenceInfo> {
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

    fn reference(&self, key: &str, cited: &Value) -> SourceReferenceInfo {
        let whole = self.find("citations", key).unwrap_or(cited);
        let reference = match self.numbered.get(key) {
            Some(item) => SourceReference::from_json(item),
            None => self.agent_source(whole, cited),
        };
        describe(reference.unwrap_or_else(|| source_of_citation(key, whole)))
    }

    /// Returns the agent's own source of a citation, with the number that it has in the message.
    fn agent_source(&self, whole: &Value, cited: &Value) -> Option<SourceReference> {
        let source = self.of_agent.get(&Citation::from_json(whole)?.id())?;
        let number = cited.get("citationNumber");
        let number = number.and_then(|number| match number {
            Value::Number(number) => number.as_safe_int(),
            _ => None,
        });
        Some(SourceReference {
            index: number.or(source.index),
            ..source.clone()
        })
    }
}

/// Returns the source of a citation about which nothing else is known.
fn source_of_citation(key: &str, citation: &Value) -> SourceReference {
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

fn describe(source: SourceReference) -> SourceReferenceInfo {
    SourceReferenceInfo {
        chunk_id: source.chunk_id,
        document_id: source.document_id,
        document_uri: source.document_uri,
        content: source.content,
        document_title: source.document_title,
        headings: source.headings,
        page_numbers: source.page_numbers,
        index: source.index,
    }
}

#[cfg(test)]
mod tests {
    use json::Json;

    use super::*;

    fn message(id: &str, role: &str) -> StoredMessage {
        StoredMessage {
            id: id.to_owned(),
            role: role.to_owned(),
            json: "{}".into(),
        }
    }

    #[test]
    fn a_turn_is_a_user_message_with_its_last_run() {
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
        let turns = turns_of("deepcitation", &state.into(), &messages, answered);
        assert_eq!(
            serde_json::to_string(&turns).expect("JSON"),
            r#"[{"userMessageId":"u1","runId":"r2","sourceReferences":[{"chunkId":"aa","documentId":"d","documentUri":"d","content":"x","headings":[],"pageNumbers":[2]},{"chunkId":"bb","documentId":"e","documentUri":"u","content":"why","headings":[],"pageNumbers":[7],"index":2}]},{"userMessageId":"u3","runId":"r3","sourceReferences":[]}]"#
        );
    }

    #[test]
    fn sources_of_the_agent_are_returned_as_the_agent_describes_them() {
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
        let memory = ThreadMemory::from(Json::parse(state).expect("JSON"));
        let turns = turns_of("deepcitation", &memory, &messages, answered);
        let expected = |index: u8| {
            format!(
                r#"{{"chunkId":"abc123","documentId":"doc456","documentUri":"s3://bucket/doc456.pdf","content":"The relevant text","documentTitle":"My Document","headings":["Chapter 1","Section 2"],"pageNumbers":[5,6],"index":{index}}}"#
            )
        };
        for (turn, index) in turns.iter().zip([1, 4]) {
            let references = serde_json::to_string(&turn.source_references).expect("JSON");
            assert_eq!(references, format!("[{}]", expected(index)));
        }
    }

    #[test]
    fn citations_of_the_record_beside_the_state_are_included() {
        let record = r#"{"standsDown":[],"ledger":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d"}},
            "messages":{"constructor":{"citations":{"aa":{"fullPhrase":"x","attachmentId":"d"}}}}},
            "rag":{"citations":[{"chunk_id":"aa","index":1,"content":"x","document_id":"d","document_uri":"u"}],"qa_history":[]}}"#;
        let memory = ThreadMemory {
            state: Json::parse("[1]").expect("JSON"),
            record: Json::parse(record).ok(),
        };
        let messages = [message("u", "user"), message("constructor", "assistant")];
        let answered = vec![("u".to_owned(), RunId::new("r").expect("an id"))];
        let turns = turns_of("deepcitation", &memory, &messages, answered);
        assert_eq!(
            serde_json::to_string(&turns[0].source_references).expect("JSON"),
            r#"[{"chunkId":"aa","documentId":"d","documentUri":"u","content":"x","headings":[],"pageNumbers":[],"index":1}]"#
        );
    }
}
