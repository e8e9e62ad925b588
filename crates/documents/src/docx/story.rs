//! A story: the paragraphs and tables of a part, as lines.

mod blocks;
mod drawings;
mod letters;

use std::collections::HashMap;
use std::ops::Range;

use super::languages::Languages;
use super::numbering::{Marker, Numbering};
use super::package::Relationship;
use super::styles::{Height, Letters, Styles};
use super::xml::{Element, Inside, Node, Vocabulary, Xml};
use crate::document::{FlowRole, LineRole};
use crate::error::ReadError;
use crate::figure::Wish;
use crate::layout::Face;
use blocks::{Block, Blocks};
use drawings::Canvas;
use letters::Run;

/// A line of a story.
#[derive(Debug, Default)]
pub(super) struct SetLine {
    /// How many pages begin before it.
    pub(super) pages: u32,
    /// Trimmed; empty if there is only something beside it.
    pub(super) text: String,
    pub(super) role: LineRole,
    /// The number that stands before it.
    pub(super) number: Option<String>,
    /// How many headings it stands below, if it is a heading.
    pub(super) depth: Option<u32>,
    /// Whether it is the title of the document.
    pub(super) title: bool,
    /// How its letters look from a place on.
    pub(super) faces: Vec<(usize, Face)>,
    pub(super) look: Look,
    /// Texts that belong to the line but not to what is read in one go.
    pub(super) beside: Vec<(FlowRole, String)>,
    /// Lines that stand apart and belong here: notes, comments, text boxes. These have none themselves.
    pub(super) apart: Vec<SetLine>,
}

/// How a line stands on its page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Look {
    /// It goes on with the paragraph of the line before it.
    pub(super) continues: bool,
    /// How deep in lists it is, from 1.
    pub(super) level: usize,
    /// Whether there is a bullet before it.
    pub(super) bullet: bool,
    /// The table whose row it is.
    pub(super) table: Option<u32>,
    /// The cells of the row, as parts of its text.
    pub(super) cells: Vec<Range<usize>>,
    /// Images on it.
    pub(super) drawings: Vec<Drawing>,
}

/// An image on a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Drawing {
    /// What it is called.
    pub(super) label: String,
    /// The part of the file that it is.
    pub(super) part: Option<String>,
    pub(super) wish: Wish,
    /// Whether text of the line stands before it.
    pub(super) after_text: bool,
    /// In which cell of the row it is, from 0.
    pub(super) cell: usize,
}

/// Notes and comments by what they are and their numbers.
pub(super) type Notes = HashMap<(NoteKind, String), Vec<SetLine>>;

/// What stands apart and is referred to from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NoteKind {
    Footnote,
    Endnote,
    Comment,
}

impl NoteKind {
    fn of_reference(name: &str) -> Option<Self> {
        match name {
            "footnoteReference" => Some(Self::Footnote),
            "endnoteReference" => Some(Self::Endnote),
            "commentReference" => Some(Self::Comment),
            _ => None,
        }
    }

    fn of_note(name: &str) -> Option<Self> {
        match name {
            "footnote" => Some(Self::Footnote),
            "endnote" => Some(Self::Endnote),
            "comment" => Some(Self::Comment),
            _ => None,
        }
    }
}

/// Why a page ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageBreak {
    /// The writer asked for it here.
    Asked,
    /// A property of the paragraph or section asks for it.
    Implied,
    /// The word processor ended a page here when it last set the text, for whatever reason.
    Rendered,
}

/// What all stories of a document share.
pub(super) struct Shared {
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    pub(super) notes: Notes,
    pub(super) languages: Languages,
}

/// What an open element does to the text inside it and when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Nothing.
    Through,
    Paragraph,
    Table,
    Row,
    /// A text box.
    TextBox,
    /// A run of letters.
    Run,
    /// Its texts are text.
    Text,
    /// A choice between forms of the same.
    Choice {
        taken: bool,
    },
    /// What is below a fraction bar.
    Below,
}

