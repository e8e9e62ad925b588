//! Failures of rendering.

use documents::DocumentError;

/// Failure of rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The document has no such page.
    #[error("there is no page {page}; the document has {pages}")]
    NoPage {
        /// Requested page, from 1.
        page: u32,
        /// Number of pages.
        pages: u32,
    },
    /// The highlight has no boxes.
    #[error("nothing is marked, so there is nothing to cut out")]
    NothingMarked,
    /// The document has no positions of words.
    #[error("the document has no pages that could be drawn")]
    NoPages,
    /// The picture would be too large.
    #[error("the picture would be {width} × {height} pixels; at most {limit} are drawn")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Limit; see [`RenderLimits::pixels`](crate::RenderLimits::pixels).
        limit: u64,
    },
    /// The images on the page are too large.
    #[error("the images on page {page} have {pixels} pixels; at most {limit} are drawn")]
    ImagesTooLarge {
        /// Page, from 1.
        page: u32,
        /// Pixels counted so far.
        pixels: u64,
        /// Limit; see [`RenderLimits::image_pixels`](crate::RenderLimits::image_pixels).
        limit: u64,
    },
    /// The page has too many drawing steps.
    #[error("page {page} is drawn in more than {limit} steps")]
    TooManySteps {
        /// Page, from 1.
        page: u32,
        /// Limit; see [`RenderLimits::steps`](crate::RenderLimits::steps).
        limit: u64,
    },
    /// The caller cancelled.
    #[error("drawing page {page} was given up")]
    GivenUp {
        /// Page, from 1.
        page: u32,
    },
    /// The renderer failed on the page.
    #[error("page {page} could not be drawn")]
    Renderer {
        /// Page, from 1.
        page: u32,
    },
    /// The picture cannot be encoded in that format.
    #[error("the picture could not be written as {format}")]
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
            Self::NoPage { .. } => "Ask for one of its pages.",
            Self::NothingMarked => "Ask for the whole page.",
            Self::NoPages => "Read the document again from its file.",
            Self::TooLarge { .. } => "Ask for a smaller scale, or for the part around the passage.",
            Self::ImagesTooLarge { .. } | Self::TooManySteps { .. } => {
                "Check that the file is what it seems to be, and raise the limit."
            }
            Self::GivenUp { .. } => "Allow more time.",
            Self::Renderer { .. } => "Open the file in another program and save a copy.",
            Self::Encoder { .. } => "Ask for PNG.",
            Self::Read(error) => error.hint(),
        }
    }
}
