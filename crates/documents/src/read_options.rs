//! Options and limits of reading a file.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::recognised::RecognisedPages;

/// Limits of a file; one that exceeds a limit is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadLimits {
    /// Bytes of the file.
    pub bytes: usize,
    /// Nesting levels of elements, lists and block quotes, and of drawings (at most 48 of these).
    pub nesting: usize,
    /// Elements of HTML or XML, and texts between them.
    pub elements: usize,
    /// Lines of all pages together.
    pub lines: usize,
    /// Pages.
    pub pages: usize,
    /// Words of a page, in files with positions of words.
    pub words_per_page: usize,
    /// Objects of a PDF, or parts of a DOCX (at most 65,536 of these).
    pub objects: usize,
    /// Pixels of an image.
    pub pixels: usize,
    /// Decompressed bytes of one stream of a PDF, of all drawings of a page together, and of all parts of a
    /// DOCX together.
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

/// Options of reading a file.
///
/// ```
/// use std::time::{Duration, Instant};
/// use documents::{Document, ReadOptions};
///
/// let start = Instant::now();
/// let options = ReadOptions {
///     password: "tide",
///     give_up: &|| start.elapsed() > Duration::from_secs(30),
///     ..ReadOptions::default()
/// };
/// let document = Document::read_as(b"The tide was high.", "tides.txt", &options)?;
/// assert_eq!(document.lines().len(), 1);
/// # Ok::<(), documents::DocumentError>(())
/// ```
#[derive(Clone, Copy)]
pub struct ReadOptions<'a> {
    /// Limits of the file.
    pub limits: ReadLimits,
    /// Password of an encrypted file; empty if it needs none.
    pub password: &'a str,
    /// Words recognised on pages that are images, if recognition was tried.
    pub recognised: Option<&'a RecognisedPages>,
    /// Called now and then while pages are read. Reading stops with an error once it returns true.
    pub give_up: &'a dyn Fn() -> bool,
    /// Called after each page with the number of pages read and of all pages.
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
    /// Writes the limits; the password is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadOptions")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