#[derive(Debug, Clone, Copy)]
struct Scope {
    manner: Manner,
    /// Whether text belongs beside the line, as the reading of a character does.
    ruby: bool,
    /// Whether text leads somewhere.
    link: bool,
    /// For formulas; runs say it themselves.
    height: Height,
}

const OUTSIDE: Scope = Scope {
    manner: Manner::Through,
    ruby: false,
    link: false,
    height: Height::Normal,
};

/// Reads the stories of a document.
pub(super) struct Story<'s> {
    shared: &'s mut Shared,
    /// What lines of text are, unless they are headings.
    role: LineRole,
    blocks: Blocks,
    block: Block,
    run: Run,
    open: Vec<Scope>,
    /// For each field that is open, whether its result is being read.
    fields: Vec<bool>,
    /// The drawing that was begun last.
    canvas: Canvas,
    /// The parts that are images, by what they are referred to with.
    images: HashMap<String, String>,
}

impl<'s> Story<'s> {
    pub(super) fn new(shared: &'s mut Shared, role: LineRole) -> Self {
        Self {
            shared,
            role,
            blocks: Blocks::default(),
            block: Block::default(),
            run: Run::default(),
            open: Vec::new(),
            fields: Vec::new(),
            canvas: Canvas::default(),
            images: HashMap::new(),
        }
    }

    /// The same with the images that its part leads to.
    pub(super) fn with_images(mut self, to: &[Relationship]) -> Self {
        let images = to.iter().filter(|to| to.kind == "image");
        self.images = images
            .map(|to| (to.id.clone(), to.target.clone()))
            .collect();
        self
    }

