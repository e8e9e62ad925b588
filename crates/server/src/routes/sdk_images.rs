//! Page images for the citation SDK.
//!
//! Newer releases take, of all images of an attachment, the one with the page number of the passage, or else the first
//! one, and draw the passage on it. Therefore images are listed only if every page has exactly one. Older releases
//! take the image that comes with the passage, whatever its number.

use citations::{ImageSize, PageImage, SdkVersion};
use rendering::{ImageFormat, RenderStyle};
use store::{Attachment, AttachmentId, Principal};

use super::documents::warnings;
use super::expiry_text;
use super::files::resource_link;
use crate::api::PageImageJson;
use crate::error::ApiError;
use crate::state::AppState;
use gateway::CachedDocument;
use gateway::{CachedImageRequest, CachedView, render_scale};

/// Maximum number of pages of a document whose images are listed.
const MAX_PAGES: usize = 2_000;

/// Attachment with the addresses of its page images.
pub(super) struct SdkImages<'a> {
    app: &'a AppState,
    principal: &'a Principal,
    pub(super) attachment: Attachment,
    pub(super) document: CachedDocument,
    /// Path of the document, to which the paths of images are relative.
    path: String,
}

impl<'a> SdkImages<'a> {
    pub(super) async fn new(
        app: &'a AppState,
        principal: &'a Principal,
        (attachment, document): (Attachment, CachedDocument),
    ) -> Result<Self, ApiError> {
        // The content hash is used, because an attachment id may name another document later; unless the hash is the
        // attachment id of another document.
        let content = document.id().to_string();
        let other = match AttachmentId::new(&content) {
            Ok(name) => app.store.attachment(principal, &name, app.now()).await?,
            Err(_) => None,
        };
        let path = match other.filter(|other| other.document.id != document.id()) {
            Some(_) => format!("/documents/{}", attachment.id),
            None => format!("/documents/{content}"),
        };
        Ok(Self {
            app,
            principal,
            attachment,
            document,
            path,
        })
    }

    /// Returns the images of all pages, or of none.
    pub(super) fn pages(&self) -> Vec<PageImageJson> {
        if !self.has_one_image_per_page() || self.document.pages().len() > MAX_PAGES {
            return Vec::new();
        }
        let images: Option<Vec<PageImageJson>> = (1..=self.document.rendered_page_count())
            .map(|sheet| {
                Some(
                    self.image(sheet, sheet.into())?
                        .to_json(SdkVersion::V2)
                        .into(),
                )
            })
            .collect();
        images.unwrap_or_default()
    }

    /// Returns the image of the rendered page with a passage, which belongs to a page of the file.
    pub(super) fn page_of_match(&self, sheet: u32, page: u64) -> Option<PageImage> {
        let page = match self.has_one_image_per_page() {
            true => sheet.into(),
            false => page,
        };
        let image = self.image(sheet, page)?;
        Some(PageImage {
            is_match_page: Some(true),
            ..image
        })
    }

    /// Returns the warnings of the reader, and one if images are not listed.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = warnings(&self.document);
        if self.document.rendered_page_count() as usize > MAX_PAGES {
            warnings.push(format!(
                "images of more than {MAX_PAGES} pages are not listed; each is at /documents/{}/pages/N.webp",
                self.attachment.id
            ));
        }
        warnings
    }

    /// Returns true if every page has exactly one rendered page. Each page begins a new one, so equal numbers suffice.
    fn has_one_image_per_page(&self) -> bool {
        self.document.rendered_page_count() as usize == self.document.pages().len()
    }

    /// Returns the image of a rendered page; `None` if the page has no size.
    fn image(&self, sheet: u32, page: u64) -> Option<PageImage> {
        let size = self.document.rendered_page_size(sheet)?;
        let wanted = CachedImageRequest {
            document: self.document.clone(),
            shown: CachedView::Page(sheet),
            marks: Vec::new(),
            style: RenderStyle::default(),
            format: ImageFormat::WebP,
        };
        let scale = f64::from(wanted.style.dpi) / 72.0;
        let query = format!("v={}", wanted.version().ok()?);
        let path = format!("{}/pages/{sheet}.webp", self.path);
        let expires = self.attachment.expires;
        let (url, until) = resource_link(self.app, self.principal, &path, &query, expires);
        Some(PageImage {
            page_number: Some(page),
            dimensions: Some(ImageSize {
                width: Some((f64::from(size.width) * scale).round()),
                height: Some((f64::from(size.height) * scale).round()),
            }),
            image_url: Some(url),
            expires_at: Some(expiry_text(until)),
            render_scale: Some(render_scale(&wanted.style)),
            ..PageImage::default()
        })
    }
}
