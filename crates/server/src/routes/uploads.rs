//! Uploads: reading forms and JSON requests, fetching by address, attaching.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use net::FetchError;
use store::{Attachment, AttachmentId, DocumentChange, NewAttachment, Principal};

use super::extract::read_body;
use crate::api::{UploadRequest, non_empty, read_json_body};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::{CachedDocument, derived_attachment_id};

/// Maximum number of characters of an end user's label.
const MAX_END_USER: usize = 128;

/// Upload: a file, an address to fetch, or the id of an attachment.
#[derive(Debug, Default)]
pub(super) struct DocumentUpload {
    pub(super) file: Option<Bytes>,
    /// File name of the form's part.
    part_filename: Option<String>,
    filename: Option<String>,
    pub(super) attachment_id: Option<String>,
    pub(super) url: Option<String>,
    end_user: Option<String>,
    labels: Vec<String>,
}

/// Reads an upload: a form with a file, or JSON.
pub(super) async fn read_upload(
    app: &Arc<AppState>,
    request: Request,
) -> Result<DocumentUpload, ApiError> {
    let upload = if is_form(&request) {
        let form = Multipart::from_request(request, app).await;
        let form = form.map_err(|rejection| {
            ApiError::new(
                ErrorCode::BadRequest,
                rejection.body_text(),
                "Let the client set the Content-Type of the form, as curl -F file=@FILE does",
            )
        })?;
        read_form(form, app.settings.limits.max_body_bytes).await?
    } else {
        let body = read_body(Bytes::from_request(request, app).await)?;
        let body: UploadRequest = read_json_body(&body)?;
        DocumentUpload {
            file: None,
            part_filename: None,
            filename: non_empty(body.filename),
            attachment_id: non_empty(body.attachment_id),
            url: non_empty(body.url),
            end_user: non_empty(body.end_user_id),
            labels: body.labels.unwrap_or_default(),
        }
    };
    check_end_user(upload.end_user.as_deref().unwrap_or_default())?;
    Ok(upload)
}

fn is_form(request: &Request) -> bool {
    const FORM: &str = "multipart/form-data";
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let begins = kind.get(..FORM.len());
    begins.is_some_and(|begins| begins.eq_ignore_ascii_case(FORM))
}

fn check_end_user(label: &str) -> Result<(), ApiError> {
    if label.chars().count() > MAX_END_USER || label.chars().any(char::is_control) {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "`endUserId` must have at most 128 characters and no control characters",
            "Send a short label of the user, such as your own user id",
        ));
    }
    Ok(())
}

async fn read_form(mut form: Multipart, limit: usize) -> Result<DocumentUpload, ApiError> {
    let mut upload = DocumentUpload::default();
    let broken = |error| broken_form(&error, limit);
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        let member = match name.as_str() {
            "file" => {
                upload.part_filename = field.file_name().map(str::to_owned);
                let file = field.bytes().await.map_err(broken)?;
                once("file", upload.file.replace(file).is_none())?;
                continue;
            }
            "labels" | "label" => {
                let labels = field.text().await.map_err(broken)?;
                let labels = labels.split(',').map(str::trim);
                let labels = labels.filter(|label| !label.is_empty());
                upload.labels.extend(labels.map(str::to_owned));
                continue;
            }
            "filename" => &mut upload.filename,
            "attachmentId" => &mut upload.attachment_id,
            "endUserId" => &mut upload.end_user,
            "url" => &mut upload.url,
            _ => {
                skip(field).await.map_err(broken)?;
                continue;
            }
        };
        let value = field.text().await.map_err(broken)?;
        once(&name, member.replace(value).is_none())?;
    }
    for member in [
        &mut upload.part_filename,
        &mut upload.filename,
        &mut upload.attachment_id,
        &mut upload.end_user,
        &mut upload.url,
    ] {
        member.take_if(|text| text.is_empty());
    }
    Ok(upload)
}

/// Reads a part with an unknown name to its end.
async fn skip(mut field: Field<'_>) -> Result<(), MultipartError> {
    while field.chunk().await?.is_some() {}
    Ok(())
}

fn once(name: &str, is_first: bool) -> Result<(), ApiError> {
    if is_first {
        return Ok(());
    }
    let hint = match name {
        "file" => "Send each file in a request of its own",
        _ => "Send each part once",
    };
    Err(ApiError::new(
        ErrorCode::InvalidInput,
        format!("The form has more than one part named `{name}`"),
        hint,
    ))
}

