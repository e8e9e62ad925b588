//! HTML pages: layout, style and the headers that restrict what a browser may do with them.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use citations::escaped;

use crate::error::{ApiError, ErrorCode};

/// Icon of all pages, a bracket around a line. It is embedded, so that browsers request nothing else.
pub(crate) const ICON: &str = "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' \
     viewBox='0 0 16 16'%3E%3Cpath d='M5 2H2v12h3M11 2h3v12h-3M5.5 8h5' fill='none' stroke='%230b6bb5' \
     stroke-width='2'/%3E%3C/svg%3E\">";

/// Returns a page. `title` is plain text, `main` is HTML.
pub(crate) fn page(title: &str, main: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ];
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta name=\"robots\" content=\"noindex\">{ICON}\
         <title>{}</title><style>{STYLE}</style></head><body><main>{main}</main></body></html>",
        escaped(title)
    );
    (headers, html).into_response()
}

/// Turns an error response into a page, for requests that a browser makes on behalf of a person.
pub(crate) fn error_page(mut response: Response) -> Response {
    let Some(error) = response.extensions_mut().remove::<ApiError>() else {
        return response;
    };
    let (title, more) = match error.code {
        ErrorCode::Unauthorized => (
            "This page needs a key",
            "To share it with people without a key, create a signed link: POST to this address with /links appended. \
             If you were sent here, ask the sender for such a link.",
        ),
        ErrorCode::LinkRefused => (
            "This link no longer works",
            "Signed links expire, and stop working if any part of the address is changed.",
        ),
        ErrorCode::NotFound => ("Page not found", ""),
        _ => ("This page cannot be shown", ""),
    };
    let main = format!(
        "<h1 class=\"title\">{title}</h1><p>{}</p><p>{}</p><p>{more}</p>",
        escaped(&error.message),
        escaped(&error.hint),
    );
    let mut page = page(title, &main);
    *page.status_mut() = response.status();
    for name in [header::WWW_AUTHENTICATE, header::RETRY_AFTER] {
        if let Some(value) = response.headers_mut().remove(&name) {
            page.headers_mut().insert(name, value);
        }
    }
    page
}

const STYLE: &str = include_str!("page.css");
