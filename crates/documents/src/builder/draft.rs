//! Document that a reader is building, within the limits of reading.

use passage::PieceBreak;

use super::DocumentBuilder;
use crate::document::{Document, LineRole, TextStreamRole};
use crate::error::DocumentError;
use crate::layout::{BlockShape, DocumentSketch, PageLayout, lay_out};
use crate::metadata::ReadWarning;
use crate::read_options::ReadLimits;

/// Document that a reader is building: a builder that counts pages and lines, and a sketch of the layout.
pub(crate) struct DocumentDraft<'l> {
    pub(crate) builder: DocumentBuilder,
    pub(crate) limits: &'l ReadLimits,
    /// Sketch of the layout; readers of files with positions of words leave it empty.
    pub(crate) sketch: DocumentSketch,
    /// Last page of the sketch, from 1.
    sketched_pages: u32,
    lines: usize,
    pages: usize,
}

impl<'l> DocumentDraft<'l> {
    pub(crate) fn new(media_type: &str, limits: &'l ReadLimits) -> Self {
        Self {
            builder: DocumentBuilder::new(media_type),
            limits,
            sketch: DocumentSketch::default(),
            sketched_pages: 1,
            lines: 0,
            pages: 1,
        }
    }

    /// Returns the number of lines so far, which is the position of the next one.
    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.lines).unwrap_or(u32::MAX)
    }

    /// Begins a page. The sketch follows with [`Self::sketch_pages_to`].
    pub(crate) fn begin_page(&mut self) -> Result<(), DocumentError> {
        let limit = self.limits.pages;
        if self.pages >= limit {
            return Err(DocumentError::TooManyPages { limit });
        }
        self.pages += 1;
        self.builder.begin_page();
        Ok(())
    }

    /// Begins a page in the document and in the sketch, for readers that sketch line by line.
    pub(crate) fn begin_sketched_page(&mut self) -> Result<(), DocumentError> {
        self.begin_page()?;
        self.sketched_pages += 1;
        self.sketch.begin_page();
        Ok(())
    }

    /// Adds a line to the page. Returns its position among all lines.
    pub(crate) fn add_line(&mut self, text: &str) -> Result<u32, DocumentError> {
        let limit = self.limits.lines.min(u32::MAX as usize - 1);
        if self.lines >= limit {
            return Err(DocumentError::TooManyLines { limit });
        }
        self.lines += 1;
        Ok(self.builder.add_line(text))
    }

    /// Adds a line that is also a line of the body.
    pub(crate) fn add_body_line(&mut self, text: &str) -> Result<(), DocumentError> {
        let line = self.add_line(text)?;
        self.builder
            .add_text(TextStreamRole::Body, line, text, PieceBreak::Line);
        Ok(())
    }

    /// Begins pages in the sketch up to that of a line.
    pub(crate) fn sketch_pages_to(&mut self, line: u32) {
        while self.sketched_pages < self.builder.page_of(line) {
            self.sketched_pages += 1;
            self.sketch.begin_page();
        }
    }

    /// Sketches the document by its lines alone.
    fn sketch_lines(&mut self) {
        for (at, line) in (0..).zip(&self.builder.lines) {
            let shape = match line.role {
                LineRole::Heading => BlockShape::Heading(2),
                LineRole::Text => BlockShape::Paragraph,
                _ => BlockShape::Note,
            };
            self.sketch.add_line(at, &line.text, shape);
        }
    }

    /// Lays the document out and builds it. Returns the layout as well if `keeps_layout` is set and there
    /// is one.
    pub(crate) fn finish(
        mut self,
        keeps_layout: bool,
    ) -> Result<(Document, Option<PageLayout>), DocumentError> {
        let mut layout = None;
        let mut headings = Vec::new();
        if self.sketch.is_empty() {
            self.sketch_lines();
        } else {
            headings = self.sketch.headings();
            // Pages at the end may have no lines that show anything.
            for _ in self.sketched_pages as usize..self.pages {
                self.sketch.begin_page();
            }
        }
        if let Some(laid_out) = lay_out(self.sketch, keeps_layout) {
            self.builder.set_layout(laid_out.pages, &laid_out.words);
            layout = laid_out.layout;
            if laid_out.missing_images > 0 {
                let images = laid_out.missing_images;
                self.builder
                    .add_warning(ReadWarning::ImagesNotShown { images });
            }
        }
        self.builder.locate_headings();
        self.builder.add_missing_outline(headings);
        Ok((self.builder.finish()?, layout))
    }
}
