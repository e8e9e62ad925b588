//! Why there is no picture.

use documents::ReadError;

/// Why there is no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The document has no such page.
    #[error("there is no page {page}; the document has {pages}")]
    NoPage {
        /// The page that was asked for, from 1.
        page: u32,
        /// How many there are.
        pages: u32,
    },
    /// There are no boxes to show.
    #[error("nothing is marked, so there is nothing to cut out")]
    NothingMarked,
    /// The document says nothing of where its words stand.
    #[error("the document has no pages that could be drawn")]
    NoPages,
    /// The picture would be too large.
    #[error("the picture would be {width} × {height} pixels; at most {limit} are drawn")]
    TooLarge {
        /// How wide it would be.
        width: u32,
        /// How high it would be.
        height: u32,
        /// [`Limits::pixels`](crate::Limits::pixels).
        limit: u64,
    },
    /// The images on the page are too large.
    #[error("the images on page {page} have {pixels} pixels; at most {limit} are drawn")]
    ImagesTooLarge {
        /// The page, from 1.
        page: u32,
        /// How many pixels they have, as far as they were counted.
        pixels: u64,
        /// [`Limits::image_pixels`](crate::Limits::image_pixels).
        limit: u64,
    },
    /// The page is made of too much.
    #[error("page {page} is drawn in more than {limit} steps")]
    TooManySteps {
        /// The page, from 1.
        page: u32,
        /// [`Limits::steps`](crate::Limits::steps).
        limit: u64,
    },
    /// The caller gave up.
    #[error("drawing page {page} was given up")]
    GivenUp {
        /// The page, from 1.
        page: u32,
    },
    /// The renderer failed on the page.
    #[error("page {page} could not be drawn")]
    Renderer {
        /// The page, from 1.
        page: u32,
    },
    /// The picture could not be written in that format.
    #[error("the picture could not be written as {format}")]
    Encoder {
        /// Which format, "AVIF".
        format: &'static str,
    },
    /// The file could not be opened.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl PictureError {
    /// What can be done about it.
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
