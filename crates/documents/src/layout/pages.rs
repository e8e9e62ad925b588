//! Rows set on pages.

use std::ops::Range;

use super::atoms::{AtomKind, TextAtom, keeps_space, size_of};
use super::fonts::LayoutFont;
use super::rows::{AtomRow, RowList, set, visual_order, width_of};
use super::sketch::{BaselineLevel, BlockShape, DocumentSketch, SketchItem};
use super::{InkColour, PAGE};

/// What is around the text.
pub(super) const MARGIN: (f32, f32) = (56.0, 60.0);
/// How far lists and quotations are indented,
const INDENT: f32 = 18.0;
/// and how often at most.
const MAX_INDENTS: usize = 12;
/// The ground above and below code.
const CODE_EDGE: f32 = 4.0;
/// The part of a letter's size that is above the base line, and that is below.
const ASCENT: f32 = 0.82;
const DESCENT: f32 = 0.24;

/// A word of a line, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlacedWord {
    pub(crate) line: u32,
    /// Of the line's text.
    pub(crate) range: Range<u32>,
    /// From 0.
    pub(crate) page: u32,
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// Something to be drawn on a page.
#[derive(Debug, Clone)]
pub(super) enum PageMark {
    Text {
        /// Of [`DocumentSketch::text`].
        text: Range<u32>,
        font: LayoutFont,
        size: f32,
        x: f32,
        /// Of the base line.
        y: f32,
        leftwards: bool,
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
        /// Of [`DocumentSketch::shown_images`].
        shown: u32,
        x: f32,
        y: f32,
        width: f32,
        height: f32,
    },
}

/// What a block stands in.
#[derive(Debug, Clone, Copy)]
enum LayoutContainer {
    Quote,
    Item,
}

/// Where rows are set.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextColumn {
    pub(super) left: f32,
    pub(super) width: f32,
}

/// Sets a sketch on pages.
pub(super) struct PageSetter<'s> {
    pub(super) sketch: &'s DocumentSketch,
    /// The marks of each page, if they are kept.
    pub(super) pages: Vec<Vec<PageMark>>,
    keeps_marks: bool,
    pub(super) words: Vec<PlacedWord>,
    /// Where the next row goes.
    pub(super) y: f32,
    containers: Vec<LayoutContainer>,
    /// The mark of a list item that has no row yet.
    marker: Option<Range<u32>>,
}

impl<'s> PageSetter<'s> {
    pub(super) fn new(sketch: &'s DocumentSketch, keeps_marks: bool) -> Self {
        Self {
            sketch,
            pages: vec![Vec::new()],
            keeps_marks,
            words: Vec::new(),
            y: MARGIN.1,
            containers: Vec::new(),
            marker: None,
        }
    }

    pub(super) fn all(&mut self) {
        let mut at = 0;
        while let Some(item) = self.sketch.items.get(at) {
            at += 1;
            match item {
                SketchItem::Table { end } => {
                    let end = (*end as usize).min(self.sketch.items.len());
                    self.table(at..end);
                    at = end.max(at);
                }
                item => self.item(item),
            }
        }
    }

    /// Sets anything but a table. What is in a table that is too wide or too high is set like this too.
    pub(super) fn item(&mut self, item: &SketchItem) {
        match item {
            SketchItem::Block { shape, runs } => self.block(*shape, runs, false),
            SketchItem::Quote => self.containers.push(LayoutContainer::Quote),
            SketchItem::Entry { marker } => {
                self.containers.push(LayoutContainer::Item);
                self.marker = Some(marker.clone());
            }
            SketchItem::Close => {
                self.containers.pop();
                self.marker = None;
            }
            SketchItem::Rule => {
                let column = self.column();
                self.room(20.0);
                self.fill(
                    column.left,
                    self.y + 10.0,
                    column.width,
                    0.75,
                    InkColour::Rule,
                );
                self.y += 20.0;
            }
            SketchItem::Images(shown) => self.images(shown),
            SketchItem::Gap(lines) => {
                if self.y > MARGIN.1 {
                    self.y += *lines as f32 * 13.2;
                }
            }
            SketchItem::Page => self.next_page(),
            SketchItem::Table { .. }
            | SketchItem::Row
            | SketchItem::Cell { .. }
            | SketchItem::TableEnd => {}
        }
    }

