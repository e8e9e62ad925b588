//! What a reader says about how its document looks.

use std::ops::Range;

use crate::figure::{DocumentImage, EmbeddedImage, ImageDisplay, MAX_IMAGES, is_data};
use crate::picture::ImageHeader;

/// How letters look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FontFace {
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) mono: bool,
    pub(crate) struck: bool,
    pub(crate) link: bool,
    pub(crate) level: BaselineLevel,
}

/// Where letters stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum BaselineLevel {
    #[default]
    Normal,
    Raised,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockShape {
    Paragraph,
    /// From 1, the largest.
    Heading(u8),
    /// White space stays, on a grey ground.
    Code,
    /// White space stays, as from a typewriter with so many columns; no room before it.
    Typed(u8),
    /// A paragraph without room before it.
    Prose,
    /// Smaller.
    Note,
}

/// What blocks stand in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockParent {
    Quote,
    Item { marker: String },
}

/// Text of a line of the document, set in one face.
#[derive(Debug, Clone)]
pub(super) struct SketchRun {
    /// Of [`DocumentSketch::text`].
    pub(super) text: Range<u32>,
    pub(super) line: u32,
    /// Of the line's text.
    pub(super) range: Range<u32>,
    pub(super) face: FontFace,
    /// A row begins here, whatever is before it.
    pub(super) new_row: bool,
}

#[derive(Debug, Clone)]
pub(super) enum SketchItem {
    Block {
        shape: BlockShape,
        runs: Range<u32>,
    },
    Quote,
    Entry {
        marker: Range<u32>,
    },
    Close,
    /// Up to the item that closes it.
    Table {
        end: u32,
    },
    Row,
    Cell {
        heading: bool,
    },
    TableEnd,
    Rule,
    /// Images that stand beside each other, of [`DocumentSketch::shown_images`].
    Images(Range<u32>),
    /// Empty lines.
    Gap(u32),
    Page,
}

/// An image that is shown, or a box for it.
#[derive(Debug, Clone)]
pub(super) struct ShownImage {
    pub(super) label: Range<u32>,
    /// Of [`DocumentSketch::images`].
    pub(super) image: Option<u32>,
    pub(super) wish: ImageDisplay,
}

/// What a document looks like, in order.
#[derive(Debug, Default)]
pub(crate) struct DocumentSketch {
    pub(super) text: String,
    pub(super) runs: Vec<SketchRun>,
    pub(super) items: Vec<SketchItem>,
    pub(super) shown_images: Vec<ShownImage>,
    /// The different images.
    pub(super) images: Vec<EmbeddedImage>,
    /// How many images are part of the file and cannot be shown.
    pub(super) unshown: u32,
    /// The block that is being written, and where its runs begin.
    block: Option<(BlockShape, u32)>,
    new_row: bool,
    /// Tables that are open, as places of their items.
    tables: Vec<u32>,
    /// Containers that are open.
    open: u32,
}

/// Text beyond this many bytes is not laid out.
const MAX_TEXT: usize = 16 << 20;
/// Longer labels and markers are cut.
const MAX_LABEL: usize = 256;

