//! Opening of files for rendering.

use documents::{Document, DocumentError, ImageHeader, PageLayout, ReadOptions, is_pdf};

use crate::error::RenderError;
use crate::pdf_renderer::PdfSource;
use crate::raster_page::RasterPage;

/// File that pictures are rendered from.
#[derive(Debug)]
pub enum RenderSource {
    /// PDF file with its own pages.
    Pdf(PdfSource),
    /// Image file: one page.
    Raster(RasterPage),
    /// Any other file, laid out on pages.
    Layout(PageLayout),
}

impl RenderSource {
    /// Opens a file as [`Document::read_as`] reads it: with the same limits, password and pages.
    pub fn open(bytes: &[u8], name: &str, options: &ReadOptions<'_>) -> Result<Self, RenderError> {
        if is_pdf(bytes) {
            return Ok(Self::Pdf(PdfSource::open(bytes, options)?));
        }
        if let Some(file) = ImageHeader::of(bytes) {
            let limit = options.limits.pixels as u64;
            if file.pixels() > limit {
                return Err(RenderError::Read(DocumentError::TooManyPixels {
                    width: file.width,
                    height: file.height,
                    limit,
                }));
            }
            let broken = DocumentError::Broken { kind: file.kind };
            let raster = RasterPage::open(bytes, &file);
            return Ok(Self::Raster(raster.ok_or(RenderError::Read(broken))?));
        }
        let (_, layout) = Document::read_with_layout(bytes, name, options)?;
        layout.map(Self::Layout).ok_or(RenderError::NoPages)
    }
}