    /// How far text is indented now.
    fn indent(&self) -> f32 {
        INDENT * self.containers.len().min(MAX_INDENTS) as f32
    }

    /// Where text goes now.
    pub(super) fn column(&self) -> TextColumn {
        let indent = self.indent();
        TextColumn {
            left: MARGIN.0 + indent,
            width: PAGE.width - 2.0 * MARGIN.0 - indent,
        }
    }

    pub(super) fn bottom() -> f32 {
        PAGE.height - MARGIN.1
    }

    pub(super) fn is_at_top(&self) -> bool {
        self.y <= MARGIN.1
    }

    pub(super) fn next_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = MARGIN.1;
    }

    /// Begins a page if there is less room than that.
    pub(super) fn room(&mut self, height: f32) {
        if self.y + height > Self::bottom() && !self.is_at_top() {
            self.next_page();
        }
    }

    pub(super) fn block(&mut self, shape: BlockShape, runs: &Range<u32>, heading: bool) {
        let column = self.column();
        let sketch = self.sketch;
        if !self.is_at_top() {
            self.y += space_before(shape, self.containers.len());
        }
        if let BlockShape::Heading(_) = shape {
            // A heading stays with what follows it.
            self.room(size_of(shape) * 1.3 + 40.0);
        }
        if shape != BlockShape::Code {
            set(sketch, runs, shape, heading, column.width, |rows| {
                self.rows(rows, shape, column, column);
            });
            return;
        }
        let inner = TextColumn {
            left: column.left + 6.0,
            width: column.width - 12.0,
        };
        self.room(30.0);
        self.edge(column);
        set(sketch, runs, shape, heading, inner.width, |rows| {
            self.rows(rows, shape, column, inner);
        });
        self.edge(column);
    }

    /// The ground above and below code.
    fn edge(&mut self, column: TextColumn) {
        self.fill(
            column.left,
            self.y,
            column.width,
            CODE_EDGE,
            InkColour::Ground,
        );
        self.y += CODE_EDGE;
    }

    fn rows(&mut self, rows: RowList, shape: BlockShape, column: TextColumn, inner: TextColumn) {
        let RowList { rows, leftwards } = rows;
        // What is written from right to left is indented from the right.
        let mirrored = leftwards && !keeps_space(shape);
        let indent = if mirrored { self.indent() } else { 0.0 };
        let moved = |column: TextColumn| TextColumn {
            left: column.left - indent,
            ..column
        };
        let (column, inner) = (moved(column), moved(inner));
        let mut rest = rows.as_slice();
        while !rest.is_empty() {
            let mut top = self.y;
            let fitting = rest
                .iter()
                .take_while(|row| {
                    top += row.height;
                    top <= Self::bottom()
                })
                .count();
            let here = match (fitting, rest.len() - fitting) {
                (_, 0) => fitting,
                // Not one row alone at the foot or at the head of a page.
                (0 | 1, _) if !self.is_at_top() => 0,
                (0, _) => 1,
                (many @ 3.., 1) => many - 1,
                _ => fitting,
            };
            let (now, later) = rest.split_at(here);
            for row in now {
                self.decorate(row.height, shape, column, mirrored);
                let y = self.y;
                self.row(row, inner, y, leftwards);
                self.y += row.height;
            }
            rest = later;
            if !rest.is_empty() {
                self.next_page();
            }
        }
    }

    /// What stands behind and beside a row.
    fn decorate(&mut self, height: f32, shape: BlockShape, column: TextColumn, mirrored: bool) {
        let y = self.y;
        if shape == BlockShape::Code {
            self.fill(
                column.left,
                y - 2.0,
                column.width,
                height + 4.0,
                InkColour::Ground,
            );
        }
        if self.keeps_marks {
            for (depth, container) in self.containers.clone().iter().take(MAX_INDENTS).enumerate() {
                if let LayoutContainer::Quote = container {
                    let inwards = MARGIN.0 + INDENT * depth as f32 + 4.0;
                    let x = match mirrored {
                        true => PAGE.width - inwards - 2.0,
                        false => inwards,
                    };
                    self.fill(x, y - 2.0, 2.0, height + 4.0, InkColour::Rule);
                }
            }
        }
        if let Some(marker) = self.marker.take()
            && self.keeps_marks
        {
            let text = self.sketch.shown(&marker);
            let (font, size) = (LayoutFont::of(Default::default()), 10.5);
            let width = width_of(text, font, size);
            let base = y + height / 2.0 + size * 0.34;
            let x = match mirrored {
                true => column.left + column.width + 5.0,
                false => column.left - width - 5.0,
            };
            self.mark(PageMark::Text {
                text: marker,
                font,
                size,
                x,
                y: base,
                leftwards: false,
                ink: InkColour::Faint,
            });
        }
    }

    /// Sets a row: its words, and what is drawn of it.
    pub(super) fn row(&mut self, row: &AtomRow, column: TextColumn, y: f32, leftwards: bool) {
        let mut x = match leftwards {
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
            // A part of the line, letter for letter, or all of it.
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
            let top = y + row.base - shift - atom.size * ASCENT;
            let bottom = y + row.base - shift + atom.size * DESCENT;
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
            let base = y + row.base - raised_by(run.face.level, atom.size);
            let x = places[*at];
            let leftwards = atom.level % 2 == 1;
            for (wanted, place) in [
                (run.face.link, base + 1.5),
                (run.face.struck, base - atom.size * 0.28),
            ] {
                if wanted {
                    self.fill(x, place, atom.width, 0.6, ink);
                }
            }
            if atom.font.is_unseen() || atom.kind == AtomKind::Tab {
                last = None;
                continue;
            }
            // What goes on in the same way is one text.
            let goes_on = last.is_some_and(|last| {
                !leftwards
                    && last.run == atom.run
                    && last.font == atom.font
                    && last.text.end == atom.text.start
                    && last.level == atom.level
            });
            let page = self.pages.last_mut();
            match page.and_then(|page| page.last_mut()) {
                Some(PageMark::Text { text, .. }) if goes_on => text.end = atom.text.end,
                _ => self.mark(PageMark::Text {
                    text: atom.text.clone(),
                    font: atom.font,
                    size: atom.size,
                    x,
                    y: base,
                    leftwards,
                    ink,
                }),
            }
            last = Some(atom);
        }
    }

    /// The four sides of a box.
    pub(super) fn frame(&mut self, x: f32, y: f32, width: f32, height: f32) {
        for (x, y, width, height) in sides(x, y, width, height) {
            self.fill(x, y, width, height, InkColour::Rule);
        }
    }

    pub(super) fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, ink: InkColour) {
        self.mark(PageMark::Fill {
            x,
            y,
            width,
            height,
            ink,
        });
    }

    pub(super) fn mark(&mut self, mark: PageMark) {
        if self.keeps_marks
            && let Some(page) = self.pages.last_mut()
        {
            page.push(mark);
        }
    }
}

/// The four sides of a box, as boxes.
pub(super) fn sides(x: f32, y: f32, width: f32, height: f32) -> [(f32, f32, f32, f32); 4] {
    const LINE: f32 = 0.75;
    [
        (x, y, width, LINE),
        (x, y + height - LINE, width, LINE),
        (x, y, LINE, height),
        (x + width - LINE, y, LINE, height),
    ]
}

/// How far letters are raised.
fn raised_by(level: BaselineLevel, size: f32) -> f32 {
    match level {
        BaselineLevel::Normal => 0.0,
        BaselineLevel::Raised => size * 0.5,
    }
}

/// The room before a block.
pub(super) fn space_before(shape: BlockShape, depth: usize) -> f32 {
    match shape {
        BlockShape::Heading(1 | 2) => 16.0,
        BlockShape::Heading(_) => 11.0,
        BlockShape::Code => 8.0,
        BlockShape::Typed(_) | BlockShape::Prose => 0.0,
        BlockShape::Paragraph if depth > 0 => 3.0,
        BlockShape::Paragraph | BlockShape::Note => 6.5,
    }
}
