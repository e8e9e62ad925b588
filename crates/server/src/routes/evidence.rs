//! Evidence pages: the quote, its verification, and the passage of the source.

mod passage_context;
mod summary;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use citations::{Verification, escaped};
use rendering::{Highlight, ImageFormat, ImageTheme, RenderStyle};
use store::{Principal, StoredVerification};
use tokio::task;

use super::ok;
use super::page_images::{document_of, image_response, read_verification, render_style};
use crate::access::Caller;
use crate::api::{EvidenceQuery, PageImageQuery};
use crate::error::{ApiError, ErrorCode};
use crate::page::page as html_page;
use crate::state::AppState;
use gateway::CachedDocument;
use gateway::{CachedImageRequest, CachedView, highlight};
use summary::EvidenceSummary;

/// Characters of the quote in the title of the page.
const MAX_TITLE: usize = 80;

/// Form of the evidence that a request selects.
struct EvidenceForm {
    /// True for an image of the whole page, false for one of the passage.
    is_whole_page: bool,
    /// True for the content of the evidence page as JSON.
    is_json: bool,
    /// Format of the image; `None` for the evidence page.
    format: Option<ImageFormat>,
    /// Page to show.
    page: Option<u32>,
}

/// Reads the query of an evidence page.
fn read_form(query: &EvidenceQuery) -> Result<EvidenceForm, ApiError> {
    let invalid =
        |message: String, hint: &'static str| ApiError::new(ErrorCode::InvalidInput, message, hint);
    let is_whole_page = match query.view.as_deref() {
        None | Some("snippet" | "context") => false,
        Some("page") => true,
        Some(other) => {
            return Err(invalid(
                format!("View not known: `{other}`"),
                "Use view=snippet or view=page",
            ));
        }
    };
    let format = match query.format.as_deref() {
        None | Some("html" | "json") => None,
        Some(format) => Some(ImageFormat::named(format).ok_or_else(|| {
            invalid(
                format!("Format not known: `{format}`"),
                "Use format=html, json, webp, png, jpeg or avif",
            )
        })?),
    };
    let page = match query.page.as_deref() {
        None => None,
        Some(page) => Some(page.parse().map_err(|_| {
            invalid(
                format!("Not a page number: `{page}`"),
                "Use a number from 1, such as page=1, or leave it out",
            )
        })?),
    };
    Ok(EvidenceForm {
        is_whole_page,
        is_json: query.format.as_deref() == Some("json"),
        format,
        page,
    })
}

/// Returns the evidence page of a verification, its content as JSON, or an image of its passage.
pub(super) async fn page(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<EvidenceQuery>,
    Query(image): Query<PageImageQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (form, style) = (read_form(&query)?, render_style(&image)?);
    let principal = &caller.principal;
    let found = find_verification(&app, principal, &id).await?;
    let document = document_of(&app, principal, &found).await;
    let verification = read_verification(&found.verification);
    let mut highlight = document
        .as_ref()
        .zip(verification.as_ref())
        .and_then(|(document, found)| highlight(found, document));
    let mut summary = None;
    if form.format.is_none() || highlight.is_none() {
        let checked = summarise(found.clone(), verification, document.clone()).await?;
        highlight = highlight.or_else(|| checked.nearest_highlight());
        summary = Some(checked);
    }
    if let (None, Some(summary)) = (form.format, summary) {
        if form.is_json {
            return ok(&summary.info(&found));
        }
        let passage = document
            .zip(highlight)
            .map(|(document, highlight)| PassageImages {
                link_query: link_query(&app, &caller, &found.id),
                id: found.id,
                document,
                highlight,
            });
        let images = passage.and_then(|passage| passage.html(&summary));
        let title: String = summary.quote().chars().take(MAX_TITLE).collect();
        let title = format!("{}: {title}", summary.words());
        return Ok(html_page(&title, &summary.html(images.as_deref())));
    }
    let (Some(document), Some(highlight)) = (document, highlight) else {
        return Err(ApiError::new(
            ErrorCode::NotFound,
            "There is no passage to show: the document has nothing similar, or it was deleted",
            "Leave out `format` to get the evidence page",
        ));
    };
    // A signed link gives access to the pages of the passage, not to the whole document.
    let pages = highlight.pages();
    let page = form.page.or(pages.first().copied()).unwrap_or(1);
    if !pages.contains(&page) {
        let pages: Vec<String> = pages.iter().map(u32::to_string).collect();
        return Err(ApiError::new(
            ErrorCode::NotFound,
            format!("The passage is not on page {page}"),
            format!("Use page={}", pages.join(" or page=")),
        ));
    }
    let wanted = CachedImageRequest {
        document,
        shown: match form.is_whole_page {
            true => CachedView::Page(page),
            false => CachedView::Strip,
        },
        marks: vec![highlight],
        style,
        format: form.format.unwrap_or(ImageFormat::WebP),
    };
    image_response(&app, &caller, wanted, image.version.as_deref(), &headers).await
}

