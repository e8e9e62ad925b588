//! Web console: static files that the program contains, with the headers that restrict and cache them.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, ErrorCode};
use crate::page;

/// File of the console.
#[derive(Debug, Clone, Copy)]
pub struct ConsoleFile {
    /// Path below `/app/`, such as `index.html`.
    pub path: &'static str,
    /// Content.
    pub bytes: &'static [u8],
    /// Content compressed with gzip, for text files.
    pub gzip: Option<&'static [u8]>,
}

/// Policy of the console: everything comes from this server, no inline scripts or styles, no `eval`.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
                      font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
/// Caching of files whose name contains a hash of their content.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Returns the file with this path.
pub(crate) fn find(files: &'static [ConsoleFile], path: &str) -> Option<&'static ConsoleFile> {
    files.iter().find(|file| file.path == path)
}

/// Returns the response with a file.
pub(crate) fn respond(files: &'static [ConsoleFile], path: &str, request: &HeaderMap) -> Response {
    if files.is_empty() {
        return missing_console();
    }
    let Some(file) = find(files, path) else {
        return ApiError::new(
            ErrorCode::NotFound,
            format!("File not found: `/app/{path}`"),
            "Reload the page: the console may have been updated",
        )
        .into_response();
    };
    let cache = match path.starts_with("assets/") {
        true => IMMUTABLE,
        false => "no-cache",
    };
    let tag = format!("\"{}\"", &blake3::hash(file.bytes).to_hex()[..16]);
    let headers = [
        (header::CACHE_CONTROL, cache),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::ETAG, tag.as_str()),
        (header::VARY, "accept-encoding"),
    ];
    let known = request.get(header::IF_NONE_MATCH);
    if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let media_type = [(header::CONTENT_TYPE, media_type(path))];
    match file.gzip.filter(|_| accepts_gzip(request)) {
        Some(gzip) => {
            let encoding = [(header::CONTENT_ENCODING, "gzip")];
            (headers, media_type, encoding, gzip).into_response()
        }
        None => (headers, media_type, file.bytes).into_response(),
    }
}

/// Returns true if the request accepts gzip, also with a quality other than 0.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let accepted = request.get_all(header::ACCEPT_ENCODING).iter();
    let accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted
        .flat_map(|value| value.split(','))
        .map(|coding| coding.replace(' ', "").to_ascii_lowercase())
        .any(|coding| coding == "gzip" || coding.starts_with("gzip;") && !is_refused(&coding))
}

fn is_refused(coding: &str) -> bool {
    let quality = coding.split_once(";q=").map(|(_, quality)| quality);
    quality.is_some_and(|quality| quality.parse() == Ok(0.0_f32))
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

/// Returns the page of a program that was built without the console.
fn missing_console() -> Response {
    let mut page = page::page(
        "Console not built",
        "<h1>This program was built without the console</h1><p>Install Node 20 or newer and run <code>make build</code> \
         in the folder of the project: it builds the console, then the program that contains it.</p><p>Everything else \
         works without it: <a href=\"/app/api\">description of the HTTP API</a>.</p>",
    );
    *page.status_mut() = StatusCode::NOT_FOUND;
    page
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const FILES: &[ConsoleFile] = &[
        ConsoleFile {
            path: "index.html",
            bytes: b"<!doctype html>",
            gzip: Some(b"compressed"),
        },
        ConsoleFile {
            path: "assets/main-1.js",
            bytes: b"1",
            gzip: None,
        },
    ];

    fn accepting(encoding: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(encoding))])
    }

    #[test]
    fn text_is_compressed_for_clients_that_accept_it() {
        for (encoding, is_compressed) in [
            ("gzip, br", true),
            ("br;q=1.0, gzip;q=0.5", true),
            ("gzip;q=0", false),
            ("br", false),
        ] {
            let response = respond(FILES, "index.html", &accepting(encoding));
            let compressed = response.headers().contains_key(header::CONTENT_ENCODING);
            assert_eq!(compressed, is_compressed, "{encoding}");
        }
    }

    #[test]
    fn files_named_by_their_content_are_cached_for_ever_and_pages_are_revalidated() {
        let page = respond(FILES, "index.html", &HeaderMap::new());
        assert_eq!(page.headers()[header::CACHE_CONTROL], "no-cache");
        let tag = page.headers()[header::ETAG].clone();
        let again = HeaderMap::from_iter([(header::IF_NONE_MATCH, tag)]);
        let again = respond(FILES, "index.html", &again);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        let script = respond(FILES, "assets/main-1.js", &HeaderMap::new());
        assert_eq!(script.headers()[header::CACHE_CONTROL], IMMUTABLE);
        let missing = respond(FILES, "assets/main-2.js", &HeaderMap::new());
        assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn the_policy_allows_no_inline_code() {
        assert!(!POLICY.contains("unsafe"));
    }
}
