//! Evidence pages: what was quoted, what the source says, and where.

mod said;
mod told;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use citations::escaped;
use rendering::{Highlight, ImageFormat, ImageTheme, RenderStyle};
use serde::Deserialize;
use store::{Principal, StoredVerification};
use tokio::task;

use super::pictures;
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::page::page as laid_out;
use crate::state::AppState;
use gateway::CachedDocument;
use gateway::{CachedImageRequest, CachedView, highlight};
use told::EvidenceSummary;

/// How much of a quote stands in a title.
const TITLE: usize = 80;

/// How evidence is asked for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct EvidenceQuery {
    /// `snippet` is what is around the passage, `page` the whole page.
    view: Option<String>,
    /// A picture instead of the page about it.
    format: Option<String>,
    /// Which page, if the passage stands on several.
    page: Option<String>,
}

/// What is asked for: a view, and a form of picture unless it is the page about it.
struct EvidenceForm {
    is_page: bool,
    format: Option<ImageFormat>,
    page: Option<u32>,
}

impl EvidenceQuery {
    fn read(&self) -> Result<EvidenceForm, ApiError> {
        let invalid = |message: String, hint: &'static str| {
            ApiError::new(ErrorCode::InvalidInput, message, hint)
        };
        let is_page = match self.view.as_deref() {
            None | Some("snippet" | "context") => false,
            Some("page") => true,
            Some(other) => {
                return Err(invalid(
                    format!("there is no view '{other}'"),
                    "ask for view=snippet or view=page",
                ));
            }
        };
        let format = match self.format.as_deref() {
            None | Some("html") => None,
            Some(format) => Some(ImageFormat::named(format).ok_or_else(|| {
                invalid(
                    format!("there is no format '{format}'"),
                    "ask for format=html, webp, png, jpeg or avif",
                )
            })?),
        };
        let page = match self.page.as_deref() {
            None => None,
            Some(page) => Some(page.parse().map_err(|_| {
                invalid(
                    format!("'{page}' is no number of a page"),
                    "ask for page=1, or for no page",
                )
            })?),
        };
        Ok(EvidenceForm {
            is_page,
            format,
            page,
        })
    }
}

/// The page of a verification, by its id or by the key of its citation; or a picture of the passage.
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(asked): Query<EvidenceQuery>,
    Query(picture): Query<pictures::PageImageQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (form, style) = (asked.read()?, picture.style()?);
    let principal = &caller.principal;
    let found = stored(&app, principal, &id).await?;
    let document = pictures::document_of(&app, principal, &found).await;
    let verification = pictures::read(&found.verification);
    let marks = document
        .as_ref()
        .zip(verification.as_ref())
        .and_then(|(document, found)| highlight(found, document));
    let Some(format) = form.format else {
        let drawn = document
            .clone()
            .zip(marks)
            .map(|(document, marks)| DrawnPassage {
                id: found.id.clone(),
                signed: caller.link.map_or_else(String::new, |until| {
                    let path = format!("/p/{}", found.id);
                    let query = app.access.links.sign(&path, principal, until);
                    format!("&amp;{}", query.replace('&', "&amp;"))
                }),
                document,
                marks,
            });
        // What is not there may take milliseconds to look for.
        let told = task::spawn_blocking(move || {
            EvidenceSummary::of(&found, verification.unwrap_or_default(), document)
        });
        let told = told.await.map_err(|_| {
            ApiError::new(
                ErrorCode::Internal,
                "the page could not be made",
                "report this with the address",
            )
        })?;
        let pictures = drawn.and_then(|drawn| drawn.pictures(&told));
        let title: String = told.quote().chars().take(TITLE).collect();
        let title = format!("{}: {title}", told.words());
        return Ok(laid_out(&title, &told.html(pictures.as_deref())));
    };
    let (Some(document), Some(marks)) = (document, marks) else {
        return Err(ApiError::new(
            ErrorCode::NotFound,
            "nothing of it was found that could be shown",
            "ask for the page about it, without format",
        ));
    };
    // A link opens the pages that the passage stands on, not the document.
    let pages = marks.pages();
    let page = form.page.or(pages.first().copied()).unwrap_or(1);
    if !pages.contains(&page) {
        let pages: Vec<String> = pages.iter().map(u32::to_string).collect();
        return Err(ApiError::new(
            ErrorCode::NotFound,
            format!("the passage does not stand on page {page}"),
            format!("ask for page={}", pages.join(" or page=")),
        ));
    }
    let wanted = CachedImageRequest {
        document,
        shown: match form.is_page {
            true => CachedView::Page(page),
            false => CachedView::Strip,
        },
        marks: vec![marks],
        style,
        format,
    };
    pictures::shown(&app, principal, wanted, picture.version(), &headers).await
}

