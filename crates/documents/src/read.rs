//! From a file's bytes to a document.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::about::ReadWarning;
use crate::content_id::ContentId;
use crate::decode::decode;
use crate::document::Document;
use crate::draft::DocumentDraft;
use crate::error::DocumentError;
use crate::kind::{FileKind, is_pdf, is_zip};
use crate::layout::PageLayout;
use crate::picture::{self, ImageHeader};
use crate::recognised::RecognisedPages;
use crate::{docx, html, markdown, pdf, plain};

/// How much of a file is read before it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ReadLimits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Levels of elements, lists and block quotes, and of drawings in drawings (at most 48 of these).
    pub nesting: usize,
    /// Elements of a tree, and texts between them.
    pub elements: usize,
    /// Lines of all pages.
    pub lines: usize,
    /// Pages.
    pub pages: usize,
    /// Words of a page that says where they stand.
    pub words_per_page: usize,
    /// Objects that a PDF is made of, or parts of a DOCX (at most 65,536 of these).
    pub objects: usize,
    /// Pixels of a picture.
    pub pixels: usize,
    /// Bytes that one stream of a PDF may decompress to, all drawings of a page together, and all
    /// parts of a DOCX together.
    pub decompressed: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            nesting: 1 << 14,
            elements: 4_000_000,
            lines: 2_000_000,
            pages: 100_000,
            words_per_page: 100_000,
            objects: 8_000_000,
            pixels: 60_000_000,
            decompressed: 256 << 20,
        }
    }
}

/// How a file is read.
///
/// ```
/// use std::time::{Duration, Instant};
/// use documents::{Document, ReadOptions};
///
/// let start = Instant::now();
/// let reading = ReadOptions {
///     password: "tide",
///     give_up: &|| start.elapsed() > Duration::from_secs(30),
///     ..ReadOptions::default()
/// };
/// let document = Document::read_as(b"The tide was high.", "tides.txt", &reading)?;
/// assert_eq!(document.lines().len(), 1);
/// # Ok::<(), documents::DocumentError>(())
/// ```
#[derive(Clone, Copy)]
pub struct ReadOptions<'a> {
    /// How much is read.
    pub limits: ReadLimits,
    /// The password of an encrypted file; one that opens with an empty password needs none.
    pub password: &'a str,
    /// What was recognised on pages that are pictures, if somebody has looked.
    pub recognised: Option<&'a RecognisedPages>,
    /// Asked now and then while pages are read: whether to give up, because it takes too long.
    pub give_up: &'a dyn Fn() -> bool,
    /// Told after each page: how many were read, and of how many.
    pub progress: &'a dyn Fn(u32, u32),
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self {
            limits: ReadLimits::default(),
            password: "",
            recognised: None,
            give_up: &|| false,
            progress: &|_, _| {},
        }
    }
}

impl fmt::Debug for ReadOptions<'_> {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Document {
    /// Reads a file.
    ///
    /// What kind of file it is, its bytes say; the name (a path or an address) decides only where
    /// they do not, as between Markdown and plain text.
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
        let reading = ReadOptions {
            limits: *limits,
            ..ReadOptions::default()
        };
        Self::read_as(bytes, name, &reading)
    }

    /// Reads a file that may need a password or take long.
    pub fn read_as(
        bytes: &[u8],
        name: &str,
        reading: &ReadOptions<'_>,
    ) -> Result<Self, DocumentError> {
        Ok(Self::read_any(bytes, name, reading, false)?.0)
    }

    /// Reads a file, and keeps what its pages look like if it had none of its own.
    pub fn read_with_layout(
        bytes: &[u8],
        name: &str,
        reading: &ReadOptions<'_>,
    ) -> Result<(Self, Option<PageLayout>), DocumentError> {
        Self::read_any(bytes, name, reading, true)
    }

    fn read_any(
        bytes: &[u8],
        name: &str,
        reading: &ReadOptions<'_>,
        keeps_layout: bool,
    ) -> Result<(Self, Option<PageLayout>), DocumentError> {
        let limits = &reading.limits;
        if bytes.len() > limits.bytes {
            return Err(DocumentError::TooLarge {
                bytes: bytes.len(),
                limit: limits.bytes,
            });
        }
        // Parsers of others work on hostile input: should one panic, that is a fault of the file.
        if is_pdf(bytes) {
            return catch_unwind(AssertUnwindSafe(|| {
                let mut draft = DocumentDraft::new("application/pdf", limits);
                draft.builder.id(ContentId::of(bytes));
                pdf::read(bytes, reading, &mut draft)?;
                Ok((draft.builder.finish()?, None))
            }))
            .unwrap_or(Err(DocumentError::Parser { kind: "PDF" }));
        }
        if is_zip(bytes) {
            return catch_unwind(AssertUnwindSafe(|| {
                let mut draft = DocumentDraft::new(docx::MEDIA_TYPE, limits);
                draft.builder.id(ContentId::of(bytes));
                docx::read(bytes, reading, &mut draft)?;
                let (document, mut layout) = draft.finish(keeps_layout)?;
                if let Some(layout) = &mut layout {
                    layout.keep_archive(bytes);
                }
                Ok((document, layout))
            }))
            .unwrap_or(Err(DocumentError::Parser { kind: "DOCX" }));
        }
        if let Some(file) = ImageHeader::of(bytes) {
            let mut draft = DocumentDraft::new(file.media_type, limits);
            draft.builder.id(ContentId::of(bytes));
            picture::read(&file, reading, &mut draft)?;
            return Ok((draft.builder.finish()?, None));
        }
        let is_called_pdf = name.to_ascii_lowercase().ends_with(".pdf");
        if is_called_pdf && bytes.is_empty() {
            return Err(DocumentError::Damaged {
                kind: "PDF",
                why: "it is empty",
            });
        }
        let (text, kind) = decode(bytes, name)?;
        catch_unwind(|| {
            let mut draft = DocumentDraft::new(kind.media_type(), limits);
            draft.builder.id(ContentId::of(bytes));
            if is_called_pdf {
                draft.builder.warning(ReadWarning::NoPdf);
            }
            match kind {
                FileKind::Plain => plain::read(&text, &mut draft)?,
                FileKind::Markdown => markdown::read(&text, &mut draft)?,
                FileKind::Html => html::read(&text, &mut draft)?,
            }
            draft.finish(keeps_layout)
        })
        .unwrap_or(Err(DocumentError::Parser { kind: kind.name() }))
    }
}

/// Opens a PDF for drawing its pages, as [`Document::read_as`] does.
///
/// Its parser is that of `hayro-syntax`.
pub fn open_pdf(
    bytes: &[u8],
    reading: &ReadOptions<'_>,
) -> Result<hayro_syntax::Pdf, DocumentError> {
    let limit = reading.limits.bytes;
    if bytes.len() > limit {
        return Err(DocumentError::TooLarge {
            bytes: bytes.len(),
            limit,
        });
    }
    catch_unwind(AssertUnwindSafe(|| pdf::open(bytes, reading)))
        .unwrap_or(Err(DocumentError::Parser { kind: "PDF" }))
}
