//! A story: the paragraphs and tables of a part, as lines.

mod blocks;
mod drawings;
mod letters;

use std::collections::HashMap;
use std::ops::Range;

use super::languages::LanguageCounts;
use super::numbering::{ListMarker, ListNumbering};
use super::package::PartRelationship;
use super::styles::{CharacterStyle, StyleSheet, VerticalAlign};
use super::xml::{DescendChoice, XmlElement, XmlNode, XmlPart, XmlVocabulary};
use crate::document::{LineRole, TextStreamRole};
use crate::error::DocumentError;
use crate::figure::ImageDisplay;
use crate::layout::FontFace;
use blocks::{ParagraphBlock, StoryBlocks};
use drawings::DrawingCanvas;
use letters::LetterRun;

/// A line of a story.
#[derive(Debug, Default)]
pub(super) struct StoryLine {
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
    pub(super) faces: Vec<(usize, FontFace)>,
    pub(super) look: LinePlacement,
    /// Texts that belong to the line but not to what is read in one go.
    pub(super) beside: Vec<(TextStreamRole, String)>,
    /// Lines that stand apart and belong here: notes, comments, text boxes. These have none themselves.
    pub(super) apart: Vec<StoryLine>,
}

/// How a line stands on its page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LinePlacement {
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
    pub(super) drawings: Vec<InlineDrawing>,
}

/// An image on a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct InlineDrawing {
    /// What it is called.
    pub(super) label: String,
    /// The part of the file that it is.
    pub(super) part: Option<String>,
    pub(super) wish: ImageDisplay,
    /// Whether text of the line stands before it.
    pub(super) after_text: bool,
    /// In which cell of the row it is, from 0.
    pub(super) cell: usize,
}

/// Notes and comments by what they are and their numbers.
pub(super) type Notes = HashMap<(NoteKind, String), Vec<StoryLine>>;

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
pub(super) struct StoryContext {
    pub(super) styles: StyleSheet,
    pub(super) numbering: ListNumbering,
    pub(super) notes: Notes,
    pub(super) languages: LanguageCounts,
}

/// What an open element does to the text inside it and when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementEffect {
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
struct ElementScope {
    manner: ElementEffect,
    /// Whether text belongs beside the line, as the reading of a character does.
    ruby: bool,
    /// Whether text leads somewhere.
    link: bool,
    /// For formulas; runs say it themselves.
    height: VerticalAlign,
}

const OUTSIDE: ElementScope = ElementScope {
    manner: ElementEffect::Through,
    ruby: false,
    link: false,
    height: VerticalAlign::Normal,
};

/// Reads the stories of a document.
pub(super) struct StoryReader<'s> {
    shared: &'s mut StoryContext,
    /// What lines of text are, unless they are headings.
    role: LineRole,
    blocks: StoryBlocks,
    block: ParagraphBlock,
    run: LetterRun,
    open: Vec<ElementScope>,
    /// For each field that is open, whether its result is being read.
    fields: Vec<bool>,
    /// The drawing that was begun last.
    canvas: DrawingCanvas,
    /// The parts that are images, by what they are referred to with.
    images: HashMap<String, String>,
}

impl<'s> StoryReader<'s> {
    pub(super) fn new(shared: &'s mut StoryContext, role: LineRole) -> Self {
        Self {
            shared,
            role,
            blocks: StoryBlocks::default(),
            block: ParagraphBlock::default(),
            run: LetterRun::default(),
            open: Vec::new(),
            fields: Vec::new(),
            canvas: DrawingCanvas::default(),
            images: HashMap::new(),
        }
    }

    /// The same with the images that its part leads to.
    pub(super) fn with_images(mut self, to: &[PartRelationship]) -> Self {
        let images = to.iter().filter(|to| to.kind == "image");
        self.images = images
            .map(|to| (to.id.clone(), to.target.clone()))
            .collect();
        self
    }

    /// The lines of a part.
    pub(super) fn read(
        mut self,
        mut xml: XmlPart<'_, '_, '_>,
    ) -> Result<Vec<StoryLine>, DocumentError> {
        loop {
            match xml.next()? {
                XmlNode::Open(element) => self.open(&element, &mut xml)?,
                XmlNode::Close => self.close(),
                XmlNode::Text(text) => self.text(&text),
                XmlNode::End => break,
            }
        }
        self.end_paragraph();
        Ok(self.blocks.finish())
    }

