//! Why a file could not be read.

use passage::TextTooLong;

/// Why a file could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// A kind of file that there is no reader for.
    #[error("{kind} is not read yet")]
    Unsupported {
        /// What it is called, "PDF".
        kind: &'static str,
    },
    /// It is no text in any encoding that is read.
    #[error("this is not text: byte {at} is {byte:#04x}")]
    NotText {
        /// Where, from 0.
        at: usize,
        /// What stands there.
        byte: u8,
    },
    /// The file is too large.
    #[error("the file has {bytes} bytes; at most {limit} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// [`Limits::bytes`](crate::Limits::bytes).
        limit: usize,
    },
    /// Elements, lists or block quotes are nested too deep.
    #[error("the file nests more than {limit} levels deep")]
    TooDeep {
        /// [`Limits::nesting`](crate::Limits::nesting).
        limit: usize,
    },
    /// It has too many lines.
    #[error("the file has more than {limit} lines")]
    TooManyLines {
        /// [`Limits::lines`](crate::Limits::lines).
        limit: usize,
    },
    /// It has too many pages.
    #[error("the file has more than {limit} pages")]
    TooManyPages {
        /// [`Limits::pages`](crate::Limits::pages).
        limit: usize,
    },
    /// It has too many elements and texts between them.
    #[error("the file has more than {limit} elements and texts")]
    TooManyElements {
        /// [`Limits::elements`](crate::Limits::elements).
        limit: usize,
    },
    /// An element has too many attributes.
    #[error("the file has an element with more than {limit} attributes")]
    TooManyAttributes {
        /// The most that an element may have.
        limit: usize,
    },
    /// Its elements overlap so that untangling them would take too long.
    #[error("the elements of the file are too tangled to be read")]
    Tangled,
    /// It can be opened with a password only.
    #[error("the file is protected by a password")]
    NeedsPassword,
    /// The password that was given does not open it.
    #[error("the password does not open the file")]
    WrongPassword,
    /// It is encrypted in a way that is not read.
    #[error("the file is encrypted in a way that is not read")]
    Encryption,
    /// It is too damaged to be read.
    #[error("this {kind} is too damaged to be read")]
    Broken {
        /// What it would be, "PDF".
        kind: &'static str,
    },
    /// It is damaged in a way that can be named.
    #[error("this {kind} is damaged: {why}")]
    Damaged {
        /// What it would be, "DOCX".
        kind: &'static str,
        /// What is wrong.
        why: &'static str,
    },
    /// It is made of too many objects.
    #[error("the file has {objects} objects; at most {limit} are read")]
    TooManyObjects {
        /// How many.
        objects: usize,
        /// [`Limits::objects`](crate::Limits::objects).
        limit: usize,
    },
    /// A page has too many words.
    #[error("page {page} has more than {limit} words")]
    TooManyWords {
        /// Which page, from 1.
        page: u32,
        /// [`Limits::words_per_page`](crate::Limits::words_per_page).
        limit: usize,
    },
    /// Something in it becomes too large when it is decompressed.
    #[error("something in the file decompresses to more than {limit} bytes")]
    TooMuchData {
        /// [`Limits::decompressed`](crate::Limits::decompressed).
        limit: usize,
    },
    /// A picture has too many pixels.
    #[error("the picture has {width} × {height} pixels; at most {limit} are read")]
    TooManyPixels {
        /// How wide it is.
        width: u32,
        /// How high it is.
        height: u32,
        /// [`Limits::pixels`](crate::Limits::pixels).
        limit: u64,
    },
    /// A picture, whose words nobody has recognised.
    #[error("this {kind} is a picture, and there is no program to recognise its words")]
    NeedsRecognition {
        /// What it is called, "PNG".
        kind: &'static str,
    },
    /// A picture, in which recognising words failed.
    #[error("the words in this {kind} could not be recognised, or it took too long")]
    NotRecognised {
        /// What it is called, "PNG".
        kind: &'static str,
    },
    /// The caller gave up; see [`Reading::give_up`](crate::Reading::give_up).
    #[error("reading was given up at page {page}")]
    GivenUp {
        /// The page that was being read, from 1.
        page: u32,
    },
    /// A parser failed on it.
    #[error("the {kind} parser failed on this file")]
    Parser {
        /// Which parser, "HTML".
        kind: &'static str,
    },
    /// One of its texts is too long to be indexed.
    #[error(transparent)]
    TooLong(#[from] TextTooLong),
}

impl DocumentError {
    /// What can be done about it.
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
