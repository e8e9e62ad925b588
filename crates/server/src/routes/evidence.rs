//! Evidence pages: what was quoted, what the source says, and where.

use std::sync::Arc;

use agui::json::Value;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use citations::{SOURCE_MISSING, Status, escaped};
use evidence::{Format, Marks, Style, Theme};
use serde::Deserialize;
use store::{Principal, StoredVerification};

use super::pictures;
use crate::access::Caller;
use crate::app::App;
use crate::error::{ApiError, Code};
use crate::library::Held;
use crate::pictures::{Shown, Wanted, marks};

/// How evidence is asked for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    /// `snippet` is what is around the passage, `page` the whole page.
    view: Option<String>,
    /// A picture instead of the page about it.
    format: Option<String>,
}

/// The page of a verification, by its id or by the key of its citation; or a picture of the passage.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
    Query(picture): Query<pictures::Asked>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let principal = &caller.principal;
    let found = stored(&app, principal, &id).await?;
    let document = pictures::document_of(&app, principal, &found).await;
    let verification = pictures::read(&found.verification);
    let marks = document
        .as_ref()
        .zip(verification.as_ref())
        .and_then(|(document, found)| marks(found, document));
    let Some(format) = asked.format.as_deref().filter(|format| *format != "html") else {
        let drawn = document.zip(marks).map(|(document, marks)| Drawn {
            id: found.id.clone(),
            signed: caller.link.map_or_else(String::new, |until| {
                let path = format!("/p/{}", found.id);
                let query = app.access.links.sign(&path, principal, until);
                format!("&amp;{}", query.replace('&', "&amp;"))
            }),
            document,
            marks,
        });
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "private, no-cache"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (
                header::CONTENT_SECURITY_POLICY,
                "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; \
                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ),
        ];
        return Ok((headers, html(&found, drawn.as_ref())).into_response());
    };
    let format = Format::named(format).ok_or_else(|| {
        ApiError::new(
            Code::InvalidInput,
            format!("there is no format '{format}'"),
            "ask for format=html, webp, png or avif",
        )
    })?;
    let (Some(document), Some(marks)) = (document, marks) else {
        return Err(ApiError::new(
            Code::NotFound,
            "nothing of it was found that could be shown",
            "ask for the page about it, without format",
        ));
    };
    let shown = match asked.view.as_deref() {
        None | Some("snippet" | "context") => Shown::Strip,
        Some("page") => Shown::Page(marks.pages().first().copied().unwrap_or(1)),
        Some(other) => {
            return Err(ApiError::new(
                Code::InvalidInput,
                format!("there is no view '{other}'"),
                "ask for view=snippet or view=page",
            ));
        }
    };
    let wanted = Wanted {
        document,
        shown,
        marks: vec![marks],
        style: picture.style()?,
        format,
    };
    pictures::shown(&app, principal, wanted, picture.version(), &headers).await
}

/// A verification, by its id or by the key of its citation.
pub(super) async fn stored(
    app: &App,
    principal: &Principal,
    id: &str,
) -> Result<StoredVerification, ApiError> {
    if let Some(found) = app.store.verification(principal, id).await? {
        return Ok(found);
    }
    let found = app.store.verifications(principal, id).await?;
    found.into_iter().next().ok_or_else(|| {
        ApiError::new(
            Code::NotFound,
            "there is no such evidence",
            "it goes with its thread and its document",
        )
    })
}

/// What can be shown of a passage.
struct Drawn {
    id: String,
    /// What a signed link to it carries, if whoever looks has come by one.
    signed: String,
    document: Held,
    marks: Marks,
}

