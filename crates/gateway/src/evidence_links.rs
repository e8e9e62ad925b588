//! Addresses of evidence pages and of their images, as clients read them in results.

use std::sync::Arc;

use citations::{EvidenceImage, ImageSize, PageImage, RenderScale, Verification};
use rendering::{ImageFormat, RenderStyle};
use store::Principal;

use crate::library::CachedDocument;
use crate::page_images::{CachedImageRequest, CachedView, highlight};

/// Signer of links. Returns the query that gives the holder of a link access to a path of the principal, or `None` if
/// the server needs no key.
pub type LinkSigner = Arc<dyn Fn(&str, &Principal) -> Option<String> + Send + Sync>;

/// Source of the addresses of evidence pages.
pub(crate) struct EvidenceLinks {
    /// Address under which clients reach the server; empty if it is not known.
    base: String,
    signer: LinkSigner,
}

impl EvidenceLinks {
    pub(crate) fn new(public_url: Option<&str>, signer: LinkSigner) -> Self {
        Self {
            base: public_url
                .unwrap_or_default()
                .trim_end_matches('/')
                .to_owned(),
            signer,
        }
    }

    /// Returns the addresses of one evidence page. Its reader is the principal.
    pub(crate) fn page(&self, id: &str, reader: &Principal) -> EvidencePageLinks {
        let path = format!("/p/{id}");
        let signature = (self.signer)(&path, reader);
        EvidencePageLinks {
            address: format!("{}{path}", self.base),
            signature,
        }
    }
}

/// Addresses of one evidence page.
pub(crate) struct EvidencePageLinks {
    address: String,
    /// Query that gives access.
    signature: Option<String>,
}

impl EvidencePageLinks {
    /// Returns the address of the page.
    pub(crate) fn url(&self) -> String {
        match &self.signature {
            Some(signature) => format!("{}?{signature}", self.address),
            None => self.address.clone(),
        }
    }

    /// Returns the address of an image of the page.
    fn image_url(&self, view: &str, request: &CachedImageRequest) -> Option<String> {
        let version = request.version().ok()?;
        let signature = self.signature.as_deref();
        let signature = signature.map_or_else(String::new, |signature| format!("&{signature}"));
        Some(format!(
            "{}?view={view}&format=webp&v={version}{signature}",
            self.address
        ))
    }

    /// Adds the addresses of images to a verification: of the passage, and of its first page.
    pub(crate) fn add_images(&self, verification: &mut Verification, document: &CachedDocument) {
        let Some(marks) = highlight(verification, document) else {
            return;
        };
        let sheet = marks.pages().first().copied();
        let request = |shown: CachedView| CachedImageRequest {
            document: document.clone(),
            shown,
            marks: vec![marks.clone()],
            style: RenderStyle::default(),
            format: ImageFormat::WebP,
        };
        let strip = request(CachedView::Strip);
        verification.evidence = self.image_url("snippet", &strip).map(|src| EvidenceImage {
            src: Some(src),
            dimensions: image_size(&strip),
            ..EvidenceImage::default()
        });
        let page = verification.document.as_ref();
        let page = page.and_then(|found| found.verified_page_number);
        let image = sheet.zip(page).and_then(|(sheet, page)| {
            let whole = request(CachedView::Page(sheet));
            Some(PageImage {
                page_number: Some(page),
                dimensions: image_size(&whole),
                image_url: Some(self.image_url(&format!("page&page={sheet}"), &whole)?),
                is_match_page: Some(true),
                render_scale: Some(render_scale(&whole.style)),
                ..PageImage::default()
            })
        });
        if let Some(found) = &mut verification.document {
            found.render_scale = Some(render_scale(&RenderStyle::default()));
        }
        verification.page_images = image.into_iter().collect();
    }
}

fn image_size(request: &CachedImageRequest) -> Option<ImageSize> {
    let (width, height) = request.size()?;
    Some(ImageSize {
        width: Some(width.into()),
        height: Some(height.into()),
    })
}

/// Returns the number of pixels per unit of a page, which is 1/72 inch.
pub fn render_scale(style: &RenderStyle) -> RenderScale {
    let scale = f64::from(style.dpi * style.scale) / 72.0;
    RenderScale {
        x: Some(scale),
        y: Some(scale),
    }
}
