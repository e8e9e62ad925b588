//! Documents: attached, listed, looked at, removed.

use std::sync::Arc;

use agui::json::{Map, Value};
use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::Response;
use documents::ContentId;
use fetch::FetchError;
use serde::Deserialize;
use store::{Attachment, AttachmentId, NewAttachment, Principal, StoredDocument, Timestamp};

use super::{json, object, ok, slice, text};
use crate::access::Caller;
use crate::app::App;
use crate::error::{ApiError, Code};
use crate::library::{Held, Unavailable};

/// A list's page.
#[derive(Debug, Deserialize)]
pub(super) struct Page {
    after: Option<String>,
    limit: Option<usize>,
}

/// The documents there are.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Query(page): Query<Page>,
) -> Result<Response, ApiError> {
    let slice = slice(page.after, page.limit)?;
    let listed = app
        .store
        .attachments(&caller.principal, &slice, app.now())
        .await?;
    let items = listed.items.iter().map(described).collect();
    let mut map = Map::new();
    map.insert("items".to_owned(), Value::Array(items));
    map.insert(
        "next".to_owned(),
        listed.next.map_or(Value::Null, Value::from),
    );
    Ok(ok(&Value::Object(map)))
}

/// A file that was sent, and what was said of it.
#[derive(Debug, Default)]
pub(super) struct Upload {
    pub(super) file: Option<Bytes>,
    pub(super) filename: Option<String>,
    pub(super) attachment_id: Option<String>,
    pub(super) url: Option<String>,
    pub(super) end_user: Option<String>,
}

/// Reads an upload: a form with a file, or JSON.
pub(super) async fn upload(app: &Arc<App>, request: Request) -> Result<Upload, ApiError> {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("multipart/form-data") {
        let form = Multipart::from_request(request, app)
            .await
            .map_err(|rejection| {
                ApiError::new(
                    Code::BadRequest,
                    rejection.body_text(),
                    "send a form with a file",
                )
            })?;
        return of_form(form).await;
    }
    let map = object(Bytes::from_request(request, app).await)?;
    let member = |key: &str| text(&map, key).map(str::to_owned);
    Ok(Upload {
        file: None,
        filename: member("filename"),
        attachment_id: member("attachmentId"),
        url: member("url"),
        end_user: member("endUserId"),
    })
}

async fn of_form(mut form: Multipart) -> Result<Upload, ApiError> {
    let mut upload = Upload::default();
    let broken = |error: axum::extract::multipart::MultipartError| {
        let code = match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
            _ => Code::BadRequest,
        };
        ApiError::new(
            code,
            error.body_text(),
            "send a form with a file of at most 64 MiB",
        )
    };
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" {
            let given = field.file_name().filter(|name| !name.is_empty());
            let given = given.map(str::to_owned);
            upload.file = Some(field.bytes().await.map_err(broken)?);
            upload.filename = upload.filename.or(given);
            continue;
        }
        let value = field.text().await.map_err(broken)?;
        let value = Some(value).filter(|value| !value.is_empty());
        match name.as_str() {
            "filename" => upload.filename = value.or(upload.filename),
            "attachmentId" => upload.attachment_id = value,
            "endUserId" => upload.end_user = value,
            "url" => upload.url = value,
            _ => {}
        }
    }
    Ok(upload)
}