    /// The lines of a part.
    pub(super) fn read(mut self, mut xml: Xml<'_, '_, '_>) -> Result<Vec<SetLine>, ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => self.open(&element, &mut xml)?,
                Node::Close => self.close(),
                Node::Text(text) => self.text(&text),
                Node::End => break,
            }
        }
        self.end_paragraph();
        Ok(self.blocks.finish())
    }

    /// The notes or comments of a part.
    pub(super) fn read_notes(mut self, mut xml: Xml<'_, '_, '_>) -> Result<Notes, ReadError> {
        let mut notes = Notes::new();
        let mut current = None;
        loop {
            match xml.next()? {
                Node::Open(element) => {
                    if let Some(kind) = NoteKind::of_note(element.name())
                        && element.is_word()
                        && current.is_none()
                    {
                        // Lines between the text and the notes are notes as well, of other types.
                        let usual = element
                            .attribute("type")
                            .is_none_or(|kind| kind == "normal");
                        let id = element.attribute("id").unwrap_or_default().into_owned();
                        current = Some((usual.then_some((kind, id)), xml.depth()));
                    }
                    self.open(&element, &mut xml)?;
                }
                Node::Close => {
                    self.close();
                    if let Some((_, depth)) = &current
                        && xml.depth() < *depth
                        && let Some((key, _)) = current.take()
                    {
                        self.end_paragraph();
                        let lines = flat(self.blocks.take());
                        if let Some(key) = key {
                            notes.insert(key, lines);
                        }
                    }
                }
                Node::Text(text) => self.text(&text),
                Node::End => return Ok(notes),
            }
        }
    }

    fn scope(&self) -> Scope {
        self.open.last().copied().unwrap_or(OUTSIDE)
    }

    fn open(&mut self, element: &Element<'_>, xml: &mut Xml<'_, '_, '_>) -> Result<(), ReadError> {
        let mut scope = Scope {
            manner: Manner::Through,
            ..self.scope()
        };
        match element.vocabulary {
            Vocabulary::Word => match self.word(element, xml, &mut scope)? {
                Inside::Look => {}
                Inside::Skip => return Ok(()),
            },
            Vocabulary::Math => match element.name() {
                "t" => scope.manner = Manner::Text,
                "sup" => scope.height = Height::Raised,
                "sub" => scope.height = Height::Lowered,
                "den" => {
                    self.push("/", false);
                    scope.manner = Manner::Below;
                }
                "rPr" | "ctrlPr" => return xml.skip(),
                _ => {}
            },
            Vocabulary::Compatibility => match element.name() {
                "AlternateContent" => scope.manner = Manner::Choice { taken: false },
                "Choice" | "Fallback" => {
                    let taken = matches!(self.scope().manner, Manner::Choice { taken: true });
                    if taken {
                        return xml.skip();
                    }
                    if let Some(choice) = self.open.last_mut() {
                        choice.manner = Manner::Choice { taken: true };
                    }
                }
                _ => {}
            },
            Vocabulary::Other => self.other(element),
        }
        self.open.push(scope);
        Ok(())
    }

    /// An element of text documents: whether to look inside. If not, it was read to its end.
    fn word(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_, '_, '_>,
        scope: &mut Scope,
    ) -> Result<Inside, ReadError> {
        match element.name() {
            "p" => {
                self.begin_paragraph();
                scope.manner = Manner::Paragraph;
            }
            "pPr" => {
                self.paragraph_properties(xml)?;
                return Ok(Inside::Skip);
            }
            "r" => {
                self.run = self.run_of(Letters::default());
                scope.manner = Manner::Run;
            }
            "rPr" => {
                let mut letters = Letters::default();
                xml.inside(|element| {
                    letters.take(element);
                    looked_into(element)
                })?;
                self.run = self.run_of(letters);
                return Ok(Inside::Skip);
            }
            "t" => scope.manner = Manner::Text,
            // Old properties, deleted text, instructions of fields and of controls.
            "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "sdtPr" | "sectPr"
            | "tblPr" | "tblGrid" | "tblPrEx" | "pPrChange" | "rPrChange" | "annotationRef"
            | "footnoteRef" | "endnoteRef" => {
                xml.skip()?;
                return Ok(Inside::Skip);
            }
            "trPr" | "tcPr" => {
                let mut deleted = false;
                xml.inside(|element| {
                    deleted |= matches!(element.name(), "del" | "cellDel") && element.is_word();
                    looked_into(element)
                })?;
                if deleted {
                    self.blocks.delete(element.name() == "trPr");
                }
                return Ok(Inside::Skip);
            }
            "tbl" => {
                self.end_paragraph();
                self.blocks.begin_table();
                scope.manner = Manner::Table;
            }
            "hyperlink" => scope.link = true,
            "tr" => {
                self.end_paragraph();
                if self.blocks.begin_row() {
                    scope.manner = Manner::Row;
                }
            }
            "tc" => {
                self.end_paragraph();
                self.blocks.begin_cell();
            }
            "txbxContent" => {
                if self.blocks.begin_box(&mut self.block) {
                    scope.manner = Manner::TextBox;
                }
            }
            "drawing" | "pict" | "object" => self.begin_drawing(),
            "tab" | "ptab" => self.gap(true),
            "br" if element.attribute("type").as_deref() == Some("page") => {
                self.page_break(PageBreak::Asked);
            }
            "br" | "cr" => self.line_break(),
            "lastRenderedPageBreak" => self.page_break(PageBreak::Rendered),
            "noBreakHyphen" => self.push("\u{2011}", true),
            "sym" => self.symbol(element),
            "fldChar" => self.field(element),
            "rt" => {
                self.block.end_ruby();
                scope.ruby = true;
            }
            name => {
                if let Some(kind) = NoteKind::of_reference(name)
                    && self.is_shown()
                    && let Some(id) = element.attribute("id")
                    && let Some(lines) = self.shared.notes.remove(&(kind, id.into_owned()))
                {
                    self.block.apart.extend(lines);
                }
            }
        }
        Ok(Inside::Look)
    }

    fn close(&mut self) {
        let Some(scope) = self.open.pop() else {
            return;
        };
        match scope.manner {
            Manner::Paragraph => {
                // An instruction does not go on in the next paragraph; text must not be lost to one
                // that nobody ended.
                self.fields.fill(true);
                if !self.block.joins {
                    self.end_paragraph();
                }
            }
            Manner::Table => {
                self.end_paragraph();
                self.blocks.end_table();
            }
            Manner::Row => {
                self.end_paragraph();
                self.blocks.end_row();
            }
            Manner::TextBox => {
                self.end_paragraph();
                self.blocks.end_box(&mut self.block);
            }
            Manner::Run => self.run = Run::default(),
            Manner::Through | Manner::Text | Manner::Choice { .. } | Manner::Below => {}
        }
        if scope.ruby && !self.scope().ruby {
            self.block.end_ruby();
        }
    }

    fn text(&mut self, text: &str) {
        if self.scope().manner == Manner::Text {
            self.push(text, true);
        }
    }

    fn begin_paragraph(&mut self) {
        if !self.block.joins {
            self.end_paragraph();
        }
        self.block.begin(self.shared.styles.paragraph(None));
    }

    /// What is said of the paragraph, in an element that is read to its end.
    fn paragraph_properties(&mut self, xml: &mut Xml<'_, '_, '_>) -> Result<(), ReadError> {
        let mut said = super::styles::Paragraph::default();
        let mut joins = false;
        let mut section = None;
        xml.inside(|element| {
            said.take(element);
            match element.name() {
                // The last paragraph of a section says what the section is like.
                "sectPr" => section = Some(true),
                "type" if section.is_some() => {
                    let kind = element.value();
                    let same = matches!(kind.as_deref(), Some("continuous" | "nextColumn"));
                    section = Some(!same);
                }
                // The end of the paragraph is deleted, or its letter begins the next one.
                "del" | "moveFrom" => joins = true,
                "framePr" => {
                    joins |= element
                        .attribute("dropCap")
                        .is_some_and(|kind| kind != "none");
                }
                _ => {}
            }
            match element.name() {
                "sectPr" => Inside::Look,
                "sectPrChange" => Inside::Skip,
                _ => looked_into(element),
            }
        })?;
        let styles = &self.shared.styles;
        let style = styles.paragraph(said.style.as_deref());
        let list = said.list.or(style.paragraph.list).filter(|list| *list > 0);
        let outline = said.outline.or(style.paragraph.outline);
        let block = &mut self.block;
        block.depth = outline.filter(|depth| *depth < 9);
        block.title = style.title;
        block.list = list.map(|list| (list, said.level.or(style.paragraph.level)));
        block.style = said.style;
        block.joins = joins;
        block.ends_page = section == Some(true);
        let before = said.page_before.or(style.paragraph.page_before);
        if before == Some(true) && !self.blocks.is_empty() {
            self.page_break(PageBreak::Implied);
        }
        Ok(())
    }

    /// Counts the paragraph in its list, once.
    fn number(&mut self) {
        if let Some((list, level)) = self.block.list.take() {
            let Shared {
                styles, numbering, ..
            } = &mut *self.shared;
            let marker = numbering.count(list, level, self.block.style.as_deref(), styles);
            let level = level.map_or(0, |level| level.min(8) as usize);
            self.block.level = level + 1;
            match marker {
                Some(Marker::Number(number)) => self.block.number = Some(number),
                Some(Marker::Bullet) => self.block.bullet = true,
                None => {}
            }
        }
    }

    fn end_paragraph(&mut self) {
        self.number();
        self.block.joins = false;
        self.blocks.push(self.block.take_line(self.role));
        if std::mem::take(&mut self.block.ends_page) {
            self.page_break(PageBreak::Implied);
        }
        self.block.begin(self.shared.styles.paragraph(None));
    }
}

/// Lines with those that hang on them, in one list.
fn flat(lines: Vec<SetLine>) -> Vec<SetLine> {
    let mut all = Vec::with_capacity(lines.len());
    for mut line in lines {
        let apart = std::mem::take(&mut line.apart);
        all.push(line);
        all.extend(apart);
    }
    all
}

/// Old properties are of no interest.
fn looked_into(element: &Element<'_>) -> Inside {
    match element.name() {
        "pPrChange" | "rPrChange" | "sectPr" | "trPrChange" | "tcPrChange" | "numberingChange" => {
            Inside::Skip
        }
        _ => Inside::Look,
    }
}
