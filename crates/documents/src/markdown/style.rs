//! Style and layout of a Markdown file by its open tags.

use std::ops::Range;

use pulldown_cmark::{HeadingLevel, Tag, TagEnd};

use super::source::MarkdownSource;
use crate::embedded_image::DocumentImage;
use crate::layout::{BaselineLevel, BlockParent, BlockShape, DocumentSketch, FontFace};

/// State of the style and layout.
#[derive(Debug, Default)]
pub(super) struct MarkdownStyle {
    bold: u32,
    italic: u32,
    struck: u32,
    links: u32,
    pub(super) is_code: bool,
    pub(super) is_raised: bool,
    /// Open lists, each with the number of the next item if it is numbered.
    lists: Vec<Option<u64>>,
    /// Alternative text of the open image.
    label: Option<String>,
    /// Number of the open image in the sketch, if it is part of the file.
    image: Option<u32>,
    /// Images that are shown after the block.
    images: Vec<DocumentImage>,
    /// Allowed number of pixels of an image.
    pub(super) pixels: usize,
    /// Last line that was shown, and the number of its bytes that were shown.
    shown: (u32, usize),
    in_note: bool,
    in_head: bool,
}

/// Largest number of images of a block that are shown.
const MAX_IMAGES: usize = 64;

impl MarkdownStyle {
    /// Returns the state at the beginning of a file whose images may have this many pixels.
    pub(super) fn new(pixels: usize) -> Self {
        Self {
            pixels,
            ..Self::default()
        }
    }

    /// Returns the style of the text at the current position.
    pub(super) fn face(&self) -> FontFace {
        FontFace {
            bold: self.bold > 0,
            italic: self.italic > 0,
            mono: self.is_code,
            struck: self.struck > 0,
            link: self.links > 0,
            level: if self.is_raised {
                BaselineLevel::Raised
            } else {
                BaselineLevel::Normal
            },
        }
    }

    /// Returns the part of a line that shows a text, after the part that was shown before.
    pub(super) fn range_in_line(
        &mut self,
        line: u32,
        source: &MarkdownSource<'_>,
        at: usize,
        text: &str,
    ) -> Range<usize> {
        let before = if self.shown.0 == line {
            self.shown.1
        } else {
            0
        };
        let range = source.range_in_line(line, at, before, text);
        self.shown = (line, range.end.max(before));
        range
    }

    /// Adds hidden text to the alternative text of the open image.
    pub(super) fn add_label(&mut self, text: &str) {
        if let Some(label) = &mut self.label {
            label.push_str(text);
        }
    }

    /// Begins a tag.
    pub(super) fn enter(&mut self, tag: &Tag<'_>, sketch: &mut DocumentSketch) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => sketch.begin_block(match self.in_note {
                true => BlockShape::Note,
                false => BlockShape::Paragraph,
            }),
            Tag::Heading { level, .. } => {
                sketch.begin_block(BlockShape::Heading(level_number(*level)));
            }
            Tag::CodeBlock(_) => sketch.begin_block(BlockShape::Code),
            Tag::BlockQuote(_) => sketch.open_container(BlockParent::Quote),
            Tag::List(first) => self.lists.push(*first),
            Tag::Item => {
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}.", *number - 1)
                    }
                    _ => ["•", "◦", "▪"][self.lists.len().saturating_sub(1) % 3].to_owned(),
                };
                sketch.open_container(BlockParent::Item { marker });
            }
            Tag::FootnoteDefinition(label) => {
                self.in_note = true;
                let marker = label.to_string();
                sketch.open_container(BlockParent::Item { marker });
            }
            Tag::Table(_) => sketch.open_table(),
            Tag::TableHead => {
                self.in_head = true;
                sketch.begin_table_row();
            }
            Tag::TableRow => sketch.begin_table_row(),
            Tag::TableCell => sketch.begin_cell(self.in_head),
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.bold += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { .. } => self.links += 1,
            Tag::Image { dest_url, .. } if self.label.is_none() => {
                self.label = Some(String::new());
                self.image = sketch.keep_data_image(dest_url, self.pixels);
            }
            _ => {}
        }
    }

    /// Ends a tag.
    pub(super) fn leave(&mut self, tag: TagEnd, sketch: &mut DocumentSketch) {
        let less = |count: &mut u32| *count = count.saturating_sub(1);
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Heading(_) | TagEnd::CodeBlock => {
                sketch.end_block();
                self.show_images(sketch);
            }
            TagEnd::TableCell => self.show_images(sketch),
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.show_images(sketch);
                sketch.close_container();
            }
            TagEnd::FootnoteDefinition => {
                self.in_note = false;
                sketch.close_container();
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Table => sketch.close_table(),
            TagEnd::TableHead => self.in_head = false,
            TagEnd::Emphasis => less(&mut self.italic),
            TagEnd::Strong => less(&mut self.bold),
            TagEnd::Strikethrough => less(&mut self.struck),
            TagEnd::Link => less(&mut self.links),
            TagEnd::Image => {
                if let Some(label) = self.label.take() {
                    let image = self.image.take();
                    self.add_image(DocumentImage {
                        label,
                        image,
                        ..DocumentImage::default()
                    });
                }
            }
            _ => {}
        }
    }

    /// Adds an image that is shown after the block.
    pub(super) fn add_image(&mut self, image: DocumentImage) {
        if self.images.len() < MAX_IMAGES {
            self.images.push(image);
        }
    }

    fn show_images(&mut self, sketch: &mut DocumentSketch) {
        sketch.add_images(self.images.drain(..));
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
