//! Where pictures come from.

use documents::{Document, Layout, Reading, is_pdf};

use crate::error::PictureError;
use crate::pdf::Pdf;

/// A file that pictures are made of.
#[derive(Debug)]
pub enum Source {
    /// A PDF file: its own pages.
    Pdf(Pdf),
    /// Any other file: pages that it was laid out on.
    Laid(Layout),
}

impl Source {
    /// Opens a file as [`Document::read_as`] reads it: the same limits, the same password, the same pages.
    pub fn open(bytes: &[u8], name: &str, reading: &Reading<'_>) -> Result<Self, PictureError> {
        if is_pdf(bytes) {
            return Ok(Self::Pdf(Pdf::open(bytes, reading)?));
        }
        let (_, layout) = Document::read_with_layout(bytes, name, reading)?;
        layout.map(Self::Laid).ok_or(PictureError::NoPages)
    }
}
