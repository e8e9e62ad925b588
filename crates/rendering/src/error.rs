//! Failures of rendering.

use documents::DocumentError;

/// Failure of rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The document has no such page.
    #[error("there is no page {page}; the document has {pages} pages")]
    NoPage {
        /// Requested page, from 1.
        page: u32,
        /// Number of pages.
        pages: u32,
    },
    /// The highlight has no boxes.
    #[error("the highlight is empty, so there is no passage to show")]
    EmptyHighlight,
    /// The document has no positions of words.
    #[error("the document has no pages that can be drawn")]
    NoPages,
    /// The picture would be too large.
    #[error("the picture would have {width} × {height} pixels; the limit is {limit}")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Limit; see [`RenderLimits::pixels`](crate::RenderLimits::pixels).
        limit: u64,
    },
    /// The caller cancelled.
    #[error("drawing page {page} was cancelled")]
    GivenUp {
        /// Page, from 1.
        page: u32,
    },
    /// The renderer failed on the page.
    #[error("page {page} cannot be drawn")]
    Renderer {
        /// Page, from 1.
        page: u32,
    },
    /// The picture cannot be encoded in that format.
    #[error("the picture cannot be encoded as {format}")]
    Encoder {
        /// Format, such as "AVIF".
        format: &'static str,
    },
    /// The file cannot be opened.
    #[error(transparent)]
    Read(#[from] DocumentError),
}

impl RenderError {
    /// Returns a hint: what a person can do about the failure.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoPage { .. } => "Request an existing page.",
            Self::EmptyHighlight => "Request the whole page.",
            Self::NoPages => "Read the document again from its file.",
            Self::TooLarge { .. } => "Request a smaller scale, or the part around the passage.",
            Self::GivenUp { .. } => "Raise the time limit.",
            Self::Renderer { .. } => "Open the file in another program and save a copy.",
            Self::Encoder { .. } => "Request PNG.",
            Self::Read(error) => error.hint(),
        }
    }
}
