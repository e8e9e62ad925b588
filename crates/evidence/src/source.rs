//! Where pictures come from.

use documents::{Document, Layout, PictureFile, ReadError, Reading, is_pdf};

use crate::error::PictureError;
use crate::pdf::Pdf;
use crate::raster::Raster;

/// A file that pictures are made of.
#[derive(Debug)]
pub enum Source {
    /// A PDF file: its own pages.
    Pdf(Pdf),
    /// A picture: one page.
    Raster(Raster),
    /// Any other file: pages that it was laid out on.
    Laid(Layout),
}

impl Source {
    /// Opens a file as [`Document::read_as`] reads it: the same limits, the same password, the same pages.
    pub fn open(bytes: &[u8], name: &str, reading: &Reading<'_>) -> Result<Self, PictureError> {
        if is_pdf(bytes) {
            return Ok(Self::Pdf(Pdf::open(bytes, reading)?));
        }
        if let Some(file) = PictureFile::of(bytes) {
            let limit = reading.limits.pixels as u64;
            if file.pixels() > limit {
                return Err(PictureError::Read(ReadError::TooManyPixels {
                    width: file.width,
                    height: file.height,
                    limit,
                }));
            }
            let broken = ReadError::Broken { kind: file.kind };
            let raster = Raster::open(bytes, &file);
            return Ok(Self::Raster(raster.ok_or(PictureError::Read(broken))?));
        }
        let (_, layout) = Document::read_with_layout(bytes, name, reading)?;
        layout.map(Self::Laid).ok_or(PictureError::NoPages)
    }
}
