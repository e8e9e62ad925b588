//! Sketch of a document: its blocks, tables and images in order, as a reader describes them.

use std::ops::Range;

use crate::embedded_image::{DocumentImage, EmbeddedImage, ImageDisplay, MAX_IMAGES, is_data};
use crate::image_header::ImageHeader;

/// Style of letters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FontFace {
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) mono: bool,
    pub(crate) struck: bool,
    pub(crate) link: bool,
    pub(crate) level: BaselineLevel,
}

/// Vertical position of letters on their row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum BaselineLevel {
    #[default]
    Normal,
    Raised,
}

/// Kind of a block of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockShape {
    Paragraph,
    /// Heading of a level from 1, the largest.
    Heading(u8),
    /// Code on a grey background; white space is kept.
    Code,
    /// Typed text with this number of columns; white space is kept, and there is no space before it.
    Typed(u8),
    /// Paragraph without space before it.
    Prose,
    /// Paragraph in a smaller size.
    Note,
}

/// Container of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockParent {
    Quote,
    Item { marker: String },
}

/// Text of a line of the document in one style.
#[derive(Debug, Clone)]
pub(super) struct SketchRun {
    /// Range of [`DocumentSketch::text`].
    pub(super) text: Range<u32>,
    pub(super) line: u32,
    /// Byte range of the line's text; empty for text that is not in the line.
    pub(super) range: Range<u32>,
    pub(super) face: FontFace,
    /// True if a new row begins with it.
    pub(super) starts_row: bool,
}

/// Item of a sketch.
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
    /// Beginning of a table; `end` is the position of the item that ends it.
    Table {
        end: u32,
    },
    Row,
    Cell {
        heading: bool,
    },
    TableEnd,
    Rule,
    /// Images side by side, as a range of [`DocumentSketch::shown_images`].
    Images(Range<u32>),
    /// Number of empty lines.
    Gap(u32),
    Page,
}

/// Image that is shown, or a box instead of it.
#[derive(Debug, Clone)]
pub(super) struct ShownImage {
    pub(super) label: Range<u32>,
    /// Position in [`DocumentSketch::images`].
    pub(super) image: Option<u32>,
    pub(super) display: ImageDisplay,
}

/// Sketch of a document: everything that is shown, in order.
#[derive(Debug, Default)]
pub(crate) struct DocumentSketch {
    pub(super) text: String,
    pub(super) runs: Vec<SketchRun>,
    pub(super) items: Vec<SketchItem>,
    pub(super) shown_images: Vec<ShownImage>,
    /// Images without repetitions.
    pub(super) images: Vec<EmbeddedImage>,
    /// Number of images that are part of the file and cannot be shown.
    pub(super) missing_images: u32,
    /// Open block with the position of its first run.
    open_block: Option<(BlockShape, u32)>,
    /// True if the next run begins a new row.
    starts_row: bool,
    /// Positions of the items of open tables.
    open_tables: Vec<u32>,
    /// Number of open containers.
    open_containers: u32,
}

/// Heading of a sketch.
pub(crate) struct SketchedHeading {
    pub(crate) title: String,
    /// Level from 1, the largest.
    pub(crate) level: u8,
    /// Position of its first line among all lines.
    pub(crate) line: u32,
}

/// Largest number of bytes of text that can be laid out.
const MAX_TEXT: usize = 16 << 20;
/// Largest number of bytes of a label or marker; longer ones are cut.
const MAX_LABEL: usize = 256;

impl DocumentSketch {
    /// Returns true if there is something to lay out, and not too much.
    pub(crate) fn can_be_laid_out(&self) -> bool {
        !self.items.is_empty() && self.text.len() < MAX_TEXT
    }

