//! How the text of a page looks, by its elements; style sheets are not looked at.

use html5ever::LocalName;

use super::line::{Line, Mark};
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
    /// Images on the line.
    pictures: Vec<String>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            shape: Shape::Paragraph,
            continues: false,
            indent: String::new(),
            lists: Vec::new(),
            pictures: Vec::new(),
        }
    }
}

/// So many images of a line are shown.
const MAX_PICTURES: usize = 16;

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

    /// An image, and what it stands for.
    pub(super) fn picture(&mut self, label: &str) {
        let label = label.trim();
        if !label.is_empty() && self.pictures.len() < MAX_PICTURES {
            self.pictures.push(label.to_owned());
        }
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
        for (place, mark) in marks {
            let end = (*place).min(text.len());
            if let Some(part) = text.get(start..end) {
                sketch.text(at, start..end, part, face);
                start = end;
            }
            match mark {
                Mark::Face(next) => face = *next,
                Mark::Cell(heading) => sketch.cell(*heading),
            }
        }
        sketch.text(
            at,
            start..text.len(),
            text.get(start..).unwrap_or_default(),
            face,
        );
        self.continues = false;
        for label in std::mem::take(&mut self.pictures) {
            sketch.picture(&label);
        }
    }
}
