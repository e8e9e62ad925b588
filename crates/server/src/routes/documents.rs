//! Documents: listing, attaching, describing and removing them.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use documents::ContentId;
use gateway::{CachedDocument, DocumentUnavailable, NamedDocument};
use store::{
    Attachment, DocumentChange, DocumentStatus, LibraryEntry, LibraryState, Principal,
    StoredDocument,
};

use super::extract::JsonBody;
use super::uploads::{attach_upload, enqueue_upload, read_upload};
use super::{expiry_text, json, ok, time_text};
use crate::access::Caller;
use crate::api::{
    DeletedAttachment, DocumentChangeRequest, DocumentInfo, ItemPage, PageQuery, UploadQuery,
};
use crate::error::ApiError;
use crate::state::AppState;

/// Warnings of one document that are returned.
const MAX_WARNINGS: usize = 20;

/// Lists the attachments of the principal, the newest first.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(page): Query<PageQuery>,
) -> Result<Response, ApiError> {
    let page = page.request()?;
    let listed = app
        .store
        .attachments(&caller.principal, &page, app.now())
        .await?;
    let documents: Vec<ContentId> = listed.items.iter().map(|item| item.document.id).collect();
    let entries = library_entries(&app, &caller.principal, &documents).await?;
    let items = listed.items.iter().map(|attachment| {
        let entry = entries.get(&attachment.document.id);
        with_progress(describe(attachment), entry)
    });
    ok(&ItemPage {
        items: items.collect(),
        next: listed.next,
    })
}

/// Returns the entries of documents in the library.
async fn library_entries(
    app: &AppState,
    principal: &Principal,
    documents: &[ContentId],
) -> Result<HashMap<ContentId, LibraryEntry>, ApiError> {
    let entries = app.store.library_entries(principal, documents, app.now());
    let entries = entries.await?.into_iter();
    Ok(entries.map(|entry| (entry.document, entry)).collect())
}

/// Adds the progress of a document to its description.
fn with_progress(info: DocumentInfo, entry: Option<&LibraryEntry>) -> DocumentInfo {
    let Some(entry) = entry else {
        return info;
    };
    DocumentInfo {
        title: entry.title.clone(),
        labels: entry.labels.clone(),
        state: entry.state.name(),
        pages_done: entry.pages_done,
        attempts: entry.attempts,
        reason: entry.reason.clone(),
        hint: entry.hint.clone(),
        superseded: entry.is_superseded,
        ..info
    }
}

/// Returns the description of an attachment with its progress.
async fn describe_now(
    app: &AppState,
    principal: &Principal,
    info: DocumentInfo,
    document: ContentId,
) -> Result<DocumentInfo, ApiError> {
    let entries = library_entries(app, principal, &[document]).await?;
    Ok(with_progress(info, entries.get(&document)))
}

/// Returns the description of what an id names, with its progress.
pub(super) async fn describe_found(
    app: &AppState,
    principal: &Principal,
    named: &NamedDocument,
) -> Result<DocumentInfo, ApiError> {
    let info = match named {
        NamedDocument::Attachment(attachment) => describe(attachment),
        NamedDocument::Content(document) => describe_content(document),
    };
    describe_now(app, principal, info, named.document().id).await
}

/// Attaches a document. The status is 200 instead of 201 if it was attached before.
pub(super) async fn attach(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<UploadQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    let upload = read_upload(&app, request).await?;
    if query.wait.as_deref() == Some("false") {
        let (attachment, existed) = enqueue_upload(&app, &caller.principal, upload).await?;
        let document = attachment.document.id;
        let info = describe_now(&app, &caller.principal, describe(&attachment), document).await?;
        // A document that is ready already needs no further requests.
        let status = match existed && info.state == LibraryState::Ready.name() {
            true => StatusCode::OK,
            false => StatusCode::ACCEPTED,
        };
        return json(status, &info);
    }
    let ((attachment, document), existed) = attach_upload(&app, &caller.principal, upload).await?;
    let status = match existed {
        true => StatusCode::OK,
        false => StatusCode::CREATED,
    };
    let info = DocumentInfo {
        warnings: warnings(&document),
        ..describe(&attachment)
    };
    let info = describe_now(&app, &caller.principal, info, document.id()).await?;
    json(status, &info)
}

