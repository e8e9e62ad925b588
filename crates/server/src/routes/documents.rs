//! Documents: attached, listed, looked at, removed.

use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use json::{Map, Value};
use serde::Deserialize;
use store::{Attachment, Principal, StoredDocument, Timestamp};

use super::uploads::{stored, upload};
use super::{json, ok, slice};
use crate::access::Caller;
use crate::error::ApiError;
use crate::state::AppState;
use gateway::{CachedDocument, DocumentUnavailable, NamedDocument};

/// A list's page.
#[derive(Debug, Deserialize)]
pub(super) struct PageQuery {
    after: Option<String>,
    limit: Option<usize>,
}

/// The documents there are.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(page): Query<PageQuery>,
) -> Result<Response, ApiError> {
    let slice = slice(page.after, page.limit)?;
    let listed = app
        .store
        .attachments(&caller.principal, &slice, app.now())
        .await?;
    let items = listed.items.iter();
    let items = items.map(|one| Value::Object(described(one))).collect();
    let mut map = Map::new();
    map.insert("items".to_owned(), Value::Array(items));
    map.insert(
        "next".to_owned(),
        listed.next.map_or(Value::Null, Value::from),
    );
    Ok(ok(&Value::Object(map)))
}

/// Stores a document.
pub(super) async fn attach(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let upload = upload(&app, request).await?;
    let ((attachment, held), existed) = stored(&app, &caller.principal, upload).await?;
    let status = if existed {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    let map = with_warnings(described(&attachment), &held);
    Ok(json(status, &Value::Object(map)))
}

/// One document.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let found = app.library.named(&caller.principal, &id, app.now()).await?;
    let (named, held) = found;
    let map = match &named {
        NamedDocument::Attachment(attachment) => described(attachment),
        NamedDocument::Content(document) => about_document(document),
    };
    Ok(ok(&Value::Object(with_warnings(map, &held))))
}

/// A document, by the name that the principal has for it or by its content.
pub(super) async fn opened(
    app: &AppState,
    principal: &Principal,
    id: &str,
) -> Result<CachedDocument, ApiError> {
    Ok(app.library.named(principal, id, app.now()).await?.1)
}

/// An attachment and its document.
pub(super) async fn attachment(
    app: &AppState,
    principal: &Principal,
    id: &str,
) -> Result<(Attachment, CachedDocument), ApiError> {
    let (library, now) = (&app.library, app.now());
    let mut found = library.attachments(principal, id, now).await?;
    let attachment = found.swap_remove(0);
    let held = library.open(principal, attachment.document.id, None, now);
    let held = held.await?;
    Ok((attachment, held))
}

/// Removes a document.
pub(super) async fn detach(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    remove(&app, &caller.principal, &id).await?;
    Ok(ok(&Value::from([
        ("attachmentId", id.as_str().into()),
        ("deleted", Value::Bool(true)),
    ])))
}

/// Removes what an id names: an attachment, or all of a document.
pub(super) async fn remove(
    app: &AppState,
    principal: &Principal,
    id: &str,
) -> Result<(), ApiError> {
    let mut removed = false;
    for attachment in app.library.attachments(principal, id, app.now()).await? {
        removed |= app.store.detach(principal, &attachment.id).await?;
    }
    match removed {
        true => Ok(()),
        false => Err(DocumentUnavailable::Missing(id.to_owned()).into()),
    }
}

/// A moment as text.
pub(super) fn moment(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| "never".to_owned(), |at| at.to_string())
}

pub(super) fn described(attachment: &Attachment) -> Map {
    let mut map = about_document(&attachment.document);
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", attachment.id.as_str().into());
    put("filename", attachment.name.as_str().into());
    for (key, said) in [
        ("url", &attachment.origin),
        ("endUserId", &attachment.end_user),
    ] {
        if let Some(said) = said {
            put(key, said.as_str().into());
        }
    }
    put("createdAt", moment(attachment.created).into());
    put(
        "expiresAt",
        attachment
            .expires
            .map_or_else(|| "never".to_owned(), moment)
            .into(),
    );
    map
}

/// How many warnings of one document are told.
const MAX_WARNINGS: usize = 20;

/// What could not be read of a document, and what to do about it; nothing if all is well.
pub(super) fn warnings(held: &CachedDocument) -> Vec<String> {
    let all = held.warnings();
    let mut told: Vec<String> = all
        .iter()
        .take(MAX_WARNINGS)
        .map(ToString::to_string)
        .collect();
    if let Some(more @ 1..) = all.len().checked_sub(MAX_WARNINGS) {
        told.push(format!("and {more} more"));
    }
    told
}

fn with_warnings(mut map: Map, held: &CachedDocument) -> Map {
    put_warnings(&mut map, warnings(held));
    map
}

/// Adds warnings to what is said of a document, if there are any.
pub(super) fn put_warnings(map: &mut Map, told: Vec<String>) {
    if !told.is_empty() {
        let told = told.into_iter().map(Value::from).collect();
        map.insert("warnings".to_owned(), Value::Array(told));
    }
}

/// What is known of a document, whatever it is called.
fn about_document(document: &StoredDocument) -> Map {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", document.id.to_string().into());
    put("documentId", document.id.to_string().into());
    put("mimeType", document.media_type.as_str().into());
    put(
        "fileSize",
        usize::try_from(document.size).unwrap_or(usize::MAX).into(),
    );
    if let Some(pages) = document.pages {
        put("pageCount", (pages as usize).into());
    }
    if let Some(title) = &document.title {
        put("title", title.as_str().into());
    }
    put("createdAt", moment(document.created).into());
    map
}
