//! Page images with highlighted citations.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use citations::Verification;
use documents::ContentId;
use json::Value;
use rendering::{ImageFormat, ImageTheme, RenderStyle};
use store::{Principal, StoredVerification};

use super::documents::open as open_document;
use crate::access::Caller;
use crate::api::PageImageQuery;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::CachedDocument;
use gateway::{CachedImageRequest, CachedView, highlight};

/// Maximum number of highlighted citations on one page.
const MAX_HIGHLIGHTS: usize = 100;
/// Caching of an image whose address contains its version.
const CACHE_FOREVER: &str = "private, max-age=31536000, immutable";
/// Caching of an image that may change; its entity tag avoids a second download.
const REVALIDATE: &str = "private, no-cache";

/// Returns the style that a query selects.
pub(super) fn render_style(query: &PageImageQuery) -> Result<RenderStyle, ApiError> {
    let theme = match query.theme.as_deref() {
        None | Some("light") => ImageTheme::Light,
        Some("dark") => ImageTheme::Dark,
        Some(other) => {
            return Err(invalid(
                format!("Theme not known: `{other}`"),
                "Use theme=light or theme=dark",
            ));
        }
    };
    let scale = match query.scale.as_deref() {
        None | Some("1") => 1.0,
        Some("2") => 2.0,
        Some(other) => {
            return Err(invalid(
                format!("Scale not known: `{other}`"),
                "Use scale=1 or scale=2",
            ));
        }
    };
    Ok(RenderStyle {
        theme,
        scale,
        ..RenderStyle::default()
    })
}

fn invalid(message: String, hint: &'static str) -> ApiError {
    ApiError::new(ErrorCode::InvalidInput, message, hint)
}

/// Returns the image of a page.
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path((id, page)): Path<(String, String)>,
    Query(query): Query<PageImageQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let unknown = || {
        ApiError::new(
            ErrorCode::NotFound,
            format!("Page image not found: `{page}`"),
            "Use pages/1.webp, 1.png, 1.jpeg or 1.avif",
        )
    };
    let (number, extension) = page.split_once('.').ok_or_else(unknown)?;
    let number: u32 = number.parse().map_err(|_| unknown())?;
    let format = ImageFormat::named(extension).ok_or_else(unknown)?;
    let principal = &caller.principal;
    let document = open_document(&app, principal, &id).await?;
    let mut highlights = Vec::new();
    let cited = query.citation.as_deref().unwrap_or_default();
    for name in cited.split(',').filter(|name| !name.is_empty()) {
        if highlights.len() == MAX_HIGHLIGHTS {
            break;
        }
        let stored = verification_in(&app, principal, name, document.id()).await?;
        let verification = stored.and_then(|stored| read_verification(&stored.verification));
        highlights.extend(verification.and_then(|found| highlight(&found, &document)));
    }
    let wanted = CachedImageRequest {
        document,
        shown: CachedView::Page(number),
        marks: highlights,
        style: render_style(&query)?,
        format,
    };
    image_response(&app, &caller, wanted, query.version.as_deref(), &headers).await
}

/// Returns the verification of a citation in a document, by citation key or evidence id; `None` if all with this name
/// are of other documents. Citations of several documents may share a key.
async fn verification_in(
    app: &AppState,
    principal: &Principal,
    name: &str,
    document: ContentId,
) -> Result<Option<StoredVerification>, ApiError> {
    let found = match app.store.verification(principal, name).await? {
        Some(one) => vec![one],
        None => app.store.verifications(principal, name).await?,
    };
    if found.is_empty() {
        return Err(ApiError::new(
            ErrorCode::NotFound,
            format!("Evidence not found: `{name}`"),
            "Evidence is deleted with its thread or document. Leave out `citation` to get the page without highlights",
        ));
    }
    let is_here = |found: &StoredVerification| found.document == Some(document);
    Ok(found.into_iter().find(is_here))
}

/// Reads a stored verification.
pub(super) fn read_verification(json: &[u8]) -> Option<Verification> {
    let text = std::str::from_utf8(json).ok()?;
    Verification::from_json(&Value::parse(text).ok()?)
}

/// Opens the document of a verification, if it still exists.
pub(super) async fn document_of(
    app: &Arc<AppState>,
    principal: &Principal,
    stored: &StoredVerification,
) -> Option<CachedDocument> {
    let found = app
        .library
        .document(principal, stored.document?, app.now())
        .await;
    Some(found.ok()?.1)
}

/// Returns the response with an image, or 304 if the client has it.
pub(super) async fn image_response(
    app: &Arc<AppState>,
    caller: &Caller,
    wanted: CachedImageRequest,
    version: Option<&str>,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let current = wanted.version()?;
    let tag = format!("\"{current}\"");
    let caching = if version == Some(current.as_str()) {
        CACHE_FOREVER
    } else {
        REVALIDATE
    };
    let media_type = wanted.format.media_type();
    let is_cached = headers.get(header::IF_NONE_MATCH).is_some_and(|tags| {
        let tags = tags.to_str().unwrap_or_default();
        tags.split(',')
            .any(|known| known.trim().trim_start_matches("W/") == tag)
    });
    let tag = HeaderValue::from_str(&tag).map_err(|_| {
        ApiError::new(
            ErrorCode::Internal,
            "Invalid entity tag",
            "Report this as a defect",
        )
    })?;
    let response_headers = [
        (header::ETAG, tag),
        (header::CACHE_CONTROL, HeaderValue::from_static(caching)),
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
    ];
    if is_cached {
        return Ok((StatusCode::NOT_MODIFIED, response_headers).into_response());
    }
    let image = app
        .gateway
        .page_images
        .draw(&caller.work_owner(), wanted, app.now())
        .await?;
    Ok((response_headers, image.bytes.clone()).into_response())
}
