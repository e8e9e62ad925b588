//! How the text of a page looks, by its elements; style sheets are not looked at.

use html5ever::LocalName;

use super::line::{Line, Mark};
use crate::figure::Figure;
use crate::layout::{Face, Shape, Sketch, Within};

/// What ends with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Nothing,
    Container,
    List,
    Table,
}

/// How the text looks here.
#[derive(Debug)]
pub(super) struct Look {
    /// What the text that was set last is part of.
    pub(super) shape: Shape,
    /// The next line is part of the block before it.
    continues: bool,
    /// White space before the line.
    indent: String,
    /// The lists that are open, and the number of the next item.
    lists: Vec<Option<u32>>,
    /// Images on the line, in order.
    figures: Vec<Figure>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            shape: Shape::Paragraph,
            continues: false,
            indent: String::new(),
            lists: Vec::new(),
            figures: Vec::new(),
        }
    }
}

/// So many images of a line are shown.
const MAX_FIGURES: usize = 64;

impl Look {
    /// What an element does to the text in it.
    pub(super) fn style(&self, name: &LocalName, face: &mut Face, shape: &mut Shape) {
        match &**name {
            "b" | "strong" | "dt" => face.bold = true,
            "i" | "em" | "cite" | "var" | "dfn" | "address" => face.italic = true,
            "code" | "kbd" | "samp" | "tt" => face.mono = true,
            "del" | "s" | "strike" => face.struck = true,
            "a" => face.link = true,
            "h1" => *shape = Shape::Heading(1),
            "h2" => *shape = Shape::Heading(2),
            "h3" => *shape = Shape::Heading(3),
            "h4" => *shape = Shape::Heading(4),
            "h5" | "h6" => *shape = Shape::Heading(5),
            "pre" | "listing" | "xmp" | "plaintext" | "textarea" => *shape = Shape::Code,
            "figcaption" | "caption" | "small" => *shape = Shape::Note,
            _ => {}
        }
    }

    /// Opens what an element is; what ends with it.
    pub(super) fn enter(&mut self, name: &LocalName, line: &mut Line, sketch: &mut Sketch) -> End {
        match &**name {
            "blockquote" => sketch.open(Within::Quote),
            "ol" => {
                self.lists.push(Some(1));
                return End::List;
            }
            "ul" | "menu" | "dir" => {
                self.lists.push(None);
                return End::List;
            }
            "li" => {
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}.", *number - 1)
                    }
                    _ => "•".to_owned(),
                };
                sketch.open(Within::Item { marker });
            }
            "dd" => sketch.open(Within::Item {
                marker: String::new(),
            }),
            "table" => {
                sketch.open_table();
                return End::Table;
            }
            "tr" => {
                sketch.row();
                return End::Nothing;
            }
            "td" | "th" => {
                line.mark(Mark::Cell(&**name == "th"));
                return End::Nothing;
            }
            "hr" => {
                sketch.rule();
                return End::Nothing;
            }
            _ => return End::Nothing,
        }
        End::Container
    }

    pub(super) fn leave(&mut self, end: End, sketch: &mut Sketch) {
        match end {
            End::Nothing => {}
            End::Container => sketch.close(),
            End::List => {
                self.lists.pop();
            }
            End::Table => sketch.close_table(),
        }
    }

    /// A line ends, and maybe a block with it.
    pub(super) fn boundary(&mut self, breaks: bool, sketch: &mut Sketch) {
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
    pub(super) fn figure(&mut self, figure: Figure, line: &mut Line) {
        if self.figures.len() < MAX_FIGURES {
            self.figures.push(figure);
            line.mark(Mark::Image);
        }
    }

    /// Cells and images of a line that has no text; if there are only cells, a later line may begin in them.
    pub(super) fn empty_line(&mut self, line: &mut Line, ends_row: bool, sketch: &mut Sketch) {
        if !ends_row && self.figures.is_empty() {
            return;
        }
        let mut figures = std::mem::take(&mut self.figures).into_iter();
        let mut together = Vec::new();
        for (_, mark) in line.take_marks() {
            match mark {
                Mark::Face(_) => {}
                Mark::Cell(heading) => {
                    sketch.images(together.drain(..));
                    sketch.cell(heading);
                }
                Mark::Image => together.extend(figures.next()),
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
        marks: &[(usize, Mark)],
        sketch: &mut Sketch,
    ) {
        if !self.continues {
            sketch.block(self.shape);
        }
        let mut face = Face::default();
        if !self.indent.is_empty() {
            sketch.text(at, 0..0, &self.indent, Face::default());
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
                Mark::Face(next) => face = *next,
                Mark::Cell(heading) => {
                    sketch.images(waiting.drain(..));
                    sketch.cell(*heading);
                    has_text = false;
                }
                Mark::Image => waiting.extend(figures.next()),
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
    fn images(&self, waiting: &mut Vec<Figure>, sketch: &mut Sketch) {
        if !waiting.is_empty() {
            sketch.images(waiting.drain(..));
            sketch.block(self.shape);
        }
    }
}
