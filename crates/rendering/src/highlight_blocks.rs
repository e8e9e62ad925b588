//! Highlighted lines of a page in pixels, grouped into blocks.

use documents::PageBox;

use crate::highlight::Highlight;
use crate::image::PixelArea;
use crate::style::RenderStyle;

/// Limit on the parts of a passage that get brackets of their own on one page.
const MAX_BLOCKS: usize = 64;

/// Lines of a passage that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HighlightBlock {
    pub(crate) around: PixelArea,
    pub(crate) lines: Vec<PixelArea>,
}

impl HighlightBlock {
    /// Returns true if a line is below the last one or beside it.
    fn takes(&self, line: PixelArea) -> bool {
        let Some(last) = self.lines.last() else {
            return true;
        };
        let height = last.height().max(line.height()).max(1);
        let below = line.top - last.bottom;
        let goes_down = line.top >= last.top - height / 2;
        // The next row belongs to the block wherever it begins; a row farther away only if it is below.
        let apart = self.around.left.max(line.left) - self.around.right.min(line.right);
        goes_down && (below * 5 <= height * 4 || (below * 2 <= height * 3 && apart <= 0))
    }
}

/// Returns the lines of the passage on a page, grouped by proximity.
pub(crate) fn blocks_on_page(
    highlight: &Highlight,
    page: u32,
    style: &RenderStyle,
) -> Vec<HighlightBlock> {
    let own = match highlight
        .phrase
        .iter()
        .any(|part| part.rendered_page == page)
    {
        true => &highlight.phrase,
        // A passage may be known by its anchor alone.
        false => &highlight.anchor,
    };
    let mut blocks: Vec<HighlightBlock> = Vec::new();
    for part in own.iter().filter(|part| part.rendered_page == page) {
        let line = to_pixels(part, style);
        let full = blocks.len() >= MAX_BLOCKS;
        match blocks.last_mut() {
            Some(block) if full || block.takes(line) => {
                block.lines.push(line);
                block.around = block.around.union(line);
            }
            _ => blocks.push(HighlightBlock {
                around: line,
                lines: vec![line],
            }),
        }
    }
    blocks
}

/// Converts a box to pixels of the page.
pub(crate) fn to_pixels(part: &PageBox, style: &RenderStyle) -> PixelArea {
    let scale = f64::from(style.pixels_per_point());
    // Coordinates are clamped, because the cast of a value out of range gives 0.
    let pixel = |points: f32| (f64::from(points) * scale).clamp(-1e7, 1e7);
    let (left, top) = (pixel(part.x), pixel(part.y));
    let (width, height) = (pixel(part.width).max(0.0), pixel(part.height).max(0.0));
    PixelArea::new(
        left.floor() as i64,
        top.floor() as i64,
        (left + width).ceil() as i64,
        (top + height).ceil() as i64,
    )
}
