//! What is marked on a page, and how that is drawn.

use std::ops::Range;

use documents::{Document, Flow, PageBox};

use crate::around::rows_near;
use crate::image::{Area, Image};
use crate::style::{
    ANCHOR, ANCHOR_DARK, ARM_MAX, ARM_MIN, ARM_PART, BOX_PADDING, LINE, OVERLAY, OVERLAY_DARK,
    SPOTLIGHT_PADDING, State, Style, Theme, WASH,
};

/// Parts of a passage on a page beyond this number are bracketed together.
const MAX_BLOCKS: usize = 64;

/// A passage to be marked: a box for each of its lines, on any number of pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// What is known of it.
    pub state: State,
    /// The passage. It gets brackets: around the lines that stand together, so one pair for each column
    /// and page.
    pub phrase: Vec<PageBox>,
    /// The words in it that matter most. They are tinted.
    pub anchor: Vec<PageBox>,
    /// The rows of words near it, its own too: a strip is cut between them. See [`Marks::among`].
    pub rows: Vec<PageBox>,
}

impl Marks {
    /// Marks a range of a flow, and the words in it that matter most.
    ///
    /// The words are left unmarked if they are nearly the whole passage.
    pub fn of(
        document: &Document,
        flow: &Flow,
        phrase: Range<usize>,
        anchor: Option<Range<usize>>,
        state: State,
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

    /// The same among the rows of words that its document has near it.
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

    /// The pages that have marks, in order.
    pub fn pages(&self) -> Vec<u32> {
        let boxes = self.phrase.iter().chain(&self.anchor);
        let mut pages: Vec<u32> = boxes.map(|part| part.page).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }

    /// The lines of the passage on a page that stand together, as areas of the page.
    pub(crate) fn blocks(&self, page: u32, style: &Style) -> Vec<Block> {
        let own = match self.phrase.iter().any(|part| part.page == page) {
            true => &self.phrase,
            // A passage may be known by its anchor alone.
            false => &self.anchor,
        };
        let mut blocks: Vec<Block> = Vec::new();
        for part in own.iter().filter(|part| part.page == page) {
            let line = area(part, style);
            let full = blocks.len() >= MAX_BLOCKS;
            match blocks.last_mut() {
                Some(block) if full || block.takes(line) => {
                    block.lines.push(line);
                    block.around = block.around.union(line);
                }
                _ => blocks.push(Block {
                    around: line,
                    lines: vec![line],
                }),
            }
        }
        blocks
    }
}

/// Whether a letter is written without spaces between words; it counts as one.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}')
}

/// Lines of a passage that stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) around: Area,
    pub(crate) lines: Vec<Area>,
}

impl Block {
    /// Whether a line stands below the last one, or beside it.
    fn takes(&self, line: Area) -> bool {
        let Some(last) = self.lines.last() else {
            return true;
        };
        let height = last.height().max(line.height()).max(1);
        let below = line.top - last.bottom;
        let goes_down = line.top >= last.top - height / 2;
        // The next row belongs to it wherever it begins; what is farther away, if it stands below.
        let apart = self.around.left.max(line.left) - self.around.right.min(line.right);
        goes_down && (below * 5 <= height * 4 || (below * 2 <= height * 3 && apart <= 0))
    }
}

/// A box in pixels of the page.
pub(crate) fn area(part: &PageBox, style: &Style) -> Area {
    let scale = f64::from(style.pixels_per_point());
    // Beyond this a page has no pixels; casts of anything odd end up at 0.
    let pixel = |points: f32| (f64::from(points) * scale).clamp(-1e7, 1e7);
    let (left, top) = (pixel(part.x), pixel(part.y));
    let (width, height) = (pixel(part.width).max(0.0), pixel(part.height).max(0.0));
    Area::new(
        left.floor() as i64,
        top.floor() as i64,
        (left + width).ceil() as i64,
        (top + height).ceil() as i64,
    )
}

/// Draws marks on a picture that shows a page from a pixel on.
pub(crate) fn draw(
    image: &mut Image,
    page: u32,
    origin: (i64, i64),
    marks: &[Marks],
    style: &Style,
) {
    let blocks: Vec<(State, Block)> = marks
        .iter()
        .flat_map(|marks| {
            let blocks = marks.blocks(page, style);
            blocks.into_iter().map(|block| (marks.state, block))
        })
        .collect();
    let dark = style.theme == Theme::Dark;
    let here = |area: Area| area.moved(-origin.0, -origin.1);
    for (state, block) in blocks.iter().filter(|(_, block)| block.lines.len() > 1) {
        for line in &block.lines {
            image.tint(here(*line), state.colour(style.theme), WASH, dark);
        }
    }
    let (tint, cover) = match style.theme {
        Theme::Light => ANCHOR,
        Theme::Dark => ANCHOR_DARK,
    };
    for part in marks.iter().flat_map(|marks| &marks.anchor) {
        if part.page == page {
            image.tint(here(area(part, style)), tint, cover, dark);
        }
    }
    if style.spotlight && !blocks.is_empty() {
        let bright: Vec<Area> = blocks
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

/// A bracket on each side, their outer edges at those of the area.
fn brackets(image: &mut Image, area: Area, colour: [u8; 3], style: &Style) {
    let line = style.pixels(LINE);
    let part = area.height() / i64::from(ARM_PART);
    let arm = part.clamp(style.pixels(ARM_MIN), style.pixels(ARM_MAX));
    let Area {
        left,
        top,
        right,
        bottom,
    } = area;
    image.fill(Area::new(left, top, left + line, bottom), colour);
    image.fill(Area::new(right - line, top, right, bottom), colour);
    for top in [top, bottom - line] {
        image.fill(Area::new(left, top, left + arm, top + line), colour);
        image.fill(Area::new(right - arm, top, right, top + line), colour);
    }
}

/// Dims all but some areas.
fn dim_around(image: &mut Image, bright: &[Area], theme: Theme) {
    let (colour, cover) = match theme {
        Theme::Light => OVERLAY,
        Theme::Dark => OVERLAY_DARK,
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
            image.cover(Area::new(left, top, from, bottom), colour, cover);
            left = left.max(to);
        }
        image.cover(Area::new(left, top, all.right, bottom), colour, cover);
    }
}