/// A verification, by its id or by the key of its citation.
pub(super) async fn stored(
    app: &AppState,
    principal: &Principal,
    id: &str,
) -> Result<StoredVerification, ApiError> {
    if let Some(found) = app.store.verification(principal, id).await? {
        return Ok(found);
    }
    let found = app.store.verifications(principal, id).await?;
    found.into_iter().next().ok_or_else(|| {
        ApiError::new(
            ErrorCode::NotFound,
            "there is no such evidence",
            "check the address; evidence is deleted with the last thread that it was made in",
        )
    })
}

/// What can be shown of a passage.
struct DrawnPassage {
    id: String,
    /// What a signed link to it carries, if whoever looks has come by one.
    signed: String,
    document: CachedDocument,
    marks: Highlight,
}

impl DrawnPassage {
    /// The passage as it stands, and its whole pages to open.
    fn pictures(&self, told: &EvidenceSummary) -> Option<String> {
        let name = told.source_name();
        let place = told.place();
        let said = format!(
            "The passage as it stands in {name}, {place}, marked: {}",
            told.quote()
        );
        let strip = self.picture("snippet", CachedView::Strip, &said)?;
        let word = self.document.rendered_page_word();
        let pages = self.marks.pages();
        let whole = pages.iter().filter_map(|&page| {
            let title = match pages.len() {
                1 => "The whole page".to_owned(),
                _ => format!("The whole of {word} {page}"),
            };
            let said = format!("{title} of {name}, the passage marked");
            let view = format!("page&amp;page={page}");
            let picture = self.picture(&view, CachedView::Page(page), &said)?;
            Some(format!(
                "<details><summary>{title}</summary><figure>{picture}</figure></details>"
            ))
        });
        Some(format!(
            "<h2>Where it stands</h2><figure class=\"wide\" tabindex=\"0\" \
             aria-label=\"The passage as it stands\">{strip}</figure>{}",
            whole.collect::<String>()
        ))
    }

    /// A picture for light and for dark screens, as fine as the screen is.
    fn picture(&self, view: &str, shown: CachedView, alt: &str) -> Option<String> {
        let wanted = |theme: ImageTheme, scale: f32| CachedImageRequest {
            document: self.document.clone(),
            shown,
            marks: vec![self.marks.clone()],
            style: RenderStyle {
                theme,
                scale,
                ..RenderStyle::default()
            },
            format: ImageFormat::WebP,
        };
        let source = |theme: ImageTheme, scale: f32| {
            let version = pictures::version_of(wanted(theme, scale).key().ok()?);
            let theme = match theme {
                ImageTheme::Light => "light",
                ImageTheme::Dark => "dark",
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
        let (width, height) = wanted(ImageTheme::Light, 1.0).size()?;
        Some(format!(
            "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{dark}\">\
             <img src=\"{light}\" srcset=\"{lights}\" width=\"{width}\" height=\"{height}\" loading=\"lazy\" \
             alt=\"{alt}\"></picture>",
            dark = set(ImageTheme::Dark)?,
            light = source(ImageTheme::Light, 1.0)?,
            lights = set(ImageTheme::Light)?,
            alt = escaped(alt),
        ))
    }
}