/// Describes one document, by attachment id or by the hash of its file.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let named = app.library.find(&caller.principal, &id, app.now()).await?;
    let info = describe_found(&app, &caller.principal, &named).await?;
    // A document that is still being read, or cannot be read, has a state but no warnings.
    let is_read = matches!(named.document().status, DocumentStatus::Ready);
    if !is_read && info.state != LibraryState::Ready.name() && info.attempts > 0 {
        return ok(&info);
    }
    let document = open(&app, &caller.principal, &id).await?;
    ok(&DocumentInfo {
        warnings: warnings(&document),
        ..info
    })
}

/// Changes title and labels of a document.
pub(super) async fn change(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<DocumentChangeRequest>,
) -> Result<Response, ApiError> {
    let named = app.library.find(&caller.principal, &id, app.now()).await?;
    let document = named.document().id;
    let title = body
        .title
        .map(|title| title.filter(|title| !title.trim().is_empty()));
    let change = DocumentChange {
        title,
        labels: body.labels,
        added_labels: Vec::new(),
    };
    let changed = app
        .library
        .change_document(&caller.principal, document, change);
    if !changed.await? {
        return Err(DocumentUnavailable::Missing(id).into());
    }
    ok(&describe_found(&app, &caller.principal, &named).await?)
}

/// Opens a document by attachment id or by the hash of its file.
pub(super) async fn open(
    app: &AppState,
    principal: &Principal,
    id: &str,
) -> Result<CachedDocument, ApiError> {
    Ok(app.library.named(principal, id, app.now()).await?.1)
}

/// Opens an attachment.
pub(super) async fn open_attachment(
    app: &AppState,
    principal: &Principal,
    id: &str,
) -> Result<(Attachment, CachedDocument), ApiError> {
    let (library, now) = (&app.library, app.now());
    let mut found = library.attachments(principal, id, now).await?;
    let attachment = found.swap_remove(0);
    let document = library.open(principal, attachment.document.id, None, now);
    let document = document.await?;
    Ok((attachment, document))
}

/// Removes a document.
pub(super) async fn detach(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    remove(&app, &caller.principal, &id).await?;
    ok(&DeletedAttachment {
        attachment_id: id,
        deleted: true,
    })
}

/// Removes an attachment, or with the hash of a file all its attachments.
pub(super) async fn remove(
    app: &AppState,
    principal: &Principal,
    id: &str,
) -> Result<(), ApiError> {
    let mut removed = false;
    for attachment in app.library.attachments(principal, id, app.now()).await? {
        removed |= app.library.detach(principal, &attachment.id).await?;
    }
    match removed {
        true => Ok(()),
        false => Err(DocumentUnavailable::Missing(id.to_owned()).into()),
    }
}

/// Describes an attachment, without warnings.
pub(super) fn describe(attachment: &Attachment) -> DocumentInfo {
    let origin = attachment.origin.as_ref();
    DocumentInfo {
        id: attachment.id.to_string(),
        created_at: time_text(attachment.created),
        filename: Some(attachment.name.clone()),
        url: origin.filter(|origin| origin.contains("://")).cloned(),
        path: origin.filter(|origin| !origin.contains("://")).cloned(),
        end_user_id: attachment.end_user.clone(),
        expires_at: Some(expiry_text(attachment.expires)),
        ..describe_content(&attachment.document)
    }
}

/// Describes a document without its attachment.
fn describe_content(document: &StoredDocument) -> DocumentInfo {
    DocumentInfo {
        id: document.id.to_string(),
        document_id: document.id.to_string(),
        mime_type: document.media_type.clone(),
        file_size: document.size,
        page_count: document.pages,
        title: document.title.clone(),
        created_at: time_text(document.created),
        filename: None,
        url: None,
        end_user_id: None,
        expires_at: None,
        path: None,
        labels: Vec::new(),
        state: LibraryState::Queued.name(),
        pages_done: 0,
        attempts: 0,
        reason: None,
        hint: None,
        superseded: false,
        warnings: Vec::new(),
    }
}

/// Returns the warnings of the reader, each with a hint.
pub(super) fn warnings(document: &CachedDocument) -> Vec<String> {
    let all = document.warnings();
    let mut shown: Vec<String> = all
        .iter()
        .take(MAX_WARNINGS)
        .map(ToString::to_string)
        .collect();
    if let Some(more @ 1..) = all.len().checked_sub(MAX_WARNINGS) {
        shown.push(format!("and {more} more"));
    }
    shown
}
