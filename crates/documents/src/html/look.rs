//! How the text of a page looks, by its elements; style sheets are not looked at.

use html5ever::LocalName;

use super::line::{HtmlLine, LineMark};
use crate::figure::DocumentImage;
use crate::layout::{BlockParent, BlockShape, DocumentSketch, FontFace};

/// What ends with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementEnd {
    Nothing,
    Container,
    List,
    Table,
}

/// How the text looks here.
#[derive(Debug)]
pub(super) struct HtmlStyle {
    /// What the text that was set last is part of.
    pub(super) shape: BlockShape,
    /// The next line is part of the block before it.
    continues: bool,
    /// White space before the line.
    indent: String,
    /// The lists that are open, and the number of the next item.
    lists: Vec<Option<u32>>,
    /// Images on the line, in order.
    figures: Vec<DocumentImage>,
}

impl Default for HtmlStyle {
    fn default() -> Self {
        Self {
            shape: BlockShape::Paragraph,
            continues: false,
            indent: String::new(),
            lists: Vec::new(),
            figures: Vec::new(),
        }
    }
}

/// So many images of a line are shown.
const MAX_FIGURES: usize = 64;

impl HtmlStyle {
    /// What an element does to the text in it.
    pub(super) fn style(&self, name: &LocalName, face: &mut FontFace, shape: &mut BlockShape) {
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

    /// Opens what an element is; what ends with it.
    pub(super) fn enter(
        &mut self,
        name: &LocalName,
        line: &mut HtmlLine,
        sketch: &mut DocumentSketch,
    ) -> ElementEnd {
        match &**name {
            "blockquote" => sketch.open(BlockParent::Quote),
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
                sketch.open(BlockParent::Item { marker });
            }
            "dd" => sketch.open(BlockParent::Item {
                marker: String::new(),
            }),
            "table" => {
                sketch.open_table();
                return ElementEnd::Table;
            }
            "tr" => {
                sketch.row();
                return ElementEnd::Nothing;
            }
            "td" | "th" => {
                line.mark(LineMark::Cell(&**name == "th"));
                return ElementEnd::Nothing;
            }
            "hr" => {
                sketch.rule();
                return ElementEnd::Nothing;
            }
            _ => return ElementEnd::Nothing,
        }
        ElementEnd::Container
    }

    pub(super) fn leave(&mut self, end: ElementEnd, sketch: &mut DocumentSketch) {
        match end {
            ElementEnd::Nothing => {}
            ElementEnd::Container => sketch.close(),
            ElementEnd::List => {
                self.lists.pop();
            }
            ElementEnd::Table => sketch.close_table(),
        }
    }

    /// A line ends, and maybe a block with it.
    pub(super) fn boundary(&mut self, breaks: bool, sketch: &mut DocumentSketch) {
        self.continues = breaks;
        if breaks {
            sketch.new_row();
        }
    }

    /// The white space before a line.
    pub(super) fn indent(&mut self, line: &str) {
        let text = line.trim_start();
        self.indent.clear();
        self.indent.push_str(&line[..line.len() - text.len()]);
    }

    /// An image that stands on the line.
    pub(super) fn figure(&mut self, figure: DocumentImage, line: &mut HtmlLine) {
        if self.figures.len() < MAX_FIGURES {
            self.figures.push(figure);
            line.mark(LineMark::Image);
        }
    }

    /// Cells and images of a line that has no text; if there are only cells, a later line may begin in them.
    pub(super) fn empty_line(
        &mut self,
        line: &mut HtmlLine,
        ends_row: bool,
        sketch: &mut DocumentSketch,
    ) {
        if !ends_row && self.figures.is_empty() {
            return;
        }
        let mut figures = std::mem::take(&mut self.figures).into_iter();
        let mut together = Vec::new();
        for (_, mark) in line.take_marks() {
            match mark {
                LineMark::Face(_) => {}
                LineMark::Cell(heading) => {
                    sketch.images(together.drain(..));
                    sketch.cell(heading);
                }
                LineMark::Image => together.extend(figures.next()),
            }
        }
        sketch.images(together);
        self.continues = false;
    }

    /// Sets a line of the document.
    pub(super) fn line(
        &mut self,
        at: u32,
        text: &str,
        marks: &[(usize, LineMark)],
        sketch: &mut DocumentSketch,
    ) {
        if !self.continues {
            sketch.block(self.shape);
        }
        let mut face = FontFace::default();
        if !self.indent.is_empty() {
            sketch.text(at, 0..0, &self.indent, FontFace::default());
            self.indent.clear();
        }
        let mut start = 0;
        let mut figures = std::mem::take(&mut self.figures).into_iter();
        // Images before the text of a cell stand before it, others after it: text is not torn apart.
        let mut waiting = Vec::new();
        let mut has_text = self.continues;
        for (place, mark) in marks {
            let end = (*place).min(text.len());
            if let Some(part) = text.get(start..end) {
                if !part.trim().is_empty() && !has_text {
                    has_text = true;
                    self.images(&mut waiting, sketch);
                }
                sketch.text(at, start..end, part, face);
                start = end;
            }
            match mark {
                LineMark::Face(next) => face = *next,
                LineMark::Cell(heading) => {
                    sketch.images(waiting.drain(..));
                    sketch.cell(*heading);
                    has_text = false;
                }
                LineMark::Image => waiting.extend(figures.next()),
            }
        }
        let rest = text.get(start..).unwrap_or_default();
        if !rest.is_empty() && !has_text {
            self.images(&mut waiting, sketch);
        }
        sketch.text(at, start..text.len(), rest, face);
        self.continues = false;
        sketch.images(waiting);
    }

    /// Images before text of the same block.
    fn images(&self, waiting: &mut Vec<DocumentImage>, sketch: &mut DocumentSketch) {
        if !waiting.is_empty() {
            sketch.images(waiting.drain(..));
            sketch.block(self.shape);
        }
    }
}