impl Drawn {
    /// A picture for light and for dark screens, as fine as the screen is.
    fn picture(&self, view: &str, shown: Shown, alt: &str) -> Option<String> {
        let source = |theme: Theme, scale: f32| {
            let style = Style {
                theme,
                scale,
                ..Style::default()
            };
            let wanted = Wanted {
                document: self.document.clone(),
                shown,
                marks: vec![self.marks.clone()],
                style,
                format: Format::WebP,
            };
            let version = pictures::version_of(wanted.key().ok()?);
            let theme = match theme {
                Theme::Light => "light",
                Theme::Dark => "dark",
            };
            Some(format!(
                "/p/{}?view={view}&amp;format=webp&amp;theme={theme}&amp;scale={scale}&amp;v={version}{}",
                self.id, self.signed
            ))
        };
        let set = |theme| {
            Some(format!(
                "{} 1x, {} 2x",
                source(theme, 1.0)?,
                source(theme, 2.0)?
            ))
        };
        Some(format!(
            "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{dark}\">\
             <img src=\"{light}\" srcset=\"{lights}\" alt=\"{alt}\"></picture>",
            dark = set(Theme::Dark)?,
            light = source(Theme::Light, 1.0)?,
            lights = set(Theme::Light)?,
            alt = escaped(alt),
        ))
    }
}

fn html(found: &StoredVerification, drawn: Option<&Drawn>) -> String {
    let parse = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        Value::parse(text).unwrap_or(Value::Null)
    };
    let (citation, verification) = (parse(&found.citation), parse(&found.verification));
    let status = Status::from_name(verification["status"].as_str().unwrap_or("pending"));
    let words = match verification["problem"].as_str() {
        Some("source_missing") => SOURCE_MISSING,
        _ => status.words(),
    };
    let (class, mark) = (status.state().name(), status.state().sign());
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
    let place = place.join(", ");
    let source = source.map_or_else(String::new, |source| {
        format!(
            "<h2>The source says</h2><blockquote>{}</blockquote>",
            escaped(source)
        )
    });
    let pictures = drawn.and_then(|drawn| {
        let first = drawn.marks.pages().first().copied()?;
        let said = format!("The passage as it stands in {place}, marked: {quote}");
        let strip = drawn.picture("snippet", Shown::Strip, &said)?;
        let said = format!("All of the page around it, {place}, the passage marked");
        let whole = drawn.picture("page", Shown::Page(first), &said)?;
        Some(format!(
            "<h2>Where it stands</h2><figure>{strip}<figcaption>{}</figcaption></figure>\
             <details><summary>The whole page</summary><figure>{whole}</figure></details>",
            escaped(&place)
        ))
    });
    let place = match &pictures {
        Some(_) => String::new(),
        None => format!("<p class=\"place\">{}</p>", escaped(&place)),
    };
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\"><title>{words}: {title}</title>\
         <style>{STYLE}</style><main><p class=\"state {class}\"><span aria-hidden=\"true\">{mark}</span> {words}</p>\
         <h1>The quote</h1><blockquote>{quote}</blockquote>{source}{pictures}{place}</main></html>",
        title = escaped(&quote.chars().take(80).collect::<String>()),
        quote = escaped(quote),
        pictures = pictures.unwrap_or_default(),
    )
}

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#faf7f2;--ink:#26221c}\
@media(prefers-color-scheme:dark){:root{--paper:#14130f;--ink:#ece7dd}}\
body{margin:0;background:var(--paper);color:var(--ink);font:18px/1.55 Georgia,serif}\
main{max-width:42rem;margin:0 auto;padding:2rem 1.25rem}\
h1,h2{font:600 .8rem/1.2 system-ui,sans-serif;letter-spacing:.04em;text-transform:uppercase;margin:2rem 0 .5rem;opacity:.7}\
blockquote{margin:0;padding-left:1rem;border-left:3px solid currentColor;overflow-wrap:anywhere}\
figure{margin:0}img{max-width:100%;height:auto;border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:4px}\
figcaption,summary{font:.9rem/1.5 system-ui,sans-serif;padding:.4rem 0}\
.state{font:600 1rem/1.4 system-ui,sans-serif}.place{font-family:system-ui,sans-serif;font-size:.9rem;opacity:.8}\
.verified{color:#1a7f37}.partly{color:#9a6700}.elsewhere{color:#0969da}.missing{color:#cf222e}\
@media(prefers-color-scheme:dark){.verified{color:#4ac26b}.partly{color:#d4a72c}.elsewhere{color:#54aeff}.missing{color:#ff8182}}";
