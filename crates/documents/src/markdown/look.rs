//! How the text of a Markdown file looks, by the tags that are open.

use std::ops::Range;

use pulldown_cmark::{HeadingLevel, Tag, TagEnd};

use super::source::MarkdownSource;
use crate::figure::DocumentImage;
use crate::layout::{BaselineLevel, BlockParent, BlockShape, DocumentSketch, FontFace};

/// How the text looks here.
#[derive(Debug, Default)]
pub(super) struct MarkdownStyle {
    bold: u32,
    italic: u32,
    struck: u32,
    links: u32,
    pub(super) code: bool,
    pub(super) raised: bool,
    /// The lists that are open, and the number of the next item.
    lists: Vec<Option<u64>>,
    /// The text that an image stands for, while it is read.
    label: Option<String>,
    /// Which image of the sketch it is, if it is part of the file.
    image: Option<u32>,
    /// Images that are shown after the block.
    figures: Vec<DocumentImage>,
    /// How many pixels an image may have.
    pub(super) pixels: usize,
    /// The line that was shown last, and how much of it.
    shown: (u32, usize),
    in_note: bool,
    in_head: bool,
}

/// So many images of a block are shown.
const MAX_FIGURES: usize = 64;

impl MarkdownStyle {
    /// At the beginning of a file whose images have at most so many pixels.
    pub(super) fn new(pixels: usize) -> Self {
        Self {
            pixels,
            ..Self::default()
        }
    }

    pub(super) fn face(&self) -> FontFace {
        FontFace {
            bold: self.bold > 0,
            italic: self.italic > 0,
            mono: self.code,
            struck: self.struck > 0,
            link: self.links > 0,
            level: if self.raised {
                BaselineLevel::Raised
            } else {
                BaselineLevel::Normal
            },
        }
    }

    /// The part of a line that shows a text, after what was shown of it before.
    pub(super) fn after(
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

    /// Text that is not shown: what an image stands for.
    pub(super) fn conceal(&mut self, text: &str) {
        if let Some(label) = &mut self.label {
            label.push_str(text);
        }
    }

    pub(super) fn enter(&mut self, tag: &Tag<'_>, sketch: &mut DocumentSketch) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => sketch.block(match self.in_note {
                true => BlockShape::Note,
                false => BlockShape::Paragraph,
            }),
            Tag::Heading { level, .. } => sketch.block(BlockShape::Heading(number(*level))),
            Tag::CodeBlock(_) => sketch.block(BlockShape::Code),
            Tag::BlockQuote(_) => sketch.open(BlockParent::Quote),
            Tag::List(first) => self.lists.push(*first),
            Tag::Item => {
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}.", *number - 1)
                    }
                    _ => ["•", "◦", "▪"][self.lists.len().saturating_sub(1) % 3].to_owned(),
                };
                sketch.open(BlockParent::Item { marker });
            }
            Tag::FootnoteDefinition(label) => {
                self.in_note = true;
                let marker = label.to_string();
                sketch.open(BlockParent::Item { marker });
            }
            Tag::Table(_) => sketch.open_table(),
            Tag::TableHead => {
                self.in_head = true;
                sketch.row();
            }
            Tag::TableRow => sketch.row(),
            Tag::TableCell => sketch.cell(self.in_head),
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.bold += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { .. } => self.links += 1,
            Tag::Image { dest_url, .. } if self.label.is_none() => {
                self.label = Some(String::new());
                self.image = sketch.keep_address(dest_url, self.pixels);
            }
            _ => {}
        }
    }

    pub(super) fn leave(&mut self, tag: TagEnd, sketch: &mut DocumentSketch) {
        let less = |count: &mut u32| *count = count.saturating_sub(1);
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Heading(_) | TagEnd::CodeBlock => {
                sketch.end_block();
                self.show_figures(sketch);
            }
            TagEnd::TableCell => self.show_figures(sketch),
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.show_figures(sketch);
                sketch.close();
            }
            TagEnd::FootnoteDefinition => {
                self.in_note = false;
                sketch.close();
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
                    self.figure(DocumentImage {
                        label,
                        image,
                        ..DocumentImage::default()
                    });
                }
            }
            _ => {}
        }
    }

    /// An image that is shown after the block.
    pub(super) fn figure(&mut self, figure: DocumentImage) {
        if self.figures.len() < MAX_FIGURES {
            self.figures.push(figure);
        }
    }

    fn show_figures(&mut self, sketch: &mut DocumentSketch) {
        sketch.images(self.figures.drain(..));
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
