//! Evidence pages: what was quoted, what the source says, and where.

use std::sync::Arc;

use agui::json::Value;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use store::StoredVerification;

use crate::access::Caller;
use crate::app::App;
use crate::error::{ApiError, Code};

/// The page of a verification, by its id or by the key of its citation.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let principal = caller.principal;
    let mut found = app.store.verification(&principal, &id).await?;
    if found.is_none() {
        found = app
            .store
            .verifications(&principal, &id)
            .await?
            .into_iter()
            .next();
    }
    let found = found.ok_or_else(|| {
        ApiError::new(
            Code::NotFound,
            "there is no such evidence",
            "it goes with its thread and its document",
        )
    })?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "private, max-age=3600"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:",
        ),
    ];
    Ok((headers, html(&found)).into_response())
}

fn html(found: &StoredVerification) -> String {
    let parse = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        Value::parse(text).unwrap_or(Value::Null)
    };
    let (citation, verification) = (parse(&found.citation), parse(&found.verification));
    let status = verification["status"].as_str().unwrap_or("pending");
    let (class, mark, words) = state(status, verification["problem"].as_str());
    let quote = citation["fullPhrase"].as_str().unwrap_or_default();
    let source = verification["verifiedMatchSnippet"].as_str();
    let page = match &verification["document"]["verifiedPageNumber"] {
        Value::Number(number) => format!("page {}", number.as_f64()),
        _ => String::new(),
    };
    let attachment = verification["attachmentId"].as_str();
    let attachment = attachment.or_else(|| citation["attachmentId"].as_str());
    let place: Vec<&str> = attachment
        .into_iter()
        .chain((!page.is_empty()).then_some(page.as_str()))
        .collect();
    let source = source.map_or_else(String::new, |source| {
        format!(
            "<h2>The source</h2><blockquote>{}</blockquote>",
            escaped(source)
        )
    });
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\"><title>{words}: {title}</title>\
         <style>{STYLE}</style><main><p class=\"state {class}\"><span aria-hidden=\"true\">{mark}</span> {words}</p>\
         <h1>The quote</h1><blockquote>{quote}</blockquote>{source}<p class=\"place\">{place}</p></main></html>",
        title = escaped(&quote.chars().take(80).collect::<String>()),
        quote = escaped(quote),
        place = escaped(&place.join(", ")),
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#faf7f2;--ink:#26221c}\
@media(prefers-color-scheme:dark){:root{--paper:#14130f;--ink:#ece7dd}}\
body{margin:0;background:var(--paper);color:var(--ink);font:18px/1.55 Georgia,serif}\
main{max-width:42rem;margin:0 auto;padding:2rem 1.25rem}\
h1,h2{font:600 .8rem/1.2 system-ui,sans-serif;letter-spacing:.04em;text-transform:uppercase;margin:2rem 0 .5rem;opacity:.7}\
blockquote{margin:0;padding-left:1rem;border-left:3px solid currentColor}\
.state{font:600 1rem/1.4 system-ui,sans-serif}.place{font-family:system-ui,sans-serif;font-size:.9rem;opacity:.8}\
.verified{color:#1a7f37}.partly{color:#9a6700}.elsewhere{color:#0969da}.missing{color:#cf222e}\
@media(prefers-color-scheme:dark){.verified{color:#4ac26b}.partly{color:#d4a72c}.elsewhere{color:#54aeff}.missing{color:#ff8182}}";

/// How a status looks and reads.
fn state(status: &str, problem: Option<&str>) -> (&'static str, &'static str, &'static str) {
    match status {
        _ if problem == Some("source_missing") => ("missing", "✗", "source missing"),
        "found" => ("verified", "✓", "verified"),
        "found_phrase_missed_anchor_text" | "found_context_missed_source_match" => {
            ("verified", "✓", "verified, its key words are not in it")
        }
        "found_on_other_page" => ("elsewhere", "→", "on another page"),
        "found_on_other_line" => ("elsewhere", "→", "on another line"),
        "partial_text_found" => ("partly", "~", "partly found"),
        "found_anchor_text_only" | "found_source_match_only" => {
            ("partly", "~", "only its key words found")
        }
        "pending" | "loading" => ("pending", "…", "pending"),
        _ => ("missing", "✗", "not found"),
    }
}

/// Text as HTML may hold it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            char => escaped.push(char),
        }
    }
    escaped
}
