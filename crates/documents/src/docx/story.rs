//! Story: the paragraphs and tables of a part of the package, as lines.

mod blocks;
mod drawings;
mod lines;
mod writer;

use std::collections::HashMap;

use super::languages::LanguageCounts;
use super::numbering::ListNumbering;
use super::package::PartRelationship;
use super::styles::{CharacterStyle, StyleSheet};
use super::xml::{DescendChoice, XmlElement, XmlNode, XmlPart, XmlVocabulary};
use crate::digit_position::DigitPosition;
use crate::document::LineRole;
use crate::error::DocumentError;
use blocks::PageBreak;
use drawings::DrawingCanvas;
use lines::{NoteKind, flatten};
use writer::{ParagraphProperties, StoryWriter, TextScope};

pub(super) use lines::{Notes, StoryLine};

/// Data that all stories of a document share.
pub(super) struct StoryContext {
    pub(super) styles: StyleSheet,
    pub(super) numbering: ListNumbering,
    pub(super) notes: Notes,
    pub(super) languages: LanguageCounts,
}

/// Effect of an open element on the text inside it, or at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ElementEffect {
    #[default]
    None,
    Paragraph,
    Table,
    Row,
    TextBox,
    Run,
    /// Element whose texts are text of the document.
    Text,
    /// Choice between forms of the same content.
    Choice {
        taken: bool,
    },
}

/// Open element.
#[derive(Debug, Clone, Copy, Default)]
struct ElementScope {
    effect: ElementEffect,
    text: TextScope,
}

/// Reader of a story.
pub(super) struct StoryReader<'s> {
    writer: StoryWriter<'s>,
    open: Vec<ElementScope>,
    /// Drawing that was begun last.
    canvas: DrawingCanvas,
    /// Names of the parts that are images, by the ids that refer to them.
    images: HashMap<String, String>,
}

impl<'s> StoryReader<'s> {
    pub(super) fn new(context: &'s mut StoryContext, role: LineRole) -> Self {
        Self {
            writer: StoryWriter::new(context, role),
            open: Vec::new(),
            canvas: DrawingCanvas::default(),
            images: HashMap::new(),
        }
    }

    /// Adds the images to which the part of the story refers.
    pub(super) fn with_images(mut self, to: &[PartRelationship]) -> Self {
        let images = to.iter().filter(|to| to.kind == "image");
        self.images = images
            .map(|to| (to.id.clone(), to.target.clone()))
            .collect();
        self
    }

    /// Reads the lines of a part.
    pub(super) fn read(
        mut self,
        mut xml: XmlPart<'_, '_, '_>,
    ) -> Result<Vec<StoryLine>, DocumentError> {
        loop {
            match xml.next()? {
                XmlNode::Open(element) => self.open(&element, &mut xml)?,
                XmlNode::Close => self.close(),
                XmlNode::Text(text) => self.text(&text),
                XmlNode::End => return Ok(self.writer.take_lines()),
            }
        }
    }

