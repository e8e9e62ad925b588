//! Pages for people: what they look like, and what a browser may do with them.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use citations::escaped;

use crate::error::{ApiError, ErrorCode};

/// The icon of all pages: a bracket around a line. It is part of them, so that nothing else is asked for.
pub(crate) const ICON: &str = "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' \
     viewBox='0 0 16 16'%3E%3Cpath d='M5 2H2v12h3M11 2h3v12h-3M5.5 8h5' fill='none' stroke='%230b6bb5' \
     stroke-width='2'/%3E%3C/svg%3E\">";

/// A page: its title as text, the rest as HTML.
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

/// An error for whoever opens an address in a browser: the same answer, as a page.
pub(crate) fn readable(mut refused: Response) -> Response {
    let Some(error) = refused.extensions_mut().remove::<ApiError>() else {
        return refused;
    };
    let (title, more) = match error.code {
        ErrorCode::Unauthorized => (
            "This page needs a key",
            "Somebody with a key can make a link that works without one: POST to this address with /links behind it. \
             Ask whoever sent you here for such a link.",
        ),
        ErrorCode::LinkRefused => (
            "This link works no longer",
            "A signed link is good for a while, and only as it was sent.",
        ),
        ErrorCode::NotFound => ("There is nothing here", ""),
        _ => ("This cannot be shown", ""),
    };
    let main = format!(
        "<h1 class=\"title\">{title}</h1><p>{}</p><p>{}</p><p>{more}</p>",
        escaped(&sentence(&error.message)),
        escaped(&sentence(&error.hint)),
    );
    let mut answer = page(title, &main);
    *answer.status_mut() = refused.status();
    for name in [header::WWW_AUTHENTICATE, header::RETRY_AFTER] {
        if let Some(value) = refused.headers_mut().remove(&name) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// Words as a sentence.
pub(crate) fn sentence(words: &str) -> String {
    let words = words.trim();
    let mut letters = words.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let end = match words.ends_with(['.', '!', '?', '…']) || words.is_empty() {
        true => "",
        false => ".",
    };
    format!("{first}{}{end}", letters.as_str())
}

const STYLE: &str = include_str!("page.css");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_sentences() {
        assert_eq!(sentence("a number differs"), "A number differs.");
        assert_eq!(sentence("élan? "), "Élan?");
        assert_eq!(sentence(""), "");
    }
}
