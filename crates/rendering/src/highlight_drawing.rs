//! Drawing of highlights on page images.

use crate::highlight::Highlight;
use crate::highlight_blocks::{HighlightBlock, blocks_on_page, to_pixels};
use crate::image::{Image, PixelArea};
use crate::style::{
    ANCHOR, ANCHOR_DARK, ARM_MAX, ARM_MIN, ARM_PART, BOX_PADDING, HighlightState, ImageTheme, LINE,
    OVERLAY, OVERLAY_DARK, RenderStyle, SPOTLIGHT_PADDING, WASH,
};

/// Draws highlights on a picture of a part of a page.
pub(crate) fn draw_highlights(
    image: &mut Image,
    page: u32,
    origin: (i64, i64),
    highlights: &[Highlight],
    style: &RenderStyle,
) {
    let blocks: Vec<(HighlightState, HighlightBlock)> = highlights
        .iter()
        .flat_map(|highlight| {
            let blocks = blocks_on_page(highlight, page, style);
            blocks.into_iter().map(|block| (highlight.state, block))
        })
        .collect();
    let dark = style.theme == ImageTheme::Dark;
    let to_image = |area: PixelArea| area.translate(-origin.0, -origin.1);
    for (state, block) in blocks.iter().filter(|(_, block)| block.lines.len() > 1) {
        for line in &block.lines {
            image.tint(to_image(*line), state.colour(style.theme), WASH, dark);
        }
    }
    let (tint, cover) = match style.theme {
        ImageTheme::Light => ANCHOR,
        ImageTheme::Dark => ANCHOR_DARK,
    };
    for part in highlights.iter().flat_map(|highlight| &highlight.anchor) {
        if part.rendered_page == page {
            image.tint(to_image(to_pixels(part, style)), tint, cover, dark);
        }
    }
    if style.spotlight && !blocks.is_empty() {
        let bright: Vec<PixelArea> = blocks
            .iter()
            .map(|(_, block)| to_image(block.around.grow(style.pixels(SPOTLIGHT_PADDING))))
            .collect();
        dim_around(image, &bright, style.theme);
    }
    for (state, block) in &blocks {
        let around = to_image(block.around.grow(style.pixels(BOX_PADDING)));
        draw_brackets(image, around, state.colour(style.theme), style);
    }
}

/// Draws a bracket on each side, their outer edges on those of the area.
fn draw_brackets(image: &mut Image, area: PixelArea, colour: [u8; 3], style: &RenderStyle) {
    let line = style.pixels(LINE);
    let part = area.height() / i64::from(ARM_PART);
    let arm = part.clamp(style.pixels(ARM_MIN), style.pixels(ARM_MAX));
    let PixelArea {
        left,
        top,
        right,
        bottom,
    } = area;
    image.fill(PixelArea::new(left, top, left + line, bottom), colour);
    image.fill(PixelArea::new(right - line, top, right, bottom), colour);
    for top in [top, bottom - line] {
        image.fill(PixelArea::new(left, top, left + arm, top + line), colour);
        image.fill(PixelArea::new(right - arm, top, right, top + line), colour);
    }
}

/// Dims everything outside of some areas.
fn dim_around(image: &mut Image, bright: &[PixelArea], theme: ImageTheme) {
    let (colour, cover) = match theme {
        ImageTheme::Light => OVERLAY,
        ImageTheme::Dark => OVERLAY_DARK,
    };
    let all = image.area();
    let mut edges: Vec<i64> = bright
        .iter()
        .flat_map(|area| [area.top, area.bottom])
        .map(|y| y.clamp(0, all.bottom))
        .chain([0, all.bottom])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    // Between two edges the same areas are bright in every row.
    for band in edges.windows(2) {
        let [top, bottom] = *band else { continue };
        let mut inside: Vec<(i64, i64)> = bright
            .iter()
            .filter(|area| area.top < bottom && top < area.bottom)
            .map(|area| (area.left, area.right))
            .collect();
        inside.sort_unstable();
        let mut left = 0;
        for (from, to) in inside {
            image.blend(PixelArea::new(left, top, from, bottom), colour, cover);
            left = left.max(to);
        }
        image.blend(PixelArea::new(left, top, all.right, bottom), colour, cover);
    }
}
