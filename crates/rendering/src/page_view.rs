//! Part of a document that a picture shows, and its size in pixels.

use documents::{ContentId, Document, PageSize};

use crate::crop::crop_around;
use crate::error::RenderError;
use crate::highlight::Highlight;
use crate::highlight_blocks::{blocks_on_page, to_pixels};
use crate::image::PixelArea;
use crate::image_encoding::ImageFormat;
use crate::style::{GAP, RenderStyle};

/// Part of a document that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PageView<'m> {
    /// Whole page.
    Page {
        /// Page, from 1.
        number: u32,
        /// Highlights. Parts on other pages are left out.
        highlights: &'m [Highlight],
    },
    /// Crop around a passage. Parts that are far apart, such as two columns or two pages, are placed below each
    /// other.
    Strip {
        /// Passage.
        highlight: &'m Highlight,
    },
}

impl PageView<'_> {
    /// Returns the cache key: equal for the same document, view, style and format.
    pub fn key(&self, document: ContentId, style: &RenderStyle, format: ImageFormat) -> ContentId {
        use std::fmt::Write as _;
        // The debug format of numbers is exact.
        let mut all = format!("{DRAWING_VERSION} {document} {style:?} {format:?} ");
        // Writing to a string does not fail.
        let _ = write!(all, "{self:?}");
        ContentId::of(all.as_bytes())
    }

    /// Returns the size of the picture in pixels before it is drawn, or `None` if it cannot be drawn.
    pub fn size(&self, document: &Document, style: &RenderStyle) -> Option<(u32, u32)> {
        let whole = |number: u32| {
            let size = document.rendered_page_size(number);
            let pages = document.rendered_page_count();
            let size = size.ok_or(RenderError::NoPage {
                page: number,
                pages,
            })?;
            Ok(page_area(size, style))
        };
        let area = match self {
            Self::Page { number, .. } => whole(*number),
            Self::Strip { highlight } => {
                strip_parts(highlight, style, whole).map(|(_, around)| around)
            }
        };
        let area = area.ok()?;
        Some((
            u32::try_from(area.width()).ok()?,
            u32::try_from(area.height()).ok()?,
        ))
    }
}

/// Version of the drawing, part of every cache key. It grows when pictures change.
const DRAWING_VERSION: u32 = 3;

/// Returns the area of a whole page in pixels.
pub(crate) fn page_area(size: PageSize, style: &RenderStyle) -> PixelArea {
    let scale = f64::from(style.pixels_per_point());
    let pixels = |points: f32| ((f64::from(points) * scale).round() as i64).clamp(1, 1 << 31);
    PixelArea::new(0, 0, pixels(size.width), pixels(size.height))
}

/// Returns the parts of pages that a crop consists of, and its size.
pub(crate) fn strip_parts(
    highlight: &Highlight,
    style: &RenderStyle,
    whole: impl Fn(u32) -> Result<PixelArea, RenderError>,
) -> Result<(Vec<(u32, PixelArea)>, PixelArea), RenderError> {
    let mut parts = Vec::new();
    for number in highlight.pages() {
        let whole = whole(number)?;
        for area in parts_around(highlight, number, style) {
            let area = area.intersection(whole);
            // Text outside of the page cannot be shown.
            if !area.is_empty() {
                parts.push((number, area));
            }
        }
    }
    // Parts are as wide as the widest, up to the width of their pages.
    let widest = parts.iter().map(|(_, area)| area.width()).max();
    for (number, area) in &mut parts {
        let whole = whole(*number)?;
        let missing = widest.unwrap_or_default() - area.width();
        let right = (area.right + missing).min(whole.right);
        let left = area.left - (missing - (right - area.right));
        *area = PixelArea::new(left.max(0), area.top, right, area.bottom);
    }
    let (first, rest) = parts.split_first().ok_or(RenderError::EmptyHighlight)?;
    let first = first.1.translate(-first.1.left, -first.1.top);
    let around = rest.iter().fold(first, |all, (_, part)| {
        let bottom = all.bottom + style.pixels(GAP) + part.height();
        all.union(PixelArea::new(0, 0, part.width(), bottom))
    });
    Ok((parts, around))
}

/// Returns the parts of a page around a passage, with a margin. Parts that touch are merged.
fn parts_around(highlight: &Highlight, page: u32, style: &RenderStyle) -> Vec<PixelArea> {
    let rows: Vec<PixelArea> = highlight
        .rows
        .iter()
        .filter(|row| row.rendered_page == page)
        .map(|row| to_pixels(row, style))
        .collect();
    let mut parts: Vec<PixelArea> = Vec::new();
    for block in blocks_on_page(highlight, page, style) {
        let mut area = crop_around(&block, &rows, style);
        // A part that grew may touch another.
        while let Some(at) = parts
            .iter()
            .position(|part| !part.intersection(area).is_empty())
        {
            area = area.union(parts.remove(at));
        }
        parts.push(area);
    }
    parts
}