    /// Reads the notes or comments of a part.
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
                        // The separators between text and notes are notes of other types.
                        let is_normal = element
                            .attribute("type")
                            .is_none_or(|kind| kind == "normal");
                        let id = element.attribute("id").unwrap_or_default().into_owned();
                        current = Some((is_normal.then_some((kind, id)), xml.depth()));
                    }
                    self.open(&element, &mut xml)?;
                }
                XmlNode::Close => {
                    self.close();
                    if let Some((_, depth)) = &current
                        && xml.depth() < *depth
                        && let Some((key, _)) = current.take()
                    {
                        let lines = flatten(self.writer.take_lines());
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
        self.open.last().copied().unwrap_or_default()
    }

    fn open(
        &mut self,
        element: &XmlElement<'_>,
        xml: &mut XmlPart<'_, '_, '_>,
    ) -> Result<(), DocumentError> {
        let mut scope = ElementScope {
            effect: ElementEffect::None,
            ..self.scope()
        };
        match element.vocabulary {
            XmlVocabulary::Word => match self.open_word_element(element, xml, &mut scope)? {
                DescendChoice::Enter => {}
                DescendChoice::Skip => return Ok(()),
            },
            XmlVocabulary::Math => match element.name() {
                "t" => scope.effect = ElementEffect::Text,
                "sup" => scope.text.digits = DigitPosition::Raised,
                "sub" => scope.text.digits = DigitPosition::Lowered,
                "den" => self.writer.push_generated("/", self.scope().text),
                "rPr" | "ctrlPr" => return xml.skip(),
                _ => {}
            },
            XmlVocabulary::Compatibility => match element.name() {
                "AlternateContent" => scope.effect = ElementEffect::Choice { taken: false },
                "Choice" | "Fallback" => {
                    if self.scope().effect == (ElementEffect::Choice { taken: true }) {
                        return xml.skip();
                    }
                    if let Some(choice) = self.open.last_mut() {
                        choice.effect = ElementEffect::Choice { taken: true };
                    }
                }
                _ => {}
            },
            XmlVocabulary::Other => {
                self.canvas
                    .read_element(element, &self.images, &mut self.writer.block);
            }
        }
        self.open.push(scope);
        Ok(())
    }

    /// Opens an element of text documents. Returns [`DescendChoice::Skip`] if it was read to its end.
    fn open_word_element(
        &mut self,
        element: &XmlElement<'_>,
        xml: &mut XmlPart<'_, '_, '_>,
        scope: &mut ElementScope,
    ) -> Result<DescendChoice, DocumentError> {
        if let Some(kind) = property_kind(element.name()) {
            self.read_properties(kind, element, xml)?;
            return Ok(DescendChoice::Skip);
        }
        let writer = &mut self.writer;
        match element.name() {
            "p" => {
                writer.begin_paragraph();
                scope.effect = ElementEffect::Paragraph;
            }
            "r" => {
                writer.begin_run(CharacterStyle::default());
                scope.effect = ElementEffect::Run;
            }
            "t" => scope.effect = ElementEffect::Text,
            "tbl" => {
                writer.end_paragraph();
                writer.blocks.begin_table();
                scope.effect = ElementEffect::Table;
            }
            "hyperlink" => scope.text.is_link = true,
            "tr" => {
                writer.end_paragraph();
                if writer.blocks.begin_row() {
                    scope.effect = ElementEffect::Row;
                }
            }
            "tc" => {
                writer.end_paragraph();
                writer.blocks.begin_cell();
            }
            "txbxContent" => {
                if writer.blocks.begin_box(&mut writer.block) {
                    scope.effect = ElementEffect::TextBox;
                }
            }
            "drawing" | "pict" | "object" => self.canvas = DrawingCanvas::default(),
            "tab" | "ptab" => writer.push_tab(),
            "br" if element.attribute("type").as_deref() == Some("page") => {
                writer.break_page(PageBreak::Asked);
            }
            "br" | "cr" => writer.break_line(),
            "lastRenderedPageBreak" => writer.break_page(PageBreak::Rendered),
            "noBreakHyphen" => writer.push("\u{2011}", scope.text),
            "sym" => writer.push_symbol(element, scope.text),
            "fldChar" => writer.read_field(element),
            "rt" => {
                writer.block.end_ruby();
                scope.text.is_ruby = true;
            }
            name => {
                if let Some(kind) = NoteKind::of_reference(name)
                    && let Some(id) = element.attribute("id")
                {
                    writer.add_note(kind, id.into_owned());
                }
            }
        }
        Ok(DescendChoice::Enter)
    }

    /// Reads an element with properties to its end.
    fn read_properties(
        &mut self,
        kind: PropertyKind,
        element: &XmlElement<'_>,
        xml: &mut XmlPart<'_, '_, '_>,
    ) -> Result<(), DocumentError> {
        match kind {
            PropertyKind::Paragraph => self.writer.set_paragraph(paragraph_properties(xml)?),
            PropertyKind::Run => {
                let mut letters = CharacterStyle::default();
                xml.inside(|element| {
                    letters.take(element);
                    skip_old_properties(element)
                })?;
                self.writer.begin_run(letters);
            }
            PropertyKind::Cell => {
                let mut is_deleted = false;
                xml.inside(|element| {
                    is_deleted |= matches!(element.name(), "del" | "cellDel") && element.is_word();
                    skip_old_properties(element)
                })?;
                if is_deleted {
                    self.writer.blocks.delete(element.name() == "trPr");
                }
            }
            PropertyKind::Ignored => xml.skip()?,
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(scope) = self.open.pop() else {
            return;
        };
        let writer = &mut self.writer;
        match scope.effect {
            ElementEffect::Paragraph => {
                // An instruction of a field does not continue in the next paragraph.
                writer.end_instructions();
                if !writer.block.joins_next {
                    writer.end_paragraph();
                }
            }
            ElementEffect::Table => {
                writer.end_paragraph();
                writer.blocks.end_table();
            }
            ElementEffect::Row => {
                writer.end_paragraph();
                writer.blocks.end_row();
            }
            ElementEffect::TextBox => {
                writer.end_paragraph();
                writer.blocks.end_box(&mut writer.block);
            }
            ElementEffect::Run => writer.end_run(),
            ElementEffect::None | ElementEffect::Text | ElementEffect::Choice { .. } => {}
        }
        if scope.text.is_ruby && !self.scope().text.is_ruby {
            self.writer.block.end_ruby();
        }
    }

    fn text(&mut self, text: &str) {
        let scope = self.scope();
        if scope.effect == ElementEffect::Text {
            self.writer.push(text, scope.text);
        }
    }
}

/// Kind of an element that is read to its end when it opens.
#[derive(Debug, Clone, Copy)]
enum PropertyKind {
    Paragraph,
    Run,
    /// Properties of a cell or a row.
    Cell,
    /// Old properties, deleted text, instructions of fields and controls.
    Ignored,
}

/// Returns the kind of an element that is read to its end; `None` for elements with text.
fn property_kind(name: &str) -> Option<PropertyKind> {
    match name {
        "pPr" => Some(PropertyKind::Paragraph),
        "rPr" => Some(PropertyKind::Run),
        "trPr" | "tcPr" => Some(PropertyKind::Cell),
        "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "sdtPr" | "sectPr"
        | "tblPr" | "tblGrid" | "tblPrEx" | "pPrChange" | "rPrChange" | "annotationRef"
        | "footnoteRef" | "endnoteRef" => Some(PropertyKind::Ignored),
        _ => None,
    }
}

/// Reads the properties of a paragraph, in an element that is read to its end.
fn paragraph_properties(
    xml: &mut XmlPart<'_, '_, '_>,
) -> Result<ParagraphProperties, DocumentError> {
    let mut properties = ParagraphProperties::default();
    let mut in_section = false;
    xml.inside(|element| {
        properties.style.take(element);
        match element.name() {
            // The last paragraph of a section has the properties of the section.
            "sectPr" => {
                in_section = true;
                properties.ends_page = true;
            }
            "type" if in_section => {
                let kind = element.value();
                let stays = matches!(kind.as_deref(), Some("continuous" | "nextColumn"));
                properties.ends_page = !stays;
            }
            // The end of the paragraph is deleted.
            "del" | "moveFrom" => properties.joins_next = true,
            "framePr" => {
                properties.joins_next |= element
                    .attribute("dropCap")
                    .is_some_and(|kind| kind != "none");
            }
            _ => {}
        }
        match element.name() {
            "sectPr" => DescendChoice::Enter,
            "sectPrChange" => DescendChoice::Skip,
            _ => skip_old_properties(element),
        }
    })?;
    Ok(properties)
}

/// Skips elements with properties from before a change.
fn skip_old_properties(element: &XmlElement<'_>) -> DescendChoice {
    match element.name() {
        "pPrChange" | "rPrChange" | "sectPr" | "trPrChange" | "tcPrChange" | "numberingChange" => {
            DescendChoice::Skip
        }
        _ => DescendChoice::Enter,
    }
}
