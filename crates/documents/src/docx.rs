//! Reader of DOCX: the text of a word processor's file, in the order of its paragraphs.
//!
//! ```text
//! file ──▶ package ──▶ XML ──▶ story ──▶ lines ──▶ draft
//! package  package     xml     story     styles, numbering
//! ```
//!
//! Notes and comments are read first, so that they can follow the paragraph that refers to them.

mod languages;
mod line;
mod numbering;
mod package;
mod properties;
mod sketcher;
mod story;
mod styles;
mod symbols;
mod xml;

use std::collections::{HashMap, HashSet};

use passage::{CommaMeaning, PieceBreak};

use self::languages::LanguageCounts;
use self::numbering::ListNumbering;
use self::package::{DocxPackage, PartRelationship};
use self::properties::DocxProperties;
use self::sketcher::DocxSketcher;
use self::story::{Notes, StoryContext, StoryLine, StoryReader};
use self::styles::StyleSheet;
use self::xml::{XmlBudget, XmlNode, XmlPart};
use crate::builder::DocumentDraft;
use crate::document::{LineRole, TextStreamRole};
use crate::embedded_image::DocumentImage;
use crate::error::DocumentError;
use crate::file_kind::zip_kind;
use crate::metadata::OutlineHeading;
use crate::read_options::ReadOptions;

/// Media type of DOCX.
pub(crate) const MEDIA_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/// Returns the error for a damaged DOCX.
fn damaged(why: &'static str) -> DocumentError {
    DocumentError::Damaged { kind: "DOCX", why }
}

/// Reads an archive, if it is a DOCX.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions<'_>,
    draft: &mut DocumentDraft<'_>,
) -> Result<(), DocumentError> {
    let likely_kind = zip_kind(bytes);
    // An archive of another kind is unsupported rather than damaged.
    let other = |error| match likely_kind {
        "DOCX" => error,
        kind => DocumentError::Unsupported { kind },
    };
    let mut budget = XmlBudget::new(options);
    let mut package = DocxPackage::open(bytes, options.limits.objects).map_err(other)?;
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
        pixels: options.limits.pixels,
    };
    reader.read_document(&whole, main, &text)
}

/// Returns true if the main part is a text document.
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

/// Reader of a package.
struct DocxReader<'f, 'r, 'd, 'l> {
    package: DocxPackage<'f>,
    budget: XmlBudget<'r>,
    draft: &'d mut DocumentDraft<'l>,
    sketcher: DocxSketcher,
    /// Numbers of images in the sketch by part; `None` for images that cannot be shown.
    images: HashMap<String, Option<u32>>,
    /// Allowed number of pixels of an image.
    pixels: usize,
}

impl DocxReader<'_, '_, '_, '_> {
    fn read_document(
        &mut self,
        whole: &[PartRelationship],
        main: &str,
        text: &str,
    ) -> Result<(), DocumentError> {
        let core = whole.iter().find(|to| to.kind == "core-properties");
        let core = core.map_or("docProps/core.xml", |core| core.target.as_str());
        let properties = match self.package.part(core, &mut self.budget)? {
            Some(text) => DocxProperties::read(XmlPart::new(&text, &mut self.budget))?,
            None => DocxProperties::default(),
        };
        let to = self.package.relationships(main, &mut self.budget)?;
        let mut context = self.story_context(&to)?;
        self.read_notes(&to, &mut context)?;
        let headers = self.read_running(&to, "header", &mut context)?;
        let body = StoryReader::new(&mut context, LineRole::Text)
            .with_images(&to)
            .read(XmlPart::new(text, &mut self.budget))?;
        let footers = self.read_running(&to, "footer", &mut context)?;
        let language = properties.language.as_deref();
        if let Some(tag) = language.or_else(|| context.languages.main()) {
            self.draft.builder.comma(CommaMeaning::of_language(tag));
        }
        let title = body
            .iter()
            .find(|line| line.is_title && !line.text.is_empty());
        if let Some(title) = properties
            .title
            .or_else(|| title.map(|line| line.text.clone()))
        {
            self.draft.builder.title(title);
        }
        self.draft.builder.metadata(properties.metadata);
        let has_numbers = body.iter().any(|line| line.number.is_some());
        for line in headers.into_iter().chain(body).chain(footers) {
            for _ in 0..line.pages {
                self.sketcher.end_table(&mut self.draft.sketch);
                self.draft.begin_sketched_page()?;
            }
            self.add_line(&line, has_numbers)?;
            for line in &line.apart {
                self.add_line(line, has_numbers)?;
            }
        }
        Ok(())
    }

