//! Style and layout of a page by its elements. Style sheets are ignored.

use html5ever::LocalName;

use super::line::{HtmlLine, LineMark};
use crate::embedded_image::DocumentImage;
use crate::layout::{BlockParent, BlockShape, DocumentSketch, FontFace};

/// Part of the layout that ends with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementEnd {
    Nothing,
    Container,
    List,
    Table,
}

/// State of the layout of a page.
#[derive(Debug)]
pub(super) struct HtmlStyle {
    /// Shape of the block of the last text.
    pub(super) shape: BlockShape,
    /// True if the next line belongs to the block before it.
    continues: bool,
    /// White space before a preformatted line.
    indent: String,
    /// Open lists, each with the number of the next item if it is numbered.
    lists: Vec<Option<u32>>,
    /// Images on the line, in order.
    images: Vec<DocumentImage>,
}

impl Default for HtmlStyle {
    fn default() -> Self {
        Self {
            shape: BlockShape::Paragraph,
            continues: false,
            indent: String::new(),
            lists: Vec::new(),
            images: Vec::new(),
        }
    }
}

/// Largest number of images of a line that are shown.
const MAX_IMAGES: usize = 64;

impl HtmlStyle {
    /// Applies an element to the style and the shape of the text in it.
    pub(super) fn apply(&self, name: &LocalName, face: &mut FontFace, shape: &mut BlockShape) {
        match &**name {
            "b" | "strong" | "dt" => face.bold = true,
            "i" | "em" | "cite" | "var" | "dfn" | "address" => face.italic = true,
            "code" | "kbd" | "samp" | "tt" => face.mono = true,
            "del" | "s" | "strike" => face.struck = true,
            "a" => face.link = true,
            "h1" => *shape = BlockShape::Heading(1),
            "h2" => *shape = BlockShape::Heading(2),
            "h3" => *shape = BlockShape::Heading(3),
            "h4" => *shape = BlockShape::Heading(4),
            "h5" | "h6" => *shape = BlockShape::Heading(5),
            "pre" | "listing" | "xmp" | "plaintext" | "textarea" => *shape = BlockShape::Code,
            "figcaption" | "caption" | "small" => *shape = BlockShape::Note,
            _ => {}
        }
    }

    /// Begins the layout of an element. Returns the part that ends with it.
    pub(super) fn enter(
        &mut self,
        name: &LocalName,
        line: &mut HtmlLine,
        sketch: &mut DocumentSketch,
    ) -> ElementEnd {
        match &**name {
            "blockquote" => sketch.open_container(BlockParent::Quote),
            "ol" => {
                self.lists.push(Some(1));
                return ElementEnd::List;
            }
            "ul" | "menu" | "dir" => {
                self.lists.push(None);
                return ElementEnd::List;
            }
            "li" => {
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}.", *number - 1)
                    }
                    _ => "•".to_owned(),
                };
                sketch.open_container(BlockParent::Item { marker });
            }
            "dd" => sketch.open_container(BlockParent::Item {
                marker: String::new(),
            }),
            "table" => {
                sketch.open_table();
                return ElementEnd::Table;
            }
            "tr" => {
                sketch.begin_table_row();
                return ElementEnd::Nothing;
            }
            "td" | "th" => {
                line.add_mark(LineMark::Cell(&**name == "th"));
                return ElementEnd::Nothing;
            }
            "hr" => {
                sketch.add_rule();
                return ElementEnd::Nothing;
            }
            _ => return ElementEnd::Nothing,
        }
        ElementEnd::Container
    }

    /// Ends the layout of an element.
    pub(super) fn leave(&mut self, end: ElementEnd, sketch: &mut DocumentSketch) {
        match end {
            ElementEnd::Nothing => {}
            ElementEnd::Container => sketch.close_container(),
            ElementEnd::List => {
                self.lists.pop();
            }
            ElementEnd::Table => sketch.close_table(),
        }
    }

    /// Ends a line. A line break stays in the block.
    pub(super) fn end_line(&mut self, is_line_break: bool, sketch: &mut DocumentSketch) {
        self.continues = is_line_break;
        if is_line_break {
            sketch.begin_row();
        }
    }

    /// Keeps the white space before a preformatted line.
    pub(super) fn set_indent(&mut self, line: &str) {
        let text = line.trim_start();
        self.indent.clear();
        self.indent.push_str(&line[..line.len() - text.len()]);
    }

    /// Adds an image to the line.
    pub(super) fn add_image(&mut self, image: DocumentImage, line: &mut HtmlLine) {
        if self.images.len() < MAX_IMAGES {
            self.images.push(image);
            line.add_mark(LineMark::Image);
        }
    }

    /// Sets the cells and images of a line without text. Cells alone are kept for a later line, unless the row
    /// ends.
    pub(super) fn end_empty_line(
        &mut self,
        line: &mut HtmlLine,
        ends_row: bool,
        sketch: &mut DocumentSketch,
    ) {
        if !ends_row && self.images.is_empty() {
            return;
        }
        let mut images = std::mem::take(&mut self.images).into_iter();
        let mut together = Vec::new();
        for (_, mark) in line.take_marks() {
            match mark {
                LineMark::Face(_) => {}
                LineMark::Cell(heading) => {
                    sketch.add_images(together.drain(..));
                    sketch.begin_cell(heading);
                }
                LineMark::Image => together.extend(images.next()),
            }
        }
        sketch.add_images(together);
        self.continues = false;
    }

    /// Sets a line of the document.
    pub(super) fn add_line(
        &mut self,
        at: u32,
        text: &str,
        marks: &[(usize, LineMark)],
        sketch: &mut DocumentSketch,
    ) {
        if !self.continues {
            sketch.begin_block(self.shape);
        }
        let mut face = FontFace::default();
        if !self.indent.is_empty() {
            sketch.add_text(at, 0..0, &self.indent, FontFace::default());
            self.indent.clear();
        }
        let mut start = 0;
        let mut images = std::mem::take(&mut self.images).into_iter();
        // Images before the text of a cell are set before it, others after it: text is not interrupted.
        let mut waiting = Vec::new();
        let mut has_text = self.continues;
        for (place, mark) in marks {
            let end = (*place).min(text.len());
            if let Some(part) = text.get(start..end) {
                if !part.trim().is_empty() && !has_text {
                    has_text = true;
                    self.add_images_before_text(&mut waiting, sketch);
                }
                sketch.add_text(at, start..end, part, face);
                start = end;
            }
            match mark {
                LineMark::Face(next) => face = *next,
                LineMark::Cell(heading) => {
                    sketch.add_images(waiting.drain(..));
                    sketch.begin_cell(*heading);
                    has_text = false;
                }
                LineMark::Image => waiting.extend(images.next()),
            }
        }
        let rest = text.get(start..).unwrap_or_default();
        if !rest.is_empty() && !has_text {
            self.add_images_before_text(&mut waiting, sketch);
        }
        sketch.add_text(at, start..text.len(), rest, face);
        self.continues = false;
        sketch.add_images(waiting);
    }

    /// Sets images before text of the same block.
    fn add_images_before_text(
        &self,
        waiting: &mut Vec<DocumentImage>,
        sketch: &mut DocumentSketch,
    ) {
        if !waiting.is_empty() {
            sketch.add_images(waiting.drain(..));
            sketch.begin_block(self.shape);
        }
    }
}
