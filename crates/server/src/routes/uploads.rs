//! Files that are sent or fetched, stored and read.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use documents::ContentId;
use net::FetchError;
use store::{Attachment, AttachmentId, NewAttachment, Principal};

use super::{RequestMembers, object};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::{CachedDocument, file_name};

/// How many characters the label of an end user may have.
const MAX_END_USER: usize = 128;

/// A file that was sent, and what was said of it.
#[derive(Debug, Default)]
pub(super) struct UploadedFile {
    pub(super) file: Option<Bytes>,
    /// What the file is called where it comes from.
    given: Option<String>,
    filename: Option<String>,
    pub(super) attachment_id: Option<String>,
    pub(super) url: Option<String>,
    end_user: Option<String>,
}

/// Reads an upload: a form with a file, or JSON.
pub(super) async fn upload(
    app: &Arc<AppState>,
    request: Request,
) -> Result<UploadedFile, ApiError> {
    let upload = if is_form(&request) {
        let form = Multipart::from_request(request, app).await;
        let form = form.map_err(|rejection| {
            ApiError::new(
                ErrorCode::BadRequest,
                rejection.body_text(),
                "let the client write the Content-Type of the form, as curl -F file=@FILE does",
            )
        })?;
        of_form(form, app.settings.limits.max_body_bytes).await?
    } else {
        let map = object(Bytes::from_request(request, app).await)?;
        let members = RequestMembers::of(&map);
        let member = |key: &str| Ok::<_, ApiError>(members.text(key)?.map(str::to_owned));
        UploadedFile {
            file: None,
            given: None,
            filename: member("filename")?,
            attachment_id: member("attachmentId")?,
            url: member("url")?,
            end_user: member("endUserId")?,
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
            "endUserId must be at most 128 characters, none of them a control character",
            "send a short label for the user, such as an id of yours",
        ));
    }
    Ok(())
}

async fn of_form(mut form: Multipart, limit: usize) -> Result<UploadedFile, ApiError> {
    let mut upload = UploadedFile::default();
    let broken = |error| broken_form(&error, limit);
    while let Some(field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        let place = match name.as_str() {
            "file" => {
                upload.given = field.file_name().map(str::to_owned);
                let file = field.bytes().await.map_err(broken)?;
                once("file", upload.file.replace(file).is_none())?;
                continue;
            }
            "filename" => &mut upload.filename,
            "attachmentId" => &mut upload.attachment_id,
            "endUserId" => &mut upload.end_user,
            "url" => &mut upload.url,
            _ => {
                passed_over(field).await.map_err(broken)?;
                continue;
            }
        };
        let value = field.text().await.map_err(broken)?;
        once(&name, place.replace(value).is_none())?;
    }
    for place in [
        &mut upload.given,
        &mut upload.filename,
        &mut upload.attachment_id,
        &mut upload.end_user,
        &mut upload.url,
    ] {
        place.take_if(|text| text.is_empty());
    }
    Ok(upload)
}

/// Reads a part that says nothing to us.
async fn passed_over(mut field: Field<'_>) -> Result<(), MultipartError> {
    while field.chunk().await?.is_some() {}
    Ok(())
}

fn once(name: &str, is_first: bool) -> Result<(), ApiError> {
    if is_first {
        return Ok(());
    }
    let hint = match name {
        "file" => "send each file in a request of its own",
        _ => "send each part once",
    };
    Err(ApiError::new(
        ErrorCode::InvalidInput,
        format!("the form has more than one part named {name}"),
        hint,
    ))
}

fn broken_form(error: &MultipartError, limit: usize) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return ApiError::new(
            ErrorCode::TooLarge,
            format!("the form has more than {limit} bytes"),
            format!(
                "send a smaller file, or raise limits.max_body_bytes, which is {limit} on this server"
            ),
        );
    }
    ApiError::new(
        ErrorCode::BadRequest,
        error.body_text(),
        "send a form with a file in a part named file, as curl -F file=@FILE does",
    )
}

/// Stores and reads what was uploaded.
pub(super) async fn stored(
    app: &Arc<AppState>,
    principal: &Principal,
    upload: UploadedFile,
) -> Result<((Attachment, CachedDocument), bool), ApiError> {
    let fetched = upload.file.is_none();
    let (file, called) = match (upload.file, &upload.url) {
        (Some(file), _) => (file, upload.given),
        (None, Some(url)) => {
            let fetched = app.gateway.fetcher.fetch(url).await?;
            (Bytes::from(fetched.bytes), Some(fetched.name))
        }
        (None, None) => {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                "there is no file in the request",
                "send multipart/form-data with a part named file, or {\"url\":\"…\"}",
            ));
        }
    };
    let file = FileToAttach {
        id: upload.attachment_id,
        name: upload.filename.or(called).unwrap_or_default(),
        bytes: file,
        end_user: upload.end_user,
        origin: upload.url.filter(|_| fetched),
    };
    attach_file(app, principal, file).await
}

impl From<FetchError> for ApiError {
    fn from(error: FetchError) -> Self {
        let code = match &error {
            FetchError::BadUrl { .. } => ErrorCode::InvalidInput,
            error if error.is_refusal() => ErrorCode::FetchOff,
            _ => ErrorCode::UnreadableDocument,
        };
        let message = match &error {
            // Clients of the citation SDK show the message alone.
            FetchError::Off | FetchError::NotAllowed { .. } => {
                format!("{error}; the server allows a host with --allow-fetch HOST")
            }
            _ => error.to_string(),
        };
        Self::new(code, message, error.hint())
    }
}

/// A file that is to be attached.
#[derive(Debug, Default)]
pub(crate) struct FileToAttach {
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
    app: &Arc<AppState>,
    principal: &Principal,
    file: FileToAttach,
) -> Result<((Attachment, CachedDocument), bool), ApiError> {
    let id = match &file.id {
        Some(id) => AttachmentId::new(id)?,
        None => AttachmentId::new(&own_id(&file))?,
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

/// What a file is called by if nobody says so: twenty letters and digits, the same for the same file, so that a request
/// that is sent again changes nothing.
fn own_id(file: &FileToAttach) -> String {
    const SIGNS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let said = [
        ContentId::of(&file.bytes).to_string(),
        file_name(&file.name),
        file.end_user.clone().unwrap_or_default(),
        file.origin.clone().unwrap_or_default(),
    ];
    let hash = ContentId::of(said.join("\0").as_bytes()).to_string();
    let half = |range| u128::from_str_radix(&hash[range], 16).unwrap_or_default();
    let halves = [half(0..32), half(32..64)];
    let sign = |at: usize| {
        let word = halves[at % 2] >> (6 * (at / 2));
        char::from(SIGNS[usize::try_from(word % 62).unwrap_or_default()])
    };
    (0..20).map(sign).collect()
}
