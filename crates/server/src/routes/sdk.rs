//! Attachments for the public citation SDK, in the form that its releases read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::documents::ContentId;
use axum::extract::{Path, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use citations::{SdkVersion, deep_text, page_texts};
use gateway::{CachedDocument, DocumentUnavailable};
use store::{PageRequest, Principal, Timestamp};

use super::documents::{self, open_attachment};
use super::extract::JsonBody;
use super::files::download_link;
use super::page_images::read_verification;
use super::sdk_images::SdkImages;
use super::uploads::{attach_upload, read_upload};
use super::{expiry_text, ok, time_text};
use crate::access::Caller;
use crate::api::{
    AttachmentInfo, AttachmentRequest, ConvertedAttachment, ConvertedMetadata, DeletedAttachment,
    ExtendDuration, ExtendRequest, ExtendedAttachment, JsonMap, PreparedAttachment,
    PreparedMetadata, UrlSource, VerificationJson,
};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Number of verifications that are read from the store at a time.
const VERIFICATIONS_PER_PAGE: usize = 1_000;
/// Number of such pages that are searched for the verifications of one document.
const MAX_VERIFICATION_PAGES: usize = 100;
/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Milliseconds of 30 days.
const MONTH: i64 = 30 * DAY;
/// Milliseconds of 365 days.
const YEAR: i64 = 365 * DAY;

/// Returns the version whose names the client reads. The first releases send no header, and those up to 0.2 use the
/// older names.
pub(super) fn sdk_version(headers: &HeaderMap) -> SdkVersion {
    let version = headers.get("x-sdk-version");
    let Some(version) = version.and_then(|version| version.to_str().ok()) else {
        return SdkVersion::V2;
    };
    let mut numbers = version.trim().trim_start_matches('v').split('.');
    let mut number = || numbers.next()?.parse::<u32>().ok();
    match (number(), number()) {
        (Some(0), Some(0..=2)) => SdkVersion::V2,
        _ => SdkVersion::V3,
    }
}

/// Attaches a document, or opens an attached one, and returns its text for a model.
pub(super) async fn prepare(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let start = Instant::now();
    let upload = read_upload(&app, request).await?;
    let (attachment, document) = match (&upload.file, &upload.url, &upload.attachment_id) {
        (None, None, Some(id)) => open_attachment(&app, &caller.principal, id).await?,
        _ => attach_upload(&app, &caller.principal, upload).await?.0,
    };
    let took = start.elapsed();
    let images = SdkImages::new(&app, &caller.principal, (attachment, document)).await?;
    ok(&describe_prepared(&app, &caller, &images, took))
}

fn describe_prepared(
    app: &AppState,
    caller: &Caller,
    images: &SdkImages,
    took: Duration,
) -> PreparedAttachment {
    let SdkImages {
        attachment,
        document,
        ..
    } = images;
    let id = attachment.id.as_str();
    let original = download_link(app, &caller.principal, attachment);
    PreparedAttachment {
        attachment_id: id.to_owned(),
        deep_text_prompt_portion: deep_text([(id, &**document)]),
        deep_text_pages: page_texts(document),
        metadata: PreparedMetadata {
            filename: attachment.name.clone(),
            mime_type: document.media_type().to_owned(),
            page_count: document.pages().len(),
            text_byte_size: text_size(document),
        },
        status: "ready",
        page_images: images.pages(),
        page_images_status: "completed",
        original_download: original.to_json(SdkVersion::V2).into(),
        url_source: attachment.origin.as_deref().map(url_source),
        processing_time_ms: millis(took),
        expires_at: expiry_text(attachment.expires),
        warnings: images.warnings(),
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the size of all lines in bytes.
fn text_size(document: &CachedDocument) -> usize {
    document.lines().iter().map(|line| line.text.len()).sum()
}

/// Returns an address with its domain.
pub(super) fn url_source(url: &str) -> UrlSource {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    let host = after.split(['/', '?', '#']).next().unwrap_or_default();
    let domain = host.split(':').next().unwrap_or_default();
    let domain = domain.strip_prefix("www.").unwrap_or(domain);
    UrlSource {
        url: url.to_owned(),
        domain: domain.to_owned(),
    }
}

/// Attaches a document. Every format is read as it is, so nothing is converted.
pub(super) async fn convert(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let start = Instant::now();
    let upload = read_upload(&app, request).await?;
    let ((attachment, document), _) = attach_upload(&app, &caller.principal, upload).await?;
    ok(&ConvertedAttachment {
        attachment_id: attachment.id.to_string(),
        metadata: ConvertedMetadata {
            original_filename: attachment.name,
            original_mime_type: document.media_type().to_owned(),
            converted_mime_type: document.media_type().to_owned(),
            conversion_time_ms: millis(start.elapsed()),
        },
        status: "converted",
    })
}

/// Describes an attachment with its text.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<AttachmentRequest>,
) -> Result<Response, ApiError> {
    let version = sdk_version(&headers);
    if body.attachment_id.is_empty() {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "`attachmentId` is empty",
            "Send {\"attachmentId\":\"…\"}",
        ));
    }
    let found = open_attachment(&app, &caller.principal, &body.attachment_id).await?;
    let images = SdkImages::new(&app, &caller.principal, found).await?;
    let SdkImages {
        attachment,
        document,
        ..
    } = &images;
    let original = download_link(&app, &caller.principal, attachment);
    ok(&AttachmentInfo {
        id: attachment.id.to_string(),
        status: "ready",
        source: match &attachment.origin {
            Some(_) => "url",
            None => "upload",
        },
        url_source: attachment.origin.as_deref().map(url_source),
        original_download: original.to_json(SdkVersion::V2).into(),
        original_filename: attachment.name.clone(),
        mime_type: document.media_type().to_owned(),
        file_size: attachment.document.size,
        page_count: document.pages().len(),
        text_byte_size: text_size(document),
        page_images: images.pages(),
        page_images_status: "completed",
        verifications: verifications_of(&app, &caller.principal, document.id(), version).await?,
        uploaded_at: time_text(attachment.created),
        expires_at: expiry_text(attachment.expires),
        deep_text_prompt_portion: deep_text([(attachment.id.as_str(), &**document)]),
        page_texts: plain_page_texts(document),
        warnings: images.warnings(),
    })
}

