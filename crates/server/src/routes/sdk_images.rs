//! Where the citation SDK finds pictures of pages.
//!
//! Its newer releases take, of all pictures of an attachment, the one whose number is the page where a passage was found;
//! failing that, the first one; and draw the passage on it. So pictures are listed only if there is one for every
//! page. The older releases take the picture that comes with the passage, whatever its number.

use citations::{ImageSize, PageImage, RenderScale, SdkVersion};
use json::Value;
use rendering::{ImageFormat, RenderStyle};
use store::{Attachment, AttachmentId, Principal};

use super::documents::warnings;
use super::files::linked;
use super::pictures::version_of;
use super::sdk::expiry;
use crate::error::ApiError;
use crate::state::AppState;
use gateway::CachedDocument;
use gateway::{CachedImageRequest, CachedView};

/// How many pages a document may have that are listed with their pictures.
const MAX_PAGES: usize = 2_000;

/// A document whose pictures are told of.
pub(super) struct SdkImages<'a> {
    app: &'a AppState,
    principal: &'a Principal,
    pub(super) attachment: Attachment,
    pub(super) held: CachedDocument,
    /// Where its pictures are.
    path: String,
}

impl<'a> SdkImages<'a> {
    pub(super) async fn new(
        app: &'a AppState,
        principal: &'a Principal,
        (attachment, held): (Attachment, CachedDocument),
    ) -> Result<Self, ApiError> {
        // By its content: an attachment may be another document one day. Unless that is the name of another already.
        let content = held.id().to_string();
        let other = match AttachmentId::new(&content) {
            Ok(name) => app.store.attachment(principal, &name, app.now()).await?,
            Err(_) => None,
        };
        let path = match other.filter(|other| other.document.id != held.id()) {
            Some(_) => format!("/documents/{}", attachment.id),
            None => format!("/documents/{content}"),
        };
        Ok(Self {
            app,
            principal,
            attachment,
            held,
            path,
        })
    }

    /// Where the pictures of its pages are: of all, or of none.
    pub(super) fn pages(&self) -> Value {
        if !self.pages_are_sheets() || self.held.pages().len() > MAX_PAGES {
            return Value::Array(Vec::new());
        }
        let images: Option<Vec<Value>> = (1..=self.held.rendered_page_count())
            .map(|sheet| Some(self.image(sheet, sheet.into())?.to_json(SdkVersion::V2)))
            .collect();
        Value::Array(images.unwrap_or_default())
    }

    /// Where the picture is of the sheet that a passage was found on, which belongs to that page of the file.
    pub(super) fn page_of_match(&self, sheet: u32, page: u64) -> Option<PageImage> {
        let page = match self.pages_are_sheets() {
            true => sheet.into(),
            false => page,
        };
        let image = self.image(sheet, page)?;
        Some(PageImage {
            is_match_page: Some(true),
            ..image
        })
    }

    /// What could not be read of it, or is not told.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut told = warnings(&self.held);
        if self.held.rendered_page_count() as usize > MAX_PAGES {
            told.push(format!(
                "pictures of more than {MAX_PAGES} pages are not listed; each is at /documents/{}/pages/N.webp",
                self.attachment.id
            ));
        }
        told
    }

    /// Whether every page is drawn on a sheet of its own. A page begins on a new one: it is so if there are as many.
    fn pages_are_sheets(&self) -> bool {
        self.held.rendered_page_count() as usize == self.held.pages().len()
    }

    /// Where the picture of a sheet is; none if it has no size and cannot be drawn.
    fn image(&self, sheet: u32, page: u64) -> Option<PageImage> {
        let size = self.held.rendered_page_size(sheet)?;
        let wanted = CachedImageRequest {
            document: self.held.clone(),
            shown: CachedView::Page(sheet),
            marks: Vec::new(),
            style: RenderStyle::default(),
            format: ImageFormat::WebP,
        };
        let scale = f64::from(wanted.style.dpi) / 72.0;
        let query = format!("v={}", version_of(wanted.key().ok()?));
        let path = format!("{}/pages/{sheet}.webp", self.path);
        let expires = self.attachment.expires;
        let (url, until) = linked(self.app, self.principal, &path, &query, expires);
        Some(PageImage {
            page_number: Some(page),
            dimensions: Some(ImageSize {
                width: Some((f64::from(size.width) * scale).round()),
                height: Some((f64::from(size.height) * scale).round()),
            }),
            image_url: Some(url),
            expires_at: expiry(until).as_str().map(str::to_owned),
            render_scale: Some(RenderScale {
                x: Some(scale),
                y: Some(scale),
            }),
            ..PageImage::default()
        })
    }
}
