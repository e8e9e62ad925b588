//! Requests for pictures, and rendered pictures.

use rendering::{Highlight, ImageFormat, PageView, RenderStyle};
use serde::{Deserialize, Serialize};

/// Request for a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageRequest {
    /// Part of the document to show.
    pub view: RequestedView,
    /// Appearance.
    pub style: RenderStyle,
    /// Format of the file.
    pub format: ImageFormat,
    /// True to reduce the number of shades, for a small file.
    pub coarse: bool,
}

/// Part of a document to show; see [`PageView`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RequestedView {
    /// Whole page.
    Page {
        /// Page, from 1.
        number: u32,
        /// Highlights.
        highlights: Vec<Highlight>,
    },
    /// Crop around a passage.
    Strip {
        /// The passage.
        highlight: Highlight,
    },
}

/// Rendered picture as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageImageFile {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Format of the file.
    pub format: ImageFormat,
    /// True if the page exceeds the limits on drawing, so that parts of it are simplified or missing.
    pub is_simplified: bool,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

impl RequestedView {
    /// Returns the view for the renderer.
    pub fn page_view(&self) -> PageView<'_> {
        match self {
            Self::Page { number, highlights } => PageView::Page {
                number: *number,
                highlights,
            },
            Self::Strip { highlight } => PageView::Strip { highlight },
        }
    }
}