fn broken_form(error: &MultipartError, limit: usize) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return ApiError::new(
            ErrorCode::TooLarge,
            format!("The form is larger than {limit} bytes"),
            format!(
                "Send a smaller file, or raise `limits.max_body_bytes`, which is {limit} on this server"
            ),
        );
    }
    ApiError::new(
        ErrorCode::BadRequest,
        error.body_text(),
        "Send a form with the file in a part named `file`, as curl -F file=@FILE does",
    )
}

/// Attaches an upload; fetches it first if it is an address. The flag is true if it was attached before.
pub(super) async fn attach_upload(
    app: &Arc<AppState>,
    principal: &Principal,
    upload: DocumentUpload,
) -> Result<((Attachment, CachedDocument), bool), ApiError> {
    let labels = upload.labels.clone();
    let attachment = received(app, upload).await?;
    let id = attachment.id.clone();
    let (attached, document) = app.library.attach(principal, attachment).await?;
    add_labels(app, principal, &attached.attachment, labels).await?;
    // Reading has added page count and title to the stored attachment.
    let stored = app.store.attachment(principal, &id, app.now()).await?;
    let attachment = stored.unwrap_or(attached.attachment);
    Ok(((attachment, document), attached.existed))
}

/// Stores an upload, which is read and indexed in the background. The flag is true if it was attached before.
pub(super) async fn enqueue_upload(
    app: &Arc<AppState>,
    principal: &Principal,
    upload: DocumentUpload,
) -> Result<(Attachment, bool), ApiError> {
    let labels = upload.labels.clone();
    let attachment = received(app, upload).await?;
    let attached = app.library.enqueue(principal, attachment).await?;
    add_labels(app, principal, &attached.attachment, labels).await?;
    Ok((attached.attachment, attached.existed))
}

async fn add_labels(
    app: &Arc<AppState>,
    principal: &Principal,
    attachment: &Attachment,
    labels: Vec<String>,
) -> Result<(), ApiError> {
    if labels.is_empty() {
        return Ok(());
    }
    let change = DocumentChange {
        added_labels: labels,
        ..DocumentChange::default()
    };
    let document = attachment.document.id;
    app.library
        .change_document(principal, document, change)
        .await?;
    Ok(())
}

/// Returns the file of an upload; fetches it first if it is an address.
async fn received(app: &Arc<AppState>, upload: DocumentUpload) -> Result<NewAttachment, ApiError> {
    let is_fetched = upload.file.is_none();
    let (file, filename) = match (upload.file, &upload.url) {
        (Some(file), _) => (file, upload.part_filename),
        (None, Some(url)) => {
            let fetched = app.gateway.fetcher.fetch(url).await?;
            (Bytes::from(fetched.bytes), Some(fetched.name))
        }
        (None, None) => {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                "The request has no file",
                "Send multipart/form-data with a part named `file`, or {\"url\":\"…\"}",
            ));
        }
    };
    let file = FileToAttach {
        id: upload.attachment_id,
        name: upload.filename.or(filename).unwrap_or_default(),
        bytes: file,
        end_user: upload.end_user,
        origin: upload.url.filter(|_| is_fetched),
    };
    let id = match &file.id {
        Some(id) => AttachmentId::new(id)?,
        None => derived_attachment_id(
            &file.bytes,
            &file.name,
            file.end_user.as_deref(),
            file.origin.as_deref(),
        )?,
    };
    Ok(NewAttachment {
        id,
        name: file.name,
        media_type: "application/octet-stream".to_owned(),
        original: file.bytes,
        end_user: file.end_user,
        origin: file.origin,
        created: app.now(),
        expires: None,
    })
}

impl From<FetchError> for ApiError {
    fn from(error: FetchError) -> Self {
        let code = match &error {
            FetchError::BadUrl { .. } => ErrorCode::InvalidInput,
            error if error.is_refusal() => ErrorCode::FetchOff,
            _ => ErrorCode::UnreadableDocument,
        };
        let message = match &error {
            // Clients of the citation SDK show the message without the hint.
            FetchError::Off | FetchError::NotAllowed { .. } => {
                format!("{error}; `pincite serve --allow-fetch HOST` allows a host")
            }
            _ => error.to_string(),
        };
        Self::new(code, message, error.hint())
    }
}

/// File to attach.
#[derive(Debug, Default)]
struct FileToAttach {
    /// Attachment id; derived from the other members if absent.
    id: Option<String>,
    name: String,
    bytes: Bytes,
    end_user: Option<String>,
    /// Address from which it was fetched.
    origin: Option<String>,
}
