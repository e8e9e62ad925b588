//! Pictures of pages, with what was cited marked on them.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use citations::Verification;
use documents::ContentId;
use json::Value;
use rendering::{ImageFormat, ImageTheme, RenderStyle};
use serde::Deserialize;
use store::{Principal, StoredVerification};

use super::documents::opened;
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;
use gateway::CachedDocument;
use gateway::{CachedImageRequest, CachedView, highlight};

/// How many citations are marked on one page.
const MAX_MARKED: usize = 100;
/// The address names what it shows: whoever has the picture need not ask again.
const FOR_EVER: &str = "private, max-age=31536000, immutable";
/// What it shows may change; whether it has is quickly told.
const ASK_AGAIN: &str = "private, no-cache";

/// How a picture is asked for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct PageImageQuery {
    /// Citations to mark, by key or by the id of their evidence, separated by commas.
    citation: Option<String>,
    theme: Option<String>,
    scale: Option<String>,
    /// The key of the picture, from an address that we gave.
    v: Option<String>,
}

impl PageImageQuery {
    /// The picture that whoever asks knows.
    pub(super) fn version(&self) -> Option<&str> {
        self.v.as_deref()
    }

    pub(super) fn style(&self) -> Result<RenderStyle, ApiError> {
        let theme = match self.theme.as_deref() {
            None | Some("light") => ImageTheme::Light,
            Some("dark") => ImageTheme::Dark,
            Some(other) => {
                return Err(invalid(
                    format!("there is no theme '{other}'"),
                    "ask for theme=light or theme=dark",
                ));
            }
        };
        let scale = match self.scale.as_deref() {
            None | Some("1") => 1.0,
            Some("2") => 2.0,
            Some(other) => {
                return Err(invalid(
                    format!("there is no scale '{other}'"),
                    "ask for scale=1 or scale=2",
                ));
            }
        };
        Ok(RenderStyle {
            theme,
            scale,
            ..RenderStyle::default()
        })
    }
}

fn invalid(message: String, hint: &'static str) -> ApiError {
    ApiError::new(ErrorCode::InvalidInput, message, hint)
}

/// A page of a document.
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path((id, page)): Path<(String, String)>,
    Query(asked): Query<PageImageQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let unknown = || {
        ApiError::new(
            ErrorCode::NotFound,
            format!("there is no picture '{page}'"),
            "ask for pages/1.webp, or for 1.png, 1.jpeg or 1.avif there",
        )
    };
    let (number, extension) = page.split_once('.').ok_or_else(unknown)?;
    let number: u32 = number.parse().map_err(|_| unknown())?;
    let format = ImageFormat::named(extension).ok_or_else(unknown)?;
    let principal = &caller.principal;
    let document = opened(&app, principal, &id).await?;
    let mut found = Vec::new();
    let cited = asked.citation.as_deref().unwrap_or_default();
    for name in cited.split(',').filter(|name| !name.is_empty()) {
        if found.len() == MAX_MARKED {
            break;
        }
        let cited = cited_in(&app, principal, name, document.id()).await?;
        let verification = cited.and_then(|cited| read(&cited.verification));
        found.extend(verification.and_then(|found| highlight(&found, &document)));
    }
    let wanted = CachedImageRequest {
        document,
        shown: CachedView::Page(number),
        marks: found,
        style: asked.style()?,
        format,
    };
    shown(&app, principal, wanted, asked.version(), &headers).await
}

/// A citation of that document, by its key or by the id of its evidence; none if it is of another document. One key may
/// be that of citations of several documents.
async fn cited_in(
    app: &AppState,
    principal: &Principal,
    name: &str,
    document: ContentId,
) -> Result<Option<StoredVerification>, ApiError> {
    let known = match app.store.verification(principal, name).await? {
        Some(one) => vec![one],
        None => app.store.verifications(principal, name).await?,
    };
    if known.is_empty() {
        return Err(ApiError::new(
            ErrorCode::NotFound,
            format!("there is no evidence for a citation '{name}'"),
            "it goes with its thread and its document; leave citation out to see the page",
        ));
    }
    let is_here = |cited: &StoredVerification| cited.document == Some(document);
    Ok(known.into_iter().find(is_here))
}

/// A stored verification.
pub(super) fn read(json: &[u8]) -> Option<Verification> {
    let text = std::str::from_utf8(json).ok()?;
    Verification::from_json(&Value::parse(text).ok()?)
}

/// The document that a verification was made with.
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

/// Answers with a picture.
pub(super) async fn shown(
    app: &Arc<AppState>,
    principal: &Principal,
    wanted: CachedImageRequest,
    version: Option<&str>,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let key = wanted.key()?;
    let tag = format!("\"{}\"", version_of(key));
    let caching = if version == Some(version_of(key).as_str()) {
        FOR_EVER
    } else {
        ASK_AGAIN
    };
    let media_type = wanted.format.media_type();
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| {
        let known = known.to_str().unwrap_or_default();
        known
            .split(',')
            .any(|known| known.trim().trim_start_matches("W/") == tag)
    });
    let tag = HeaderValue::from_str(&tag)
        .map_err(|_| ApiError::new(ErrorCode::Internal, "no tag", "report this"))?;
    let about = [
        (header::ETAG, tag),
        (header::CACHE_CONTROL, HeaderValue::from_static(caching)),
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
    ];
    if known {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    let picture = app
        .gateway
        .page_images
        .draw(principal, wanted, app.now())
        .await?;
    Ok((about, picture.bytes.clone()).into_response())
}

/// What tells a picture from another one in its address.
pub(super) fn version_of(key: ContentId) -> String {
    let mut version = key.to_string();
    version.truncate(16);
    version
}