    /// The notes or comments of a part.
    pub(super) fn read_notes(
        mut self,
        mut xml: XmlPart<'_, '_, '_>,
    ) -> Result<Notes, DocumentError> {
        let mut notes = Notes::new();
        let mut current = None;
        loop {
            match xml.next()? {
                XmlNode::Open(element) => {
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
                XmlNode::Close => {
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
                XmlNode::Text(text) => self.text(&text),
                XmlNode::End => return Ok(notes),
            }
        }
    }

    fn scope(&self) -> ElementScope {
        self.open.last().copied().unwrap_or(OUTSIDE)
    }

    fn open(
        &mut self,
        element: &XmlElement<'_>,
        xml: &mut XmlPart<'_, '_, '_>,
    ) -> Result<(), DocumentError> {
        let mut scope = ElementScope {
            manner: ElementEffect::Through,
            ..self.scope()
        };
        match element.vocabulary {
            XmlVocabulary::Word => match self.word(element, xml, &mut scope)? {
                DescendChoice::Look => {}
                DescendChoice::Skip => return Ok(()),
            },
            XmlVocabulary::Math => match element.name() {
                "t" => scope.manner = ElementEffect::Text,
                "sup" => scope.height = VerticalAlign::Raised,
                "sub" => scope.height = VerticalAlign::Lowered,
                "den" => {
                    self.push("/", false);
                    scope.manner = ElementEffect::Below;
                }
                "rPr" | "ctrlPr" => return xml.skip(),
                _ => {}
            },
            XmlVocabulary::Compatibility => match element.name() {
                "AlternateContent" => scope.manner = ElementEffect::Choice { taken: false },
                "Choice" | "Fallback" => {
                    let taken =
                        matches!(self.scope().manner, ElementEffect::Choice { taken: true });
                    if taken {
                        return xml.skip();
                    }
                    if let Some(choice) = self.open.last_mut() {
                        choice.manner = ElementEffect::Choice { taken: true };
                    }
                }
                _ => {}
            },
            XmlVocabulary::Other => self.other(element),
        }
        self.open.push(scope);
        Ok(())
    }

    /// An element of text documents: whether to look inside. If not, it was read to its end.
    fn word(
        &mut self,
        element: &XmlElement<'_>,
        xml: &mut XmlPart<'_, '_, '_>,
        scope: &mut ElementScope,
    ) -> Result<DescendChoice, DocumentError> {
        match element.name() {
            "p" => {
                self.begin_paragraph();
                scope.manner = ElementEffect::Paragraph;
            }
            "pPr" => {
                self.paragraph_properties(xml)?;
                return Ok(DescendChoice::Skip);
            }
            "r" => {
                self.run = self.run_of(CharacterStyle::default());
                scope.manner = ElementEffect::Run;
            }
            "rPr" => {
                let mut letters = CharacterStyle::default();
                xml.inside(|element| {
                    letters.take(element);
                    looked_into(element)
                })?;
                self.run = self.run_of(letters);
                return Ok(DescendChoice::Skip);
            }
            "t" => scope.manner = ElementEffect::Text,
            // Old properties, deleted text, instructions of fields and of controls.
            "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "sdtPr" | "sectPr"
            | "tblPr" | "tblGrid" | "tblPrEx" | "pPrChange" | "rPrChange" | "annotationRef"
            | "footnoteRef" | "endnoteRef" => {
                xml.skip()?;
                return Ok(DescendChoice::Skip);
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
                return Ok(DescendChoice::Skip);
            }
            "tbl" => {
                self.end_paragraph();
                self.blocks.begin_table();
                scope.manner = ElementEffect::Table;
            }
            "hyperlink" => scope.link = true,
            "tr" => {
                self.end_paragraph();
                if self.blocks.begin_row() {
                    scope.manner = ElementEffect::Row;
                }
            }
            "tc" => {
                self.end_paragraph();
                self.blocks.begin_cell();
            }
            "txbxContent" => {
                if self.blocks.begin_box(&mut self.block) {
                    scope.manner = ElementEffect::TextBox;
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
        Ok(DescendChoice::Look)
    }

    fn close(&mut self) {
        let Some(scope) = self.open.pop() else {
            return;
        };
        match scope.manner {
            ElementEffect::Paragraph => {
                // An instruction does not go on in the next paragraph; text must not be lost to one
                // that nobody ended.
                self.fields.fill(true);
                if !self.block.joins {
                    self.end_paragraph();
                }
            }
            ElementEffect::Table => {
                self.end_paragraph();
                self.blocks.end_table();
            }
            ElementEffect::Row => {
                self.end_paragraph();
                self.blocks.end_row();
            }
            ElementEffect::TextBox => {
                self.end_paragraph();
                self.blocks.end_box(&mut self.block);
            }
            ElementEffect::Run => self.run = LetterRun::default(),
            ElementEffect::Through
            | ElementEffect::Text
            | ElementEffect::Choice { .. }
            | ElementEffect::Below => {}
        }
        if scope.ruby && !self.scope().ruby {
            self.block.end_ruby();
        }
    }

    fn text(&mut self, text: &str) {
        if self.scope().manner == ElementEffect::Text {
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
    fn paragraph_properties(&mut self, xml: &mut XmlPart<'_, '_, '_>) -> Result<(), DocumentError> {
        let mut said = super::styles::ParagraphStyle::default();
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
                "sectPr" => DescendChoice::Look,
                "sectPrChange" => DescendChoice::Skip,
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
            let StoryContext {
                styles, numbering, ..
            } = &mut *self.shared;
            let marker = numbering.count(list, level, self.block.style.as_deref(), styles);
            let level = level.map_or(0, |level| level.min(8) as usize);
            self.block.level = level + 1;
            match marker {
                Some(ListMarker::Number(number)) => self.block.number = Some(number),
                Some(ListMarker::Bullet) => self.block.bullet = true,
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
fn flat(lines: Vec<StoryLine>) -> Vec<StoryLine> {
    let mut all = Vec::with_capacity(lines.len());
    for mut line in lines {
        let apart = std::mem::take(&mut line.apart);
        all.push(line);
        all.extend(apart);
    }
    all
}

/// Old properties are of no interest.
fn looked_into(element: &XmlElement<'_>) -> DescendChoice {
    match element.name() {
        "pPrChange" | "rPrChange" | "sectPr" | "trPrChange" | "tcPrChange" | "numberingChange" => {
            DescendChoice::Skip
        }
        _ => DescendChoice::Look,
    }
}
