//! Classification of an address for the citation SDK, before its document is attached.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::response::Response;
use store::{Attachment, Principal};

use super::extract::JsonBody;
use super::sdk::{millis, url_source};
use super::{ok, time_text};
use crate::access::Caller;
use crate::api::{ReviewUrlRequest, ReviewedUrl};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Describes the document at an address. An attached document is described without fetching it, unless `skipCache`.
pub(super) async fn review(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    JsonBody(body): JsonBody<ReviewUrlRequest>,
) -> Result<Response, ApiError> {
    let start = Instant::now();
    let url = body.url.trim();
    if url.is_empty() {
        return Err(ApiError::new(
            ErrorCode::InvalidInput,
            "`url` is empty",
            "Send {\"url\":\"https://…\"}",
        ));
    }
    let known = match body.skip_cache.unwrap_or_default() {
        true => None,
        false => attached_from(&app, &caller.principal, url).await?,
    };
    if let Some(attachment) = known {
        let media_type = attachment.document.media_type;
        return ok(&ReviewedUrl {
            url: url.to_owned(),
            normalized_url: url.to_owned(),
            domain: url_source(url).domain,
            http_status: 200,
            classified_as: classify(&media_type, &attachment.name),
            content_type: Some(media_type),
            content_length: Some(attachment.document.size),
            suggested_filename: Some(attachment.name),
            is_cached: true,
            cache_expires_at: attachment.expires.map(time_text),
            processing_time_ms: millis(start.elapsed()),
        });
    }
    let fetched = app.gateway.fetcher.fetch(url).await?;
    let declared = fetched.content_type.as_deref().unwrap_or_default();
    ok(&ReviewedUrl {
        url: url.to_owned(),
        domain: url_source(&fetched.url).domain,
        http_status: 200,
        classified_as: classify(declared, &fetched.name),
        content_length: Some(fetched.bytes.len() as u64),
        suggested_filename: Some(fetched.name),
        normalized_url: fetched.url,
        content_type: fetched.content_type,
        is_cached: false,
        cache_expires_at: None,
        processing_time_ms: millis(start.elapsed()),
    })
}

/// Returns the newest attachment that was fetched from an address.
async fn attached_from(
    app: &AppState,
    principal: &Principal,
    url: &str,
) -> Result<Option<Attachment>, ApiError> {
    let named = app
        .store
        .attachments_named(principal, url, app.now())
        .await?;
    let is_from = |attachment: &Attachment| attachment.origin.as_deref() == Some(url);
    Ok(named.into_iter().find(is_from))
}

/// Returns the kind of a document by its media type, or else by its file name.
fn classify(media_type: &str, name: &str) -> &'static str {
    let media_type = media_type.to_ascii_lowercase();
    let extension = name.rsplit('.').next().unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    let is = |types: &[&str], extensions: &[&str]| {
        types.iter().any(|part| media_type.contains(part))
            || extensions.contains(&extension.as_str())
    };
    if is(&["application/pdf"], &["pdf"]) {
        "pdf"
    } else if is(
        &["image/"],
        &["png", "jpg", "jpeg", "tif", "tiff", "webp", "avif", "gif"],
    ) {
        "image"
    } else if is(
        &[
            "officedocument",
            "opendocument",
            "msword",
            "ms-excel",
            "ms-powerpoint",
        ],
        &["doc", "docx", "odt", "xls", "xlsx", "ppt", "pptx"],
    ) {
        "office"
    } else {
        "html"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_classified_by_type_or_name() {
        for (media_type, name, expected) in [
            ("application/pdf; charset=binary", "x", "pdf"),
            ("application/octet-stream", "paper.PDF", "pdf"),
            ("image/png", "scan", "image"),
            (
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                "x",
                "office",
            ),
            ("text/html; charset=utf-8", "article", "html"),
            ("", "", "html"),
        ] {
            assert_eq!(classify(media_type, name), expected, "{media_type} {name}");
        }
    }
}
