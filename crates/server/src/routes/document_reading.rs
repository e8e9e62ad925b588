//! Documents from the side of their readers: answers that cite them, and reading them again.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use citations::{Citation, SOURCE_MISSING, VerificationStatus};
use gateway::DocumentUnavailable;
use json::Value;
use store::{Principal, StoredVerification, ThreadId};

use super::documents::describe_found;
use super::page_images::read_verification;
use super::{json, ok, time_text};
use crate::access::Caller;
use crate::api::{CitingAnswer, CitingAnswerList, CitingAnswersQuery};
use crate::error::ApiError;
use crate::state::AppState;

/// Largest number of answers that are listed.
const MAX_ANSWERS: usize = 100;

/// Reads a document again from its file.
pub(super) async fn read_again(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let named = app.library.find(&caller.principal, &id, app.now()).await?;
    let document = named.document().id;
    if !app.library.reread(&caller.principal, document).await? {
        return Err(DocumentUnavailable::Missing(id).into());
    }
    let info = describe_found(&app, &caller.principal, &named).await?;
    json(StatusCode::ACCEPTED, &info)
}

/// Lists the answers that cite a document, or a page of it.
pub(super) async fn citing_answers(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<CitingAnswersQuery>,
) -> Result<Response, ApiError> {
    let named = app.library.find(&caller.principal, &id, app.now()).await?;
    let found = app
        .store
        .verifications_in(&caller.principal, named.document().id)
        .await?;
    let mut titles = HashMap::new();
    let mut items = Vec::new();
    for stored in &found {
        let Some(thread) = &stored.thread else {
            continue;
        };
        let answer = describe_answer(stored, thread);
        if items.len() == MAX_ANSWERS || query.page.is_some_and(|page| answer.page != Some(page)) {
            continue;
        }
        let title = match titles.get(thread) {
            Some(title) => Option::clone(title),
            None => {
                let title = title_of(&app, &caller.principal, thread).await?;
                titles.insert(thread.clone(), title.clone());
                title
            }
        };
        items.push(CitingAnswer {
            thread_title: title,
            ..answer
        });
    }
    ok(&CitingAnswerList { items })
}

async fn title_of(
    app: &AppState,
    principal: &Principal,
    thread: &ThreadId,
) -> Result<Option<String>, ApiError> {
    let thread = app.store.thread(principal, thread).await?;
    Ok(thread.and_then(|thread| thread.title))
}

fn describe_answer(stored: &StoredVerification, thread: &ThreadId) -> CitingAnswer {
    let parse = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        Value::parse(text).unwrap_or(Value::Null)
    };
    let citation = Citation::from_json(&parse(&stored.citation)).unwrap_or_default();
    let verification = read_verification(&stored.verification).unwrap_or_default();
    let is_missing = parse(&stored.verification)["problem"].as_str() == Some("source_missing");
    let status = verification.status.unwrap_or(VerificationStatus::Pending);
    let found = verification
        .document
        .and_then(|place| place.verified_page_number);
    let quote = citation
        .full_phrase
        .clone()
        .or(citation.anchor_text.clone());
    CitingAnswer {
        evidence_id: stored.id.clone(),
        key: stored.key.clone(),
        thread_id: thread.to_string(),
        thread_title: None,
        message_id: stored.message.clone(),
        quote: quote.unwrap_or_default(),
        words: match is_missing {
            true => SOURCE_MISSING,
            false => status.words(),
        }
        .to_owned(),
        state: status.state().name(),
        page: found
            .or_else(|| citation.page())
            .and_then(|page| u32::try_from(page).ok()),
        checked_at: time_text(stored.created),
    }
}
