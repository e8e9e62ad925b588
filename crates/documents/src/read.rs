//! Reading of files: recognises the kind of a file and calls its reader.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::builder::DocumentDraft;
use crate::content_id::ContentId;
use crate::decode::decode;
use crate::document::Document;
use crate::error::DocumentError;
use crate::file_kind::{TextKind, is_pdf, is_zip};
use crate::image_header::ImageHeader;
use crate::layout::PageLayout;
use crate::metadata::ReadWarning;
use crate::read_options::{ReadLimits, ReadOptions};
use crate::{docx, html, image_reader, markdown, pdf, plain};

impl Document {
    /// Reads a file.
    ///
    /// The kind of file follows from its bytes. The name (a path or an address) only decides between kinds that
    /// the bytes leave open, such as Markdown and plain text.
    ///
    /// ```
    /// use documents::{Document, ReadLimits};
    ///
    /// let file = b"# Tides\n\nThe *highest* tide\nwas 16.3 m.\n";
    /// let document = Document::read(file, "tides.md", &ReadLimits::default())?;
    /// assert_eq!(document.media_type(), "text/markdown");
    /// assert_eq!(document.title(), Some("Tides"));
    /// assert_eq!(document.lines()[2].text, "was 16.3 m.");
    ///
    /// let refused = Document::read(b"%!PS-Adobe-3.0", "tides.md", &ReadLimits::default()).unwrap_err();
    /// assert_eq!(refused.to_string(), "PostScript is not read yet");
    /// # Ok::<(), documents::DocumentError>(())
    /// ```
    pub fn read(bytes: &[u8], name: &str, limits: &ReadLimits) -> Result<Self, DocumentError> {
        let options = ReadOptions {
            limits: *limits,
            ..ReadOptions::default()
        };
        Self::read_as(bytes, name, &options)
    }

    /// Reads a file with options: password, recognised words, progress.
    pub fn read_as(
        bytes: &[u8],
        name: &str,
        options: &ReadOptions<'_>,
    ) -> Result<Self, DocumentError> {
        Ok(read_any(bytes, name, options, false)?.0)
    }

    /// Reads a file. Returns our layout of it as well if the file has no positions of words.
    pub fn read_with_layout(
        bytes: &[u8],
        name: &str,
        options: &ReadOptions<'_>,
    ) -> Result<(Self, Option<PageLayout>), DocumentError> {
        read_any(bytes, name, options, true)
    }
}

fn read_any(
    bytes: &[u8],
    name: &str,
    options: &ReadOptions<'_>,
    keeps_layout: bool,
) -> Result<(Document, Option<PageLayout>), DocumentError> {
    check_size(bytes, options)?;
    let new_draft = |media_type: &str| {
        let mut draft = DocumentDraft::new(media_type, &options.limits);
        draft.builder.id(ContentId::of(bytes));
        draft
    };
    // Parsers of other projects work on hostile input: a panic in one is a fault of the file.
    if is_pdf(bytes) {
        return catch_unwind(AssertUnwindSafe(|| {
            let mut draft = new_draft("application/pdf");
            pdf::read(bytes, options, &mut draft)?;
            Ok((draft.builder.finish()?, None))
        }))
        .unwrap_or(Err(DocumentError::Parser { kind: "PDF" }));
    }
    if is_zip(bytes) {
        return catch_unwind(AssertUnwindSafe(|| {
            let mut draft = new_draft(docx::MEDIA_TYPE);
            docx::read(bytes, options, &mut draft)?;
            let (document, mut layout) = draft.finish(keeps_layout)?;
            if let Some(layout) = &mut layout {
                layout.keep_archive(bytes);
            }
            Ok((document, layout))
        }))
        .unwrap_or(Err(DocumentError::Parser { kind: "DOCX" }));
    }
    if let Some(header) = ImageHeader::of(bytes) {
        let mut draft = new_draft(header.media_type);
        image_reader::read(&header, options, &mut draft)?;
        return Ok((draft.builder.finish()?, None));
    }
    let is_named_pdf = name.to_ascii_lowercase().ends_with(".pdf");
    if is_named_pdf && bytes.is_empty() {
        return Err(DocumentError::Damaged {
            kind: "PDF",
            why: "it is empty",
        });
    }
    let (text, kind) = decode(bytes, name)?;
    catch_unwind(AssertUnwindSafe(|| {
        let mut draft = new_draft(kind.media_type());
        if is_named_pdf {
            draft.builder.add_warning(ReadWarning::NoPdf);
        }
        match kind {
            TextKind::Plain => plain::read(&text, &mut draft)?,
            TextKind::Markdown => markdown::read(&text, &mut draft)?,
            TextKind::Html => html::read(&text, &mut draft)?,
        }
        draft.finish(keeps_layout)
    }))
    .unwrap_or(Err(DocumentError::Parser { kind: kind.name() }))
}

fn check_size(bytes: &[u8], options: &ReadOptions<'_>) -> Result<(), DocumentError> {
    let limit = options.limits.bytes;
    match bytes.len() > limit {
        true => Err(DocumentError::TooLarge {
            bytes: bytes.len(),
            limit,
        }),
        false => Ok(()),
    }
}

/// Opens a PDF with the parser `hayro-syntax`, as [`Document::read_as`] does, for drawing its pages.
pub fn open_pdf(
    bytes: &[u8],
    options: &ReadOptions<'_>,
) -> Result<hayro_syntax::Pdf, DocumentError> {
    check_size(bytes, options)?;
    catch_unwind(AssertUnwindSafe(|| pdf::open(bytes, options)))
        .unwrap_or(Err(DocumentError::Parser { kind: "PDF" }))
}