    /// Returns the text of the first part of a kind.
    fn first_text(
        &mut self,
        to: &[PartRelationship],
        kind: &str,
    ) -> Result<Option<String>, DocumentError> {
        match first_of(to, kind) {
            Some(to) => self.package.part(&to.target, &mut self.budget),
            None => Ok(None),
        }
    }

    /// Reads styles and numbering.
    fn story_context(&mut self, to: &[PartRelationship]) -> Result<StoryContext, DocumentError> {
        let styles = match self.first_text(to, "styles")? {
            Some(text) => StyleSheet::read(XmlPart::new(&text, &mut self.budget))?,
            None => StyleSheet::default(),
        };
        let numbering = match self.first_text(to, "numbering")? {
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

    /// Reads notes and comments.
    fn read_notes(
        &mut self,
        to: &[PartRelationship],
        context: &mut StoryContext,
    ) -> Result<(), DocumentError> {
        for (kind, role) in [
            ("footnotes", LineRole::Footnote),
            ("endnotes", LineRole::Footnote),
            ("comments", LineRole::Aside),
        ] {
            if let Some(text) = self.first_text(to, kind)? {
                let part = first_of(to, kind).map_or("", |to| to.target.as_str());
                let images = self.package.relationships(part, &mut self.budget)?;
                let xml = XmlPart::new(&text, &mut self.budget);
                let story = StoryReader::new(context, role).with_images(&images);
                let notes = story.read_notes(xml)?;
                context.notes.extend(notes);
            }
        }
        Ok(())
    }

    /// Reads running headers or footers. Repeated lines are left out.
    fn read_running(
        &mut self,
        to: &[PartRelationship],
        kind: &str,
        context: &mut StoryContext,
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
            let story = StoryReader::new(context, LineRole::Running).with_images(&images);
            let story = story.read(xml)?;
            lines.extend(
                story
                    .into_iter()
                    .filter(|line| seen.insert(line.text.clone())),
            );
        }
        Ok(lines)
    }

    /// Returns the images on a line.
    fn images(&mut self, line: &StoryLine) -> Vec<DocumentImage> {
        let mut images = Vec::with_capacity(line.placement.drawings.len());
        for drawing in &line.placement.drawings {
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
            let mut display = drawing.display;
            if let Some(header) = sketch.image_header(image) {
                display.cancel_stored_rotation(header);
            }
            images.push(DocumentImage {
                label: drawing.label.clone(),
                image,
                display,
            });
        }
        images
    }

    /// Adds a line to the document. With `has_numbers`, lines with the numbers of lists are a text stream, too.
    fn add_line(&mut self, line: &StoryLine, has_numbers: bool) -> Result<(), DocumentError> {
        let images = self.images(line);
        let draft = &mut *self.draft;
        let mut at = draft.line_count().saturating_sub(1);
        if !line.text.is_empty() {
            let shown = match &line.number {
                Some(number) => &format!("{number} {}", line.text),
                None => &line.text,
            };
            at = draft.add_line(shown)?;
            draft.builder.set_line(line.role, []);
            let is_body = line.role.is_body();
            let role = if is_body {
                TextStreamRole::Body
            } else {
                TextStreamRole::Apart
            };
            draft
                .builder
                .add_text(role, at, &line.text, PieceBreak::Line);
            // Numbers of lists are shown but not written: the text with numbers is a stream of its own.
            if has_numbers && is_body {
                draft
                    .builder
                    .add_text(TextStreamRole::Markup, at, shown, PieceBreak::Line);
            }
            if let Some(depth) = line.depth.filter(|_| is_body) {
                draft.builder.add_heading(OutlineHeading {
                    title: shown.replace('\t', " "),
                    page: None,
                    depth,
                });
            }
        }
        self.sketcher.add_line(&mut draft.sketch, line, at, &images);
        for (role, text) in &line.beside {
            draft.builder.add_text(*role, at, text, PieceBreak::Line);
        }
        Ok(())
    }
}

/// Returns the relationship to the first part of a kind.
fn first_of<'t>(to: &'t [PartRelationship], kind: &str) -> Option<&'t PartRelationship> {
    to.iter().find(|to| to.kind == kind)
}
