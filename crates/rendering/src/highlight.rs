//! Highlights: boxes of a passage, and drawing them.

use std::ops::Range;

use documents::{Document, PageBox, TextStream};

use crate::crop::rows_near;
use crate::image::{Image, PixelArea};
use crate::style::{
    ANCHOR, ANCHOR_DARK, ARM_MAX, ARM_MIN, ARM_PART, BOX_PADDING, HighlightState, ImageTheme, LINE,
    OVERLAY, OVERLAY_DARK, RenderStyle, SPOTLIGHT_PADDING, WASH,
};

/// Limit on the parts of a passage that get brackets of their own on one page.
const MAX_BLOCKS: usize = 64;

/// Passage to be marked: a box for each of its lines, on any number of pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Highlight {
    /// Result of the verification, which decides the colour.
    pub state: HighlightState,
    /// Boxes of the passage. Lines that belong together share a pair of brackets, one pair for each column and
    /// page.
    pub phrase: Vec<PageBox>,
    /// Boxes of the key words, which are tinted.
    pub anchor: Vec<PageBox>,
    /// Rows of words near the passage, its own included: crops are cut between them. See [`Highlight::among`].
    pub rows: Vec<PageBox>,
}

impl Highlight {
    /// Creates the highlight of a range of a text stream and of the key words in it.
    ///
    /// Key words that are nearly the whole passage are not tinted.
    pub fn of(
        document: &Document,
        flow: &TextStream,
        phrase: Range<usize>,
        anchor: Option<Range<usize>>,
        state: HighlightState,
    ) -> Self {
        let words = |range: &Range<usize>| {
            let text = flow.index.text().source().get(range.clone());
            let text = text.unwrap_or_default();
            let unspaced = text.chars().filter(|c| is_unspaced(*c)).count();
            text.split_whitespace().count() + unspaced
        };
        let boxes = document.boxes(flow, phrase.clone());
        let anchor = anchor.filter(|anchor| {
            let few = words(anchor);
            words(&phrase) >= few + if few == 1 { 1 } else { 2 }
        });
        let anchor = anchor.map_or_else(Vec::new, |anchor| document.boxes(flow, anchor));
        Self {
            state,
            anchor: if anchor == boxes { Vec::new() } else { anchor },
            phrase: boxes,
            rows: Vec::new(),
        }
    }

    /// Adds the rows of words that the document has near the passage.
    #[must_use]
    pub fn among(self, document: &Document) -> Self {
        let boxes = if self.phrase.is_empty() {
            &self.anchor
        } else {
            &self.phrase
        };
        Self {
            rows: rows_near(document, boxes),
            ..self
        }
    }

    /// Returns the pages with a highlight, in order.
    pub fn pages(&self) -> Vec<u32> {
        let boxes = self.phrase.iter().chain(&self.anchor);
        let mut pages: Vec<u32> = boxes.map(|part| part.page).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }

    /// Returns the lines of the passage on a page, grouped by proximity.
    pub(crate) fn blocks(&self, page: u32, style: &RenderStyle) -> Vec<MarkedBlock> {
        let own = match self.phrase.iter().any(|part| part.page == page) {
            true => &self.phrase,
            // A passage may be known by its anchor alone.
            false => &self.anchor,
        };
        let mut blocks: Vec<MarkedBlock> = Vec::new();
        for part in own.iter().filter(|part| part.page == page) {
            let line = area(part, style);
            let full = blocks.len() >= MAX_BLOCKS;
            match blocks.last_mut() {
                Some(block) if full || block.takes(line) => {
                    block.lines.push(line);
                    block.around = block.around.union(line);
                }
                _ => blocks.push(MarkedBlock {
                    around: line,
                    lines: vec![line],
                }),
            }
        }
        blocks
    }
}

/// Returns true for scripts without spaces between words; each character counts as a word.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}')
}

/// Lines of a passage that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedBlock {
    pub(crate) around: PixelArea,
    pub(crate) lines: Vec<PixelArea>,
}

impl MarkedBlock {
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

/// Converts a box to pixels of the page.
pub(crate) fn area(part: &PageBox, style: &RenderStyle) -> PixelArea {
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

/// Draws highlights on a picture of a part of a page.
pub(crate) fn draw(
    image: &mut Image,
    page: u32,
    origin: (i64, i64),
    marks: &[Highlight],
    style: &RenderStyle,
) {
    let blocks: Vec<(HighlightState, MarkedBlock)> = marks
        .iter()
        .flat_map(|marks| {
            let blocks = marks.blocks(page, style);
            blocks.into_iter().map(|block| (marks.state, block))
        })
        .collect();
    let dark = style.theme == ImageTheme::Dark;
    let here = |area: PixelArea| area.moved(-origin.0, -origin.1);
    for (state, block) in blocks.iter().filter(|(_, block)| block.lines.len() > 1) {
        for line in &block.lines {
            image.tint(here(*line), state.colour(style.theme), WASH, dark);
        }
    }
    let (tint, cover) = match style.theme {
        ImageTheme::Light => ANCHOR,
        ImageTheme::Dark => ANCHOR_DARK,
    };
    for part in marks.iter().flat_map(|marks| &marks.anchor) {
        if part.page == page {
            image.tint(here(area(part, style)), tint, cover, dark);
        }
    }
    if style.spotlight && !blocks.is_empty() {
        let bright: Vec<PixelArea> = blocks
            .iter()
            .map(|(_, block)| here(block.around.grown(style.pixels(SPOTLIGHT_PADDING))))
            .collect();
        dim_around(image, &bright, style.theme);
    }
    for (state, block) in &blocks {
        let around = here(block.around.grown(style.pixels(BOX_PADDING)));
        brackets(image, around, state.colour(style.theme), style);
    }
}

/// Draws a bracket on each side, their outer edges on those of the area.
fn brackets(image: &mut Image, area: PixelArea, colour: [u8; 3], style: &RenderStyle) {
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
            image.cover(PixelArea::new(left, top, from, bottom), colour, cover);
            left = left.max(to);
        }
        image.cover(PixelArea::new(left, top, all.right, bottom), colour, cover);
    }
}
