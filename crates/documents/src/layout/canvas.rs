//! Canvas of the layout: the pages with their marks, and the words that were placed on them.

use std::ops::Range;

use super::InkColour;
use super::fonts::LayoutFont;
use super::rows::{AtomRow, visual_order};
use super::sketch::{BaselineLevel, DocumentSketch};
use super::text_atoms::{AtomKind, TextAtom};

/// Part of the font size above the baseline.
const ASCENT: f32 = 0.82;
/// Part of the font size below the baseline.
const DESCENT: f32 = 0.24;

/// Word of a line with its box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlacedWord {
    pub(crate) line: u32,
    /// Byte range of the line's text.
    pub(crate) range: Range<u32>,
    /// Page of the layout, from 0.
    pub(crate) page: u32,
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// Mark on a page, from which its drawing is made.
#[derive(Debug, Clone)]
pub(super) enum PageMark {
    Text {
        /// Range of [`DocumentSketch::text`].
        text: Range<u32>,
        font: LayoutFont,
        size: f32,
        x: f32,
        /// Position of the baseline.
        y: f32,
        is_rtl: bool,
        ink: InkColour,
    },
    Fill {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        ink: InkColour,
    },
    Image {
        /// Position in [`DocumentSketch::shown_images`].
        shown: u32,
        x: f32,
        y: f32,
        width: f32,
        height: f32,
    },
}

/// Column in which rows are set.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextColumn {
    pub(super) left: f32,
    pub(super) width: f32,
}

/// Pages that are being drawn.
pub(super) struct LayoutCanvas<'s> {
    sketch: &'s DocumentSketch,
    /// Marks of each page; empty lists if they are not kept.
    pub(super) pages: Vec<Vec<PageMark>>,
    pub(super) keeps_marks: bool,
    pub(super) words: Vec<PlacedWord>,
}

impl<'s> LayoutCanvas<'s> {
    /// Returns a canvas with one empty page.
    pub(super) fn new(sketch: &'s DocumentSketch, keeps_marks: bool) -> Self {
        Self {
            sketch,
            pages: vec![Vec::new()],
            keeps_marks,
            words: Vec::new(),
        }
    }

    /// Begins a page.
    pub(super) fn begin_page(&mut self) {
        self.pages.push(Vec::new());
    }

    /// Sets a row: places its words and draws it.
    pub(super) fn set_row(&mut self, row: &AtomRow, column: TextColumn, y: f32, is_rtl: bool) {
        let mut x = match is_rtl {
            true => column.left + column.width - row.width,
            false => column.left,
        };
        let order = visual_order(&row.atoms);
        let mut places = vec![0.0; row.atoms.len()];
        for at in &order {
            places[*at] = x;
            x += row.atoms[*at].width;
        }
        self.place_words(row, &places, y);
        if self.keeps_marks {
            self.draw(row, &order, &places, y);
        }
    }

    /// Joins the atoms of a row to words.
    fn place_words(&mut self, row: &AtomRow, places: &[f32], y: f32) {
        let page = self.pages.len() as u32 - 1;
        let mut open: Option<(PlacedWord, AtomKind)> = None;
        for (atom, x) in row.atoms.iter().zip(places) {
            if matches!(atom.kind, AtomKind::Space | AtomKind::Tab) {
                self.words.extend(open.take().map(|(word, _)| word));
                continue;
            }
            let Some(run) = self.sketch.runs.get(atom.run as usize) else {
                continue;
            };
            // Shown text of the same length is the text of the line, letter by letter.
            let range = match run.text.len() == run.range.len() {
                true => {
                    let from = run.range.start + (atom.text.start - run.text.start);
                    from..from + (atom.text.end - atom.text.start)
                }
                false => run.range.clone(),
            };
            if range.is_empty() {
                continue;
            }
            let shift = raised_by(run.face.level, atom.size);
            let top = y + row.baseline - shift - atom.size * ASCENT;
            let bottom = y + row.baseline - shift + atom.size * DESCENT;
            if let Some((word, kind)) = &mut open
                && word.line == run.line
                && *kind == atom.kind
                && word.range.end <= range.end
            {
                let right = (word.x + word.width).max(x + atom.width);
                word.x = word.x.min(*x);
                word.width = right - word.x;
                let bottom = bottom.max(word.y + word.height);
                word.y = word.y.min(top);
                word.height = bottom - word.y;
                word.range.end = range.end;
                continue;
            }
            self.words.extend(open.take().map(|(word, _)| word));
            // A no-break space keeps words together, but it is no word of its own.
            let shown = self.sketch.shown(&atom.text);
            if shown.chars().all(char::is_whitespace) {
                continue;
            }
            let word = PlacedWord {
                line: run.line,
                range,
                page,
                x: *x,
                y: top,
                width: atom.width,
                height: bottom - top,
            };
            open = Some((word, atom.kind));
        }
        self.words.extend(open.map(|(word, _)| word));
    }