/// Stores a document.
pub(super) async fn attach(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let upload = upload(&app, request).await?;
    let (attachment, existed) = stored(&app, &caller.principal, upload).await?;
    let status = if existed {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    Ok(json(status, &described(&attachment.0)))
}

/// Stores and reads what was uploaded.
pub(super) async fn stored(
    app: &Arc<App>,
    principal: &Principal,
    upload: Upload,
) -> Result<((Attachment, Held), bool), ApiError> {
    let fetched = upload.file.is_none();
    let (file, called) = match (upload.file, &upload.url) {
        (Some(file), _) => (file, None),
        (None, Some(url)) => {
            let fetched = app.fetcher.fetch(url).await?;
            (Bytes::from(fetched.bytes), Some(fetched.name))
        }
        (None, None) => {
            return Err(ApiError::new(
                Code::InvalidInput,
                "there is no file in the request",
                "send multipart/form-data with a part named file, or {\"url\":\"…\"}",
            ));
        }
    };
    let name = upload.filename.or(called);
    let file = NewFile {
        id: upload.attachment_id,
        name: name.unwrap_or_else(|| "document".to_owned()),
        bytes: file,
        end_user: upload.end_user,
        origin: upload.url.filter(|_| fetched),
    };
    attach_file(app, principal, file).await
}

impl From<FetchError> for ApiError {
    fn from(error: FetchError) -> Self {
        let code = match &error {
            FetchError::BadUrl { .. } => Code::InvalidInput,
            error if error.is_refusal() => Code::FetchOff,
            _ => Code::UnreadableDocument,
        };
        Self::new(code, error.to_string(), error.hint())
    }
}

/// A file that is to be attached.
#[derive(Debug, Default)]
pub(crate) struct NewFile {
    /// What it shall be called by; something of ours if nothing is said.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
    pub(crate) end_user: Option<String>,
    /// The address that it was fetched from, if it was.
    pub(crate) origin: Option<String>,
}

/// Stores and reads a file.
pub(crate) async fn attach_file(
    app: &Arc<App>,
    principal: &Principal,
    file: NewFile,
) -> Result<((Attachment, Held), bool), ApiError> {
    let id = match &file.id {
        Some(id) => AttachmentId::new(id)?,
        None => AttachmentId::new(&new_attachment_id())?,
    };
    let attachment = NewAttachment {
        id,
        name: file.name,
        media_type: "application/octet-stream".to_owned(),
        original: file.bytes,
        end_user: file.end_user,
        origin: file.origin,
        created: app.now(),
        expires: None,
    };
    let id = attachment.id.clone();
    let (attached, held) = app.library.attach(principal, attachment).await?;
    // What was found out by reading it is in the store now.
    let described = app.store.attachment(principal, &id, app.now()).await?;
    let attachment = described.unwrap_or(attached.attachment);
    Ok(((attachment, held), attached.existed))
}

/// Twenty letters and digits.
fn new_attachment_id() -> String {
    const SIGNS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let random = [
        uuid::Uuid::new_v4().as_u128(),
        uuid::Uuid::new_v4().as_u128(),
    ];
    let sign = |at: usize| {
        let word = random[at % 2] >> (6 * (at / 2));
        char::from(SIGNS[usize::try_from(word % 62).unwrap_or_default()])
    };
    (0..20).map(sign).collect()
}

/// One document.
pub(super) async fn about(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    if let Ok(content) = id.parse::<ContentId>() {
        let (document, _) = app
            .library
            .document(&caller.principal, content, app.now())
            .await?;
        return Ok(ok(&Value::Object(about_document(&document))));
    }
    let found = attachment(&app, &caller.principal, &id).await?;
    Ok(ok(&described(&found.0)))
}

/// A document, by the name that the principal has for it or by its content.
pub(super) async fn opened(app: &App, principal: &Principal, id: &str) -> Result<Held, ApiError> {
    match id.parse::<ContentId>() {
        Ok(content) => {
            let found = app.library.document(principal, content, app.now());
            Ok(found.await?.1)
        }
        Err(_) => Ok(attachment(app, principal, id).await?.1),
    }
}

/// An attachment and its document.
pub(super) async fn attachment(
    app: &App,
    principal: &Principal,
    id: &str,
) -> Result<(Attachment, Held), ApiError> {
    let missing = || Unavailable::Missing(id.to_owned());
    let name = AttachmentId::new(id).map_err(|_| missing())?;
    Ok(app.library.attachment(principal, &name, app.now()).await?)
}

/// Removes a document.
pub(super) async fn detach(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    remove(&app, &caller.principal, &id).await?;
    Ok(ok(&Value::from([
        ("attachmentId", id.as_str().into()),
        ("deleted", Value::Bool(true)),
    ])))
}

pub(super) async fn remove(app: &App, principal: &Principal, id: &str) -> Result<(), ApiError> {
    let missing = || Unavailable::Missing(id.to_owned());
    let name = AttachmentId::new(id).map_err(|_| missing())?;
    match app.store.detach(principal, &name).await? {
        true => Ok(()),
        false => Err(missing().into()),
    }
}

/// A moment as text.
pub(super) fn moment(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| "never".to_owned(), |at| at.to_string())
}

pub(super) fn described(attachment: &Attachment) -> Value {
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
    Value::Object(map)
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
