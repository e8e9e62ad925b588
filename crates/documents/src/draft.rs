//! A document that is being read, within its limits.

use passage::PieceBreak;

use crate::about::ReadWarning;
use crate::document::{Document, DocumentBuilder, TextStreamRole};
use crate::error::DocumentError;
use crate::layout::{DocumentSketch, PageLayout, lay_out};
use crate::read::ReadLimits;

/// A document that is being read.
pub(crate) struct DocumentDraft<'l> {
    pub(crate) builder: DocumentBuilder,
    pub(crate) limits: &'l ReadLimits,
    /// How the document looks; a reader whose file says where words stand leaves it empty.
    pub(crate) sketch: DocumentSketch,
    /// The page that the sketch has come to, from 1.
    sketched: u32,
    lines: usize,
    pages: usize,
}

impl<'l> DocumentDraft<'l> {
    pub(crate) fn new(media_type: &str, limits: &'l ReadLimits) -> Self {
        Self {
            builder: DocumentBuilder::new(media_type),
            limits,
            sketch: DocumentSketch::default(),
            sketched: 1,
            lines: 0,
            pages: 1,
        }
    }

    /// The number of lines so far, which is the place of the next one.
    pub(crate) fn lines(&self) -> u32 {
        u32::try_from(self.lines).unwrap_or(u32::MAX)
    }

    /// Begins a page.
    pub(crate) fn page(&mut self) -> Result<(), DocumentError> {
        let limit = self.limits.pages;
        if self.pages >= limit {
            return Err(DocumentError::TooManyPages { limit });
        }
        self.pages += 1;
        self.builder.page();
        Ok(())
    }

    /// Begins a page, also in the sketch, which has come as far as the lines have.
    pub(crate) fn page_now(&mut self) -> Result<(), DocumentError> {
        self.page()?;
        self.sketched += 1;
        self.sketch.page();
        Ok(())
    }

    /// Adds a line to the page; its place among all lines.
    pub(crate) fn line(&mut self, text: &str) -> Result<u32, DocumentError> {
        let limit = self.limits.lines.min(u32::MAX as usize - 1);
        if self.lines >= limit {
            return Err(DocumentError::TooManyLines { limit });
        }
        self.lines += 1;
        Ok(self.builder.line(text))
    }

    /// Begins pages in the sketch up to that of a line.
    pub(crate) fn reach(&mut self, line: u32) {
        while self.sketched < self.builder.page_of(line) {
            self.sketched += 1;
            self.sketch.page();
        }
    }

    /// Adds a line to the page that is one line of the body.
    pub(crate) fn body_line(&mut self, text: &str) -> Result<(), DocumentError> {
        let line = self.line(text)?;
        self.builder
            .text(TextStreamRole::Body, line, text, PieceBreak::Line);
        Ok(())
    }

    /// The document, and what its pages look like if it was laid out and that is asked for.
    pub(crate) fn finish(
        mut self,
        keeps_layout: bool,
    ) -> Result<(Document, Option<PageLayout>), DocumentError> {
        let mut layout = None;
        if self.sketch.is_empty() {
            self.builder.sketch(&mut self.sketch);
        } else {
            // Pages at the end may have lines that show nothing.
            for _ in self.sketched as usize..self.pages {
                self.sketch.page();
            }
        }
        if let Some(laid) = lay_out(self.sketch, keeps_layout) {
            self.builder.lay_out(laid.pages, &laid.words);
            layout = laid.layout;
            if laid.unshown > 0 {
                let images = laid.unshown;
                self.builder.warning(ReadWarning::ImagesNotShown { images });
            }
        }
        self.builder.place_headings();
        Ok((self.builder.finish()?, layout))
    }
}
