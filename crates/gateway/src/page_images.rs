//! Page images: rendered in sandbox processes, a few at a time, and cached.

use std::sync::Arc;

use bytes::Bytes;
use citations::{Verification, VerificationStatus};
use documents::{ContentId, Document, PageBox};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rendering::{Highlight, HighlightState, ImageFormat, PageView, RenderError, RenderStyle};
use store::{ORIGINAL, Store, StoreError, Timestamp};

use crate::library::{CachedDocument, DocumentLibrary, DocumentUnavailable, WorkOwner};

/// Budget of the cache in bytes.
const CACHED_BYTES: u64 = 64 << 20;
/// Expected number of cached images.
const CACHED_IMAGES: usize = 500;

/// Number of digits of the version of an image.
const VERSION_DIGITS: usize = 16;

/// Request for a page image.
#[derive(Debug, Clone)]
pub struct CachedImageRequest {
    /// Document to render.
    pub document: CachedDocument,
    /// Part of the document to show.
    pub shown: CachedView,
    /// Highlights on it.
    pub marks: Vec<Highlight>,
    /// Size and colours.
    pub style: RenderStyle,
    /// Format of the file.
    pub format: ImageFormat,
}

/// Part of a document that an image shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachedView {
    /// Rendered page, from 1.
    Page(u32),
    /// Strip around the first highlight.
    Strip,
}

impl CachedImageRequest {
    fn view(&self) -> Result<PageView<'_>, RenderError> {
        match self.shown {
            CachedView::Page(number) => Ok(PageView::Page {
                number,
                highlights: &self.marks,
            }),
            CachedView::Strip => {
                let highlight = self.marks.first().ok_or(RenderError::EmptyHighlight)?;
                Ok(PageView::Strip { highlight })
            }
        }
    }

    /// Returns the request in the form that the sandbox takes.
    fn sandbox_request(&self) -> Result<sandbox::ImageRequest, RenderError> {
        let shown = match self.shown {
            CachedView::Page(number) => sandbox::RequestedView::Page {
                number,
                highlights: self.marks.clone(),
            },
            CachedView::Strip => {
                let marks = self.marks.first().ok_or(RenderError::EmptyHighlight)?;
                sandbox::RequestedView::Strip {
                    highlight: marks.clone(),
                }
            }
        };
        Ok(sandbox::ImageRequest {
            view: shown,
            style: self.style,
            format: self.format,
            coarse: false,
        })
    }

    /// Returns width and height in pixels, or `None` if the image cannot be rendered.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.view().ok()?.size(&self.document, &self.style)
    }

    /// Returns the version of the image, which makes its address unique.
    pub fn version(&self) -> Result<String, ImageUnavailable> {
        let mut version = self.key()?.to_string();
        version.truncate(VERSION_DIGITS);
        Ok(version)
    }

    /// Returns the cache key. Equal images have equal keys.
    pub fn key(&self) -> Result<ContentId, ImageUnavailable> {
        Ok(self
            .view()?
            .key(self.document.id(), &self.style, self.format))
    }
}

/// Rendered page image.
#[derive(Debug)]
pub struct CachedImage {
    /// Content of the image file.
    pub bytes: Bytes,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Failure to provide a page image.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ImageUnavailable {
    /// The page cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Too many images of the principal wait to be rendered.
    #[error("too many of your pictures are being drawn")]
    Busy,
    /// The document is not available.
    #[error(transparent)]
    Document(#[from] DocumentUnavailable),
}

impl From<StoreError> for ImageUnavailable {
    fn from(error: StoreError) -> Self {
        Self::Document(error.into())
    }
}

#[derive(Debug, Clone)]
struct ImageWeighter;

impl Weighter<ContentId, Arc<CachedImage>> for ImageWeighter {
    fn weight(&self, _: &ContentId, image: &Arc<CachedImage>) -> u64 {
        (image.bytes.len() as u64).max(1)
    }
}

/// Cache of page images of all documents.
pub struct PageImageCache {
    store: Arc<dyn Store>,
    library: Arc<DocumentLibrary>,
    cache: Cache<ContentId, Arc<CachedImage>, ImageWeighter>,
}

impl PageImageCache {
    /// Creates an empty cache.
    pub fn new(store: Arc<dyn Store>, library: Arc<DocumentLibrary>) -> Self {
        Self {
            store,
            library,
            cache: Cache::with_weighter(CACHED_IMAGES, CACHED_BYTES, ImageWeighter),
        }
    }

    /// Returns an image from the cache, or renders it in the share of its owner.
    pub async fn draw(
        &self,
        owner: &WorkOwner,
        request: CachedImageRequest,
        now: Timestamp,
    ) -> Result<Arc<CachedImage>, ImageUnavailable> {
        if let CachedView::Page(page) = request.shown {
            let pages = request.document.rendered_page_count();
            if !(1..=pages).contains(&page) {
                return Err(RenderError::NoPage { page, pages }.into());
            }
        }
        let key = request.key()?;
        if let Some(image) = self.cache.get(&key) {
            return Ok(image);
        }
        // The turn comes first: a request never waits for the place of another owner in the queue.
        let slot = self.library.acquire_for_rendering(owner).await;
        let slot = slot.ok_or(ImageUnavailable::Busy)?;
        // Concurrent requests for the same image wait for one rendering.
        let rendered = self.cache.get_or_insert_async(&key, async {
            let id = request.document.id();
            let file = self
                .store
                .part(owner.principal(), id, ORIGINAL, now)
                .await?;
            let file = file.ok_or_else(|| DocumentUnavailable::Missing(id.to_string()))?;
            let name = name_of(request.document.media_type());
            let rendered = self
                .library
                .render(slot, file, name, request.sandbox_request()?)
                .await?;
            Ok(Arc::new(CachedImage {
                bytes: rendered.bytes.into(),
                width: rendered.width,
                height: rendered.height,
            }))
        });
        rendered.await
    }
}

/// Returns a file name for which the sandbox reads a file in the same format as before.
fn name_of(media_type: &str) -> &'static str {
    match media_type {
        "text/markdown" => "document.md",
        "text/html" => "document.html",
        "text/plain" => "document.txt",
        _ => "document",
    }
}

/// Returns the highlight of a verification on the pages of its document.
pub fn highlight(verification: &Verification, document: &Document) -> Option<Highlight> {
    let found = verification.document.as_ref()?;
    let state = match verification.status.as_ref()? {
        VerificationStatus::Found | VerificationStatus::FoundPhraseMissedAnchorText => {
            HighlightState::Exact
        }
        _ => HighlightState::Partial,
    };
    let phrase: Vec<PageBox> = found
        .boxes
        .iter()
        .filter_map(|part| {
            Some(PageBox {
                rendered_page: u32::try_from(part.page?).ok()?,
                x: part.x? as f32,
                y: part.y? as f32,
                width: part.width? as f32,
                height: part.height? as f32,
            })
        })
        .collect();
    let page = phrase.first()?.rendered_page;
    let sheet = document.rendered_page_size(page)?;
    let anchor: Vec<PageBox> = found
        .anchor_text_match_deep_items
        .iter()
        .filter_map(|item| {
            Some(PageBox {
                rendered_page: page,
                x: item.x? as f32,
                // Coordinates of these items are counted from the bottom of the page.
                y: sheet.height - item.y? as f32,
                width: item.width? as f32,
                height: item.height? as f32,
            })
        })
        .collect();
    let marks = Highlight {
        state,
        anchor: if anchor == phrase { Vec::new() } else { anchor },
        phrase,
        ..Highlight::default()
    };
    Some(marks.with_nearby_rows(document))
}
