//! DOCX: the text of a word processor's file, in the order of its paragraphs.
//!
//! ```text
//! file ──▶ Package ──▶ Xml ──▶ Story ──▶ SetLine ──▶ Draft
//! package  package     xml     story     styles, numbering
//! ```
//!
//! Notes and comments are read first, so that they can stand after the paragraph that refers to them.

mod about;
mod languages;
mod line;
mod look;
mod numbering;
mod package;
mod story;
mod styles;
mod symbols;
mod xml;

use std::collections::{HashMap, HashSet};

use passage::{CommaMeaning, PieceBreak};

use self::about::DocxProperties;
use self::languages::LanguageCounts;
use self::look::DocxSketcher;
use self::numbering::ListNumbering;
use self::package::{DocxPackage, PartRelationship};
use self::story::{Notes, StoryContext, StoryLine, StoryReader};
use self::styles::StyleSheet;
use self::xml::{XmlBudget, XmlNode, XmlPart};
use crate::about::OutlineHeading;
use crate::document::{LineRole, TextStreamRole};
use crate::draft::DocumentDraft;
use crate::error::DocumentError;
use crate::figure::DocumentImage;
use crate::kind::zip_kind;
use crate::read::ReadOptions;

/// What the file is called on the wire.
pub(crate) const MEDIA_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/// A DOCX that is damaged in some way.
fn damaged(why: &'static str) -> DocumentError {
    DocumentError::Damaged { kind: "DOCX", why }
}