    /// Draws the letters of a row, with lines below links and through deleted text.
    fn draw(&mut self, row: &AtomRow, order: &[usize], places: &[f32], y: f32) {
        let mut last: Option<&TextAtom> = None;
        for at in order {
            let atom = &row.atoms[*at];
            let Some(run) = self.sketch.runs.get(atom.run as usize) else {
                continue;
            };
            let ink = if run.face.link {
                InkColour::Link
            } else {
                InkColour::Text
            };
            let base = y + row.baseline - raised_by(run.face.level, atom.size);
            let x = places[*at];
            let is_rtl = atom.level % 2 == 1;
            for (wanted, place) in [
                (run.face.link, base + 1.5),
                (run.face.struck, base - atom.size * 0.28),
            ] {
                if wanted {
                    self.fill(x, place, atom.width, 0.6, ink);
                }
            }
            if atom.font.is_invisible() || atom.kind == AtomKind::Tab {
                last = None;
                continue;
            }
            // Adjacent atoms of the same run and font become one mark.
            let continues_last = last.is_some_and(|last| {
                !is_rtl
                    && last.run == atom.run
                    && last.font == atom.font
                    && last.text.end == atom.text.start
                    && last.level == atom.level
            });
            let page = self.pages.last_mut();
            match page.and_then(|page| page.last_mut()) {
                Some(PageMark::Text { text, .. }) if continues_last => text.end = atom.text.end,
                _ => self.add_mark(PageMark::Text {
                    text: atom.text.clone(),
                    font: atom.font,
                    size: atom.size,
                    x,
                    y: base,
                    is_rtl,
                    ink,
                }),
            }
            last = Some(atom);
        }
    }

    /// Draws the four sides of a box.
    pub(super) fn frame(&mut self, x: f32, y: f32, width: f32, height: f32) {
        for (x, y, width, height) in sides(x, y, width, height) {
            self.fill(x, y, width, height, InkColour::Rule);
        }
    }

    /// Draws a filled box.
    pub(super) fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, ink: InkColour) {
        self.add_mark(PageMark::Fill {
            x,
            y,
            width,
            height,
            ink,
        });
    }

    /// Adds a mark to the last page, if marks are kept.
    pub(super) fn add_mark(&mut self, mark: PageMark) {
        if self.keeps_marks
            && let Some(page) = self.pages.last_mut()
        {
            page.push(mark);
        }
    }
}

/// Returns the four sides of a box as thin boxes: left, top, width and height.
pub(super) fn sides(x: f32, y: f32, width: f32, height: f32) -> [(f32, f32, f32, f32); 4] {
    const LINE: f32 = 0.75;
    [
        (x, y, width, LINE),
        (x, y + height - LINE, width, LINE),
        (x, y, LINE, height),
        (x + width - LINE, y, LINE, height),
    ]
}

/// Returns the distance by which letters are raised.
fn raised_by(level: BaselineLevel, size: f32) -> f32 {
    match level {
        BaselineLevel::Normal => 0.0,
        BaselineLevel::Raised => size * 0.5,
    }
}