    /// Returns the headings in order. Those without text are left out.
    pub(crate) fn headings(&self) -> Vec<SketchedHeading> {
        let heading = |item: &SketchItem| {
            let SketchItem::Block {
                shape: BlockShape::Heading(level),
                runs,
            } = item
            else {
                return None;
            };
            let runs = self.runs.get(runs.start as usize..runs.end as usize)?;
            let text = |run: &SketchRun| {
                let text = run.text.start as usize..run.text.end as usize;
                self.text.get(text).unwrap_or_default()
            };
            let title: String = runs.iter().map(text).collect();
            let words: Vec<&str> = title.split_whitespace().collect();
            (!words.is_empty()).then(|| SketchedHeading {
                title: words.join(" "),
                level: *level,
                line: runs.first().map_or(0, |run| run.line),
            })
        };
        self.items.iter().filter_map(heading).collect()
    }

    /// Returns true if nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.runs.is_empty()
    }

    /// Adds a line. If it contains tabs, it becomes a row of a table.
    pub(crate) fn add_line(&mut self, line: u32, text: &str, shape: BlockShape) {
        if !text.contains('\t') {
            self.close_table();
            self.begin_block(shape);
            self.add_text(line, 0..text.len(), text, FontFace::default());
            return;
        }
        if self.open_tables.is_empty() {
            self.open_table();
        }
        self.begin_table_row();
        let mut at = 0;
        for cell in text.split('\t') {
            self.begin_cell(false);
            self.add_text(line, at..at + cell.len(), cell, FontFace::default());
            at += cell.len() + 1;
        }
    }

    /// Begins a block.
    pub(crate) fn begin_block(&mut self, shape: BlockShape) {
        self.end_block();
        self.open_block = Some((shape, self.next_run()));
    }

    /// Ends the block.
    pub(crate) fn end_block(&mut self) {
        if let Some((shape, first)) = self.open_block.take()
            && first < self.next_run()
        {
            let runs = first..self.next_run();
            self.items.push(SketchItem::Block { shape, runs });
        }
        self.starts_row = false;
    }

    /// Adds text to the block: the byte range of its line, and the text that is shown for it.
    pub(crate) fn add_text(&mut self, line: u32, range: Range<usize>, shown: &str, face: FontFace) {
        if shown.is_empty() || self.text.len() >= MAX_TEXT {
            return;
        }
        if self.open_block.is_none() {
            self.begin_block(BlockShape::Paragraph);
        }
        let text = self.push_text(shown);
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.runs.push(SketchRun {
            text,
            line,
            range: clamp(range.start)..clamp(range.end),
            face,
            starts_row: std::mem::take(&mut self.starts_row),
        });
    }

    /// Begins a new row in the block. In blocks that keep white space, rows may be empty.
    pub(crate) fn begin_row(&mut self) {
        let Some((shape, _)) = self.open_block else {
            return;
        };
        if self.starts_row && matches!(shape, BlockShape::Code | BlockShape::Typed(_)) {
            let line = self.runs.last().map_or(0, |run| run.line);
            self.add_text(line, 0..0, " ", FontFace::default());
        }
        self.starts_row = true;
    }

    /// Opens a container.
    pub(crate) fn open_container(&mut self, within: BlockParent) {
        self.end_block();
        self.open_containers += 1;
        let item = match within {
            BlockParent::Quote => SketchItem::Quote,
            BlockParent::Item { marker } => SketchItem::Entry {
                marker: self.push_label(&marker),
            },
        };
        self.items.push(item);
    }

    /// Closes the container that was opened last.
    pub(crate) fn close_container(&mut self) {
        self.end_block();
        if self.open_containers > 0 {
            self.open_containers -= 1;
            self.items.push(SketchItem::Close);
        }
    }

    /// Begins a table.
    pub(crate) fn open_table(&mut self) {
        self.end_block();
        self.open_tables
            .push(u32::try_from(self.items.len()).unwrap_or(u32::MAX));
        self.items.push(SketchItem::Table { end: u32::MAX });
    }

    /// Begins a row of the table.
    pub(crate) fn begin_table_row(&mut self) {
        self.end_block();
        if !self.open_tables.is_empty() {
            self.items.push(SketchItem::Row);
        }
    }

    /// Begins a cell of the row.
    pub(crate) fn begin_cell(&mut self, heading: bool) {
        self.end_block();
        if !self.open_tables.is_empty() {
            self.items.push(SketchItem::Cell { heading });
        }
    }

    /// Ends the table.
    pub(crate) fn close_table(&mut self) {
        self.end_block();
        if let Some(table) = self.open_tables.pop() {
            let at = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
            self.items.push(SketchItem::TableEnd);
            if let Some(SketchItem::Table { end }) = self.items.get_mut(table as usize) {
                *end = at;
            }
        }
    }

    /// Adds a line across the page.
    pub(crate) fn add_rule(&mut self) {
        self.end_block();
        self.items.push(SketchItem::Rule);
    }

    /// Adds images, side by side if there is room.
    pub(crate) fn add_images(&mut self, images: impl IntoIterator<Item = DocumentImage>) {
        let at = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let first = at(self.shown_images.len());
        for image in images {
            self.end_block();
            let label = self.push_label(&image.label);
            self.shown_images.push(ShownImage {
                label,
                image: image.image,
                display: image.display,
            });
        }
        let range = first..at(self.shown_images.len());
        if !range.is_empty() {
            self.items.push(SketchItem::Images(range));
        }
    }

    /// Stores an image and returns its number. `None` and images above the limit are counted as missing.
    pub(crate) fn keep_image(&mut self, image: Option<EmbeddedImage>) -> Option<u32> {
        match image {
            Some(image) if self.images.len() < MAX_IMAGES => {
                self.images.push(image);
                u32::try_from(self.images.len() - 1).ok()
            }
            _ => {
                self.missing_images = self.missing_images.saturating_add(1);
                None
            }
        }
    }

    /// Stores the image of a `data:` address and returns its number. Other addresses are not fetched.
    pub(crate) fn keep_data_image(&mut self, address: &str, pixels: usize) -> Option<u32> {
        match is_data(address) {
            true => self.keep_image(EmbeddedImage::in_address(address, pixels)),
            false => None,
        }
    }

    /// Returns the header of a stored image.
    pub(crate) fn image_header(&self, image: Option<u32>) -> Option<&ImageHeader> {
        let image = self.images.get(image? as usize)?;
        Some(&image.header)
    }

    /// Returns true if a block is open.
    pub(crate) fn has_open_block(&self) -> bool {
        self.open_block.is_some()
    }

    /// Adds empty lines, at most eight.
    pub(crate) fn add_gap(&mut self, lines: usize) {
        self.end_block();
        if lines > 0 {
            self.items.push(SketchItem::Gap(lines.min(8) as u32));
        }
    }

    /// Begins a page.
    pub(crate) fn begin_page(&mut self) {
        self.end_block();
        self.items.push(SketchItem::Page);
    }

    /// Ends the open block and tables.
    pub(super) fn finish(&mut self) {
        self.end_block();
        while !self.open_tables.is_empty() {
            self.close_table();
        }
    }

    /// Returns a part of the shown text.
    pub(super) fn shown(&self, range: &Range<u32>) -> &str {
        let range = range.start as usize..range.end as usize;
        self.text.get(range).unwrap_or_default()
    }

    fn next_run(&self) -> u32 {
        u32::try_from(self.runs.len()).unwrap_or(u32::MAX)
    }

    fn push_text(&mut self, text: &str) -> Range<u32> {
        let at = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = at(self.text.len());
        self.text.push_str(text);
        start..at(self.text.len())
    }

    fn push_label(&mut self, label: &str) -> Range<u32> {
        let words: Vec<&str> = label.split_whitespace().collect();
        let mut label = words.join(" ");
        if label.len() > MAX_LABEL {
            label.truncate(label.floor_char_boundary(MAX_LABEL));
            label.push('…');
        }
        self.push_text(&label)
    }
}
