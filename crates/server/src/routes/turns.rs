//! Turns of a thread with the sources that each answer cites.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use citation_stream::{ThreadMemory, sources_of_turns};
use citations::dialects::SourceReference;
use gateway::{Key, memory_of, read_json};
use json::{Json, Value};
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
    let answers = turns.iter().map(|(_, answers)| answers.as_slice());
    let sources = sources_of_turns(memory, deep_key, answers);
    let turns = turns
        .iter()
        .zip(sources)
        .filter_map(|((asked, _), sources)| {
            Some(ThreadTurn {
                user_message_id: asked.id.clone(),
                run_id: answered.get(&asked.id)?.to_string(),
                source_references: sources.into_iter().map(describe).collect(),
            })
        });
    turns.collect()
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
}