impl DocumentSketch {
    /// Whether there is anything to lay out, and not too much.
    pub(crate) fn is_complete(&self) -> bool {
        !self.items.is_empty() && self.text.len() < MAX_TEXT
    }

    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.runs.is_empty()
    }

    /// A line as such: its parts between tabs are cells of a table.
    pub(crate) fn line(&mut self, line: u32, text: &str, shape: BlockShape) {
        if !text.contains('\t') {
            self.close_table();
            self.block(shape);
            self.text(line, 0..text.len(), text, FontFace::default());
            return;
        }
        if self.tables.is_empty() {
            self.open_table();
        }
        self.row();
        let mut at = 0;
        for cell in text.split('\t') {
            self.cell(false);
            self.text(line, at..at + cell.len(), cell, FontFace::default());
            at += cell.len() + 1;
        }
    }

    /// Begins a block.
    pub(crate) fn block(&mut self, shape: BlockShape) {
        self.end_block();
        self.block = Some((shape, self.next_run()));
    }

    /// Ends the block.
    pub(crate) fn end_block(&mut self) {
        if let Some((shape, first)) = self.block.take()
            && first < self.next_run()
        {
            let runs = first..self.next_run();
            self.items.push(SketchItem::Block { shape, runs });
        }
        self.new_row = false;
    }

    /// Sets text: a part of a line, and what is shown of it.
    pub(crate) fn text(&mut self, line: u32, range: Range<usize>, shown: &str, face: FontFace) {
        if shown.is_empty() || self.text.len() >= MAX_TEXT {
            return;
        }
        if self.block.is_none() {
            self.block(BlockShape::Paragraph);
        }
        let text = self.keep(shown);
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.runs.push(SketchRun {
            text,
            line,
            range: clamp(range.start)..clamp(range.end),
            face,
            new_row: std::mem::take(&mut self.new_row),
        });
    }

    /// Ends the row, but not the block. Where white space stays, rows may be empty.
    pub(crate) fn new_row(&mut self) {
        let Some((shape, _)) = self.block else {
            return;
        };
        if self.new_row && matches!(shape, BlockShape::Code | BlockShape::Typed(_)) {
            let line = self.runs.last().map_or(0, |run| run.line);
            self.text(line, 0..0, " ", FontFace::default());
        }
        self.new_row = true;
    }

    /// Opens what blocks stand in.
    pub(crate) fn open(&mut self, within: BlockParent) {
        self.end_block();
        self.open += 1;
        let item = match within {
            BlockParent::Quote => SketchItem::Quote,
            BlockParent::Item { marker } => SketchItem::Entry {
                marker: self.label(&marker),
            },
        };
        self.items.push(item);
    }

    /// Closes what was opened last.
    pub(crate) fn close(&mut self) {
        self.end_block();
        if self.open > 0 {
            self.open -= 1;
            self.items.push(SketchItem::Close);
        }
    }

    /// Begins a table.
    pub(crate) fn open_table(&mut self) {
        self.end_block();
        self.tables
            .push(u32::try_from(self.items.len()).unwrap_or(u32::MAX));
        self.items.push(SketchItem::Table { end: u32::MAX });
    }

    /// Begins a row of the table.
    pub(crate) fn row(&mut self) {
        self.end_block();
        if !self.tables.is_empty() {
            self.items.push(SketchItem::Row);
        }
    }

    /// Begins a cell of the row.
    pub(crate) fn cell(&mut self, heading: bool) {
        self.end_block();
        if !self.tables.is_empty() {
            self.items.push(SketchItem::Cell { heading });
        }
    }

    /// Ends the table.
    pub(crate) fn close_table(&mut self) {
        self.end_block();
        if let Some(table) = self.tables.pop() {
            let at = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
            self.items.push(SketchItem::TableEnd);
            if let Some(SketchItem::Table { end }) = self.items.get_mut(table as usize) {
                *end = at;
            }
        }
    }

    /// A line across the page.
    pub(crate) fn rule(&mut self) {
        self.end_block();
        self.items.push(SketchItem::Rule);
    }

    /// Images that stand beside each other, if there is room.
    pub(crate) fn images(&mut self, figures: impl IntoIterator<Item = DocumentImage>) {
        let at = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let first = at(self.shown_images.len());
        for figure in figures {
            self.end_block();
            let label = self.label(&figure.label);
            self.shown_images.push(ShownImage {
                label,
                image: figure.image,
                wish: figure.wish,
            });
        }
        let range = first..at(self.shown_images.len());
        if !range.is_empty() {
            self.items.push(SketchItem::Images(range));
        }
    }

    /// Keeps an image, to be drawn where it is shown; one that is not there cannot be shown.
    pub(crate) fn keep_image(&mut self, image: Option<EmbeddedImage>) -> Option<u32> {
        match image {
            Some(image) if self.images.len() < MAX_IMAGES => {
                self.images.push(image);
                u32::try_from(self.images.len() - 1).ok()
            }
            _ => {
                self.unshown = self.unshown.saturating_add(1);
                None
            }
        }
    }

    /// Keeps the image that an address has in itself. Nothing is fetched, and no other file is read.
    pub(crate) fn keep_address(&mut self, address: &str, pixels: usize) -> Option<u32> {
        match is_data(address) {
            true => self.keep_image(EmbeddedImage::in_address(address, pixels)),
            false => None,
        }
    }

    /// What is known of an image that was kept.
    pub(crate) fn image_file(&self, image: Option<u32>) -> Option<&ImageHeader> {
        let image = self.images.get(image? as usize)?;
        Some(&image.file)
    }

    /// Whether a block is being written.
    pub(crate) fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// Empty lines.
    pub(crate) fn gap(&mut self, lines: usize) {
        self.end_block();
        if lines > 0 {
            self.items.push(SketchItem::Gap(lines.min(8) as u32));
        }
    }

    /// Begins a page.
    pub(crate) fn page(&mut self) {
        self.end_block();
        self.items.push(SketchItem::Page);
    }

    /// Ends whatever is open.
    pub(super) fn finish(&mut self) {
        self.end_block();
        while !self.tables.is_empty() {
            self.close_table();
        }
    }

    pub(super) fn shown(&self, range: &Range<u32>) -> &str {
        let range = range.start as usize..range.end as usize;
        self.text.get(range).unwrap_or_default()
    }

    fn next_run(&self) -> u32 {
        u32::try_from(self.runs.len()).unwrap_or(u32::MAX)
    }

    fn keep(&mut self, text: &str) -> Range<u32> {
        let at = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = at(self.text.len());
        self.text.push_str(text);
        start..at(self.text.len())
    }

    fn label(&mut self, label: &str) -> Range<u32> {
        let words: Vec<&str> = label.split_whitespace().collect();
        let mut label = words.join(" ");
        if label.len() > MAX_LABEL {
            label.truncate(label.floor_char_boundary(MAX_LABEL));
            label.push('…');
        }
        self.keep(&label)
    }
}
