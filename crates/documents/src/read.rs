//! From a file's bytes to a document.

use std::panic::catch_unwind;

use crate::content_id::ContentId;
use crate::decode::decode;
use crate::document::Document;
use crate::draft::Draft;
use crate::error::ReadError;
use crate::kind::Kind;
use crate::{html, markdown, plain};

/// How much of a file is read before it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Levels of elements, lists and block quotes.
    pub nesting: usize,
    /// Elements of a tree, and texts between them.
    pub elements: usize,
    /// Lines of all pages.
    pub lines: usize,
    /// Pages.
    pub pages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            nesting: 1 << 14,
            elements: 4_000_000,
            lines: 2_000_000,
            pages: 100_000,
        }
    }
}

impl Document {
    /// Reads a file.
    ///
    /// What kind of file it is, its bytes say; the name (a path or an address) decides only where
    /// they do not, as between Markdown and plain text.
    ///
    /// ```
    /// use documents::{Document, Limits};
    ///
    /// let file = b"# Tides\n\nThe *highest* tide\nwas 16.3 m.\n";
    /// let document = Document::read(file, "tides.md", &Limits::default())?;
    /// assert_eq!(document.media_type(), "text/markdown");
    /// assert_eq!(document.title(), Some("Tides"));
    /// assert_eq!(document.lines()[2].text, "was 16.3 m.");
    ///
    /// let refused = Document::read(b"%PDF-1.7", "tides.md", &Limits::default()).unwrap_err();
    /// assert_eq!(refused.to_string(), "PDF is not read yet");
    /// # Ok::<(), documents::ReadError>(())
    /// ```
    pub fn read(bytes: &[u8], name: &str, limits: &Limits) -> Result<Self, ReadError> {
        if bytes.len() > limits.bytes {
            return Err(ReadError::TooLarge {
                bytes: bytes.len(),
                limit: limits.bytes,
            });
        }
        let (text, kind) = decode(bytes, name)?;
        // Parsers of others work on hostile input: should one panic, that is a fault of the file.
        catch_unwind(|| {
            let mut draft = Draft::new(kind.media_type(), limits);
            draft.builder.id(ContentId::of(bytes));
            match kind {
                Kind::Plain => plain::read(&text, &mut draft)?,
                Kind::Markdown => markdown::read(&text, &mut draft)?,
                Kind::Html => html::read(&text, &mut draft)?,
            }
            Ok(draft.builder.finish()?)
        })
        .unwrap_or(Err(ReadError::Parser { kind: kind.name() }))
    }
}