/// Checks a citation again, for its evidence page.
async fn summarise(
    found: StoredVerification,
    verification: Option<Verification>,
    document: Option<CachedDocument>,
) -> Result<EvidenceSummary, ApiError> {
    // Verifying again may take milliseconds.
    let summary = task::spawn_blocking(move || {
        EvidenceSummary::of(&found, verification.unwrap_or_default(), document)
    });
    summary.await.map_err(|_| {
        ApiError::new(
            ErrorCode::Internal,
            "The evidence page could not be made",
            "Report this as a defect, with the address of the page",
        )
    })
}

/// Returns the query of the signed link through which a page was opened, as HTML; empty without a link.
fn link_query(app: &AppState, caller: &Caller, id: &str) -> String {
    caller.link.as_ref().map_or_else(String::new, |link| {
        let links = &app.access.links;
        let query = links.sign(&format!("/p/{id}"), &caller.principal, link.expires);
        format!("&amp;{}", query.replace('&', "&amp;"))
    })
}

/// Finds a verification by its evidence id or by the key of its citation.
pub(super) async fn find_verification(
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
            "Evidence not found",
            "Check the address. Evidence is deleted with the last thread that contains its citation",
        )
    })
}

/// Images of a passage.
struct PassageImages {
    /// Evidence id.
    id: String,
    /// Query of the signed link through which the page was opened, as HTML; empty without a link.
    link_query: String,
    document: CachedDocument,
    highlight: Highlight,
}

impl PassageImages {
    /// Returns the image of the passage, and its whole pages to expand.
    fn html(&self, summary: &EvidenceSummary) -> Option<String> {
        let name = summary.source_name();
        let place = summary.place();
        let (heading, alt) = match summary.is_nearest_shown() {
            true => (
                "Most similar passage on the page",
                format!("The most similar passage in {name}, {place}, highlighted"),
            ),
            false => (
                "Passage on the page",
                format!(
                    "The passage in {name}, {place}, highlighted: {}",
                    summary.quote()
                ),
            ),
        };
        let strip = self.image("snippet", CachedView::Strip, &alt)?;
        let word = self.document.rendered_page_word();
        let pages = self.highlight.pages();
        let whole = pages.iter().filter_map(|&page| {
            let title = match pages.len() {
                1 => "Whole page".to_owned(),
                _ => format!("Whole {word} {page}"),
            };
            let alt = format!("{title} of {name}, with the passage highlighted");
            let view = format!("page&amp;page={page}");
            let image = self.image(&view, CachedView::Page(page), &alt)?;
            Some(format!(
                "<details><summary>{title}</summary><figure>{image}</figure></details>"
            ))
        });
        Some(format!(
            "<h2>{heading}</h2><figure class=\"wide\" tabindex=\"0\" \
             aria-label=\"Image of the passage\">{strip}</figure>{}",
            whole.collect::<String>()
        ))
    }

    /// Returns an image element for light and dark screens of normal and double pixel density.
    fn image(&self, view: &str, shown: CachedView, alt: &str) -> Option<String> {
        let wanted = |theme: ImageTheme, scale: f32| CachedImageRequest {
            document: self.document.clone(),
            shown,
            marks: vec![self.highlight.clone()],
            style: RenderStyle {
                theme,
                scale,
                ..RenderStyle::default()
            },
            format: ImageFormat::WebP,
        };
        let source = |theme: ImageTheme, scale: f32| {
            let version = wanted(theme, scale).version().ok()?;
            let theme = match theme {
                ImageTheme::Light => "light",
                ImageTheme::Dark => "dark",
            };
            Some(format!(
                "/p/{}?view={view}&amp;format=webp&amp;theme={theme}&amp;scale={scale}&amp;v={version}{}",
                self.id, self.link_query
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
