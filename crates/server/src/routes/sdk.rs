//! The paths of the public citation SDK, in the forms that its releases read.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use citations::{SdkVersion, deep_text, page_texts};
use json::{Map, Value};
use store::Timestamp;

use super::documents::{self, attachment, moment, put_warnings};
use super::files::download;
use super::sdk_images::SdkImages;
use super::uploads::{stored, upload};
use super::{RequestMembers, object, ok};
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::DocumentUnavailable;

/// A month and a year, in milliseconds.
const MONTH: i64 = 30 * DAY;
const YEAR: i64 = 365 * DAY;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Which names a client reads: the newer ones say which release they are.
pub(super) fn names(headers: &HeaderMap) -> SdkVersion {
    if headers.contains_key("x-sdk-version") {
        SdkVersion::V3
    } else {
        SdkVersion::V2
    }
}

/// Stores a file, or looks at one that is stored, and answers with its text for a model.
pub(super) async fn prepare(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let start = Instant::now();
    let upload = upload(&app, request).await?;
    let (attachment, held) = match (&upload.file, &upload.url, &upload.attachment_id) {
        (None, None, Some(id)) => attachment(&app, &caller.principal, id).await?,
        _ => stored(&app, &caller.principal, upload).await?.0,
    };
    let took = start.elapsed().as_millis();
    let prepared = SdkImages::new(&app, &caller.principal, (attachment, held)).await?;
    Ok(ok(&described(&app, &caller, &prepared, took)))
}

fn described(app: &AppState, caller: &Caller, prepared: &SdkImages, took: u128) -> Value {
    let SdkImages {
        attachment, held, ..
    } = prepared;
    let id = attachment.id.as_str();
    let pages = page_texts(held);
    let bytes: usize = held.lines().iter().map(|line| line.text.len()).sum();
    let metadata = Value::from([
        ("filename", attachment.name.as_str().into()),
        ("mimeType", held.media_type().into()),
        ("pageCount", held.pages().len().into()),
        ("textByteSize", bytes.into()),
    ]);
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("attachmentId", id.into());
    put("deepTextPromptPortion", deep_text([(id, &**held)]).into());
    put(
        "deepTextPages",
        Value::Array(pages.into_iter().map(Value::from).collect()),
    );
    put("metadata", metadata);
    put("status", "ready".into());
    put("pageImages", prepared.pages());
    put("pageImagesStatus", "completed".into());
    let original = download(app, &caller.principal, attachment);
    put("originalDownload", original.to_json(SdkVersion::V2));
    if let Some(origin) = &attachment.origin {
        put("urlSource", url_source(origin));
    }
    put(
        "processingTimeMs",
        usize::try_from(took).unwrap_or(usize::MAX).into(),
    );
    put("expiresAt", expiry(attachment.expires));
    put_warnings(&mut map, prepared.warnings());
    Value::Object(map)
}

/// The address that a document was fetched from.
fn url_source(url: &str) -> Value {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    let host = after.split(['/', '?', '#']).next().unwrap_or_default();
    let domain = host.split(':').next().unwrap_or_default();
    let domain = domain.strip_prefix("www.").unwrap_or(domain);
    Value::from([("url", url.into()), ("domain", domain.into())])
}

pub(super) fn expiry(expires: Option<Timestamp>) -> Value {
    expires.map_or_else(|| "never".to_owned(), moment).into()
}

/// Stores a file; every kind is read as it is, so nothing has to be converted.
pub(super) async fn convert(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let start = Instant::now();
    let ((attachment, held), _) =
        stored(&app, &caller.principal, upload(&app, request).await?).await?;
    let took = usize::try_from(start.elapsed().as_millis()).unwrap_or(usize::MAX);
    let metadata = Value::from([
        ("originalFilename", attachment.name.as_str().into()),
        ("originalMimeType", held.media_type().into()),
        ("convertedMimeType", held.media_type().into()),
        ("conversionTimeMs", took.into()),
    ]);
    Ok(ok(&Value::from([
        ("attachmentId", attachment.id.as_str().into()),
        ("metadata", metadata),
        ("status", "converted".into()),
    ])))
}

/// What is known of an attachment.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(body)?;
    let Some(id) = RequestMembers::of(&body).text("attachmentId")? else {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "attachmentId is missing",
            "send {\"attachmentId\":\"…\"}",
        ));
    };
    let found = attachment(&app, &caller.principal, id).await?;
    let known = SdkImages::new(&app, &caller.principal, found).await?;
    let SdkImages {
        attachment, held, ..
    } = &known;
    let texts = held.pages().iter().map(|page| {
        let range = page.lines.start as usize..page.lines.end as usize;
        let lines = held.lines().get(range).unwrap_or_default();
        let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        Value::from(lines.join("\n"))
    });
    let texts: Vec<Value> = texts.collect();
    let bytes: usize = held.lines().iter().map(|line| line.text.len()).sum();
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
    put("id", attachment.id.as_str().into());
    put("status", "ready".into());
    let source = match &attachment.origin {
        Some(_) => "url",
        None => "upload",
    };
    put("source", source.into());
    if let Some(origin) = &attachment.origin {
        put("urlSource", url_source(origin));
    }
    let original = download(&app, &caller.principal, attachment);
    put("originalDownload", original.to_json(SdkVersion::V2));
    put("originalFilename", attachment.name.as_str().into());
    put("mimeType", held.media_type().into());
    let size = usize::try_from(attachment.document.size).unwrap_or(usize::MAX);
    put("fileSize", size.into());
    put("pageCount", held.pages().len().into());
    put("textByteSize", bytes.into());
    put("pageImages", known.pages());
    put("pageImagesStatus", "completed".into());
    put("verifications", Value::Object(Map::new()));
    put("uploadedAt", moment(attachment.created).into());
    put("expiresAt", expiry(attachment.expires));
    put(
        "deepTextPromptPortion",
        deep_text([(attachment.id.as_str(), &**held)]).into(),
    );
    put("pageTexts", Value::Array(texts));
    put_warnings(&mut map, known.warnings());
    Ok(ok(&Value::Object(map)))
}

/// Keeps an attachment longer.
pub(super) async fn extend(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(body)?;
    let span = match RequestMembers::of(&body).text("duration")? {
        Some("month") => MONTH,
        Some("year") => YEAR,
        _ => {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                "duration must be \"month\" or \"year\"",
                "send {\"duration\":\"month\"}",
            ));
        }
    };
    let (principal, now) = (caller.principal, app.now());
    let mut found = app.library.attachments(&principal, &id, now).await?;
    let before = found.swap_remove(0);
    // What never ends cannot be made to end by extending it.
    let until = before
        .expires
        .map(|expires| Timestamp(expires.0.max(now.0).saturating_add(span)));
    let after = app.store.extend(&principal, &before.id, until, now).await?;
    let after = after.ok_or_else(|| DocumentUnavailable::Missing(id.clone()))?;
    Ok(ok(&Value::from([
        ("attachmentId", before.id.as_str().into()),
        ("expiresAt", expiry(after.expires)),
        ("previousExpiresAt", expiry(before.expires)),
    ])))
}

/// Removes an attachment.
pub(super) async fn detach(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    documents::remove(&app, &caller.principal, &id).await?;
    Ok(ok(&Value::from([
        ("attachmentId", id.as_str().into()),
        ("deleted", Value::Bool(true)),
    ])))
}
