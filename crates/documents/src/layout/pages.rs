//! Pages of blocks.

use std::ops::Range;

use super::InkColour;
use super::canvas::{LayoutCanvas, PageMark, TextColumn};
use super::fonts::LayoutFont;
use super::rows::{RowList, set_rows, width_of};
use super::sketch::{BlockShape, DocumentSketch, SketchItem};
use super::text_atoms::{keeps_space, size_of};
use crate::geometry::A4;

/// Horizontal and vertical margins of a page.
pub(super) const MARGIN: (f32, f32) = (56.0, 60.0);
/// Indent of each level of lists and quotations.
const INDENT: f32 = 18.0;
/// Largest number of levels that are indented.
const MAX_INDENTS: usize = 12;
/// Height of the background above and below code.
const CODE_EDGE: f32 = 4.0;

/// Container of a block.
#[derive(Debug, Clone, Copy)]
enum LayoutContainer {
    Quote,
    Item,
}

/// Setter of a sketch on pages.
pub(super) struct PageSetter<'s> {
    pub(super) sketch: &'s DocumentSketch,
    pub(super) canvas: LayoutCanvas<'s>,
    /// Top of the next row.
    pub(super) y: f32,
    containers: Vec<LayoutContainer>,
    /// Marker of a list item that has no row yet.
    marker: Option<Range<u32>>,
}

impl<'s> PageSetter<'s> {
    pub(super) fn new(sketch: &'s DocumentSketch, keeps_marks: bool) -> Self {
        Self {
            sketch,
            canvas: LayoutCanvas::new(sketch, keeps_marks),
            y: MARGIN.1,
            containers: Vec::new(),
            marker: None,
        }
    }

    /// Sets all items.
    pub(super) fn set_all(&mut self) {
        let mut at = 0;
        while let Some(item) = self.sketch.items.get(at) {
            at += 1;
            match item {
                SketchItem::Table { end } => {
                    let end = (*end as usize).min(self.sketch.items.len());
                    self.set_table(at..end);
                    at = end.max(at);
                }
                item => self.set_item(item),
            }
        }
    }

