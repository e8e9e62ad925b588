//! Errors of reading a file.

use passage::TextTooLong;

/// Error of reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Unsupported kind of file.
    #[error("{kind} is not read yet")]
    Unsupported {
        /// Name of the kind, such as "RTF".
        kind: &'static str,
    },
    /// File that is no text in any supported encoding.
    #[error("this is not text: byte {at} is {byte:#04x}")]
    NotText {
        /// Position of the first wrong byte, from 0.
        at: usize,
        /// Wrong byte.
        byte: u8,
    },
    /// Too large file.
    #[error("the file has {bytes} bytes; at most {limit} are read")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
        /// [`ReadLimits::bytes`](crate::ReadLimits::bytes).
        limit: usize,
    },
    /// Elements, lists or block quotes that are nested too deeply.
    #[error("the file nests more than {limit} levels deep")]
    TooDeep {
        /// [`ReadLimits::nesting`](crate::ReadLimits::nesting).
        limit: usize,
    },
    /// Too many lines.
    #[error("the file has more than {limit} lines")]
    TooManyLines {
        /// [`ReadLimits::lines`](crate::ReadLimits::lines).
        limit: usize,
    },
    /// Too many pages.
    #[error("the file has more than {limit} pages")]
    TooManyPages {
        /// [`ReadLimits::pages`](crate::ReadLimits::pages).
        limit: usize,
    },
    /// Too many elements and texts between them.
    #[error("the file has more than {limit} elements and texts")]
    TooManyElements {
        /// [`ReadLimits::elements`](crate::ReadLimits::elements).
        limit: usize,
    },
    /// Element with too many attributes.
    #[error("the file has an element with more than {limit} attributes")]
    TooManyAttributes {
        /// Allowed number of attributes.
        limit: usize,
    },
    /// Overlapping elements that would take too long to parse.
    #[error("the elements of the file are too tangled to be read")]
    Tangled,
    /// Encrypted file that needs a password.
    #[error("the file is protected by a password")]
    NeedsPassword,
    /// Wrong password.
    #[error("the password does not open the file")]
    WrongPassword,
    /// Unsupported encryption.
    #[error("the file is encrypted in a way that is not read")]
    Encryption,
    /// File that is too damaged to be read.
    #[error("this {kind} is too damaged to be read")]
    Broken {
        /// Kind of file, such as "PDF".
        kind: &'static str,
    },
    /// Damage with a known reason.
    #[error("this {kind} is damaged: {why}")]
    Damaged {
        /// Kind of file, such as "DOCX".
        kind: &'static str,
        /// Reason.
        why: &'static str,
    },
    /// Too many objects in a PDF or parts in a DOCX.
    #[error("the file has {objects} objects; at most {limit} are read")]
    TooManyObjects {
        /// Number of objects.
        objects: usize,
        /// [`ReadLimits::objects`](crate::ReadLimits::objects).
        limit: usize,
    },
    /// Page with too many words.
    #[error("page {page} has more than {limit} words")]
    TooManyWords {
        /// Page number, from 1.
        page: u32,
        /// [`ReadLimits::words_per_page`](crate::ReadLimits::words_per_page).
        limit: usize,
    },
    /// Content that becomes too large when it is decompressed.
    #[error("something in the file decompresses to more than {limit} bytes")]
    TooMuchData {
        /// [`ReadLimits::decompressed`](crate::ReadLimits::decompressed).
        limit: usize,
    },
    /// Image with too many pixels.
    #[error("the picture has {width} × {height} pixels; at most {limit} are read")]
    TooManyPixels {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// [`ReadLimits::pixels`](crate::ReadLimits::pixels).
        limit: u64,
    },
    /// Image without recognised words, because there is no recognition program.
    #[error("this {kind} is a picture, and there is no program to recognise its words")]
    NeedsRecognition {
        /// Format, such as "PNG".
        kind: &'static str,
    },
    /// Image in which the recognition of words failed.
    #[error("the words in this {kind} could not be recognised, or it took too long")]
    NotRecognised {
        /// Format, such as "PNG".
        kind: &'static str,
    },
    /// Cancelled by the caller; see [`ReadOptions::give_up`](crate::ReadOptions::give_up).
    #[error("reading was given up at page {page}")]
    GivenUp {
        /// Number of the page that was being read, from 1.
        page: u32,
    },
    /// Failure inside a parser.
    #[error("the {kind} parser failed on this file")]
    Parser {
        /// Kind of the parser, such as "HTML".
        kind: &'static str,
    },
    /// Text that is too long to be indexed.
    #[error(transparent)]
    TooLong(#[from] TextTooLong),
}

impl DocumentError {
    /// Returns what a person can do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unsupported {
                kind: "TIFF" | "HEIC" | "AVIF",
            } => "Save it as PNG or JPEG, or as PDF if it has several pages.",
            Self::Unsupported {
                kind: "MP3" | "Ogg" | "FLAC" | "WAV" | "AVI" | "MP4" | "Matroska",
            } => "Sound and film are not read; give what is said in it as text.",
            Self::Unsupported {
                kind: "ZIP" | "gzip" | "bzip2" | "xz" | "Zstandard" | "7z" | "RAR",
            } => "Unpack it, and give the files in it.",
            Self::Unsupported { .. } => "Save it as PDF, DOCX, HTML, Markdown or plain text.",
            Self::NotText { .. } => {
                "Check that it is the right file. Text is read as UTF-8, as UTF-16 that begins with a \
                 byte order mark, and as Windows-1252; HTML also as the encoding it declares."
            }
            Self::TooLarge { .. } | Self::TooManyLines { .. } | Self::TooManyPages { .. } => {
                "Split the file, or raise the limit."
            }
            Self::TooDeep { .. }
            | Self::TooManyElements { .. }
            | Self::TooManyAttributes { .. }
            | Self::Tangled => "Simplify the markup, or save the file as plain text.",
            Self::NeedsPassword => "Give the password, or save a copy without one.",
            Self::WrongPassword => "Check the password.",
            Self::Encryption => "Save a copy that is not encrypted.",
            Self::Broken { .. } | Self::Damaged { .. } => {
                "Open it in another program and save a copy."
            }
            Self::TooManyObjects { .. } | Self::TooManyWords { .. } | Self::TooMuchData { .. } => {
                "Check that the file is what it seems to be, and raise the limit."
            }
            Self::TooManyPixels { .. } => "Make the picture smaller, or raise the limit.",
            Self::NeedsRecognition { .. } => {
                "Install tesseract (the package tesseract-ocr, with those of the languages), or save it as text."
            }
            Self::NotRecognised { .. } => {
                "Check that tesseract works and has the language, or allow more seconds."
            }
            Self::GivenUp { .. } => "Allow more time, or split the file.",
            Self::Parser { .. } => "Save the file as plain text, and report the fault.",
            Self::TooLong(_) => "Split the file.",
        }
    }
}
