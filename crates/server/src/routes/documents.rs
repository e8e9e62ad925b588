//! Documents: listing, attaching, describing and removing them.

use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::{CachedDocument, DocumentUnavailable, NamedDocument};
use store::{Attachment, Principal, StoredDocument};

use super::uploads::{attach_upload, read_upload};
use super::{expiry_text, json, ok, time_text};
use crate::access::Caller;
use crate::api::{DeletedAttachment, DocumentInfo, ItemPage, PageQuery};
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
    ok(&ItemPage {
        items: listed.items.iter().map(describe).collect(),
        next: listed.next,
    })
}

/// Attaches a document. The status is 200 instead of 201 if it was attached before.
pub(super) async fn attach(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let upload = read_upload(&app, request).await?;
    let ((attachment, document), existed) = attach_upload(&app, &caller.principal, upload).await?;
    let status = match existed {
        true => StatusCode::OK,
        false => StatusCode::CREATED,
    };
    let info = DocumentInfo {
        warnings: warnings(&document),
        ..describe(&attachment)
    };
    json(status, &info)
}

/// Describes one document, by attachment id or by the hash of its file.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let found = app.library.named(&caller.principal, &id, app.now()).await?;
    let (named, document) = found;
    let info = match &named {
        NamedDocument::Attachment(attachment) => describe(attachment),
        NamedDocument::Content(document) => describe_content(document),
    };
    ok(&DocumentInfo {
        warnings: warnings(&document),
        ..info
    })
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
        removed |= app.store.detach(principal, &attachment.id).await?;
    }
    match removed {
        true => Ok(()),
        false => Err(DocumentUnavailable::Missing(id.to_owned()).into()),
    }
}

/// Describes an attachment, without warnings.
pub(super) fn describe(attachment: &Attachment) -> DocumentInfo {
    DocumentInfo {
        id: attachment.id.to_string(),
        created_at: time_text(attachment.created),
        filename: Some(attachment.name.clone()),
        url: attachment.origin.clone(),
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