    /// Sets any item but a table. Cells of a table that is too wide or too high are also set like this.
    pub(super) fn set_item(&mut self, item: &SketchItem) {
        match item {
            SketchItem::Block { shape, runs } => self.set_block(*shape, runs, false),
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
                self.ensure_room(20.0);
                self.canvas.fill(
                    column.left,
                    self.y + 10.0,
                    column.width,
                    0.75,
                    InkColour::Rule,
                );
                self.y += 20.0;
            }
            SketchItem::Images(shown) => self.set_images(shown),
            SketchItem::Gap(lines) => {
                if self.y > MARGIN.1 {
                    self.y += *lines as f32 * 13.2;
                }
            }
            SketchItem::Page => self.begin_page(),
            SketchItem::Table { .. }
            | SketchItem::Row
            | SketchItem::Cell { .. }
            | SketchItem::TableEnd => {}
        }
    }

    /// Returns the current indent.
    fn indent(&self) -> f32 {
        INDENT * self.containers.len().min(MAX_INDENTS) as f32
    }

    /// Returns the column in which the next block is set.
    pub(super) fn column(&self) -> TextColumn {
        let indent = self.indent();
        TextColumn {
            left: MARGIN.0 + indent,
            width: A4.width - 2.0 * MARGIN.0 - indent,
        }
    }

    /// Returns the bottom of the text area.
    pub(super) fn bottom() -> f32 {
        A4.height - MARGIN.1
    }

    pub(super) fn is_at_top(&self) -> bool {
        self.y <= MARGIN.1
    }

    pub(super) fn begin_page(&mut self) {
        self.canvas.begin_page();
        self.y = MARGIN.1;
    }

    /// Begins a page if less than this height is left.
    pub(super) fn ensure_room(&mut self, height: f32) {
        if self.y + height > Self::bottom() && !self.is_at_top() {
            self.begin_page();
        }
    }

    /// Sets a block of text below the last one.
    pub(super) fn set_block(&mut self, shape: BlockShape, runs: &Range<u32>, heading: bool) {
        let column = self.column();
        let sketch = self.sketch;
        if !self.is_at_top() {
            self.y += space_before(shape, self.containers.len());
        }
        if let BlockShape::Heading(_) = shape {
            // A heading stays with the text after it.
            self.ensure_room(size_of(shape) * 1.3 + 40.0);
        }
        if shape != BlockShape::Code {
            set_rows(sketch, runs, shape, heading, column.width, |rows| {
                self.add_rows(&rows, shape, column, column);
            });
            return;
        }
        let inner = TextColumn {
            left: column.left + 6.0,
            width: column.width - 12.0,
        };
        self.ensure_room(30.0);
        self.add_code_edge(column);
        set_rows(sketch, runs, shape, heading, inner.width, |rows| {
            self.add_rows(&rows, shape, column, inner);
        });
        self.add_code_edge(column);
    }

    /// Draws the background above or below code.
    fn add_code_edge(&mut self, column: TextColumn) {
        self.canvas.fill(
            column.left,
            self.y,
            column.width,
            CODE_EDGE,
            InkColour::Ground,
        );
        self.y += CODE_EDGE;
    }

    /// Adds rows of a block, over as many pages as they need.
    ///
    /// `column` is that of the block, `inner` that of its text.
    fn add_rows(
        &mut self,
        rows: &RowList,
        shape: BlockShape,
        column: TextColumn,
        inner: TextColumn,
    ) {
        // Text from right to left is indented from the right.
        let mirrored = rows.is_rtl && !keeps_space(shape);
        let indent = if mirrored { self.indent() } else { 0.0 };
        let moved = |column: TextColumn| TextColumn {
            left: column.left - indent,
            ..column
        };
        let (column, inner) = (moved(column), moved(inner));
        let mut rest = rows.rows.as_slice();
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
                // No single row is left at the bottom or at the top of a page.
                (0 | 1, _) if !self.is_at_top() => 0,
                (0, _) => 1,
                (many @ 3.., 1) => many - 1,
                _ => fitting,
            };
            let (now, later) = rest.split_at(here);
            for row in now {
                self.decorate(row.height, shape, column, mirrored);
                let y = self.y;
                self.canvas.set_row(row, inner, y, rows.is_rtl);
                self.y += row.height;
            }
            rest = later;
            if !rest.is_empty() {
                self.begin_page();
            }
        }
    }

    /// Draws what is behind and beside a row: background, bars of quotations, the marker of a list item.
    fn decorate(&mut self, height: f32, shape: BlockShape, column: TextColumn, mirrored: bool) {
        let y = self.y;
        if shape == BlockShape::Code {
            self.canvas.fill(
                column.left,
                y - 2.0,
                column.width,
                height + 4.0,
                InkColour::Ground,
            );
        }
        if self.canvas.keeps_marks {
            for (depth, container) in self.containers.clone().iter().take(MAX_INDENTS).enumerate() {
                if let LayoutContainer::Quote = container {
                    let inwards = MARGIN.0 + INDENT * depth as f32 + 4.0;
                    let x = match mirrored {
                        true => A4.width - inwards - 2.0,
                        false => inwards,
                    };
                    self.canvas
                        .fill(x, y - 2.0, 2.0, height + 4.0, InkColour::Rule);
                }
            }
        }
        if let Some(marker) = self.marker.take()
            && self.canvas.keeps_marks
        {
            let text = self.sketch.shown(&marker);
            let (font, size) = (LayoutFont::of(Default::default()), 10.5);
            let width = width_of(text, font, size);
            let baseline = y + height / 2.0 + size * 0.34;
            let x = match mirrored {
                true => column.left + column.width + 5.0,
                false => column.left - width - 5.0,
            };
            self.canvas.add_mark(PageMark::Text {
                text: marker,
                font,
                size,
                x,
                y: baseline,
                is_rtl: false,
                ink: InkColour::Faint,
            });
        }
    }
}

/// Returns the space before a block.
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
