//! Original files, and links to them and to page images.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use citations::{DownloadLink, ExpiringLink};
use store::{Attachment, ORIGINAL, Principal, Timestamp};

use super::documents::open_attachment;
use super::expiry_text;
use crate::access::Caller;
use crate::error::ApiError;
use crate::state::AppState;
use gateway::DocumentUnavailable;

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Lifetime of a signed link in days. It ends at midnight, so that all requests of a day return the same link.
const LINK_DAYS: i64 = 8;

/// Returns the original file. It is untrusted, so browsers download it instead of showing it.
pub(super) async fn file(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let (attachment, document) = open_attachment(&app, &caller.principal, &id).await?;
    let part = app
        .store
        .part(&caller.principal, document.id(), ORIGINAL, app.now())
        .await?;
    let bytes = part.ok_or(DocumentUnavailable::Missing(id))?;
    let fixed = |name: HeaderName, value: &'static str| (name, HeaderValue::from_static(value));
    let kind = HeaderValue::from_str(document.media_type());
    let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, disposition(&attachment.name)),
        fixed(header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        fixed(
            header::CONTENT_SECURITY_POLICY,
            "sandbox; default-src 'none'",
        ),
        fixed(header::CACHE_CONTROL, "private, no-cache"),
    ];
    Ok((headers, bytes).into_response())
}

/// Returns a `Content-Disposition` that downloads the file under its name.
fn disposition(name: &str) -> HeaderValue {
    use std::fmt::Write as _;
    let mut value = String::from("attachment; filename*=UTF-8''");
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                value.push(char::from(byte));
            }
            _ => drop(write!(value, "%{byte:02X}")),
        }
    }
    HeaderValue::from_str(&value).unwrap_or(HeaderValue::from_static("attachment"))
}

/// Returns the download link of an attachment.
pub(super) fn download_link(
    app: &AppState,
    principal: &Principal,
    attachment: &Attachment,
) -> DownloadLink {
    let path = format!("/documents/{}/file", attachment.id);
    let (url, until) = resource_link(app, principal, &path, "", attachment.expires);
    DownloadLink {
        filename: Some(attachment.name.clone()),
        mime_type: Some(attachment.document.media_type.clone()),
        link: Some(ExpiringLink {
            url: Some(url),
            expires_at: Some(expiry_text(until)),
        }),
    }
}

/// Returns the address of a part of a document, and its expiry. Browsers load images without a key, so the address
/// is signed if the server needs one.
pub(super) fn resource_link(
    app: &AppState,
    principal: &Principal,
    path: &str,
    query: &str,
    expires: Option<Timestamp>,
) -> (String, Option<Timestamp>) {
    let mut query = query.to_owned();
    let mut until = expires;
    if app.access.is_closed() {
        let day = app.now().0.div_euclid(DAY).saturating_add(LINK_DAYS);
        let end = Timestamp(day.saturating_mul(DAY));
        let end = expires.map_or(end, |expires| expires.min(end));
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(&app.access.links.sign(path, principal, end));
        until = Some(end);
    }
    let query = match query.as_str() {
        "" => String::new(),
        query => format!("?{query}"),
    };
    (app.link(&format!("{path}{query}")), until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_escaped_in_the_header() {
        let header = disposition("rapport é\"; x=\r\n.pdf");
        assert_eq!(
            header,
            "attachment; filename*=UTF-8''rapport%20%C3%A9%22%3B%20x%3D%0D%0A.pdf"
        );
    }
}