/// Reads an archive, if it is a DOCX.
pub(crate) fn read(
    bytes: &[u8],
    reading: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Result<(), DocumentError> {
    let looks_like = zip_kind(bytes);
    let other = |error| match looks_like {
        "DOCX" => error,
        kind => DocumentError::Unsupported { kind },
    };
    let mut budget = XmlBudget::new(reading);
    let mut package = DocxPackage::open(bytes, reading.limits.objects).map_err(other)?;
    let whole = package.relationships("", &mut budget).map_err(other)?;
    let main = whole.iter().find(|to| to.kind == "officeDocument");
    let main = main.map_or("word/document.xml", |main| main.target.as_str());
    let missing = || other(damaged("its main document is missing"));
    let text = package.part(main, &mut budget).map_err(other)?;
    let text = text.ok_or_else(missing)?;
    if !is_text_document(&text, &mut budget).map_err(other)? {
        return Err(match main.split('/').next() {
            Some("xl") => DocumentError::Unsupported { kind: "XLSX" },
            Some("ppt") => DocumentError::Unsupported { kind: "PPTX" },
            _ => other(damaged("its main part is no text document")),
        });
    }
    let mut reader = DocxReader {
        package,
        budget,
        draft,
        sketcher: DocxSketcher::default(),
        images: HashMap::new(),
        pixels: reading.limits.pixels,
    };
    reader.read(&whole, main, &text)
}

/// Whether the main part is what it should be.
fn is_text_document(text: &str, budget: &mut XmlBudget<'_>) -> Result<bool, DocumentError> {
    let mut xml = XmlPart::new(text, budget);
    loop {
        match xml.next()? {
            XmlNode::Open(element) => return Ok(element.is_word() && element.name() == "document"),
            XmlNode::End => return Ok(false),
            XmlNode::Close | XmlNode::Text(_) => {}
        }
    }
}

struct DocxReader<'f, 'r, 'd, 'l> {
    package: DocxPackage<'f>,
    budget: XmlBudget<'r>,
    draft: &'d mut DocumentDraft<'l>,
    sketcher: DocxSketcher,
    /// The images that were looked at, by their parts.
    images: HashMap<String, Option<u32>>,
    /// How many pixels an image may have.
    pixels: usize,
}

impl DocxReader<'_, '_, '_, '_> {
    fn read(
        &mut self,
        whole: &[PartRelationship],
        main: &str,
        text: &str,
    ) -> Result<(), DocumentError> {
        let about = whole.iter().find(|to| to.kind == "core-properties");
        let about = about.map_or("docProps/core.xml", |about| about.target.as_str());
        let properties = match self.package.part(about, &mut self.budget)? {
            Some(text) => DocxProperties::read(XmlPart::new(&text, &mut self.budget))?,
            None => DocxProperties::default(),
        };
        let to = self.package.relationships(main, &mut self.budget)?;
        let mut shared = self.shared(&to)?;
        self.notes(&to, &mut shared)?;
        let headers = self.running(&to, "header", &mut shared)?;
        let body = StoryReader::new(&mut shared, LineRole::Text)
            .with_images(&to)
            .read(XmlPart::new(text, &mut self.budget))?;
        let footers = self.running(&to, "footer", &mut shared)?;
        let language = properties.language.as_deref();
        if let Some(tag) = language.or_else(|| shared.languages.main()) {
            self.draft.builder.comma(CommaMeaning::of_language(tag));
        }
        let title = body.iter().find(|line| line.title && !line.text.is_empty());
        if let Some(title) = properties
            .title
            .or_else(|| title.map(|line| line.text.clone()))
        {
            self.draft.builder.title(title);
        }
        self.draft.builder.about(properties.about);
        let numbered = body.iter().any(|line| line.number.is_some());
        for line in headers.into_iter().chain(body).chain(footers) {
            for _ in 0..line.pages {
                self.sketcher.end_table(&mut self.draft.sketch);
                self.draft.page_now()?;
            }
            self.set(&line, numbered)?;
            for line in &line.apart {
                self.set(line, numbered)?;
            }
        }
        Ok(())
    }

    /// The text of the first part of a kind.
    fn first(
        &mut self,
        to: &[PartRelationship],
        kind: &str,
    ) -> Result<Option<String>, DocumentError> {
        match first_of(to, kind) {
            Some(to) => self.package.part(&to.target, &mut self.budget),
            None => Ok(None),
        }
    }

    fn shared(&mut self, to: &[PartRelationship]) -> Result<StoryContext, DocumentError> {
        let styles = match self.first(to, "styles")? {
            Some(text) => StyleSheet::read(XmlPart::new(&text, &mut self.budget))?,
            None => StyleSheet::default(),
        };
        let numbering = match self.first(to, "numbering")? {
            Some(text) => ListNumbering::read(XmlPart::new(&text, &mut self.budget))?,
            None => ListNumbering::default(),
        };
        Ok(StoryContext {
            styles,
            numbering,
            notes: Notes::new(),
            languages: LanguageCounts::default(),
        })
    }

    fn notes(
        &mut self,
        to: &[PartRelationship],
        shared: &mut StoryContext,
    ) -> Result<(), DocumentError> {
        for (kind, role) in [
            ("footnotes", LineRole::Footnote),
            ("endnotes", LineRole::Footnote),
            ("comments", LineRole::Aside),
        ] {
            if let Some(text) = self.first(to, kind)? {
                let part = first_of(to, kind).map_or("", |to| to.target.as_str());
                let images = self.package.relationships(part, &mut self.budget)?;
                let xml = XmlPart::new(&text, &mut self.budget);
                let story = StoryReader::new(shared, role).with_images(&images);
                let notes = story.read_notes(xml)?;
                shared.notes.extend(notes);
            }
        }
        Ok(())
    }

    /// Running heads or feet, each once.
    fn running(
        &mut self,
        to: &[PartRelationship],
        kind: &str,
        shared: &mut StoryContext,
    ) -> Result<Vec<StoryLine>, DocumentError> {
        let mut lines = Vec::new();
        let mut read = HashSet::new();
        let mut seen = HashSet::new();
        for to in to.iter().filter(|to| to.kind == kind) {
            if !read.insert(&to.target) {
                continue;
            }
            let Some(text) = self.package.part(&to.target, &mut self.budget)? else {
                continue;
            };
            let images = self.package.relationships(&to.target, &mut self.budget)?;
            let xml = XmlPart::new(&text, &mut self.budget);
            let story = StoryReader::new(shared, LineRole::Running).with_images(&images);
            let story = story.read(xml)?;
            lines.extend(
                story
                    .into_iter()
                    .filter(|line| seen.insert(line.text.clone())),
            );
        }
        Ok(lines)
    }

    /// The images on a line.
    fn figures(&mut self, line: &StoryLine) -> Vec<DocumentImage> {
        let mut figures = Vec::with_capacity(line.look.drawings.len());
        for drawing in &line.look.drawings {
            let sketch = &mut self.draft.sketch;
            let image = drawing.part.as_ref().and_then(|part| {
                if let Some(known) = self.images.get(part) {
                    return *known;
                }
                let image = self.package.image(part, &mut self.budget, self.pixels);
                let image = sketch.keep_image(image);
                self.images.insert(part.clone(), image);
                image
            });
            let mut wish = drawing.wish;
            if let Some(file) = sketch.image_file(image) {
                wish.settle(file);
            }
            figures.push(DocumentImage {
                label: drawing.label.clone(),
                image,
                wish,
            });
        }
        figures
    }

    /// Writes a line to the document.
    fn set(&mut self, line: &StoryLine, numbered: bool) -> Result<(), DocumentError> {
        let figures = self.figures(line);
        let draft = &mut *self.draft;
        let mut at = draft.lines().saturating_sub(1);
        if !line.text.is_empty() {
            let shown = match &line.number {
                Some(number) => &format!("{number} {}", line.text),
                None => &line.text,
            };
            at = draft.line(shown)?;
            draft.builder.line_is(line.role, []);
            let is_body = line.role.is_body();
            let role = if is_body {
                TextStreamRole::Body
            } else {
                TextStreamRole::Apart
            };
            draft.builder.text(role, at, &line.text, PieceBreak::Line);
            // Numbers of lists are shown but not written: with them the text is another text.
            if numbered && is_body {
                draft
                    .builder
                    .text(TextStreamRole::Markup, at, shown, PieceBreak::Line);
            }
            if let Some(depth) = line.depth.filter(|_| is_body) {
                draft.builder.heading(OutlineHeading {
                    title: shown.replace('\t', " "),
                    page: None,
                    depth,
                });
            }
        }
        self.sketcher.line(&mut draft.sketch, line, at, &figures);
        for (role, text) in &line.beside {
            draft.builder.text(*role, at, text, PieceBreak::Line);
        }
        Ok(())
    }
}

/// Where the first part of a kind is.
fn first_of<'t>(to: &'t [PartRelationship], kind: &str) -> Option<&'t PartRelationship> {
    to.iter().find(|to| to.kind == kind)
}