/// Returns the stored verifications of citations in a document by the keys of their citations; of each the last one.
async fn verifications_of(
    app: &AppState,
    principal: &Principal,
    document: ContentId,
    version: SdkVersion,
) -> Result<JsonMap<VerificationJson>, ApiError> {
    let mut found = BTreeMap::new();
    let mut page = PageRequest::first(VERIFICATIONS_PER_PAGE);
    for _ in 0..MAX_VERIFICATION_PAGES {
        let listed = app.store.list_verifications(principal, &page).await?;
        for stored in listed.items {
            if stored.document == Some(document)
                && let Some(verification) = read_verification(&stored.verification)
            {
                found.insert(stored.key, verification);
            }
        }
        page.after = listed.next;
        if page.after.is_none() {
            break;
        }
    }
    let mut verifications = JsonMap::default();
    for (key, verification) in found {
        verifications.push(key, verification.to_json(version).into());
    }
    Ok(verifications)
}

/// Returns the lines of each page, separated by line breaks.
fn plain_page_texts(document: &CachedDocument) -> Vec<String> {
    let texts = document.pages().iter().map(|page| {
        let range = page.lines.start as usize..page.lines.end as usize;
        let lines = document.lines().get(range).unwrap_or_default();
        let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        lines.join("\n")
    });
    texts.collect()
}

/// Extends the lifetime of an attachment.
pub(super) async fn extend(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<ExtendRequest>,
) -> Result<Response, ApiError> {
    let span = match body.duration {
        ExtendDuration::Month => MONTH,
        ExtendDuration::Year => YEAR,
    };
    let (principal, now) = (caller.principal, app.now());
    let mut found = app.library.attachments(&principal, &id, now).await?;
    let before = found.swap_remove(0);
    // An attachment that never expires stays so.
    let until = before
        .expires
        .map(|expires| Timestamp(expires.0.max(now.0).saturating_add(span)));
    let after = app.store.extend(&principal, &before.id, until, now).await?;
    let after = after.ok_or_else(|| DocumentUnavailable::Missing(id.clone()))?;
    ok(&ExtendedAttachment {
        attachment_id: before.id.to_string(),
        expires_at: expiry_text(after.expires),
        previous_expires_at: expiry_text(before.expires),
    })
}

/// Removes an attachment.
pub(super) async fn detach(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    documents::remove(&app, &caller.principal, &id).await?;
    ok(&DeletedAttachment {
        attachment_id: id,
        deleted: true,
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn names_are_those_that_the_release_reads() {
        for (header, expected) in [
            (None, SdkVersion::V2),
            (Some("0.1.9"), SdkVersion::V2),
            (Some("0.2.1"), SdkVersion::V2),
            (Some("0.2.3"), SdkVersion::V2),
            (Some("v0.2.7-beta.1"), SdkVersion::V2),
            (Some("0.3.6"), SdkVersion::V3),
            (Some("0.4.3"), SdkVersion::V3),
            (Some("1.0.0"), SdkVersion::V3),
            (Some("next"), SdkVersion::V3),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(version) = header {
                headers.insert("x-sdk-version", HeaderValue::from_static(version));
            }
            assert_eq!(sdk_version(&headers), expected, "{header:?}");
        }
    }
}
